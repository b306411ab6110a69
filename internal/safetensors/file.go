package safetensors

import (
	"fmt"
	"io"
	"os"
)

// openRegular opens a file and tells its size. What is no plain file is refused
// before it is opened: opening a pipe would wait for ever.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() || int64(int(info.Size())) != info.Size() {
		return nil, 0, fmt.Errorf("%s: %w: it is no file of a size that can be read", path, ErrCorrupt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readAll reads a file of that size into memory of its own.
func readAll(f *os.File, size int64) (b []byte, unmap func() error, err error) {
	b = make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, nil, err
	}
	return b, func() error { return nil }, nil
}

// Map maps a plain file of any format into memory for reading, or reads it where
// that is not to be had. The file must not change until unmap was called.
func Map(path string) (b []byte, unmap func() error, err error) { return mapFile(path) }
