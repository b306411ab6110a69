package msg

var catalogDeadcode = [...]entry{
	{"deadcode.not_judged",
		"not judged, as others may use all of it, or use it without naming it: %s",
		"判定していないもの (外から、または名前を書かずに使われうる): %[1]s"},
	{"deadcode.not_told_apart",
		"%d {1:symbol shares its name|symbols share their names} with too much to be looked at, and may be unused too",
		"同じ名前が多すぎて調べられなかったシンボルが %[1]d 個あり、これらも使われていない可能性がある"},
}
