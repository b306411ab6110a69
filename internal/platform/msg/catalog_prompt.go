package msg

var catalogPrompt = [...]entry{
	{"prompt.agent_instructions_hold_which_nothing",
		"The agent's instructions hold %s, which nothing fills.",
		"エージェントへの指示に、埋めるもののない %[1]s がある。"},
	{"prompt.take_out_agent_file_write",
		"Take it out of the agent file, or write it with two braces, {{name}}, if it is meant to stay.",
		"エージェントのファイルから除く。残すつもりなら {{name}} のように波括弧を二重にする。"},
}
