package index

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
)

// adopt gives a project that was set up since the index that it has in the user's cache,
// so that nothing is read twice. The one in the cache stays for those who have it open.
// It does nothing if there is none, or somebody is writing it.
func adopt(p *project.Project, to string) error {
	if !p.IndexInProject(to) || exists(to) {
		return nil
	}
	from, err := p.CachedIndexDir()
	if err != nil || !exists(filepath.Join(from, databaseName)) {
		return nil // without a cache there is nothing to take over
	}
	lock, err := atomicfile.LockFile(filepath.Join(from, lockName))
	if err != nil {
		return nil
	}
	if free, err := lock.TryLock(); err != nil || !free {
		return nil // the index in the project grows by itself
	}
	defer func() { _ = lock.Unlock() }()
	// Under this name the cleaner knows what a killed process leaves.
	part, err := repofile.At(p.Path()).MakeTemp(".index.tmp-*")
	if err != nil {
		return fmt.Errorf("index: take over: %w", err)
	}
	defer part.RemoveAll()
	if err := copyIndex(part.Path(), from); err != nil {
		return fmt.Errorf("index: take over: %w", err)
	}
	if err := part.Rename(repofile.At(to)); err != nil && !exists(to) {
		return fmt.Errorf("index: take over: %w", err)
	}
	return p.MakeIndexDir(to)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// copyIndex copies an index that no process is writing. It copies the log of the database
// before the database itself: a reader that ends meanwhile moves content from the log to the
// database, and so the copy has it in any case.
func copyIndex(to, from string) error {
	entries, err := repofile.At(from).List()
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int {
		return cmp.Compare(isLog(b.Name()), isLog(a.Name()))
	})
	for _, e := range entries {
		switch name := e.Name(); {
		case name == lockName || name == project.RootName || strings.HasSuffix(name, "-shm") || !e.Type().IsRegular():
			continue // of the place it was in; vectors of other models grow back
		default:
			if err := copyFile(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func isLog(name string) int {
	if strings.HasSuffix(name, "-wal") {
		return 1
	}
	return 0
}

func copyFile(to, from string) (err error) {
	in, _, err := repofile.At(from).Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a log that is not needed any more
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := repofile.At(to).OpenFile(os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
