package rust

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// moduleAround is the module that a node is in.
func moduleAround(u *resolve.Unit, n int32) *resolve.Scope {
	for u.Host != nil {
		u, n = u.Host, u.HostNode
	}
	for n = u.Parent(n); n >= 0; n = u.Parent(n) {
		if s := u.Scopes[n]; s != nil && s.Kind == resolve.ModuleScope {
			return s
		}
	}
	return u.Top
}

// moduleScope returns what a mod item holds: its body, or the file that it names.
func moduleScope(r *resolve.Resolver, y *resolve.Symbol) *resolve.Scope {
	if y.Inner != nil {
		return y.Inner
	}
	for _, u := range moduleUnits(r, y) {
		return u.Top
	}
	return nil
}

// moduleUnits lists the files that mod items name: several where each is for a platform.
func moduleUnits(r *resolve.Resolver, y *resolve.Symbol) (all []*resolve.Unit) {
	for _, d := range y.Decls {
		if y.Unit.Kind(d.Node) != "mod_item" {
			return all
		}
		if y.Unit.Child(d.Node, "body") >= 0 {
			continue
		}
		written, usual := moduleFiles(y.Unit, d.Node)
		for i, file := range append(written, usual...) {
			u := r.Unit(file)
			if u == nil || u == y.Unit || slices.Contains(all, u) {
				continue
			}
			all = append(all, u)
			if _, known := memoryOf(u).parents[u]; !known {
				memoryOf(u).parents[u] = y
			}
			if i >= len(written) {
				break
			}
		}
	}
	return all
}

// moduleFiles lists the files in which the module of a mod item may lie: those that its attributes
// name, each for a platform where it is conditional, and the usual ones unless one always is.
func moduleFiles(u *resolve.Unit, n int32) (written, usual []string) {
	dir := path.Dir(u.Path)
	always := false
	for a := range u.Children(u.Parent(n)) {
		if a >= n {
			break
		}
		if u.Kind(a) != "attribute_item" {
			written, always = nil, false
			continue
		}
		if _, file, ok := strings.Cut(u.Text(a), `path = "`); ok {
			file, _, _ = strings.Cut(file, `"`)
			written, always = append(written, path.Join(dir, file)), always || !strings.Contains(u.Text(a), "cfg_attr")
		}
	}
	if always {
		return written, nil
	}
	within := u.Text(u.Child(n, "name"))
	for p := u.Around(n, "mod_item"); p >= 0; p = u.Around(p, "mod_item") {
		within = u.Text(u.Child(p, "name")) + "/" + within
	}
	within = strings.ReplaceAll(within, "r#", "")
	below := path.Join(dir, strings.TrimSuffix(path.Base(u.Path), ".rs"), within)
	beside := path.Join(dir, within)
	return written, []string{below + ".rs", below + "/mod.rs", beside + ".rs", beside + "/mod.rs"}
}

// parentOf is the module around a module, or nil for the root of a crate.
func parentOf(r *resolve.Resolver, s *resolve.Scope) *resolve.Scope {
	if s.Class != nil {
		return moduleAround(s.Unit, s.Node)
	}
	y := declaringItem(r, s.Unit)
	if y == nil {
		return nil
	}
	return moduleAround(y.Unit, y.Decls[0].Node)
}

// declaringItem finds the mod item that makes a file part of its crate, or nil if
// the file is the root of one.
func declaringItem(r *resolve.Resolver, u *resolve.Unit) *resolve.Symbol {
	m := memoryOf(u)
	if y, ok := m.parents[u]; ok {
		return y
	}
	m.parents[u] = nil
	dir, base := path.Dir(u.Path), strings.TrimSuffix(path.Base(u.Path), ".rs")
	if base == "mod" {
		dir, base = path.Dir(dir), path.Base(dir)
	}
	candidates := []string{dir + "/lib.rs", dir + "/mod.rs", dir + ".rs", dir + "/main.rs"}
	for _, f := range r.Defining(base) {
		if path.Dir(f) == dir && !slices.Contains(candidates, f) {
			candidates = append(candidates, f)
		}
	}
	for _, f := range candidates {
		if f = path.Clean(f); f == u.Path {
			continue
		}
		in := r.Unit(f)
		if in == nil {
			continue
		}
		for _, y := range in.Owner {
			if y.Name == base && slices.ContainsFunc(y.Decls, func(d resolve.Decl) bool { return isFileOf(in, d.Node, u.Path) }) {
				m.parents[u] = y
				return y
			}
		}
	}
	return nil
}

// isFileOf reports whether a mod item without a body may mean a file.
func isFileOf(u *resolve.Unit, n int32, file string) bool {
	if u.Kind(n) != "mod_item" || u.Child(n, "body") >= 0 {
		return false
	}
	written, usual := moduleFiles(u, n)
	return slices.Contains(written, file) || slices.Contains(usual, file)
}

// rootOf is the root module of the crate of a module.
func rootOf(r *resolve.Resolver, s *resolve.Scope) *resolve.Scope {
	for range resolve.MostDepth {
		p := parentOf(r, s)
		if p == nil || p == s {
			break
		}
		s = p
	}
	return s
}

// crateNamed returns the root module of a crate of the project, or nil.
func crateNamed(r *resolve.Resolver, u *resolve.Unit, name string) *resolve.Scope {
	m := memoryOf(u)
	if m.crates == nil {
		m.crates = map[string][]string{}
		for _, f := range r.Crates {
			readManifest(r, f, m.crates)
		}
	}
	for u.Host != nil {
		u = u.Host
	}
	var nearest *resolve.Unit // a project may hold manifests of one name, as among the data of its tests
	for _, file := range m.crates[name] {
		if root := r.Unit(file); root != nil && (nearest == nil || commonPrefix(file, u.Path) > commonPrefix(nearest.Path,
			u.Path)) {
			nearest = root
		}
	}
	if nearest == nil {
		return nil
	}
	return nearest.Top
}

// commonPrefix is how many bytes two paths have in common.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// readManifest notes the library crate of a Cargo.toml, and the names by which it
// renames those that it depends on.
func readManifest(r *resolve.Resolver, file string, crates map[string][]string) {
	text, err := r.Read(file)
	if err != nil {
		return
	}
	name, root, section := "", path.Join(path.Dir(file), "src/lib.rs"), ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[] ")
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		quoted := strings.Trim(value, `"`)
		switch {
		case section == "package" && key == "name" && name == "", section == "lib" && key == "name":
			name = quoted
		case section == "lib" && key == "path":
			root = path.Join(path.Dir(file), quoted)
		case strings.HasSuffix(section, "dependencies") && strings.HasPrefix(value, "{"):
			if _, of, ok := strings.Cut(value, `path = "`); ok && strings.Contains(value, "package") {
				of, _, _ = strings.Cut(of, `"`)
				key = crateName(key)
				crates[key] = append(crates[key], path.Join(path.Dir(file), of, "src/lib.rs"))
			}
		}
	}
	if name != "" {
		name = crateName(name)
		crates[name] = append(crates[name], root)
	}
}

func crateName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// A lookupKey is a name that is being looked up in a module.
type lookupKey struct {
	scope *resolve.Scope
	key   string
}

// inScope finds what a module, or a block, has under a key: its own items, what it
// imports by name, what it imports with a glob.
func inScope(r *resolve.Resolver, s *resolve.Scope, name string, space namespace) entity {
	m := memoryOf(s.Unit)
	k := lookupKey{s, space.key(name)}
	if m.looking[k] || !enterBounded(r) {
		return entity{}
	}
	m.looking[k] = true
	defer func() { delete(m.looking, k); r.Leave() }()
	if y := s.Names[k.key]; y != nil {
		return entityOf(r, y)
	}
	i := infoOf(s.Unit).uses[s]
	if i == nil {
		return entity{}
	}
	var outside entity
	for _, last := range i.names[name] {
		e := imported(r, s.Unit, last, space)
		if e.known() && !e.outside {
			return e
		}
		if e.outside {
			outside = e
		}
	}
	if outside.outside {
		return outside
	}
	for _, g := range i.globs {
		from := globOf(r, s.Unit, g)
		if e := member(r, s.Unit, from, name, space); e.known() && !e.outside {
			return e
		}
	}
	return entity{}
}

// imported resolves the last part of a path in a use declaration.
func imported(r *resolve.Resolver, u *resolve.Unit, last int32, space namespace) entity {
	if u.Kind(u.Parent(last)) == "extern_crate_declaration" {
		return crateEntity(r, u, u.Text(last))
	}
	if u.Kind(last) == "scoped_identifier" {
		path, name := u.Child(last, "path"), u.Child(last, "name")
		if path < 0 {
			return crateEntity(r, u, u.Text(name))
		}
		from := imported(r, u, path, types)
		if u.Kind(name) == "super" {
			return parentEntity(r, from)
		}
		return member(r, u, from, u.Text(name), space)
	}
	if prefix := usePrefix(u, last); prefix >= 0 {
		from := imported(r, u, prefix, types)
		switch u.Kind(last) {
		case "self":
			return from
		case "super":
			return parentEntity(r, from)
		}
		return member(r, u, from, u.Text(last), space)
	}
	switch u.Kind(last) {
	case "self", "super", "crate":
		return keywordModule(r, u, last)
	}
	name := u.Text(last)
	for at := u.Parent(last); at >= 0; at = u.Parent(at) {
		s := u.Scopes[at]
		if s == nil || s.Kind == resolve.ClassScope {
			continue
		}
		if e := inScope(r, s, name, space); e.known() {
			return e
		}
		if s.Kind == resolve.ModuleScope {
			break
		}
	}
	if e := crateEntity(r, u, name); e.known() && !e.outside {
		return e
	}
	if e := inScope(r, rootOf(r, moduleAround(u, last)), name, space); e.known() { // edition 2015
		return e
	}
	return crateEntity(r, u, name)
}

// usePrefix is the path of the list that a path of a use declaration begins in,
// or -1.
func usePrefix(u *resolve.Unit, n int32) int32 {
	p := u.Parent(n)
	for u.Kind(p) == "scoped_identifier" && u.Field(n) == "path" {
		n, p = p, u.Parent(p)
	}
	switch u.Kind(p) {
	case "use_as_clause", "use_wildcard":
		p = u.Parent(p)
	case "scoped_use_list":
		if u.Field(n) == "path" {
			p = u.Parent(p)
		}
	}
	for u.Kind(p) == "use_list" {
		p = u.Parent(p)
		if u.Kind(p) != "scoped_use_list" {
			return -1
		}
		if path := u.Child(p, "path"); path >= 0 {
			return path
		}
		p = u.Parent(p)
	}
	return -1
}

// globOf returns what a use declaration takes everything from.
func globOf(r *resolve.Resolver, u *resolve.Unit, g int32) entity {
	if path := u.First(g); path >= 0 {
		return imported(r, u, path, types)
	}
	if prefix := usePrefix(u, g); prefix >= 0 {
		return imported(r, u, prefix, types)
	}
	return entity{}
}

// crateEntity is the crate of a name: of the project, std, or another library.
func crateEntity(r *resolve.Resolver, u *resolve.Unit, name string) entity {
	switch name {
	case "std", "core", "alloc":
		return entity{module: stdUnit(u).Top}
	}
	if s := crateNamed(r, u, name); s != nil {
		return entity{module: s}
	}
	return entity{outside: true, name: name}
}

// keywordModule is what self, super and crate mean in a path.
func keywordModule(r *resolve.Resolver, u *resolve.Unit, n int32) entity {
	here := moduleAround(u, n)
	switch u.Kind(n) {
	case "crate":
		return entity{module: rootOf(r, here)}
	case "super":
		return parentEntity(r, entity{module: here})
	}
	return entity{module: here}
}

func parentEntity(r *resolve.Resolver, e entity) entity {
	if e.module == nil {
		return entity{}
	}
	return entity{module: parentOf(r, e.module)}
}
