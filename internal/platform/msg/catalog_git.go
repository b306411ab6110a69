package msg

var catalogGit = [...]entry{
	{"git.trust_programs",
		"Ask the user to look at each one and decide, in a terminal of their own: code-intel trust.",
		"それぞれを確認して判断するよう、ユーザーに頼む (ユーザー自身のターミナルで code-intel trust)。"},
	{"git.untrusted_programs",
		"This repository has git run programs that the user has not trusted: %s. Until then, nothing is committed or merged here.",
		"このリポジトリは、ユーザーが信頼していないプログラムを git に実行させる: %[1]s。信頼されるまで、コミットもマージもしない。"},
}
