package msg

var catalogExplore = [...]entry{
	{"explore.more",
		"%d more places fit less well; %s lists them",
		"あまり合わない場所があと %[1]d か所ある。%[2]s で一覧できる"},
	{"explore.name_is_common",
		"the callers of %s were not looked up, because its name stands in %d places; %s lists them",
		"%[1]s という名前は %[2]d か所にあるため、呼び出し元は調べていない。%[3]s で一覧できる"},
}
