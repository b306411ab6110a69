package vectors

import (
	"fmt"
	"os"
	"runtime/debug"
)

// readFile stands in for mapping a file.
func readFile(f *os.File, size int) (b []byte, unmap func() error, err error) {
	b = make([]byte, size)
	_, err = f.ReadAt(b, 0)
	return b, func() error { return nil }, err
}

// guard runs f, which reads mapped files, and turns the fault that follows when
// somebody cuts one short, or its disk fails, into ErrCorrupt. It cannot do that
// for a fault in C; therefore [segment.whole] is asked before each scan.
func guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr // only a memory fault has an address
		}:
			err = fmt.Errorf("%w: %v", ErrCorrupt, r)
		default:
			panic(r)
		}
	}()
	return f()
}
