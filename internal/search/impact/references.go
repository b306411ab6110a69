package impact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/overrides"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// references finds who refers to what changes.
func (r *run) references() error {
	if len(r.symbols) > maxSymbols {
		// Types and functions before their fields: whoever uses a field uses
		// the type.
		slices.SortStableFunc(r.symbols, func(a, b index.Symbol) int { return weightOf(a) - weightOf(b) })
		r.notes = append(r.notes, msg.New("impact.first_symbols_followed", len(r.symbols), maxSymbols))
		r.lacksSymbols(r.symbols[maxSymbols:])
		r.symbols = r.symbols[:maxSymbols]
	}
	mentions := 0
	for i, s := range r.symbols {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if mentions > maxMentions || r.src.Judged() > maxJudged {
			r.notes = append(r.notes, msg.New("impact.first_symbols_followed", len(r.symbols), i))
			r.lacksSymbols(r.symbols[i:])
			break
		}
		if r.a.progress != nil {
			r.a.progress(i, len(r.symbols))
		}
		list, err := r.src.Mentions(r.ctx, s)
		if err != nil {
			return fmt.Errorf("references: %w", err)
		}
		quoted, err := r.src.Quoted(r.ctx, s, list)
		if err != nil {
			return fmt.Errorf("names in quotes: %w", err)
		}
		list = append(list, quoted...)
		mentions += len(list)
		for i := range list {
			r.reference(&s, &list[i])
		}
		if err := r.unnamed(&s); err != nil {
			return err
		}
	}
	return nil
}

// lacksSymbols says that the references of these symbols were not followed.
func (r *run) lacksSymbols(list []index.Symbol) {
	for i := range list {
		r.src.Lacks(gaps.Followed, list[i].File)
	}
}

// unnamed finds who uses the type of a method that code calls without naming it, as
// operators, loops and conversions do. Whoever uses a type that changes is known already.
func (r *run) unnamed(s *index.Symbol) error {
	magic := strings.HasPrefix(s.Name, "__") && (strings.HasSuffix(s.Name, "__") || s.Language == syntax.PHP)
	if s.Kind != syntax.Method || s.Scope == "" || !magic && !operator(s.Name) {
		return nil
	}
	t, err := overrides.Owner(r.ctx, r.a.x, s)
	if err != nil || t == nil || slices.ContainsFunc(r.symbols, func(o index.Symbol) bool { return o.ID() == t.ID() }) {
		return err
	}
	list, err := r.src.Mentions(r.ctx, *t)
	if err != nil {
		return fmt.Errorf("uses of %s: %w", t.Name, err)
	}
	for i := range list {
		if m := &list[i]; m.Confidence != search.Possible && m.Role != syntax.ImportUse && !r.own[m.File] &&
			!insideOf(t, m) {
			r.found.add(m.File, should, "uses its type", placeOf(m), qualified(s))
		}
	}
	return nil
}

// operator reports whether a name is none that a call could be written with: + or operator==.
func operator(name string) bool {
	return strings.ContainsFunc(strings.TrimRight(name, "?!="), func(c rune) bool {
		return c != '_' && c != '$' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) || strings.Trim(name, "?!=") == ""
}

func weightOf(s index.Symbol) int {
	switch {
	case s.Scope == "" && s.Exported:
		return 0
	case s.Exported:
		return 1
	case s.Scope == "":
		return 2
	}
	return 3
}

// reference files one reference to a symbol that changes.
func (r *run) reference(s *index.Symbol, m *search.Mention) {
	if r.own[m.File] || insideOf(s, m) || slices.ContainsFunc(r.symbols, func(o index.Symbol) bool {
		return o.File == m.File && o.NameLine == m.Line // where another target is declared
	}) {
		return
	}
	name := qualified(s)
	if m.Role == syntax.Definition && m.Confidence != search.Possible {
		r.kin = append(r.kin, relative{m, name})
		r.noteCaller(m)
		return
	}
	switch {
	case m.Confidence == search.Possible && !r.asked[s.Name] && ambiguous(s):
		return // a common member name in a file that has nothing to do with the target
	case m.Confidence == search.Possible:
		r.found.add(m.File, should, "may refer to it", placeOf(m), name)
	case m.Through == search.ForeignInterface:
		r.found.add(m.File, should, "may call it through an interface", placeOf(m), name)
	case search.TestFile(m.File):
		r.found.add(m.File, should, ofTest+verb(m.Role), placeOf(m), name)
		r.noteCaller(m)
	default:
		r.found.add(m.File, must, verb(m.Role), placeOf(m), name)
		r.noteCaller(m)
	}
}

func placeOf(m *search.Mention) place {
	return place{m.Line, text.Dotted(m.Enclosing.Scope, m.Enclosing.Name)}
}

// insideOf reports whether a mention is within a symbol.
func insideOf(s *index.Symbol, m *search.Mention) bool {
	return m.File == s.File && s.StartLine <= m.Line && m.Line <= s.EndLine
}

// ambiguous reports whether a name says little about its owner.
func ambiguous(s *index.Symbol) bool {
	return s.Scope != "" || len(s.Name) < 4
}

func verb(role syntax.Role) string {
	switch role {
	case syntax.Call:
		return "calls it"
	case syntax.TypeUse:
		return "uses the type"
	case syntax.ImportUse:
		return "imports it"
	case syntax.Write:
		return "assigns it"
	}
	return "refers to it"
}

// noteCaller remembers the function around a reference, for a next step. Nothing depends
// on tests.
func (r *run) noteCaller(m *search.Mention) {
	e := m.Enclosing
	if search.TestFile(m.File) {
		return
	}
	switch e.Kind {
	case syntax.Function, syntax.Method, syntax.Constructor:
	default:
		return
	}
	if c := (caller{m.File, e.Name, e.StartLine}); !r.noted[c] {
		r.noted[c] = true
		r.next = append(r.next, c)
	}
}

// A caller is a function around a reference, where it begins.
type caller struct {
	file, name string
	line       int
}

// symbolOf returns the symbol of a caller, nil if its file has changed meanwhile.
func (r *run) symbolOf(c caller) *index.Symbol {
	list, err := r.a.x.FileSymbols(r.ctx, c.file)
	if err != nil {
		return nil // gone meanwhile
	}
	i := slices.IndexFunc(list, func(s index.Symbol) bool { return s.StartLine == c.line && s.Name == c.name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// transitive follows callers of callers, each once.
func (r *run) transitive(depth int) error {
	followed := 0
	for level := 2; level <= depth && len(r.next) > 0; level++ {
		from := r.next
		r.next = nil
		for i, c := range from {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if followed++; followed > maxSymbols {
				r.notes = append(r.notes, msg.New("impact.callers_not_complete", maxSymbols, level))
				for _, c := range from[i:] {
					r.src.Lacks(gaps.Followed, c.file)
				}
				return nil
			}
			s := r.symbolOf(c)
			if s == nil {
				continue
			}
			if err := r.callersOf(s, level); err != nil {
				return err
			}
		}
	}
	return nil
}

// callersOf follows the callers of a symbol that lies level-1 steps from a target.
func (r *run) callersOf(s *index.Symbol, level int) error {
	list, err := r.src.Mentions(r.ctx, *s)
	if err != nil {
		return fmt.Errorf("callers of callers: %w", err)
	}
	for i := range list {
		m := &list[i]
		if m.Confidence == search.Possible || r.own[m.File] || insideOf(s, m) {
			continue
		}
		far, err := r.maybeOther(s, m)
		if err != nil {
			return err
		}
		if far {
			if !slices.Contains(r.common, qualified(s)) {
				r.common = append(r.common, qualified(s))
			}
			continue
		}
		reason := fmt.Sprintf("step %d: %s", level, strings.TrimSuffix(verb(m.Role), " it"))
		r.found.add(m.File, should, reason, placeOf(m), qualified(s))
		r.noteCaller(m)
	}
	return nil
}

// manyOwners is of how many types a method may be before its name says little.
const manyOwners = 4

// maybeOther reports whether a mention of a caller may as well be of something else: it
// goes through an interface, or only fits a method of a name that many types have.
// Such callers are everywhere, and those that they lead to depend on no target.
func (r *run) maybeOther(s *index.Symbol, m *search.Mention) (bool, error) {
	if m.Through != search.Nothing {
		return true, nil
	}
	if m.Confidence == search.Certain || s.Scope == "" {
		return false, nil
	}
	key := string(s.Language) + " " + s.Name
	many, known := r.many[key]
	if !known {
		list, err := r.a.x.Symbols(r.ctx, index.SymbolQuery{Name: s.Name, Match: index.Exact,
			Language: s.Language, Limit: 100})
		if err != nil {
			return false, fmt.Errorf("owners of %s: %w", s.Name, err)
		}
		owners := map[string]bool{}
		for i := range list {
			if list[i].Scope != "" {
				owners[list[i].Scope] = true
			}
		}
		many = len(owners) >= manyOwners
		r.many[key] = many
	}
	return many, nil
}

// importers finds the files that import a target file as a whole.
func (r *run) importers() error {
	if len(r.whole) == 0 {
		return nil
	}
	list, err := r.a.e.Importers(r.ctx, r.whole)
	if err != nil {
		return fmt.Errorf("importers: %w", err)
	}
	for _, i := range list {
		if r.own[i.File] {
			continue
		}
		reason := "imports it"
		if search.TestFile(i.File) {
			reason = ofTest + "imports it"
		}
		r.found.add(i.File, gradeOf(i.File), reason, place{line: i.Line}, i.Path)
	}
	return nil
}

// gradeOf returns how much attention a file with a sure reference asks for: tests
// less than what they test.
func gradeOf(file string) grade {
	if search.TestFile(file) {
		return should
	}
	return must
}

// maxRivals is how many methods of one name are compared with one that changes.
const maxRivals = 500

// overrides finds methods that override, implement or are overridden by a
// method that changes.
func (r *run) overrides() error {
	type at struct {
		file string
		line int
	}
	reported := map[at]bool{}
	byQuery := map[index.SymbolQuery][]index.Symbol{}
	changing := slices.Concat(r.symbols, r.added)
	for i := range changing {
		s := &changing[i]
		if s.Kind != syntax.Method || s.Scope == "" {
			continue
		}
		q := index.SymbolQuery{Name: s.Name, Match: index.Exact, Language: s.Language, Kind: syntax.Method, Limit: maxRivals}
		rivals, known := byQuery[q]
		if !known {
			var err error
			if rivals, err = r.a.x.Symbols(r.ctx, q); err != nil {
				return fmt.Errorf("overrides: %w", err)
			}
			byQuery[q] = rivals
		}
		if len(rivals) == maxRivals {
			r.src.Lacks(gaps.Followed, s.File)
		}
		for j := range rivals {
			o := &rivals[j]
			if r.own[o.File] || o.File == s.File && o.Start == s.Start || o.Scope == s.Scope && o.File == s.File {
				continue
			}
			way, err := overrides.Between(r.ctx, r.a.x, s, o)
			if err != nil {
				return fmt.Errorf("overrides: %w", err)
			}
			if way == overrides.Unrelated {
				continue
			}
			grade := gradeOf(o.File)
			if search.TestFile(s.File) { // what a double in a test stands for does not depend on it
				grade = should
			}
			r.found.add(o.File, grade, string(way), place{line: o.NameLine}, qualified(s))
			reported[at{o.File, o.NameLine}] = true
		}
	}
	for _, o := range r.kin {
		if !reported[at{o.File, o.Line}] {
			r.found.add(o.File, gradeOf(o.File), "declares it for a related type", placeOf(o.Mention), o.symbol)
		}
	}
	return nil
}

// A relative is where a related type declares a symbol that changes: it overrides it or is
// overridden by it, with types between them or not.
type relative struct {
	*search.Mention
	symbol string
}
