package msg

var catalogApproval = [...]entry{}
