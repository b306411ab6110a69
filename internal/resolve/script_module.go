package resolve

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// scriptSuffixes are what a module specifier may leave out, likeliest first.
var scriptSuffixes = []string{"", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.tsx", "/index.mts", "/index.d.ts", "/index.js", "/index.jsx", "/index.mjs"}

// tsModule returns the file that a specifier names, or nil.
func (r *Resolver) tsModule(u *unit, specifier string) *unit {
	if strings.HasPrefix(specifier, ".") {
		return r.tsFile(path.Join(path.Dir(u.path), specifier))
	}
	key := path.Dir(u.path) + "\x00" + specifier
	if m, ok := tsMemoryOf(u).specifiers[key]; ok {
		return m
	}
	m := r.tsPackage(u, specifier)
	if m == nil {
		m = r.tsMapped(specifier)
	}
	tsMemoryOf(u).specifiers[key] = m
	return m
}

// tsFile finds a file by its path, in which suffixes may be missing, or may be
// those of what it is compiled to.
func (r *Resolver) tsFile(p string) *unit {
	stems := []string{p}
	for _, ext := range []string{".js", ".jsx", ".mjs", ".cjs"} {
		if stem, ok := strings.CutSuffix(p, ext); ok {
			stems = []string{stem, p}
		}
	}
	for _, stem := range stems {
		for _, suffix := range scriptSuffixes {
			file := strings.TrimPrefix(stem+suffix, "./")
			if _, ok := r.files[file]; ok {
				return r.unit(file)
			}
		}
	}
	return nil
}

// tsPackage finds what a bare specifier names if the package is one of the
// project: by the name that its package.json gives it.
func (r *Resolver) tsPackage(u *unit, specifier string) *unit {
	for _, p := range r.packages(u) {
		rest, ok := strings.CutPrefix(specifier, p.name)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		for _, root := range []string{"src", "", "lib", "source"} {
			at := path.Join(p.dir, root, rest)
			if m := r.tsFile(at); m != nil {
				return m
			}
		}
	}
	return nil
}

// A scriptPackage is a package.json of the project.
type scriptPackage struct{ dir, name string }

// packages reads the package.json files of the project.
func (r *Resolver) packages(u *unit) []scriptPackage {
	kept := tsMemoryOf(u)
	if kept.packaged != nil {
		return kept.packaged
	}
	kept.packaged = []scriptPackage{}
	for _, p := range r.manifests {
		text, err := r.read(p)
		if err != nil || path.Base(p) != "package.json" {
			continue
		}
		var m struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(text, &m) == nil && m.Name != "" {
			kept.packaged = append(kept.packaged, scriptPackage{path.Dir(p), m.Name})
		}
	}
	slices.SortStableFunc(kept.packaged, func(a, b scriptPackage) int { return len(b.name) - len(a.name) })
	return kept.packaged
}

// tsMapped finds a specifier that a build maps to a folder, as "@/a/b" is
// commonly: the one file whose path ends so.
func (r *Resolver) tsMapped(specifier string) *unit {
	tail := strings.TrimLeft(specifier, "@~#/")
	if tail == specifier && !strings.Contains(specifier, "/") || tail == "" {
		return nil
	}
	if strings.HasPrefix(specifier, "@") && !strings.HasPrefix(specifier, "@/") {
		return nil // a package of a scope
	}
	var found []string
	for _, p := range r.modules[stemOf(path.Base(tail))] {
		stem := strings.TrimSuffix(p, path.Ext(p))
		if stem == tail || strings.HasSuffix(stem, "/"+tail) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		for _, p := range r.modules["index"] {
			if stem := strings.TrimSuffix(p, path.Ext(p)); strings.HasSuffix("/"+stem, "/"+tail+"/index") {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return r.unit(found[0])
}

// source returns the module that an import or export names, or nil.
func (r *Resolver) source(u *unit, statement int32) *unit {
	s := u.child(statement, "source")
	if s < 0 {
		return nil
	}
	return r.tsModule(u, unquote(u.of(s)))
}

// tsExport finds a name that a file offers.
func (r *Resolver) tsExport(u *unit, name string) *symbol {
	return r.tsExportSeen(u, name, map[*unit]bool{})
}

func (r *Resolver) tsExportSeen(u *unit, name string, seen map[*unit]bool) *symbol {
	if u == nil || u.exports == nil || seen[u] || !r.step() {
		return nil
	}
	seen[u] = true
	if y := u.exports.names[name]; y != nil {
		return y
	}
	if name == "default" {
		return nil
	}
	for _, star := range u.exports.stars {
		if y := r.tsExportSeen(r.source(u, star), name, seen); y != nil {
			return y
		}
	}
	return nil
}

// tsFinals follows imports and exports to what they bring in. A symbol that
// none can be followed from is its own.
func (r *Resolver) tsFinals(y *symbol) []*symbol {
	var all []*symbol
	seen := map[*symbol]bool{}
	todo := []*symbol{y}
	for len(todo) > 0 {
		y := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if y == nil || seen[y] || !r.step() {
			continue
		}
		seen[y] = true
		next := r.tsLink(y)
		switch {
		case next != nil:
			todo = append(todo, next)
		default:
			all = append(all, y)
		}
		if next != nil && len(y.decls) > 1 { // declared here as well
			all = append(all, y)
		}
	}
	return all
}

// tsLink is what an import or export stands for, one step on, or nil.
func (r *Resolver) tsLink(y *symbol) *symbol {
	if len(y.decls) == 0 {
		return nil
	}
	u, d := y.unit, y.decls[0]
	switch u.kind(d.node) {
	case "import_specifier":
		statement := u.around(d.node, "import_statement")
		return r.tsExport(r.source(u, statement), unquote(u.of(u.child(d.node, "name"))))
	case "import_clause":
		return r.tsExport(r.source(u, u.parent(d.node)), "default")
	case "namespace_import", "namespace_export":
		if m := r.source(u, u.around(d.node, "import_statement", "export_statement")); m != nil {
			return m.module
		}
		return nil
	case "export_specifier":
		name := u.child(d.node, "name")
		statement := u.around(d.node, "export_statement")
		if u.child(statement, "source") >= 0 {
			return r.tsExport(r.source(u, statement), unquote(u.of(name)))
		}
		return u.top.names[u.of(name)]
	case "export_statement":
		if v := u.child(d.node, "value"); u.kind(v) == "identifier" {
			return u.top.names[u.of(v)]
		}
		if u.kind(d.name) == "identifier" {
			return u.top.names[u.of(d.name)]
		}
	}
	return nil
}
