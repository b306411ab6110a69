package workflow

import (
	"errors"

	"codeintel/internal/platform/atomicfile"
)

// A Lead is the path of a lock file. The process that leads a session or a pipeline holds the
// lock; the system frees it when the process ends.
type Lead string

// Take acquires the lock for a purpose. If another process holds it, Take returns the error
// that taken makes of a description of that process, such as "pid 12, since …".
func (l Lead) Take(purpose string, taken func(holder string) error) (release func(), err error) {
	release, err = atomicfile.TryLock(string(l), purpose)
	if held := (*atomicfile.Held)(nil); errors.As(err, &held) {
		return nil, taken(held.Holder)
	}
	return release, err
}

// Held reports whether a process leads the work.
func (l Lead) Held() (bool, error) { return atomicfile.Locked(string(l)) }

// Holder names the process that leads the work; "" if none does.
func (l Lead) Holder() (string, error) { return atomicfile.Holder(string(l)) }
