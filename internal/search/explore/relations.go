package explore

import (
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/impact"
	"codeintel/internal/search/overrides"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/terms"
)

// relate adds to the first places who calls them and what they call.
func (r *run) relate() error {
	if r.a.Weak || r.uses {
		return nil
	}
	done := 0
	for i := range r.a.Places {
		p := &r.a.Places[i]
		at := slices.IndexFunc(r.found, func(c candidate) bool {
			return c.declared != nil && c.file == p.File && c.start == p.StartLine && c.symbol == p.Symbol
		})
		if at < 0 {
			continue
		}
		s := r.found[at].declared
		if done++; done > maxRelated || !r.named && r.found[at].score < nearBest*r.found[0].score {
			if s.Kind.Callable() && !r.named && done <= maxRelated+maxWeaker {
				if err := r.callees(p, s, r.isOfQuestion); err != nil {
					return err
				}
			}
			continue
		}
		if err := r.members(p, s); err != nil {
			return err
		}
		if err := r.callers(p, s); err != nil {
			return err
		}
		if s.Kind.Callable() {
			if err := r.callees(p, s, anyCallee); err != nil {
				return err
			}
		}
	}
	return nil
}

// symbolsOf returns the symbols of a file; none if it is gone meanwhile.
func (r *run) symbolsOf(file string) ([]index.Symbol, error) {
	list, err := r.e.x.FileSymbols(r.ctx, file)
	if problem.Of(err) != nil {
		return nil, nil
	}
	if err != nil {
		return nil, errorf("symbols", err)
	}
	return list, nil
}

// members adds what a type holds whose code is not shown whole.
func (r *run) members(p *Place, s *index.Symbol) error {
	if !s.Kind.HasMembers() || len(p.Code) == 1 && p.Code[0].last >= s.EndLine {
		return nil
	}
	list, err := r.symbolsOf(s.File)
	if err != nil || list == nil {
		return err
	}
	own := text.Dotted(s.Scope, s.Name)
	for i := range list {
		m := &list[i]
		if m.Scope != own || m.Start == s.Start || !m.Kind.Callable() && !m.Kind.HasMembers() {
			continue
		}
		spot := Spot{File: m.File, StartLine: m.StartLine, EndLine: m.EndLine, Symbol: m.Name}
		if len(p.Members) == maxMembers || !r.fits(spot) {
			break
		}
		p.Members = append(p.Members, spot)
	}
	return nil
}

// callers adds who calls or uses a symbol. Tests go to the tests of the answer.
func (r *run) callers(p *Place, s *index.Symbol) error {
	all, err := r.e.x.Occurrences(r.ctx, s.Name)
	if err != nil {
		return errorf("occurrences", err)
	}
	if len(all) > maxMentions {
		r.a.Note(msg.New("explore.name_is_common", p.Symbol, len(all), op.FindReferences))
		r.src.Lacks(gaps.Followed, s.File)
		return nil
	}
	list, err := r.src.Mentions(r.ctx, *s)
	if err != nil {
		return errorf("references", err)
	}
	derived, err := r.derived(p, s, list)
	if err != nil {
		return err
	}
	var users, listed, imports, possible []Spot
	few := s.Scope == "" || len(list) <= maxCallers
	for i := range list {
		m := &list[i]
		if m.Role == syntax.Definition || m.File == s.File && s.StartLine <= m.Line && m.Line <= s.EndLine {
			continue // a prototype, or another of what it overrides, calls nothing
		}
		if derived[sourceLine{m.File, m.Line}] {
			continue
		}
		unsure := m.Confidence == search.Possible
		spot := Spot{File: m.File, StartLine: m.Line, Symbol: text.Dotted(m.Enclosing.Scope, m.Enclosing.Name),
			Confidence: lowerConfidence(m.Confidence)}
		switch {
		case search.TestPlace(m.File, m.Enclosing.Scope), r.beginsTest(m.File, m.Enclosing.StartLine):
			if m.Role != syntax.ImportUse && (few || !unsure) {
				r.test(spot)
			}
		case m.Role == syntax.ImportUse:
			if few || !unsure {
				imports = append(imports, spot)
			}
		case unsure:
			possible = joined(possible, spot)
		case m.Role == syntax.Read && spot.Symbol == "": // a list of exports, or a table
			listed = joined(listed, spot)
		default:
			users = joined(users, spot)
		}
	}
	if users = append(users, listed...); len(users) == 0 && len(possible) == 0 {
		users = imports
	}
	most := maxCallers
	if r.named {
		most = maxCallersNamed
	}
	p.CalledBy = r.spotsThatFit(users, most)
	p.More, p.Possible = len(users)-len(p.CalledBy), len(possible)
	if len(possible) <= most {
		some := r.spotsThatFit(possible, maxCallers)
		p.CalledBy, p.Possible = append(p.CalledBy, some...), len(possible)-len(some)
	}
	return nil
}

// A sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

// derived adds the types that implement, extend or take in a type, and returns the lines
// that say so.
func (r *run) derived(p *Place, s *index.Symbol, mentions []search.Mention) (map[sourceLine]bool, error) {
	if !s.Kind.HasMembers() && s.Kind != syntax.Module {
		return nil, nil
	}
	var types []Spot
	add := func(t *index.Symbol) {
		spot := Spot{File: t.File, StartLine: t.NameLine, Symbol: text.Dotted(t.Scope, t.Name)}
		if !slices.ContainsFunc(types, func(o Spot) bool { return o.File == spot.File && o.StartLine == spot.StartLine }) {
			types = append(types, spot)
		}
	}
	if s.Kind == syntax.Interface && s.Language == syntax.Go {
		list, err := overrides.Satisfying(r.ctx, r.e.x, s)
		if err != nil {
			return nil, errorf("implementations", err)
		}
		for i := range list {
			add(&list[i])
		}
	}
	lines := make(map[sourceLine]bool)
	var file []index.Symbol
	for i := range mentions {
		m := &mentions[i]
		if m.Confidence == search.Possible || m.Role == syntax.Definition || m.Role == syntax.ImportUse || m.Enclosing.Kind.Callable() {
			continue
		}
		if len(file) == 0 || file[0].File != m.File {
			var err error
			if file, err = r.e.x.FileSymbols(r.ctx, m.File); problem.Of(err) != nil {
				continue // gone meanwhile
			} else if err != nil {
				return nil, errorf("symbols", err)
			}
		}
		content, _ := r.src.Block(m.File, m.Line, m.Line, 1)
		if t := overrides.Derived(file, s.Name, m.Line, content, m.Enclosing.Kind); t != nil {
			lines[sourceLine{m.File, m.Line}] = true
			add(t)
		}
	}
	p.Derived = r.spotsThatFit(types, maxDerived)
	p.MoreDerived = len(types) - len(p.Derived)
	return lines, nil
}

// joined adds a spot to a list, to the one of the same function if there is one.
func joined(list []Spot, s Spot) []Spot {
	for i := range list {
		if u := &list[i]; u.File == s.File && u.Symbol == s.Symbol {
			if u.StartLine != s.StartLine && !slices.Contains(u.Also, s.StartLine) {
				u.Also = append(u.Also, s.StartLine)
			}
			return list
		}
	}
	return append(list, s)
}

// spotsThatFit takes so many of a list as fit.
func (r *run) spotsThatFit(list []Spot, most int) (some []Spot) {
	for _, s := range list {
		if len(some) == most || !r.fits(s) {
			break
		}
		some = append(some, s)
	}
	return some
}

// test adds a test to the answer, once.
func (r *run) test(s Spot) {
	same := func(t Spot) bool { return t.File == s.File && (t.Symbol == s.Symbol || t.Symbol == "") }
	most := maxTests
	if !r.named && !r.asked.Tests {
		most = maxTestsFound
	}
	if len(r.a.Tests) < most && !slices.ContainsFunc(r.a.Tests, same) && r.fits(s) {
		r.a.Tests = append(r.a.Tests, s)
	}
}

func lowerConfidence(c search.Confidence) search.Confidence {
	if c == search.Certain {
		return ""
	}
	return c
}

// anyCallee takes whatever is called.
func anyCallee(string) bool { return true }

// shared is how many words of the question a name or a line has.
func (r *run) shared(text string) (n int) {
	for _, t := range terms.Query(text) {
		if slices.Contains(r.asked.Terms, t) {
			n++
		}
	}
	return n
}

// isOfQuestion reports whether a name has a word of the question.
func (r *run) isOfQuestion(name string) bool { return r.shared(name) > 0 }

// callees adds what a function calls of the project and has a name that is wanted.
func (r *run) callees(p *Place, s *index.Symbol, wanted func(name string) bool) error {
	list, err := r.src.Callees(r.ctx, *s)
	if problem.Of(err) != nil {
		return nil // gone meanwhile
	}
	if err != nil {
		return errorf("callees", err)
	}
	var calls []Spot
	for i := range list {
		c := &list[i]
		shown := slices.ContainsFunc(r.a.Places, func(p Place) bool { return p.File == c.File && p.StartLine == c.StartLine })
		if !shown && wanted(c.Name) {
			calls = append(calls, Spot{
				File: c.File, StartLine: c.NameLine, Symbol: text.Dotted(c.Scope,
					c.Name), Confidence: lowerConfidence(c.Confidence),
			})
		}
	}
	p.Calls = r.spotsThatFit(calls, maxCallees)
	return nil
}

// fittingTests adds the tests that fit the question best.
func (r *run) fittingTests() error {
	for i := range r.fitting[:min(len(r.fitting), maxFitting)] {
		c := &r.fitting[i]
		if err := r.declare(c); err != nil {
			return err
		}
		if c.join(); c.symbol != "" && !r.isCodeShown(c) {
			r.test(Spot{File: c.file, StartLine: c.start, Symbol: c.symbol})
		}
	}
	return nil
}

// tests adds the tests that are called after the files of the first places.
func (r *run) tests() error {
	if r.a.Weak || r.uses {
		return nil
	}
	l, err := r.e.x.Listed(r.ctx)
	if err != nil {
		return errorf("list files", err)
	}
	targets := map[string]bool{}
	if r.file != "" {
		targets[r.file] = true
	}
	for i := range r.a.Places[:min(len(r.a.Places), maxRelated)] {
		targets[r.a.Places[i].File] = true
	}
	for _, t := range impact.TestsNamed(targets, l.Entries) {
		same := func(had Spot) bool { return had.File == t.Test }
		if slices.ContainsFunc(r.a.Tests, same) {
			continue
		}
		s, err := r.testIn(t.Test)
		if err != nil {
			return err
		}
		r.test(s)
	}
	return nil
}

// testIn returns the test of a file whose name and signature hold most of what was asked
// for, or the file's first line if none of them holds anything of it.
func (r *run) testIn(file string) (Spot, error) {
	best := Spot{File: file, StartLine: 1}
	list, err := r.symbolsOf(file)
	if err != nil || list == nil {
		return best, err
	}
	most := 0
	for i := range list {
		s := &list[i]
		if !s.Kind.Callable() {
			continue
		}
		found := r.shared(s.Name)
		if found > most {
			best.StartLine, best.Symbol, most = s.NameLine, text.Dotted(s.Scope, s.Name), found
		}
	}
	return best, nil
}
