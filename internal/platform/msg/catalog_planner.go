package msg

var catalogPlanner = [...]entry{}
