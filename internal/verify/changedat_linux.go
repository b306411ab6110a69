package verify

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt is when a file, its name or its attributes last changed. Unlike the time of its
// content, no program can set it.
func changedAt(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
