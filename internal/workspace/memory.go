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

	"codeintel/internal/fault"
	"codeintel/internal/statefile"
)

// A copy of each state lies outside of the repository, and is the one that counts:
// state.json is for people and for git, and whoever works in the repository can
// write it. A pipeline that this user has not led in this folder has no copy, and
// is taken as it stands.

// copies returns where the copy of the state is kept, and where the next one is
// until state.json holds the same; "" if this user has no place for it.
func (w *Workspace) copies() (last, next string) {
	dir, err := statefile.UserDir()
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

// state returns the state as the server wrote it last, and whether state.json says
// something else.
func (w *Workspace) state() (data []byte, forged bool, err error) {
	data, err = os.ReadFile(w.file(StateFile))
	if err != nil {
		return nil, false, err
	}
	var kept []byte
	last, next := w.copies()
	for _, path := range []string{next, last} {
		if path == "" {
			return data, false, nil
		}
		c, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("the copy of the state: %w", err)
		}
		if bytes.Equal(c, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) {
			return c, false, nil
		}
		if json.Valid(c) { // else it is no state that anybody wrote
			kept = c
		}
	}
	if kept == nil {
		return data, false, nil
	}
	return kept, true, nil
}

// remembered writes the state, and its copy.
func (w *Workspace) remembered(data []byte) error {
	last, next := w.copies()
	if last == "" {
		return statefile.WriteBytes(w.file(StateFile), data)
	}
	if err := statefile.WriteBytes(next, data); err != nil {
		return err
	}
	if err := statefile.WriteBytes(w.file(StateFile), data); err != nil {
		return err
	}
	fault.Point("state: copy not renamed")
	return os.Rename(next, last)
}

// PutBack writes state.json as the server wrote it last, if somebody else has
// written it, and reports whether.
func (w *Workspace) PutBack(l Locks) (bool, error) {
	if err := w.confined(); err != nil {
		return false, err
	}
	if _, forged, err := w.state(); !forged || err != nil {
		return false, nil // what cannot be read, [Workspace.Load] tells
	}
	unlock, err := statefile.Lock(l.path(w, "write"))
	if err != nil {
		return false, err
	}
	defer unlock()
	data, forged, err := w.state() // nobody is writing it now
	if !forged || err != nil {
		return false, err
	}
	return true, statefile.WriteBytes(w.file(StateFile), data)
}
