// Package workspace stores one pipeline on disk, in a folder .specs/<name> of the repository: its state, its
// journal and what the agents wrote.
//
// Nothing outside of that folder is read or written, whatever name is given: no path with
// "..", no absolute path, no symbolic link. The state is one value with a revision. It is
// written as a whole, and only if the revision on disk is still the one that was read. The
// package does not know what a state means.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// Folder holds the workspaces of a repository.
const Folder = ".specs"

// The files of every workspace that no agent writes.
const (
	StateFile   = "state.json"
	JournalFile = "journal.jsonl"
	RequestFile = "request.md"
)

// Codes of problems with a workspace.
const (
	NoWorkspace  problem.Code = "no_workspace"      // there is none of that name
	BadWorkspace problem.Code = "invalid_workspace" // the path is none that a workspace may have
	StateDamaged problem.Code = "state_damaged"     // state.json cannot be read
	// what journal.jsonl tells is not all that happened
	JournalDamaged problem.Code = "journal_damaged"
	BadArtifact    problem.Code = "invalid_artifact" // what is under an artifact's name is not a plain file, or too long
)

// maxArtifact is the longest artifact that is read.
const maxArtifact = 2 << 20

// A Workspace is one folder under .specs. It need not exist yet.
type Workspace struct {
	root string // of the repository
	name string
}

// Of returns the workspace that a path names: ".specs/<name>", or that path within
// root written absolutely.
func Of(root, path string) (*Workspace, error) {
	refuse := func(key string, args ...any) error {
		return problem.New(BadWorkspace, "workspace.no_workspace", path, msg.New(key, args...)).
			Or("workspace.send_the_returned_path", Folder, op.PipelineInit)
	}
	if strings.ContainsRune(path, 0) {
		return nil, refuse("workspace.holds_zero_byte")
	}
	rel := filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		r, err := filepath.Rel(root, path)
		if err != nil {
			return nil, refuse("workspace.lies_elsewhere")
		}
		rel = filepath.ToSlash(r)
	}
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(rel, "./"), "/"), "/")
	if slices.Contains(parts, "..") {
		return nil, refuse("workspace.leads_out", Folder)
	}
	if len(parts) != 2 || parts[0] != Folder {
		return nil, refuse("workspace.workspace_one_folder", Folder)
	}
	if !validName(parts[1]) {
		return nil, refuse("workspace.workspace_no_such_name")
	}
	w := &Workspace{root, parts[1]}
	if err := w.confined(); err != nil {
		return nil, err
	}
	return w, nil
}

// validName reports whether a folder may be so called. Names that begin with a dot
// are for what is not a workspace.
func validName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, "\\/:*?\"<>|\n\r\t") &&
		name != "agents" && filepath.IsLocal(name)
}

// confined returns an error if .specs or the folder is a symbolic link, or no folder.
func (w *Workspace) confined() error {
	for _, dir := range []string{filepath.Join(w.root, Folder), w.Dir()} {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("workspace: %w", err)
		}
		if !info.IsDir() {
			return problem.New(BadWorkspace, "workspace.no_plain_folder", w.Path()).Or("workspace.move_what_stands_its_place")
		}
	}
	return nil
}

// Name returns the folder's name.
func (w *Workspace) Name() string { return w.name }

// Path returns the folder relative to the repository, with slashes.
func (w *Workspace) Path() string { return Folder + "/" + w.name }

// Dir returns the folder's absolute path.
func (w *Workspace) Dir() string { return filepath.Join(w.root, Folder, w.name) }

// Exists reports whether there is a state in the folder.
func (w *Workspace) Exists() bool {
	info, err := os.Lstat(w.file(StateFile))
	return err == nil && info.Mode().IsRegular()
}

// List returns the workspaces that have a state, in the order of their names.
func List(root string) (all []*Workspace, err error) {
	entries, err := repofile.At(filepath.Join(root, Folder)).List()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	for _, e := range entries {
		w := &Workspace{root, e.Name()}
		if e.IsDir() && validName(e.Name()) && w.Exists() {
			all = append(all, w)
		}
	}
	return all, nil
}

func (w *Workspace) file(name string) string { return filepath.Join(w.Dir(), filepath.FromSlash(name)) }

// Read returns a file of the workspace. What is not there is fs.ErrNotExist.
func (w *Workspace) Read(name string) (string, error) {
	if err := w.inside(name); err != nil {
		return "", err
	}
	info, err := os.Lstat(w.file(name))
	if errors.Is(err, syscall.ENOTDIR) {
		return "", fs.ErrNotExist
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", problem.New(BadArtifact, "workspace.no_plain_file", w.Path(), name).Or("workspace.remove_write_text")
	}
	if info.Size() > maxArtifact {
		return "", problem.New(BadArtifact, "workspace.bytes_more_than_not_read", w.Path(), name, info.Size(), maxArtifact).
			Or("workspace.write_what_matters_leave_out")
	}
	data, err := repofile.At(w.file(name)).Read(maxArtifact)
	if err != nil {
		return "", fmt.Errorf("workspace: read %s: %w", name, err)
	}
	return string(data), nil
}

// inside returns an error unless name is a file of the workspace or of a folder in
// it, and no link leads out on the way.
func (w *Workspace) inside(name string) error {
	clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(name)))
	if name == "" || clean != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") {
		return problem.New(BadArtifact, "workspace.no_file_workspace", name).Or("workspace.name_file_such_design_md")
	}
	if err := w.confined(); err != nil {
		return err
	}
	dir := w.Dir()
	for _, part := range strings.Split(name, "/")[:strings.Count(name, "/")] {
		dir = filepath.Join(dir, part)
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return problem.New(BadArtifact, "workspace.no_plain_folder", w.Path()+"/"+part).Or("workspace.remove")
		}
	}
	return nil
}

// Hash names the content of a file of the workspace; "" if there is none.
func (w *Workspace) Hash(name string) (string, error) {
	text, err := w.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return HashOf(text), nil
}

// HashOf names a content.
func HashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Artifacts returns the Markdown files that are in the workspace, sorted.
func (w *Workspace) Artifacts() ([]string, error) {
	entries, err := repofile.At(w.Dir()).List()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".md") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// IsOwnFile reports whether a changed file is a pipeline's own, or the server's.
func IsOwnFile(path string) bool {
	return strings.HasPrefix(path, ".specs/") || strings.HasPrefix(path, ".code-intel/")
}
