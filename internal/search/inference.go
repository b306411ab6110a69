package search

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/project"
	"codeintel/internal/resolve"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A resolution is what inference says of the places of a name.
type resolution struct {
	uses   map[resolve.Position]resolve.Reference
	unread map[string]bool
}

// placeOf returns where an occurrence is.
func placeOf(o *index.Occurrence) resolve.Position {
	return resolve.Position{File: o.File, Line: o.Line, Column: o.Column}
}

// named returns where a definition has its name.
func named(s *index.Symbol) resolve.Position {
	return resolve.Position{File: s.File, Line: s.NameLine, Column: s.NameColumn}
}

// referenceAt returns what is known of an occurrence. ok is false where inference says
// nothing, because it does not know the language or had no time.
func (n *resolution) referenceAt(o *index.Occurrence) (u resolve.Reference, ok bool) {
	if n == nil || !registry.Inferred(o.Language) || n.unread[o.File] {
		return u, false
	}
	u, ok = n.uses[placeOf(o)]
	return u, ok
}

// newNames returns what infers the names of a project.
func newNames(p *project.Project, x *index.Index) *resolve.Resolver {
	r := resolve.New(func(file string) ([]byte, error) {
		t, err := files.Read(p, file)
		return t.Bytes, err
	}, registry.Languages...)
	r.Defines = func(name string) []string {
		list, err := x.Symbols(context.Background(), index.SymbolQuery{Name: name, Match: index.Exact})
		if err != nil {
			return nil // the question itself asks the index too, and says what is wrong with it
		}
		var all []string
		for i := range list {
			all = append(all, list[i].File)
		}
		return all
	}
	return r
}

// resolve asks what the places of a name mean. What is not inferred in the caller's time
// is judged by names and imports, and the answer lacks it. It answers nil where nothing
// of what is asked for is of a language that is inferred.
func (e *Engine) resolve(ctx context.Context, m *subject, res *resolver) (*resolution, error) {
	targets := m.positions()
	if len(targets) > maxTargets {
		quoting, err := e.mentioning(ctx, strings.TrimLeft(m.Name.Base, "$@"), nil, mentionsOf(targets))
		m.quoting = quoting
		return nil, err
	}
	if len(targets) == 0 {
		return nil, nil
	}
	list, err := res.Files()
	if err != nil {
		return nil, err
	}
	if err := e.names.Update(ctx, versions(list)); err != nil {
		return nil, err
	}
	name := strings.TrimLeft(m.Name.Base, "$@")
	a, err := e.names.Uses(softdeadline.Context(ctx), resolve.Question{Targets: targets, Name: name,
		FilesContaining: func(name string) ([]string, error) { return e.filesContaining(ctx, name, targets) },
		Importing:       func(file string) ([]string, error) { return e.importing(ctx, file) }})
	switch {
	case err != nil && ctx.Err() == nil && softdeadline.Context(ctx).Err() != nil, err == nil && a.Cut:
		all, err := e.filesContaining(ctx, name, nil)
		res.src.Lacks(gaps.Meanings, all...)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("search: resolve %q: %w", m.Name.Base, err)
	}
	for file := range a.Unread {
		if softdeadline.Context(ctx).Err() != nil {
			res.src.Lacks(gaps.Meanings, file)
		} else {
			res.src.Lacks(gaps.Inference, file)
		}
	}
	if !a.Found {
		return nil, nil
	}
	n := &resolution{uses: make(map[resolve.Position]resolve.Reference, len(a.Uses)), unread: a.Unread}
	for _, u := range a.Uses {
		n.uses[u.Position] = u
	}
	return n, nil
}

// redefine makes the definitions of a subject those that inference found: the
// thing may be declared more than once, or under another name.
func (e *Engine) redefine(ctx context.Context, m *subject, n *resolution) error {
	var all []index.Symbol
	read := map[string]bool{}
	for at, u := range n.uses {
		if u.Relation != resolve.Same || !u.Declares || read[at.File] {
			continue
		}
		read[at.File] = true
		list, err := e.x.FileSymbols(ctx, at.File)
		if err != nil {
			return fmt.Errorf("search: symbols of %s: %w", at.File, err)
		}
		for _, s := range list {
			if u := n.uses[named(&s)]; u.Relation == resolve.Same && u.Declares {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b index.Symbol) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.StartLine, b.StartLine))
	})
	m.Definitions = all
	return nil
}

// positions lists where the things that are meant are named.
func (m *subject) positions() []resolve.Position {
	if m.place != nil {
		return []resolve.Position{*m.place}
	}
	var list []resolve.Position
	for _, d := range m.Definitions {
		if registry.Inferred(d.Language) {
			list = append(list, named(&d))
		}
	}
	return list
}

// maxTargets is how many definitions of a name inference is asked about at once. A class
// with its forward declarations and constructors is easily twenty.
const maxTargets = 50

// beyondInference reports whether something that is meant is defined in a
// language that is not inferred, and may be meant in code of another: a
// component of Vue in TypeScript.
func (m *subject) beyondInference(l syntax.Language) bool {
	return m.place == nil && slices.ContainsFunc(m.Definitions, func(d index.Symbol) bool {
		return !registry.Inferred(d.Language) && syntax.SameGroup(l, d.Language)
	})
}

// versions distinguishes files from what they were, by size and time.
func versions(list []files.Entry) iter.Seq[resolve.FileVersion] {
	return func(yield func(resolve.FileVersion) bool) {
		for i := range list {
			f := &list[i]
			version := uint64(f.ModTime)*31 + uint64(f.Size)
			if f.Class.Indexed() && !yield(resolve.FileVersion{Path: f.Path, Version: version}) {
				return
			}
		}
	}
}

// filesContaining lists the files in which a name occurs. Of the languages that some places are in,
// those in which it occurs where the index lists no name are among them.
func (e *Engine) filesContaining(ctx context.Context, name string, targets []resolve.Position) ([]string, error) {
	list, err := e.x.Occurrences(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("search: occurrences of %q: %w", name, err)
	}
	var all []string
	for i := range list {
		if registry.Inferred(list[i].Language) && (len(all) == 0 || all[len(all)-1] != list[i].File) {
			all = append(all, list[i].File)
		}
	}
	more, err := e.mentioning(ctx, name, all, mentionsOf(targets))
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// mentionsOf lists who reads the files of some places, as far as names can be there where
// the index lists none.
func mentionsOf(targets []resolve.Position) map[syntax.Language]resolve.Mentioning {
	all := map[syntax.Language]resolve.Mentioning{}
	for _, l := range registry.Languages {
		reads := func(p resolve.Position) bool { return slices.Contains(l.Languages(), syntax.Detect(p.File, nil)) }
		if m, ok := l.(resolve.Mentioning); ok && slices.ContainsFunc(targets, reads) {
			for _, read := range l.Languages() {
				all[read] = m
			}
		}
	}
	return all
}

// shortestMentioned is how long a name must be to be looked for where the index lists none:
// the filter of texts knows none that are shorter.
const shortestMentioned = 3

// mentioning lists the files, besides some that are known in order, that mention a name where
// the index lists none.
func (e *Engine) mentioning(ctx context.Context, name string, known []string,
	mentions map[syntax.Language]resolve.Mentioning) ([]string, error) {
	if len(name) < shortestMentioned || len(mentions) == 0 {
		return nil, nil
	}
	list, err := e.x.Containing(ctx, trigram.Literal(name))
	if err != nil {
		return nil, fmt.Errorf("search: files with %q: %w", name, err)
	}
	var all []string
	for _, file := range list {
		m := mentions[syntax.Detect(file, nil)]
		if m == nil || slices.Contains(known, file) {
			continue
		}
		t, err := files.Read(e.p, file)
		if err == nil && m.Mentions(string(t.Bytes), name) {
			all = append(all, file)
		}
	}
	return all, ctx.Err()
}

// importing lists the files in which an import may name a file, by the last part of
// what it names: the file itself, or its folder.
func (e *Engine) importing(ctx context.Context, file string) ([]string, error) {
	stem, folder := resolve.StemOf(file), path.Base(path.Dir(file))
	list, err := e.x.ImportsWhere(ctx, func(i index.Import) bool {
		if !registry.Inferred(i.Language) {
			return false
		}
		last := resolve.StemOf(i.Path)
		return last == stem || last == folder || strings.Trim(i.Path, "./") == ""
	})
	if err != nil {
		return nil, fmt.Errorf("search: imports of %s: %w", file, err)
	}
	var all []string
	for _, i := range list {
		all = text.AppendNew(all, i.File)
	}
	return all, nil
}

// mentionsBeyondIndex returns the places that mean what is asked for and that the index
// does not list under the name: other names of it, types in strings, links in
// comments.
func (e *Engine) mentionsBeyondIndex(ctx context.Context, m *subject, n *resolution,
	known map[resolve.Position]bool) ([]mention, error) {
	if n == nil {
		return nil, nil
	}
	role := syntax.Read
	if slices.ContainsFunc(m.Definitions, func(d index.Symbol) bool { return d.Kind.HasMembers() }) {
		role = syntax.TypeUse
	}
	var list []mention
	roles := map[string]map[resolve.Position]index.Occurrence{}
	symbols := map[string][]index.Symbol{}
	for at, u := range n.uses {
		if u.Relation == resolve.Other || known[at] {
			continue
		}
		if roles[u.Name] == nil {
			all, err := e.x.Occurrences(ctx, u.Name)
			if err != nil {
				return nil, fmt.Errorf("search: occurrences of %q: %w", u.Name, err)
			}
			places := make(map[resolve.Position]index.Occurrence, len(all))
			for _, o := range all {
				places[placeOf(&o)] = o
			}
			roles[u.Name] = places
		}
		o, ok := roles[u.Name][at]
		if ok && relationOf(u.Relation) == binding.Possible {
			continue // it was judged by its name
		}
		if !ok {
			if _, seen := symbols[at.File]; !seen {
				list, err := e.x.FileSymbols(ctx, at.File)
				if err != nil {
					return nil, fmt.Errorf("search: symbols of %s: %w", at.File, err)
				}
				symbols[at.File] = list
			}
			o = index.Occurrence{
				File: at.File, Line: at.Line, Column: at.Column, Name: u.Name, Role: role,
				Enclosing: enclosing(symbols[at.File], at.Line),
			}
		}
		list = append(list, mention{o, relationOf(u.Relation), groupOf(u)})
	}
	return list, nil
}

// relationOf translates what inference says.
func relationOf(r resolve.Relation) binding.Relation {
	switch r {
	case resolve.Same:
		return binding.Certain
	case resolve.Related, resolve.Likely:
		return binding.Likely
	case resolve.Unknown, resolve.Perhaps:
		return binding.Possible
	}
	return binding.Unrelated
}

// groupOf says through what a member is reached, as inference says.
func groupOf(u resolve.Reference) binding.Group {
	switch {
	case u.Relation != resolve.Related:
		return ""
	case u.Above:
		return binding.GroupInterface
	}
	return binding.GroupImplementation
}

// enclosing finds the innermost symbol around a line.
func enclosing(list []index.Symbol, line int) (e index.Enclosing) {
	for i := range list {
		if s := &list[i]; s.StartLine <= line && line <= s.EndLine && s.Kind != syntax.Variable {
			e = index.Enclosing{Name: s.Name, Scope: s.Scope, Kind: s.Kind, StartLine: s.StartLine, EndLine: s.EndLine}
		}
	}
	return e
}
