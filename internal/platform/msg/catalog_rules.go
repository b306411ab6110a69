package msg

var catalogRules = [...]entry{
	{"rules.digest_is_cut",
		"(%d more {1:line|lines} of the rules: read the document)",
		"（規則はあと %[1]d 行ある。文書を読む）"},
	{"rules.no_summary_project_rules_yet",
		"There is no summary of the project rules yet. Read %s and call %s.",
		"プロジェクトルールの要約がまだない。%[1]s を読み、%[2]s を呼ぶ。"},
	{"rules.project_rules_summary_empty",
		"project_rules_summary is empty.",
		"project_rules_summary が空である。"},
	{"rules.send_do_don_t_list",
		"Send the DO and DON'T list that sums up the project's rules.",
		"プロジェクトのルールを DO と DON'T の一覧にまとめて送る。"},
	{"rules.summary_is_out_of_date",
		"The summary of the project rules is older than %s. Read that file and call %s.",
		"プロジェクトルールの要約が %[1]s より古い。そのファイルを読み、%[2]s を呼ぶ。"},
}
