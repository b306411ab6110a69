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
}
