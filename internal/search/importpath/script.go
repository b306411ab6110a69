package importpath

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"codeintel/internal/index"
	"codeintel/internal/resolve/typescript/tsconfig"
)

// A scriptWorld is what the manifests of a project say about modules of scripts.
type scriptWorld struct {
	packages []scriptPackage
	configs  *tsconfig.Configs
}

// A scriptPackage is a package.json.
type scriptPackage struct {
	dir, name string
	entries   []string // main and its like
	exports   json.RawMessage
	imports   json.RawMessage
}

// scriptSuffixes are what a module's name may leave out, likeliest first.
var scriptSuffixes = strings.Fields(".ts .tsx .d.ts .mts .cts .js .jsx .mjs .cjs .json .vue .svelte .astro .scss .sass .css .less " +
	"/index.ts /index.tsx /index.d.ts /index.mts /index.js /index.jsx /index.mjs /index.cjs /index.vue /_index.scss /index.scss")

// compiledAs are the suffixes of what a script is compiled to, with those of the script.
var compiledAs = [][2]string{
	{".js", ".ts"}, {".js", ".tsx"}, {".js", ".d.ts"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}, {".mjs", ".d.mts"},
}

func (r *Resolver) script(i index.Import) Target {
	name, _, _ := strings.Cut(i.Path, "?") // what a bundler is told about it
	switch {
	case name == "":
		return Target{Missing: true}
	case strings.Contains(name, "://") || strings.HasPrefix(name, "data:"):
		return Target{Outside: name}
	case strings.HasPrefix(name, "."):
		if f := r.scriptAt(path.Join(path.Dir(i.File), name)); f != "" {
			return Target{Files: []string{f}}
		}
		return Target{Missing: true}
	}
	w := r.scriptManifests()
	if f := r.mapped(w, i.File, name); f != "" {
		return Target{Files: []string{f}}
	}
	if strings.HasPrefix(name, "#") {
		if p := w.around(path.Dir(i.File)); p != nil {
			if f := r.conditional(p, p.imports, name); f != "" {
				return Target{Files: []string{f}}
			}
		}
	}
	if f, own := r.ofPackage(w, name); own {
		return Target{Files: f, Missing: len(f) == 0}
	}
	if strings.HasPrefix(name, "/") {
		f := r.outwards(i.File, name, "", "public", "src", "static")
		return Target{Files: f, Missing: len(f) == 0}
	}
	if w.around(path.Dir(i.File)) == nil { // so an import map says what a bare name is
		if f := r.outwards(i.File, name, ""); len(f) > 0 {
			return Target{Files: f, Guessed: true}
		}
	}
	for _, alias := range []string{"@/", "~/", "~@/"} { // what bundlers are commonly told
		if rest, ok := strings.CutPrefix(name, alias); ok {
			return r.aliased(i.File, rest)
		}
	}
	return Target{Outside: packageName(name)}
}

// outwards finds a path below the folder of a file or one around it, nearest first, or below
// some folders there: which of them is the root of a site, its server knows.
func (r *Resolver) outwards(from, name string, below ...string) []string {
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		for _, root := range below {
			if f := r.scriptAt(path.Join(dir, root, name)); f != "" {
				return []string{f}
			}
		}
		if dir == "." {
			return nil
		}
	}
}

// aliased finds a name below the sources of the package around a file.
func (r *Resolver) aliased(from, rest string) Target {
	dir := ""
	if p := r.scriptManifests().around(path.Dir(from)); p != nil {
		dir = p.dir
	}
	for _, root := range []string{"src", "", "app"} {
		if f := r.scriptAt(path.Join(dir, root, rest)); f != "" {
			return Target{Files: []string{f}, Guessed: true}
		}
	}
	return Target{Missing: true}
}

// packageName is the name of a package in that of a module of it.
func packageName(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	if strings.HasPrefix(first, "@") {
		second, _, _ := strings.Cut(rest, "/")
		return path.Join(first, second)
	}
	return first
}

// scriptAt finds a file by its path, in which suffixes may be missing, or may be those of
// what it is compiled to; "" if there is none.
func (r *Resolver) scriptAt(p string) string {
	p = strings.TrimPrefix(path.Clean(p), "/")
	for _, c := range compiledAs {
		if stem, ok := strings.CutSuffix(p, c[0]); ok && r.files[stem+c[1]] {
			return stem + c[1]
		}
	}
	if r.files[p] {
		return p
	}
	for _, s := range scriptSuffixes {
		if f := strings.TrimPrefix(p+s, "./"); r.files[f] {
			return f
		}
		dir, base := path.Split(p) // a partial of a style sheet
		if f := dir + "_" + base + s; strings.HasSuffix(s, "ss") && r.files[f] {
			return f
		}
	}
	if f := path.Join(p, "package.json"); r.files[f] {
		for _, q := range r.scriptManifests().packages {
			if q.dir == p {
				return r.entryOf(&q)
			}
		}
	}
	return ""
}

// entryOf is the file that a package offers by its own name.
func (r *Resolver) entryOf(p *scriptPackage) string {
	if f := r.conditional(p, p.exports, "."); f != "" {
		return f
	}
	for _, e := range append(slices.Clone(p.entries), "index", "src/index", "lib/index", "src/main") {
		if f := r.source(p.dir, e); f != "" {
			return f
		}
	}
	return ""
}

// built are folders of what is made from sources, which a checkout does not have.
var built = strings.Fields("dist build lib out esm cjs es module types umd _esm _cjs output .build")

// source finds the file that a package names, or the one that it is made from.
func (r *Resolver) source(dir, name string) string {
	name = path.Clean(name)
	if f := r.scriptAt(path.Join(dir, name)); f != "" && r.files[f] {
		return f
	}
	rest := name
	for range 3 {
		first, after, ok := strings.Cut(rest, "/")
		if !ok || !slices.Contains(built, first) {
			break
		}
		rest = after
		stem := rest
		for _, s := range []string{".d.ts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".js"} {
			if cut, ok := strings.CutSuffix(rest, s); ok {
				stem = cut
				break
			}
		}
		for _, root := range []string{"src", "source", "", "lib"} {
			if f := r.scriptAt(path.Join(dir, root, stem)); f != "" {
				return f
			}
		}
	}
	return ""
}

// scriptManifests reads the manifests of packages, those with the longest names first.
func (r *Resolver) scriptManifests() *scriptWorld {
	if r.scripts != nil {
		return r.scripts
	}
	r.scripts = &scriptWorld{configs: tsconfig.New(func(file string) ([]byte, bool) {
		return []byte(r.read(file)), r.files[file]
	})}
	for _, f := range r.named("package.json") {
		var m struct {
			Name    string          `json:"name"`
			Main    string          `json:"main"`
			Module  string          `json:"module"`
			Types   string          `json:"types"`
			Typings string          `json:"typings"`
			Source  string          `json:"source"`
			Exports json.RawMessage `json:"exports"`
			Imports json.RawMessage `json:"imports"`
		}
		if json.Unmarshal([]byte(r.read(f)), &m) != nil {
			continue
		}
		p := scriptPackage{dir: path.Dir(f), name: m.Name, exports: m.Exports, imports: m.Imports}
		for _, e := range []string{m.Source, m.Types, m.Typings, m.Module, m.Main} {
			if e != "" {
				p.entries = append(p.entries, e)
			}
		}
		r.scripts.packages = append(r.scripts.packages, p)
	}
	slices.SortStableFunc(r.scripts.packages, func(a, b scriptPackage) int { return len(b.name) - len(a.name) })
	return r.scripts
}

// around returns the package that a folder is part of, or nil.
func (w *scriptWorld) around(dir string) *scriptPackage {
	for {
		for i := range w.packages {
			if w.packages[i].dir == dir {
				return &w.packages[i]
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
		dir = path.Dir(dir)
	}
}

// ofPackage finds what a name without dots means if the package is one of the project.
func (r *Resolver) ofPackage(w *scriptWorld, name string) (files []string, own bool) {
	for i := range w.packages {
		p := &w.packages[i]
		rest, ok := strings.CutPrefix(name, p.name)
		if !ok || p.name == "" || rest != "" && rest[0] != '/' {
			continue
		}
		f := ""
		if rest == "" {
			f = r.entryOf(p)
		} else if f = r.conditional(p, p.exports, "."+rest); f == "" {
			for _, root := range []string{"", "src", "lib", "source"} {
				if f = r.scriptAt(path.Join(p.dir, root, rest[1:])); f != "" {
					break
				}
			}
		}
		if f == "" {
			return nil, true
		}
		return []string{f}, true
	}
	return nil, false
}

// conditional looks a name up in the exports or imports of a package.
func (r *Resolver) conditional(p *scriptPackage, table json.RawMessage, name string) string {
	if len(table) == 0 {
		return ""
	}
	var entries map[string]json.RawMessage
	if json.Unmarshal(table, &entries) != nil ||
		!slices.ContainsFunc(keysOf(table), func(k string) bool { return k != "" && (k[0] == '.' || k[0] == '#') }) {
		if name != "." {
			return ""
		}
		return r.chosen(p, table, "")
	}
	if e, ok := entries[name]; ok {
		return r.chosen(p, e, "")
	}
	best, star := "", ""
	for key := range entries {
		head, tail, ok := strings.Cut(key, "*")
		if ok && len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name,
			tail) && len(head) > len(best) {
			best, star = key, name[len(head):len(name)-len(tail)]
		}
	}
	if best == "" {
		return ""
	}
	return r.chosen(p, entries[best], star)
}

// chosen finds the first file that an entry of a table of conditions leads to.
func (r *Resolver) chosen(p *scriptPackage, entry json.RawMessage, star string) string {
	var name string
	if json.Unmarshal(entry, &name) == nil {
		return r.source(p.dir, strings.ReplaceAll(name, "*", star))
	}
	var any []json.RawMessage
	if json.Unmarshal(entry, &any) == nil {
		for _, e := range any {
			if f := r.chosen(p, e, star); f != "" {
				return f
			}
		}
	}
	var conditions map[string]json.RawMessage
	if json.Unmarshal(entry, &conditions) != nil {
		return ""
	}
	for _, key := range keysOf(entry) {
		if f := r.chosen(p, conditions[key], star); f != "" {
			return f
		}
	}
	return ""
}

// keysOf lists the members of an object in their order, which counts.
func keysOf(object json.RawMessage) (keys []string) {
	v, err := hujson.Parse(object)
	if err != nil {
		return nil
	}
	if o, ok := v.Value.(*hujson.Object); ok {
		for _, m := range o.Members {
			if l, ok := m.Name.Value.(hujson.Literal); ok {
				keys = append(keys, l.String())
			}
		}
	}
	return keys
}

// mapped finds a name that the nearest configuration of the compiler maps.
func (r *Resolver) mapped(w *scriptWorld, from, name string) string {
	for _, to := range w.configs.Targets(from, name) {
		if f := r.scriptAt(to); f != "" {
			return f
		}
	}
	return ""
}
