//go:build !linux

package files

import (
	"errors"
	"io/fs"
	"os"
)

// readFolder returns what is in a folder, in no order, with size and time of
// regular files.
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
			info, err := e.Info()
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue // gone since
			case err != nil:
				c.err = err
			case !info.Mode().IsRegular():
				c.kind = fs.ModeIrregular // replaced since
			default:
				c.size, c.modTime = info.Size(), info.ModTime().UnixNano()
			}
		}
		children = append(children, c)
	}
	return children, err
}
