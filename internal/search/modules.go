package search

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/resolve"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// isPathModule reports whether a symbol is a module that its whole name tells from others,
// wherever its file lies.
func isPathModule(s *index.Symbol) bool {
	return (s.Kind == syntax.Module || s.Kind == syntax.Namespace) && !inferred(s.Language) &&
		syntax.Of(s.Language).Names.Imports == syntax.ImportsAny
}

// moduleImports lists the imports that name a module that is meant on a line where nothing
// else that was found names it: names in imports are no occurrences in every language.
func (e *Engine) moduleImports(ctx context.Context, m *meaning, found []mention, src *sources) ([]mention, error) {
	modules := slices.DeleteFunc(slices.Clone(m.definitions), func(s index.Symbol) bool { return !isPathModule(&s) })
	if len(modules) == 0 || m.local != nil || m.field != nil {
		return nil, nil
	}
	lines := map[resolve.Position]bool{}
	for i := range found {
		lines[resolve.Position{File: found[i].File, Line: found[i].Line}] = true
	}
	imports, err := e.x.ImportsWhere(ctx, func(i index.Import) bool {
		return !lines[resolve.Position{File: i.File, Line: i.Line}] && slices.ContainsFunc(modules, func(s index.Symbol) bool {
			return syntax.SameGroup(i.Language, s.Language) &&
				slices.Equal(symbolname.Parts(i.Path), symbolname.Parts(text.Dotted(s.Scope, s.Name)))
		})
	})
	if err != nil {
		return nil, fmt.Errorf("search: imports of a module: %w", err)
	}
	var list []mention
	for _, i := range imports {
		if at := bytes.Index(src.raw(i.File, i.Line, i.Line), []byte(i.Path)); at >= 0 {
			list = append(list, mention{confidence: certain, Occurrence: index.Occurrence{
				Name: i.Path, File: i.File, Language: i.Language, Line: i.Line, Column: at + 1, Role: syntax.ImportUse,
			}})
		}
	}
	return list, nil
}

// relateModule judges a name by the path of names that it is in, where that decides: of
// Plug.Conn, Plug.Conn.Status and Plug.Test.Conn, only the first means the module Plug.Conn.
func (r *resolver) relateModule(o *index.Occurrence, d *index.Symbol) (rel relation, decided bool) {
	if !isPathModule(d) {
		return unrelated, false
	}
	line := string(r.src.raw(o.File, o.Line, o.Line))
	at, end := o.Column-1, o.Column-1+len(o.Name)
	if at < 0 || end > len(line) {
		return unrelated, false
	}
	other := func(i index.Import) bool {
		files := r.modulesNamed(i)
		return len(files) > 0 && !slices.Contains(files, d.File)
	}
	anotherIs := func(path string) bool {
		return other(index.Import{Language: o.Language, Import: syntax.Import{Path: path}})
	}
	before, after := symbolname.Around(line, at, end)
	whole, own := symbolname.Parts(before+o.Name), symbolname.Parts(text.Dotted(d.Scope, d.Name))
	if before == "" && o.Role != syntax.ImportUse {
		imports, err := r.importsOf(o.File)
		if err == nil && slices.ContainsFunc(imports, func(i index.Import) bool { return boundName(i) == o.Name && other(i) }) {
			return unrelated, true
		}
	}
	if !symbolname.Nested(whole, own) {
		if anotherIs(before + o.Name) {
			return unrelated, true
		}
		return possible, true
	}
	for ; after != ""; after = strings.TrimRight(after[:strings.LastIndexAny(after, ".:")], ".:") {
		if anotherIs(before + o.Name + after) {
			return unrelated, true
		}
	}
	return certain, len(own) > 1 && slices.Equal(whole, own)
}
