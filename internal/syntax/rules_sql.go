package syntax

var sqlRules = rules{
	grammar: "sql",
}
