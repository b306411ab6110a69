package python

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A module is a file or a folder that can be imported.
type module struct {
	unit *resolve.Unit // nil for a folder without __init__.py
	stem string        // its path without suffix
}

// moduleAt returns the module whose path without suffix is stem.
func moduleAt(r *resolve.Resolver, stem string) *module {
	for _, p := range []string{stem + "/__init__.py", stem + ".py", stem + ".pyi", stem + "/__init__.pyi"} {
		if _, ok := r.Files[p]; ok {
			return &module{r.Unit(p), stem}
		}
	}
	return nil
}

// declarationsBesideStub returns what a module has where a stub beside it declares something: a.py for a.pyi.
func declarationsBesideStub(r *resolve.Resolver, y *resolve.Symbol) (found []*resolve.Symbol) {
	source := strings.TrimSuffix(y.Unit.Path, "i")
	if _, ok := r.Files[source]; !ok || path.Ext(y.Unit.Path) != ".pyi" {
		return nil
	}
	in := y.Scope
	switch {
	case in == nil || in == y.Unit.Top:
		if u := r.Unit(source); u != nil && u.Top.Names[y.Name] != nil {
			return finals(r, u.Top.Names[y.Name])
		}
	case in.Class != nil:
		for _, c := range declarationsBesideStub(r, in.Class) {
			if c.Inner != nil && c.Inner.Names[y.Name] != nil {
				found = append(found, c.Inner.Names[y.Name])
			}
		}
	case in.Kind == resolve.FunctionScope:
		f := y.Unit.Owner[y.Unit.Child(in.Node, "name")]
		if f == nil {
			return nil
		}
		for _, g := range declarationsBesideStub(r, f) {
			for _, d := range g.Decls {
				if s := g.Unit.Scopes[d.Node]; s != nil && s.Names[y.Name] != nil {
					found = append(found, s.Names[y.Name])
				}
			}
		}
	}
	return found
}

// importedModule returns the module that an import statement names, or nil.
func importedModule(r *resolve.Resolver, u *resolve.Unit, n int32) *module {
	for u.Host != nil {
		u = u.Host
	}
	from := u.Child(n, "module_name")
	if u.Kind(from) != "relative_import" {
		return absoluteModule(r, u, u.Text(from))
	}
	text := u.Text(from)
	rest := strings.TrimLeft(text, ". ")
	dir := path.Dir(u.Path)
	for range strings.Count(text[:len(text)-len(rest)], ".") - 1 {
		dir = path.Dir(dir)
	}
	stem := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
	if m := moduleAt(r, stem); m != nil {
		return m
	}
	return &module{nil, stem}
}

// absoluteModule finds a.b.c: the first part beside the importing file or above
// it, or wherever a package of the name lies nearest to the root.
func absoluteModule(r *resolve.Resolver, u *resolve.Unit, dotted string) *module {
	parts := strings.Split(strings.ReplaceAll(dotted, " ", ""), ".")
	rest := strings.Join(parts[1:], "/")
	try := func(root string) *module {
		if m := moduleAt(r, root); m == nil && rest == "" {
			return nil
		}
		return moduleAt(r, path.Join(root, rest))
	}
	var tops []string
	for _, p := range r.Modules[parts[0]] {
		tops = append(tops, strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), "/__init__"))
	}
	slices.SortFunc(tops, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for dir := path.Dir(u.Path); ; dir = path.Dir(dir) {
		if slices.Contains(tops, path.Join(dir, parts[0])) || rest != "" {
			if m := try(path.Join(dir, parts[0])); m != nil && (m.unit == nil || m.unit != u) {
				return m
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	for _, top := range tops {
		// A module inside a package has the package's name before its own.
		if moduleAt(r, path.Dir(top)) != nil {
			continue
		}
		if m := try(top); m != nil {
			return m
		}
	}
	return nil
}

// exported finds a name that a module offers: one of its own, or a submodule.
func exported(r *resolve.Resolver, m *module, name string) *resolve.Symbol {
	if m == nil {
		return nil
	}
	if m.unit != nil {
		if y := m.unit.Top.Names[name]; y != nil {
			return y
		}
	}
	if sub := submodule(r, m, name); sub != nil {
		return sub
	}
	if m.unit == nil || !r.Enter() {
		return nil
	}
	defer r.Leave()
	for _, star := range m.unit.Top.Stars {
		if from := importedModule(r, m.unit, star); from != nil && from.unit != m.unit {
			if y := exported(r, from, name); y != nil {
				return y
			}
		}
	}
	return nil
}

// submodule finds a module in a package.
func submodule(r *resolve.Resolver, m *module, name string) *resolve.Symbol {
	if m.unit != nil && !strings.HasPrefix(path.Base(m.unit.Path), "__init__") {
		return nil
	}
	if sub := moduleAt(r, path.Join(m.stem, name)); sub != nil && sub.unit != nil {
		return sub.unit.Module
	}
	return nil
}

// finals follows imports to what they bring in. A symbol that no import can be
// followed from is its own.
func finals(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	return resolve.Follow(r, y, imports)
}

// imports returns what a symbol imports, and whether it is something itself.
func imports(r *resolve.Resolver, y *resolve.Symbol) (next []*resolve.Symbol, own bool) {
	own = len(y.Decls) == 0
	for _, d := range y.Decls {
		if !y.Imported(d) {
			own = true
		} else if to := importedSymbol(r, y.Unit, d.Node, y.Name); to != nil {
			next = append(next, to)
		} else {
			own = true
		}
	}
	return next, own
}

// importedSymbol is what one name of an import statement stands for.
func importedSymbol(r *resolve.Resolver, u *resolve.Unit, n int32, bound string) *resolve.Symbol {
	statement := u.Parent(n)
	name := n
	if u.Kind(n) == "aliased_import" {
		name = u.Child(n, "name")
	}
	if u.Kind(statement) == "import_from_statement" {
		m := importedModule(r, u, statement)
		if m != nil && m.unit == u { // what a package imports from itself is a module in it, and not this import
			if sub := submodule(r, m, u.Text(name)); sub != nil {
				return sub
			}
		}
		return exported(r, m, u.Text(name))
	}
	dotted := u.Text(name)
	if u.Kind(n) != "aliased_import" { // import a.b binds a
		dotted = bound
	}
	if m := absoluteModule(r, u, dotted); m != nil && m.unit != nil {
		return m.unit.Module
	}
	return nil
}
