package msg

var catalogApproval = [...]entry{
	{"approval.decision_been_made_meanwhile_yours",
		"The decision has already been made; yours was no longer needed.",
		"すでに判断が下されており、あなたの判断は不要になった。"},
	{"approval.project_human_gate_config_json",
		"This project (human_gate in config.json) does not accept a decision by %s, only by %s or something stronger.",
		"このプロジェクト (config.json の human_gate) では %[1]s による判断は認められない。%[2]s かそれより強い方法が必要である。"},
}
