package python

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A pyModule is a file or a folder that can be imported.
type pyModule struct {
	unit *resolve.Unit // nil for a folder without __init__.py
	stem string        // its path without suffix
}

// pyModuleAt returns the module whose path without suffix is stem.
func pyModuleAt(r *resolve.Resolver, stem string) *pyModule {
	for _, p := range []string{stem + "/__init__.py", stem + ".py", stem + ".pyi", stem + "/__init__.pyi"} {
		if _, ok := r.Files[p]; ok {
			return &pyModule{r.Unit(p), stem}
		}
	}
	return nil
}

// pyImported returns the module that an import statement names, or nil.
func pyImported(r *resolve.Resolver, u *resolve.Unit, n int32) *pyModule {
	for u.Host != nil {
		u = u.Host
	}
	from := u.Child(n, "module_name")
	if u.Kind(from) != "relative_import" {
		return pyAbsolute(r, u, u.Text(from))
	}
	text := u.Text(from)
	rest := strings.TrimLeft(text, ". ")
	dir := path.Dir(u.Path)
	for range strings.Count(text[:len(text)-len(rest)], ".") - 1 {
		dir = path.Dir(dir)
	}
	stem := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
	if m := pyModuleAt(r, stem); m != nil {
		return m
	}
	return &pyModule{nil, stem}
}

// pyAbsolute finds a.b.c: the first part beside the importing file or above
// it, or wherever a package of the name lies nearest to the root.
func pyAbsolute(r *resolve.Resolver, u *resolve.Unit, dotted string) *pyModule {
	parts := strings.Split(strings.ReplaceAll(dotted, " ", ""), ".")
	rest := strings.Join(parts[1:], "/")
	try := func(root string) *pyModule {
		if m := pyModuleAt(r, root); m == nil && rest == "" {
			return nil
		}
		return pyModuleAt(r, path.Join(root, rest))
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
		if pyModuleAt(r, path.Dir(top)) != nil {
			continue
		}
		if m := try(top); m != nil {
			return m
		}
	}
	return nil
}

// pyExport finds a name that a module offers: one of its own, or a submodule.
func pyExport(r *resolve.Resolver, m *pyModule, name string) *resolve.Symbol {
	if m == nil {
		return nil
	}
	if m.unit != nil {
		if y := m.unit.Top.Names[name]; y != nil {
			return y
		}
	}
	if path.Base(m.stem) != "" && (m.unit == nil || strings.HasPrefix(path.Base(m.unit.Path), "__init__")) {
		if sub := pyModuleAt(r, path.Join(m.stem, name)); sub != nil && sub.unit != nil {
			return sub.unit.Module
		}
	}
	if m.unit == nil || !r.Step() || r.Depth > resolve.MostDepth {
		return nil
	}
	r.Depth++
	defer func() { r.Depth-- }()
	for _, star := range m.unit.Top.Stars {
		if from := pyImported(r, m.unit, star); from != nil && from.unit != m.unit {
			if y := pyExport(r, from, name); y != nil {
				return y
			}
		}
	}
	return nil
}

// finals follows imports to what they bring in. A symbol that no import can be
// followed from is its own.
func finals(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	var all []*resolve.Symbol
	seen := map[*resolve.Symbol]bool{}
	todo := []*resolve.Symbol{y}
	for len(todo) > 0 {
		y := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[y] {
			continue
		}
		seen[y] = true
		own := len(y.Decls) == 0
		for _, d := range y.Decls {
			if !y.Imported(d) {
				own = true
			} else if to := pyImportedSymbol(r, y.Unit, d.Node, y.Name); to != nil {
				todo = append(todo, to)
			} else {
				own = true
			}
		}
		if own {
			all = append(all, y)
		}
	}
	return all
}

// pyImportedSymbol is what one name of an import statement stands for.
func pyImportedSymbol(r *resolve.Resolver, u *resolve.Unit, n int32, bound string) *resolve.Symbol {
	statement := u.Parent(n)
	name := n
	if u.Kind(n) == "aliased_import" {
		name = u.Child(n, "name")
	}
	if u.Kind(statement) == "import_from_statement" {
		return pyExport(r, pyImported(r, u, statement), u.Text(name))
	}
	dotted := u.Text(name)
	if u.Kind(n) != "aliased_import" { // import a.b binds a
		dotted = bound
	}
	if m := pyAbsolute(r, u, dotted); m != nil && m.unit != nil {
		return m.unit.Module
	}
	return nil
}
