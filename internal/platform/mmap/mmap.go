// Package mmap reads whole files by memory mapping, so that processes share what they read, and nothing is
// loaded before it is used.
//
// It is for files that are replaced, never changed in place. If a program truncates a mapped
// file all the same, or its disk fails, reading faults; [Guard] turns that into an error.
package mmap

import (
	"fmt"
	"os"
	"runtime/debug"

	"codeintel/internal/platform/repofile"
)

// A File is a file in memory.
type File struct {
	bytes []byte
	unmap func() error
}

// Open maps the regular file at path. What cannot be mapped is read.
func Open(path string) (*File, error) {
	f, info, err := repofile.At(path).Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ofFile(f, int(info.Size()))
}

// ofFile maps the first size bytes of an open file, which must not be shorter. If
// it cannot be mapped, it is read. The open file may be closed before the returned one.
func ofFile(f *os.File, size int) (*File, error) {
	if size <= 0 {
		return &File{}, nil
	}
	if b, unmap, err := mapFile(f, size); err == nil {
		return &File{b, unmap}, nil
	}
	b := make([]byte, size) // some file systems cannot map
	if _, err := f.ReadAt(b, 0); err != nil {
		return nil, err
	}
	return &File{bytes: b}, nil
}

// Bytes returns the whole file. They must not be written to, nor read after
// [File.Close].
func (f *File) Bytes() []byte { return f.bytes }

// Release gives the memory back that was read so far, where the system can. The
// file stays open, and what is read again comes from the system's cache: it is
// for whoever reads a whole file once.
func (f *File) Release() {
	if f.unmap != nil {
		release(f.bytes)
	}
}

// Close gives the memory back.
func (f *File) Close() error {
	unmap := f.unmap
	f.bytes, f.unmap = nil, nil
	if unmap == nil { // it was read, or is closed
		return nil
	}
	return unmap()
}

// Guard runs f, which reads mapped files. Where reading faults, it returns damaged,
// wrapped. Without it such a fault ends the process.
func Guard(damaged error, f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr // only a memory fault has an address
		}:
			err = fmt.Errorf("%w: %v", damaged, r)
		default:
			panic(r)
		}
	}()
	return f()
}
