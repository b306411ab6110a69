//go:build unix && !linux

package files

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readFolder returns what is in a folder, in no order, with size and time of
// regular files. It asks relative to the open folder: the system walks a whole
// path for each lstat, and a sweep is little else than those.
func readFolder(abs string, _ *scratch) ([]child, error) {
	f, err := os.Open(abs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	children := make([]child, 0, len(entries))
	for _, e := range entries {
		c := child{name: e.Name(), kind: e.Type()}
		if c.kind.IsRegular() {
			var st unix.Stat_t
			switch err := unix.Fstatat(int(f.Fd()), c.name, &st, unix.AT_SYMLINK_NOFOLLOW); {
			case err == unix.ENOENT:
				continue // gone since
			case err != nil:
				c.err = err
			case st.Mode&unix.S_IFMT != unix.S_IFREG:
				c.kind = fs.ModeIrregular // replaced since
			}
			c.size, c.modTime = st.Size, st.Mtim.Nano()
		}
		children = append(children, c)
	}
	return children, err
}
