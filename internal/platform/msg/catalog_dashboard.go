package msg

var catalogDashboard = [...]entry{}
