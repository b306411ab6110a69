package msg

var catalogPipeline = [...]entry{}
