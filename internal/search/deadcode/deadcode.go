// Package deadcode lists symbols that nothing uses.
//
// It errs on the side of use: a name that is anywhere else outside a comment, in
// code of any language, in a string, a template or a setting, counts as a use of
// everything of that name, unless types say whom it means. What others may call without
// naming it is never dead: what a module offers to others, entry points, tests, what
// bears a decorator, annotation or attribute, methods that implement or override
// something.
package deadcode

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/project"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Query asks what nothing uses.
type Query struct {
	Language string `json:"language,omitempty" jsonschema:"Only this language"`
	search.Where
	search.Page
}

// Answer is what nothing uses, by file and line.
type Answer struct {
	Symbols []Symbol `json:"symbols"`
	Certain int      `json:"certain" jsonschema:"How many of all are certain"`
	Judged  int      `json:"judged" jsonschema:"How many symbols only the project itself can use, by what is known of their language"`
	search.Coverage
}

// A Symbol is one that nothing uses.
type Symbol struct {
	File       string            `json:"file"`
	Line       int               `json:"line"`
	EndLine    int               `json:"end_line"`
	Kind       syntax.Kind       `json:"kind"`
	Name       string            `json:"name" jsonschema:"Qualified by its scope"`
	Confidence search.Confidence `json:"confidence" jsonschema:"certain: the language lets nobody else use it; likely: nothing names it"`
	UsedBy     []string          `json:"used_by,omitempty" jsonschema:"Symbols that use it, and are themselves used by nothing"`
}

// Limits of an answer.
const (
	defaultSymbols = 100
	maxPlaces      = 50   // of one name; what is named more often is not looked at further
	maxDeclared    = 1000 // symbols of one name; of more, none is looked at
	maxResolved    = 1000 // symbols whose uses are distinguished by types
	maxUsers       = 3
	longestLine    = 1 << 14 // that is looked through anew for each symbol
)

// A Finder answers for one project. It is safe for concurrent use.
type Finder struct {
	p *project.Project
	x *index.Index
	e *search.Engine
}

// New returns a Finder over a project, its index and its search.
func New(p *project.Project, x *index.Index, e *search.Engine) *Finder {
	return &Finder{p: p, x: x, e: e}
}

// Find answers a question.
func (f *Finder) Find(ctx context.Context, q Query) (*Answer, error) {
	return search.Steady(ctx, f.e, func(ctx context.Context, src search.Sources) (*Answer, error) {
		return f.answerOnce(ctx, q, src)
	})
}

func (f *Finder) answerOnce(ctx context.Context, q Query, src search.Sources) (*Answer, error) {
	w, err := f.e.Window(op.DeadCode, &q, &q.Page, defaultSymbols)
	if err != nil {
		return nil, err
	}
	contains, err := src.Within(ctx, q.Where, q.Language)
	if err != nil {
		return nil, err
	}
	r := &run{f: f, ctx: ctx, src: src}
	if err := r.find(contains); err != nil {
		return nil, err
	}
	a := &Answer{}
	var all []Symbol
	for _, c := range r.candidates {
		if c.dead && !c.within {
			all = append(all, c.symbol())
			if c.confidence == search.Certain {
				a.Certain++
			}
		}
	}
	slices.SortFunc(all, func(a, b Symbol) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Name, b.Name))
	})
	a.Symbols, a.Coverage = search.Paged(len(all), w, func(i int) Symbol { return all[i] })
	a.Judged = len(r.candidates)
	a.Note(r.unjudgedLanguages()...)
	if r.skipped > 0 {
		a.Note(msg.New("deadcode.not_told_apart", r.skipped))
	}
	return a, nil
}

// A candidate is a symbol that only its project can use.
type candidate struct {
	index.Symbol
	confidence search.Confidence
	own        []lines // where a mention is no use: the symbol itself, and its members
	places     []place // where others name it
	dead       bool
	within     bool // something around it is dead too
	users      []string
}

type lines struct {
	file       string
	start, end int
}

type place struct {
	file string
	line int
}

func (l *lines) has(p place) bool { return l.file == p.file && l.start <= p.line && p.line <= l.end }

func (c *candidate) symbol() Symbol {
	return Symbol{
		File: c.File, Line: max(c.NameLine, c.StartLine), EndLine: c.EndLine, Kind: c.Kind, Name: text.Dotted(c.Scope, c.Name),
		Confidence: c.confidence, UsedBy: c.users,
	}
}

// A run is one question under way.
type run struct {
	f            *Finder
	ctx          context.Context
	src          search.Sources
	candidates   []*candidate
	interfaces   map[string]bool            // names of what others implement
	impls        map[string][]*index.Symbol // by file
	all          map[string][]int           // symbols by name, as indexes of symbols
	scoped       map[string][]int           // symbols by scope
	symbols      []index.Symbol
	file         string // whose lines text holds
	text         []string
	class        map[string]files.Class
	counts       map[syntax.Language]*count
	begins, ends map[string]bool // parts of names that are put together
	skipped      int
}

// A count is of the symbols of one language.
type count struct{ asked, judged int }

// maxLanguages are named in a note.
const maxLanguages = 6

// unjudgedLanguages says of which languages nothing was judged, because all that they declare may
// be used without being named, or from outside the project.
func (r *run) unjudgedLanguages() []msg.Message {
	var none []syntax.Language
	for l, n := range r.counts {
		if n.judged == 0 {
			none = append(none, l)
		}
	}
	if len(none) == 0 {
		return nil
	}
	slices.SortFunc(none, func(a, b syntax.Language) int {
		return cmp.Or(r.counts[b].asked-r.counts[a].asked, strings.Compare(string(a), string(b)))
	})
	var named []string
	for _, l := range none[:min(len(none), maxLanguages)] {
		named = append(named, fmt.Sprintf("%d %s", r.counts[l].asked, l))
	}
	if len(none) > maxLanguages {
		named = append(named, "…")
	}
	return []msg.Message{msg.New("deadcode.not_judged", strings.Join(named, ", "))}
}

func (r *run) find(contains func(string) bool) error {
	list, err := r.f.x.Symbols(r.ctx, index.SymbolQuery{})
	if err != nil {
		return fmt.Errorf("dead code: symbols: %w", err)
	}
	r.symbols, r.all, r.interfaces = list, make(map[string][]int, len(list)), map[string]bool{}
	r.begins, r.ends = map[string]bool{}, map[string]bool{}
	r.class, r.counts = map[string]files.Class{}, map[syntax.Language]*count{}
	r.impls, r.scoped = map[string][]*index.Symbol{}, map[string][]int{}
	for i := range list {
		s := &list[i]
		if s.Kind == syntax.Impl {
			r.impls[s.File] = append(r.impls[s.File], s)
		}
		r.all[s.Name] = append(r.all[s.Name], i)
		r.scoped[s.Scope] = append(r.scoped[s.Scope], i)
		if s.Kind == syntax.Interface || s.Kind == syntax.Trait {
			r.interfaces[s.Name] = true
		}
	}
	for i := range list {
		s := &list[i]
		if !asked(s) || !contains(s.File) {
			continue
		}
		n := r.counts[s.Language]
		if n == nil {
			n = &count{}
			r.counts[s.Language] = n
		}
		n.asked++
		if confidence := r.judge(s); confidence != "" {
			n.judged++
			if r.isCrowded(s) {
				r.skip(s)
				continue
			}
			r.candidates = append(r.candidates, &candidate{Symbol: *s, confidence: confidence, own: r.ownLines(s)})
		}
	}
	if err := r.named(); err != nil {
		return err
	}
	if err := r.resolve(); err != nil {
		return err
	}
	r.markUnreached()
	return nil
}

// isCrowded reports whether so many symbols have the name of one that none of them is looked at.
func (r *run) isCrowded(s *index.Symbol) bool { return len(r.all[s.Name]) > maxDeclared }

// skip notes that a symbol may be unused, too.
func (r *run) skip(s *index.Symbol) {
	r.skipped++
	r.src.Lacks(gaps.Followed, s.File)
}

// ownLines lists where a mention of a symbol is no use of it: its own lines, and those of its
// members elsewhere in the folder.
func (r *run) ownLines(s *index.Symbol) []lines {
	own := []lines{{s.File, s.StartLine, s.EndLine}}
	if !s.Kind.HasMembers() && s.Kind != syntax.Type {
		return own
	}
	whole := text.Dotted(s.Scope, s.Name)
	for _, i := range slices.Concat(r.scoped[whole], r.all[s.Name]) {
		m := &r.symbols[i]
		if path.Dir(m.File) == path.Dir(s.File) && (m.Scope == whole || m.Kind == syntax.Impl) {
			own = append(own, lines{m.File, m.StartLine, m.EndLine})
		}
	}
	return own
}

// named finds where the names of candidates stand, outside comments.
func (r *run) named() error {
	byName := map[string][]*candidate{}
	for _, c := range r.candidates {
		byName[plainName(c.Name)] = append(byName[plainName(c.Name)], c)
	}
	defined := map[string]map[place]bool{}
	for name := range byName {
		at := map[place]bool{}
		for _, i := range slices.Concat(r.all[name], r.all["#"+name]) {
			at[place{r.symbols[i].File, r.symbols[i].NameLine}] = true
		}
		defined[name] = at
	}
	l, err := r.f.x.Listed(r.ctx)
	if err != nil {
		return fmt.Errorf("dead code: list files: %w", err)
	}
	for i := range l.Entries {
		f := &l.Entries[i]
		if filekind.Prose(f.Path) {
			continue
		}
		if f.Class == files.TooLarge {
			r.src.Lacks(gaps.TooLarge, f.Path)
			continue
		}
		t, err := files.ReadEntry(r.f.p, *f)
		if err != nil {
			continue // it holds no text, or is not to be read
		}
		r.addMentions(f.Path, string(t.Bytes), byName, defined)
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// addMentions adds the places of a file that name candidates.
func (r *run) addMentions(file, content string, byName map[string][]*candidate, defined map[string]map[place]bool) {
	all := strings.Split(content, "\n")
	var comment []bool
	for n, line := range all {
		r.composed(line)
		once := onceIn(line)
		for word := range text.Words(line) {
			list := byName[word]
			if list == nil {
				continue
			}
			if comment == nil {
				comment = comments(all)
			}
			at := place{file, n + 1}
			if comment[n] || defined[word][at] && once(word) {
				continue
			}
			for _, c := range list {
				if len(c.places) > maxPlaces || slices.ContainsFunc(c.own, func(l lines) bool { return l.has(at) }) {
					continue
				}
				if k := len(c.places); k == 0 || c.places[k-1] != at {
					c.places = append(c.places, at)
				}
			}
		}
	}
}

// onceIn returns a function that reports whether a name is in a line once, as a part of other names too unless the line
// is a very long one.
func onceIn(line string) func(name string) bool {
	if len(line) <= longestLine {
		return func(name string) bool { return strings.Count(line, name) == 1 }
	}
	count := map[string]int{}
	for word := range text.Words(line) {
		count[word]++
	}
	return func(name string) bool { return count[name] == 1 }
}

// comments reports of each line whether it is surely but a comment. What only some languages
// take for one is code: strings of several lines begin and end like doc strings.
func comments(all []string) []bool {
	is := make([]bool, len(all))
	closed := true // further down, as far as was looked
	for i := 0; i < len(all); i++ {
		l := strings.TrimSpace(all[i])
		is[i] = strings.HasPrefix(l, "//") ||
			strings.HasPrefix(l, "# ") && !slices.Contains(directives, strings.Fields(l + " .")[1])
		if l != "/*" && !strings.HasPrefix(l, "/* ") && !strings.HasPrefix(l, "/**") && !strings.HasPrefix(l, "/*!") {
			continue
		}
		end := i
		for closed && end < len(all) && !strings.Contains(all[end], "*/") {
			end++
		}
		if closed = closed && end < len(all); !closed {
			continue // it is none
		}
		for ; i < end; i++ {
			is[i] = true
		}
		is[end] = strings.HasSuffix(strings.TrimSpace(all[end]), "*/")
	}
	return is
}

// directives of a preprocessor may be apart from their sign.
var directives = []string{"define", "if", "ifdef", "ifndef", "elif", "else", "endif", "include", "undef", "pragma",
	"error", "line"}

// composed notes the parts of names that a line puts together: "add_" + key, "on{name}".
func (r *run) composed(line string) {
	if !strings.ContainsAny(line, "\"'`") && !strings.Contains(line, "##") {
		return
	}
	at := 0
	for word := range text.Words(line) {
		at += strings.Index(line[at:], word)
		before, after := byte(0), line[at+len(word):]
		pasted := strings.HasSuffix(strings.TrimRight(line[:at], " "), "##") // by the preprocessor of C
		if at > 0 {
			before = line[at-1]
		}
		at += len(word)
		quoted := strings.IndexByte("\"'`:", before) >= 0
		joined := after != "" && strings.IndexByte("\"'`", after[0]) >= 0
		goesOn := joined && strings.HasPrefix(strings.TrimLeft(after[1:], " "), "+") ||
			joined && strings.HasPrefix(strings.TrimLeft(after[1:], " "), ". ")
		switch {
		case strings.HasPrefix(strings.TrimLeft(after, " "), "##") && len(word) > 1,
			quoted && (goesOn || after != "" && strings.IndexByte("{$%#", after[0]) >= 0) && len(word) > 1:
			r.begins[strings.Clone(word)] = true // not the whole text with it
		case (before == '}' && joined || pasted) && len(word) > 3:
			r.ends[strings.Clone(word)] = true
		}
	}
}

// mayBeComposed reports whether a name may be put together from parts at run time.
func (r *run) mayBeComposed(c *candidate) bool {
	if syntax.Of(c.Language).Names.Typechecked {
		return false
	}
	for n := 2; n < len(c.Name); n++ {
		next := c.Name[n]
		if r.begins[c.Name[:n]] && (c.Name[n-1] == '_' || next == '_' || 'A' <= next && next <= 'Z') || r.ends[c.Name[n:]] {
			return true
		}
	}
	return false
}

// resolve tells by types whether places that have the name of a candidate mean it.
func (r *run) resolve() error {
	left := maxResolved
	for _, c := range r.candidates {
		if len(c.places) == 0 || len(r.all[c.Name]) == 1 || !syntax.Of(c.Language).Names.Typechecked ||
			r.conditional(c) {
			continue
		}
		if len(c.places) > maxPlaces || left == 0 {
			r.skip(&c.Symbol)
			continue
		}
		left--
		list, err := r.src.Mentions(r.ctx, c.Symbol)
		if err != nil {
			return fmt.Errorf("dead code: uses of %s: %w", c.Name, err)
		}
		c.places = nil
		for i := range list {
			at := place{list[i].File, list[i].Line}
			if !inBlocks(c.own, at) {
				c.places = append(c.places, at)
			}
		}
	}
	return nil
}

// conditional reports whether a symbol is built on some machines alone: types are those
// of this one.
func (r *run) conditional(c *candidate) bool {
	for _, i := range r.all[c.Name] {
		o := &r.symbols[i]
		if o.Scope == c.Scope && path.Dir(o.File) == path.Dir(c.File) &&
			(o.File != c.File || o.StartLine != c.StartLine) {
			return true
		}
	}
	return golang.Conditional(c.File, strings.Join(r.lines(c.File), "\n"))
}

// markUnreached marks what nothing uses, then what only that uses, and so on.
func (r *run) markUnreached() {
	var dead []lines
	byFile := map[string][]*candidate{}
	for changed := true; changed; {
		changed = false
		for _, c := range r.candidates {
			if c.dead || len(c.places) > maxPlaces || r.mayBeComposed(c) {
				continue
			}
			if slices.ContainsFunc(c.places, func(p place) bool { return !inBlocks(dead, p) }) {
				continue
			}
			for _, p := range c.places {
				c.usedBy(p, byFile[p.file])
			}
			c.dead, changed = true, true
			dead = append(dead, c.own...)
			for _, o := range c.own {
				byFile[o.file] = append(byFile[o.file], c)
			}
		}
	}
	for file, dead := range byFile {
		markWithin(file, dead)
	}
}

// markWithin marks those candidates of a file that are in another dead one: in its lines, or in its scope. Dead are
// those that are in the file, or have members there.
func markWithin(file string, dead []*candidate) {
	named := make(map[string]bool, len(dead))
	var here []*candidate
	for _, d := range dead {
		named[text.Dotted(d.Scope, d.Name)] = true
		if d.File == file {
			here = append(here, d)
		}
	}
	slices.SortFunc(here, func(a, b *candidate) int { return cmp.Compare(a.StartLine, b.StartLine) })
	last, next := 0, 0 // the last line of those that begin before a candidate, and the first one that does not
	for _, c := range here {
		for ; here[next].StartLine < c.StartLine; next++ {
			last = max(last, here[next].EndLine)
		}
		c.within = c.within || c.EndLine <= last || c.Scope != "" && named[c.Scope]
	}
}

// inBlocks reports whether one of some blocks of lines has a place.
func inBlocks(all []lines, p place) bool {
	return slices.ContainsFunc(all, func(l lines) bool { return l.has(p) })
}

// usedBy notes which of some dead candidates uses c at a place.
func (c *candidate) usedBy(p place, dead []*candidate) {
	for _, d := range dead {
		name := text.Dotted(d.Scope, d.Name)
		if !inBlocks(d.own, p) || len(c.users) >= maxUsers || slices.Contains(c.users, name) {
			continue
		}
		c.users = append(c.users, name)
		if d.confidence != search.Certain {
			c.confidence = search.Likely
		}
	}
}

// Text gives the answer for people and models.
func (a *Answer) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s that nothing uses", a.Counted(a.Total, "symbol", "s"))
	if a.Total > 0 {
		fmt.Fprintf(&b, ", %d certain", a.Certain)
	}
	fmt.Fprintf(&b, ", of %d that only this project can use", a.Judged)
	b.WriteByte('\n')
	for i := range a.Symbols {
		s := &a.Symbols[i]
		if i == 0 || a.Symbols[i-1].File != s.File {
			fmt.Fprintf(&b, "%s\n", s.File)
		}
		fmt.Fprintf(&b, "  %s %s %s", text.LineRange(s.Line, s.EndLine), s.Kind, s.Name)
		if s.Confidence != search.Certain {
			fmt.Fprintf(&b, ", %s", s.Confidence)
		}
		if len(s.UsedBy) > 0 {
			fmt.Fprintf(&b, ", used only by %s", strings.Join(s.UsedBy, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String() + search.Coverage{NextCursor: a.NextCursor, Remarks: a.Remarks}.Text()
}

// Observed says that no code was shown.
func (a *Answer) Observed() shown.Facts { return shown.Facts{Empty: a.Total == 0} }
