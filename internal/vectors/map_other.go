//go:build !unix

package vectors

import "os"

// mapFile reads a file where mapping it is not to be had.
func mapFile(f *os.File, size int) (b []byte, unmap func() error, err error) {
	return readFile(f, size)
}
