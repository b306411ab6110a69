package resolve

import (
	"path"
	"slices"
	"strings"
)

// A pyModule is a file or a folder that can be imported.
type pyModule struct {
	unit *unit  // nil for a folder without __init__.py
	stem string // its path without suffix
}

// pyModuleAt returns the module whose path without suffix is stem.
func (r *Resolver) pyModuleAt(stem string) *pyModule {
	for _, p := range []string{stem + "/__init__.py", stem + ".py", stem + ".pyi", stem + "/__init__.pyi"} {
		if _, ok := r.files[p]; ok {
			return &pyModule{r.unit(p), stem}
		}
	}
	return nil
}

// pyImported returns the module that an import statement names, or nil.
func (r *Resolver) pyImported(u *unit, n int32) *pyModule {
	for u.host != nil {
		u = u.host
	}
	from := u.child(n, "module_name")
	if u.kind(from) != "relative_import" {
		return r.pyAbsolute(u, u.of(from))
	}
	text := u.of(from)
	rest := strings.TrimLeft(text, ". ")
	dir := path.Dir(u.path)
	for range strings.Count(text[:len(text)-len(rest)], ".") - 1 {
		dir = path.Dir(dir)
	}
	stem := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
	if m := r.pyModuleAt(stem); m != nil {
		return m
	}
	return &pyModule{nil, stem}
}

// pyAbsolute finds a.b.c: the first part beside the importing file or above
// it, or wherever a package of the name lies nearest to the root.
func (r *Resolver) pyAbsolute(u *unit, dotted string) *pyModule {
	parts := strings.Split(strings.ReplaceAll(dotted, " ", ""), ".")
	rest := strings.Join(parts[1:], "/")
	try := func(root string) *pyModule {
		if m := r.pyModuleAt(root); m == nil && rest == "" {
			return nil
		}
		return r.pyModuleAt(path.Join(root, rest))
	}
	var tops []string
	for _, p := range r.modules[parts[0]] {
		tops = append(tops, strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), "/__init__"))
	}
	slices.SortFunc(tops, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for dir := path.Dir(u.path); ; dir = path.Dir(dir) {
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
		if r.pyModuleAt(path.Dir(top)) != nil {
			continue
		}
		if m := try(top); m != nil {
			return m
		}
	}
	return nil
}

// pyExport finds a name that a module offers: one of its own, or a submodule.
func (r *Resolver) pyExport(m *pyModule, name string) *symbol {
	if m == nil {
		return nil
	}
	if m.unit != nil {
		if y := m.unit.top.names[name]; y != nil {
			return y
		}
	}
	if path.Base(m.stem) != "" && (m.unit == nil || strings.HasPrefix(path.Base(m.unit.path), "__init__")) {
		if sub := r.pyModuleAt(path.Join(m.stem, name)); sub != nil && sub.unit != nil {
			return sub.unit.module
		}
	}
	if m.unit == nil || !r.step() || r.depth > mostDepth {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	for _, star := range m.unit.top.stars {
		if from := r.pyImported(m.unit, star); from != nil && from.unit != m.unit {
			if y := r.pyExport(from, name); y != nil {
				return y
			}
		}
	}
	return nil
}

// finals follows imports to what they bring in. A symbol that no import can be
// followed from is its own.
func (r *Resolver) finals(y *symbol) []*symbol {
	var all []*symbol
	seen := map[*symbol]bool{}
	todo := []*symbol{y}
	for len(todo) > 0 {
		y := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[y] {
			continue
		}
		seen[y] = true
		own := len(y.decls) == 0
		for _, d := range y.decls {
			if !y.imported(d) {
				own = true
			} else if to := r.pyImportedSymbol(y.unit, d.node, y.name); to != nil {
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
func (r *Resolver) pyImportedSymbol(u *unit, n int32, bound string) *symbol {
	statement := u.parent(n)
	name := n
	if u.kind(n) == "aliased_import" {
		name = u.child(n, "name")
	}
	if u.kind(statement) == "import_from_statement" {
		return r.pyExport(r.pyImported(u, statement), u.of(name))
	}
	dotted := u.of(name)
	if u.kind(n) != "aliased_import" { // import a.b binds a
		dotted = bound
	}
	if m := r.pyAbsolute(u, dotted); m != nil && m.unit != nil {
		return m.unit.module
	}
	return nil
}
