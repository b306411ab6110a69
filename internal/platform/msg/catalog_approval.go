package msg

var catalogApproval = [...]entry{
	{"approval.decision_been_made_meanwhile_yours",
		"The decision has been made meanwhile; yours was not needed any more.",
		"その間に判断が下された。あなたの判断は不要になった。"},
	{"approval.project_human_gate_config_json",
		"This project (human_gate in config.json) takes no decision by %s, only by %s or a stronger way.",
		"このプロジェクト (config.json の human_gate) は %[1]s による判断を受け付けない。%[2]s かそれより強い方法だけが有効。"},
}
