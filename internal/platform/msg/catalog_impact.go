package msg

var catalogImpact = [...]entry{}
