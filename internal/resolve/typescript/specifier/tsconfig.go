package specifier

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/tailscale/hujson"
)

// A Reader returns the text of a file of the project, and whether there is one.
type Reader func(file string) ([]byte, bool)

// configs are the tsconfig.json and jsconfig.json of a project, read when they are needed:
// their baseUrl and paths say which files names stand for.
type configs struct {
	read    Reader
	folders map[string]*config
}

// A config is a configuration with what it extends.
type config struct {
	base  string // folder of names without dots, "" for none
	from  string // folder of the targets of paths
	paths map[string][]string
}

// IsConfig reports whether a file is, by its name, a configuration or one that others extend.
func IsConfig(file string) bool {
	base := path.Base(file)
	return strings.HasSuffix(base, ".json") && (strings.HasPrefix(base, "tsconfig.") || strings.HasPrefix(base, "jsconfig."))
}

// targets lists what a name that a file imports is mapped to by the nearest configuration,
// likeliest first: paths, of which suffixes may be missing. There may be no such file.
func (c *configs) targets(file, name string) (all []string) {
	o := c.nearest(path.Dir(file))
	if o == nil {
		return nil
	}
	pattern, star := o.matching(name)
	for _, to := range o.paths[pattern] {
		all = append(all, path.Join(o.from, strings.Replace(to, "*", star, 1)))
	}
	if o.base != "" {
		all = append(all, path.Join(o.base, name))
	}
	return all
}

// matching returns the pattern of paths that fits a name best, and what its star stands for.
func (c *config) matching(name string) (best, star string) {
	for pattern := range c.paths {
		head, tail, wild := strings.Cut(pattern, "*")
		switch {
		case pattern == name:
			return pattern, ""
		case wild && len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail):
			if was, _, _ := strings.Cut(best, "*"); best == "" || len(head) > len(was) {
				best, star = pattern, name[len(head):len(name)-len(tail)]
			}
		}
	}
	return best, star
}

// nearest returns the configuration nearest above a folder, or nil.
func (c *configs) nearest(dir string) *config {
	if o, ok := c.folders[dir]; ok {
		return o
	}
	o := c.in(path.Join(dir, "tsconfig.json"), 0)
	if o == nil {
		o = c.in(path.Join(dir, "jsconfig.json"), 0)
	}
	if o == nil && dir != "." && dir != "/" {
		o = c.nearest(path.Dir(dir))
	}
	c.folders[dir] = o
	return o
}

// maxExtended bounds how far configurations extend each other.
const maxExtended = 8

// in reads a configuration and what it extends, or refers to. It returns nil if there is none.
func (c *configs) in(file string, depth int) *config {
	text, ok := c.read(file)
	if !ok {
		return nil
	}
	text, err := hujson.Standardize(text)
	var m struct {
		Extends         any `json:"extends"`
		CompilerOptions struct {
			BaseURL *string             `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
		References []struct {
			Path string `json:"path"`
		} `json:"references"`
	}
	if err != nil || json.Unmarshal(text, &m) != nil || depth > maxExtended {
		return &config{}
	}
	dir, o := path.Dir(file), &config{}
	for _, name := range stringList(m.Extends) {
		if base := c.named(dir, name, depth); base != nil {
			o = base
		}
	}
	if m.CompilerOptions.BaseURL != nil {
		o.base = path.Join(dir, *m.CompilerOptions.BaseURL)
		o.from = o.base
	}
	if m.CompilerOptions.Paths != nil {
		o.paths = m.CompilerOptions.Paths
		if o.base == "" {
			o.from = dir
		}
	}
	for _, ref := range m.References { // a solution: its parts say what names mean
		if len(o.paths) == 0 && path.Dir(path.Join(dir, ref.Path)) == dir {
			if part := c.named(dir, ref.Path, depth); part != nil && len(part.paths) > 0 {
				o = part
			}
		}
	}
	return o
}

// stringList returns a string, or the strings of a list.
func stringList(v any) (all []string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, one := range list {
		if s, ok := one.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// generated holds the paths of configurations that frameworks write into a folder which no
// checkout has, as they do unless they are told otherwise; targets are as seen from above it.
var generated = map[string]map[string][]string{
	".svelte-kit": {"$lib": {"src/lib"}, "$lib/*": {"src/lib/*"}},
	".nuxt": {
		"~/*": {"app/*", "*", "src/*"}, "@/*": {"app/*", "*", "src/*"},
		"~~/*": {"*"}, "@@/*": {"*"}, "#shared/*": {"shared/*"},
	},
}

// named reads the configuration that another names, or returns nil.
func (c *configs) named(dir, name string, depth int) *config {
	if !strings.HasPrefix(name, ".") {
		return nil
	}
	file := path.Join(dir, name)
	for _, suffix := range []string{"", ".json", "/tsconfig.json"} {
		if suffix != "" || strings.HasSuffix(file, ".json") {
			if o := c.in(file+suffix, depth+1); o != nil {
				return o
			}
		}
	}
	folder := path.Dir(file)
	if paths := generated[path.Base(folder)]; paths != nil {
		return &config{from: path.Dir(folder), paths: paths}
	}
	return nil
}
