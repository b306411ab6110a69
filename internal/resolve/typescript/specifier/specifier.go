// Package specifier finds the file of a project that a script or a style sheet names as a
// module, as compilers and bundlers do: by its path, by tsconfig.json, by package.json.
package specifier

import (
	"iter"
	"path"
	"strings"
)

// A Project is what is known of the files of one project. It is not safe for concurrent use.
type Project struct {
	has       func(file string) bool
	read      Reader
	manifests []string // package.json files
	stems     iter.Seq[string]
	configs   *configs
	packages  []manifest // nil until asked for
	entering  map[string]bool
}

// New returns the project of the files that has reports, with these package.json files; stems
// yields the names of all files, without folders and suffixes.
func New(has func(file string) bool, read Reader, manifests []string, stems iter.Seq[string]) *Project {
	return &Project{has: has, read: read, manifests: manifests, stems: stems, entering: map[string]bool{},
		configs: &configs{read: read, folders: map[string]*config{}}}
}

// A Target is what a specifier names: a file, or something outside of the project.
type Target struct {
	File    string
	Outside string // the package
	Guessed bool   // a common setting of builds was assumed
}

// suffixes are what a module's name may leave out, likeliest first.
var suffixes = strings.Fields(".ts .tsx .d.ts .mts .cts .js .jsx .mjs .cjs .json .vue .svelte .astro .scss .sass .css .less " +
	"/index.ts /index.tsx /index.d.ts /index.mts /index.js /index.jsx /index.mjs /index.cjs /index.vue /_index.scss /index.scss")

// compiledAs are the suffixes of what a script is compiled to, with those of the script.
var compiledAs = [][2]string{
	{".js", ".ts"}, {".js", ".tsx"}, {".js", ".d.ts"}, {".js", ".jsx"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}, {".mjs", ".d.mts"},
}

// Longest is how many bytes a specifier has at most: no file system has longer paths.
const Longest = 4096

// Target returns what a specifier in a file names; nothing where it names a file of the project
// that is not there.
func (p *Project) Target(from, specifier string) Target {
	name, _, _ := strings.Cut(specifier, "?") // what a bundler is told about it
	switch {
	case name == "" || len(name) > Longest:
		return Target{}
	case strings.Contains(name, "://") || strings.HasPrefix(name, "data:"):
		return Target{Outside: name}
	case strings.HasPrefix(name, "."):
		return Target{File: p.fileAt(path.Join(path.Dir(from), name))}
	}
	for _, to := range p.configs.targets(from, name) {
		if f := p.fileAt(to); f != "" {
			return Target{File: f}
		}
	}
	around := p.around(path.Dir(from))
	if strings.HasPrefix(name, "#") && around != nil {
		if f := p.conditional(around, around.Imports, name); f != "" {
			return Target{File: f}
		}
	}
	if m := p.packageOf(name); m != nil {
		return Target{File: p.packageFile(m, name)}
	}
	if strings.HasPrefix(name, "/") {
		return Target{File: p.findOutwards(from, name, "", "public", "src", "static")}
	}
	if around == nil { // so an import map says what a bare name is
		if f := p.findOutwards(from, name, ""); f != "" {
			return Target{File: f, Guessed: true}
		}
	}
	for _, alias := range []string{"@/", "~/", "~@/"} { // what bundlers are commonly told
		if rest, ok := strings.CutPrefix(name, alias); ok {
			return Target{File: p.aliased(around, rest), Guessed: true}
		}
	}
	return Target{Outside: packageName(name)}
}

// OwnPackage reports whether a specifier names a package of the project.
func (p *Project) OwnPackage(specifier string) bool { return p.packageOf(specifier) != nil }

// findOutwards finds a path below the folder of a file or one around it, nearest first, or below
// some folders there: which of them is the root of a site, its server knows.
func (p *Project) findOutwards(from, name string, below ...string) string {
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		for _, root := range below {
			if f := p.fileAt(path.Join(dir, root, name)); f != "" {
				return f
			}
		}
		if dir == "." {
			return ""
		}
	}
}

// aliased finds a name below the sources of a package, or of the project.
func (p *Project) aliased(m *manifest, rest string) string {
	dir := ""
	if m != nil {
		dir = m.dir
	}
	return p.below(dir, rest, "src", "", "app")
}

// below finds a path in one of some folders.
func (p *Project) below(dir, name string, roots ...string) string {
	for _, root := range roots {
		if f := p.fileAt(path.Join(dir, root, name)); f != "" {
			return f
		}
	}
	return ""
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

// fileAt finds a file by its path, in which suffixes may be missing, or may be those of
// what it is compiled to; "" if there is none.
func (p *Project) fileAt(file string) string {
	file = strings.TrimPrefix(path.Clean(file), "/")
	for _, c := range compiledAs {
		if stem, ok := strings.CutSuffix(file, c[0]); ok && p.has(stem+c[1]) {
			return stem + c[1]
		}
	}
	if p.has(file) {
		return file
	}
	for _, s := range suffixes {
		if f := strings.TrimPrefix(file+s, "./"); p.has(f) {
			return f
		}
		dir, base := path.Split(file) // a partial of a style sheet
		if f := dir + "_" + base + s; strings.HasSuffix(s, "ss") && p.has(f) {
			return f
		}
	}
	for _, m := range p.allManifests() {
		if m.dir == file && !p.entering[file] { // packages may name each other's folders
			p.entering[file] = true
			defer delete(p.entering, file)
			return p.entryOf(&m)
		}
	}
	return ""
}
