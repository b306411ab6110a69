package msg

var catalogGit = [...]entry{}
