package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/commitlog"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Change is what a diff does to one file.
type Change struct {
	File    string          `json:"file"`
	Old     string          `json:"old_file,omitempty" jsonschema:"The name of a renamed file before"`
	Status  string          `json:"status" jsonschema:"added, changed, renamed or deleted"`
	Symbols []ChangedSymbol `json:"symbols,omitempty"`
}

// A ChangedSymbol is a symbol that a diff changes.
type ChangedSymbol struct {
	Name   string `json:"name"`
	Line   int    `json:"line,omitempty" jsonschema:"Where it is now"`
	Change string `json:"change" jsonschema:"added, changed, signature or removed"`
}

// What becomes of files and symbols.
const (
	added            = "added"
	changed          = "changed"
	renamed          = "renamed"
	deleted          = "deleted"
	removed          = "removed"
	changedSignature = "signature"
)

// Limits of the answer about a diff.
const (
	maxChanges  = 100 // files
	maxFindings = 50
	maxTests    = 40
	maxText     = 2 << 20 // bytes of a file of which symbols are compared
)

// A delta is a symbol that differs from one text of its file to the next.
type delta struct {
	file        string
	lang        syntax.Language
	before, now *syntax.Symbol // nil: it is not there
	change      string
}

// diff takes for targets what differs from a revision to the working tree.
func (r *run) diff(revision string) error {
	none := func(why string, args ...any) error {
		return problem.New(problem.NotFound, why, args...).Or("impact.diff_needs", msg.Param("diff"))
	}
	if r.a.past == nil {
		return none(string(commitlog.NoRepository))
	}
	d, err := r.a.past.Diff(r.ctx, revision, project.Dir)
	switch {
	case err != nil:
		return err
	case d.Absence != commitlog.Present:
		return none(string(d.Absence))
	}
	if err := r.listFiles(); err != nil {
		return err
	}
	if d.Base == "" {
		p := problem.New(problem.NotFound, "impact.no_such_revision", revision).Or("impact.diff_needs", msg.Param("diff"))
		if found, whole := symbolname.FilesNamed(revision, r.list); whole {
			return p.Or("impact.diff_of_file", found[0], msg.Param("path"))
		}
		return p
	}
	r.base = d.Base
	for i := range d.Files {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if len(r.changes) == maxChanges {
			r.notes = append(r.notes, msg.New("impact.first_changed_files", len(d.Files), maxChanges))
			for _, left := range d.Files[i:] {
				r.src.Lacks(gaps.Followed, left.Path)
			}
			break
		}
		if err := r.differs(d, &d.Files[i]); err != nil {
			return err
		}
	}
	return nil
}

// differs takes one file of a diff.
func (r *run) differs(d *commitlog.Diff, f *commitlog.Difference) error {
	c := Change{File: f.Path, Old: f.Old, Status: changed}
	switch {
	case f.Gone:
		c.Status = deleted
	case f.New:
		c.Status = added
	case f.Old != "":
		c.Status = renamed
	}
	r.own[f.Path] = true
	for _, name := range []string{f.Old, f.Path} {
		if name != "" && (name == f.Old || f.Gone) {
			r.whole[name] = true
			break
		}
	}
	was := cmp.Or(f.Old, f.Path)
	if f.Plain {
		before, now, err := r.texts(d, f, was)
		if err != nil {
			return err
		}
		lang := syntax.Detect(f.Path, now) // headers of C++ are distinguished from those of C by their text
		if len(now) == 0 {
			lang = syntax.Detect(was, before)
		}
		for _, one := range compared(lang, before, now) {
			one.file, one.lang = f.Path, lang
			r.deltas = append(r.deltas, one)
			c.Symbols = append(c.Symbols, ChangedSymbol{one.name(), one.line(), one.change})
		}
	}
	r.changes = append(r.changes, c)
	return r.addChangedSymbols(f.Path)
}

// texts returns the text of a file before and now; what is too long to compare is empty.
func (r *run) texts(d *commitlog.Diff, f *commitlog.Difference, was string) (before, now []byte, err error) {
	if !f.New {
		if before, err = d.Before(r.ctx, was); err != nil {
			return nil, nil, err
		}
	}
	if !f.Gone {
		if t, err := files.Read(r.a.p, f.Path); err == nil { // else it is not for reading
			now = t.Bytes
		}
	}
	if len(before) > maxText || len(now) > maxText {
		return nil, nil, nil
	}
	return before, now, nil
}

// addChangedSymbols takes the symbols of a file that changed, as the index has them now, for targets.
func (r *run) addChangedSymbols(file string) error {
	list, err := r.a.x.FileSymbols(r.ctx, file)
	if problem.Of(err) != nil {
		return nil // gone, or not indexed
	}
	if err != nil {
		return fmt.Errorf("symbols: %w", err)
	}
	count := 0
	for i := range r.deltas {
		d := &r.deltas[i]
		if d.file != file || d.now == nil || d.before == nil || !isFollowed(d.now.Kind, d.now.Scope, d.lang) {
			continue
		}
		at := slices.IndexFunc(list, func(s index.Symbol) bool {
			return s.Name == d.now.Name && s.NameLine == d.now.NameLine && s.Kind == d.now.Kind
		})
		if at >= 0 {
			r.symbols = append(r.symbols, list[at])
			count++
		}
	}
	r.targets = append(r.targets, Target{Target: file, Kind: fileTarget, Places: []string{file}, Symbols: count})
	return nil
}

func (d *delta) name() string {
	s := d.now
	if s == nil {
		s = d.before
	}
	if s.Scope != "" {
		return s.Scope + "." + s.Name
	}
	return s.Name
}

func (d *delta) line() int {
	if d.now == nil {
		return 0
	}
	return d.now.NameLine
}

// compared returns the symbols in which two texts of a file differ, those of now first.
// What lies in a function is part of it, and what but comments differ in does not count.
func compared(lang syntax.Language, before, now []byte) (list []delta) {
	old, cur := declarationsOf(lang, before), declarationsOf(lang, now)
	partner := make([]*declaration, len(cur))
	for _, same := range []func(a, b *declaration) bool{
		func(a, b *declaration) bool { return a.Signature == b.Signature && a.text == b.text },
		func(a, b *declaration) bool { return a.Signature == b.Signature },
		func(a, b *declaration) bool { return true },
	} {
		for i := range cur {
			for j := 0; j < len(old) && partner[i] == nil; j++ {
				a, b := &old[j], &cur[i]
				if !a.found && a.Name == b.Name && a.Scope == b.Scope && a.Kind == b.Kind && same(a, b) {
					partner[i], a.found = a, true
				}
			}
		}
	}
	for i := range cur {
		switch c, p := &cur[i], partner[i]; {
		case p == nil:
			list = append(list, delta{now: &c.Symbol, change: added})
		case p.Signature != c.Signature && c.Kind.Callable():
			list = append(list, delta{before: &p.Symbol, now: &c.Symbol, change: changedSignature})
		case p.text != c.text:
			list = append(list, delta{before: &p.Symbol, now: &c.Symbol, change: changed})
		}
	}
	for i := range old {
		if !old[i].found {
			list = append(list, delta{before: &old[i].Symbol, change: removed})
		}
	}
	return list
}

// A declaration is a symbol that can be meant from outside, with its own text: without
// comments, and without what is a declaration within it.
type declaration struct {
	syntax.Symbol
	text  string
	found bool // in the other text
}

func declarationsOf(lang syntax.Language, code []byte) (list []declaration) {
	f, err := syntax.Parse(lang, code)
	if err != nil || len(code) == 0 {
		return nil
	}
	lines := strings.Split(string(code), "\n")
	comment := text.CommentLines(lines)
	owner := make([]int, len(lines)+1)    // by lines from 1: which declaration, from 1
	local := make([]bool, len(f.Symbols)) // lies in a function, and cannot be meant from outside
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if p := s.Parent; p >= 0 { // its parent comes before it
			local[i] = local[p] || f.Symbols[p].Kind.Callable()
		}
		if !local[i] && isFollowed(s.Kind, s.Scope, lang) {
			list = append(list, declaration{Symbol: *s})
			for l := s.StartLine; l <= min(s.EndLine, len(lines)); l++ {
				owner[l] = len(list) // what lies within another comes after it
			}
		}
	}
	own := make([]strings.Builder, len(list))
	for i, l := range lines {
		if at := owner[i+1]; at > 0 && !comment[i] {
			own[at-1].WriteString(strings.TrimRight(l, " \t\r") + "\n")
		}
	}
	for i := range list {
		list[i].text = own[i].String()
		if !list[i].Kind.Callable() { // a longer name beside it moves what is in columns
			list[i].text = strings.Join(strings.Fields(list[i].text), " ")
			list[i].Signature = strings.Join(strings.Fields(list[i].Signature), " ")
		}
	}
	return list
}
