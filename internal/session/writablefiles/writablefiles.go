// Package writablefiles determines which files a session may write: those it has been shown, and new files
// beside them. The server's tools and the hooks of clients decide by the same [Scope], before anything is
// written.
package writablefiles

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/policy"
	"codeintel/internal/session/state"
)

// A Scope is what a session has seen and may therefore write.
type Scope struct {
	Permissions policy.Permissions
	project     *project.Project
	shown       map[string][]string // content hashes of the files when lines of them were shown; "" is unknown
	approved    map[string]bool     // files that a layer of the write guard let through
}

// New returns the scope of a session from its state and the whole ledger. The caller says in permissions
// which phase it is in; New adds the files.
func New(p *project.Project, permissions policy.Permissions, st *state.State, entries []audit.Entry) Scope {
	v := Scope{Permissions: permissions, project: p, shown: make(map[string][]string), approved: Approved(st, entries)}
	v.Permissions.AllowNew = true
	v.Permissions.NoFiles = p.IsEmpty() || st.BeganEmpty
	v.Permissions.Explored = make(map[string]bool)
	for _, e := range entries {
		if e.Outcome != audit.OK {
			continue
		}
		for _, l := range e.Observed.Lines {
			v.shown[l.File] = append(v.shown[l.File], e.Hashes[l.File])
			v.Permissions.Explored[l.File] = true
		}
	}
	for _, f := range st.AddedFiles {
		v.Permissions.Explored[f] = true
	}
	for f := range v.approved { // what the task wrote it knows
		v.Permissions.Explored[f] = true
	}
	return v
}

// Approved returns the files that check_write_target, or a hook, let through.
func Approved(st *state.State, entries []audit.Entry) map[string]bool {
	approved := make(map[string]bool)
	for _, f := range st.Approved {
		approved[f] = true
	}
	for _, e := range entries {
		if e.Kind == audit.Event && e.Name == string(clients.Before) && e.Outcome == audit.OK {
			for _, f := range e.Files {
				approved[f] = true
			}
		}
	}
	return approved
}

// Decide decides on one file, named relative to the root or absolute, and returns
// the names under which a change of it is approved: a link is approved together
// with what it points to.
func (v Scope) Decide(ctx context.Context, file string,
	allowNew bool) (target answer.WriteTarget, names []string, err error) {
	rel, err := v.project.Resolve(file)
	if p := problem.Of(err); p != nil {
		return denied(file, p.Code, p.Message, p.Next), nil, nil
	}
	if err != nil {
		return target, nil, err
	}
	at := v.Permissions
	at.AllowNew = allowNew
	known, err := v.target(ctx, rel)
	if err != nil {
		return target, nil, err
	}
	d := policy.Decide(known, at)
	target = denied(rel, d.Code, d.Reason, d.Next)
	target.Allowed = d.Allowed
	if known.Outside && !d.Allowed {
		show(&target, v.project)
	}
	return target, []string{rel, asNamed(v.project, file)}, nil
}

func denied(file string, code problem.Code, reason msg.Message, ways []msg.Message) answer.WriteTarget {
	t := answer.WriteTarget{File: file, Code: code, Reason: reason, Ways: ways}
	if len(ways) > 0 {
		t.Next = msg.Join("", msg.Listed("list.or", ways))
	}
	return t
}

// What is shown of a file that search tools do not list.
const (
	firstLines = 40
	firstBytes = 2000
)

// show adds the first lines of a file.
func show(t *answer.WriteTarget, p *project.Project) {
	text, err := files.Read(p, t.File)
	if err != nil {
		return // it is gone
	}
	first := strings.ToValidUTF8(string(text.Bytes[:min(len(text.Bytes), firstBytes)]), "")
	lines := strings.SplitAfterN(first, "\n", firstLines+1)
	if len(lines) > firstLines || len(text.Bytes) > firstBytes && len(lines) > 1 {
		lines = lines[:min(firstLines, len(lines)-1)]
	}
	t.Lines = strings.Join(lines, "")
}

// target reports what there is to know of a path that someone wants to write. The
// files of the project are listed only where the path was not explored.
func (v Scope) target(ctx context.Context, rel string) (policy.Target, error) {
	explored := v.Permissions.Explored
	at := policy.Target{Path: rel, Exists: repofile.At(v.project.Abs(rel)).Exists(), Changed: v.changed(rel)}
	if !v.Permissions.Writing || at.Exists && explored[rel] && !at.Changed || !at.Exists && policy.Near(rel, explored) {
		return at, nil
	}
	shown := func() (map[string]bool, error) {
		list, err := files.List(ctx, v.project)
		all := make(map[string]bool, len(list))
		for _, e := range list {
			all[e.Path] = true
		}
		return all, err
	}
	if !at.Exists {
		all, err := shown()
		at.Alone = !policy.Near(rel, all)
		return at, err
	}
	info, err := os.Stat(v.project.Abs(rel))
	if err == nil && info.IsDir() {
		at.Unshown = repofile.At(filepath.Join(v.project.Abs(rel), ".git")).Exists() // a submodule, which is written by another commit
		at.Folder = !at.Unshown
		return at, nil
	}
	_, err = files.Read(v.project, rel)
	switch p := problem.Of(err); {
	case EmptyFile(v.project, rel), p != nil && (p.Code == files.BinaryFile || p.Code == files.FileTooLarge):
		at.Unshown = true
	case p != nil && p.Code == files.SecretFile:
		at.Secret = true
	case err == nil:
		all, err := shown()
		at.Outside = !all[rel]
		return at, err
	}
	return at, nil
}

// changed reports whether a file has another content than each time that it was shown. A file
// that the task may write never counts as changed.
func (v Scope) changed(rel string) bool {
	if v.approved[rel] || len(v.shown[rel]) == 0 {
		return false
	}
	now, err := files.HashFile(repofile.In(v.project.Root, rel))
	if err != nil {
		return false // it is gone, or no file
	}
	for _, hash := range v.shown[rel] {
		if hash == "" || hash == shortHash(now) {
			return false
		}
	}
	return true
}

// asNamed returns a path relative to the root without resolving links.
func asNamed(p *project.Project, file string) string {
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(p.Root, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return path.Clean(filepath.ToSlash(file))
}

// EmptyFile reports whether a path is a file without a byte, of which no line can be shown.
func EmptyFile(p *project.Project, rel string) bool {
	info, err := os.Stat(p.Abs(rel))
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// Hashes returns the content hashes of files as they are now. One that is gone has none.
func Hashes(p *project.Project, paths []string) map[string]string {
	sums := make(map[string]string)
	for _, f := range paths {
		if sum, err := files.HashFile(repofile.In(p.Root, f)); err == nil && f != "" {
			sums[f] = shortHash(sum)
		}
	}
	return sums
}

// shortHash is as much of a content hash as tells two states of a file apart.
func shortHash(sum string) string { return sum[:min(16, len(sum))] }
