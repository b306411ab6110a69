//go:build !unix

package safetensors

// mapFile reads a file where mapping it is not to be had.
func mapFile(path string) (b []byte, unmap func() error, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readAll(f, size)
}
