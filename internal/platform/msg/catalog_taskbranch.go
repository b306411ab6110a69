package msg

var catalogTaskbranch = [...]entry{}
