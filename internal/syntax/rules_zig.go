package syntax

var zigRules = rules{
	grammar: "zig",
}
