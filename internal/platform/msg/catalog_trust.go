package msg

var catalogTrust = [...]entry{
	{"trust.cannot_read",
		"%s cannot be read: %v.",
		"%[1]s を読めない: %[2]v。"},
	{"trust.chmod_go_w_look_at",
		"chmod go-w %s, and look at %s.",
		"chmod go-w %[1]s を実行し、%[2]s で確認する。"},
	{"trust.others_than_you_may_write",
		"Others than you may write %s; it is not believed.",
		"あなた以外も %[1]s に書き込める。そのため信用しない。"},
	{"trust.record_trust_would_lie_project",
		"The record of trust would lie in the project itself, at %s, where the project could write it.",
		"信頼の記録がプロジェクト自身の中 (%[1]s) に置かれ、プロジェクトが書き換えられる状態である。"},
	{"trust.remove_file_trust_anew_code",
		"Remove that file, and trust again: code-intel trust.",
		"そのファイルを消し、信頼し直す: code-intel trust。"},
	{"trust.set_xdg_config_home_folder",
		"Set XDG_CONFIG_HOME to a folder outside the project.",
		"XDG_CONFIG_HOME をプロジェクトの外のフォルダーにする。"},
}
