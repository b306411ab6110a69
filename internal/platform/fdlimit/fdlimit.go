// Package fdlimit reports whether the process can open more files, or has used up its file descriptors.
package fdlimit

// Advice says what to do where no more files can be opened.
const Advice = "End programs that hold many files open, or raise the limit: ulimit -n."
