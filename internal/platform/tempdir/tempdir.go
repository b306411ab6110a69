// Package tempdir makes temporary folders that do not outlive their process for long: what
// a killed process has left behind, the next one removes.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"codeintel/internal/platform/atomicfile"
)

// lockName is the file in a folder that is held as long as the folder is wanted.
const lockName = "lock"

// swept holds the prefixes whose leftovers this process has removed.
var swept sync.Map

// A Dir is a temporary folder. Path names it; a file "lock" in it is not the caller's.
type Dir struct {
	Path   string
	unlock func()
}

// New makes a folder whose name begins with a prefix. The first call with a prefix
// removes the folders that killed processes have left.
func New(prefix string) (*Dir, error) {
	if _, done := swept.LoadOrStore(prefix, true); !done {
		sweep(prefix)
	}
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("temporary folder: %w", err)
	}
	unlock, err := atomicfile.TryLock(filepath.Join(path, lockName), prefix)
	if errors.As(err, new(*atomicfile.Held)) || errors.Is(err, fs.ErrNotExist) { // another process is sweeping it away
		return New(prefix)
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

// sweep removes the folders of processes that were killed: those whose lock nobody
// holds, and those that are empty. Whoever has just made an empty one makes it again
// with its lock.
func sweep(prefix string) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // a temporary folder with a pattern in its name is not swept
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
