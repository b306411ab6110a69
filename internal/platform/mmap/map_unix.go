//go:build unix

package mmap

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, size int) (b []byte, unmap func() error, err error) {
	b, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return b, func() error { return syscall.Munmap(b) }, err
}

func release(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) } // advice: nothing is lost where it is not taken
