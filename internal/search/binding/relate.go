// Package binding decides how surely an occurrence of a name refers to a definition, by scopes,
// imports, folders and the text around it, and in Go by types. References, callees and
// inherited members ask it about what package resolve does not infer or cannot know.
//
// A [Resolver] serves one question. What it could not find out it reports as a gap.
package binding

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/project"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/importpath"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
)

// A Relation says how surely an occurrence refers to a definition.
type Relation int

// Relations, the surest last.
const (
	Unrelated Relation = iota
	Possible
	ThroughForeign   // it calls a method of an interface of another module, which may be meant
	ThroughInterface // it calls a method of an interface that the definition implements, or the other way round
	Likely
	Certain
)

// Code is what a question reads of a project.
type Code struct {
	Project *project.Project
	Index   *index.Index
	Types   *golang.Checker
	Files   func(context.Context) ([]files.Entry, error)
}

// Texts are the files that a question reads, as of its answer.
type Texts interface {
	Text(file string) []byte
	Offset(file string, line int) int
	Raw(file string, start, end int) []byte
	Before(file string, line, column int) string
	Lacks(why gaps.Reason, files ...string) // notes that the answer may lack something of these files
}

// A Target is what occurrences are related to.
type Target struct {
	Name        symbolname.Name
	Definitions []index.Symbol
	Any         bool   // everything of the name is meant, definitions or not: the index lists no members of objects
	Qualifier   string // the qualifier that was asked for, if nothing here is defined so
}

// A Resolver decides what occurrences mean, without inferring types: by what a file
// imports, by where it lies, by the name before the dot and by what is written
// about that name in the function around.
type Resolver struct {
	e       Code
	ctx     context.Context
	m       *Target
	src     Texts
	imports map[string][]index.Import
	same    []index.Symbol  // all symbols of the name, once rivals are known
	rivals  map[string]bool // scopes in which the name is a member of something
	listing []files.Entry   // nil until asked for

	byFolder map[string][]*index.Symbol // definitions, once there are very many
	byBase   map[string][]*index.Symbol // the same by the names of their files, without extensions
	near     map[string][]*index.Symbol // a file -> of these, those that nearTo returns

	Group   Group // of the occurrence that Relate judged last
	Direct  bool  // methods of Go that are reached through interfaces are not asked for
	typed   bool  // the checker of Go types knows the files
	uses    map[inFolder]*golang.Uses
	targets map[golang.Position]*golang.Target
	member  map[string]bool              // by ID of a definition
	depends map[string]bool              // a definition's file and a folder -> the folder depends on it
	bound   map[string]map[string]string // Go file -> name of a package -> its folder

	importpaths *importpath.Resolver // nil until asked for

	importsWithoutTests map[string][]string // Go: folder -> folders that it imports, tests left out; nil until asked for

	locals map[string]map[string]bool // a name -> files in which something local has it

	surroundings surroundings // of the occurrence judged last
	scanned      int          // bytes of text in which written types were looked for
	patterns     map[string]*regexp.Regexp
}

// New returns what relates occurrences to m for one question.
func New(ctx context.Context, e Code, m *Target, src Texts) *Resolver {
	return &Resolver{
		e: e, ctx: ctx, m: m, src: src,
		imports: map[string][]index.Import{}, uses: map[inFolder]*golang.Uses{}, member: map[string]bool{},
		targets: map[golang.Position]*golang.Target{}, depends: map[string]bool{}, bound: map[string]map[string]string{},
		patterns: map[string]*regexp.Regexp{}, locals: map[string]map[string]bool{}, near: map[string][]*index.Symbol{},
	}
}

// Files lists the project's files, once for a question.
func (r *Resolver) Files() ([]files.Entry, error) {
	if r.listing == nil {
		list, err := r.e.Files(r.ctx)
		if err != nil {
			return nil, err
		}
		r.listing = list
	}
	return r.listing, nil
}

// Relate says how surely an occurrence means any of the definitions.
func (r *Resolver) Relate(o *index.Occurrence) (Relation, error) {
	switch n := len(r.m.Definitions); {
	case n == 0:
		return r.relateOutside(o)
	case n > ManyDefinitions:
		return r.relateAny(o)
	}
	best := Unrelated
	for i := range r.m.Definitions {
		rel, err := r.RelateTo(o, &r.m.Definitions[i])
		if err != nil {
			return Unrelated, err
		}
		if best = max(best, rel); best == Certain {
			break
		}
	}
	return best, nil
}

// ManyDefinitions is how many definitions a name may have before it makes no sense to decide
// for each occurrence which of them it means.
const ManyDefinitions = 12

// relateAny judges an occurrence of a name with very many definitions by place alone: it may
// lie in a folder that has a definition, or in a file that imports one.
func (r *Resolver) relateAny(o *index.Occurrence) (Relation, error) {
	if o.Language == syntax.Go {
		names, err := r.goNames(o.File)
		if err != nil {
			return Unrelated, err
		}
		if dir, ok := names[o.Qualifier]; ok {
			if slices.ContainsFunc(r.definedIn(dir), func(d *index.Symbol) bool { return d.Scope == "" }) {
				return Certain, nil
			}
			return Unrelated, nil
		}
	}
	near, err := r.nearTo(o)
	if err != nil {
		return Unrelated, err
	}
	dotted := r.AfterDot(o)
	reached := func(d *index.Symbol) bool {
		return dotted || o.File == d.File || o.Language == syntax.Go && sameFolder(o, d)
	}
	for _, d := range near {
		if syntax.SameGroup(o.Language, d.Language) && dotted == (d.Scope != "") && reached(d) {
			return Likely, nil
		}
	}
	if dotted || o.Role == syntax.Write { // a key of a literal, too
		return Possible, nil
	}
	return unlessStrict(o.Language), nil
}

// definedIn returns the definitions in a folder.
func (r *Resolver) definedIn(dir string) []*index.Symbol {
	if r.byFolder == nil {
		r.byFolder, r.byBase = map[string][]*index.Symbol{}, map[string][]*index.Symbol{}
		for i := range r.m.Definitions {
			d := &r.m.Definitions[i]
			dir, base := path.Dir(d.File), baseOf(d.File)
			r.byFolder[dir] = append(r.byFolder[dir], d)
			r.byBase[base] = append(r.byBase[base], d)
		}
	}
	return r.byFolder[dir]
}

// nearTo returns the definitions in the folder of an occurrence and those that its file imports. Of those in
// one file with one language, that are members or are not, it returns one.
func (r *Resolver) nearTo(o *index.Occurrence) ([]*index.Symbol, error) {
	if near, known := r.near[o.File]; known {
		return near, nil
	}
	all := slices.Clip(r.definedIn(path.Dir(o.File))) // so that it is copied before it grows
	if o.Language == syntax.Go {
		names, err := r.goNames(o.File)
		if err != nil {
			return nil, err
		}
		for _, dir := range names {
			all = append(all, r.definedIn(dir)...)
		}
	} else {
		imports, err := r.importsOf(o.File)
		if err != nil {
			return nil, err
		}
		all = r.importedFrom(imports, all)
	}
	type place struct {
		file     string
		language syntax.Language
		member   bool
	}
	var near []*index.Symbol
	seen := map[place]bool{}
	for _, d := range all {
		if at := (place{d.File, d.Language, d.Scope != ""}); !seen[at] {
			seen[at] = true
			near = append(near, d)
		}
	}
	r.near[o.File] = near
	return near, nil
}

// importedFrom adds the definitions that imports seem to bring in to a list, until
// it has many.
func (r *Resolver) importedFrom(imports []index.Import, list []*index.Symbol) []*index.Symbol {
	for _, i := range imports {
		if len(list) > ManyDefinitions {
			break
		}
		base := lastPart(i.Path)
		list = append(list, r.byBase[base]...)
		for j := 0; j < len(r.m.Definitions) && len(i.Names) > 0; j++ {
			if d := &r.m.Definitions[j]; slices.Contains(i.Names, d.Name) && baseOf(d.File) != base {
				list = append(list, d)
			}
		}
	}
	return list
}

// unlessStrict returns how surely a name means something where nothing speaks for
// it: not at all in a language in which every name is declared or imported.
func unlessStrict(l syntax.Language) Relation {
	if syntax.Of(l).Names.Strict {
		return Unrelated
	}
	return Possible
}

// sameFolder reports whether an occurrence lies in the folder of a definition.
func sameFolder(o *index.Occurrence, d *index.Symbol) bool {
	return path.Dir(o.File) == path.Dir(d.File)
}

// relateOutside judges an occurrence of a name that nothing here defines, such
// as http.Get.
func (r *Resolver) relateOutside(o *index.Occurrence) (Relation, error) {
	asked := r.m.Qualifier
	if asked == "" {
		return Possible, nil
	}
	imports, err := r.importsOf(o.File)
	if err != nil {
		return Unrelated, err
	}
	if o.Qualifier != "" {
		for _, i := range imports {
			if boundName(i) == o.Qualifier {
				if lastPart(i.Path) == asked || i.Alias == asked || slices.Contains(i.Names, asked) {
					return Certain, nil
				}
				return Unrelated, nil
			}
		}
		if o.Qualifier == asked {
			return Likely, nil
		}
		if t := r.declaredType(o); t != "" {
			if t == asked {
				return Likely, nil
			}
		}
		return Possible, nil
	}
	if r.AfterDot(o) {
		return Possible, nil
	}
	other := false
	for _, i := range imports {
		from, brings := i.Path, slices.Contains(i.Names, o.Name)
		if lastPart(from) == o.Name { // http::Method, where the path and the names are not apart
			from, brings = strings.TrimRight(strings.TrimSuffix(from, o.Name), `/.\:`), true
		}
		switch {
		case brings && lastPart(from) == asked:
			return Certain, nil
		case lastPart(from) == asked && slices.Contains(i.Names, "*"):
			return Likely, nil
		case brings:
			other = true
		}
	}
	if other {
		return Unrelated, nil
	}
	return unlessStrict(o.Language), nil
}

// RelateTo judges an occurrence against one definition.
func (r *Resolver) RelateTo(o *index.Occurrence, d *index.Symbol) (Relation, error) {
	if !syntax.SameGroup(o.Language, d.Language) || registry.Inferred(d.Language) && r.isWord(o) {
		return Unrelated, nil
	}
	if !d.Exported && o.File != d.File && syntax.Of(d.Language).Names.FileOnly &&
		(d.Parent < 0 || d.Scope == "" && !(d.Kind.Callable() && r.AfterDot(o))) { // a component may expose functions
		return Unrelated, nil
	}
	if d.Language == syntax.Jupyter && o.File != d.File {
		return Unrelated, nil // no other file can bring in what a notebook declares
	}
	if d.Scope != "" && syntax.Of(d.Language).Names.Imports == syntax.ImportsFolder {
		return r.relateByFolder(o, d)
	}
	if rel, decided := r.relateModule(o, d); decided {
		return rel, nil
	}
	member, err := r.memberOf(d)
	if err != nil {
		return Unrelated, err
	}
	if o.Language == syntax.Go {
		if rel, decided, err := r.relateGo(o, d, member); decided {
			return rel, err
		}
	}
	imports, err := r.importsOf(o.File)
	switch {
	case err != nil:
		return Unrelated, err
	case d.Kind == syntax.Impl && (o.File != d.File || o.Role == syntax.ImportUse):
		return Possible, nil // it does not declare what it is for: a library may, of which nothing is known
	case o.Role == syntax.ImportUse:
		return r.relateImport(o, d, imports), nil
	case member:
		rel, err := r.relateMember(o, d, imports)
		if d.Kind == syntax.EnumMember && !registry.Inferred(d.Language) && r.throughValue(o) {
			rel = min(rel, Possible)
		}
		return rel, err
	}
	rel := r.relateTop(o, d, imports)
	if d.Scope != "" && ofModule(d.Language) && rel > Possible {
		in, err := r.parentOf(d)
		if err != nil {
			return Unrelated, err
		}
		if in == syntax.Impl {
			rel = Possible // which instance is meant, the types say
		}
	}
	return rel, nil
}

// ofModule reports whether members of types are names of the module.
func ofModule(l syntax.Language) bool { return syntax.Of(l).Names.Bare == syntax.OfModule }

// parentOf is the kind of what a symbol is declared in, empty at the top of a file.
func (r *Resolver) parentOf(d *index.Symbol) (syntax.Kind, error) {
	if d.Parent < 0 {
		return "", nil
	}
	list, err := r.e.Index.FileSymbols(r.ctx, d.File)
	if err != nil {
		return "", fmt.Errorf("binding: parent of %s: %w", d.Name, err)
	}
	if d.Parent >= len(list) {
		return "", nil
	}
	return list[d.Parent].Kind, nil
}

// memberOf is isMember with a memory.
func (r *Resolver) memberOf(d *index.Symbol) (bool, error) {
	if d.Scope == "" {
		return false, nil
	}
	return cached(r.member, d.ID(), func() (bool, error) { return r.isMember(d) })
}

// isMember reports whether a symbol is reached through a value or a type, not
// by its bare name: what is in a namespace or a function is not.
func (r *Resolver) isMember(d *index.Symbol) (bool, error) {
	if ofModule(d.Language) {
		return false, nil
	}
	switch d.Kind {
	case syntax.Method, syntax.Constructor, syntax.Field, syntax.Property, syntax.EnumMember:
		return true, nil
	case syntax.Function, syntax.Constant, syntax.Variable:
	default:
		return false, nil
	}
	if d.Parent < 0 { // a function that JavaScript puts on an object: app.use = function () {}
		return syntax.SameGroup(d.Language, syntax.JavaScript), nil
	}
	if d.Language == syntax.Go {
		return false, nil
	}
	in, err := r.parentOf(d)
	return in.HasMembers() || in == syntax.Impl, err
}

// relateImport judges a name in an import clause.
func (r *Resolver) relateImport(o *index.Occurrence, d *index.Symbol, imports []index.Import) Relation {
	for _, i := range imports {
		if i.Line > o.Line {
			continue
		}
		if !slices.Contains(i.Names, o.Name) && lastPart(i.Path) != o.Name && boundName(i) != o.Name {
			var within bool
			if i, within = upTo(i, o); !within {
				continue
			}
		}
		if reach := r.Reaches(i, d); reach > Unrelated {
			return reach
		}
	}
	if byPackage(o) && !registry.Inferred(o.Language) && (d.Kind.HasMembers() || d.Kind == syntax.Module) {
		switch o.Qualifier {
		case "": // of something that is known by its bare name there
			return min(r.relateBare(o, d, imports), Likely)
		case lastPart(d.Scope):
			return Likely
		}
	}
	return Unrelated
}

// byPackage reports whether imports in the language of an occurrence name packages and what is
// declared in them.
func byPackage(o *index.Occurrence) bool {
	return syntax.Of(o.Language).Names.Imports == syntax.ImportsDeclared
}

// upTo cuts an import behind a name within its path, and reports whether the name is there.
func upTo(i index.Import, o *index.Occurrence) (index.Import, bool) {
	parts := strings.Split(i.Path, ".")
	at := slices.Index(parts, o.Name)
	if !byPackage(o) || i.Line != o.Line || at < 0 || at > 0 && parts[at-1] != o.Qualifier {
		return i, false
	}
	i.Path, i.Names, i.Alias = strings.Join(parts[:at+1], "."), nil, ""
	return i, true
}

// relateTop judges a name against something at the top level of a file.
func (r *Resolver) relateTop(o *index.Occurrence, d *index.Symbol, imports []index.Import) Relation {
	if o.Qualifier != "" {
		if o.File == d.File && o.Qualifier == lastPart(d.Scope) {
			return Certain
		}
		for _, i := range imports {
			if boundName(i) == o.Qualifier {
				return r.Reaches(i, d)
			}
		}
		if names := syntax.Of(o.Language).Names; o.Qualifier == d.Scope && !names.Strict && !names.Table {
			return Certain // its module is named whole
		}
		if o.Qualifier == baseOf(d.File) || o.Qualifier == path.Base(path.Dir(d.File)) && !syntax.Of(o.Language).Names.Strict {
			return Likely
		}
		return unlessStrict(o.Language)
	}
	switch {
	case r.AfterDot(o):
		return r.relateDotted(o, d, imports)
	case o.File == d.File:
		return Certain
	case o.Language == syntax.Go:
		if sameFolder(o, d) {
			return Certain
		}
		for _, i := range imports {
			if i.Alias == "." && r.Reaches(i, d) > Unrelated {
				return Certain
			}
		}
		return Unrelated
	}
	return r.relateBare(o, d, imports)
}

// relateDotted judges a name behind a dot, of which the syntax says nothing, against something
// at the top level of a file, or in a module.
func (r *Resolver) relateDotted(o *index.Occurrence, d *index.Symbol, imports []index.Import) Relation {
	best := unlessStrict(o.Language)
	if r.findRivals() != nil {
		return best
	}
	before := r.qualifier(o)
	for _, i := range imports {
		if before != "" && boundName(i) == before {
			best = max(best, r.Reaches(i, d))
		}
	}
	if names := syntax.Of(o.Language).Names; d.Scope != "" && best < Likely && !names.Strict && !names.Table {
		switch {
		case before == lastPart(d.Scope):
			return Certain
		case r.rivals[before]:
			return Unrelated
		}
	}
	return best
}

// relateBare judges a bare name against something at the top level of another file.
func (r *Resolver) relateBare(o *index.Occurrence, d *index.Symbol, imports []index.Import) Relation {
	best := Unrelated
	for _, i := range imports {
		if len(i.Names) > 0 && !slices.Contains(i.Names, o.Name) && !slices.Contains(i.Names, "*") && i.Alias != o.Name {
			continue
		}
		best = max(best, r.Reaches(i, d))
	}
	names := syntax.Of(o.Language).Names
	own := names.Apart && r.hasOwn(o, d)
	switch {
	case own && (names.Table || best == Unrelated):
		return Unrelated
	case best > Unrelated:
		return best
	case names.Strict && len(imports) > 0:
		return Unrelated // a bare name that is neither of this file nor brought in
	case names.Table && !d.Exported:
		return Unrelated // a local
	case d.Kind == syntax.Module && d.Scope == "" && names.Imports == syntax.ImportsAny:
		return Likely // it is named whole
	case sameFolder(o, d) && !(names.Apart && isVariable(d.Kind)):
		return Likely
	case o.Language == syntax.Python:
		return Unrelated
	}
	return Possible
}

// hasOwn reports whether the file of a bare name has something of that name itself.
func (r *Resolver) hasOwn(o *index.Occurrence, d *index.Symbol) bool {
	if d.Scope != "" || r.findRivals() != nil {
		return false
	}
	return slices.ContainsFunc(r.same, func(s index.Symbol) bool {
		return s.File == o.File && s.Parent < 0 && s.Scope == ""
	})
}

func isVariable(k syntax.Kind) bool { return k == syntax.Variable || k == syntax.Constant }

// relateMember judges a name against a method, field or the like.
func (r *Resolver) relateMember(o *index.Occurrence, d *index.Symbol, imports []index.Import) (Relation, error) {
	owner := lastPart(d.Scope)
	if err := r.findRivals(); err != nil {
		return Unrelated, err
	}
	if o.Language == syntax.Go && !d.Exported && !sameFolder(o, d) {
		return Unrelated, nil
	}
	within := o.File == d.File && o.Line >= d.StartLine && o.Line <= d.EndLine
	switch before := r.qualifier(o); before {
	case "":
		if !r.AfterDot(o) {
			return r.relateBareMember(o, d, owner), nil
		}
	case "self", "this", "cls", "$this", "@", "Self", "static":
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, Likely), nil
	case "super", "parent":
		if lastPart(o.Enclosing.Scope) == owner {
			return Unrelated, nil
		}
		return r.judgeByPlace(o, d, imports), nil
	case owner:
		if d.Parent < 0 && o.File != d.File {
			return Possible, nil // a variable of the same name as the object that the function is put on
		}
		return Certain, nil
	default:
		for _, i := range imports {
			if boundName(i) == o.Qualifier && o.Language == syntax.Go {
				return Unrelated, nil
			}
		}
		if t := r.declaredType(o); t != "" {
			return r.byOwner(t, owner, r.judgeByPlace(o, d, imports)), nil
		}
		if r.rivals[before] {
			return Unrelated, nil
		}
	}
	if t := r.constructed(o); t != "" {
		return r.byOwner(t, owner, r.judgeByPlace(o, d, imports)), nil
	}
	near := r.judgeByPlace(o, d, imports)
	switch {
	case within:
		return Likely, nil
	case slices.Contains(syntax.Of(o.Language).Names.Members, o.Name):
		return near - 1, nil // a list or a map is the likelier owner
	}
	return near, nil
}

// relateBareMember judges a member's name that stands alone: a key of a
// literal, or a member of the class around it where the language allows that.
func (r *Resolver) relateBareMember(o *index.Occurrence, d *index.Symbol, owner string) Relation {
	if o.Language == syntax.Go {
		if d.Kind == syntax.Field && r.followedBy(o, ':') {
			return r.judgeByPlace(o, d, r.imports[o.File])
		}
		if d.Kind == syntax.Method && strings.HasPrefix(d.Signature, "interface") {
			return Possible
		}
		return Unrelated
	}
	switch syntax.Of(o.Language).Names.Bare {
	case syntax.OfClass:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, Possible)
	case syntax.OfOwnClass:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, Unrelated)
	}
	if o.File == d.File && lastPart(o.Enclosing.Scope) == owner {
		return Likely
	}
	if d.Kind == syntax.Field || d.Kind == syntax.Property {
		return r.judgeByPlace(o, d, r.imports[o.File]) // a key of an object or a named argument
	}
	switch syntax.Of(o.Language).Names.Bare {
	case syntax.OfMessage:
		return Possible
	case syntax.OfAny:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, Possible)
	}
	return Unrelated
}

// byOwner judges a member by the type it is reached through: the owner itself,
// another one that has a member of this name, or one that may inherit it.
func (r *Resolver) byOwner(through, owner string, otherwise Relation) Relation {
	switch {
	case through == owner:
		return Certain
	case r.rivals[through]:
		return Unrelated
	}
	return otherwise
}

// judgeByPlace judges a member by place alone.
func (r *Resolver) judgeByPlace(o *index.Occurrence, d *index.Symbol, imports []index.Import) Relation {
	if sameFolder(o, d) {
		return Likely
	}
	for _, i := range imports {
		if r.Reaches(i, d) > Unrelated {
			return Likely
		}
	}
	return Possible
}

// SameName returns all symbols of the name that is asked about.
func (r *Resolver) SameName() ([]index.Symbol, error) {
	err := r.findRivals()
	return r.same, err
}

// findRivals lists the scopes that have a member of the name.
func (r *Resolver) findRivals() error {
	if r.rivals != nil {
		return nil
	}
	r.rivals = map[string]bool{}
	list, err := r.e.Index.Symbols(r.ctx, index.SymbolQuery{Name: r.m.Name.Base, Match: index.Exact})
	if err != nil {
		return fmt.Errorf("binding: rivals of %q: %w", r.m.Name.Base, err)
	}
	for i := range list {
		if list[i].Scope != "" {
			r.rivals[lastPart(list[i].Scope)] = true
		}
	}
	r.same = list
	return nil
}

// importsOf returns what a file brings in.
func (r *Resolver) importsOf(file string) ([]index.Import, error) {
	return cached(r.imports, file, func() ([]index.Import, error) {
		list, err := r.e.Index.Imports(r.ctx, file)
		if err != nil {
			return nil, fmt.Errorf("binding: imports of %s: %w", file, err)
		}
		return list, nil
	})
}

// cached returns what is known of a key, and finds it out if nothing is.
func cached[K comparable, V any](known map[K]V, key K, find func() (V, error)) (V, error) {
	v, ok := known[key]
	if ok {
		return v, nil
	}
	v, err := find()
	if err == nil {
		known[key] = v
	}
	return v, err
}

// Cut passes an error on, unless it only says that the caller waits no longer: then the
// answer lacks what was under way.
func (r *Resolver) Cut(err error, why gaps.Reason, file string) error {
	if err == nil || r.ctx.Err() != nil || softdeadline.Context(r.ctx).Err() == nil {
		return err
	}
	r.src.Lacks(why, file)
	return nil
}
