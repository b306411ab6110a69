package specifier

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A manifest is a package.json.
type manifest struct {
	dir string

	Name    string
	Exports json.RawMessage
	Imports json.RawMessage

	Source, Types, Typings, Module, Main any // names of files, if they are strings
}

// allManifests reads the manifests of the project, those with the longest names first.
func (p *Project) allManifests() []manifest {
	if p.packages != nil {
		return p.packages
	}
	p.packages = []manifest{}
	for _, f := range p.manifests {
		m := manifest{dir: path.Dir(f)}
		if text, ok := p.read(f); ok && json.Unmarshal(text, &m) == nil {
			p.packages = append(p.packages, m)
		}
	}
	slices.SortStableFunc(p.packages, func(a, b manifest) int { return len(b.Name) - len(a.Name) })
	return p.packages
}

// around returns the package that a folder is part of, or nil.
func (p *Project) around(dir string) *manifest {
	for all := p.allManifests(); ; dir = path.Dir(dir) {
		if i := slices.IndexFunc(all, func(m manifest) bool { return m.dir == dir }); i >= 0 {
			return &all[i]
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

// packageOf returns the package of the project that a name without dots is of, or nil.
func (p *Project) packageOf(name string) *manifest {
	all := p.allManifests()
	i := slices.IndexFunc(all, func(m manifest) bool {
		rest, ok := strings.CutPrefix(name, m.Name)
		return ok && m.Name != "" && (rest == "" || rest[0] == '/')
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// sourceRoots are the folders of a package in which its sources lie commonly.
var sourceRoots = []string{"src", "", "lib", "source", "src/lib"}

// packageFile finds the file of a package that its name, or a path below that, stands for.
func (p *Project) packageFile(m *manifest, name string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, m.Name), "/")
	if rest == "" {
		return p.entryOf(m)
	}
	if f := p.conditional(m, m.Exports, "./"+rest); f != "" {
		return f
	}
	return p.below(m.dir, rest, sourceRoots...)
}

// entryOf is the file that a package offers by its own name: one that its manifest names, or
// that its sources are commonly called.
func (p *Project) entryOf(m *manifest) string {
	if f := p.conditional(m, m.Exports, "."); f != "" {
		return f
	}
	for _, e := range []any{m.Source, m.Types, m.Typings, m.Module, m.Main, "index", "src/index", "lib/index", "src/main"} {
		if name, ok := e.(string); ok && name != "" {
			if f := p.source(m.dir, name); f != "" {
				return f
			}
		}
	}
	var alike []string
	for stem := range p.stems {
		if strings.EqualFold(stem, path.Base(m.Name)) {
			alike = append(alike, stem)
		}
	}
	slices.Sort(alike)
	for _, stem := range alike {
		if f := p.below(m.dir, stem, sourceRoots...); f != "" {
			return f
		}
	}
	return ""
}

// built are folders of what is made from sources, which a checkout does not have.
var built = strings.Fields("dist build lib out esm cjs es module types umd _esm _cjs output .build")

// source finds the file that a package names, or the one that it is made from.
func (p *Project) source(dir, name string) string {
	name = path.Clean(name)
	if f := p.fileAt(path.Join(dir, name)); f != "" {
		return f
	}
	rest := name
	for n := range 3 {
		first, after, ok := strings.Cut(rest, "/")
		if !ok || n > 0 && !slices.Contains(built, first) {
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
		if f := p.below(dir, stem, sourceRoots...); f != "" {
			return f
		}
	}
	return ""
}

// conditional looks a name up in the exports or imports of a package.
func (p *Project) conditional(m *manifest, table json.RawMessage, name string) string {
	if len(table) == 0 {
		return ""
	}
	var entries map[string]json.RawMessage
	if json.Unmarshal(table, &entries) != nil ||
		!slices.ContainsFunc(keysOf(table), func(k string) bool { return k != "" && (k[0] == '.' || k[0] == '#') }) {
		if name != "." {
			return ""
		}
		return p.chosen(m, table, "")
	}
	if e, ok := entries[name]; ok {
		return p.chosen(m, e, "")
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
	return p.chosen(m, entries[best], star)
}

// chosen finds the first file that an entry of a table of conditions leads to.
func (p *Project) chosen(m *manifest, entry json.RawMessage, star string) string {
	var name string
	if json.Unmarshal(entry, &name) == nil {
		return p.source(m.dir, strings.ReplaceAll(name, "*", star))
	}
	var any []json.RawMessage
	if json.Unmarshal(entry, &any) == nil {
		for _, e := range any {
			if f := p.chosen(m, e, star); f != "" {
				return f
			}
		}
	}
	var conditions map[string]json.RawMessage
	if json.Unmarshal(entry, &conditions) != nil {
		return ""
	}
	for _, key := range keysOf(entry) {
		if f := p.chosen(m, conditions[key], star); f != "" {
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
