package search

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
)

// A relation says how surely an occurrence means a definition.
type relation int

const (
	unrelated relation = iota
	possible
	likely
	certain
)

func (r relation) word() Confidence {
	switch r {
	case certain:
		return Certain
	case likely:
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
	modules []goModule

	deadline time.Time          // for checking Go types; zero until they are asked for
	uses     map[string]*goUses // by folder
	targets  map[goPlace]*goTarget
	member   map[string]bool // by ID of a definition
	depends  map[string]bool // a definition's file and a folder -> the folder depends on it
}

func (e *Engine) resolver(ctx context.Context, m *meaning, src *sources) *resolver {
	return &resolver{e: e, ctx: ctx, m: m, src: src, imports: map[string][]index.Import{}, uses: map[string]*goUses{}, member: map[string]bool{}, targets: map[goPlace]*goTarget{}, depends: map[string]bool{}}
}

// relate says how surely an occurrence means any of the definitions.
func (r *resolver) relate(o *index.Occurrence) (relation, error) {
	if len(r.m.definitions) == 0 {
		return r.relateOutside(o)
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
			return unrelated, nil
		}
		return possible, nil
	}
	if r.afterDot(o) {
		return possible, nil
	}
	for _, i := range imports {
		if lastPart(i.Path) == asked && slices.Contains(i.Names, o.Name) {
			return certain, nil
		}
	}
	return unrelated, nil
}

// relateTo judges an occurrence against one definition.
func (r *resolver) relateTo(o *index.Occurrence, d *index.Symbol) (relation, error) {
	if !kin(o.Language, d.Language) {
		return unrelated, nil
	}
	if o.Language == syntax.Go {
		m, err := r.goMeaning(o)
		if err != nil {
			return unrelated, err
		}
		switch m.known {
		case goResolved, goOutside:
			return r.relateTyped(o, m, d)
		case goBuiltin:
			return unrelated, nil
		case goLost:
			// What hangs on another module is mostly of it. Unexported names
			// cannot be.
			if d.Exported && (d.Scope == "" || r.declaredType(o) != lastPart(d.Scope)) {
				return unrelated, nil
			}
		}
	}
	imports, err := r.importsOf(o.File)
	if err != nil {
		return unrelated, err
	}
	if o.Role == syntax.ImportUse {
		return r.relateImport(o, d, imports), nil
	}
	member, seen := r.member[d.ID]
	if !seen {
		if member, err = r.isMember(d); err != nil {
			return unrelated, err
		}
		r.member[d.ID] = member
	}
	if member && d.Scope != "" {
		return r.relateMember(o, d, imports)
	}
	return r.relateTop(o, d, imports), nil
}

// goMeaning says what the name at an occurrence means, by types.
func (r *resolver) goMeaning(o *index.Occurrence) (goMeaning, error) {
	none := goMeaning{outside: -1}
	if r.deadline.IsZero() {
		r.deadline = time.Now().Add(goPatience)
		list, err := r.e.list(r.ctx)
		if err != nil {
			return none, err
		}
		if err := r.e.types.look(r.ctx, list, r.goModules()); err != nil {
			return none, err
		}
	}
	dir := path.Dir(o.File)
	u, seen := r.uses[dir]
	if !seen {
		var err error
		if u, err = r.e.types.usesIn(r.ctx, dir, r.deadline); err != nil {
			return none, err
		}
		r.uses[dir] = u
	}
	if u == nil {
		return none, nil
	}
	return u.at(goPlace{o.File, o.Line, o.Column}), nil
}

// relateTyped judges a name whose definition is known: it is the one, or a
// method through which the one may be called, or something else.
func (r *resolver) relateTyped(o *index.Occurrence, m goMeaning, d *index.Symbol) (relation, error) {
	at := goPlace{d.File, d.NameLine, d.NameColumn}
	if m.known == goResolved && m.place == at {
		return certain, nil
	}
	if d.Kind != syntax.Method {
		return unrelated, nil
	}
	t, err := r.goTarget(at, d)
	if err != nil {
		return unrelated, err
	}
	dir := path.Dir(o.File)
	if m.known == goOutside {
		// Everybody calls error.Error and io.Closer.Close. Only where the
		// definition is at home may such a call be meant for it.
		if dir == path.Dir(d.File) && !m.test && m.outside >= 0 && t.outside[r.e.types.fullName(m.outside)] {
			return likely, nil
		}
		return unrelated, nil
	}
	if !t.places[m.place] {
		return unrelated, nil
	}
	key := at.file + "\x00" + dir
	depends, ok := r.depends[key]
	if !ok {
		if depends, err = r.e.types.depends(r.ctx, dir, t.dirs); err != nil {
			return unrelated, err
		}
		r.depends[key] = depends
	}
	if !depends {
		return unrelated, nil
	}
	return likely, nil
}

// goTarget finds what corresponds to a Go method.
func (r *resolver) goTarget(at goPlace, d *index.Symbol) (*goTarget, error) {
	if t := r.targets[at]; t != nil {
		return t, nil
	}
	if err := r.findRivals(); err != nil {
		return nil, err
	}
	var dirs []string
	for i := range r.same {
		if dir := path.Dir(r.same[i].File); r.same[i].Kind == syntax.Method && r.same[i].Language == syntax.Go && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	t, err := r.e.types.target(r.ctx, d.Name, at, path.Dir(d.File), dirs, r.deadline)
	if err != nil {
		return nil, err
	}
	r.targets[at] = t
	return t, nil
}

// isMember reports whether a symbol is reached through a value or a type, not
// by its bare name: what stands in a namespace or a function is not.
func (r *resolver) isMember(d *index.Symbol) (bool, error) {
	switch d.Kind {
	case syntax.Method, syntax.Constructor, syntax.Field, syntax.Property, syntax.EnumMember:
		return true, nil
	case syntax.Function, syntax.Constant, syntax.Variable:
	default:
		return false, nil
	}
	if d.Language == syntax.Go || d.Parent < 0 {
		return false, nil
	}
	list, err := r.e.x.FileSymbols(r.ctx, d.File)
	if err != nil {
		return false, fmt.Errorf("search: parent of %s: %w", d.Name, err)
	}
	return d.Parent < len(list) && (holdsMembers(list[d.Parent].Kind) || list[d.Parent].Kind == syntax.Impl), nil
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
		for _, i := range imports {
			if boundName(i) == o.Qualifier {
				return r.reaches(i, d)
			}
		}
		switch {
		case o.Qualifier == baseOf(d.File) || o.Qualifier == path.Base(path.Dir(d.File)) && o.Language != syntax.Go:
			return likely
		case strict(o.Language):
			return unrelated
		}
		return possible
	}
	if r.afterDot(o) {
		if strict(o.Language) {
			return unrelated
		}
		return possible
	}
	if o.File == d.File {
		return certain
	}
	if o.Language == syntax.Go {
		if path.Dir(o.File) == path.Dir(d.File) {
			return certain
		}
		for _, i := range imports {
			if i.Alias == "." && r.reaches(i, d) > unrelated {
				return certain
			}
		}
		return unrelated
	}
	best := unrelated
	for _, i := range imports {
		if len(i.Names) > 0 && !slices.Contains(i.Names, o.Name) && !slices.Contains(i.Names, "*") && i.Alias != o.Name {
			continue
		}
		best = max(best, r.reaches(i, d))
	}
	switch {
	case best > unrelated:
		return best
	case strict(o.Language) && len(imports) > 0:
		return unrelated // a bare name that is neither of this file nor brought in
	case path.Dir(o.File) == path.Dir(d.File):
		return likely
	case o.Language == syntax.Python:
		return unrelated
	}
	return possible
}

// relateMember judges a name against a method, field or the like.
func (r *resolver) relateMember(o *index.Occurrence, d *index.Symbol, imports []index.Import) (relation, error) {
	owner := lastPart(d.Scope)
	if err := r.findRivals(); err != nil {
		return unrelated, err
	}
	if o.Language == syntax.Go && !d.Exported && path.Dir(o.File) != path.Dir(d.File) {
		return unrelated, nil
	}
	within := o.File == d.File && o.Line >= d.StartLine && o.Line <= d.EndLine
	switch r.qualifier(o) {
	case "":
		if !r.afterDot(o) {
			return r.relateBareMember(o, d, owner), nil
		}
	case "self", "this", "cls", "$this", "@", "Self", "static", "super", "parent":
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, likely), nil
	case owner:
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
		if r.rivals[o.Qualifier] {
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
	case builtinMember(o.Language, o.Name):
		return near - 1, nil // a list or a map is the likelier owner
	case near == possible && len(r.rivals) > 1:
		return unrelated, nil // any of several, in a file that has to do with none
	}
	return near, nil
}

// constructed returns the type of a value that is made just before the dot:
// Counter in Counter().total and in new Counter(1).total.
func (r *resolver) constructed(o *index.Occurrence) string {
	line := r.src.raw(o.File, o.Line, o.Line)
	before := strings.TrimRight(string(line[:min(max(o.Column-1, 0), len(line))]), ".?->: \t")
	if !strings.HasSuffix(before, ")") {
		return ""
	}
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth > 0 {
				continue
			}
			head := before[:i]
			at := strings.LastIndexFunc(head, func(c rune) bool { return !wordRune(c) }) + 1
			if t := head[at:]; t != "" && unicode.IsUpper(rune(t[0])) {
				return t
			}
			// (new Counter(1)).total: PHP and Java.
			if inner, ok := strings.CutPrefix(strings.TrimSpace(before[i+1:]), "new "); ok && head[at:] == "" {
				return lastPart(strings.TrimSpace(inner[:strings.IndexAny(inner+"(", "()")]))
			}
			return ""
		}
	}
	return ""
}

// relateBareMember judges a member's name that stands alone: a key of a
// literal, or a member of the class around it where the language allows that.
func (r *resolver) relateBareMember(o *index.Occurrence, d *index.Symbol, owner string) relation {
	switch o.Language {
	case syntax.Go:
		if d.Kind == syntax.Field && r.follows(o, ':') {
			return r.nearness(o, d, r.imports[o.File])
		}
		if d.Kind == syntax.Method && strings.HasPrefix(d.Signature, "interface") {
			return possible
		}
		return unrelated
	case syntax.Java, syntax.CSharp, syntax.CPP, syntax.Ruby:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, possible)
	case syntax.Rust, syntax.PHP:
		return r.byOwner(lastPart(o.Enclosing.Scope), owner, unrelated)
	}
	if o.File == d.File && lastPart(o.Enclosing.Scope) == owner {
		return likely
	}
	if d.Kind == syntax.Field || d.Kind == syntax.Property {
		return r.nearness(o, d, r.imports[o.File]) // a key of an object or a named argument
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
	if o.File == d.File || path.Dir(o.File) == path.Dir(d.File) {
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
	list, err := r.e.x.Symbols(r.ctx, index.SymbolQuery{Name: r.m.name.base, Match: index.Exact})
	if err != nil {
		return fmt.Errorf("search: rivals of %q: %w", r.m.name.base, err)
	}
	for i := range list {
		if list[i].Scope != "" {
			r.rivals[lastPart(list[i].Scope)] = true
		}
	}
	r.same = list
	return nil
}

// afterDot reports whether an occurrence follows a dot, an arrow or colons.
func (r *resolver) afterDot(o *index.Occurrence) bool {
	if o.Qualifier != "" {
		return true
	}
	switch r.src.before(o.File, o.Line, o.Column) {
	case '.':
		return true
	case '>':
		return o.Language == syntax.PHP || o.Language == syntax.C || o.Language == syntax.CPP
	case ':':
		return o.Language == syntax.PHP || o.Language == syntax.CPP || o.Language == syntax.Rust || o.Language == syntax.Ruby
	}
	return false
}

// qualifier returns the name before the dot, as the syntax gives it or, where
// that is a word of the language such as this, as the text has it.
func (r *resolver) qualifier(o *index.Occurrence) string {
	if o.Qualifier != "" || o.Language == syntax.Go {
		return o.Qualifier
	}
	line := r.src.raw(o.File, o.Line, o.Line)
	before := strings.TrimRight(string(line[:min(max(o.Column-1, 0), len(line))]), " \t")
	for _, sep := range []string{"?.", ".", "?->", "->", "::"} {
		if head, ok := strings.CutSuffix(before, sep); ok {
			for _, word := range []string{"self", "this", "cls", "$this", "Self", "static", "super", "parent"} {
				if rest, ok := strings.CutSuffix(head, word); ok && (rest == "" || !wordRune(rune(rest[len(rest)-1])) && rest[len(rest)-1] != '$') {
					return word
				}
			}
		}
	}
	return ""
}

// follows reports whether the first byte after an occurrence that is no white
// space is c.
func (r *resolver) follows(o *index.Occurrence, c byte) bool {
	text := r.src.of(o.File)
	at := min(r.src.offset(o.File, o.Line)+o.Column-1+len(o.Name), len(text))
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at < len(text) && text[at] == c
}

// declaredType returns the type that the function around an occurrence writes
// down for the name before the dot, or "".
func (r *resolver) declaredType(o *index.Occurrence) string {
	q := strings.TrimLeft(o.Qualifier, "$")
	if q == "" || o.Enclosing.StartLine == 0 {
		return ""
	}
	text := string(r.src.raw(o.File, o.Enclosing.StartLine, o.Line))
	if len(text) > 200_000 {
		return ""
	}
	re, err := typePatterns(q, o.Language)
	if err != nil {
		return ""
	}
	// The last one before the place is the one that holds there.
	all := re.FindAllStringSubmatch(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		for _, g := range all[i][1:] {
			if g != "" {
				return lastPart(strings.TrimLeft(g, "*&?"))
			}
		}
	}
	return ""
}

// typePatterns builds the expression that finds a written type of a name.
func typePatterns(q string, lang syntax.Language) (*regexp.Regexp, error) {
	n := regexp.QuoteMeta(q)
	const t = `([A-Za-z_][\w.:\\]*)`
	const capital = `((?:[a-z_]\w*\.)*[A-Z]\w*)`
	switch lang {
	case syntax.Go:
		return regexp.Compile(`\b` + n + `\s*:?=\s*&?` + `((?:\w+\.)?\w+)\{` +
			`|\b` + n + `\s*(?:,\s*\w+\s*)?:?=\s*(?:\w+\.)?New([A-Z]\w*)\(` +
			`|\b` + n + `\s*:?=\s*new\(((?:\w+\.)?\w+)\)` +
			`|[(,]\s*(?:\w+,\s*)*` + n + `\s+\*?((?:\w+\.)?\w+)(?:\[[^\]]*\])?\s*[,)]` +
			`|\bvar\s+` + n + `\s+\*?((?:\w+\.)?\w+)`)
	case syntax.Python:
		return regexp.Compile(`\b` + n + `\s*:\s*["']?` + capital + `|\b` + n + `\s*=\s*(?:await\s+)?` + capital + `\(|\bwith\s+` + capital + `\([^\n]*\)\s+as\s+` + n + `\b`)
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX, syntax.Vue:
		return regexp.Compile(`\b` + n + `\??\s*:\s*` + capital + `\b|\b` + n + `\s*(?::[^=\n]*)?=\s*(?:await\s+)?new\s+` + capital)
	case syntax.PHP:
		return regexp.Compile(t + `\s+\$` + n + `\b|\$` + n + `\s*=\s*new\s+\\?` + t)
	case syntax.Rust:
		return regexp.Compile(`\b` + n + `\s*:\s*(?:&\s*)?(?:mut\s+)?` + capital + `|\b` + n + `\s*=\s*&?(?:mut\s+)?` + capital + `(?:::|\s*\{)`)
	case syntax.Java, syntax.CSharp, syntax.CPP, syntax.C:
		return regexp.Compile(`\b` + capital + `(?:<[^;\n]*>)?[&*\s]+` + n + `\s*[=;,)(:{]|\b` + n + `\s*=\s*new\s+` + capital)
	case syntax.Ruby:
		return regexp.Compile(`\b` + n + `\s*=\s*` + capital + `\.new\b`)
	}
	return nil, fmt.Errorf("search: no patterns for %s", lang)
}

// importsOf returns what a file brings in.
func (r *resolver) importsOf(file string) ([]index.Import, error) {
	if list, ok := r.imports[file]; ok {
		return list, nil
	}
	list, err := r.e.x.Imports(r.ctx, file)
	if err != nil {
		return nil, fmt.Errorf("search: imports of %s: %w", file, err)
	}
	r.imports[file] = list
	return list, nil
}

// strict reports whether a bare name of a language must be of its file or be
// brought in by name.
func strict(l syntax.Language) bool {
	switch l {
	case syntax.Go, syntax.Python, syntax.JavaScript, syntax.TypeScript, syntax.TSX, syntax.Vue:
		return true
	}
	return false
}

// families are languages whose code uses each other's names.
var families = [][]syntax.Language{
	{syntax.JavaScript, syntax.TypeScript, syntax.TSX, syntax.Vue, syntax.HTML},
	{syntax.CSS, syntax.SCSS, syntax.HTML, syntax.Vue, syntax.JavaScript, syntax.TypeScript, syntax.TSX, syntax.PHP},
	{syntax.C, syntax.CPP},
	{syntax.PHP, syntax.HTML},
}

// kin reports whether code of one language can mean a name of the other.
func kin(a, b syntax.Language) bool {
	return a == b || slices.ContainsFunc(families, func(f []syntax.Language) bool {
		return slices.Contains(f, a) && slices.Contains(f, b)
	})
}
