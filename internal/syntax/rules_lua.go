package syntax

var luaRules = rules{
	grammar: "lua",
}
