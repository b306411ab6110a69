package workflow

import (
	"errors"

	"codeintel/internal/platform/atomicfile"
)

// An OwnerLock is the path of a lock file. The process that has a session or a pipeline open holds the
// lock; the system frees it when the process ends.
type OwnerLock string

// Take acquires the lock for a purpose. If another process holds it, Take returns the error
// that inUse makes of a description of that process, such as "pid 12, since …".
func (l OwnerLock) Take(purpose string, inUse func(holder string) error) (release func(), err error) {
	release, err = atomicfile.TryLock(string(l), purpose)
	if held := (*atomicfile.Held)(nil); errors.As(err, &held) {
		return nil, inUse(held.Holder)
	}
	return release, err
}

// Held reports whether a process has the work open.
func (l OwnerLock) Held() (bool, error) { return atomicfile.Locked(string(l)) }

// Holder names the process that has the work open; "" if none does.
func (l OwnerLock) Holder() (string, error) { return atomicfile.Holder(string(l)) }
