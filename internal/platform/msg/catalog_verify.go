package msg

var catalogVerify = [...]entry{}
