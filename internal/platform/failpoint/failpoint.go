// Package failpoint marks the places in the code where a crash would leave something half done, such as
// between the steps of a write or around a git command, so that tests can kill the process there.
//
// It exists for tests alone: test/e2e/kill_test.go kills the server at each of these places
// in turn, and checks that the session continues as if nothing had happened. In the program
// that users run, nothing is ever installed, and a point is one atomic load.
package failpoint

import "sync/atomic"

var installed atomic.Pointer[func(name string)]

// Point is a place at which the process may die. Names say where, are not
// unique, and mean nothing to the program.
func Point(name string) {
	if f := installed.Load(); f != nil {
		(*f)(name)
	}
}

// Install has f called at every point, by whatever goroutine comes there. Only
// tests do.
func Install(f func(name string)) { installed.Store(&f) }
