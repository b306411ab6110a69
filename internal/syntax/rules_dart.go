package syntax

var dartRules = rules{
	grammar: "dart",
}
