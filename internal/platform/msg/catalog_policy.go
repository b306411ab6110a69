package msg

var catalogPolicy = [...]entry{}
