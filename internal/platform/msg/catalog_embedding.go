package msg

var catalogEmbedding = [...]entry{}
