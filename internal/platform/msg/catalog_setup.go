package msg

var catalogSetup = [...]entry{
	{"setup.as_the_program_wrote_it",
		"it was still as this program wrote it",
		""},
	{"setup.edited",
		"edited; kept as it is",
		""},
	{"setup.lines_added",
		"added: %s",
		""},
	{"setup.source_dirs",
		"source_dirs in config.json is %s: files elsewhere are not indexed. An empty list means the whole project.",
		""},
}
