package syntax

var javascriptRules, tsxRules, typescriptRules rules
