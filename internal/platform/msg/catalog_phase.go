package msg

var catalogPhase = [...]entry{}
