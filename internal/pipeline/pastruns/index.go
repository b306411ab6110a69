package pastruns

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// Codes of this package's problems.
const (
	damagedFile problem.Code = "history_damaged" // .specs/index.json cannot be read
	newerFile   problem.Code = "history_newer"   // a later version of code-intel wrote it
)

const (
	// File is where the history lies, relative to the root.
	File = ".specs/index.json"

	lockFile = "specs-index.lock"
	maxFile  = 64 << 20 // bytes
)

// An Index is the history as it was when it was opened: open it anew for each
// question. Its methods but Put may be called at once by several goroutines.
type Index struct {
	root   string
	doc    document
	lesson *lessons
}

// Open reads the history of the project at root; one that has none yet is empty. A
// file that cannot be read is a Problem.
func Open(root string) (*Index, error) {
	d, _, err := load(root)
	if err != nil {
		return nil, err
	}
	return newIndex(root, d), nil
}

func newIndex(root string, d *document) *Index {
	return &Index{root: root, doc: *d, lesson: learn(d.Entries)}
}

// Len returns how many pipelines there are.
func (i *Index) Len() int { return len(i.doc.Entries) }

// Put adds the entry, or replaces the one of the same [Entry.Key]. What it does not
// change it does not write.
func (i *Index) Put(e Entry) error {
	if e.Key() == "" || !e.ended() {
		return fmt.Errorf("pastruns: entry %q with status %q is not that of a pipeline that ended", e.Key(), e.Status)
	}
	unlock, err := lock(i.root)
	if err != nil {
		return err
	}
	defer unlock()
	d, had, err := load(i.root)
	if err != nil {
		return err
	}
	d.put(e)
	if err := store(i.root, d, had); err != nil {
		return err
	}
	*i = *newIndex(i.root, d)
	return nil
}

// A Rebuilt is what [Rebuild] did.
type Rebuilt struct {
	Entries int      `json:"entries"`
	Kept    []string `json:"kept,omitempty"`    // those whose workspace is gone; their entries stay
	Damaged string   `json:"damaged,omitempty"` // where a copy of a file that could not be read lies
}

// Rebuild writes the history anew from what the workspaces say now; those that have
// not ended are left out. Entries of workspaces that are gone stay, and so do fields that this version does not know.
// Of a file that cannot be read, it takes what can, and puts a copy aside. The
// workspaces are read under the lock, so that no pipeline that ends meanwhile is
// lost.
func Rebuild(root string, workspaces func() ([]Entry, error)) (*Index, Rebuilt, error) {
	var done Rebuilt
	unlock, err := lock(root)
	if err != nil {
		return nil, done, err
	}
	defer unlock()
	d, had, err := load(root)
	if p := problem.Of(err); p != nil && p.Code == damagedFile {
		if done.Damaged, err = putAside(root, had); err != nil {
			return nil, done, err
		}
		d = &document{Version: formatVersion}
		for _, e := range recoverEntries(had) {
			d.put(e)
		}
	}
	if err != nil {
		return nil, done, err
	}
	found, err := workspaces()
	if err != nil {
		return nil, done, err
	}
	there := make(map[string]bool)
	for _, e := range found {
		if e.Key() == "" {
			return nil, done, errors.New("pastruns: a workspace without a name")
		}
		there[e.Key()] = true
		if e.ended() {
			d.put(e)
		}
	}
	for _, e := range d.Entries {
		if !there[e.Key()] {
			done.Kept = append(done.Kept, e.Key())
		}
	}
	if err := store(root, d, had); err != nil {
		return nil, done, err
	}
	done.Entries = len(d.Entries)
	return newIndex(root, d), done, nil
}

// put adds or replaces an entry, in the order of the file.
func (d *document) put(e Entry) {
	e = e.bounded()
	for i := range d.Entries {
		if old := &d.Entries[i]; old.Key() == e.Key() {
			e.inherit(old)
			*old = e
			d.sort()
			return
		}
	}
	d.Entries = append(d.Entries, e)
	d.sort()
}

// inherit takes over what this version does not know of the entry's former self, and
// of those of its parts that have not changed.
func (e *Entry) inherit(old *Entry) {
	if e.extra == nil {
		e.extra = old.extra
	}
	e.Phases = slices.Clone(e.Phases) // the lists are the caller's, but for those that bounded has copied
	carryOver(e.Findings, old.Findings, func(f *Finding) *extra { return &f.extra })
	carryOver(e.Frictions, old.Frictions, func(f *Friction) *extra { return &f.extra })
	carryOver(e.Phases, old.Phases, func(l *PhaseLog) *extra { return &l.extra })
}

// carryOver gives each of the parts that has nothing extra what the same part had before.
func carryOver[T any](parts, before []T, of func(*T) *extra) {
	for i := range parts {
		if *of(&parts[i]) != nil {
			continue
		}
		for _, old := range before {
			had := *of(&old)
			*of(&old) = nil
			if had != nil && reflect.DeepEqual(parts[i], old) {
				*of(&parts[i]) = had
				break
			}
		}
	}
}

func (d *document) sort() {
	slices.SortStableFunc(d.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.SpecName, b.SpecName), cmp.Compare(a.Key(), b.Key()))
	})
}

// load returns the document and the bytes it was read from; the bytes also if it
// cannot be read.
func load(root string) (*document, []byte, error) {
	file, err := locate(root)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &document{Version: formatVersion}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("pastruns: %w", err)
	}
	if info.Size() > maxFile {
		return nil, nil, fmt.Errorf("pastruns: %s has %d bytes; more than %d are not read", File, info.Size(), maxFile)
	}
	data, err := repofile.At(file).Read(maxFile)
	if err != nil {
		return nil, nil, fmt.Errorf("pastruns: %w", err)
	}
	d, err := decode(data)
	if errors.Is(err, errNewer) {
		return nil, data, problem.New(newerFile, "history.written_later_version_code_intel", File, err).
			Or("history.update_code_intel")
	}
	if err != nil {
		return nil, data, problem.New(damagedFile, "problem.cannot_read", File, err).
			Or("history.run_code_intel_pipeline_reindex")
	}
	return d, data, nil
}

// locate returns the path of the file. Links are refused: they may lead out of the
// repository.
func locate(root string) (string, error) {
	file := filepath.Join(root, filepath.FromSlash(File))
	for _, name := range []string{path.Dir(File), File} {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("pastruns: %w", err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return "", problem.New(problem.OutsideRoot, "history.symbolic_link", name).Or("history.put_a_real_one_in_its_place")
		}
	}
	return file, nil
}

// store writes the document, unless the file has it already.
func store(root string, d *document, had []byte) error {
	data, err := encode(d)
	if err != nil {
		return fmt.Errorf("pastruns: %w", err)
	}
	if bytes.Equal(data, had) {
		return nil
	}
	file, err := locate(root)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(file, data); err != nil {
		return fmt.Errorf("pastruns: %w", err)
	}
	return nil
}

// lock waits for the history to be ours. The lock is not in .specs, where it
// would be one more file for git.
func lock(root string) (unlock func(), err error) {
	dir, err := privateFolder(root, "locks")
	if err != nil {
		return nil, err
	}
	if unlock, err = atomicfile.Lock(filepath.Join(dir, lockFile)); err != nil {
		return nil, fmt.Errorf("pastruns: %w", err)
	}
	return unlock, nil
}

// privateFolder returns a folder under .code-intel that is not for git, even where
// nothing was set up yet.
func privateFolder(root, name string) (string, error) {
	dir := filepath.Join(root, project.Dir, name)
	if err := repofile.At(dir).MakeFolder(0o755); err != nil {
		return "", fmt.Errorf("pastruns: %w", err)
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := atomicfile.WriteBytes(ignore, []byte("*\n")); err != nil {
			return "", fmt.Errorf("pastruns: %w", err)
		}
	}
	return dir, nil
}

// putAside keeps a copy of what could not be read, and returns its path relative to
// the root. The same bytes are kept once.
func putAside(root string, data []byte) (string, error) {
	dir, err := privateFolder(root, "logs")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	name := fmt.Sprintf("specs-index.damaged-%x.json", sum[:4])
	if err := atomicfile.WriteBytes(filepath.Join(dir, name), data); err != nil {
		return "", fmt.Errorf("pastruns: %w", err)
	}
	return project.Dir + "/logs/" + name, nil
}
