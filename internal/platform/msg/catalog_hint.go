package msg

var catalogHint = [...]entry{
	{"hint.same_failure",
		"The same command has failed %d times. The code that its message is about, with its callers and tests: %s",
		"同じコマンドが %[1]d 回失敗した。メッセージに関わるコードとその呼び出し元とテストは %[2]s で分かる"},
	{"hint.same_file",
		"This file was read %d times in pieces. What it declares, and on which lines: %s",
		"このファイルを少しずつ %[1]d 回読んでいる。何がどの行で宣言されているかは %[2]s で分かる"},
	{"hint.same_question",
		"The same was asked %d times, and no file has changed in between. The places that fit best, with their code: %s",
		"同じ質問が %[1]d 回目で、その間に変わったファイルはない。最も合う場所とそのコードは %[2]s で分かる"},
	{"hint.searches_without_a_hit",
		"%d searches in a row found nothing. The places that come nearest by meaning, with their code: %s",
		"続けて %[1]d 回、何も見つからなかった。意味が最も近い場所とそのコードは %[2]s で分かる"},
}
