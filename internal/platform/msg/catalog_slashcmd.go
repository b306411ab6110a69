package msg

var catalogSlashcmd = [...]entry{}
