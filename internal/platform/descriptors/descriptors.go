// Package descriptors tells whether a process may open files.
package descriptors

// Advice says what to do where no more files can be opened.
const Advice = "End programs that hold many files open, or raise the limit: ulimit -n."
