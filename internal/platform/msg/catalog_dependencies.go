package msg

var catalogDependencies = [...]entry{
	{"dependencies.named_otherwise",
		"no import names it; frameworks, builds and playbooks load files in other ways: %s",
		"これを指す import はない。フレームワーク、ビルド、プレイブックが別の形で読み込むこともある: %[1]s"},
	{"dependencies.no_such_direction",
		"%s is %q; it can be imports, importers or both",
		"%[1]s が %[2]q である。指定できるのは imports、importers、both"},
	{"dependencies.nothing_indexed",
		"%s holds no file whose imports are read",
		"%[1]s には import を読み取れるファイルがない"},
	{"dependencies.packages_are_named",
		"imports name packages: those of the folder %s are listed, and files of one package need none",
		"import が指すのはパッケージである。フォルダー %[1]s を import するものを示す。同じパッケージのファイルどうしに import は要らない"},
	{"dependencies.same_package_needs_none",
		"files of the same package or namespace can use each other without an import, and are not listed for it",
		"同じパッケージや名前空間のファイルは import なしで互いを使えるため、ここには現れない"},
}
