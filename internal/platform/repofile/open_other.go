//go:build !unix

package repofile

import (
	"io/fs"
	"os"
)

const nonblock = 0 // there is nothing to wait for

// open opens without waiting; see openPortably.
func (p Place) open(flag int, perm fs.FileMode, links bool) (*os.File, error) {
	return p.openPortably(flag, perm, links)
}

func (p Place) withoutLinks() bool { return false }
