package msg

var catalogRules = [...]entry{}
