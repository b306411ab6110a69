// Package golang resolves names in Go: where each is defined, which methods correspond through interfaces,
// and which packages depend on which. It type-checks the packages of a project, without a Go installation.
package golang

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"hash/maphash"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/semaphore"

	"codeintel/internal/files"
	"codeintel/internal/project"
)

// A Checker knows what names in Go packages mean, by type-checking them. It
// needs no Go installation, though it reads the standard library of one if it
// is there: what a package imports from elsewhere is left empty, and names that
// hang on it stay unresolved. Packages are checked when
// first asked for and kept until their files, or those of a package they
// import, change.
type Checker struct {
	p    *project.Project
	turn *semaphore.Weighted // of one: who has it may use the rest

	fset    *token.FileSet
	listed  []files.Entry // what dirs was made of
	dirs    map[string]*folder
	modules []Module
	ctx     context.Context // of the question under way
	cut     int             // packages that were not checked because that was over

	clock      int64                     // counts questions
	goroot     string                    // of a Go installation; "" if there is none
	std        map[string]*types.Package // of its library, as far as it was needed
	stdMethods map[string][]*namedType
	names      map[string]int32 // full names of methods of other modules, and back
	named      []string
}

// A folder is a folder of Go files.
type folder struct {
	files   []string
	sign    uint64          // of names, sizes and times
	head    *types.Package  // declarations alone; nil when not loaded
	loading bool            // to meet import cycles
	imports map[string]bool // folders of this project that it imports, its tests among them once checked
	plain   map[string]bool // those that its head imports
	uses    *Uses           // nil when not checked
	types   []*namedType    // of all its packages, once checked
	asked   int64           // when its uses were last asked for, by count
}

// Uses says for each resolved name of a package where it is defined.
type Uses struct {
	only  string // the name that was asked for, if they are of no other; else ""
	files []string
	index map[string]int32 // of files
	list  []use            // sorted by place
	tests map[string]bool  // the files that were checked -> they are of an external test package

	Embedded map[Position]bool // where structs embed types
}

// A use is one name: the place where it is and where it is defined, with
// files by index in Uses.files; -1 is a file outside of the project.
type use struct{ file, line, column, defFile, defLine, defColumn int32 }

// A Position is a place in a file.
type Position struct {
	File         string
	Line, Column int
}

// Bounds on what is kept.
const (
	maxHeads = 600
	maxUses  = 1_500_000 // names kept, 24 bytes each
)

// seed is that of the signs of folders, which no other process sees.
var seed = maphash.MakeSeed()

// fileSign is what a file adds to the sign of its folder.
type fileSign struct {
	before      uint64
	name        string
	size, mtime int64
}

func NewChecker(p *project.Project) *Checker {
	return &Checker{
		p: p, turn: semaphore.NewWeighted(1), fset: token.NewFileSet(), dirs: map[string]*folder{}, goroot: findGoroot(),
		std: map[string]*types.Package{}, stdMethods: map[string][]*namedType{}, names: map[string]int32{},
	}
}

// HasStandard reports whether a Go installation is there, whose standard library is read.
// Without one, what depends on that library is Lost.
func (c *Checker) HasStandard() bool { return c.goroot != "" }

// Update brings the checker up to date with the files of the project.
func (c *Checker) Update(ctx context.Context, list []files.Entry, modules []Module) error {
	if err := c.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer c.turn.Release(1)
	c.modules = modules
	c.update(list)
	return nil
}

// UsesIn returns what a name means where it occurs in a folder, nil for a folder without Go.
// The first question about a folder reads only the functions with the name, which takes half
// of the time; the first one about another name reads all of them. When ctx ends first UsesIn
// returns ctx's error, and keeps the packages that were checked by then: each question gets
// further than the one before.
func (c *Checker) UsesIn(ctx context.Context, dir, name string) (*Uses, error) {
	if err := c.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.turn.Release(1)
	c.ctx = ctx
	return c.usesOf(dir, name)
}

// outOfTime reports whether the question is over, and counts what is not checked because
// of that.
func (c *Checker) outOfTime() bool {
	if c.ctx.Err() == nil {
		return false
	}
	c.cut++
	return true
}

// An Answer says how much is known of a name.
type Answer int

const (
	Unknown    Answer = iota // its file was not checked
	Unresolved               // it depends on something of another module, or does not compile
	Outside                  // it is defined in another module
	Builtin                  // it is defined by the language
	Resolved                 // it is defined at a place of this project
)

// A Meaning is what is known of a name.
type Meaning struct {
	Known    Answer
	Position Position // where it is defined, if resolved
	Outside  int32    // the number of its full name, if a method outside; -1 otherwise
	Test     bool     // it is in an external test package
}

// At returns what the name at a place means.
func (u *Uses) At(p Position) Meaning {
	m := Meaning{Outside: -1}
	external, checked := u.tests[p.File]
	if !checked {
		return m
	}
	m.Known, m.Test = Unresolved, external
	file, ok := u.index[p.File]
	if !ok { // nothing in it could be determined
		return m
	}
	i, ok := slices.BinarySearchFunc(u.list, use{file: file, line: int32(p.Line), column: int32(p.Column)}, compareUses)
	if !ok {
		return m
	}
	switch x := u.list[i]; x.defFile {
	case fileOutside:
		m.Known, m.Outside = Outside, x.defLine
	case fileBuiltin:
		m.Known = Builtin
	default:
		m.Known, m.Position = Resolved, Position{u.files[x.defFile], int(x.defLine), int(x.defColumn)}
	}
	return m
}

// What is in place of the file of a definition that is not of the project.
const (
	fileOutside = -1
	fileBuiltin = -2
)

func compareUses(a, b use) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
}

// update forgets the packages whose files changed, and those that import them.
func (c *Checker) update(list []files.Entry) {
	heads := 0
	for _, d := range c.dirs {
		if d.head != nil {
			heads++
		}
	}
	if heads <= maxHeads && slices.Equal(list, c.listed) {
		c.forget()
		return
	}
	c.listed = list
	now := map[string]*folder{}
	for _, f := range list {
		if path.Ext(f.Path) != ".go" || !f.Class.Indexed() {
			continue
		}
		dir := path.Dir(f.Path)
		d := now[dir]
		if d == nil {
			d = &folder{imports: map[string]bool{}, plain: map[string]bool{}}
			now[dir] = d
		}
		d.files = append(d.files, f.Path)
		d.sign = maphash.Comparable(seed, fileSign{d.sign, f.Path, f.Size, f.ModTime})
	}
	if heads > maxHeads {
		c.dirs, c.fset = now, token.NewFileSet()
		return
	}
	stale := map[string]bool{}
	for dir, old := range c.dirs {
		if d := now[dir]; d == nil || d.sign != old.sign {
			stale[dir] = true
		}
	}
	for grown := len(stale) > 0; grown; {
		grown = false
		for dir, d := range c.dirs {
			for i := range d.imports {
				if stale[i] && !stale[dir] {
					stale[dir], grown = true, true
				}
			}
		}
	}
	for dir, old := range c.dirs {
		if !stale[dir] && now[dir] != nil {
			now[dir] = old
		}
	}
	c.dirs = now
	c.forget()
}

// forget drops what was asked for longest ago when too much is kept.
func (c *Checker) forget() {
	kept := 0
	var list []*folder
	for _, d := range c.dirs {
		if d.uses != nil {
			kept += len(d.uses.list)
			list = append(list, d)
		}
	}
	if kept <= maxUses {
		return
	}
	slices.SortFunc(list, func(a, b *folder) int { return cmp.Compare(a.asked, b.asked) })
	for _, d := range list {
		if kept <= maxUses/2 {
			return
		}
		kept -= len(d.uses.list)
		d.uses, d.types = nil, nil
	}
}

// dirOf returns the folder of this project that an import path means.
func (c *Checker) dirOf(importPath string) (string, bool) {
	dir := FolderOf(c.modules, importPath)
	_, ok := c.dirs[dir]
	return dir, ok
}

// An importFrom resolves the imports of one folder.
type importFrom struct {
	c    *Checker
	from *folder
	head bool           // its declarations alone are read
	own  *types.Package // what the folder's own path means, for external tests
	dir  string
}

// Import gives a package of this project, or an empty one.
func (f importFrom) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if dir, ok := f.c.dirOf(importPath); ok {
		if dir == f.dir && f.own != nil {
			return f.own, nil
		}
		f.from.imports[dir] = true
		if f.head {
			f.from.plain[dir] = true
		}
		if p := f.c.headOf(dir, importPath); p != nil {
			return p, nil
		}
	}
	if p := f.c.stdOf(importPath); p != nil {
		return p, nil
	}
	return emptyPackage(importPath), nil
}

// headOf checks the declarations of a package, without bodies and tests.
func (c *Checker) headOf(dir, importPath string) *types.Package {
	d := c.dirs[dir]
	if d.head != nil || d.loading || c.outOfTime() {
		return d.head
	}
	cut := c.cut
	d.loading = true
	defer func() { d.loading = false }()
	var parsed []*ast.File
	name := ""
	for _, f := range d.files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		if a := c.parse(f, noBody); a != nil && (name == "" || a.Name.Name == name) {
			name = a.Name.Name
			parsed = append(parsed, a)
		}
	}
	if parsed == nil {
		return nil
	}
	pkg := c.check(importPath, parsed, importFrom{c: c, from: d, dir: dir, head: true}, nil)
	if c.cut == cut { // else something that it imports is empty
		d.head = pkg
	}
	return pkg
}

// usesOf checks all packages of a folder, with tests, and with the functions that name
// occurs in: with all of them if it was asked for another name before. The error is that the
// question is over.
func (c *Checker) usesOf(dir, name string) (*Uses, error) {
	d := c.dirs[dir]
	if d == nil {
		return nil, nil
	}
	c.clock++
	d.asked = c.clock
	if d.uses != nil && (d.uses.only == "" || d.uses.only == name) {
		return d.uses, c.ctx.Err()
	}
	if c.outOfTime() {
		return nil, c.ctx.Err()
	}
	if d.uses != nil {
		name = ""
	}
	var wanted func(body []byte) bool
	if name != "" {
		wanted = func(body []byte) bool { return bytes.Contains(body, []byte(name)) }
	}
	cut := c.cut
	u := &Uses{only: name, index: map[string]int32{}, tests: map[string]bool{}, Embedded: map[Position]bool{}}
	groups := map[string][]*ast.File{}
	var names []string
	for _, f := range d.files {
		a := c.parse(f, wanted)
		if a == nil {
			continue
		}
		n := a.Name.Name
		if groups[n] == nil {
			names = append(names, n)
		}
		groups[n] = append(groups[n], a)
		u.tests[f] = strings.HasSuffix(n, "_test") && strings.HasSuffix(f, "_test.go")
	}
	// External tests come last: they import the package with its own tests.
	external := func(n string) bool { return strings.HasSuffix(n, "_test") }
	names = slices.Concat(slices.DeleteFunc(slices.Clone(names), external), slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !external(n) }))
	importPath := c.pathOf(dir)
	var own *types.Package
	var list []*namedType
	for _, n := range names {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		pkg := c.check(importPath, groups[n], importFrom{c: c, from: d, own: own, dir: dir}, info)
		if own == nil {
			own = pkg
		}
		list = append(list, c.typesOf(pkg)...)
		for id, obj := range info.Uses {
			if name == "" || id.Name == name {
				c.noteUse(u, id, obj)
			}
		}
		for id, obj := range info.Defs {
			if v, ok := obj.(*types.Var); ok && v.Embedded() {
				at := c.fset.Position(id.Pos())
				u.Embedded[Position{at.Filename, at.Line, at.Column}] = true
			}
		}
	}
	slices.SortFunc(u.list, compareUses)
	if c.cut != cut { // something that is imported is empty
		return nil, c.ctx.Err()
	}
	d.uses, d.types = u, list
	return u, nil
}

// noteUse notes what one identifier means.
func (c *Checker) noteUse(u *Uses, id *ast.Ident, obj types.Object) {
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
	case *types.PkgName:
		return // the index knows what a file imports
	}
	file := func(name string) int32 {
		i, ok := u.index[name]
		if !ok {
			i = int32(len(u.files))
			u.index[name] = i
			u.files = append(u.files, name)
		}
		return i
	}
	at := c.fset.Position(id.Pos())
	x := use{file: file(at.Filename), line: int32(at.Line), column: int32(at.Column)}
	switch f, method := obj.(*types.Func); {
	case obj.Pkg() == nil && !(method && f.Signature().Recv() != nil):
		x.defFile = fileBuiltin
	case c.foreign(obj):
		x.defFile, x.defLine = fileOutside, -1
		if method {
			x.defLine = c.nameOf(f.FullName())
		}
	default:
		def := c.fset.Position(obj.Pos())
		x.defFile, x.defLine, x.defColumn = file(def.Filename), int32(def.Line), int32(def.Column)
	}
	u.list = append(u.list, x)
}

// foreign reports whether an object is of no package of this project.
func (c *Checker) foreign(obj types.Object) bool {
	p := obj.Pkg()
	return p == nil || !obj.Pos().IsValid() || c.std[p.Path()] == p
}

// nameOf numbers a full name.
func (c *Checker) nameOf(full string) int32 {
	n, ok := c.names[full]
	if !ok {
		n = int32(len(c.named))
		c.names[full] = n
		c.named = append(c.named, full)
	}
	return n
}

// check type-checks files as one package. Errors are expected: half of what
// they import may be missing. A panic of the checker over broken code leaves
// the package as far as it got.
func (c *Checker) check(importPath string, parsed []*ast.File, imports types.Importer,
	info *types.Info) (pkg *types.Package) {
	conf := types.Config{
		Importer: imports, FakeImportC: true, IgnoreFuncBodies: info == nil,
		Error: func(error) {}, DisableUnusedImportCheck: true,
	}
	pkg = types.NewPackage(importPath, parsed[0].Name.Name)
	defer func() {
		if recover() != nil {
			pkg.MarkComplete()
		}
	}()
	// The error is the first of those that were expected.
	_ = types.NewChecker(&conf, c.fset, pkg, info).Files(parsed)
	return pkg
}

// parse reads a file if it belongs to this platform's build, without the bodies of functions
// that are not wanted, as far as they are found quickly. If wanted is nil, all of them are.
func (c *Checker) parse(file string, wanted func(body []byte) bool) *ast.File {
	ctx := build.Default
	ctx.CgoEnabled = true
	if !goodName(&ctx, path.Base(file)) {
		return nil
	}
	t, err := files.Read(c.p, file)
	if err != nil || !matchesBuild(&ctx, t.Bytes) {
		return nil
	}
	if wanted != nil {
		if a, err := parser.ParseFile(c.fset, file, blankBodies(t.Bytes, wanted), parser.SkipObjectResolution); err == nil {
			return a
		}
	}
	// The error says what is wrong with the code; what could be read is used.
	a, _ := parser.ParseFile(c.fset, file, t.Bytes, parser.SkipObjectResolution)
	if a == nil || a.Name == nil || a.Name.Name == "" {
		return nil
	}
	return a
}

// pathOf returns the import path of a folder.
func (c *Checker) pathOf(dir string) string {
	best, at := dir, -1
	for _, m := range c.modules {
		if below, ok := strings.CutPrefix(dir+"/", m.Dir+"/"); ok && len(m.Dir) > at || m.Dir == "." && at < 0 {
			if m.Dir == "." {
				below = dir + "/"
			}
			best, at = strings.TrimSuffix(m.Path+"/"+strings.TrimSuffix(below, "/"), "/."), len(m.Dir)
			best = strings.TrimSuffix(best, "/")
		}
	}
	return strings.TrimPrefix(best, "std/")
}

// CachedDirs returns the folders of which is kept what the names in them mean, sorted.
func (c *Checker) CachedDirs() (dirs []string) {
	for dir, d := range c.dirs {
		if d.uses != nil {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// Forget lets go of all packages, unless a question is under way.
func (c *Checker) Forget() {
	if !c.turn.TryAcquire(1) {
		return
	}
	fresh := NewChecker(c.p)
	fresh.turn = c.turn
	*c = *fresh
	c.turn.Release(1)
}
