// Package tempdir creates temporary folders, and removes those that killed processes left behind.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
)

// lockName is the file in a folder that is held as long as the folder is wanted.
const lockName = "lock"

// swept holds the places and prefixes whose leftovers this process has removed.
var swept sync.Map

// A Dir is a temporary folder. Path names it; a file "lock" in it is not the caller's.
type Dir struct {
	Path   string
	unlock func()
}

// New makes a folder whose name begins with a prefix. The first call with a prefix
// removes the folders that killed processes have left.
func New(prefix string) (*Dir, error) { return newIn(os.TempDir(), prefix) }

// NewApart is [New] for a folder in which programs of others run: many look for their settings
// in all folders above, too. Where everybody on the machine may put files there, as in most
// temporary folders, it lies with what the user's programs keep.
func NewApart(prefix string) (*Dir, error) {
	in := os.TempDir()
	if own, err := atomicfile.UserDir(); err == nil && openToAll(in) {
		if own = filepath.Join(own, "copies"); repofile.At(own).MakeFolder(0o700) == nil {
			if d, err := newIn(own, prefix); err == nil {
				return d, nil
			}
		}
	}
	return newIn(in, prefix)
}

// openToAll reports whether every user may make files in a folder, or in one above.
func openToAll(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	for err == nil {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o002 != 0 {
			return true
		}
		if filepath.Dir(dir) == dir {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return true
}

func newIn(in, prefix string) (*Dir, error) {
	if _, done := swept.LoadOrStore(filepath.Join(in, prefix), true); !done {
		sweep(in, prefix)
	}
	path, err := os.MkdirTemp(in, prefix)
	if err != nil {
		return nil, fmt.Errorf("temporary folder: %w", err)
	}
	unlock, err := atomicfile.TryLock(filepath.Join(path, lockName), prefix)
	if errors.As(err, new(*atomicfile.Held)) || errors.Is(err, fs.ErrNotExist) { // another process is sweeping it away
		return newIn(in, prefix)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temporary folder: %w", err), os.RemoveAll(path))
	}
	return &Dir{Path: path, unlock: unlock}, nil
}

// Remove removes the folder and everything in it.
func (d *Dir) Remove() {
	empty(d.Path)
	d.unlock()
	os.RemoveAll(d.Path) // where no file goes that is open
}

// empty removes what is in a folder, its lock last: what is left if the process dies
// meanwhile can still be told from what is in use.
func empty(dir string) {
	files, _ := os.ReadDir(dir) // what cannot be read stays
	for _, f := range files {
		if f.Name() != lockName {
			os.RemoveAll(filepath.Join(dir, f.Name()))
		}
	}
	os.RemoveAll(dir)
}

// sweep removes the folders of processes that were killed: those whose lock no process
// holds, and those that are empty. Whoever has just made an empty one makes it again
// with its lock.
func sweep(in, prefix string) {
	left, _ := filepath.Glob(filepath.Join(in, prefix+"*")) // a temporary folder with a pattern in its name is not swept
	for _, dir := range left {
		lock := filepath.Join(dir, lockName)
		if os.Remove(dir) == nil {
			continue
		}
		if _, err := os.Lstat(lock); err != nil { // older programs made none
			continue
		}
		if unlock, err := atomicfile.TryLock(lock, "sweep"); err == nil {
			(&Dir{Path: dir, unlock: unlock}).Remove()
		}
	}
}
