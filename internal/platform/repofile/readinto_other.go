//go:build !linux

package repofile

// ReadInto reads a regular file of about size bytes into buf, which grows as
// needed, and returns it.
func (p Place) ReadInto(buf []byte, size int64) ([]byte, error) { return p.readIntoPortably(buf, size) }
