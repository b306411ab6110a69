package importpath

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/resolve/typescript/specifier"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Target is what an import names: files of the project or, where imports name packages, as
// in Go, a folder. It is neither for what lies outside.
type Target struct {
	Files   []string
	Folder  string
	Outside string   // the package or library, where nothing of the project is named
	Missing bool     // it names a file of the project that is not there
	Guessed bool     // several files could be meant, or a common setting of builds was assumed
	Whole   bool     // it names a package or a namespace, and so each of its files
	object  []string // of the files, those that declare an object of the name of a package that is imported whole
}

// A Resolver finds what imports of one project name. It serves one question, and one
// goroutine; the index must be fresh.
type Resolver struct {
	ctx context.Context
	p   *project.Project
	x   *index.Index

	files   map[string]bool
	folders map[string]bool
	stems   map[string][]string // by the name without suffixes, sorted
	indexed []string
	likely  map[string][]string // what is indexed, by the name without suffixes

	modules  []golang.Module    // nil until it is needed
	scripts  *specifier.Project // nil until it is needed
	pythons  *pythonWorld
	crates   map[string]string   // folders by the names of crates
	packages map[string]string   // what files say that they belong to
	declares map[string][]string // files by the module that an import of a language names
	texts    map[string][]string
	known    map[string]*Target
	err      error
}

// New returns a Resolver for the files of a project that are listed.
func New(ctx context.Context, p *project.Project, x *index.Index, list []files.Entry) *Resolver {
	r := &Resolver{
		ctx: ctx, p: p, x: x,
		files: make(map[string]bool, len(list)), folders: map[string]bool{".": true},
		stems: map[string][]string{}, likely: map[string][]string{}, packages: map[string]string{},
		declares: map[string][]string{}, texts: map[string][]string{}, known: map[string]*Target{},
	}
	for i := range list {
		f := list[i].Path
		r.files[f] = true
		r.stems[Stem(f)] = append(r.stems[Stem(f)], f)
		if list[i].Class.Indexed() {
			r.indexed = append(r.indexed, f)
			r.likely[Stem(f)] = append(r.likely[Stem(f)], f)
		}
		for d := path.Dir(f); !r.folders[d]; d = path.Dir(d) {
			r.folders[d] = true
		}
	}
	for _, list := range r.stems {
		slices.Sort(list)
	}
	return r
}

// Stem is the name of a file before its first dot.
func Stem(file string) string {
	base := path.Base(file)
	if at := strings.IndexByte(base[1:], '.'); at >= 0 {
		return base[:at+1]
	}
	return base
}

// Err is the first error: what followed it names nothing.
func (r *Resolver) Err() error { return r.err }

// Indexed lists the files that the index reads.
func (r *Resolver) Indexed() []string { return r.indexed }

// Target returns what an import names, the file that it is in left out.
func (r *Resolver) Target(i index.Import) Target {
	t := *r.sharedTarget(i)
	t.Files = slices.DeleteFunc(slices.Clone(t.Files), func(f string) bool { return f == i.File })
	return t
}

// sharedTarget returns what an import names, for all files of a folder that say the same.
func (r *Resolver) sharedTarget(i index.Import) *Target {
	key := strings.Join([]string{string(i.Language), path.Dir(i.File), i.Path, strings.Join(i.Names, ",")}, "\x00")
	way := syntax.Of(i.Language).Names.Imports
	switch way {
	case syntax.ImportsCrate, syntax.ImportsInclude, syntax.ImportsLoadPath: // the file and its line count
		key = fmt.Sprintf("%s\x00%s\x00%d", key, i.File, i.Line)
	}
	if t := r.known[key]; t != nil {
		return t
	}
	var t Target
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
		t = r.findDeclaring(i)
	}
	r.known[key] = &t
	return &t
}

// A Reach says whether an import brings in what a file offers.
type Reach int

// Whether it does: not, through something that may pass it on, or by naming the file.
const (
	None Reach = iota
	Perhaps
	Certainly
)

// Reaches says whether an import brings in a symbol that a file defines, or with no symbol
// the file.
func (r *Resolver) Reaches(i index.Import, file, symbol string) Reach {
	switch syntax.Of(i.Language).Names.Imports {
	case syntax.ImportsView:
		return view(i, file, symbol)
	case syntax.ImportsAny:
		switch declaring := r.Declaring(i); {
		case slices.Contains(declaring, file):
			return Certainly
		case len(declaring) > 0:
			return None
		}
		return byPath(i, file, symbol)
	}
	t := r.sharedTarget(i)
	switch named := slices.Contains(t.Files, file); {
	case named && (t.Guessed || t.Whole) && !slices.Contains(t.object, file):
		return Perhaps
	case named, t.Folder != "" && t.Folder == path.Dir(file):
		return Certainly
	case slices.ContainsFunc(t.Files, func(f string) bool { return passesOn(f, file) }):
		return Perhaps
	}
	return None
}

// passesOn reports whether an import of one file may bring in what another offers: that of a
// package what its modules define, that of a header what its source does.
func passesOn(imported, file string) bool {
	switch stem := Stem(imported); stem {
	case "__init__", "index", "_index", "mod", "lib", "main":
		return strings.HasPrefix(file, slashed(path.Dir(imported)))
	default:
		return path.Ext(imported) != path.Ext(file) && strings.HasPrefix(path.Ext(imported), ".h") && stem == Stem(file)
	}
}

// slashed is a folder as the paths below it begin.
func slashed(dir string) string {
	if dir == "." {
		return ""
	}
	return dir + "/"
}

// Importers returns the imports that name any of some files, or the folder of one, with what
// they name; imports in those files are left out.
func (r *Resolver) Importers(of map[string]bool) (imports []index.Import, targets []Target, err error) {
	names := r.offeredNames(of)
	list, err := r.x.ImportsWhere(r.ctx, func(i index.Import) bool {
		if of[i.File] {
			return false
		}
		switch syntax.Of(i.Language).Names.Imports {
		case syntax.ImportsInclude, syntax.ImportsLoadPath:
			return names[Stem(path.Base("x/"+i.Path))]
		case syntax.ImportsDeclared:
			return len(i.Names) == 0 || slices.ContainsFunc(strings.FieldsFunc(i.Path, isSeparator),
				func(part string) bool { return names[part] })
		}
		return true
	})
	if err != nil {
		return nil, nil, fmt.Errorf("importpath: importers: %w", err)
	}
	for _, i := range list {
		t := r.Target(i)
		means := slices.ContainsFunc(t.Files, func(f string) bool { return of[f] })
		if t.Folder != "" {
			for f := range of {
				means = means || path.Dir(f) == t.Folder && i.File != f && syntax.SameGroup(i.Language, syntax.Detect(f, nil))
			}
		}
		if means {
			imports, targets = append(imports, i), append(targets, t)
		}
	}
	return imports, targets, r.err
}

func isSeparator(c rune) bool { return c == '.' || c == '\\' || c == ':' || c == '/' }

// offeredNames returns the names by which imports can mean files: theirs, and those of what
// they declare where that is what imports name.
func (r *Resolver) offeredNames(of map[string]bool) map[string]bool {
	names := map[string]bool{}
	for file := range of {
		names[Stem(file)] = true
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
func (r *Resolver) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("importpath: %w", err)
	}
}

// line returns a line of a file, "" if there is none.
func (r *Resolver) line(file string, n int) string {
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
func (r *Resolver) read(file string) string {
	t, err := files.Read(r.p, file)
	if err != nil {
		return ""
	}
	return string(t.Bytes)
}

// named lists the files with a name, such as go.mod, outer ones first.
func (r *Resolver) named(name string) []string {
	var all []string
	for _, f := range r.stems[Stem(name)] {
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

// GoModules returns the Go modules of the project.
func (r *Resolver) GoModules() []golang.Module {
	if r.modules == nil {
		r.modules = golang.Modules(r.named("go.mod"), r.read)
	}
	return r.modules
}

// GoFolder returns the folder that an import path of Go names, or "?" for a package of
// another module.
func (r *Resolver) GoFolder(importPath string) string {
	return golang.FolderOf(r.GoModules(), importPath)
}

func (r *Resolver) golang(i index.Import) Target {
	switch dir := r.GoFolder(i.Path); {
	case dir == "?":
		return Target{Outside: i.Path}
	case !r.folders[dir]:
		return Target{Missing: true}
	default:
		return Target{Folder: dir}
	}
}

// script finds the module that a script or a style sheet names.
func (r *Resolver) script(i index.Import) Target {
	if r.scripts == nil {
		has := func(file string) bool { return r.files[file] }
		read := func(file string) ([]byte, bool) { return []byte(r.read(file)), r.files[file] }
		r.scripts = specifier.New(has, read, r.named("package.json"), maps.Keys(r.stems))
	}
	t := r.scripts.Target(i.File, i.Path)
	if t.File == "" {
		return Target{Outside: t.Outside, Missing: t.Outside == ""}
	}
	return Target{Files: []string{t.File}, Guessed: t.Guessed}
}

// calledFolder finds the files of the folder that a path from that of the file leads to.
func (r *Resolver) calledFolder(i index.Import) Target {
	dir := path.Join(path.Dir(i.File), i.Path)
	var t Target
	for _, f := range r.indexed {
		if path.Dir(f) == dir && syntax.SameGroup(i.Language, syntax.Detect(f, nil)) {
			t.Files = append(t.Files, f)
		}
	}
	t.Missing = len(t.Files) == 0
	return t
}

// include finds a header: beside the file that includes it, or wherever a path ends so,
// nearest first.
func (r *Resolver) include(i index.Import) Target {
	angled := strings.Contains(r.line(i.File, i.Line), "<"+i.Path)
	if p := path.Join(path.Dir(i.File), i.Path); !angled && r.files[p] {
		return Target{Files: []string{p}}
	}
	tail := strings.TrimLeft(path.Clean(i.Path), "./")
	if angled && ofSystem(tail) {
		return Target{Outside: i.Path}
	}
	var found []string
	for _, f := range r.stems[Stem(tail)] {
		if f == tail || strings.HasSuffix(f, "/"+tail) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) > 0:
		best := nearest(found, i.File)
		return Target{Files: best, Guessed: len(found) > 1}
	case angled:
		return Target{Outside: i.Path}
	}
	return Target{Outside: i.Path, Missing: true}
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
func (r *Resolver) loaded(i index.Import) Target {
	suffix := path.Ext(i.File)
	p := strings.TrimSuffix(i.Path, suffix) + suffix
	if strings.Contains(r.line(i.File, i.Line), "_relative") || strings.HasPrefix(i.Path, ".") {
		if at := path.Join(path.Dir(i.File), p); r.files[at] {
			return Target{Files: []string{at}}
		}
		return Target{Missing: true}
	}
	var found []string
	for _, f := range r.stems[Stem(p)] {
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
		return Target{Outside: first}
	}
	return Target{Files: nearest(found, i.File), Guessed: len(found) > 1}
}

// loadRoots are the folders that tools of Ruby put on the load path.
var loadRoots = []string{"lib", "test", "spec", "ext", "app", "tasks"}

// declaresModules reports whether a file says which modules it is.
func (r *Resolver) declaresModules(file string) bool {
	return slices.ContainsFunc(r.symbols(file), func(s index.Symbol) bool { return s.Kind == syntax.Module })
}

// symbols are those of a listed file: none of one whose text turned out to be of a kind that
// is not indexed, or that the index has yet to read.
func (r *Resolver) symbols(file string) []index.Symbol {
	list, err := r.x.FileSymbols(r.ctx, file)
	if err != nil && problem.Of(err) == nil {
		r.fail(err)
	}
	return list
}

// candidates returns the files that an import may name: those that are called as a part
// of the end of its path is, and those that stand for their folder.
func (r *Resolver) candidates(i index.Import) []string {
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

// findDeclaring finds the files that declare the module that is named, or whose path fits it.
func (r *Resolver) findDeclaring(i index.Import) Target {
	if files := r.Declaring(i); len(files) > 0 {
		return Target{Files: nearest(files, i.File)}
	}
	var found []string
	for _, f := range r.candidates(i) {
		if i.Language == syntax.Elixir && r.declaresModules(f) {
			continue // it would have been named whole
		}
		own := path.Ext(i.Path) == path.Ext(f) || syntax.SameGroup(i.Language, syntax.Detect(f, nil)) ||
			i.Language == syntax.SQL && path.Ext(f) == ".csv" // what a table is filled with
		if own && r.Reaches(i, f, "") == Certainly {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return Target{Outside: i.Path}
	}
	return Target{Files: nearest(found, i.File), Guessed: len(found) > 1}
}

// Declaring returns the files that declare the module that an import names, wherever they
// lie; none where imports name files, or what is declared in a package.
func (r *Resolver) Declaring(i index.Import) []string {
	if syntax.Of(i.Language).Names.Imports != syntax.ImportsAny || strings.Contains(i.Path, "/") {
		return nil
	}
	key := string(i.Language) + " " + i.Path
	files, ok := r.declares[key]
	if !ok {
		if files = r.modulesLike(i, index.Exact); len(files) == 0 && syntax.Of(i.Language).Names.AnyCase {
			files = r.modulesLike(i, index.Fold)
		}
		r.declares[key] = files
	}
	return files
}

func (r *Resolver) modulesLike(i index.Import, match index.Match) (found []string) {
	whole := strings.ReplaceAll(i.Path, "::", ".")
	same := func(own, path string) bool { return own == path || match == index.Fold && strings.EqualFold(own, path) }
	for _, name := range slices.Compact([]string{i.Path, whole[strings.LastIndexByte(whole, '.')+1:]}) {
		list, err := r.x.Symbols(r.ctx, index.SymbolQuery{Name: name, Match: match})
		if err != nil {
			r.fail(err)
			return nil
		}
		for j := range list {
			s := &list[j]
			isModule := s.Kind == syntax.Module || s.Kind == syntax.Namespace
			own := strings.ReplaceAll(text.Dotted(s.Scope, s.Name), "::", ".")
			if isModule && syntax.SameGroup(s.Language, i.Language) && same(own, whole) && !slices.Contains(found, s.File) {
				found = append(found, s.File)
			}
		}
	}
	return found
}
