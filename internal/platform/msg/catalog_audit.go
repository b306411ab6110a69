package msg

var catalogAudit = [...]entry{}
