//go:build !linux

package verify

import (
	"io/fs"
	"time"
)

// changedAt is when the content of a file last changed, as far as it is known.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
