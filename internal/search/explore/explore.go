// Package explore answers a question about the code in one go: the few places that matter with their code,
// who calls them and what they call, their tests, and what changed together with them.
//
// Every line is in a group that says why it is there. The answer is bounded by
// characters, and the same question on the same index gives the same answer.
package explore

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"codeintel/internal/commitlog"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// Query asks what one has to know about something.
type Query struct {
	Query string `json:"query" jsonschema:"A symbol, FILE[:LINE], or a question in words the code would use"`
	search.Where
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"Default 2500"`
}

// Limits of an answer.
const (
	defaultTokens   = 2500
	hitsAsked       = 40
	maxPlaces       = 10 // with their code, where a name was asked for
	maxNear         = 3  // files that a name may mean
	maxNamed        = 8  // definitions of a name that is asked for
	maxRelated      = 3  // of them, whose callers, callees and tests are looked for
	maxWeaker       = 2  // further ones, of which callees are named that have words of the question
	maxMentions     = 3000
	maxCallers      = 6
	maxCallersNamed = 24 // of a name that was asked for
	maxCallees      = 8
	maxTests        = 6
	maxTestsFound   = 3 // of what a question is about that asks for no tests
	maxFitting      = 2 // tests that fit the question themselves
	maxTogether     = 5
	maxFurther      = 4
	maxAround       = 3  // callees, and callers, whose code is shown
	linesAround     = 20 // of each of them
	wrapperLines    = 8  // of a caller at most that only passes on: who calls it counts as much
	minHabitCommits = 2  // commits that make a habit
	maxDeclared     = 80 // symbols of a file
	maxMembers      = 40 // of a type
	maxDerived      = 20 // from it
	maxImports      = 30 // of a file, and imports of it
)

// Answer is what one has to know.
type Answer struct {
	Query    string     `json:"query"`
	Places   []Place    `json:"places" jsonschema:"The places that matter, with their code"`
	File     *File      `json:"file_asked,omitempty" jsonschema:"Of a file: what it declares and imports, and what imports it"`
	Tests    []Spot     `json:"tests,omitempty" jsonschema:"Tests that call the places, or are called after their files"`
	Together []Together `json:"changed_together,omitempty" jsonschema:"Files that usually change with a file that was asked for"`
	Further  []Spot     `json:"further,omitempty" jsonschema:"Further places that fit the question, without code"`
	Weak     bool       `json:"no_good_match,omitempty" jsonschema:"True when little of the question stands anywhere in the code"`
	Loose    bool       `json:"no_sure_match,omitempty" jsonschema:"True when more of the question stands in the code, but no place is likely to be the one that is meant"`
	search.Remarks

	firstNotes int // how many of the notes come before the places
}

// A Place is a piece of code that matters.
type Place struct {
	Spot
	Kind        syntax.Kind `json:"kind,omitempty"`
	Why         Why         `json:"why,omitempty" jsonschema:"callee or caller of the first place; of others: it fits what was asked"`
	Code        []Code      `json:"code,omitempty"`
	Members     []Spot      `json:"members,omitempty" jsonschema:"Of a type of which not all code is shown"`
	CalledBy    []Spot      `json:"called_by,omitempty" jsonschema:"What calls or uses it, tests left out"`
	Calls       []Spot      `json:"calls,omitempty" jsonschema:"What it calls of this project"`
	Uses        []Use       `json:"uses,omitempty" jsonschema:"Of what holds a value: the lines of code that use it"`
	Derived     []Spot      `json:"derived,omitempty" jsonschema:"Types that implement, extend or take in this type"`
	More        int         `json:"more_callers,omitempty" jsonschema:"How many callers are not listed"`
	MoreDerived int         `json:"more_derived,omitempty" jsonschema:"How many derived types are not listed"`
	Possible    int         `json:"possible_callers,omitempty" jsonschema:"How many that may be some are not listed"`
	MoreUses    int         `json:"more_uses,omitempty" jsonschema:"How many lines that use it are not listed"`
}

// Why says why a place is in an answer, if not because it fits what was asked.
type Why string

// Why places are in an answer.
const (
	Callee Why = "callee"
	Caller Why = "caller"
)

// Code is a run of lines.
type Code struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	last int
}

// A Spot is where something is.
type Spot struct {
	File       string            `json:"file"`
	StartLine  int               `json:"start_line"`
	EndLine    int               `json:"end_line,omitempty"`
	Also       []int             `json:"also,omitempty" jsonschema:"Further lines of the same function"`
	Symbol     string            `json:"symbol,omitempty"`
	Confidence search.Confidence `json:"confidence,omitempty" jsonschema:"Unless it is certain"`
}

// Together is how often a file changed with another.
type Together struct {
	File     string `json:"file"`
	Together int    `json:"together"`
	Changes  int    `json:"changes" jsonschema:"Of so many changes of the file asked"`
}

// An Explorer answers for one project. It is safe for concurrent use.
type Explorer struct {
	p    *project.Project
	x    *index.Index
	e    *search.Engine
	past *commitlog.Reader // nil: history counts for nothing
}

// New returns an Explorer over a project, its index, its search and its history.
func New(p *project.Project, x *index.Index, e *search.Engine, past *commitlog.Reader) *Explorer {
	return &Explorer{p: p, x: x, e: e, past: past}
}

// Explore answers a question.
func (e *Explorer) Explore(ctx context.Context, q Query) (*Answer, error) {
	if strings.TrimSpace(q.Query) == "" {
		return nil, problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param("query")).
			Or("search.for_example", msg.CallOf(op.Explore, "query", "where are requests retried"))
	}
	var err error
	usual := q.MaxTokens == 0
	if q.MaxTokens, err = search.Tokens(q.MaxTokens, defaultTokens); err != nil {
		return nil, err
	}
	w, err := e.e.Window(op.Explore, &q.Query, &search.Page{MaxTokens: q.MaxTokens}, 1)
	if err != nil {
		return nil, err
	}
	return search.Steady(ctx, e.e, func(ctx context.Context, src search.Sources) (*Answer, error) {
		r := &run{ctx: ctx, e: e, src: src, q: q, left: w.Budget(), usual: usual, a: &Answer{Query: q.Query, Places: []Place{}}}
		return r.a, r.answer()
	})
}

// A run is the making of one answer.
type run struct {
	ctx     context.Context
	e       *Explorer
	src     search.Sources
	q       Query
	asked   *question.Question
	file    string                 // that was asked for
	inside  func(file string) bool // the paths that the question is limited to
	a       *Answer
	left    int  // characters that the answer may still have
	usual   bool // nobody said how long it may be
	found   []candidate
	shows   []candidate // those that are the first places of the answer
	fitting []candidate // the tests among them, where the question is about something else
	named   bool        // what was asked for is a symbol or a line, not a question
	ofTest  bool        // the question names a test
	uses    bool        // and the places only use it
}

// A candidate is a place that may matter, best first.
type candidate struct {
	file       string
	start, end int
	symbol     string
	kind       syntax.Kind
	declared   *index.Symbol // nil where it is no symbol that others refer to
	line       int           // that was asked for, or that contains what was
	score      float64       // of a question, comparable within one answer
	joins      bool          // it calls several of the best places
	onlyDocs   bool          // it is but documentation, in a source file
}

func (r *run) answer() error {
	r.asked = question.Analyse(r.q.Query)
	steps := []func() error{r.find, r.show, r.fittingTests, r.relate, r.lineUses, r.tests, r.history, r.addCallersAndCallees, r.listFurther, r.fill}
	for _, step := range steps {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether v still fits into the answer, and if so counts it.
func (r *run) fits(v any) bool {
	n := search.Size(v)
	if n > r.left {
		return false
	}
	r.left -= n
	return true
}

// find looks for places: those of a line or a symbol that was asked for, else those that
// a question is about.
func (r *run) find() error {
	query := strings.TrimSpace(r.q.Query)
	name := strings.Trim(query, "`'\"")
	var names []string
	if !strings.ContainsAny(name, " \t\n") {
		names = []string{name}
	}
	var err error
	if r.inside, err = r.src.Fresh(r.ctx, r.q.Where, names...); err != nil {
		return err
	}
	if names != nil {
		if done, err := r.findFile(name); done || err != nil {
			return err
		}
		if done, err := r.findLine(name); done || err != nil {
			return err
		}
		if err := r.findSymbol(name); err != nil {
			return err
		}
		if !r.named && r.asked.Kind != question.CJK {
			if done, err := r.findNamed(name); done || err != nil {
				return err
			}
		}
	}
	return r.findByMeaning()
}

// findNamed takes the file that a name means which is neither a path from the root nor a symbol.
// If there is none, it says that the name stands for nothing.
func (r *run) findNamed(name string) (bool, error) {
	l, err := r.e.x.Listed(r.ctx)
	if err != nil {
		return false, errorf("list files", err)
	}
	file, line, _ := strings.Cut(name, ":")
	files, whole := symbolname.FilesNamed(file, l.Entries)
	n, notNumber := strconv.Atoi(line)
	switch {
	case whole && len(files) == 1 && line == "":
		return r.findFile(files[0])
	case whole && len(files) == 1 && notNumber == nil && n < 1:
		return false, problem.New(problem.InvalidArgument, "search.line_lines_counted_from", msg.Param("query"), n).
			Or("search.for_example", msg.CallOf(op.Explore, "query", files[0]+":1"))
	case len(files) > 0:
		r.noteFirst(msg.New("explore.files_of_the_name", name, strings.Join(files[:min(len(files), maxNear)], ", ")))
	case syntax.Detect(file, nil) != syntax.Unknown && path.Ext(file) != "":
		r.noteFirst(msg.New("explore.no_file", file))
		for _, n := range symbolname.NearPaths(file, l.Entries, maxNear) {
			r.noteFirst(msg.New("search.did_you_mean", n))
		}
	case isName(name) && r.a.firstNotes == 0: // nor does a note say what it is
		r.noteFirst(msg.New("explore.nothing_defined", name))
	}
	return false, nil
}

// isName reports whether a word that was asked about is written as names in code are,
// plain or qualified. A word of prose, such as retries, may be meant as one too.
func isName(word string) bool {
	return !strings.ContainsFunc(word, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_$@#.:", c)
	})
}

// noteFirst adds notes that a reader has to know before the places.
func (r *run) noteFirst(notes ...msg.Message) {
	r.a.Notes = slices.Insert(r.a.Notes, r.a.firstNotes, notes...)
	r.a.firstNotes += len(notes)
}

// findLine handles a name of the form FILE:LINE; it reports false for any other.
func (r *run) findLine(name string) (bool, error) {
	file, line, _, ok := text.ParseLocation(name)
	if !ok || line < 1 {
		return false, nil
	}
	rel, err := r.e.p.Resolve(file)
	if err != nil {
		return true, err
	}
	list, err := r.e.x.FileSymbols(r.ctx, rel)
	if problem.Of(err) != nil {
		l, failed := r.e.x.Listed(r.ctx)
		if failed != nil {
			return true, errorf("list files", failed)
		}
		if files, whole := symbolname.FilesNamed(file, l.Entries); whole && len(files) == 1 && files[0] != rel {
			rel = files[0]
			list, err = r.e.x.FileSymbols(r.ctx, rel)
		} else if unread, failed := r.e.e.Unread(r.ctx, rel); unread != nil {
			return true, unread
		} else if failed != nil {
			return true, errorf("list files", failed)
		}
	}
	if err != nil {
		return true, err
	}
	if n := r.src.LineCount(rel); line > n {
		example := rel
		if n > 0 {
			example = fmt.Sprintf("%s:%d", rel, n)
		}
		return true, problem.New(problem.InvalidArgument, "search.line_but_lines", msg.Param("query"), line, rel, n).
			Or("search.for_example", msg.CallOf(op.Explore, "query", example))
	}
	r.named = true
	c := candidate{file: rel, start: max(1, line-10), end: min(line+10, r.src.LineCount(rel)), line: line}
	if s := around(list, line); s != nil {
		c = candidateOf(s)
		c.line = line
	}
	r.found = append(r.found, c)
	return true, nil
}

// around returns the innermost symbol around a line that others may refer to.
func around(list []index.Symbol, line int) (best *index.Symbol) {
	for i := range list {
		s := &list[i]
		if s.StartLine <= line && line <= s.EndLine && related(s.Kind) &&
			(best == nil || s.EndLine-s.StartLine <= best.EndLine-best.StartLine) {
			best = s
		}
	}
	return best
}

func candidateOf(s *index.Symbol) candidate {
	return candidate{file: s.File, start: s.StartLine, end: s.EndLine, symbol: text.Dotted(s.Scope, s.Name),
		kind: s.Kind, declared: s}
}

// related reports whether others refer to symbols of a kind by name.
func related(k syntax.Kind) bool { return k.Callable() || k.HasMembers() || k == syntax.Type }

// findByMeaning takes what the question is about, unless it is a symbol.
func (r *run) findByMeaning() error {
	if r.named {
		return nil
	}
	best := 0.0
	for _, which := range []search.Collection{search.Both, search.Forest} {
		found, err := r.e.e.Semantic(r.ctx, search.SemanticQuery{
			Query: r.q.Query, NResults: hitsAsked, MaxTokens: 12500, Where: r.q.Where, Collection: which,
			Asked: r.asked, Deep: true,
		})
		if err != nil {
			return err
		}
		r.a.Weak = found.NoGoodMatch
		if hits := len(found.MapHits) + len(found.ForestHits); r.a.Weak || hits == 0 {
			r.noteFirst(found.Notes...)
		}
		for i := range found.MapHits {
			r.hit(&found.MapHits[i])
			best = max(best, found.MapHits[i].Score)
		}
		agreed := len(r.found)
		for i := range found.ForestHits {
			r.hit(&found.ForestHits[i])
			best = max(best, found.ForestHits[i].Score)
		}
		r.decisiveFirst(r.found[agreed:])
		if !found.ShortCircuit {
			break
		}
	}
	r.recordsLast()
	if !r.asked.Tests {
		r.testsLast()
	}
	for _, raise := range []func() error{r.stepsOfFirst, r.joiningFirst} {
		if err := raise(); err != nil {
			return err
		}
	}
	found, err := r.findQuotations()
	if err != nil {
		return err
	}
	if named, err := r.namedTests(); err != nil || named || found || r.a.Weak || best >= likely || r.asked.Weights != nil {
		return err
	}
	several := func(c candidate) bool { return c.file != r.found[0].file || c.symbol != r.found[0].symbol }
	if r.a.Loose = slices.ContainsFunc(r.found, several); r.a.Loose {
		r.noteFirst(msg.New("explore.no_sure_match"))
	}
	return nil
}

// recordsLast puts what a program says to people, the steps in which its database came to be, and what only describes
// code, behind the code that fits a question as well, unless it is about them.
func (r *run) recordsLast() {
	slices.SortStableFunc(r.found, func(a, b candidate) int { return r.record(&a) - r.record(&b) })
}

func (r *run) record(c *candidate) int {
	if c.onlyDocs && !r.aboutComments() {
		return 1
	}
	aside := !r.asked.Texts && filekind.Catalogue(c.file) || !r.asked.Migrations && filekind.Migration(c.file)
	if aside && !strings.Contains(r.asked.Text, path.Base(c.file)) {
		return 1
	}
	return 0
}

// testsLast puts tests behind the code that fits a question as well. The best of them
// are listed as tests.
func (r *run) testsLast() {
	var code []candidate
	for _, c := range r.found {
		if r.isTest(&c) {
			r.fitting = append(r.fitting, c)
		} else {
			code = append(code, c)
		}
	}
	r.found = append(code, r.fitting...)
}

// test reports whether a candidate is a test or belongs to one.
func (c *candidate) test() bool {
	scope := c.symbol
	if c.kind != syntax.Module {
		scope = scope[:max(0, strings.LastIndexByte(scope, '.'))]
	}
	return search.TestPlace(c.file, scope)
}

// hit takes a place that the search found, unless it lies within one that is known.
func (r *run) hit(h *search.Hit) {
	if slices.ContainsFunc(r.found, func(c candidate) bool {
		return c.file == h.File && c.start <= h.StartLine && h.EndLine <= c.end
	}) {
		return
	}
	r.found = append(r.found, candidate{file: h.File, start: h.StartLine, end: h.EndLine, symbol: h.Symbol,
		kind: h.Kind, score: h.Score})
}

// addCallersAndCallees adds the code of what a symbol that was asked for calls, and of what calls it.
func (r *run) addCallersAndCallees() error {
	if !r.named || r.uses || len(r.a.Places) == 0 {
		return nil
	}
	first := r.a.Places[0]
	callers := slices.DeleteFunc(slices.Clone(first.CalledBy), func(s Spot) bool { return s.Confidence == search.Possible })
	if len(callers) == 0 {
		callers = first.CalledBy
	}
	for _, near := range []struct {
		why   Why
		spots []Spot
	}{{Callee, first.Calls}, {Caller, callers}} {
		for _, s := range near.spots[:min(len(near.spots), maxAround)] {
			list, err := r.symbolsOf(s.File)
			if err != nil {
				return err
			}
			at := around(list, s.StartLine)
			if at == nil || len(r.a.Places) == maxPlaces || !r.inside(s.File) {
				continue
			}
			c := candidateOf(at)
			if near.why == Caller {
				c.line = s.StartLine
			}
			if r.isCodeShown(&c) {
				continue
			}
			rows := r.rows(&c)
			p := r.describePlace(&c, rows, min(linesAround, len(rows)))
			p.Why = near.why
			if !r.fits(p) {
				continue
			}
			if near.why == Caller && at.Kind.Callable() && at.EndLine-at.StartLine < wrapperLines {
				if err := r.callers(&p, at); err != nil {
					return err
				}
			}
			r.a.Places = append(r.a.Places, p)
		}
	}
	return nil
}

// history names the files that usually change with a file that was asked for.
func (r *run) history() error {
	if r.e.past == nil || r.file == "" {
		return nil
	}
	l, err := r.e.past.Log(r.ctx)
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	if err != nil { // the answer goes on without: a damaged repository has files, too
		r.a.Note(msg.New("impact.history_unreadable", err))
		return nil
	}
	r.src.LacksCommits(l.Unread)
	there := func(file string) bool {
		info, err := os.Lstat(r.e.p.Abs(file))
		return err == nil && info.Mode().IsRegular()
	}
	for _, c := range l.Together([]string{r.file}, there) {
		if c.Together < minHabitCommits {
			continue
		}
		t := Together{c.File, c.Together, c.Changes}
		if len(r.a.Together) == maxTogether || !r.fits(t) {
			break
		}
		r.a.Together = append(r.a.Together, t)
	}
	return nil
}

// listFurther lists the next places, whose code is not shown.
func (r *run) listFurther() error {
	for i := range r.found {
		c := &r.found[i]
		if r.isCodeShown(c) || r.inTests(c) {
			continue
		}
		s := Spot{File: c.file, StartLine: c.start, EndLine: c.end, Symbol: c.symbol}
		if len(r.a.Further) == maxFurther || !r.fits(s) {
			break
		}
		r.a.Further = append(r.a.Further, s)
	}
	return nil
}

// inTests reports whether a candidate is among the tests of the answer.
func (r *run) inTests(c *candidate) bool {
	return slices.ContainsFunc(r.a.Tests, func(t Spot) bool { return t.File == c.file && t.Symbol == c.symbol })
}

// isCodeShown reports whether the code of a candidate is in the answer: nearly all of its lines,
// or what was chosen of them.
func (r *run) isCodeShown(c *candidate) bool {
	had := 0
	for i := range r.a.Places {
		p := &r.a.Places[i]
		if p.File != c.file {
			continue
		}
		if p.StartLine <= c.start && c.end <= p.EndLine && (!p.Kind.HasMembers() || p.Symbol == c.symbol) {
			return true
		}
		for _, code := range p.Code {
			had += max(0, min(code.last, c.end)-max(code.Line, c.start)+1)
		}
	}
	return had*10 >= (c.end-c.start+1)*9
}

// errorf names what failed.
func errorf(what string, err error) error { return fmt.Errorf("explore: %s: %w", what, err) }
