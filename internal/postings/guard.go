package postings

import (
	"fmt"
	"os"
	"runtime/debug"
)

// readFile stands in for mapping a file.
func readFile(path string) (b []byte, unmap func() error, err error) {
	b, err = os.ReadFile(path)
	return b, func() error { return nil }, err
}

// Guard runs f, which reads segments, and turns the fault that follows when
// somebody cuts a mapped file short, or its disk fails, into ErrCorrupt. Without
// it such a fault ends the process.
func Guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr // only a memory fault has an address
		}:
			err = fmt.Errorf("segment: %v: %w", r, ErrCorrupt)
		default:
			panic(r)
		}
	}()
	return f()
}
