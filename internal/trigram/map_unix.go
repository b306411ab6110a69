//go:build unix

package trigram

import (
	"os"
	"syscall"
)

// mapFile maps a file into memory for reading, so that processes share it. The
// file is never changed in place, only replaced.
func mapFile(path string) (b []byte, unmap func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size := info.Size(); info.Mode().IsRegular() && 0 < size && int64(int(size)) == size {
		b, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
		if err == nil {
			return b, func() error { return syscall.Munmap(b) }, nil
		}
	}
	return readFile(path) // some file systems cannot map
}
