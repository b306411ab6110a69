package trust

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"codeintel/internal/git"
)

// Texts tells which texts of a project may tell a model what to do: those that the user
// wrote or committed in this checkout, and those that the user trusts. What came with a
// clone, or later from elsewhere, is a stranger's until then.
type Texts struct {
	root  string
	mu    sync.Mutex
	known map[textKey]bool // whether the user wrote it, of what was asked before
}

type textKey struct {
	file string
	sum  [sha256.Size]byte
}

// NewTexts returns the texts of the project with this root.
func NewTexts(root string) *Texts { return &Texts{root: root, known: make(map[textKey]bool)} }

// State tells how the text of a file, from the root, stands: content is what of it would be
// told. What cannot be looked into is a stranger's.
func (t *Texts) State(file string, content []byte) State {
	state := Untrusted
	if store, err := Open(); err == nil {
		if s, err := store.State(t.root, Text, file, content); err == nil {
			state = s
		}
	}
	if state != Trusted && t.own(file, content) {
		return Own
	}
	return state
}

// May reports whether the text may tell a model what to do.
func (t *Texts) May(file string, content []byte) bool {
	state := t.State(file, content)
	return state == Own || state == Trusted
}

// Vouch notes that the user trusts a text, unless it may be followed anyway.
func (t *Texts) Vouch(file string, content []byte) error {
	if t.May(file, content) {
		return nil
	}
	store, err := Open()
	if err != nil {
		return err
	}
	return store.Trust(t.root, Text, file, content)
}

func (t *Texts) own(file string, content []byte) bool {
	key := textKey{file, sha256.Sum256(content)}
	t.mu.Lock()
	defer t.mu.Unlock()
	own, ok := t.known[key]
	if !ok {
		own = writtenHere(t.root, file)
		t.known[key] = own
	}
	return own
}

// writtenHere reports whether a file of a checkout was written in it: git does not have it,
// or its last version was committed here. A way through a link or another repository proves
// nothing, and neither does a folder without git.
func writtenHere(root, file string) bool {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	at := filepath.Join(real, filepath.FromSlash(file))
	if to, err := filepath.EvalSymlinks(at); err != nil || !strings.EqualFold(to, at) {
		return false
	}
	ctx := context.Background() // git bounds its own work
	repo, err := git.Open(ctx, real)
	if err != nil {
		return false
	}
	for dir := filepath.Dir(at); dir != repo.Dir; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return false
		}
	}
	rel, err := filepath.Rel(repo.Dir, at)
	if err != nil {
		return false
	}
	foreign, err := repo.Foreign(ctx, []string{filepath.ToSlash(rel)})
	return err == nil && len(foreign) == 0
}
