package files

import "os"

// readInto reads until there is no more, or no more than size and a part of what
// was asked for beyond it.
func readInto(buf []byte, abs string, size int64, read func([]byte) (int, error)) ([]byte, error) {
	if need := int(size) + 512; cap(buf) < need {
		buf = make([]byte, need+need/4)
	}
	buf = buf[:cap(buf)]
	n := 0
	for {
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
			buf = buf[:cap(buf)]
		}
		got, err := read(buf[n:])
		if err != nil {
			return buf[:0], &os.PathError{Op: "read", Path: abs, Err: err}
		}
		if n += got; got == 0 || n >= int(size) && n < len(buf) {
			return buf[:n], nil // a regular file gives all it has
		}
	}
}
