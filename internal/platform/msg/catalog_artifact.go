package msg

var catalogArtifact = [...]entry{}
