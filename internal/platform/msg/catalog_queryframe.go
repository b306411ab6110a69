package msg

var catalogQueryframe = [...]entry{}
