//go:build !linux

package files

import (
	"io"
	"os"
)

// ReadInto reads the regular file at abs into buf, which grows as needed, and
// returns it.
func ReadInto(buf []byte, abs string, size int64) ([]byte, error) {
	f, err := os.Open(abs)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	return readInto(buf, abs, size, func(b []byte) (int, error) {
		n, err := f.Read(b)
		if err == io.EOF {
			return 0, nil
		}
		return n, err
	})
}
