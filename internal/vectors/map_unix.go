//go:build unix

package vectors

import (
	"os"
	"syscall"
)

// mapFile maps a file into memory for reading, so that processes share it. Files
// are never changed in place, only replaced.
func mapFile(f *os.File, size int) (b []byte, unmap func() error, err error) {
	b, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil { // some file systems cannot map
		return readFile(f, size)
	}
	return b, func() error { return syscall.Munmap(b) }, nil
}
