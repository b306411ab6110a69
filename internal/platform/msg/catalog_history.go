package msg

var catalogHistory = [...]entry{
	{"history.put_a_real_one_in_its_place",
		"Put a real file or folder in its place.",
		"その場所に実際のファイルまたはフォルダーを置く。"},
	{"history.run_code_intel_pipeline_reindex",
		"Run `code-intel pipeline reindex`: it rebuilds the file from the workspaces and keeps a copy of this one.",
		"`code-intel pipeline reindex` を実行する。ワークスペースからファイルを作り直し、今のファイルのコピーを残す。"},
	{"history.symbolic_link",
		"%s is a symbolic link.",
		"%[1]s はシンボリックリンクである。"},
	{"history.update_code_intel",
		"Update code-intel.",
		"code-intel を更新する。"},
	{"history.written_later_version_code_intel",
		"%s was written by a later version of code-intel (%v).",
		"%[1]s はより新しい code-intel が書いたものである (%[2]v)。"},
}
