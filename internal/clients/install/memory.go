package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// A memory is what install has made, of all files that it has touched, for
// uninstall. It holds nothing of what was in them. Without it uninstall takes away
// what is ours all the same, and what is then empty.
type memory struct {
	Files map[string]*trace `json:"files"`
	Dirs  []string          `json:"dirs,omitempty"` // folders that were made

	path string
}

// A trace is what is remembered of one file.
type trace struct {
	Existed bool              `json:"existed"`
	Blank   *string           `json:"blank,omitempty"`  // what the file was, if white space at most
	Inner   map[string]string `json:"inner,omitempty"`  // what was in objects and arrays that were empty
	Made    []string          `json:"made,omitempty"`   // what was not there
	Wrote   []string          `json:"wrote,omitempty"`  // hashes of what was written
	Owners  []string          `json:"owners,omitempty"` // of a whole file: the clients that it is for
}

// readMemory reads the memory that is in a folder.
func readMemory(dir string) (*memory, error) {
	m := &memory{path: filepath.Join(dir, "install.json")}
	err := atomicfile.Read(m.path, m)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, problem.New(Unreadable, "install.notes_unreadable", err).Or("install.remove_notes", m.path)
	}
	if m.Files == nil {
		m.Files = make(map[string]*trace)
	}
	return m, nil
}

func (m *memory) trace(file string) *trace { return m.Files[file] }
func (m *memory) forget(file string)       { delete(m.Files, file) }

// begin remembers a file as it is before anything is written.
func (m *memory) begin(file string, before []byte) *trace {
	t := &trace{Existed: before != nil, Inner: make(map[string]string)}
	if before != nil && len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\ufeff")))) == 0 {
		t.Blank = new(string)
		*t.Blank = string(before)
	}
	m.Files[file] = t
	return t
}

// traceOrBegin returns what is remembered, and begins if it is nothing.
func (m *memory) traceOrBegin(file string, before []byte) *trace {
	if t := m.trace(file); t != nil {
		return t
	}
	return m.begin(file, before)
}

func (t *trace) noteWritten(content string) {
	if h := text.Hash(content); !slices.Contains(t.Wrote, h) {
		t.Wrote = append(t.Wrote, h)
	}
	if t.Inner == nil {
		t.Inner = make(map[string]string)
	}
}

func owner(p Place) string { return p.Client.ID + " " + string(p.Scope) }

func (t *trace) addOwner(p Place) {
	if !slices.Contains(t.Owners, owner(p)) {
		t.Owners = append(t.Owners, owner(p))
	}
}

// removeOwner takes an owner away, and reports whether others are left.
func (t *trace) removeOwner(p Place) bool {
	t.Owners = slices.DeleteFunc(t.Owners, func(o string) bool { return o == owner(p) })
	return len(t.Owners) > 0
}

// save writes the memory, with nothing of files that are gone.
func (m *memory) save() error {
	slices.SortFunc(m.Dirs, strings.Compare)
	if err := atomicfile.Write(m.path, m); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}
