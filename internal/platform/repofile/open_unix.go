//go:build unix && !linux

package repofile

import (
	"io/fs"
	"os"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// open opens without waiting; see openPortably.
func (p Place) open(flag int, perm fs.FileMode, links bool) (*os.File, error) {
	return p.openPortably(flag, perm, links)
}

func (p Place) withoutLinks() bool { return false }
