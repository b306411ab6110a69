package msg

var catalogEvidence = [...]entry{}
