package msg

var catalogAgents = [...]entry{}
