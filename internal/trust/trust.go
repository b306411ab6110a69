// Package trust records what the user of this machine trusts among the things that a
// repository asks for, such as a command to run.
//
// Trust is in bytes: the SHA-256 of exactly the content that the user was shown. One changed
// byte ends it. It is given for one project, one kind and one name, and says nothing about a
// copy elsewhere. It is kept in the user's own configuration folder and never in a repository,
// where whoever writes the content could also write that it is trusted.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
)

// Unusable is the code of a trust record that cannot be relied on.
const Unusable problem.Code = "trust_unusable"

// A Kind is a sort of thing that a repository may name.
type Kind string

// The kinds.
const (
	Verifier       Kind = "verifier"        // files of .code-intel/verifiers
	LanguageServer Kind = "language_server" // commands of language servers, which may run code of the project
	GitProgram     Kind = "git_program"     // filters, hooks and the like that a repository has git run
	Text           Kind = "text"            // prompts and rules that tell a model what to do
	Surrounding    Kind = "surrounding"     // VERIFIER/FILE: what its command runs, as it was when that was trusted
)

// A State says whether the user trusts some content.
type State string

// The states.
const (
	Untrusted State = "untrusted" // the user was never asked, or said no
	Trusted   State = "trusted"
	Changed   State = "changed" // it was trusted, and is not the same any more
	Own       State = "own"     // of a text: the user wrote it, see [Texts]
)

// A Store is the record of one user. Its methods may be called at once from
// several processes.
type Store struct {
	path string
	now  func() time.Time
}

// Open returns the store of the user who runs this program. Nothing is read or
// made yet.
func Open() (*Store, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("trust: %w", err)
	}
	return At(filepath.Join(dir, "code-intel", "trust.json"), time.Now), nil
}

// At returns the store in a file.
func At(path string, now func() time.Time) *Store { return &Store{path, now} }

// Path returns the file of the store.
func (s *Store) Path() string { return s.path }

// record is the file: by project, then by kind and name, what was trusted.
type record struct {
	Schema   int                         `json:"schema"`
	Projects map[string]map[string]entry `json:"projects"`
}

type entry struct {
	SHA256 string    `json:"sha256"`
	Since  time.Time `json:"since"`
}

const schema = 1

func key(kind Kind, name string) string { return string(kind) + "/" + written(name) }

// written is a name as the record has it. JSON would have all names that are not UTF-8 look
// the same as one that is.
func written(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return inHex + hex.EncodeToString([]byte(name))
}

const inHex = "hex:"

// nameOfForm returns the name that [written] gave this form.
func nameOfForm(form string) string {
	if digits, ok := strings.CutPrefix(form, inHex); ok {
		if name, err := hex.DecodeString(digits); err == nil && !utf8.Valid(name) {
			return string(name)
		}
	}
	return form
}

func hashOf(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// State returns whether the content is trusted, under this name in the project with this
// root. An error is a Problem if the record cannot be relied on.
func (s *Store) State(root string, kind Kind, name string, content []byte) (State, error) {
	r, err := s.read(root)
	if err != nil {
		return Untrusted, err
	}
	return r.state(root, kind, name, hashOf(content)), nil
}

func (r *record) state(root string, kind Kind, name, sum string) State {
	e, ok := r.Projects[written(root)][key(kind, name)]
	switch {
	case !ok:
		return Untrusted
	case e.SHA256 != sum:
		return Changed
	}
	return Trusted
}

// Other returns which of the names, given with the SHA-256 of their content, are not trusted
// with that content.
func (s *Store) Other(root string, kind Kind, sums map[string][sha256.Size]byte) ([]string, error) {
	r, err := s.read(root)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(sums)), func(name string) bool {
		sum := sums[name]
		return r.state(root, kind, name, hex.EncodeToString(sum[:])) == Trusted
	}), err
}

// Since returns when the content under this name was trusted, zero if none was.
func (s *Store) Since(root string, kind Kind, name string) (time.Time, error) {
	r, err := s.read(root)
	return r.Projects[written(root)][key(kind, name)].Since, err
}

// Trust records that the user trusts the content. It replaces what was trusted under this name
// before.
func (s *Store) Trust(root string, kind Kind, name string, content []byte) error {
	return s.TrustAll(root, kind, map[string][sha256.Size]byte{name: sha256.Sum256(content)})
}

// TrustAll does what [Store.Trust] does for several names, given with the SHA-256 of their
// content.
func (s *Store) TrustAll(root string, kind Kind, sums map[string][sha256.Size]byte) error {
	return s.update(root, func(r *record) {
		if r.Projects[written(root)] == nil {
			r.Projects[written(root)] = make(map[string]entry)
		}
		for name, sum := range sums {
			r.Projects[written(root)][key(kind, name)] = entry{hex.EncodeToString(sum[:]), s.now().UTC()}
		}
	})
}

// Revoke takes trust back, and reports whether there was any.
func (s *Store) Revoke(root string, kind Kind, name string) (had bool, err error) {
	err = s.update(root, func(r *record) {
		_, had = r.Projects[written(root)][key(kind, name)]
		delete(r.Projects[written(root)], key(kind, name))
		if len(r.Projects[written(root)]) == 0 {
			delete(r.Projects, written(root))
		}
	})
	return had, err
}

// Names returns the names of a kind that were trusted in the project, whether or
// not there still is something of that name.
func (s *Store) Names(root string, kind Kind) ([]string, error) {
	r, err := s.read(root)
	if err != nil {
		return nil, err
	}
	var names []string
	for k := range r.Projects[written(root)] {
		if name, ok := strings.CutPrefix(k, string(kind)+"/"); ok {
			names = append(names, nameOfForm(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (s *Store) update(root string, change func(*record)) error {
	if s.inside(root) {
		return s.insideProject()
	}
	unlock, err := atomicfile.Lock(s.path + ".lock")
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	defer unlock()
	r, err := s.read(root)
	if err != nil {
		return err
	}
	change(&r)
	return atomicfile.Write(s.path, r)
}

// read returns the record. It is not believed where another user could have
// written it: in the project itself, or in a file that others may write.
func (s *Store) read(root string) (record, error) {
	empty := record{Schema: schema, Projects: map[string]map[string]entry{}}
	if s.inside(root) {
		return empty, s.insideProject()
	}
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("trust: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return empty, problem.New(Unusable, "trust.others_than_you_may_write", s.path).
			Or("trust.take_write_permission_away", s.path, op.ListTrusted)
	}
	var r record
	if err := atomicfile.Read(s.path, &r); err != nil || r.Schema != schema {
		if err == nil {
			err = msg.Err("trust.schema", r.Schema, schema)
		}
		return empty, problem.New(Unusable, "problem.cannot_read", s.path, err).
			Or("trust.remove_file_trust_anew_code")
	}
	if r.Projects == nil {
		r.Projects = empty.Projects
	}
	return r, nil
}

func (s *Store) insideProject() error {
	return problem.New(Unusable, "trust.record_trust_would_lie_project", s.path).
		Or("trust.set_xdg_config_home_folder")
}

// inside reports whether the store is in the project, after links.
func (s *Store) inside(root string) bool {
	dir := filepath.Dir(s.path)
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			dir = real
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up // what is not there yet will be made below this
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}
