package msg

var catalogToolchain = [...]entry{}
