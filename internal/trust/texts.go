package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/git"
)

// Texts reports which texts of a project may tell a model what to do: those that the user
// wrote or committed in this checkout, and those that the user trusts. What came with a
// clone, or later from elsewhere, is untrusted until then.
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

// State returns whether the text of a file, given relative to the root, is trusted. content
// is the part that the model would be shown. What cannot be checked is untrusted.
func (t *Texts) State(file string, content []byte) State {
	return t.states(map[string][sha256.Size]byte{file: sha256.Sum256(content)})[file]
}

// May reports whether the text may tell a model what to do.
func (t *Texts) May(file string, content []byte) bool { return t.State(file, content).settled() }

// Untrusted returns the files, given with the SHA-256 of their content, that may not tell a
// model what to do.
func (t *Texts) Untrusted(sums map[string][sha256.Size]byte) []string {
	states := t.states(sums)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(states)), func(file string) bool { return states[file].settled() })
}

func (s State) settled() bool { return s == Own || s == Trusted }

// Vouch records that the user trusts a text, unless it may be followed anyway.
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

func (t *Texts) states(sums map[string][sha256.Size]byte) map[string]State {
	states := make(map[string]State, len(sums))
	var record record
	if store, err := Open(); err == nil {
		record, _ = store.read(t.root) // one that cannot be believed says nothing
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var ask []string
	for file, sum := range sums {
		states[file] = record.state(t.root, Text, file, hex.EncodeToString(sum[:]))
		if _, ok := t.known[textKey{file, sum}]; !ok && states[file] != Trusted {
			ask = append(ask, file)
		}
	}
	for part := range slices.Chunk(ask, maxAsked) {
		own := writtenHere(t.root, part)
		for _, file := range part {
			t.known[textKey{file, sums[file]}] = own[file]
		}
	}
	for file, sum := range sums {
		if states[file] != Trusted && t.known[textKey{file, sum}] {
			states[file] = Own
		}
	}
	return states
}

// maxAsked is how many paths git is asked about at once.
const maxAsked = 200

// writtenHere returns those files of a checkout that were written in it: git does not have
// them, or their last version was committed here. A way through a link or another repository
// proves nothing, and neither does a folder without git.
func writtenHere(root string, files []string) map[string]bool {
	here := make(map[string]bool)
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil
	}
	ctx := context.Background() // git bounds its own work
	repo, err := git.Open(ctx, real)
	if err != nil {
		return nil
	}
	var paths []string
	of := make(map[string]string) // file, by its path in the repository
	for _, file := range files {
		at := filepath.Join(real, filepath.FromSlash(file))
		if to, err := filepath.EvalSymlinks(at); err != nil || !strings.EqualFold(to, at) || inOtherRepository(at, repo.Dir) {
			continue
		}
		if rel, err := filepath.Rel(repo.Dir, at); err == nil {
			paths = append(paths, filepath.ToSlash(rel))
			of[filepath.ToSlash(rel)] = file
		}
	}
	foreign, err := repo.Foreign(ctx, paths)
	if err != nil {
		return nil
	}
	for _, path := range paths {
		here[of[path]] = !slices.Contains(foreign, path)
	}
	return here
}

// inOtherRepository reports whether a file is in another repository below that of a folder.
func inOtherRepository(at, dir string) bool {
	for at = filepath.Dir(at); at != dir; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); !errors.Is(err, os.ErrNotExist) || at == filepath.Dir(at) {
			return true
		}
	}
	return false
}
