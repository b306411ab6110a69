package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/literals"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

const (
	maxAlike   = 8  // symbols that a name may mean which nothing has
	maxUsing   = 30 // places that use a name: what more do is an everyday word
	maxRecords = 2  // definitions in data and documents, beside code that uses the name
)

// findSymbol takes the definitions of a name, those outside of tests first. Where no code defines
// it, it takes what is written otherwise, and else the code that uses the name: an option that only
// its documentation declares, or something of another package.
func (r *run) findSymbol(name string) error {
	found, err := r.e.e.Definitions(r.ctx, search.DefinitionsQuery{
		Symbol: name, ExactMatch: true, Where: r.q.Where, Page: search.Page{Limit: maxNamed, MaxTokens: 12500},
	})
	if p := problem.Of(err); p != nil {
		return nil // it is no name
	}
	if err != nil {
		return err
	}
	var code, records []index.Symbol
	for _, s := range found.Symbols(maxNamed) {
		if isRecord(&s) {
			records = append(records, s)
		} else {
			code = append(code, s)
		}
	}
	other := false
	if code == nil {
		if other, err = r.mayMeanOther(name, records); err != nil {
			return err
		}
	}
	if other {
		if code, err = r.findSpelledOtherwise(name, records == nil); err != nil {
			return err
		}
		if code != nil || r.uses {
			records = records[:min(len(records), maxRecords)]
		}
	}
	for _, tests := range []bool{false, true} {
		for _, s := range slices.Concat(code, records) {
			if search.TestPlace(s.File, s.Scope) == tests && r.inside(s.File) {
				r.found, r.named = append(r.found, candidateOf(&s)), true
			}
		}
	}
	return nil
}

// mayMeanOther reports whether a name that no code defines, at most these records, may mean other code. The
// name of a file, a word that is the heading of a document, and what is defined outside of the files that were
// asked about mean themselves.
func (r *run) mayMeanOther(name string, records []index.Symbol) (bool, error) {
	if elsewhere, err := r.elsewhere(name); elsewhere || err != nil {
		return false, err
	}
	heading := slices.ContainsFunc(records, func(s index.Symbol) bool { return s.Kind == syntax.Heading })
	if !isIdentifier(name) && (records == nil || heading) {
		return false, nil
	}
	l, err := r.e.x.Listed(r.ctx)
	if err != nil {
		return false, errorf("list files", err)
	}
	files, whole := symbolname.FilesNamed(name, l.Entries)
	return !whole || files == nil, nil
}

// elsewhere reports whether code outside of the files that were asked about defines a name, and notes where.
func (r *run) elsewhere(name string) (bool, error) {
	if r.q.Path == "" && len(r.q.Globs) == 0 {
		return false, nil
	}
	found, err := r.e.e.Definitions(r.ctx, search.DefinitionsQuery{
		Symbol: name, ExactMatch: true, Page: search.Page{Limit: maxNamed, MaxTokens: 12500},
	})
	if err != nil {
		return false, errorf("symbols", err)
	}
	var places []string
	for _, s := range found.Symbols(maxNamed) {
		if !isRecord(&s) && len(places) < maxNear {
			places = append(places, fmt.Sprintf("%s:%d", s.File, s.NameLine))
		}
	}
	if places != nil {
		r.noteFirst(msg.New("explore.defined_elsewhere", name, strings.Join(places, ", ")))
	}
	return places != nil, nil
}

// isIdentifier reports whether a word is written as only names in code are, not as words of prose.
func isIdentifier(word string) bool {
	return len(word) > 1 && (isName(word) || strings.Contains(word, "::")) &&
		(strings.ContainsAny(word[1:], "_.:#0123456789") || strings.ToLower(word[1:]) != word[1:])
}

// findSpelledOtherwise returns the code that a name means which no code has: what is spelled otherwise, perhaps
// because the name is misspelled, or the only thing that has its last part. Of a name that the code
// uses all the same it takes the places that do.
func (r *run) findSpelledOtherwise(name string, misspelled bool) ([]index.Symbol, error) {
	n := symbolname.Parse(name)
	list, err := n.Alike(r.ctx, r.e.x, misspelled)
	if err != nil {
		return nil, errorf("symbols", err)
	}
	code := func(most int) []index.Symbol {
		list = slices.DeleteFunc(list, func(s index.Symbol) bool { return isRecord(&s) || !r.inside(s.File) })
		if len(list) > most {
			return nil
		}
		var names []string
		for i := range list {
			names = text.AppendNew(names, text.Dotted(list[i].Scope, list[i].Name))
		}
		if names != nil {
			r.noteFirst(msg.New("explore.taken_for", name, strings.Join(names, ", ")))
		}
		return list
	}
	if found := code(maxAlike); len(found) > 0 {
		return found, nil
	}
	if r.found, err = r.placesUsing(name); err != nil {
		return nil, err
	}
	if r.uses = r.found != nil; r.uses {
		r.named = true
		r.noteFirst(msg.New("explore.only_used", name))
	}
	if len(n.Scope) == 0 || !r.uses && !isIdentifier(n.Base) {
		return nil, nil
	}
	if list, err = r.e.x.Symbols(r.ctx, index.SymbolQuery{Name: n.Base, Match: index.Exact, Limit: maxNamed}); err != nil {
		return nil, errorf("symbols", err)
	}
	if !r.uses {
		return code(1), nil
	}
	var members []string // that a use through a variable may mean
	for i := range list {
		if s := &list[i]; !isRecord(s) && s.Scope != "" {
			members = append(members, fmt.Sprintf("%s (%s:%d)", text.Dotted(s.Scope, s.Name), s.File, s.NameLine))
		}
	}
	if members != nil && len(members) <= maxNear {
		r.noteFirst(msg.New("explore.may_be_member", strings.Join(members, ", ")))
	}
	return nil, nil
}

// isRecord reports whether a symbol is one of data or of a document.
func isRecord(s *index.Symbol) bool { return s.Kind == syntax.Key || s.Kind == syntax.Heading }

// placesUsing returns the places of the code that use a name, those that do most often first.
func (r *run) placesUsing(name string) ([]candidate, error) {
	lines, err := r.e.e.Written(r.ctx, r.q.Where, false, []string{literals.Bounded(name)})
	if err != nil {
		return nil, errorf("text", err)
	}
	var list []candidate
	times := map[sourceLine]int{}
	for _, l := range lines[0] {
		if r.src.IsComment(l.File, l.Line) {
			continue
		}
		c, err := r.enclosing(l.File, l.Line)
		if err != nil {
			return nil, err
		}
		if c == nil || r.isTest(c) || !r.inside(c.file) {
			continue
		}
		at := sourceLine{c.file, c.start}
		if times[at]++; times[at] == 1 {
			list = append(list, *c)
		}
	}
	if len(list) > maxUsing && !isIdentifier(name) {
		return nil, nil
	}
	rank := func(c *candidate) int {
		if c.kind.Callable() { // others mostly import it
			return times[sourceLine{c.file, c.start}]
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(rank(&b), rank(&a)) })
	return list, nil
}

// namedTests puts a test in front that the question names, and reports whether there is one. A name that other
// code has as well is not that of a test.
func (r *run) namedTests() (bool, error) {
	for _, n := range r.asked.Names {
		if n.Confidence < 1 || !isIdentifier(n.Name) {
			continue
		}
		list, err := r.e.x.Symbols(r.ctx, index.SymbolQuery{Name: n.Name, Match: index.Exact, Limit: maxNamed})
		if err != nil {
			return false, errorf("symbols", err)
		}
		inTests := func(s index.Symbol) bool { c := candidateOf(&s); return s.Kind.Callable() && r.isTest(&c) }
		if len(list) == 0 || slices.ContainsFunc(list, func(s index.Symbol) bool { return !inTests(s) }) || !r.inside(list[0].File) {
			continue
		}
		c := candidateOf(&list[0])
		if len(r.found) > 0 {
			c.score = r.found[0].score
		}
		r.found, r.ofTest = slices.Insert(r.found, 0, c), true
		return true, nil
	}
	return false, nil
}
