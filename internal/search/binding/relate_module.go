package binding

import (
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// IsPathModule reports whether a symbol is a module that its whole name tells from others,
// wherever its file lies.
func IsPathModule(s *index.Symbol) bool {
	return (s.Kind == syntax.Module || s.Kind == syntax.Namespace) && !registry.Inferred(s.Language) &&
		syntax.Of(s.Language).Names.Imports == syntax.ImportsAny
}

// relateModule judges a name by the path of names that it is in, where that decides: of
// Plug.Conn, Plug.Conn.Status and Plug.Test.Conn, only the first means the module Plug.Conn.
func (r *Resolver) relateModule(o *index.Occurrence, d *index.Symbol) (rel Relation, decided bool) {
	if !IsPathModule(d) {
		return Unrelated, false
	}
	line := string(r.src.Raw(o.File, o.Line, o.Line))
	at, end := o.Column-1, o.Column-1+len(o.Name)
	if at < 0 || end > len(line) {
		return Unrelated, false
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
			return Unrelated, true
		}
	}
	if !symbolname.Nested(whole, own) {
		if anotherIs(before + o.Name) {
			return Unrelated, true
		}
		return Possible, true
	}
	for ; after != ""; after = strings.TrimRight(after[:strings.LastIndexAny(after, ".:")], ".:") {
		if anotherIs(before + o.Name + after) {
			return Unrelated, true
		}
	}
	return Certain, len(own) > 1 && slices.Equal(whole, own)
}
