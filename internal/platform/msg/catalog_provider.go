package msg

var catalogProvider = [...]entry{
	{"provider.index_cannot_be_read",
		"The SCIP index %s cannot be read: %s",
		"SCIP インデックス %[1]s を読めない: %[2]s"},
	{"provider.index_no_file_or_too_large",
		"The SCIP index %s is not a regular file of at most %d MiB.",
		"SCIP インデックス %[1]s は %[2]d MiB 以下の通常のファイルではない。"},
	{"provider.let_it_take_longer",
		"If it needs longer to read the project, let it take up to an hour by the environment variable %s=5m.",
		"プロジェクトの読み込みにもっと時間がかかるなら、環境変数 %[1]s=5m のように設定する(1 時間まで)。"},
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
