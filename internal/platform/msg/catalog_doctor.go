package msg

var catalogDoctor = [...]entry{}
