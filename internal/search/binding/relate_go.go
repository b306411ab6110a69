package binding

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// inFolder is a name in a folder.
type inFolder struct{ folder, name string }

// relateGo judges an occurrence in Go as far as types and imports tell. Where
// they do not, decided is false, and the words around have to do.
func (r *Resolver) relateGo(o *index.Occurrence, d *index.Symbol, member bool) (rel Relation, decided bool, err error) {
	dir, home := path.Dir(o.File), path.Dir(d.File)
	from, imported, err := r.importedAs(o)
	if err != nil {
		return Unrelated, true, err
	}
	if imported && (member || from != home) {
		if imported, err = r.unshadowed(o); err != nil {
			return Unrelated, true, err
		}
	}
	// What needs no types goes first: checking packages takes time.
	switch {
	case imported && (member || from != home):
		return Unrelated, true, nil
	case imported:
		return Certain, true, nil
	case dir != home && !d.Exported:
		return Unrelated, true, nil
	case !member && r.AfterDot(o):
		if brings, err := r.bringsIn(o.File, home, func(i *index.Import) bool { return i.Alias == "" }); !brings {
			return Unrelated, true, err
		} // the package may have another name than its folder
	case !member && dir != home:
		dot, err := r.bringsIn(o.File, home, func(i *index.Import) bool { return i.Alias == "." })
		if dot {
			return Certain, true, err
		}
		return Unrelated, true, err
	case member && !r.AfterDot(o) && !r.followedBy(o, ':') && d.Kind == syntax.Method:
		return Unrelated, true, nil
	}
	m, err := r.GoMeaning(o)
	if err != nil {
		return Unrelated, true, err
	}
	switch m.Known {
	case golang.Resolved, golang.Outside:
		rel, err := r.relateTyped(o, m, d)
		return rel, true, err
	case golang.Builtin:
		return Unrelated, true, nil
	case golang.Unresolved:
		if !r.e.Types.HasStandard() {
			r.src.Lacks(gaps.Standard, o.File)
			return Possible, true, nil
		}
		if !d.Exported { // what another module declares is exported
			return Unrelated, false, nil
		}
		rel, err := r.relateLost(o, d, member)
		return rel, true, err
	}
	return Unrelated, false, nil
}

// relateLost judges an exported name that depends on a missing module: it may mean a
// definition that its package can see.
func (r *Resolver) relateLost(o *index.Occurrence, d *index.Symbol, member bool) (Relation, error) {
	depends, err := r.dependsOn(d.File, path.Dir(o.File), map[string]bool{path.Dir(d.File): true})
	switch {
	case err != nil || !depends:
		return Unrelated, err
	case !member:
		return Possible, nil
	}
	rel, err := r.relateMember(o, d, nil)
	if r.declaredType(o) != lastPart(d.Scope) {
		rel = min(rel, Possible)
	}
	return rel, err
}

// importedAs returns the folder that the name before the dot stands for, if
// the file imports a package by that name.
func (r *Resolver) importedAs(o *index.Occurrence) (dir string, ok bool, err error) {
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
func (r *Resolver) unshadowed(o *index.Occurrence) (bool, error) {
	files, err := cached(r.locals, o.Qualifier, func() (map[string]bool, error) {
		list, err := r.e.Index.Occurrences(r.ctx, o.Qualifier)
		if err != nil {
			return nil, fmt.Errorf("binding: occurrences of %q: %w", o.Qualifier, err)
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
func (r *Resolver) bringsIn(file, dir string, in func(i *index.Import) bool) (bool, error) {
	imports, err := r.importsOf(file)
	return slices.ContainsFunc(imports, func(i index.Import) bool { return in(&i) && r.goImport(i.Path) == dir }), err
}

// goNames maps the names by which a Go file knows packages to their folders.
func (r *Resolver) goNames(file string) (map[string]string, error) {
	return cached(r.bound, file, func() (map[string]string, error) {
		imports, err := r.importsOf(file)
		names := map[string]string{}
		for _, i := range imports {
			names[boundName(i)] = r.goImport(i.Path)
		}
		return names, err
	})
}

// ReadTypes tells the Go types of the files as they are now, once for a question.
func (r *Resolver) ReadTypes() error {
	if r.typed {
		return nil
	}
	list, err := r.Files()
	if err != nil {
		return err
	}
	named, err := r.importedFiles()
	if err != nil {
		return err
	}
	if err := r.e.Types.Update(r.ctx, list, named.GoModules()); err != nil {
		return err
	}
	r.typed = true
	return nil
}

// GoMeaning says what the name at an occurrence means, by types. Where those are not
// known in the caller's time, the answer lacks that.
func (r *Resolver) GoMeaning(o *index.Occurrence) (golang.Meaning, error) {
	none := golang.Meaning{Outside: -1}
	if err := r.ReadTypes(); err != nil {
		return none, err
	}
	dir := path.Dir(o.File)
	u, err := cached(r.uses, inFolder{dir, o.Name}, func() (*golang.Uses, error) {
		softdeadline.Report(r.ctx, "types", len(r.uses), 0, "packages")
		return r.e.Types.UsesIn(softdeadline.Context(r.ctx), dir, o.Name)
	})
	if err != nil {
		return none, r.Cut(err, gaps.Types, o.File)
	}
	if u == nil {
		return none, nil
	}
	return u.At(golang.Position{File: o.File, Line: o.Line, Column: o.Column}), nil
}

// relateTyped judges a name whose definition is known: it is the one, or a
// method through which the one may be called, or something else.
func (r *Resolver) relateTyped(o *index.Occurrence, m golang.Meaning, d *index.Symbol) (Relation, error) {
	at := golang.Position{File: d.File, Line: d.NameLine, Column: d.NameColumn}
	if m.Known == golang.Resolved && m.Position == at {
		return Certain, nil
	}
	if d.Kind != syntax.Method || r.Direct {
		return Unrelated, nil
	}
	t, err := r.GoTarget(at, d)
	if err != nil {
		return Unrelated, err
	}
	dir := path.Dir(o.File)
	if m.Known == golang.Outside {
		// Everybody calls error.Error and io.Closer.Close. Only where the
		// definition is at home, or imported, may such a call be meant for it.
		if m.Outside < 0 {
			return Unrelated, nil
		}
		if target, err := r.e.Types.Outside(r.ctx, t, m.Outside); !target {
			return Unrelated, err
		}
		r.Group = GroupInterface
		return r.relateOutsideCall(o, m, path.Dir(d.File))
	}
	if !t.Places[m.Position] {
		return Unrelated, nil
	}
	depends, err := r.dependsOn(at.File, dir, t.Dirs)
	if depends {
		if r.Group = GroupInterface; t.Interface {
			r.Group = GroupImplementation
		}
		return ThroughInterface, err
	}
	return Unrelated, err
}

// relateOutsideCall judges the call of a method of an interface of another
// module: it may be meant for a method that implements it if the caller's
// package knows the package of that one.
func (r *Resolver) relateOutsideCall(o *index.Occurrence, m golang.Meaning, home string) (Relation, error) {
	dir := path.Dir(o.File)
	if dir == home {
		if m.Test {
			return Unrelated, nil
		}
		return ThroughForeign, nil
	}
	if r.importsWithoutTests == nil {
		if err := r.findPlainImports(); err != nil {
			return Unrelated, err
		}
	}
	imported := r.importsWithoutTests[dir]
	if strings.HasSuffix(o.File, "_test.go") { // a test knows what it imports itself, too
		imports, err := r.importsOf(o.File)
		if err != nil {
			return Unrelated, err
		}
		imported = slices.Clone(imported)
		for _, i := range imports {
			imported = append(imported, r.goImport(i.Path))
		}
	}
	seen := map[string]bool{}
	for todo := imported; len(todo) > 0; {
		folder := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if folder == home {
			return ThroughForeign, nil
		}
		if !seen[folder] {
			seen[folder] = true
			todo = append(todo[:len(todo):len(todo)], r.importsWithoutTests[folder]...)
		}
	}
	return Unrelated, nil
}

// findPlainImports lists which folders of the project the packages of each
// import, their tests left out.
func (r *Resolver) findPlainImports() error {
	r.importsWithoutTests = map[string][]string{}
	list, err := r.e.Index.ImportsWhere(r.ctx, func(i index.Import) bool {
		return i.Language == syntax.Go && !strings.HasSuffix(i.File, "_test.go") && r.goImport(i.Path) != "?"
	})
	if err != nil {
		return fmt.Errorf("binding: imports: %w", err)
	}
	for _, i := range list {
		dir, to := path.Dir(i.File), r.goImport(i.Path)
		if !slices.Contains(r.importsWithoutTests[dir], to) {
			r.importsWithoutTests[dir] = append(r.importsWithoutTests[dir], to)
		}
	}
	return nil
}

// dependsOn reports whether the packages of a folder import one of others,
// which are those of one definition's file.
func (r *Resolver) dependsOn(file, dir string, on map[string]bool) (bool, error) {
	key := fmt.Sprintf("%s\x00%s\x00%d", file, dir, len(on))
	return cached(r.depends, key, func() (bool, error) { return r.e.Types.Depends(r.ctx, dir, on) })
}

// EmbeddedField returns the place of an occurrence where a struct embeds a type, and nil
// elsewhere. There it names a field.
func (r *Resolver) EmbeddedField(o *index.Occurrence) (*golang.Position, error) {
	if _, err := r.GoMeaning(o); err != nil {
		return nil, err
	}
	at := golang.Position{File: o.File, Line: o.Line, Column: o.Column}
	u := r.uses[inFolder{path.Dir(o.File), o.Name}]
	if u == nil || !u.Embedded[at] {
		return nil, nil
	}
	return &at, nil
}

// GoTarget finds what corresponds to a Go method.
func (r *Resolver) GoTarget(at golang.Position, d *index.Symbol) (*golang.Target, error) {
	if t := r.targets[at]; t != nil {
		return t, nil
	}
	if err := r.findRivals(); err != nil {
		return nil, err
	}
	var dirs []string
	for i := range r.same {
		if s := &r.same[i]; s.Kind == syntax.Method && s.Language == syntax.Go {
			dirs = text.AppendNew(dirs, path.Dir(s.File))
		}
	}
	t, err := r.e.Types.Target(softdeadline.Context(r.ctx), d.Name, at, path.Dir(d.File), dirs)
	if err != nil {
		return &golang.Target{Places: map[golang.Position]bool{at: true}}, r.Cut(err, gaps.Types, d.File)
	}
	r.targets[at] = t
	return t, nil
}
