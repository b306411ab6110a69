package msg

var catalogLenientjson = [...]entry{}
