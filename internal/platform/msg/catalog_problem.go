package msg

var catalogProblem = [...]entry{
	{"problem.line",
		"%s: %s",
		"%[1]s: %[2]s"},
	{"problem.line_next",
		"%s: %s Next: %s",
		"%[1]s: %[2]s 次: %[3]s"},
}
