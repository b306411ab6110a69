package queryplan

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/text/terms"
)

// Budgets of one plan.
const (
	maxNames     = 3  // named symbols that are looked up
	hitsAsked    = 30 // of the search by meaning
	nameHits     = 10 // of them, that may give a name to look up
	definedEach  = 5  // definitions of a symbol
	refsEach     = 20
	linesEach    = 20 // of search_text
	maxPatterns  = 2
	symbolsAsked = 200 // of the best file
	outlined     = 20  // of its folder
	stepTokens   = 6000
)

// A run carries out one plan.
type run struct {
	ctx     context.Context
	p       *project.Project
	x       *index.Index
	e       *search.Engine
	aim     aim
	frame   []string // terms of the session's frame
	q       Query
	asked   *question.Question // the analysis of q.Query
	slots   map[string]requestslots.Slot
	symbols []lookup // first those that the question names, then those found
	file    string   // the file that answers best so far
	found   merged
	notes   []msg.Message
	fresh   string
	whole   gaps.Completeness // of all answers so far
	short   bool
	weak    bool // what the search by meaning found
}

// A lookup is a symbol worth a closer look. One that a search found is known with
// its place, one that the question names is not.
type lookup struct {
	name string
	file string
	line int
}

// named returns the names in the question that the code defines.
func (r *Router) named(ctx context.Context, q Query, slots map[string]requestslots.Slot) ([]string, error) {
	texts := []string{q.Query}
	for _, name := range requestslots.SlotNames {
		texts = append(texts, slots[name].Value)
	}
	var names []string
	candidates := nameCandidates(texts...)
	for _, c := range candidates[:min(len(candidates), 12)] {
		a, err := r.e.Definitions(ctx, search.DefinitionsQuery{
			Symbol: c, Language: q.Language, ExactMatch: true, Where: q.Where, Page: search.Page{Limit: 1},
		})
		if p := problem.Of(err); p != nil && a == nil && !errors.Is(err, context.Canceled) {
			switch p.Code {
			case problem.InvalidArgument, problem.NotFound, problem.OutsideRoot:
				return nil, err // of the area or the language, which every step shares
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if a.Total > 0 && !slices.ContainsFunc(names, func(n string) bool { return partOf(n, c) }) {
			names = append(names, c)
		}
		if len(names) == maxNames {
			break
		}
	}
	return names, nil
}

// partOf reports whether a name says nothing beyond a qualified one: Cart or total
// beside Cart.total.
func partOf(qualified, name string) bool {
	parts := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".:->#", r) })
	}
	of := parts(qualified)
	for _, p := range parts(name) {
		if !slices.Contains(of, p) {
			return false
		}
	}
	return true
}

// steps carries out the steps of a plan and notes their outcomes. A step that is
// refused fails alone, unless none is left.
func (r *run) steps(p *Plan) error {
	do := map[string]func(*Step) error{
		semantic: r.semantic, definitions: r.definitions, references: r.references,
		textSearch: r.text, symbols: r.fileSymbols, structure: r.structure,
	}
	var refusal error
	ran := 0
	for i := range p.Steps {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		s := &p.Steps[i]
		if s.Why == unlessFound && len(r.found.list) > 0 {
			s.Outcome, s.Reason = Skipped, "the steps before found what is asked for"
			continue
		}
		step := do[s.Tool]
		if own := r.aimed(s.Tool); own != nil {
			step = own
		}
		err := step(s)
		switch p := problem.Of(err); {
		case p != nil:
			s.Outcome, s.Reason = Failed, p.Message.String()
			if refusal == nil {
				refusal = err
			}
		case err != nil:
			return fmt.Errorf("%s: %w", s.Tool, err)
		case s.Outcome == Skipped:
		case s.Found == 0:
			s.Outcome = Nothing
			ran++
		default:
			s.Outcome = Done
			ran++
		}
	}
	if ran == 0 { // what they object to is in the question: a path, a language
		return refusal
	}
	return nil
}

func (s *Step) skip(why string) error {
	s.Outcome, s.Reason = Skipped, why
	return nil
}

// semantic searches for the question as a whole.
func (r *run) semantic(s *Step) error {
	s.Args = r.q.Query
	query := r.q.Query
	if f := r.slots["target_feature"].Value; f != "" && !strings.Contains(query, f) {
		query += " " + f
	}
	q := search.SemanticQuery{
		Query: text.Prefix(query, search.MaxQuestion), Language: r.q.Language, Where: r.q.Where,
		NResults: hitsAsked, MaxTokens: 12000,
	}
	if q.Query == r.asked.Text {
		q.Asked = r.asked
	}
	a, err := r.e.Semantic(r.ctx, q)
	if err != nil {
		return err
	}
	s.Found = len(a.MapHits) + len(a.ForestHits)
	r.fresh, r.short, r.weak = a.Freshness, a.ShortCircuit, a.NoGoodMatch
	r.whole.Lack(a.Completeness)
	r.notes = append(r.notes, a.Notes...)
	for i, h := range append(slices.Clone(a.MapHits), a.ForestHits...) {
		weight := weightForest
		if h.Source == search.Map {
			weight = weightMap
		}
		r.found.add(Result{
			File: h.File, StartLine: h.StartLine, EndLine: h.EndLine, Symbol: h.Symbol, Kind: h.Kind, Signature: h.Signature,
			ChunkID: h.ChunkID, Reasons: h.Reasons, Snippet: h.Snippet, snippetAt: max(h.StartLine, h.SnippetAt),
		}, semantic, weight, i)
		if i == 0 {
			r.file = h.File
		}
		if i < nameHits && len(r.symbols) < maxNames && isReferredTo(h.Kind) && !r.looksUp(h.Symbol) {
			r.symbols = append(r.symbols, lookup{h.Symbol, h.File, h.StartLine})
		}
	}
	return nil
}

// looksUp reports whether a symbol of the name is looked up anyway.
func (r *run) looksUp(name string) bool {
	return slices.ContainsFunc(r.symbols, func(l lookup) bool { return l.name == name })
}

// stepPage asks a step for so many results.
func stepPage(limit int) search.Page { return search.Page{Limit: limit, MaxTokens: stepTokens} }

// isReferredTo reports whether others refer to symbols of a kind by name.
func isReferredTo(k syntax.Kind) bool {
	switch k {
	case "", syntax.Heading, syntax.Key, syntax.Element, syntax.Impl, syntax.Module, syntax.Namespace:
		return false
	}
	return true
}

func (r *run) definitions(s *Step) error {
	if len(r.symbols) == 0 {
		return s.skip("no name is known yet")
	}
	var names []string
	rank := 0
	for _, l := range r.symbols[:min(len(r.symbols), maxNames)] {
		names = append(names, l.name)
		q := search.DefinitionsQuery{
			Symbol: l.name, Language: r.q.Language, ExactMatch: true, Where: r.q.Where, Page: stepPage(definedEach),
		}
		if l.file != "" {
			q.Path = l.file
		}
		a, err := r.e.Definitions(r.ctx, q)
		if err != nil {
			return err
		}
		s.Found += a.Total
		r.fresh = a.Freshness
		r.whole.Lack(a.Completeness)
		weight := weightForest
		if l.file == "" {
			weight = weightDefinition
		}
		for _, d := range a.Definitions {
			if (r.aim.Kind == Callers || r.aim.Kind == Implementers) && d.Signature != "" {
				d.Snippet = "" // what it looks like is not asked
			}
			r.found.add(Result{
				File: d.File, StartLine: d.Line, EndLine: d.EndLine, Symbol: text.Dotted(d.Scope, d.Name), Kind: d.Kind,
				Signature: d.Signature, Snippet: d.Snippet, snippetAt: d.SnippetAt, Reasons: []string{"defines " + l.name},
			}, definitions, r.weight(definitions, weight), rank)
			rank++
			if r.file == "" {
				r.file = d.File
			}
		}
	}
	s.Args = strings.Join(names, ", ")
	return nil
}

func (r *run) references(s *Step) error {
	if len(r.symbols) == 0 {
		return s.skip("no name is known yet")
	}
	name := r.symbols[0].name
	s.Args = name
	each := refsEach
	if r.aim.Kind == Callers || r.aim.Kind == Implementers {
		each = aimedEach
	}
	q := search.ReferencesQuery{Symbol: name, Language: r.q.Language, Where: r.q.Where, Page: stepPage(each)}
	if at := r.symbols[0]; at.file != "" {
		list, err := r.e.Definitions(r.ctx, search.DefinitionsQuery{
			Symbol: name, ExactMatch: true, Where: search.Where{Path: at.file}, Page: search.Page{Limit: 1},
		})
		if err == nil && len(list.Definitions) > 0 {
			q.FilePath, q.Line = at.file, list.Definitions[0].Line
		}
	}
	a, err := r.e.References(r.ctx, q)
	if err != nil {
		return err
	}
	s.Found, r.fresh = a.Total, a.Freshness
	r.whole.Lack(a.Completeness)
	for i, ref := range a.References {
		l := Line{Line: ref.Line, Content: ref.Content}
		if ref.EnclosingKind.Callable() {
			l.Caller = ref.Enclosing
		}
		r.found.add(Result{
			File: ref.File, StartLine: ref.Line, EndLine: ref.Line, Matches: []Line{l},
			Reasons: []string{fmt.Sprintf("%s of %s", ref.Role, name)},
		}, references, r.weight(references, weightReference), i)
	}
	return nil
}

func (r *run) text(s *Step) error {
	patterns := r.patterns()
	if len(patterns) == 0 {
		return s.skip("the question holds no word that would stand in the code as it is")
	}
	s.Args = strings.Join(patterns, ", ")
	a, err := r.e.Text(r.ctx, search.TextQuery{
		Pattern: patterns, Case: search.Insensitive, Where: r.q.Where, FileType: r.q.Language, Page: stepPage(linesEach),
	})
	if err != nil {
		return err
	}
	s.Found, r.fresh = a.Total, a.Freshness
	r.whole.Lack(a.Completeness)
	for i, m := range a.Matches {
		r.found.add(Result{
			File: m.File, StartLine: m.Line, EndLine: m.Line, Matches: []Line{{Line: m.Line, Content: m.Content}},
			Reasons: []string{"holds the text"},
		}, textSearch, weightText, i)
	}
	return nil
}

// patterns are the texts worth looking for word by word: quotations, else the
// rarest-looking words of what was observed and of when it happens.
func (r *run) patterns() []string {
	var list []string
	for _, m := range inQuotes.FindAllStringSubmatch(r.q.Query, -1) {
		list = append(list, m[1]+m[2]+m[3])
	}
	if len(list) == 0 {
		for _, c := range nameCandidates(r.q.Query) {
			if !r.looksUp(c) && (dotted.MatchString(c) || compound.MatchString(c)) {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		var words []string
		for _, slot := range []string{"observed_issue", "trigger_condition", "target_feature"} {
			words = append(words, contentWords(r.slots[slot].Value)...)
		}
		slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
		list = slices.Compact(words)
	}
	return list[:min(len(list), maxPatterns)]
}

// contentWords are the words of a text that mean something, as they are written.
func contentWords(value string) (words []string) {
	meaning := terms.Query(value)
	between := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	for _, w := range strings.FieldsFunc(value, between) {
		if utf8.RuneCountInString(w) < 5 || w[0] >= utf8.RuneSelf || slices.Contains(words, w) {
			continue
		}
		if t := terms.Query(w); len(t) > 0 && slices.Contains(meaning, t[0]) {
			words = append(words, w)
		}
	}
	return words
}

// isAboutQuestion reports whether a text has a term of the question.
func (r *run) isAboutQuestion(text string) bool {
	return slices.ContainsFunc(terms.Query(text), func(t string) bool { return slices.Contains(r.asked.Terms, t) })
}

// fileSymbols lists what the best file declares and keeps what the question has
// words for.
func (r *run) fileSymbols(s *Step) error {
	if r.file == "" {
		return s.skip("no file is known yet")
	}
	s.Args = r.file
	a, err := r.e.Symbols(r.ctx, search.SymbolsQuery{Path: r.file, Page: stepPage(symbolsAsked)})
	if err != nil {
		return err
	}
	s.Found, r.fresh = a.Total, a.Freshness
	r.whole.Lack(a.Completeness)
	rank := 0
	for _, d := range a.Symbols {
		if !r.isAboutQuestion(d.Name + " " + d.Doc) {
			continue
		}
		r.found.add(Result{
			File: r.file, StartLine: d.Line, EndLine: d.EndLine, Symbol: text.Dotted(d.Scope, d.Name),
			Kind: d.Kind, Signature: d.Signature, Reasons: []string{"stands beside the best answer"},
		}, symbols, weightOutline, rank)
		rank++
	}
	return nil
}

// structure outlines the folder of the best file: the neighbours that the
// question has words for.
func (r *run) structure(s *Step) error {
	if r.file == "" {
		return s.skip("no file is known yet")
	}
	dir := path.Dir(r.file)
	s.Args = dir
	a, err := r.e.Structure(r.ctx, search.StructureQuery{
		Where: search.Where{Path: dir, Globs: r.q.Globs}, Depth: 1, Language: r.q.Language, Page: stepPage(outlined),
	})
	if err != nil {
		return err
	}
	r.fresh = a.Freshness
	r.whole.Lack(a.Completeness)
	rank := 0
	for _, f := range a.Files {
		s.Found += len(f.Symbols)
		for _, o := range f.Symbols {
			if !r.isAboutQuestion(o.Name) {
				continue
			}
			r.found.add(Result{
				File: f.File, StartLine: o.StartLine, EndLine: o.EndLine, Symbol: text.Dotted(o.Scope, o.Name),
				Kind: o.Type, Signature: o.Signature, Reasons: []string{"stands near the best answer"},
			}, structure, weightOutline, rank)
			rank++
		}
	}
	return nil
}
