package sqlite

// unsigned long mapped_faults(void);
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/repofile"
)

// mappedFaults returns how often a mapped file turned out to have been cut.
func mappedFaults() uint64 { return uint64(C.mapped_faults()) }

// Harmed returns an error for which [IsCorrupt] holds if the files beside the database were
// cut or replaced since it was opened, so that what was read or written may be wrong.
func (d *DB) Harmed() error {
	if mappedFaults() != d.faults {
		return fmt.Errorf("sqlite: the -shm file was cut: %w", ErrCorrupt)
	}
	return nil
}

// Judge adds to what came of work with the database that its files were cut, or that the
// work failed since something else is in the place of one of them.
func (d *DB) Judge(err error) error {
	if err != nil && isObstructed(d.path, "-wal", "-shm") {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return d.withDamage(linked(d.path, err))
}

// withDamage adds [DB.Harmed] to an error.
func (d *DB) withDamage(err error) error {
	if harmed := d.Harmed(); harmed != nil {
		return errors.Join(err, harmed)
	}
	return err
}

// ClearLock moves away what is in the place of a lock file and is none, such as a folder.
func ClearLock(path string) error {
	if !isObstructed(path, "") {
		return nil
	}
	return moveAside(path)
}

// isObstructed reports whether a folder, a pipe or a device lies where one of the files of a database
// should. A link is refused elsewhere.
func isObstructed(path string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if info, err := os.Lstat(path + suffix); err == nil && info.Mode()&(fs.ModeType&^fs.ModeSymlink) != 0 {
			return true
		}
	}
	return false
}

// clearPlace sets a database aside where something else is in the place of one of its files.
// Those who still have it open see that it was replaced.
func clearPlace(path string) error {
	if !isObstructed(path, "", "-wal", "-shm", "-journal") {
		return nil
	}
	return setAside(path)
}

// moveAside renames a file, or a folder in its place, to another name that begins with
// "broken-". What had that name is given up.
func moveAside(path string) error {
	aside := repofile.At(filepath.Join(filepath.Dir(path), "broken-"+filepath.Base(path)))
	if err := aside.RemoveAll(); err != nil {
		return err
	}
	if err := repofile.At(path).Rename(aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
