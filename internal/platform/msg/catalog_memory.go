package msg

var catalogMemory = [...]entry{}
