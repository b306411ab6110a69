// Package atomicfile writes state to plain files atomically: whole JSON documents, appended JSON lines, and
// locks between processes.
//
// A reader sees the old file or the new one, never half of either, even after a crash at
// any moment: a file is written under another name, flushed to disk and then renamed. A
// lock is the kernel's, so it ends with the process that held it. Inside a project all of
// this follows the rules of package repofile.
package atomicfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/repofile"
)

// Write replaces the file with v as JSON. Its folder is made if need be.
func Write(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return WriteBytes(path, append(data, '\n'))
}

// WriteBytes replaces the file with data.
func WriteBytes(path string, data []byte) error { return WriteAt(repofile.At(path), data) }

// WriteAt replaces the file at a place with data.
func WriteAt(to repofile.Place, data []byte) error { return write(to, data, 0o644) }

// WriteMode is [WriteBytes] for a file with a mode of its own. Nobody whom the mode keeps
// out can read the data meanwhile.
func WriteMode(path string, data []byte, mode fs.FileMode) error {
	return write(repofile.At(path), data, mode)
}

func write(to repofile.Place, data []byte, mode fs.FileMode) error {
	var err error
	for range 3 { // a file that was not yet renamed may be removed by a program that cannot see this process
		if err = replace(to, data, mode); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(to.Path()), err)
	}
	return nil
}

func replace(to repofile.Place, data []byte, mode fs.FileMode) (err error) {
	dir := to.Folder()
	if err := dir.MakeFolder(0o755); err != nil {
		return err
	}
	temporary := "." + filepath.Base(to.Path()) + ".tmp-"
	sweep(dir, temporary)
	failpoint.Point("write: before")
	f, temp, err := dir.CreateTemp(fmt.Sprintf("%s%d-*", temporary, os.Getpid()))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Remove()
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	failpoint.Point("write: not renamed")
	if err := temp.Rename(to); err != nil {
		return err
	}
	failpoint.Point("write: renamed")
	return syncDir(dir)
}

// sweep removes what processes that have ended were about to rename to a file. The
// name behind the prefix begins with the process.
func sweep(dir repofile.Place, prefix string) {
	entries, _ := dir.List() // what cannot be read stays
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		id, _, named := strings.Cut(rest, "-")
		if pid, err := strconv.Atoi(id); ours && named && err == nil && Ended(pid) {
			dir.Join(e.Name()).Remove()
		}
	}
}

// Sweep removes everything that was about to be renamed to a file of the folder. Call
// it only while no process may write there.
func Sweep(dir string) {
	folder := repofile.At(dir)
	entries, _ := folder.List() // what cannot be read stays
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, ".") && strings.Contains(name, ".tmp-") {
			folder.Join(name).Remove()
		}
	}
}

// syncDir forces a folder's entries to disk. Systems whose folders cannot be
// synced order their renames by themselves.
func syncDir(dir repofile.Place) error {
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, os.ErrInvalid) &&
		!errors.Is(err, os.ErrPermission) {
		return err
	}
	return nil
}

// Read reads a JSON file into v. A file that is not there is fs.ErrNotExist.
func Read(path string, v any) error {
	data, err := repofile.At(path).Read(repofile.Records)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return nil
}

// Held says that another process has the lock.
type Held struct {
	Holder string // "pid 12, since 10:31:05, session"
}

func (h *Held) Error() string { return "locked by " + h.Holder }

// unnamed is the holder whose note cannot be read: it has just taken the lock, or
// the system lets no other process read a locked file.
const unnamed = "another process"

// newLock makes the file of a lock and its folder, if need be.
func newLock(path string) (*flock.Flock, error) {
	if err := repofile.At(filepath.Dir(path)).MakeFolder(0o755); err != nil {
		return nil, err
	}
	return LockFile(path)
}

// LockFile returns the lock that a file represents, which it creates if need be. No process holds
// the lock by that.
func LockFile(path string) (*flock.Flock, error) {
	f, err := repofile.At(path).OpenFile(os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// The file is there: should it be exchanged now, the lock makes none elsewhere.
	return flock.New(path, flock.SetFlag(os.O_RDONLY)), f.Close()
}

// Lock waits for the lock that the file represents. The file stays when the lock
// goes: a file that were removed could be locked by one process while another
// locks its successor.
func Lock(path string) (unlock func(), err error) {
	l, err := newLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	return func() { l.Unlock() }, nil
}

// Under runs f while it holds the lock.
func Under(path string, f func() error) error {
	unlock, err := Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

// glance is how long who only looks whether a lock is held may hold it.
const glance = 50 * time.Millisecond

// patience is how often a lock whose holder is dead, or that is only looked at, is asked for
// again, for a [glance] each time: a program that the dead one was about to start has the
// lock too until it begins.
const patience = 40

// dead reports whether a holder is a process that has ended.
func dead(holder string) bool {
	var pid int
	n, _ := fmt.Sscanf(holder, "pid %d,", &pid)
	return n == 1 && Ended(pid)
}

// Ended reports whether there is no process of that id, or only one that no process has
// waited for yet, as far as the system shows that.
func Ended(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // on Linux: "12 (name) Z …"
	name := strings.LastIndex(string(stat), ") ")
	return err == nil && name >= 0 && strings.HasPrefix(string(stat)[name:], ") Z")
}

// TryLock takes the lock if it is free, or held for no more than a [glance], by a dead
// process or by who only looks whether it is held, and notes in the file who has it and
// what for. Otherwise the error is a *[Held], or fs.ErrNotExist if the file was
// taken away meanwhile.
func TryLock(path, purpose string) (unlock func(), err error) {
	l, err := newLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	for attempt := 0; ; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), glance)
		ok, err := l.TryLockContext(ctx, glance/10)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
		}
		if ok {
			break
		}
		if held, err := Locked(path); err == nil && !held && attempt < patience {
			continue // who only looks, on a busy machine, has not come to let it go
		}
		holder, _ := repofile.At(path).Read(repofile.Settings) // for the message, and to see whether it is dead
		name := strings.TrimSpace(string(holder))
		if attempt == patience || !dead(name) {
			if name == "" {
				name = unnamed
			}
			return nil, &Held{name}
		}
	}
	note := fmt.Sprintf("pid %d, since %s, %s\n", os.Getpid(), time.Now().Format(time.RFC3339), purpose)
	if err := errors.Join(repofile.At(path).Write([]byte(note), 0o644), standing(l)); err != nil {
		l.Unlock()
		return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	return func() { l.Unlock() }, nil
}

// standing returns fs.ErrNotExist if the file that was locked is no longer the one
// under its name: such a lock excludes no other process.
func standing(l *flock.Flock) error {
	held, err := l.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(l.Path()); err != nil || !os.SameFile(held, named) {
		return fs.ErrNotExist
	}
	return nil
}

// Locked reports whether some process holds the lock that the file represents.
// For a moment it keeps others from taking it: who must not be refused by that
// asks, and takes, under another lock.
func Locked(path string) (bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := repofile.At(path).Check(); err != nil {
		return false, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	if free {
		l.Unlock()
	}
	return !free, nil
}

// Holder names the process that holds a lock of [TryLock], as [Held] does; "" if
// none does.
func Holder(path string) (string, error) {
	locked, err := Locked(path)
	if !locked || err != nil {
		return "", err
	}
	note, _ := repofile.At(path).Read(repofile.Settings) // what is held is held, whoever holds it
	if name := strings.TrimSpace(string(note)); name != "" {
		return name, nil
	}
	return unnamed, nil
}
