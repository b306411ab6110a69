package msg

var catalogProfile = [...]entry{}
