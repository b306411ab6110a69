package msg

var catalogTrust = [...]entry{
	{"trust.others_than_you_may_write",
		"Users other than you can write %s, so it is ignored.",
		"あなた以外のユーザーも %[1]s に書き込めるため、無視する。"},
	{"trust.record_trust_would_lie_project",
		"The record of trust would be in the project itself, at %s, where the project could write it.",
		"信頼の記録がプロジェクト自身の中 (%[1]s) に置かれ、プロジェクトが書き換えられる状態である。"},
	{"trust.remove_file_trust_anew_code",
		"Remove that file, and trust again: code-intel trust.",
		"そのファイルを消し、信頼し直す: code-intel trust。"},
	{"trust.schema",
		"schema %d, want %d",
		"schema が %[1]d である (%[2]d が必要)"},
	{"trust.set_xdg_config_home_folder",
		"Set XDG_CONFIG_HOME to a folder outside the project.",
		"XDG_CONFIG_HOME をプロジェクトの外のフォルダーにする。"},
	{"trust.take_write_permission_away",
		"chmod go-w %s, and look at %s.",
		"chmod go-w %[1]s を実行し、%[2]s で確認する。"},
}
