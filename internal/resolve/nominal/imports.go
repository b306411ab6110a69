package nominal

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/resolve"
)

// imports lists what is imported: by the file, and for it by files in its folder and
// in those around.
func (c *context) imports() []importLine {
	suffix := c.f.row.shared
	if suffix == "" {
		return c.f.imports
	}
	m := memoryOf(c.u)
	if !m.gathered {
		m.gathered = true
		m.built = c.builtImports()
		for _, p := range slices.Sorted(maps.Keys(c.Files)) {
			if strings.HasSuffix(p, suffix) {
				if u := c.Unit(p); u != nil && u.Language == c.u.Language {
					m.shared = append(m.shared, u)
				}
			}
		}
	}
	if c.f.all != nil {
		return c.f.all
	}
	all := append([]importLine{}, c.f.imports...)
	for _, u := range m.shared {
		if u == c.u || !strings.HasPrefix(c.u.Path, folderOf(u.Path)) {
			continue
		}
		for _, i := range fileOf(u).imports {
			if i.shared {
				all = append(all, i)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(m.built)) {
		if strings.HasPrefix(c.u.Path, folder) {
			all = append(all, m.built[folder]...)
		}
	}
	c.f.all = all
	return all
}

// folderOf is the folder of a file, "" for the root of the project, else with a slash.
func folderOf(file string) string { return file[:strings.LastIndexByte(file, '/')+1] }

var (
	usingItem = lazyregexp.MustCompile(`<Using\s[^>]*>`)
	attribute = lazyregexp.MustCompile(`(\w+)\s*=\s*"([^"]*)"`)
)

// builtImports reads what the files of the build import into every file of their folder.
func (c *context) builtImports() map[string][]importLine {
	all := map[string][]importLine{}
	for _, b := range c.Builds {
		text, err := c.Read(b)
		if err != nil {
			continue
		}
		for _, item := range usingItem.FindAllString(string(text), -1) {
			has := map[string]string{}
			for _, a := range attribute.FindAllStringSubmatch(item, -1) {
				has[a[1]] = a[2]
			}
			if has["Include"] != "" {
				all[folderOf(b)] = append(all[folderOf(b)], importLine{
					path: has["Include"], name: has["Alias"], members: strings.EqualFold(has["Static"], "true"),
				})
			}
		}
	}
	return all
}

// unreached reports whether the project has something of a name, though nothing that was
// read brings it in here: what the build imports is not all known.
func (c *context) unreached(name string, w want) bool {
	return c.f.row.shared != "" && slices.ContainsFunc(c.topNamed(name), func(y *resolve.Symbol) bool {
		return matches(y, w) && !fileOf(y.Unit).library
	})
}
