package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// DefinitionsQuery asks where a name is defined.
type DefinitionsQuery struct {
	Symbol     string `json:"symbol" jsonschema:"Plain or qualified: Reader.Read, Foo::bar"`
	Language   string `json:"language,omitempty" jsonschema:"Only definitions in this language, such as go, python, typescript"`
	ExactMatch bool   `json:"exact_match,omitempty" jsonschema:"Only this exact spelling, no similar names"`
	Kind       string `json:"kind,omitempty" jsonschema:"Only this kind: function, method, class, struct, interface, type, field, constant, variable, ..."`
	Where
	Page
}

// DefinitionsAnswer is what find_definitions found.
type DefinitionsAnswer struct {
	Symbol      string       `json:"symbol"`
	Definitions []Definition `json:"definitions" jsonschema:"Best first: exact spelling, other case, names that begin with it, names that contain its words"`
	Coverage

	exact int           // how many have the exact spelling; the rest of Total are similar names
	found []foundSymbol // on all pages
}

// Symbols returns the symbols of all pages, most at most.
func (a *DefinitionsAnswer) Symbols(most int) []index.Symbol {
	list := make([]index.Symbol, min(len(a.found), most))
	for i := range list {
		list[i] = a.found[i].Symbol
	}
	return list
}

// A Definition is a place where a name is defined.
type Definition struct {
	Name      string          `json:"name"`
	File      string          `json:"file"`
	Line      int             `json:"line" jsonschema:"The line that holds the name"`
	EndLine   int             `json:"end_line"`
	Kind      syntax.Kind     `json:"kind"`
	Scope     string          `json:"scope,omitempty" jsonschema:"What it is defined in: a class, a receiver, a namespace"`
	Signature string          `json:"signature,omitempty"`
	Language  syntax.Language `json:"language,omitempty"`
	Match     index.Match     `json:"match" jsonschema:"How the name fits: exact, fold, prefix or subword"`
	Doc       string          `json:"doc,omitempty" jsonschema:"The beginning of its doc comment"`
	Snippet   string          `json:"snippet,omitempty" jsonschema:"Source text from snippet_line on; weaker matches have none"`
	SnippetAt int             `json:"snippet_line,omitempty" jsonschema:"The line the snippet begins with"`
	LeftOut   string          `json:"left_out,omitempty" jsonschema:"Which lines of the definition the snippet does not show"`
	Declared  []Declaration   `json:"declared,omitempty" jsonschema:"Where it is declared apart, as in a header"`

	shown int // the last line of the snippet
}

// Sizes of find_definitions.
const (
	defaultDefinitions = 20
	maxWeak            = 500 // weaker matches that are counted
	docRunes           = 200
)

// Definitions answers find_definitions.
func (e *Engine) Definitions(ctx context.Context, q DefinitionsQuery) (*DefinitionsAnswer, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*DefinitionsAnswer, error) {
		return e.definitionsOnce(ctx, q, src)
	})
}

func (e *Engine) definitionsOnce(ctx context.Context, q DefinitionsQuery, src *sources) (*DefinitionsAnswer, error) {
	if err := required("symbol", q.Symbol, msg.CallOf(op.FindDefinitions, "symbol", "Reader.Read")); err != nil {
		return nil, err
	}
	w, err := e.Window(op.FindDefinitions, &q, &q.Page, defaultDefinitions)
	if err != nil {
		return nil, err
	}
	if err := filekind.Kind(q.Kind); err != nil {
		return nil, err
	}
	a, err := e.narrow(ctx, src, q.Where, q.Language, q.Symbol)
	if err != nil {
		return nil, err
	}
	keep := func(s *index.Symbol) bool {
		return a.contains(s.File, s.Language) && (q.Kind == "" || s.Kind == syntax.Kind(strings.ToLower(q.Kind)))
	}
	n := symbolname.Parse(q.Symbol)
	found, err := e.define(ctx, n, q.ExactMatch, src, keep)
	if err != nil {
		return nil, err
	}
	return e.definitionsAnswer(ctx, q, w, n, found, src)
}

func (e *Engine) definitionsAnswer(
	ctx context.Context, q DefinitionsQuery, w Window, n symbolname.Name, found []foundSymbol, src *sources,
) (*DefinitionsAnswer, error) {
	found = src.joined(found)
	answer := &DefinitionsAnswer{Symbol: q.Symbol, found: found}
	for _, f := range found {
		if f.match == index.Exact {
			answer.exact++
		}
	}
	exact := answer.exact
	answer.Definitions, answer.Coverage = Paged(len(found), w, func(i int) Definition {
		return src.definition(found[i], snippetLines(&found[i], exact, len(found)))
	})
	if exact > 0 {
		answer.Note(declaredElsewhere(n, &found[0].Symbol)...)
	}
	if exact == 0 && src.gaps.Empty() {
		near, err := e.nearSymbols(ctx, n, len(found) == 0)
		if err != nil {
			return nil, err
		}
		answer.Note(near...)
		if !q.ExactMatch && q.Cursor == "" && len(found) > 0 && len(near) == 0 && len(n.Scope) == 0 {
			return answer, e.noteText(ctx, q, n.Base, answer)
		}
	}
	return answer, nil
}

// noteText says in how many files a name occurs as text that nothing is defined by, and which call lists them.
func (e *Engine) noteText(ctx context.Context, q DefinitionsQuery, name string, answer *DefinitionsAnswer) error {
	lines, err := e.Text(ctx, TextQuery{
		Pattern: OneOrMore{name}, WholeWord: true, Case: Sensitive, Where: q.Where, FileType: q.Language, Page: Page{Limit: 1},
	})
	if problem.Of(err) != nil {
		return nil // the definitions are an answer without it
	}
	if err == nil && lines.Files > 0 {
		answer.Note(msg.New("search.occurs_as_text", name, lines.Files,
			msg.CallOf(op.SearchText, "pattern", name, "whole_word", true)))
	}
	return err
}

// wholeFunction is how many lines a function may have that is shown whole where it is the only
// one of its name.
const wholeFunction = 120

// snippetLines is how much of a definition is shown: the fewer there are, the
// more of each.
func snippetLines(f *foundSymbol, exact, all int) int {
	switch {
	case f.match != index.Exact && (exact > 0 || all > 3):
		return 0
	case exact > 8:
		return 3
	case exact > 3:
		return 8
	case exact > 1:
		return 20
	case f.match == index.Exact && f.Kind.Callable() && f.EndLine-f.StartLine < wholeFunction:
		return wholeFunction
	}
	return 40
}

// definition describes a symbol with n lines of its text.
func (s *sources) definition(f foundSymbol, n int) Definition {
	line := f.NameLine
	if line == 0 {
		line = f.StartLine
	}
	d := Definition{
		Name: f.Name, File: f.File, Line: line, EndLine: f.EndLine, Kind: f.Kind, Scope: f.Scope,
		Signature: f.Signature, Language: f.Language, Match: f.match, Doc: text.Clip(text.OneLine(f.Doc), docRunes),
		Declared: f.declared,
	}
	if n > 0 {
		from := f.StartLine
		if n == 1 { // an annotation or a type before the name says too little
			from = line
		}
		if d.Snippet, d.shown = s.Block(f.File, from, f.EndLine, n); d.Snippet != "" {
			d.SnippetAt = from
			d.LeftOut = restText(d.shown, f.EndLine)
		}
	}
	return d
}

// A foundSymbol is a symbol and how it was found.
type foundSymbol struct {
	index.Symbol
	match    index.Match
	declared []Declaration // apart from the definition
}

// tiers are the ways to match a name, best first.
var tiers = []index.Match{index.Exact, index.Fold, index.Prefix, index.Subword}

// define finds the symbols of a name, best first. Symbols that keep refuses do
// not count.
func (e *Engine) define(
	ctx context.Context, n symbolname.Name, exactOnly bool, src *sources, keep func(*index.Symbol) bool,
) ([]foundSymbol, error) {
	var found []foundSymbol
	type position struct {
		file     string
		at, line int
		name     string
	}
	seen := map[position]bool{}
	add := func(list []index.Symbol, m index.Match, fits func(*index.Symbol) bool) {
		for i := range list {
			s := &list[i]
			key := position{s.File, s.Start, s.NameLine, s.Name}
			if !seen[key] && keep(s) && fits(s) {
				seen[key] = true
				found = append(found, foundSymbol{Symbol: *s, match: m})
			}
		}
	}
	for _, last := range n.Shown() {
		list, err := e.symbolsOf(ctx, last, index.Exact)
		if err != nil {
			return nil, err
		}
		add(list, index.Exact, func(s *index.Symbol) bool { return text.Dotted(s.Scope, s.Name) == n.Sent })
	}
	bases, from := n.Forms(), 0
	for _, m := range tiers {
		if exactOnly && m != index.Exact || len(found) >= maxWeak {
			break
		}
		for _, base := range bases {
			if strings.ContainsAny(base[:1], "$@") && base != n.Base && len(found) > 0 {
				continue // a variable of the name is meant only where nothing else has it
			}
			list, err := e.symbolsOf(ctx, base, m)
			if err != nil {
				return nil, err
			}
			add(list, m, func(s *index.Symbol) bool { return s.Name == n.Whole || n.Fits(s) })
		}
		if m == index.Exact && len(found) == 0 {
			list, err := e.findIndirectly(ctx, n, src)
			if err != nil {
				return nil, err
			}
			add(list, m, func(*index.Symbol) bool { return true })
		}
		sortSymbols(found[from:])
		bases, from = []string{n.Base}, len(found) // weaker than exact only as it was sent
	}
	if len(found) == 0 && !exactOnly {
		list, err := e.namedAlike(ctx, n)
		if err != nil {
			return nil, err
		}
		add(list, index.Subword, func(*index.Symbol) bool { return true })
	}
	return found, nil
}

// symbolsOf returns the symbols of a name; not all if it is matched weakly.
func (e *Engine) symbolsOf(ctx context.Context, name string, m index.Match) ([]index.Symbol, error) {
	q := index.SymbolQuery{Name: name, Match: m}
	if m != index.Exact {
		q.Limit = maxWeak
	}
	list, err := e.x.Symbols(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search: symbols of %q: %w", name, err)
	}
	return list, nil
}

// namedAlike returns what has the last part of a qualified name elsewhere, what lies in a scope
// like the one that was asked for first.
func (e *Engine) namedAlike(ctx context.Context, n symbolname.Name) ([]index.Symbol, error) {
	if len(n.Scope) == 0 {
		return nil, nil
	}
	list, err := e.x.Symbols(ctx, index.SymbolQuery{Name: n.Base, Match: index.Exact, Limit: maxNamesakes})
	if err != nil {
		return nil, fmt.Errorf("search: symbols of %q: %w", n.Base, err)
	}
	slices.SortStableFunc(list, func(a, b index.Symbol) int { return n.Likeness(&b) - n.Likeness(&a) })
	return list[:min(len(list), shownNamesakes)], nil
}

// findIndirectly finds what a name means that no symbol has: a member that is inherited, what a
// declaration declares that was copied as it stands, what is written in other letters, or what
// lies in a file or folder that is called as the name says.
func (e *Engine) findIndirectly(ctx context.Context, n symbolname.Name, src *sources) ([]index.Symbol, error) {
	list, err := e.inherited(ctx, n, src)
	if err == nil && len(list) == 0 && n.Pasted() {
		list, err = n.Declared(ctx, e.x, src.Raw)
	}
	if err == nil && len(list) == 0 {
		list, err = e.otherCase(ctx, n)
	}
	if err == nil && len(list) == 0 {
		return n.InFiles(ctx, e.x)
	}
	return list, err
}

// sortSymbols orders symbols that match a name alike.
func sortSymbols(list []foundSymbol) {
	type ranked struct {
		*foundSymbol
		file, kind, depth int
	}
	order := make([]ranked, len(list))
	ranks := make(map[string]int) // of files
	for i := range list {
		s := &list[i]
		rank, ok := ranks[s.File]
		if !ok {
			rank = fileRank(s.File, "")
			ranks[s.File] = rank
		}
		order[i] = ranked{s, rank, kindRank(s.Kind), strings.Count(s.File, "/")}
	}
	slices.SortStableFunc(order, func(a, b ranked) int {
		first := cmp.Or(
			cmp.Compare(a.file, b.file),
			cmp.Compare(a.kind, b.kind),
			cmp.Compare(len(a.Name), len(b.Name)),
			-compareBool(a.Exported, b.Exported),
			cmp.Compare(a.depth, b.depth))
		if first != 0 {
			return first
		}
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.StartLine, b.StartLine))
	})
	sorted := make([]foundSymbol, len(list))
	for i, r := range order {
		sorted[i] = *r.foundSymbol
	}
	copy(list, sorted)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// kindRank orders kinds by how likely somebody who names one means it.
func kindRank(k syntax.Kind) int {
	switch k {
	case syntax.Function, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type,
		syntax.Component, syntax.Macro:
		return 0
	case syntax.Method, syntax.Constructor, syntax.Constant, syntax.Rule, syntax.Selector, syntax.Target:
		return 1
	case syntax.Variable, syntax.EnumMember, syntax.Module, syntax.Namespace:
		return 2
	case syntax.Field, syntax.Property, syntax.Impl:
		return 3
	}
	return 4
}

// How many symbols of a name are compared with the scope that was asked for, and how many shown.
const (
	maxNamesakes   = 1000
	shownNamesakes = 4
)

// nearSymbols suggests what may have been meant by a name without definition: what has the name in
// another scope, or, where the name may be misspelled, what has a like one.
func (e *Engine) nearSymbols(ctx context.Context, n symbolname.Name, misspelled bool) ([]msg.Message, error) {
	notes, whole, err := e.filesNamed(ctx, n)
	if err != nil || whole || misspelled && notes != nil {
		return notes, err
	}
	notes = nil
	list, err := e.namedAlike(ctx, n)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		notes = append(notes, msg.New("search.not_in_scope_but_there", n.Base, strings.Join(n.Scope, "."),
			text.Dotted(s.Scope, s.Name), span(s.File, s.NameLine, 0)))
	}
	if notes != nil {
		return notes, nil
	}
	if !misspelled {
		return nil, nil
	}
	near, err := symbolname.Misspelled(ctx, e.x, n.Base, 3)
	if err != nil {
		return nil, err
	}
	for _, s := range near {
		notes = append(notes, msg.New("search.near_symbol", text.Dotted(s.Scope, s.Name), s.Kind, span(s.File, s.NameLine, 0)))
	}
	if notes == nil {
		notes = append(notes, msg.New("search.nothing_defined_look_for_text", msg.CallOf(op.SearchText, "pattern", n.Base)))
	}
	return notes, nil
}

// filesNamed says which files a name stands for that no symbol has; whole if it is a path.
func (e *Engine) filesNamed(ctx context.Context, n symbolname.Name) (notes []msg.Message, whole bool, err error) {
	list, err := e.list(ctx)
	if err != nil {
		return nil, false, err
	}
	found, whole := symbolname.FilesNamed(n.Sent, list)
	for _, f := range found[:min(len(found), shownNamesakes)] {
		notes = append(notes, msg.New("search.name_of_file", f, msg.CallOf(op.GetSymbols, "path", f), msg.CallOf(op.FileDependencies, "path", f)))
	}
	return notes, whole, nil
}

// RequestedNames returns what was asked for, and how much bears that name: what is only similar is no answer.
func (a *DefinitionsAnswer) RequestedNames() ([]string, int) { return []string{a.Symbol}, a.exact }

// Text gives the answer for people and models.
func (a *DefinitionsAnswer) Text() string {
	var b writer
	head := a.Counted(a.exact, "definition", "s")
	if n := a.Total - a.exact; n > 0 {
		head += ", " + text.Counted(n, "similar name", "s")
	}
	b.linef("%s", head)
	similar := slices.IndexFunc(a.Definitions, func(d Definition) bool { return d.Match != index.Exact })
	if similar < 0 {
		similar = len(a.Definitions)
	}
	writeDefinitions(&b, a.Definitions[:similar], true)
	if similar < len(a.Definitions) {
		b.linef("%s", a.Printer.Say("search.similar_names"))
		writeDefinitions(&b, a.Definitions[similar:], similar == 0)
	}
	return b.tail(a.NextCursor, a.Remarks)
}

// writeDefinitions writes definitions by their files, the signature before the comment,
// and that only if asked for and not among the lines shown.
func writeDefinitions(b *writer, list []Definition, comments bool) {
	for file, definitions := range byFile(list, func(d *Definition) string { return d.File }) {
		head := b.file(file, len(definitions))
		for _, d := range definitions {
			b.linef("%s%s %s %s", head, text.LineRange(d.Line, d.EndLine), d.Kind, text.Dotted(d.Scope, d.Name))
			switch {
			case d.Snippet != "":
				b.block(d.Snippet, d.SnippetAt)
			case d.Signature != "":
				b.linef("       %s", d.Signature)
			}
			if d.LeftOut != "" {
				b.linef("       (%s)", d.LeftOut)
			}
			for _, at := range d.Declared {
				b.linef("       declared in %s:%d", at.File, at.Line)
			}
			if d.Doc != "" && comments && !containsSignature(d.Snippet, d.Doc) {
				b.linef("       // %s", d.Doc)
			}
		}
	}
}

// Observed says which lines and definitions the answer shows.
func (a *DefinitionsAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Symbol}, Empty: a.Total == 0}
	for _, d := range a.Definitions {
		if d.Snippet != "" {
			f.Lines = append(f.Lines, shown.Lines{File: d.File, Start: d.SnippetAt, End: d.shown})
		} else if d.Signature != "" {
			f.Lines = append(f.Lines, shown.Lines{File: d.File, Start: d.Line, End: d.Line})
		}
		f.Definitions = text.AppendNew(f.Definitions, text.Dotted(d.Scope, d.Name))
	}
	f.Lines = sortLines(f.Lines)
	return f
}
