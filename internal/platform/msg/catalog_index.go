package msg

var catalogIndex = [...]entry{}
