// Package hub manages the embedding models that a user has downloaded.
//
// Each model is in a folder of its own, in one folder of the user's, with a lock file
// that says where it came from and what its files must hash to. Only [Pull], which only the
// user's own command calls, downloads a model: it checks the files against the hashes of
// the hub, resumes a download that was interrupted, and puts the finished model in place
// with one rename. Nothing else here uses the network, and the package never runs a model.
package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// Codes of the problems of this package.
const (
	// Unknown: no model of that name can be fetched.
	Unknown problem.Code = "model_unknown"
	// Damaged: files are not what they are said to be.
	Damaged problem.Code = "model_damaged"
	// Unreachable: the source does not answer, or not as a source of models does.
	Unreachable problem.Code = "model_source_unreachable"
)

// A Kind says how a model makes vectors.
type Kind string

// The kinds.
const (
	Static      Kind = "static"      // a table of one vector for each token
	Transformer Kind = "transformer" // an encoder
)

// A Model is one that can be fetched by a short name.
type Model struct {
	Name       string `json:"name"`
	Repository string `json:"repository"` // on the hub
	Kind       Kind   `json:"kind"`
	MB         int    `json:"mb"` // to download, about
	Note       string `json:"note"`
}

// Known are the models that have short names. Any other on the hub can be pulled
// as owner/name. Their hashes are not kept here: the hub states those of the
// revision that is fetched, and the lock file keeps them.
var Known = []Model{
	{"all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", Transformer, 91, "English; small and quick for an encoder"},
	{"multilingual-e5-small", "intfloat/multilingual-e5-small", Transformer, 488, "a hundred languages, Japanese among them"},
	{"potion-base-8M", "minishlab/potion-base-8M", Static, 31, "English; a million tokens a second"},
	{"potion-code-16M", "minishlab/potion-code-16M", Static, 65, "code and English; a million tokens a second"},
	{"potion-multilingual-128M", "minishlab/potion-multilingual-128M", Static, 530,
		"a hundred languages; a million tokens a second"},
}

// modelFiles are the files of a model, by their names in its repository; the others
// (weights for other programs, documents) are left where they are.
var modelFiles = []string{
	"1_Pooling/config.json", "config.json", "config_sentence_transformers.json", "model.safetensors", "modules.json",
	"sentence_bert_config.json", "tokenizer.json",
}

// instead is fetched where there are no safetensors.
const (
	weightsFile = "model.safetensors"
	instead     = "onnx/model.onnx"
)

// needed are those without which there is no model.
var needed = []string{"config.json", "tokenizer.json"}

// lockName is the file that says what a model is made of.
const lockName = "model.lock.json"

// A Lock says where a model came from, and what it is made of.
type Lock struct {
	Name     string    `json:"name"`
	Source   string    `json:"source"`   // the repository, folder or archive
	Revision string    `json:"revision"` // the commit, if the source has such
	Fetched  time.Time `json:"fetched"`
	Files    []File    `json:"files"`
}

// A File is a file of a model.
type File struct {
	Path   string `json:"path"` // with slashes, within the model's folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Stated is the hash the source gave for it, "sha256:…" or "git:…" (that of a
	// git blob); "" if it gave none.
	Stated string `json:"stated,omitempty"`
}

// Dir returns the folder of models: $XDG_DATA_HOME/code-intel/models, or that in
// ~/.local/share. Without a home there is none, "".
func Dir(getenv func(string) string) string {
	base := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "code-intel", "models")
}

// A name is a short name, or owner/name; it becomes a folder.
var name = lazyregexp.MustCompile(`^[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?$`)

// Named says whether s could be the name of a model.
func Named(s string) bool { return name.MatchString(s) && !strings.Contains(s, "..") }

// Path returns the folder of a model in dir.
func Path(dir, model string) string {
	return filepath.Join(dir, strings.ReplaceAll(model, "/", "--"))
}

// find returns what is known of a model, by its short name or its repository.
func find(model string) Model {
	i := slices.IndexFunc(Known, func(m Model) bool { return m.Name == model || m.Repository == model })
	if i >= 0 {
		return Known[i]
	}
	return Model{Name: model, Repository: model}
}

// readLock reads the lock file of a model's folder. If it has none,
// the error is fs.ErrNotExist.
func readLock(folder string) (Lock, error) {
	var l Lock
	data, err := os.ReadFile(filepath.Join(folder, lockName))
	if err != nil {
		return l, fmt.Errorf("models: %w", err)
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return l, fmt.Errorf("models: %s: %w", filepath.Join(folder, lockName), err)
	}
	return l, nil
}

// Locked returns the lock of a model's folder and when it was written, which is
// after all files of the model; none of a model that was not pulled.
func Locked(folder string) (Lock, time.Time) {
	l, err := readLock(folder)
	if err != nil {
		return Lock{}, time.Time{}
	}
	info, err := os.Stat(filepath.Join(folder, lockName))
	if err != nil {
		return Lock{}, time.Time{}
	}
	return l, info.ModTime()
}

// A Status says how a model is.
type Status string

// The statuses.
const (
	Absent  Status = "absent"  // it could be pulled
	Present Status = "present" // there, all files of the right size
	Sound   Status = "sound"   // there, all files of the right hash
	Broken  Status = "damaged"
)

// An Entry is a model of the list.
type Entry struct {
	Model
	Status   Status `json:"status"`
	Folder   string `json:"folder,omitempty"`
	Revision string `json:"revision,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
	Fault    string `json:"fault,omitempty"` // what is damaged
}

// A Depth says how closely [List] looks.
type Depth string

// The depths.
const (
	Sizes  Depth = "sizes"
	Hashes Depth = "hashes" // reads every byte
)

// List returns the models that are known and those that are in dir.
func List(dir string, depth Depth) ([]Entry, error) {
	var out []Entry
	seen := make(map[string]bool)
	for _, m := range Known {
		seen[filepath.Base(Path(dir, m.Name))] = true
		out = append(out, examine(m, Path(dir, m.Name), depth))
	}
	found, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("models: %w", err)
	}
	for _, d := range found {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") && !seen[d.Name()] {
			m := Model{Name: strings.Replace(d.Name(), "--", "/", 1)}
			out = append(out, examine(m, filepath.Join(dir, d.Name()), depth))
		}
	}
	return out, nil
}

func examine(m Model, folder string, depth Depth) Entry {
	e := Entry{Model: m, Status: Absent}
	if _, err := os.Stat(folder); err != nil {
		return e
	}
	e.Folder, e.Status = folder, Present
	lock, err := readLock(folder)
	if err != nil {
		e.Status, e.Fault = Broken, "the lock file cannot be read"
		return e
	}
	e.Revision = lock.Revision
	for _, f := range lock.Files {
		e.Bytes += f.Size
		if err := f.check(folder, depth); err != nil {
			e.Status, e.Fault = Broken, err.Error()
			return e
		}
	}
	if depth == Hashes {
		e.Status = Sound
	}
	return e
}

// check holds a file to its lock.
func (f File) check(folder string, depth Depth) error {
	if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
		return fmt.Errorf("%q leads out of the model's folder", f.Path)
	}
	path := filepath.Join(folder, filepath.FromSlash(f.Path))
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s is not there", f.Path)
	case info.Size() != f.Size:
		return fmt.Errorf("%s has %d bytes instead of %d", f.Path, info.Size(), f.Size)
	case depth == Sizes:
		return nil
	}
	sum, err := files.HashFile(repofile.At(path))
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return fmt.Errorf("%s does not hash to what it did when it was fetched", f.Path)
	}
	return nil
}
