package search

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search/importpath"
	"codeintel/internal/syntax"
)

// A relation says how surely an occurrence means a definition.
type relation int

const (
	unrelated relation = iota
	possible
	throughForeign   // it calls a method of an interface of another module, which may be meant
	throughInterface // it calls a method of an interface that the definition implements, or the other way round
	likely
	certain
)

func (r relation) word() Confidence {
	switch r {
	case certain:
		return Certain
	case likely, throughInterface, throughForeign:
		return Likely
	}
	return Possible
}

// A resolver decides what occurrences mean, without types: by what a file
// imports, by where it lies, by the name before the dot and by what is written
// about that name in the function around.
type resolver struct {
	e       *Engine
	ctx     context.Context
	m       *meaning
	src     *sources
	imports map[string][]index.Import
	same    []index.Symbol  // all symbols of the name, once rivals are known
	rivals  map[string]bool // scopes in which the name is a member of something
	listing []files.Entry   // nil until asked for

	byFolder map[string][]*index.Symbol // definitions, once there are very many
	near     map[string][]*index.Symbol // a file -> of these, those that nearTo returns

	group   Group                   // of the occurrence judged last
	direct  bool                    // methods of Go that are reached through interfaces are not asked for
	typed   bool                    // the checker of Go types knows the files
	uses    map[string]*golang.Uses // by folder
	targets map[golang.Position]*golang.Target
	member  map[string]bool              // by ID of a definition
	depends map[string]bool              // a definition's file and a folder -> the folder depends on it
	bound   map[string]map[string]string // Go file -> name of a package -> its folder

	importpaths *importpath.Resolver // nil until asked for

	plain    map[string][]string            // Go: folder -> folders that it imports, tests left out; nil until asked for
	bindings map[string][]*index.Occurrence // of the name that is judged, local ones by file

	locals map[string]map[string]bool // a name -> files in which something local has it

	surroundings surroundings // of the occurrence judged last
	scanned      int          // bytes of text in which written types were looked for
	patterns     map[string]*regexp.Regexp
}

func (e *Engine) resolver(ctx context.Context, m *meaning, src *sources) *resolver {
	return &resolver{
		e: e, ctx: ctx, m: m, src: src,
		imports: map[string][]index.Import{}, uses: map[string]*golang.Uses{}, member: map[string]bool{},
		targets: map[golang.Position]*golang.Target{}, depends: map[string]bool{}, bound: map[string]map[string]string{},
		patterns: map[string]*regexp.Regexp{}, locals: map[string]map[string]bool{}, near: map[string][]*index.Symbol{},
	}
}

// files lists the project's files, once for a question.
func (r *resolver) files() ([]files.Entry, error) {
	if r.listing == nil {
		list, err := r.e.list(r.ctx)
		if err != nil {
			return nil, err
		}
		r.listing = list
	}
	return r.listing, nil
}

// relate says how surely an occurrence means any of the definitions.
func (r *resolver) relate(o *index.Occurrence) (relation, error) {
	switch n := len(r.m.definitions); {
	case n == 0:
		return r.relateOutside(o)
	case n > manyDefinitions:
		return r.relateAny(o)
	}
	best := unrelated
	for i := range r.m.definitions {
		rel, err := r.relateTo(o, &r.m.definitions[i])
		if err != nil {
			return unrelated, err
		}
		if best = max(best, rel); best == certain {
			break
		}
	}
	return best, nil
}

// manyDefinitions is how many definitions a name may have before it makes no sense to decide
// for each occurrence which of them it means.
const manyDefinitions = 12

// relateAny judges an occurrence of a name with very many definitions by place alone: it may
// lie in a folder that has a definition, or in a file that imports one.
func (r *resolver) relateAny(o *index.Occurrence) (relation, error) {
	if o.Language == syntax.Go {
		names, err := r.goNames(o.File)
		if err != nil {
			return unrelated, err
		}
		if dir, ok := names[o.Qualifier]; ok {
			if slices.ContainsFunc(r.definedIn(dir), func(d *index.Symbol) bool { return d.Scope == "" }) {
				return certain, nil
			}
			return unrelated, nil
		}
	}
	near, err := r.nearTo(o)
	if err != nil {
		return unrelated, err
	}
	dotted := r.afterDot(o)
	reached := func(d *index.Symbol) bool {
		return dotted || o.File == d.File || o.Language == syntax.Go && sameFolder(o, d)
	}
	for _, d := range near {
		if syntax.SameGroup(o.Language, d.Language) && dotted == (d.Scope != "") && reached(d) {
			return likely, nil
		}
	}
	if dotted || o.Role == syntax.Write { // a key of a literal, too
		return possible, nil
	}
	return unlessStrict(o.Language), nil
}

// definedIn returns the definitions in a folder.
func (r *resolver) definedIn(dir string) []*index.Symbol {
	if r.byFolder == nil {
		r.byFolder = map[string][]*index.Symbol{}
		for i := range r.m.definitions {
			d := &r.m.definitions[i]
			r.byFolder[path.Dir(d.File)] = append(r.byFolder[path.Dir(d.File)], d)
		}
	}
	return r.byFolder[dir]
}

// nearTo returns the definitions in the folder of an occurrence and those that its file imports. Of those in
// one file with one language, that are members or are not, it returns one.
func (r *resolver) nearTo(o *index.Occurrence) ([]*index.Symbol, error) {
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
func (r *resolver) importedFrom(imports []index.Import, list []*index.Symbol) []*index.Symbol {
	for _, i := range imports {
		if len(list) > manyDefinitions {
			break
		}
		for j := range r.m.definitions {
			if d := &r.m.definitions[j]; baseOf(d.File) == lastPart(i.Path) || slices.Contains(i.Names, d.Name) {
				list = append(list, d)
			}
		}
	}
	return list
}

// unlessStrict returns how surely a name means something where nothing speaks for
// it: not at all in a language in which every name is declared or imported.
func unlessStrict(l syntax.Language) relation {
	if syntax.Of(l).Names.Strict {
		return unrelated
	}
	return possible
}

// sameFolder reports whether an occurrence lies in the folder of a definition.
func sameFolder(o *index.Occurrence, d *index.Symbol) bool {
	return path.Dir(o.File) == path.Dir(d.File)
}

// relateOutside judges an occurrence of a name that nothing here defines, such
// as http.Get.
func (r *resolver) relateOutside(o *index.Occurrence) (relation, error) {
	asked := r.m.asked
	if asked == "" {
		return possible, nil
	}
	imports, err := r.importsOf(o.File)
	if err != nil {
		return unrelated, err
	}
	if o.Qualifier != "" {
		for _, i := range imports {
			if boundName(i) == o.Qualifier {
				if lastPart(i.Path) == asked || i.Alias == asked || slices.Contains(i.Names, asked) {
					return certain, nil
				}
				return unrelated, nil
			}
		}
		if o.Qualifier == asked {
			return likely, nil
		}
		if t := r.declaredType(o); t != "" {
			if t == asked {
				return likely, nil
			}
		}
		return possible, nil
	}
	if r.afterDot(o) {
		return possible, nil
	}
	other := false
	for _, i := range imports {
		from, brings := i.Path, slices.Contains(i.Names, o.Name)
		if lastPart(from) == o.Name { // http::Method, where the path and the names are not apart
			from, brings = strings.TrimRight(strings.TrimSuffix(from, o.Name), `/.\:`), true
		}
		switch {
		case brings && lastPart(from) == asked:
			return certain, nil
		case lastPart(from) == asked && slices.Contains(i.Names, "*"):
			return likely, nil
		case brings:
			other = true
		}
	}
	if other {
		return unrelated, nil
	}
	return unlessStrict(o.Language), nil
}

// relateTo judges an occurrence against one definition.
func (r *resolver) relateTo(o *index.Occurrence, d *index.Symbol) (relation, error) {
	if !syntax.SameGroup(o.Language, d.Language) || inferred(d.Language) && r.isWord(o) {
		return unrelated, nil
	}
	if !d.Exported && o.File != d.File && syntax.Of(d.Language).Names.FileOnly &&
		(d.Parent < 0 || d.Scope == "" && !(d.Kind.Callable() && r.afterDot(o))) { // a component may expose functions
		return unrelated, nil
	}
	if d.Language == syntax.Jupyter && o.File != d.File {
		return unrelated, nil // no other file can bring in what a notebook declares
	}
	if d.Scope != "" && syntax.Of(d.Language).Names.Imports == syntax.ImportsFolder {
		return r.relateByFolder(o, d)
	}
	if rel, decided := r.relateModule(o, d); decided {
		return rel, nil
	}
	member, err := r.memberOf(d)
	if err != nil {
		return unrelated, err
	}
	if o.Language == syntax.Go {
		if rel, decided, err := r.relateGo(o, d, member); decided {
			return rel, err
		}
	}
	imports, err := r.importsOf(o.File)
	switch {
	case err != nil:
		return unrelated, err
	case d.Kind == syntax.Impl && (o.File != d.File || o.Role == syntax.ImportUse):
		return possible, nil // it does not declare what it is for: a library may, of which nothing is known
	case o.Role == syntax.ImportUse:
		return r.relateImport(o, d, imports), nil
	case member:
		return r.relateMember(o, d, imports)
	}
	rel := r.relateTop(o, d, imports)
	if d.Scope != "" && ofModule(d.Language) && rel > possible {
		in, err := r.parentOf(d)
		if err != nil {
			return unrelated, err
		}
		if in == syntax.Impl {
			rel = possible // which instance is meant, the types say
		}
	}
	return rel, nil
}

// ofModule reports whether members of types are names of the module.
func ofModule(l syntax.Language) bool { return syntax.Of(l).Names.Bare == syntax.OfModule }

// parentOf is the kind of what a symbol is declared in, empty at the top of a file.
func (r *resolver) parentOf(d *index.Symbol) (syntax.Kind, error) {
	if d.Parent < 0 {
		return "", nil
	}
	list, err := r.e.x.FileSymbols(r.ctx, d.File)
	if err != nil {
		return "", fmt.Errorf("search: parent of %s: %w", d.Name, err)
	}
	if d.Parent >= len(list) {
		return "", nil
	}
	return list[d.Parent].Kind, nil
}

// memberOf is isMember with a memory.
func (r *resolver) memberOf(d *index.Symbol) (bool, error) {
	if d.Scope == "" {
		return false, nil
	}
	return remembered(r.member, d.ID(), func() (bool, error) { return r.isMember(d) })
}

// isMember reports whether a symbol is reached through a value or a type, not
// by its bare name: what is in a namespace or a function is not.
func (r *resolver) isMember(d *index.Symbol) (bool, error) {
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
func (r *resolver) relateImport(o *index.Occurrence, d *index.Symbol, imports []index.Import) relation {
	for _, i := range imports {
		if i.Line > o.Line || !slices.Contains(i.Names, o.Name) && lastPart(i.Path) != o.Name && boundName(i) != o.Name {
			continue
		}
		if reach := r.reaches(i, d); reach > unrelated {
			return reach
		}
	}
	return unrelated
}

// relateTop judges a name against something at the top level of a file.
func (r *resolver) relateTop(o *index.Occurrence, d *index.Symbol, imports []index.Import) relation {
	if o.Qualifier != "" {
		if o.File == d.File && o.Qualifier == lastPart(d.Scope) {
			return certain
		}
		for _, i := range imports {
			if boundName(i) == o.Qualifier {
				return r.reaches(i, d)
			}
		}
		if names := syntax.Of(o.Language).Names; o.Qualifier == d.Scope && !names.Strict && !names.Table {
			return certain // its module is named whole
		}
		if o.Qualifier == baseOf(d.File) || o.Qualifier == path.Base(path.Dir(d.File)) && !syntax.Of(o.Language).Names.Strict {
			return likely
		}
		return unlessStrict(o.Language)
	}
	switch {
	case r.afterDot(o):
		return r.relateDotted(o, d, imports)
	case o.File == d.File:
		return certain
	case o.Language == syntax.Go:
		if sameFolder(o, d) {
			return certain
		}
		for _, i := range imports {
			if i.Alias == "." && r.reaches(i, d) > unrelated {
				return certain
			}
		}
		return unrelated
	}
	return r.relateBare(o, d, imports)
}

// relateDotted judges a name behind a dot, of which the syntax says nothing, against something
// at the top level of a file, or in a module.
func (r *resolver) relateDotted(o *index.Occurrence, d *index.Symbol, imports []index.Import) relation {
	best := unlessStrict(o.Language)
	if r.findRivals() != nil {
		return best
	}
	before := r.qualifier(o)
	for _, i := range imports {
		if before != "" && boundName(i) == before {
			best = max(best, r.reaches(i, d))
		}
	}
	if names := syntax.Of(o.Language).Names; d.Scope != "" && best < likely && !names.Strict && !names.Table {
		switch {
		case before == lastPart(d.Scope):
			return certain
		case r.rivals[before]:
			return unrelated
		}
	}
	return best
}

// relateBare judges a bare name against something at the top level of another file.
func (r *resolver) relateBare(o *index.Occurrence, d *index.Symbol, imports []index.Import) relation {
	best := unrelated
	for _, i := range imports {
		if len(i.Names) > 0 && !slices.Contains(i.Names, o.Name) && !slices.Contains(i.Names, "*") && i.Alias != o.Name {
			continue
		}
		best = max(best, r.reaches(i, d))
	}
	names := syntax.Of(o.Language).Names
	own := names.Apart && r.hasOwn(o, d)
	switch {
	case own && (names.Table || best == unrelated):
		return unrelated
	case best > unrelated:
		return best
	case names.Strict && len(imports) > 0:
		return unrelated // a bare name that is neither of this file nor brought in
	case names.Table && !d.Exported:
		return unrelated // a local
	case d.Kind == syntax.Module && d.Scope == "" && names.Imports == syntax.ImportsAny:
		return likely // it is named whole
	case sameFolder(o, d) && !(names.Apart && isVariable(d.Kind)):
		return likely
	case o.Language == syntax.Python:
		return unrelated
	}
	return possible
}

// hasOwn reports whether the file of a bare name has something of that name itself.
func (r *resolver) hasOwn(o *index.Occurrence, d *index.Symbol) bool {
	if d.Scope != "" || r.findRivals() != nil {
		return false
	}
	return slices.ContainsFunc(r.same, func(s index.Symbol) bool {
		return s.File == o.File && s.Parent < 0 && s.Scope == ""
	})
}

func isVariable(k syntax.Kind) bool { return k == syntax.Variable || k == syntax.Constant }

// relateMember judges a name against a method, field or the like.
func (r *resolver) relateMember(o *index.Occurrence, d *index.Symbol, imports []index.Import) (relation, error) {
	owner := lastPart(d.Scope)
	if err := r.findRivals(); err != nil {
		return unrelated, err
	}
	if o.Language == syntax.Go && !d.Exported && !sameFolder(o, d) {
		return unrelated, nil
	}
	within := o.File == d.File && o.Line >= d.StartLine && o.Line <= d.EndLine
	switch before := r.qualifier(o); before {
	case "":
		if !r.afterDot(o) {
			return r.relateBareMember(o, d, owner), nil
		}
	case "self", "this", "cls", "$this", "@", "Self", "static":
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, likely), nil
	case "super", "parent":
		if lastPart(o.Enclosing.Scope) == owner {
			return unrelated, nil
		}
		return r.nearness(o, d, imports), nil
	case owner:
		if d.Parent < 0 && o.File != d.File {
			return possible, nil // a variable of the same name as the object that the function is put on
		}
		return certain, nil
	default:
		for _, i := range imports {
			if boundName(i) == o.Qualifier && o.Language == syntax.Go {
				return unrelated, nil
			}
		}
		if t := r.declaredType(o); t != "" {
			return r.byOwner(t, owner, r.nearness(o, d, imports)), nil
		}
		if r.rivals[before] {
			return unrelated, nil
		}
	}
	if t := r.constructed(o); t != "" {
		return r.byOwner(t, owner, r.nearness(o, d, imports)), nil
	}
	near := r.nearness(o, d, imports)
	switch {
	case within:
		return likely, nil
	case slices.Contains(syntax.Of(o.Language).Names.Members, o.Name):
		return near - 1, nil // a list or a map is the likelier owner
	}
	return near, nil
}

// relateBareMember judges a member's name that stands alone: a key of a
// literal, or a member of the class around it where the language allows that.
func (r *resolver) relateBareMember(o *index.Occurrence, d *index.Symbol, owner string) relation {
	if o.Language == syntax.Go {
		if d.Kind == syntax.Field && r.follows(o, ':') {
			return r.nearness(o, d, r.imports[o.File])
		}
		if d.Kind == syntax.Method && strings.HasPrefix(d.Signature, "interface") {
			return possible
		}
		return unrelated
	}
	switch syntax.Of(o.Language).Names.Bare {
	case syntax.OfClass:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, possible)
	case syntax.OfOwnClass:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, unrelated)
	}
	if o.File == d.File && lastPart(o.Enclosing.Scope) == owner {
		return likely
	}
	if d.Kind == syntax.Field || d.Kind == syntax.Property {
		return r.nearness(o, d, r.imports[o.File]) // a key of an object or a named argument
	}
	switch syntax.Of(o.Language).Names.Bare {
	case syntax.OfMessage:
		return possible
	case syntax.OfAny:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, possible)
	}
	return unrelated
}

// byOwner judges a member by the type it is reached through: the owner itself,
// another one that has a member of this name, or one that may inherit it.
func (r *resolver) byOwner(through, owner string, otherwise relation) relation {
	switch {
	case through == owner:
		return certain
	case r.rivals[through]:
		return unrelated
	}
	return otherwise
}

// nearness judges a member by place alone.
func (r *resolver) nearness(o *index.Occurrence, d *index.Symbol, imports []index.Import) relation {
	if sameFolder(o, d) {
		return likely
	}
	for _, i := range imports {
		if r.reaches(i, d) > unrelated {
			return likely
		}
	}
	return possible
}

// findRivals lists the scopes that have a member of the name.
func (r *resolver) findRivals() error {
	if r.rivals != nil {
		return nil
	}
	r.rivals = map[string]bool{}
	list, err := r.e.x.Symbols(r.ctx, index.SymbolQuery{Name: r.m.name.Base, Match: index.Exact})
	if err != nil {
		return fmt.Errorf("search: rivals of %q: %w", r.m.name.Base, err)
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
func (r *resolver) importsOf(file string) ([]index.Import, error) {
	return remembered(r.imports, file, func() ([]index.Import, error) {
		list, err := r.e.x.Imports(r.ctx, file)
		if err != nil {
			return nil, fmt.Errorf("search: imports of %s: %w", file, err)
		}
		return list, nil
	})
}

// remembered returns what is known of a key, and finds it out if nothing is.
func remembered[K comparable, V any](known map[K]V, key K, find func() (V, error)) (V, error) {
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
