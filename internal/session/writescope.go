package session

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/manifest"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/policy"
	"codeintel/internal/session/state"
)

// A writeScope is what a session has seen and may therefore write. The tools of the
// server and the hooks of clients decide by the same one.
type writeScope struct {
	s        *Service
	phase    policy.State
	shown    map[string][]string // content hashes of the files when lines of them were shown; "" is unknown
	approved map[string]bool     // files that a layer of the write guard let through
}

// writeScope makes it of a state and the whole ledger.
func (s *Service) writeScope(st *state.State, entries []audit.Entry) writeScope {
	c, _ := s.table.Contract(st.Phase)
	v := writeScope{s: s, shown: make(map[string][]string), approved: approvedBy(st, entries)}
	v.phase = policy.State{
		Phase: s.wire(st.Phase), Step: c.ReadyStep, Writing: st.Phase == phases.ReadyImplement,
		Verifying: st.Phase == phases.PostImplVerify, AllowNew: true,
		NoFiles:  manifest.Empty(s.project) || st.BeganEmpty,
		Explored: make(map[string]bool),
	}
	for _, e := range entries {
		if e.Outcome != audit.OK {
			continue
		}
		for _, l := range e.Observed.Lines {
			v.shown[l.File] = append(v.shown[l.File], e.Hashes[l.File])
			v.phase.Explored[l.File] = true
		}
	}
	for _, f := range st.AddedFiles {
		v.phase.Explored[f] = true
	}
	for f := range v.approved { // what the task wrote it knows
		v.phase.Explored[f] = true
	}
	return v
}

// approvedBy returns the files that check_write_target, or a hook, let through.
func approvedBy(st *state.State, entries []audit.Entry) map[string]bool {
	approved := make(map[string]bool)
	for _, f := range st.Approved {
		approved[f] = true
	}
	for _, e := range entries {
		if e.Kind == audit.Event && e.Name == before && e.Outcome == audit.OK {
			for _, f := range e.Files {
				approved[f] = true
			}
		}
	}
	return approved
}

// decide decides on one file, named relative to the root or absolute, and returns
// the names under which a change of it is approved: a link is approved together
// with what it points to.
func (v writeScope) decide(ctx context.Context, file string,
	allowNew bool) (target answer.WriteTarget, names []string, err error) {
	rel, err := v.s.project.Resolve(file)
	if p := problem.Of(err); p != nil {
		return denied(file, p.Message, p.Next), nil, nil
	}
	if err != nil {
		return target, nil, err
	}
	at := v.phase
	at.AllowNew = allowNew
	known, err := v.target(ctx, rel)
	if err != nil {
		return target, nil, err
	}
	d := policy.Decide(known, at)
	target = denied(rel, d.Reason, d.Next)
	target.Allowed = d.Allowed
	if known.Outside && !d.Allowed {
		show(&target, v.s.project)
	}
	return target, []string{rel, v.s.asNamed(file)}, nil
}

func denied(file string, reason msg.Message, ways []msg.Message) answer.WriteTarget {
	t := answer.WriteTarget{File: file, Reason: reason, Ways: ways}
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

// target tells what there is to know of a path that someone wants to write. The
// files of the project are listed only where the path was not explored.
func (v writeScope) target(ctx context.Context, rel string) (policy.Target, error) {
	s, explored := v.s, v.phase.Explored
	at := policy.Target{Path: rel, Exists: exists(s.project.Abs(rel)), Changed: v.changed(rel)}
	if !v.phase.Writing || at.Exists && explored[rel] && !at.Changed || !at.Exists && policy.Near(rel, explored) {
		return at, nil
	}
	shown := func() (map[string]bool, error) {
		list, err := files.List(ctx, s.project)
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
	info, err := os.Stat(s.project.Abs(rel))
	if err == nil && info.IsDir() {
		at.Unshown = exists(filepath.Join(s.project.Abs(rel), ".git")) // a submodule, which is written by another commit
		at.Folder = !at.Unshown
		return at, nil
	}
	_, err = files.Read(s.project, rel)
	switch p := problem.Of(err); {
	case s.emptyFile(rel), p != nil && (p.Code == files.BinaryFile || p.Code == files.FileTooLarge):
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

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// changed reports whether a file has another content than each time that it was shown. A file
// that the task may write never counts as changed.
func (v writeScope) changed(rel string) bool {
	if v.approved[rel] || len(v.shown[rel]) == 0 {
		return false
	}
	now, err := files.HashFile(repofile.In(v.s.project.Root, rel))
	if err != nil {
		return false // it is gone, or no file
	}
	for _, hash := range v.shown[rel] {
		if hash == "" || hash == short(now) {
			return false
		}
	}
	return true
}

// asNamed returns a path relative to the root without resolving links.
func (s *Service) asNamed(file string) string {
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(s.project.Root, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return path.Clean(filepath.ToSlash(file))
}

// hashes returns the content hashes of the files of which lines were shown, as
// they are now.
func (s *Service) hashes(paths []string) map[string]string {
	sums := make(map[string]string)
	for _, f := range distinct(paths, nil) {
		if sum, err := files.HashFile(repofile.In(s.project.Root, f)); err == nil { // one that is gone has none
			sums[f] = short(sum)
		}
	}
	return sums
}

// short is as much of a content hash as tells two states of a file apart.
func short(sum string) string { return sum[:min(16, len(sum))] }
