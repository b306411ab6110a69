package vectorstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"

	container "codeintel/internal/index/segment"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
)

// Embedded is a collection in a folder of its own.
type Embedded struct {
	dir string
	c   Collection
	log *slog.Logger

	openLock *flock.Flock

	writing  sync.Mutex // one writer of this process at a time
	unsynced []string   // under writing: labels of segments that may not be on disk yet
	tidied   bool       // under writing: what others left behind was looked for

	loading sync.Mutex // held by who changes view

	mu   sync.Mutex
	view *view       // nil: closed
	seen os.FileInfo // the manifest that view is of
	bad  map[string]bool
}

var _ Store = (*Embedded)(nil)

// Open opens the collection c under dir and creates it if it does not
// exist. Collections of other models are beside it; the two that were opened last are
// kept, so that switching back to one costs nothing.
func Open(ctx context.Context, dir string, c Collection, log *slog.Logger) (*Embedded, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	e := &Embedded{dir: filepath.Join(dir, c.folder()), c: c, log: log, view: &view{users: 1},
		bad: make(map[string]bool)}
	if err := e.lockOpen(ctx); err != nil {
		return nil, err
	}
	e.forget(dir)
	v, err := e.acquire()
	if err != nil {
		return nil, errors.Join(err, e.openLock.Unlock())
	}
	e.release(v)
	return e, nil
}

const (
	lockName     = "write.lock" // held by who writes
	claimName    = "sync.lock"  // held by who brings the collection up to date
	openName     = "open.lock"  // held, shared, while the collection is open; when it was opened last
	otherModels  = 2            // beside the one that is open
	lockInterval = 10 * time.Millisecond
)

// lockOpen makes the folder of the collection and keeps others from removing it.
func (e *Embedded) lockOpen(ctx context.Context) error {
	path := filepath.Join(e.dir, openName)
	for {
		folder := repofile.At(e.dir)
		if err := errors.Join(folder.MakeFolder(0o755), folder.CheckFolder()); err != nil {
			return fmt.Errorf("vectorstore: open: %w", err)
		}
		lock, err := atomicfile.LockFile(path)
		if err == nil {
			_, err = lock.TryRLockContext(ctx, lockInterval)
		}
		if os.IsNotExist(err) && ctx.Err() == nil { // it was being removed
			continue
		}
		if err != nil {
			return fmt.Errorf("vectorstore: open: %w", err)
		}
		e.openLock = lock
		now := time.Now()
		if err := repofile.At(path).Chtimes(now, now); err == nil {
			return nil
		} else if !os.IsNotExist(err) {
			return errors.Join(fmt.Errorf("vectorstore: open: %w", err), e.openLock.Unlock())
		}
		if err := errors.Join(e.openLock.Unlock(), ctx.Err()); err != nil { // it was being removed
			return fmt.Errorf("vectorstore: open: %w", err)
		}
	}
}

func (c Collection) folder() string {
	sum := sha256.Sum256([]byte(c.Model + "\x00" + strconv.Itoa(c.Dimension)))
	return c.Name + "-" + hex.EncodeToString(sum[:6])
}

// forget removes collections of the same name by models that nobody has asked for
// for long.
func (e *Embedded) forget(dir string) {
	type other struct {
		path string
		used time.Time
	}
	var others []other
	found := repofile.At(dir).Match(e.c.Name + "-????????????")
	for _, path := range found {
		if info, err := os.Stat(filepath.Join(path, openName)); err == nil && path != e.dir {
			others = append(others, other{path, info.ModTime()})
		}
	}
	slices.SortFunc(others, func(a, b other) int { return b.used.Compare(a.used) })
	for i := otherModels; i < len(others); i++ {
		if err := Remove(others[i].path); err != nil && !errors.Is(err, errOpen) {
			e.log.Warn("vectors: remove an old collection", "error", err)
		}
	}
}

// errOpen says that a process has the collection open.
var errOpen = errors.New("vectorstore: the collection is open")

// Remove removes the folder of a collection, unless a process has it open.
func Remove(folder string) error {
	if err := repofile.At(folder).CheckFolder(); err != nil {
		return err
	}
	l, err := atomicfile.LockFile(filepath.Join(folder, openName))
	if err != nil {
		return errors.Join(errOpen, err)
	}
	if ok, err := l.TryLock(); !ok || err != nil {
		return errors.Join(errOpen, err)
	}
	return errors.Join(repofile.At(folder).RemoveAll(), l.Unlock())
}

// Close lets go of all files, as soon as queries under way are answered.
func (e *Embedded) Close() error {
	err := e.Flush(context.Background())
	e.mu.Lock()
	v := e.view
	e.view = nil
	e.mu.Unlock()
	if v != nil {
		e.release(v)
		err = errors.Join(err, e.openLock.Unlock())
	}
	return err
}

// Count returns how many items there are.
func (e *Embedded) Count(ctx context.Context) (int, error) {
	v, err := e.acquire()
	if err != nil {
		return 0, err
	}
	defer e.release(v)
	return v.count(), ctx.Err()
}

// IDs yields the ID of every item of the current generation.
func (e *Embedded) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		v, err := e.acquire()
		if err != nil {
			yield("", err)
			return
		}
		defer e.release(v)
		for _, p := range v.parts {
			for row := 0; row < p.seg.rows; {
				// Copied some at a time, because a fault in the caller is none of ours.
				var some []string
				err := container.Guard(func() error {
					some, row = p.living(row, 1024)
					return ctx.Err()
				})
				if err != nil {
					yield("", e.heal(v, err))
					return
				}
				for _, id := range some {
					if !yield(id, nil) {
						return
					}
				}
			}
		}
	}
}

// read runs f on the newest generation. A segment that shows damage is left out
// from then on, and the error is ErrCorrupt.
func (e *Embedded) read(f func(v *view) error) error {
	v, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.release(v)
	if err := v.whole(); err != nil {
		return e.heal(v, err)
	}
	return e.heal(v, container.Guard(func() error { return f(v) }))
}
