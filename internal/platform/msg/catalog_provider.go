package msg

var catalogProvider = [...]entry{
	{"provider.index_cannot_be_read",
		"The SCIP index %s cannot be read: %s",
		"SCIP インデックス %[1]s を読めない: %[2]s"},
	{"provider.index_no_file_or_too_large",
		"The SCIP index %s is not a regular file of at most %d MiB.",
		"SCIP インデックス %[1]s は %[2]d MiB 以下の通常のファイルではない。"},
	{"provider.see_that_server_runs",
		"See that this starts in the project, or take the trust in it back: %s",
		"プロジェクト内で次のコマンドが起動するか確かめる。または信頼を取り消す: %[1]s"},
	{"provider.server_failed",
		"The language server %s failed: %s",
		"言語サーバー %[1]s が失敗した: %[2]s"},
	{"provider.write_index_anew",
		"Regenerate %s with its indexer, or remove it.",
		"インデクサーで %[1]s を作り直すか、削除する。"},
}
