package typescript

import (
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/resolve/typescript/specifier"
	"codeintel/internal/syntax"
)

// moduleOf returns the file that a specifier names, or nil.
func moduleOf(r *resolve.Resolver, u *resolve.Unit, name string) *resolve.Unit {
	if len(name) > specifier.Longest {
		return nil
	}
	key := path.Dir(u.Path) + "\x00" + name
	if m, ok := memoryOf(u).specifiers[key]; ok {
		return m
	}
	var m *resolve.Unit
	if t := projectOf(r, u).Target(u.Path, name); t.File != "" && !t.Guessed {
		m = r.Unit(t.File)
	}
	if m == nil && !strings.HasPrefix(name, ".") {
		if m = mappedFile(r, name); m == nil {
			m = declaredModule(r, name)
		}
	}
	memoryOf(u).specifiers[key] = m
	return m
}

// projectOf returns what finds the files that specifiers name.
func projectOf(r *resolve.Resolver, u *resolve.Unit) *specifier.Project {
	kept := memoryOf(u)
	if kept.project != nil {
		return kept.project
	}
	var packages []string
	listed := map[string]bool{}
	for _, m := range r.Manifests {
		if listed[m] = true; path.Base(m) == "package.json" {
			packages = append(packages, m)
		}
	}
	has := func(file string) bool { _, ok := r.Files[file]; return ok }
	kept.project = specifier.New(has, func(file string) ([]byte, bool) {
		if specifier.IsConfig(file) && !listed[file] {
			return nil, false
		}
		text, err := r.Read(file)
		return text, err == nil
	}, packages, maps.Keys(r.Modules))
	return kept.project
}

// declaredModule makes a module of what files declare as one of a library: declare module
// "a" {…}. All that is there is offered.
func declaredModule(r *resolve.Resolver, specifier string) *resolve.Unit {
	var all *resolve.Unit
	for _, f := range r.Defining(specifier) {
		if _, there := r.Files[f]; !there || !isScript(f) {
			continue
		}
		from := r.Unit(f)
		if from == nil {
			continue
		}
		for i := range from.Nodes {
			n := int32(i)
			name := from.Child(n, "name")
			if from.Kind(n) != "module" || from.Kind(name) != "string" || resolve.Unquote(from.Text(name)) != specifier {
				continue
			}
			if all == nil {
				whole := *from
				all = &whole
				all.Exports = &resolve.Scope{Kind: resolve.ModuleScope, Unit: from, Names: map[string]*resolve.Symbol{}}
				all.Module = &resolve.Symbol{Name: resolve.StemOf(specifier), Unit: all}
			}
			offerDeclared(from, n, all.Exports)
		}
	}
	return all
}

// offerDeclared offers what a module that is declared exports, and what it declares.
func offerDeclared(u *resolve.Unit, module int32, to *resolve.Scope) {
	for name, y := range u.Scopes[module].Names {
		if !y.Imported(y.Decls[0]) {
			to.Names[name] = y
		}
	}
	for name, y := range u.Members[module].Names {
		if exported, ok := strings.CutPrefix(name, static); ok {
			to.Names[exported] = y
		}
	}
}

// mappedFile finds a specifier that a build maps to a folder, as "@/a/b" is
// commonly: the one file whose path ends so.
func mappedFile(r *resolve.Resolver, specifier string) *resolve.Unit {
	tail := strings.TrimLeft(specifier, "@~#/")
	if tail == specifier && !strings.Contains(specifier, "/") || tail == "" {
		return nil
	}
	if strings.HasPrefix(specifier, "@") && !strings.HasPrefix(specifier, "@/") {
		return nil // a package of a scope
	}
	var found []string
	for _, p := range slices.Concat(r.Modules[path.Base(tail)], r.Modules[strings.TrimSuffix(path.Base(tail),
		path.Ext(tail))]) {
		if stem := strings.TrimSuffix(p, path.Ext(p)); strings.HasSuffix("/"+stem, "/"+tail) || strings.HasSuffix("/"+p, "/"+tail) {
			found = append(found, p)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 0 {
		for _, p := range r.Modules["index"] {
			if stem := strings.TrimSuffix(p, path.Ext(p)); strings.HasSuffix("/"+stem, "/"+tail+"/index") {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return r.Unit(found[0])
}

// source returns the module that an import or export names, or nil.
func source(r *resolve.Resolver, u *resolve.Unit, statement int32) *resolve.Unit {
	s := u.Child(statement, "source")
	if s < 0 {
		return nil
	}
	return moduleOf(r, u, resolve.Unquote(u.Text(s)))
}

// Renames lists the names that imports of a file give to any of some symbols.
func (Language) Renames(r *resolve.Resolver, u *resolve.Unit,
	of map[*resolve.Symbol]bool) (names []string, offers bool) {
	means := func(y *resolve.Symbol) bool {
		return y != nil && slices.ContainsFunc(finals(r, y), func(f *resolve.Symbol) bool {
			return of[f] || of[wrapped(r, f)]
		})
	}
	if u.Exports == nil {
		return nil, false
	}
	offers = means(u.Exports.Names["default"]) || means(u.Exports.Names[exportsAll])
	for _, s := range u.Scopes {
		for name, y := range s.Names {
			if y.Imported(y.Decls[0]) && means(y) {
				names = append(names, name)
			}
		}
	}
	for name, y := range u.Exports.Names { // export {default as a} from "b"
		if len(y.Decls) > 0 && u.Kind(y.Decls[0].Node) == "export_specifier" && means(y) {
			names = append(names, name)
		}
	}
	return names, offers
}

// exported finds a name that a file offers.
func exported(r *resolve.Resolver, u *resolve.Unit, name string) *resolve.Symbol {
	return exportedUnseen(r, u, name, map[*resolve.Unit]bool{})
}

func exportedUnseen(r *resolve.Resolver, u *resolve.Unit, name string, seen map[*resolve.Unit]bool) *resolve.Symbol {
	if u == nil || u.Exports == nil || seen[u] || !r.Step() {
		return nil
	}
	seen[u] = true
	if y := u.Exports.Names[name]; y != nil {
		return y
	}
	if all := u.Exports.Names[exportsAll]; all != nil {
		if name == "default" {
			return all
		}
		for _, v := range exportsType(r, u) {
			if v.kind == kindModule && v.unit == u {
				continue
			}
			if found, _ := membersOfValue(r, v, name); len(found) > 0 {
				return found[0].symbol
			}
		}
	}
	if name == "default" && isCommonJS(u) { // what an import gets of it is all that it exports
		return u.Module
	}
	for _, star := range u.Exports.Stars {
		if name == "default" {
			break
		}
		if y := exportedUnseen(r, source(r, u, star), name, seen); y != nil {
			return y
		}
	}
	return exportedUnseen(r, scriptBeside(r, u), name, seen)
}

// scriptBeside returns the script that a declaration file is for, a.js for a.d.ts, or nil.
func scriptBeside(r *resolve.Resolver, u *resolve.Unit) *resolve.Unit {
	for _, of := range [][]string{{".d.ts", ".js", ".jsx"}, {".d.mts", ".mjs"}, {".d.cts", ".cjs"}} {
		stem, ok := strings.CutSuffix(u.Path, of[0])
		for _, suffix := range of[1:] {
			if _, there := r.Files[stem+suffix]; ok && there {
				return r.Unit(stem + suffix)
			}
		}
	}
	return nil
}

// implementationOf returns what a script has where the declaration file for it declares something.
func implementationOf(r *resolve.Resolver, y *resolve.Symbol) (found []*resolve.Symbol) {
	js := scriptBeside(r, y.Unit)
	if js == nil || !r.Enter() {
		return nil
	}
	defer r.Leave()
	if in := y.Scope; in != nil && in.Class != nil {
		kind := kindInstance
		if in.Names[static+y.Name] == y {
			kind = kindClass
		}
		for _, c := range implementationOf(r, in.Class) {
			members, _ := membersOfValue(r, value{kind: kind, sym: c}, y.Name)
			for _, m := range members {
				found = append(found, m.symbol)
			}
		}
		return found
	}
	if y.Scope != nil && y.Scope != y.Unit.Top {
		return nil
	}
	name := y.Name
	if y.Unit.Exports != nil {
		for _, whole := range []string{"default", exportsAll} {
			if e := y.Unit.Exports.Names[whole]; e != nil && slices.Contains(finals(r, e), y) {
				name = "default"
			}
		}
	}
	if e := exported(r, js, name); e != nil {
		return finals(r, e)
	}
	return nil
}

// isCommonJS reports whether a file exports by assignments alone.
func isCommonJS(u *resolve.Unit) bool {
	for _, y := range u.Exports.Names {
		if len(y.Decls) == 0 || y.Decls[0].How != assigned {
			return false
		}
	}
	return u.Lang == syntax.JavaScript && len(u.Exports.Names) > 0 && len(u.Exports.Stars) == 0
}

// finals follows imports and exports to what they bring in. A symbol that
// none can be followed from is its own.
func finals(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	return resolve.Follow(r, y, links)
}

// links returns what a symbol imports or exports, and whether it is something
// itself: what is declared here as well is both.
func links(r *resolve.Resolver, y *resolve.Symbol) (next []*resolve.Symbol, own bool) {
	if to := linked(r, y); to != nil {
		return []*resolve.Symbol{to}, len(y.Decls) > 1
	}
	return nil, true
}

// linked is what an import or export stands for, one step on, or nil.
func linked(r *resolve.Resolver, y *resolve.Symbol) *resolve.Symbol {
	if len(y.Decls) == 0 {
		return nil
	}
	u, d := y.Unit, y.Decls[0]
	switch d.How {
	case required:
		return linkedByRequire(r, u, d)
	case assigned:
		return linkedByAssignment(r, u, y, d)
	}
	switch u.Kind(d.Node) {
	case "pair", "shorthand_property_identifier":
		return linkedByLiteral(r, u, d)
	case "import_specifier":
		statement := u.Around(d.Node, "import_statement")
		return exported(r, source(r, u, statement), resolve.Unquote(u.Text(u.Child(d.Node, "name"))))
	case "import_clause":
		return exported(r, source(r, u, u.Parent(d.Node)), "default")
	case "namespace_import", "namespace_export":
		if m := source(r, u, u.Around(d.Node, "import_statement", "export_statement")); m != nil {
			return m.Module
		}
		return nil
	case "export_specifier":
		name := u.Child(d.Node, "name")
		statement := u.Around(d.Node, "export_statement")
		if u.Child(statement, "source") >= 0 {
			return exported(r, source(r, u, statement), resolve.Unquote(u.Text(name)))
		}
		return lookupBare(u, d.Node, u.Text(name))
	case "export_statement":
		if v := u.Child(d.Node, "value"); u.Kind(v) == "identifier" {
			return lookupBare(u, v, u.Text(v))
		}
		if u.Kind(d.Name) == "identifier" {
			return lookupBare(u, d.Name, u.Text(d.Name))
		}
	}
	return nil
}
