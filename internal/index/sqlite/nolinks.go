package sqlite

// int follow_no_links(void);
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	sqlite3 "github.com/mattn/go-sqlite3"

	"codeintel/internal/platform/repofile"
)

// followNoLinks has SQLite open and remove files by names in which nothing is a link at that
// moment, so that one that is put in after the place was checked leads nowhere. It does so on
// Linux, where the kernel can tell.
var followNoLinks = sync.OnceValue(func() error {
	if status := C.follow_no_links(); status != 0 {
		return fmt.Errorf("sqlite: the calls of its file system cannot be set: %d", status)
	}
	return nil
})

// named returns the name by which SQLite is to open a database.
func named(path string) (string, error) {
	if err := followNoLinks(); err != nil {
		return "", err
	}
	return repofile.At(path).Real()
}

// linked returns a Refusal for a database that could not be opened since a link is in its name.
func linked(path string, err error) error {
	if e := (sqlite3.Error{}); errors.As(err, &e) && e.SystemErrno == syscall.ELOOP {
		for _, suffix := range []string{"-wal", "-shm", "-journal"} {
			if info, err := os.Lstat(path + suffix); err == nil && info.Mode()&os.ModeSymlink != 0 {
				path += suffix
				break
			}
		}
		return &repofile.Refusal{Path: path, Why: repofile.Link}
	}
	return err
}
