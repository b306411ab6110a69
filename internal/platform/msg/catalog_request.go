package msg

var catalogRequest = [...]entry{}
