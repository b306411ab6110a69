package msg

var catalogMcp = [...]entry{}
