package msg

var catalogProject = [...]entry{}
