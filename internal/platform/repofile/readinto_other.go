//go:build !linux

package repofile

// ReadInto reads the regular file of about so many bytes into buf, which grows as
// needed, and returns it.
func (p Place) ReadInto(buf []byte, size int64) ([]byte, error) { return p.readIntoPortably(buf, size) }
