package files

import (
	"io/fs"
	"syscall"
)

func stampOfFile(info fs.FileInfo) stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	// The time at which the attributes changed: unlike that of the content, no program can set it.
	return stamp{size: st.Size, changed: st.Ctim.Nano(), device: uint64(st.Dev), inode: st.Ino}
}
