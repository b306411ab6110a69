package msg

var catalogSession = [...]entry{}
