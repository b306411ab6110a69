package syntax

var elixirRules = rules{
	grammar: "elixir",
}
