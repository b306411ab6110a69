package search

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/patience"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/syntax"
)

// relateGo judges an occurrence in Go as far as types and imports tell. Where
// they do not, decided is false, and the words around have to do.
func (r *resolver) relateGo(o *index.Occurrence, d *index.Symbol, member bool) (rel relation, decided bool, err error) {
	dir, home := path.Dir(o.File), path.Dir(d.File)
	from, imported, err := r.importedAs(o)
	if err != nil {
		return unrelated, true, err
	}
	if imported && (member || from != home) {
		if imported, err = r.unshadowed(o); err != nil {
			return unrelated, true, err
		}
	}
	// What needs no types goes first: checking packages takes time.
	switch {
	case imported && (member || from != home):
		return unrelated, true, nil
	case imported:
		return certain, true, nil
	case dir != home && !d.Exported:
		return unrelated, true, nil
	case !member && r.afterDot(o):
		if brings, err := r.bringsIn(o.File, home, func(i *index.Import) bool { return i.Alias == "" }); !brings {
			return unrelated, true, err
		} // the package may have another name than its folder
	case !member && dir != home:
		dot, err := r.bringsIn(o.File, home, func(i *index.Import) bool { return i.Alias == "." })
		if dot {
			return certain, true, err
		}
		return unrelated, true, err
	case member && !r.afterDot(o) && !r.follows(o, ':') && d.Kind == syntax.Method:
		return unrelated, true, nil
	}
	m, err := r.goMeaning(o)
	if err != nil {
		return unrelated, true, err
	}
	switch m.Known {
	case golang.Resolved, golang.Outside:
		rel, err := r.relateTyped(o, m, d)
		return rel, true, err
	case golang.Builtin:
		return unrelated, true, nil
	case golang.Unresolved:
		if !r.e.types.HasStandard() {
			r.src.lacks(gapStandard, o.File)
			return possible, true, nil
		}
		if !d.Exported { // what another module declares is exported
			return unrelated, false, nil
		}
		rel, err := r.relateLost(o, d, member)
		return rel, true, err
	}
	return unrelated, false, nil
}

// relateLost judges an exported name that depends on a missing module: it may mean a
// definition that its package can see.
func (r *resolver) relateLost(o *index.Occurrence, d *index.Symbol, member bool) (relation, error) {
	depends, err := r.dependsOn(d.File, path.Dir(o.File), map[string]bool{path.Dir(d.File): true})
	switch {
	case err != nil || !depends:
		return unrelated, err
	case !member:
		return possible, nil
	}
	rel, err := r.relateMember(o, d, nil)
	if r.declaredType(o) != lastPart(d.Scope) {
		rel = min(rel, possible)
	}
	return rel, err
}

// importedAs returns the folder that the name before the dot stands for, if
// the file imports a package by that name.
func (r *resolver) importedAs(o *index.Occurrence) (dir string, ok bool, err error) {
	if o.Qualifier == "" {
		return "", false, nil
	}
	names, err := r.goNames(o.File)
	if err != nil {
		return "", false, err
	}
	dir, ok = names[o.Qualifier]
	return dir, ok, nil
}

// unshadowed reports whether no local of the file goes by the name before the
// dot, which would hide the package of that name.
func (r *resolver) unshadowed(o *index.Occurrence) (bool, error) {
	files, err := remembered(r.locals, o.Qualifier, func() (map[string]bool, error) {
		list, err := r.e.x.Occurrences(r.ctx, o.Qualifier)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", o.Qualifier, err)
		}
		files := map[string]bool{}
		for i := range list {
			if list[i].Local {
				files[list[i].File] = true
			}
		}
		return files, nil
	})
	return !files[o.File], err
}

// bringsIn reports whether a file imports a folder in some way.
func (r *resolver) bringsIn(file, dir string, in func(i *index.Import) bool) (bool, error) {
	imports, err := r.importsOf(file)
	return slices.ContainsFunc(imports, func(i index.Import) bool { return in(&i) && r.goImport(i.Path) == dir }), err
}

// goNames maps the names by which a Go file knows packages to their folders.
func (r *resolver) goNames(file string) (map[string]string, error) {
	return remembered(r.bound, file, func() (map[string]string, error) {
		imports, err := r.importsOf(file)
		names := map[string]string{}
		for _, i := range imports {
			names[boundName(i)] = r.goImport(i.Path)
		}
		return names, err
	})
}

// readTypes tells the Go types of the files as they are now, once for a question.
func (r *resolver) readTypes() error {
	if r.typed {
		return nil
	}
	list, err := r.files()
	if err != nil {
		return err
	}
	named, err := r.importedFiles()
	if err != nil {
		return err
	}
	if err := r.e.types.Update(r.ctx, list, named.GoModules()); err != nil {
		return err
	}
	r.typed = true
	return nil
}

// goMeaning says what the name at an occurrence means, by types. Where those are not
// known in the caller's time, the answer lacks that.
func (r *resolver) goMeaning(o *index.Occurrence) (golang.Meaning, error) {
	none := golang.Meaning{Outside: -1}
	if err := r.readTypes(); err != nil {
		return none, err
	}
	dir := path.Dir(o.File)
	u, err := remembered(r.uses, dir, func() (*golang.Uses, error) {
		patience.Report(r.ctx, "types", len(r.uses), 0, "packages")
		return r.e.types.UsesIn(patience.Of(r.ctx), dir)
	})
	if err != nil {
		return none, r.cut(err, gapTypes, o.File)
	}
	if u == nil {
		return none, nil
	}
	return u.At(golang.Position{File: o.File, Line: o.Line, Column: o.Column}), nil
}

// relateTyped judges a name whose definition is known: it is the one, or a
// method through which the one may be called, or something else.
func (r *resolver) relateTyped(o *index.Occurrence, m golang.Meaning, d *index.Symbol) (relation, error) {
	at := golang.Position{File: d.File, Line: d.NameLine, Column: d.NameColumn}
	if m.Known == golang.Resolved && m.Position == at {
		return certain, nil
	}
	if d.Kind != syntax.Method || r.direct {
		return unrelated, nil
	}
	t, err := r.goTarget(at, d)
	if err != nil {
		return unrelated, err
	}
	dir := path.Dir(o.File)
	if m.Known == golang.Outside {
		// Everybody calls error.Error and io.Closer.Close. Only where the
		// definition is at home, or imported, may such a call be meant for it.
		if m.Outside < 0 {
			return unrelated, nil
		}
		if target, err := r.e.types.Outside(r.ctx, t, m.Outside); !target {
			return unrelated, err
		}
		r.group = ThroughInterface
		return r.relateOutsideCall(o, m, path.Dir(d.File))
	}
	if !t.Places[m.Position] {
		return unrelated, nil
	}
	depends, err := r.dependsOn(at.File, dir, t.Dirs)
	if depends {
		if r.group = ThroughInterface; t.Interface {
			r.group = OfImplementation
		}
		return throughInterface, err
	}
	return unrelated, err
}

// relateOutsideCall judges the call of a method of an interface of another
// module: it may be meant for a method that implements it if the caller's
// package knows the package of that one.
func (r *resolver) relateOutsideCall(o *index.Occurrence, m golang.Meaning, home string) (relation, error) {
	dir := path.Dir(o.File)
	if dir == home {
		if m.Test {
			return unrelated, nil
		}
		return throughForeign, nil
	}
	if r.plain == nil {
		if err := r.findPlainImports(); err != nil {
			return unrelated, err
		}
	}
	from := r.plain[dir]
	if strings.HasSuffix(o.File, "_test.go") { // a test knows what it imports itself, too
		imports, err := r.importsOf(o.File)
		if err != nil {
			return unrelated, err
		}
		from = slices.Clone(from)
		for _, i := range imports {
			from = append(from, r.goImport(i.Path))
		}
	}
	seen := map[string]bool{}
	for todo := from; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == home {
			return throughForeign, nil
		}
		if !seen[at] {
			seen[at] = true
			todo = append(todo[:len(todo):len(todo)], r.plain[at]...)
		}
	}
	return unrelated, nil
}

// findPlainImports lists which folders of the project the packages of each
// import, their tests left out.
func (r *resolver) findPlainImports() error {
	r.plain = map[string][]string{}
	list, err := r.e.x.ImportsWhere(r.ctx, func(i index.Import) bool {
		return i.Language == syntax.Go && !strings.HasSuffix(i.File, "_test.go") && r.goImport(i.Path) != "?"
	})
	if err != nil {
		return fmt.Errorf("search: imports: %w", err)
	}
	for _, i := range list {
		dir, to := path.Dir(i.File), r.goImport(i.Path)
		if !slices.Contains(r.plain[dir], to) {
			r.plain[dir] = append(r.plain[dir], to)
		}
	}
	return nil
}

// dependsOn reports whether the packages of a folder import one of others,
// which are those of one definition's file.
func (r *resolver) dependsOn(file, dir string, on map[string]bool) (bool, error) {
	key := fmt.Sprintf("%s\x00%s\x00%d", file, dir, len(on))
	return remembered(r.depends, key, func() (bool, error) { return r.e.types.Depends(r.ctx, dir, on) })
}

// meantEmbedded reports whether an occurrence is where a struct embeds a type.
// Then it names a field, which is the target.
func (r *resolver) meantEmbedded(o *index.Occurrence, m *meaning) (bool, error) {
	if _, err := r.goMeaning(o); err != nil {
		return false, err
	}
	at := golang.Position{File: o.File, Line: o.Line, Column: o.Column}
	u := r.uses[path.Dir(o.File)]
	if u == nil || !u.Embedded[at] {
		return false, nil
	}
	m.field, m.definitions = &at, nil
	return true, nil
}

// goTarget finds what corresponds to a Go method.
func (r *resolver) goTarget(at golang.Position, d *index.Symbol) (*golang.Target, error) {
	if t := r.targets[at]; t != nil {
		return t, nil
	}
	if err := r.findRivals(); err != nil {
		return nil, err
	}
	var dirs []string
	for i := range r.same {
		if s := &r.same[i]; s.Kind == syntax.Method && s.Language == syntax.Go {
			dirs = addOnce(dirs, path.Dir(s.File))
		}
	}
	t, err := r.e.types.Target(patience.Of(r.ctx), d.Name, at, path.Dir(d.File), dirs)
	if err != nil {
		return &golang.Target{Places: map[golang.Position]bool{at: true}}, r.cut(err, gapTypes, d.File)
	}
	r.targets[at] = t
	return t, nil
}
