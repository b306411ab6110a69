package msg

var catalogFiles = [...]entry{}
