package msg

var catalogCli = [...]entry{}
