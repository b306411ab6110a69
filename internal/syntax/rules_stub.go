package syntax

var pythonRules, javascriptRules, tsxRules, typescriptRules rules
