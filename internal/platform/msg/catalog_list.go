package msg

var catalogList = [...]entry{
	{"list.or",
		" Or: ",
		" または: "},
}
