//go:build unix

package safetensors

import "syscall"

// mapFile maps a file into memory for reading, so that processes share it.
func mapFile(path string) (b []byte, unmap func() error, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if size > 0 {
		b, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
		if err == nil {
			return b, func() error { return syscall.Munmap(b) }, nil
		}
	}
	return readAll(f, size) // some file systems cannot map
}
