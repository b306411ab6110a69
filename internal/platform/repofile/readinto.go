package repofile

import (
	"io"
	"os"
	"path/filepath"
)

// A Reader reads thousands of files of a project, one after the other, with four system
// calls each and no memory but the caller's. It is to be closed.
type Reader struct {
	root string
	dir  int // root, held open; negative where files are opened by way of os.Root
}

// fill reads until there is no more, or no more than size and a part of what
// was asked for beyond it.
func (r *Reader) fill(rel string, buf []byte, size int64, read func([]byte) (int, error)) ([]byte, error) {
	if need := int(size) + 512; cap(buf) < need {
		buf = make([]byte, need+need/4)
	}
	buf = buf[:cap(buf)]
	n := 0
	for {
		if n == len(buf) {
			if n > 2*int(size)+Settings { // it grows and grows
				return buf[:0], &Refusal{Path: rel, Why: TooLarge, Limit: size}
			}
			buf = append(buf, make([]byte, len(buf))...)
			buf = buf[:cap(buf)]
		}
		got, err := read(buf[n:])
		if err != nil {
			return buf[:0], &os.PathError{Op: "read", Path: filepath.Join(r.root, rel), Err: err}
		}
		if n += got; got == 0 || n >= int(size) && n < len(buf) {
			return buf[:n], nil // a regular file gives all it has
		}
	}
}

func (r *Reader) readPortably(rel string, buf []byte, size int64) ([]byte, error) {
	f, _, err := In(r.root, rel).Open()
	if err != nil {
		return buf, err
	}
	defer f.Close()
	return r.fill(rel, buf, size, func(b []byte) (int, error) {
		n, err := f.Read(b)
		if err == io.EOF {
			return 0, nil
		}
		return n, err
	})
}
