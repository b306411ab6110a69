// Package descriptors ends the program with a message at its start if the process may open hardly any
// files: a little later the runtime of Go, which needs two for itself with the first file that it opens,
// would end it with a dump. The main program imports it for that effect. It depends on the standard library
// only, so that it is initialized before libraries that open files in their own initialization.
package descriptors

// Advice says what to do where no more files can be opened.
const Advice = "End programs that hold many files open, or raise the limit: ulimit -n."
