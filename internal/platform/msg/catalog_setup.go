package msg

var catalogSetup = [...]entry{
	{"setup.edited",
		"edited; stays as it is",
		""},
	{"setup.lines_added",
		"added: %s",
		""},
	{"setup.source_dirs",
		"source_dirs in config.json is %s: files elsewhere are not indexed. An empty list stands for the whole project.",
		""},
	{"setup.unedited",
		"it was as this program had written it",
		""},
}
