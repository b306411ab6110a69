package msg

var catalogProblem = [...]entry{
	{"problem.code_and_message",
		"%s: %s",
		"%[1]s: %[2]s"},
	{"problem.code_message_and_next",
		"%s: %s Next: %s",
		"%[1]s: %[2]s 次: %[3]s"},
}
