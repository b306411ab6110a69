package msg

var catalogPrompt = [...]entry{}
