package syntax

var scalaRules = rules{
	grammar: "scala",
}
