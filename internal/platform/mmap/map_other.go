//go:build !unix

package mmap

import (
	"errors"
	"os"
)

func mapFile(*os.File, int) (b []byte, unmap func() error, err error) {
	return nil, nil, errors.ErrUnsupported
}

func release([]byte) {}
