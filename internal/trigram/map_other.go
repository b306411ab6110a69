//go:build !unix

package trigram

// mapFile reads a file where mapping it is not to be had.
func mapFile(path string) (b []byte, unmap func() error, err error) { return readFile(path) }
