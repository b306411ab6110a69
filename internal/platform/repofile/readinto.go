package repofile

import (
	"io"
	"os"
)

// readInto reads until there is no more, or no more than size and a part of what
// was asked for beyond it.
func (p Place) readInto(buf []byte, size int64, read func([]byte) (int, error)) ([]byte, error) {
	if need := int(size) + 512; cap(buf) < need {
		buf = make([]byte, need+need/4)
	}
	buf = buf[:cap(buf)]
	n := 0
	for {
		if n == len(buf) {
			if n > 2*int(size)+Settings { // it grows and grows
				return buf[:0], &Refusal{Path: p.path, Why: TooLarge, Limit: size}
			}
			buf = append(buf, make([]byte, len(buf))...)
			buf = buf[:cap(buf)]
		}
		got, err := read(buf[n:])
		if err != nil {
			return buf[:0], &os.PathError{Op: "read", Path: p.path, Err: err}
		}
		if n += got; got == 0 || n >= int(size) && n < len(buf) {
			return buf[:n], nil // a regular file gives all it has
		}
	}
}

func (p Place) readIntoPortably(buf []byte, size int64) ([]byte, error) {
	f, _, err := p.Open()
	if err != nil {
		return buf, err
	}
	defer f.Close()
	return p.readInto(buf, size, func(b []byte) (int, error) {
		n, err := f.Read(b)
		if err == io.EOF {
			return 0, nil
		}
		return n, err
	})
}
