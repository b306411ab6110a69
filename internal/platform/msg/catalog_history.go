package msg

var catalogHistory = [...]entry{}
