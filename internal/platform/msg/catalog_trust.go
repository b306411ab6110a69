package msg

var catalogTrust = [...]entry{}
