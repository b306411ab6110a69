package syntax

var haskellRules = rules{
	grammar: "haskell",
}
