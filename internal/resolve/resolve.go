// Package resolve resolves names: which places refer to the symbol that is declared at a given one. It holds
// what languages share; each package below it knows one language, or a family of them.
//
// Names are bound by the scoping rules of their language and followed through
// imports and re-exports. What follows a dot is looked up in the type of what
// comes before it, and types are inferred as far as it is cheap: from
// annotations, assignments, constructors, returns, type arguments, the
// functions that callbacks are passed to. Nothing is run, no library is
// loaded: what comes from outside the project stays unknown, and a name that
// depends on it is reported as unknown, never guessed.
//
// Files are read when a question leads to them, and kept, parsed, until they
// change. The package writes nothing and does not use the index.
package resolve

import (
	"context"
	"hash/maphash"
	"iter"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/semaphore"

	"codeintel/internal/resolve/typescript/specifier"
)

// A FileVersion is one file of the project, in the version that is there now.
type FileVersion struct {
	Path    string // relative to the project, with slashes
	Version uint64 // another one when the text is another
}

// A Position is where a name is. Lines count from 1, columns from 1 in bytes.
type Position struct {
	File         string
	Line, Column int
}

// A Relation says what a place has to do with what was asked for.
type Relation string

// The relations of places.
const (
	Same    Relation = "same"    // it means that
	Related Relation = "related" // a member that overrides it, is overridden by it, or shares what both override
	Other   Relation = "other"   // it means something else
	Likely  Relation = "likely"  // it means that, as far as names tell
	Perhaps Relation = "perhaps" // it means one of several things, that one among them
	Unknown Relation = "unknown" // its meaning depends on what could not be inferred
)

// A Reference is a place where a name is, and what it means there.
type Reference struct {
	Position
	Name     string
	Relation Relation
	Declares bool // the thing is declared here
	Above    bool // Related, and overridden by the thing: it is reached through what it overrides
	Namesake bool // Other, and it means something of the project that is no local and has the very name
}

// A Question asks for the uses of the things that are declared, or used, at
// some places.
type Question struct {
	Targets []Position
	Name    string
	// FilesContaining lists the files in which a name occurs. Aliases make other names
	// of the same thing known, so it is asked more than once.
	FilesContaining func(name string) ([]string, error)
	// Importing lists the files in which an import may name a file, and maybe more; nil
	// if that is not known. What imports give another name is found by it.
	Importing func(file string) ([]string, error)
}

// An Answer is what the places of a name mean.
type Answer struct {
	Found  bool            // what the targets are is known
	Cut    bool            // it is not, because the question was over first
	Uses   []Reference     // by file, line and column; Other ones too
	Unread map[string]bool // files that were not looked at: the question was over, or they take more inference than one file may
}

// Bounds on what is kept.
const (
	maxNodes      = 6_000_000 // of all trees, 32 bytes each
	maxBytes      = 2 << 20   // of one file
	maxNodesOfOne = 1 << 20
	MostSteps     = 3_000_000 // of inference for what is in one file
)

// A Resolver answers questions about one project. It is safe for use by
// several goroutines, one at a time.
type Resolver struct {
	Read      func(path string) ([]byte, error)
	Defines   func(name string) []string // lists the files that define something of a name; may be nil
	languages []Language
	turn      *semaphore.Weighted // of one: who has it may use the rest

	seed          maphash.Seed
	stamp         uint64              // of what Update was told last
	manifestStamp uint64              // of Manifests, Crates and Builds, as they are
	Files         map[string]uint64   // nil before Update
	Manifests     []string            // files that say what modules of scripts are: package.json, tsconfig.json
	Crates        []string            // Cargo.toml files
	Builds        []string            // files of MSBuild: projects, and what they take in
	Modules       map[string][]string // last part of a module's name -> paths of files without their suffix
	parsed        map[string]*Parsed
	nodes         int
	*inferenceState
}

// An inferenceState is what was inferred from the files as they are: one changed file
// makes all of it doubtful.
type inferenceState struct {
	units map[string]*Unit
	Steps int // of inference, for the file that is being looked at
	ctx   context.Context
	Depth int

	ask        func(name string) ([]string, error) // of the question: which files hold a name
	containing map[string][]string

	Unifying   int // how deep types are being compared
	UnifyUntil int // by steps

	memory   map[Language]any
	defining map[string][]string
}

// A NodeKey is a place in a file.
type NodeKey struct {
	Unit *Unit
	Node int32
}

// New returns a Resolver for some languages that reads files with read.
func New(read func(path string) ([]byte, error), languages ...Language) *Resolver {
	r := &Resolver{Read: read, languages: languages, turn: semaphore.NewWeighted(1), seed: maphash.MakeSeed(),
		parsed: map[string]*Parsed{}}
	r.reset()
	return r
}

func (r *Resolver) reset() {
	r.inferenceState = &inferenceState{units: map[string]*Unit{}, ctx: context.Background(), memory: map[Language]any{},
		defining: map[string][]string{}, containing: map[string][]string{}}
	for _, l := range r.languages {
		r.memory[l] = l.NewMemory()
	}
}

// Update says which files there are. Files of other languages are ignored. It
// is cheap when nothing changed.
func (r *Resolver) Update(ctx context.Context, list iter.Seq[FileVersion]) error {
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.turn.Release(1)
	stamp := uint64(1)
	for f := range list {
		stamp = r.stampWith(stamp, f)
	}
	if r.Files == nil || r.stamp != stamp {
		r.update(list)
		r.stamp = stamp
	}
	return nil
}

// stampWith adds a file to a stamp of the files before it.
func (r *Resolver) stampWith(stamp uint64, f FileVersion) uint64 {
	return (stamp<<5 | stamp>>59) ^ maphash.String(r.seed, f.Path) + f.Version*0x9e3779b97f4a7c15
}

func (r *Resolver) update(list iter.Seq[FileVersion]) {
	now := make(map[string]uint64, len(r.Files))
	same := true
	var manifests, crates, builds []string
	stamp := uint64(1)
	for f := range list {
		switch base := path.Base(f.Path); {
		case base == "package.json", specifier.IsConfig(base):
			manifests = append(manifests, f.Path)
			stamp = r.stampWith(stamp, f)
		case base == "Cargo.toml":
			crates = append(crates, f.Path)
			stamp = r.stampWith(stamp, f)
		case slices.Contains([]string{".csproj", ".props", ".targets"}, path.Ext(base)):
			builds = append(builds, f.Path)
			stamp = r.stampWith(stamp, f)
		}
		if l, _ := r.languageOf(f.Path); l == nil {
			continue
		}
		now[f.Path] = f.Version
		if v, ok := r.Files[f.Path]; !ok || v != f.Version {
			same = false
		}
	}
	if same && len(now) == len(r.Files) && stamp == r.manifestStamp {
		return
	}
	r.manifestStamp = stamp
	for p, t := range r.parsed {
		if v, ok := now[p]; !ok || v != r.Files[p] {
			r.nodes -= len(t.Nodes)
			delete(r.parsed, p)
		}
	}
	r.Files, r.Manifests, r.Crates, r.Builds = now, manifests, crates, builds
	r.Modules = map[string][]string{}
	for p := range now {
		stem := strings.TrimSuffix(p, path.Ext(p))
		if path.Base(stem) == "__init__" {
			stem = path.Dir(stem)
		}
		r.Modules[path.Base(stem)] = append(r.Modules[path.Base(stem)], p)
	}
	for _, l := range r.Modules {
		slices.Sort(l)
	}
	r.reset()
}

// Uses answers a question. When ctx ends first, the answer lists as unread what was
// not looked at by then. What was inferred is kept, so each question gets further than
// the one before.
func (r *Resolver) Uses(ctx context.Context, q Question) (*Answer, error) {
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.turn.Release(1)
	if r.nodes > maxNodes {
		r.parsed, r.nodes = map[string]*Parsed{}, 0
		r.reset()
	}
	r.ctx, r.Steps, r.Depth, r.ask = ctx, 0, 0, q.FilesContaining
	return r.uses(q)
}

func (r *Resolver) uses(q Question) (*Answer, error) {
	a := &Answer{Unread: map[string]bool{}}
	t := r.targets(q)
	for _, f := range t.unread {
		a.Unread[f] = true
	}
	if len(t.symbols) == 0 {
		a.Cut = r.outOfBudget()
		return a, nil
	}
	a.Found = true
	names := []string{q.Name}
	for s := range t.symbols {
		names = append(names, s.Name)
		if l, ok := s.Unit.Language.(Shortening); ok {
			names = append(names, l.Short(s))
		}
	}
	given, err := r.importedNames(q, t)
	if err != nil {
		return nil, err
	}
	names = append(names, given...)
	asked := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		if names = names[1:]; name == "" || asked[name] {
			continue
		}
		asked[name] = true
		files, err := q.FilesContaining(name)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			names = append(names, r.usesIn(a, t, f, name)...)
		}
	}
	return a, nil
}

// importedNames lists the names that files give to what is asked for when they import it: a
// module's default has the name that the importer chooses.
func (r *Resolver) importedNames(q Question, t *target) (names []string, err error) {
	if q.Importing == nil {
		return nil, nil
	}
	var todo []string
	for s := range t.symbols {
		todo = append(todo, s.Unit.Path)
	}
	slices.Sort(todo)
	seen, asked := map[string]bool{}, map[string]bool{}
	for len(todo) > 0 {
		file := todo[0]
		todo = todo[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		r.Steps = 0
		u := r.Unit(file)
		if u == nil {
			continue
		}
		l, ok := u.Language.(Renaming)
		if !ok {
			continue
		}
		more, offers := l.Renames(r, u, t.symbols)
		names = append(names, more...)
		if !offers || asked[file] {
			continue
		}
		asked[file] = true
		files, err := q.Importing(file)
		if err != nil {
			return nil, err
		}
		todo = append(todo, files...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// usesIn adds the uses of a name in a file to an answer, and returns the
// aliases that it gives what is asked for.
func (r *Resolver) usesIn(a *Answer, t *target, file, name string) (aliases []string) {
	r.Steps = 0
	u := r.Unit(file)
	if u == nil || r.outOfBudget() {
		a.Unread[file] = true
		return nil
	}
	before := len(a.Uses)
	for _, s := range r.named(u, name) {
		m := s.Unit.Language.Meaning(r, s)
		use := Reference{Position: s.Position(), Name: name, Declares: m.Declares, Relation: t.relation(r, m)}
		use.Above = use.Relation == Related && slices.ContainsFunc(m.Symbols, func(y *Symbol) bool { return t.roots[y] })
		use.Namesake = use.Relation == Other && slices.ContainsFunc(slices.Concat(m.Symbols, m.Others), func(y *Symbol) bool {
			return y.Name == name && y.Scope != nil && (y.Scope.Kind == ModuleScope || y.Scope.Kind == ClassScope)
		})
		a.Uses = append(a.Uses, use)
		if use.Relation == Same {
			aliases = append(aliases, m.Alias)
		}
	}
	if r.outOfBudget() { // what came last was judged in haste
		a.Unread[file] = true
		a.Uses = a.Uses[:before]
	}
	return aliases
}

// FilesContaining lists the files in which a name occurs. It is for a language while a question
// is answered.
func (r *Resolver) FilesContaining(name string) []string {
	list, ok := r.containing[name]
	if !ok && r.ask != nil {
		var err error
		if list, err = r.ask(name); err != nil {
			return nil
		}
		r.containing[name] = list
	}
	return list
}

// outOfBudget reports whether the question is over, or has done all the work that it may for
// one file.
func (r *Resolver) outOfBudget() bool { return r.Steps > MostSteps || r.ctx.Err() != nil }

// Step counts inference and reports whether it may go on.
func (r *Resolver) Step() bool {
	r.Steps++
	if r.Steps&1023 == 0 && r.outOfBudget() {
		r.Steps = MostSteps + 1
	}
	return r.Steps <= MostSteps
}

// A Meaning is what is known of one place.
type Meaning struct {
	Symbols  []*Symbol
	Known    bool   // false: it may mean anything of its name
	OneOf    bool   // one of symbols is meant, and it is not known which
	Guess    bool   // symbols is what names make likely
	Declares bool   // it is where the first of symbols is declared
	Member   bool   // it is one of something, and no local
	Alias    string // under which an import or export makes it known
	Sort     Aspect

	Others []*Symbol // where symbols is only likely: all that it may mean
	Likely []*Symbol // what symbols were probably made of
	Alike  []*Symbol // what has the form that symbols have
	Also   []*Symbol // what its name names too: the class where a constructor is declared, and the other way round
}

// An Aspect says whether a name stands for a type or for a value. In
// TypeScript one name may be both, declared apart.
type Aspect int

const (
	AsEither Aspect = 0
	AsType   Aspect = 1
	AsValue  Aspect = 2
)

// overlaps reports whether names of two aspects can stand for the same.
func (a Aspect) overlaps(b Aspect) bool { return a == AsEither || b == AsEither || a&b != 0 }

// A target is what a question asks for.
type target struct {
	symbols map[*Symbol]bool
	roots   map[*Symbol]bool // of members: what they override, themselves included
	alike   map[*Symbol]bool // what has their form
	sorts   []Aspect         // of each place
	unread  []string         // files of targets that could not be read
	local   bool             // nothing but what belongs to a function: no member of anything means it
	bare    bool             // nothing but what its own function names: what is not known means something else
}

// targets finds what the places of a question stand for.
func (r *Resolver) targets(q Question) *target {
	t := &target{symbols: map[*Symbol]bool{}, roots: map[*Symbol]bool{}, alike: map[*Symbol]bool{}}
	for _, p := range q.Targets {
		u := r.Unit(p.File)
		if u == nil {
			if _, ok := r.Files[p.File]; ok {
				t.unread = append(t.unread, p.File)
			}
			continue
		}
		spot, ok := r.spotAt(u, p.Line, p.Column)
		if !ok {
			continue
		}
		m := u.Language.Meaning(r, spot)
		if m.Guess {
			continue
		}
		for _, s := range slices.Concat(m.Symbols, m.Others) {
			m.Sort = s.Unit.Language.Aspects(s, m.Sort)
			t.symbols[s] = true
			for _, b := range r.roots(s) {
				t.roots[b] = true
			}
		}
		for _, s := range m.Alike {
			t.alike[s] = true
		}
		t.sorts = append(t.sorts, m.Sort)
	}
	t.local = len(t.symbols) > 0
	t.bare = t.local
	for s := range t.symbols {
		l, ok := s.Unit.Language.(interface{ BareLocal(*Symbol) bool })
		h, hands := s.Unit.Language.(interface{ HandsOut(*Unit, int32) string })
		t.local = t.local && s.Scope != nil && (s.Scope.Kind == FunctionScope || s.Scope.Kind == BlockScope) &&
			!(hands && handedOut(h.HandsOut, s))
		t.bare = t.bare && t.local && ok && l.BareLocal(s)
	}
	return t
}

// handedOut reports whether a local is made a member of its own name somewhere in its scope:
// then it is reached from outside of its function. handsOut returns the name of what a node
// makes a member of the same name, or "".
func handedOut(handsOut func(*Unit, int32) string, y *Symbol) bool {
	u, around := y.Unit, y.Scope.Node
	for n := around; n >= 0 && n < u.Nodes[around].Next; n++ {
		if handsOut(u, n) == y.Name {
			return true
		}
	}
	return false
}

// relation compares what a place means with what is asked for.
func (t *target) relation(r *Resolver, m Meaning) Relation {
	rel := Other
	if !slices.ContainsFunc(t.sorts, m.Sort.overlaps) {
		return Other
	}
	isTarget := func(s *Symbol) bool { return t.symbols[s] }
	if len(m.Others) > 0 && !slices.ContainsFunc(m.Others, func(s *Symbol) bool { return !t.symbols[s] }) {
		return Same
	}
	if slices.ContainsFunc(m.Also, isTarget) {
		return Same
	}
	if slices.ContainsFunc(m.Also, func(s *Symbol) bool { return t.roots[s] }) {
		return Related
	}
	for _, s := range m.Symbols {
		switch {
		case t.symbols[s] && m.OneOf:
			return Perhaps
		case t.symbols[s] && m.Guess:
			return Likely
		case t.symbols[s]:
			return Same
		}
		_, apart := s.Unit.Language.(interface{ Apart() bool })
		for _, b := range r.roots(s) {
			related := t.roots[b] && (!apart || b == s || t.symbols[b])
			switch {
			case related && (m.OneOf || m.Guess):
				rel = Perhaps
			case related:
				rel = Related
			}
		}
	}
	if rel == Other && slices.ContainsFunc(m.Likely, isTarget) {
		return Likely
	}
	if rel == Other && (slices.ContainsFunc(m.Others, isTarget) ||
		slices.ContainsFunc(m.Alike, func(s *Symbol) bool { return t.roots[s] }) ||
		slices.ContainsFunc(m.Symbols, func(s *Symbol) bool { return t.alike[s] })) {
		return Perhaps
	}
	if rel == Other && !m.Known && !t.bare && !(t.local && m.Member) {
		return Unknown
	}
	return rel
}

// roots returns a member together with those it overrides. What is no member
// has only itself.
func (r *Resolver) roots(s *Symbol) []*Symbol { return s.Unit.Language.Roots(r, s) }
