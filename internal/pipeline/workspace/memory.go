package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/repofile"
)

// A copy of each state is outside of the repository, and is the one that counts:
// state.json is for people and for git, and whoever works in the repository can
// write it. A pipeline that this user has not led in this folder has no copy: whoever
// leads it on asks a person first. A state that is gone is brought back from its copy.
//
// A revision is saved in four steps, each of which happens or does not:
//
//  1. the next copy is written,
//  2. state.json is written,
//  3. the next copy becomes the copy,
//  4. the entries of the revision are added to the journal.
//
// The first three are taken under one lock, and so are those that come before
// anything else is written, to settle what a process that was killed has left:
//
//	next copy  state.json is            it was killed             so
//	none       the copy                 before 1, after 3         the journal gets what it lacks
//	none       something else           -                         somebody else wrote it: the copy is put back
//	there      the copy, or not there   between 1 and 2           the next copy goes: its revision never was
//	there      the next copy            between 2 and 3           step 3 is taken
//	there      something else           between 1 and 3           the copy is put back, the next one goes
//
// So a revision is in the journal only if it is the copy, and a next copy is never
// written over one that state.json may hold. Whatever is put back, the journal
// tells no more than it, and lacks nothing but what it has in itself.

// copies returns where the copy of the state is kept, and where the next one is
// until state.json holds the same; "" if this user has no place for it.
func (w *Workspace) copies() (last, next string) {
	dir, err := atomicfile.UserDir()
	if err != nil {
		return "", ""
	}
	root := w.root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(root))
	last = filepath.Join(dir, "pipelines", hex.EncodeToString(sum[:8]), w.name+".json")
	return last, last + ".next"
}

// equalState reports whether state.json holds what a copy does. Git may have given it
// other line ends.
func equalState(copied, data []byte) bool {
	return bytes.Equal(copied, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
}

// state returns the state as the server wrote it last, and whether state.json says
// something else.
func (w *Workspace) state() (data []byte, forged bool, err error) {
	data, err = repofile.At(w.file(StateFile)).Read(repofile.Records)
	if err != nil {
		return nil, false, err
	}
	var kept []byte
	last, next := w.copies()
	for _, path := range []string{next, last} {
		if path == "" {
			return data, false, nil
		}
		c, err := repofile.At(path).Read(repofile.Records)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("the copy of the state: %w", err)
		}
		if equalState(c, data) {
			return c, false, nil
		}
		if json.Valid(c) { // else it is not a state that anybody wrote
			kept = c
		}
	}
	if kept == nil {
		return data, false, nil
	}
	return kept, true, nil
}

// write takes the lock under which the workspace is written, and settles what was
// left.
func (l Locks) write(w *Workspace) (unlock func(), err error) {
	unlock, err = atomicfile.Lock(l.path(w, "write"))
	if err != nil {
		return nil, err
	}
	if err := w.settle(); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// settle finishes the save of a process that was killed, or takes it back. A
// state.json that is somebody else's it leaves to [Workspace.PutBack].
func (w *Workspace) settle() error {
	last, next := w.copies()
	if next == "" {
		return nil
	}
	begun, err := repofile.At(next).Read(repofile.Records)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the copy of the state: %w", err)
	}
	data, err := repofile.At(w.file(StateFile)).Read(repofile.Records)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("workspace: %w", err)
	}
	if err == nil && equalState(begun, data) {
		return repofile.At(next).Rename(repofile.At(last))
	}
	if kept, lost := repofile.At(last).Read(repofile.Records); err != nil || lost == nil && equalState(kept, data) {
		return repofile.At(next).Remove()
	}
	return nil
}

// hasUnfinishedSave reports whether a save was begun and not finished.
func (w *Workspace) hasUnfinishedSave() bool {
	_, next := w.copies()
	_, err := os.Lstat(next)
	return err == nil
}

// writeState writes the state, and its copy.
func (w *Workspace) writeState(data []byte) error {
	last, next := w.copies()
	if last == "" {
		return atomicfile.WriteBytes(w.file(StateFile), data)
	}
	if err := atomicfile.WriteBytes(next, data); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(w.file(StateFile), data); err != nil {
		return err
	}
	failpoint.Point("state: copy not renamed")
	return repofile.At(next).Rename(repofile.At(last))
}

// Unknown reports whether a state is here of which this user has no copy: another person, or
// another folder, has led its pipeline until now.
func (w *Workspace) Unknown() bool {
	last, next := w.copies()
	if last == "" {
		return false
	}
	for _, path := range []string{last, next} {
		if _, err := os.Lstat(path); err == nil {
			return false
		}
	}
	return true
}

// Lost reports whether state.json is gone and its copy is of a pipeline that has not
// ended: [Workspace.PutBack] brings it back.
func (w *Workspace) Lost() bool {
	_, lost := w.lostState()
	return lost
}

// lostState returns the copy of a state that is gone.
func (w *Workspace) lostState() (data []byte, lost bool) {
	last, _ := w.copies()
	if last == "" {
		return nil, false
	}
	if _, err := os.Lstat(w.file(StateFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	data, err := repofile.At(last).Read(repofile.Records)
	var head struct {
		Status    string `json:"status"`
		Workspace string `json:"workspace"`
	}
	return data, err == nil && json.Unmarshal(data, &head) == nil && head.Status == "active" && head.Workspace == w.Path()
}

// PutBack writes state.json as the server wrote it last, if somebody else has
// written or removed it, and reports whether. A save that was begun by a process that was
// killed is settled first: whoever acts on the state calls this before loading it.
func (w *Workspace) PutBack(l Locks) (bool, error) {
	if err := w.confined(); err != nil {
		return false, err
	}
	if w.Lost() {
		unlock, err := l.write(w)
		if err != nil {
			return false, err
		}
		defer unlock()
		data, lost := w.lostState()
		if !lost {
			return false, nil
		}
		return true, atomicfile.WriteBytes(w.file(StateFile), data)
	}
	if _, forged, err := w.state(); err != nil || !forged && !w.hasUnfinishedSave() {
		return false, nil // what cannot be read, [Workspace.Load] tells
	}
	unlock, err := l.write(w)
	if err != nil {
		return false, err
	}
	defer unlock()
	data, forged, err := w.state() // nobody is writing it now
	if !forged || err != nil {
		return false, err
	}
	if err := atomicfile.WriteBytes(w.file(StateFile), data); err != nil {
		return true, err
	}
	return true, w.settle()
}
