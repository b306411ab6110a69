package msg

var catalogWorkspace = [...]entry{}
