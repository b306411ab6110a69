package msg

var catalogExplore = [...]entry{
	{"explore.name_is_common",
		"the callers of %s were not looked up, because its name appears in %d places; %s lists them",
		"%[1]s という名前は %[2]d か所にあるため、呼び出し元は調べていない。%[3]s で一覧できる"},
	{"explore.no_sure_match",
		"none of these is sure to be it; words that the code would use find more",
		"どれも確かではない。コードに出てきそうな語で聞くと見つかりやすい"},
	{"explore.nothing_defined",
		"nothing is defined by the name %s; places are looked for by its words",
		"%s という名前で定義されたものはない。語の意味で場所を探す"},
}
