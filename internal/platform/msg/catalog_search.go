package msg

var catalogSearch = [...]entry{}
