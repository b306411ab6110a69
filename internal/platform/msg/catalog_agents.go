package msg

var catalogAgents = [...]entry{
	{"agents.fix_file",
		"Fix the file, or remove it to get the agent that comes with the program.",
		""},
	{"agents.invalid_file",
		"%s cannot be used: %v.",
		""},
	{"agents.name_one",
		"Name one of: %s.",
		""},
	{"agents.unknown",
		"There is no agent %q.",
		""},
	{"agents.unknown_skill",
		"There is no skill %q.",
		""},
}
