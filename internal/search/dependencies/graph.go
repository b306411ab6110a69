package dependencies

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A target is what an import names: files of the project, or where imports name packages,
// as in Go, a folder. It is neither for what lies outside.
type target struct {
	files   []string
	folder  string
	outside string // the package or library, where nothing of the project is named
	missing bool   // it names a file of the project that is not there
	guessed bool   // by the end of its path alone
}

// A resolver finds what imports of one project name. It serves one question.
type resolver struct {
	ctx     context.Context
	p       *project.Project
	x       *index.Index
	reaches func(index.Import, string) bool // for languages without rules of their own
	declare func(index.Import) []string     // files by the module that an import names

	files   map[string]bool
	folders map[string]bool
	stems   map[string][]string // by the name without suffixes, sorted
	indexed []string
	likely  map[string][]string // what is indexed, by the name without suffixes

	modules  []golang.Module // nil until it is needed
	scripts  *scriptWorld
	pythons  *pythonWorld
	crates   map[string]string // folders by the names of crates
	packages map[string]string // what files say that they belong to
	texts    map[string][]string
	known    map[string]*target
	err      error
}

func newResolver(ctx context.Context, p *project.Project, x *index.Index, src search.Sources) (*resolver, error) {
	l, err := x.Listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("dependencies: list files: %w", err)
	}
	r := &resolver{
		ctx: ctx, p: p, x: x, reaches: src.Reaches(ctx), declare: src.Modules(ctx),
		files: make(map[string]bool, len(l.Entries)), folders: map[string]bool{".": true}, stems: map[string][]string{}, likely: map[string][]string{},
		packages: map[string]string{}, texts: map[string][]string{}, known: map[string]*target{},
	}
	for i := range l.Entries {
		f := l.Entries[i].Path
		r.files[f] = true
		r.stems[stemOf(f)] = append(r.stems[stemOf(f)], f)
		if l.Entries[i].Class.Indexed() {
			r.indexed = append(r.indexed, f)
			r.likely[stemOf(f)] = append(r.likely[stemOf(f)], f)
		}
		for d := path.Dir(f); !r.folders[d]; d = path.Dir(d) {
			r.folders[d] = true
		}
	}
	for _, list := range r.stems {
		slices.Sort(list)
	}
	return r, nil
}

// stemOf is the name of a file before its first dot.
func stemOf(file string) string {
	base := path.Base(file)
	if at := strings.IndexByte(base[1:], '.'); at >= 0 {
		return base[:at+1]
	}
	return base
}

// target returns what an import names, the file that it stands in left out.
func (r *resolver) target(i index.Import) target {
	t := *r.shared(i)
	t.files = slices.DeleteFunc(slices.Clone(t.files), func(f string) bool { return f == i.File })
	return t
}

// shared returns what an import names, for all files of a folder that say the same.
func (r *resolver) shared(i index.Import) *target {
	key := strings.Join([]string{string(i.Language), path.Dir(i.File), i.Path, strings.Join(i.Names, ",")}, "\x00")
	way := syntax.Of(i.Language).Names.Imports
	switch way {
	case syntax.ImportsCrate, syntax.ImportsInclude, syntax.ImportsLoadPath: // the file and its line count
		key = fmt.Sprintf("%s\x00%s\x00%d", key, i.File, i.Line)
	}
	if t := r.known[key]; t != nil {
		return t
	}
	var t target
	switch way {
	case syntax.ImportsFolder:
		t = r.calledFolder(i)
	case syntax.ImportsPackage:
		t = r.golang(i)
	case syntax.ImportsModule:
		t = r.python(i)
	case syntax.ImportsScript:
		t = r.script(i)
	case syntax.ImportsInclude:
		t = r.include(i)
	case syntax.ImportsDeclared:
		t = r.declared(i)
	case syntax.ImportsCrate:
		t = r.rust(i)
	case syntax.ImportsLoadPath:
		t = r.loaded(i)
	default:
		t = r.other(i)
	}
	r.known[key] = &t
	return &t
}

// importers returns the imports that may name one of some files; what each of them means
// is not known yet.
func (r *resolver) importers(of map[string]bool) ([]index.Import, error) {
	names := r.offered(of)
	list, err := r.x.ImportsWhere(r.ctx, func(i index.Import) bool {
		if of[i.File] {
			return false
		}
		switch syntax.Of(i.Language).Names.Imports {
		case syntax.ImportsInclude, syntax.ImportsLoadPath:
			return names[stemOf(path.Base("x/"+i.Path))]
		case syntax.ImportsDeclared:
			return len(i.Names) == 0 || slices.ContainsFunc(strings.FieldsFunc(i.Path, isSeparator),
				func(part string) bool { return names[part] })
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("dependencies: importers: %w", err)
	}
	return list, nil
}

func isSeparator(c rune) bool { return c == '.' || c == '\\' || c == ':' || c == '/' }

// offered returns the names by which imports can mean files: theirs, and those of what
// they declare where that is what imports name.
func (r *resolver) offered(of map[string]bool) map[string]bool {
	names := map[string]bool{}
	for file := range of {
		names[stemOf(file)] = true
		if syntax.Of(syntax.Detect(file, nil)).Names.Imports != syntax.ImportsDeclared {
			continue
		}
		for _, s := range r.symbols(file) {
			names[s.Name] = true
		}
	}
	return names
}

// fail keeps the first error; what follows resolves to nothing.
func (r *resolver) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("dependencies: %w", err)
	}
}

// line returns a line of a file, "" if there is none.
func (r *resolver) line(file string, n int) string {
	all, ok := r.texts[file]
	if !ok {
		if t, err := files.Read(r.p, file); err == nil {
			all = strings.Split(string(t.Bytes), "\n")
		}
		r.texts[file] = all
	}
	if n < 1 || n > len(all) {
		return ""
	}
	return all[n-1]
}

// read returns the text of a file, "" if it cannot be read.
func (r *resolver) read(file string) string {
	t, err := files.Read(r.p, file)
	if err != nil {
		return ""
	}
	return string(t.Bytes)
}

// named lists the files with a name, such as go.mod, outer ones first.
func (r *resolver) named(name string) []string {
	var all []string
	for _, f := range r.stems[stemOf(name)] {
		if path.Base(f) == name {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return all
}

// nearest returns the files that share most folders with a file.
func nearest(list []string, to string) []string {
	most := -1
	var best []string
	for _, f := range list {
		switch n := text.CommonFolders(f, to); {
		case n > most:
			most, best = n, []string{f}
		case n == most:
			best = append(best, f)
		}
	}
	return best
}

func (r *resolver) golang(i index.Import) target {
	if r.modules == nil {
		r.modules = golang.Modules(r.named("go.mod"), r.read)
	}
	switch dir := golang.FolderOf(r.modules, i.Path); {
	case dir == "?":
		return target{outside: i.Path}
	case !r.folders[dir]:
		return target{missing: true}
	default:
		return target{folder: dir}
	}
}

// calledFolder finds the files of the folder that a path from that of the file leads to.
func (r *resolver) calledFolder(i index.Import) target {
	dir := path.Join(path.Dir(i.File), i.Path)
	var t target
	for _, f := range r.indexed {
		if path.Dir(f) == dir && syntax.SameGroup(i.Language, syntax.Detect(f, nil)) {
			t.files = append(t.files, f)
		}
	}
	t.missing = len(t.files) == 0
	return t
}

// include finds a header: beside the file that includes it, or wherever a path ends so,
// nearest first.
func (r *resolver) include(i index.Import) target {
	angled := strings.Contains(r.line(i.File, i.Line), "<"+i.Path)
	if p := path.Join(path.Dir(i.File), i.Path); !angled && r.files[p] {
		return target{files: []string{p}}
	}
	tail := strings.TrimLeft(path.Clean(i.Path), "./")
	if angled && ofSystem(tail) {
		return target{outside: i.Path}
	}
	var found []string
	for _, f := range r.stems[stemOf(tail)] {
		if f == tail || strings.HasSuffix(f, "/"+tail) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) > 0:
		best := nearest(found, i.File)
		return target{files: best, guessed: len(found) > 1}
	case angled:
		return target{outside: i.Path}
	}
	return target{outside: i.Path, missing: true}
}

// systemHeaders are those that every C program may include; a project may have files of
// the same names.
var systemHeaders = strings.Fields(`assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
	stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
	unistd fcntl pthread dirent dlfcn grp poll pwd regex sched semaphore strings syslog termios utime netdb getopt windows`)

func ofSystem(header string) bool {
	if strings.HasPrefix(header, "sys/") {
		return true
	}
	name, ok := strings.CutSuffix(header, ".h")
	return ok && slices.Contains(systemHeaders, name)
}

// loaded finds what Ruby requires: beside the file, or below a folder that is on its load
// path.
func (r *resolver) loaded(i index.Import) target {
	suffix := path.Ext(i.File)
	p := strings.TrimSuffix(i.Path, suffix) + suffix
	if strings.Contains(r.line(i.File, i.Line), "_relative") || strings.HasPrefix(i.Path, ".") {
		if at := path.Join(path.Dir(i.File), p); r.files[at] {
			return target{files: []string{at}}
		}
		return target{missing: true}
	}
	var found []string
	for _, f := range r.stems[stemOf(p)] {
		root, ok := strings.CutSuffix(f, p)
		if !ok || root != "" && !strings.HasSuffix(root, "/") {
			continue
		}
		if root = path.Base(path.Clean(root)); root == "." || slices.Contains(loadRoots, root) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		first, _, _ := strings.Cut(i.Path, "/")
		return target{outside: first}
	}
	return target{files: nearest(found, i.File), guessed: len(found) > 1}
}

// loadRoots are the folders that tools of Ruby put on the load path.
var loadRoots = []string{"lib", "test", "spec", "ext", "app", "tasks"}

// declaresModules reports whether a file says which modules it is.
func (r *resolver) declaresModules(file string) bool {
	return slices.ContainsFunc(r.symbols(file), func(s index.Symbol) bool { return s.Kind == syntax.Module })
}

// symbols are those of a listed file: none of one whose text turned out to be of a kind that
// is not indexed, or that the index has yet to read.
func (r *resolver) symbols(file string) []index.Symbol {
	list, err := r.x.FileSymbols(r.ctx, file)
	if err != nil && problem.Of(err) == nil {
		r.fail(err)
	}
	return list
}

// candidates returns the files that an import may name: those that are called as a part
// of the end of its path is, and those that stand for their folder.
func (r *resolver) candidates(i index.Import) []string {
	if i.Language == syntax.Elixir || syntax.Of(i.Language).Names.Imports != syntax.ImportsAny {
		return r.indexed // it spells the name in another way
	}
	whole := strings.FieldsFunc(i.Path, func(c rune) bool { return strings.ContainsRune(`/\*`, c) })
	if len(whole) == 0 {
		return nil
	}
	all := slices.Clone(r.likely["init"])
	for _, part := range strings.FieldsFunc(whole[len(whole)-1], func(c rune) bool { return c == '.' || c == ':' }) {
		all = append(all, r.likely[part]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// other asks the rules by which references judge imports.
func (r *resolver) other(i index.Import) target {
	if files := r.declare(i); len(files) > 0 {
		return target{files: nearest(files, i.File)}
	}
	var found []string
	for _, f := range r.candidates(i) {
		if i.Language == syntax.Elixir && r.declaresModules(f) {
			continue // it would have been named whole
		}
		own := path.Ext(i.Path) == path.Ext(f) || syntax.SameGroup(i.Language, syntax.Detect(f, nil)) ||
			i.Language == syntax.SQL && path.Ext(f) == ".csv" // what a table is filled with
		if own && r.reaches(i, f) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return target{outside: i.Path}
	}
	return target{files: nearest(found, i.File), guessed: len(found) > 1}
}
