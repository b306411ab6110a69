package msg

var catalogPrompt = [...]entry{
	{"prompt.agent_instructions_hold_which_nothing",
		"The agent's instructions contain %s, for which there is no value.",
		"エージェントへの指示にある %[1]s に対応する値がない。"},
	{"prompt.take_out_agent_file_write",
		"Remove it from the agent file, or write it with two braces, {{name}}, to keep it as text.",
		"エージェントのファイルから除く。文字として残すなら {{name}} のように波括弧を二重にする。"},
}
