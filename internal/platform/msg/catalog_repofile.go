package msg

var catalogRepofile = [...]entry{
	{"repofile.hard_link",
		"%s is a hard link: the same file has another name, perhaps outside of the repository. Nothing is written to it.",
		"%[1]s はハードリンクであり、同じファイルがリポジトリの外に別名で存在するおそれがある。書き込まない。"},
	{"repofile.link",
		"%s is a symbolic link, or is reached through one. No link is followed where files are written, moved or removed.",
		"%[1]s はシンボリックリンクであるか、その先にある。ファイルの書き込み・移動・削除ではリンクをたどらない。"},
	{"repofile.not_regular",
		"%s is not a regular file.",
		"%[1]s は通常のファイルではない。"},
	{"repofile.outside",
		"%s leads out of the repository through a symbolic link. It is not followed.",
		"%[1]s はシンボリックリンクでリポジトリの外に出る。たどらない。"},
	{"repofile.replace_it",
		"Look at it; if you did not put it there, remove it. Otherwise put a regular file or folder in its place.",
		"中身を確認し、自分で置いたものでなければ削除する。自分で置いたものなら、通常のファイルかフォルダーに置き換える。"},
	{"repofile.too_large",
		"%s has more than %d bytes, the limit for this file.",
		"%[1]s はこのファイルの上限 %[2]d バイトを超えている。"},
}
