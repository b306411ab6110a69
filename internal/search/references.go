package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/resolve"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/binding"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// ReferencesQuery asks who mentions a name.
type ReferencesQuery struct {
	Symbol          string `json:"symbol" jsonschema:"Plain or qualified: Reader.Read, Foo::bar"`
	FilePath        string `json:"file_path,omitempty" jsonschema:"With line: a place where the symbol you mean is defined or mentioned"`
	Line            int    `json:"line,omitempty" jsonschema:"From 1"`
	Column          int    `json:"column,omitempty" jsonschema:"Where a line mentions several: in bytes, from 1"`
	Language        string `json:"language,omitempty" jsonschema:"Only references in this language"`
	IncludeLocals   bool   `json:"include_locals,omitempty" jsonschema:"Also local variables of that name"`
	IncludeComments bool   `json:"include_comments,omitempty" jsonschema:"Also mentions in comments and strings"`
	Where
	Page
}

// ReferencesAnswer is what find_references found.
type ReferencesAnswer struct {
	Symbol      string       `json:"symbol"`
	Definitions []Definition `json:"definitions" jsonschema:"Where the name is defined; these places are not among the references"`
	References  []Reference  `json:"references" jsonschema:"Most certain first"`
	Files       int          `json:"files" jsonschema:"How many files contain a reference"`
	Coverage
}

// A Reference is a place that mentions a name.
type Reference struct {
	File          string        `json:"file"`
	Line          int           `json:"line"`
	Column        int           `json:"column" jsonschema:"In bytes, from 1"`
	Role          syntax.Role   `json:"role" jsonschema:"call, type, import, write or read; definition where it is declared again or overridden; text in a comment or string"`
	Confidence    Confidence    `json:"confidence" jsonschema:"certain: it can only mean this; likely: what the file imports fits; possible: the name alone fits"`
	Enclosing     string        `json:"enclosing,omitempty" jsonschema:"The function, method or type around it"`
	EnclosingKind syntax.Kind   `json:"enclosing_kind,omitempty"`
	Content       string        `json:"content" jsonschema:"The line"`
	Group         binding.Group `json:"group,omitempty" jsonschema:"Of a method that overrides or implements others, or the other way round: interface where it is reached through what it overrides, implementation where what overrides it is meant; none where it is named itself"`
}

// heading is the line above the references of a group.
func heading(g binding.Group) msg.Message {
	switch g {
	case binding.GroupInterface:
		return msg.New("search.group_interface")
	case binding.GroupImplementation:
		return msg.New("search.group_implementation")
	}
	return msg.New("search.group_itself")
}

var groups = []binding.Group{"", binding.GroupInterface, binding.GroupImplementation}

// A Confidence says how sure it is that a reference means the definition.
type Confidence string

// Degrees of confidence.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// confidenceOf translates how surely an occurrence refers to a definition.
func confidenceOf(r binding.Relation) Confidence {
	switch r {
	case binding.Certain:
		return Certain
	case binding.Likely, binding.ThroughInterface, binding.ThroughForeign:
		return Likely
	}
	return Possible
}

// rank orders degrees, surest highest.
func (c Confidence) rank() int { return slices.Index([]Confidence{Possible, Likely, Certain}, c) }

// inText is the role of a mention in a comment or a string.
const inText syntax.Role = "text"

// Sizes of find_references.
const (
	defaultReferences = 50
	shownDefinitions  = 5
)

// References answers find_references.
func (e *Engine) References(ctx context.Context, q ReferencesQuery) (*ReferencesAnswer, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*ReferencesAnswer, error) {
		return e.referencesOnce(ctx, q, src)
	})
}

func (e *Engine) referencesOnce(ctx context.Context, q ReferencesQuery, src *sources) (*ReferencesAnswer, error) {
	if err := required("symbol", q.Symbol, msg.CallOf(op.FindReferences, "symbol", "Reader.Read")); err != nil {
		return nil, err
	}
	w, err := e.Window(op.FindReferences, &q, &q.Page, defaultReferences)
	if err != nil {
		return nil, err
	}
	a, err := e.narrow(ctx, src, q.Where, q.Language, q.Symbol)
	if err != nil {
		return nil, err
	}
	m, err := e.subjectOf(ctx, q, src)
	if err != nil {
		return nil, err
	}
	if answer, err := e.ofPath(ctx, q, m); answer != nil || err != nil {
		return answer, err
	}
	locals := q.IncludeLocals || len(m.Definitions) == 0 && len(m.Name.Scope) == 0 // what nothing defines may be local
	found, err := e.mentionsOf(ctx, m, locals, src)
	if err != nil {
		return nil, err
	}
	all := len(found)
	found = slices.DeleteFunc(found, func(r mention) bool { return !a.contains(r.File, r.Language) })
	beyond := all - len(found)
	if m.byName {
		if found, err = e.byPlaceOfText(ctx, q, m, found, a, src); err != nil {
			return nil, err
		}
	}
	built, err := e.constructed(ctx, m, src, found)
	if err != nil {
		return nil, err
	}
	nowhere := len(found)+len(built) == 0 && m.local == nil && m.field == nil && src.gaps.Empty()
	if nowhere {
		if err := e.findOthers(ctx, m); err != nil {
			return nil, err
		}
		nowhere = src.gaps.Empty()
	}
	if nowhere {
		if found, err = e.namesakes(ctx, m, a); err != nil {
			return nil, err
		}
	}
	if q.IncludeComments || m.local == nil {
		if found, err = e.inTexts(ctx, q, m, found, nowhere, src); err != nil {
			return nil, err
		}
	}
	answer, err := e.referencesAnswer(ctx, q, w, m, found, src)
	if err == nil && len(built) > 0 {
		answer.Note(calledByType(built))
	}
	if err != nil || !nowhere || len(m.Definitions) == 0 {
		return answer, err
	}
	return answer, e.noteNoReferences(ctx, answer, m, a, len(found), beyond)
}

// inTexts adds the places where the name is, but not as code that is known: all of them if
// nothing is known to mean what is asked for.
func (e *Engine) inTexts(
	ctx context.Context, q ReferencesQuery, m *subject, found []mention, nowhere bool, src *sources,
) ([]mention, error) {
	belongs := func(file string, u index.Unseen) bool {
		return slices.Contains(m.quoting, file) || mayUse(file, u) || m.onPage(file) || m.inShell(file)
	}
	if q.IncludeComments || nowhere {
		belongs = nil
	}
	more, err := e.textMentions(ctx, q, m, found, belongs, src)
	return append(found, more...), err
}

// ofPath is for a name that is the path of a file: what uses its extension as a name has nothing
// to do with it. For others it returns nothing.
func (e *Engine) ofPath(ctx context.Context, q ReferencesQuery, m *subject) (*ReferencesAnswer, error) {
	if len(m.Definitions) > 0 || len(m.Name.Scope) == 0 || q.FilePath != "" {
		return nil, nil
	}
	notes, whole, err := e.filesNamed(ctx, m.Name)
	if err != nil || !whole {
		return nil, err
	}
	answer := &ReferencesAnswer{Symbol: q.Symbol, Definitions: []Definition{}, References: []Reference{}}
	answer.Note(notes...)
	return answer, nil
}

// byPlaceOfText is for a name at a place that could not be parsed: it adds the mentions that
// the text of that file holds. They, and definitions of that name, are only possible matches.
func (e *Engine) byPlaceOfText(
	ctx context.Context, q ReferencesQuery, m *subject, found []mention, a area, src *sources,
) ([]mention, error) {
	rel, err := e.p.Resolve(q.FilePath)
	if err != nil {
		return nil, err
	}
	for i := range m.Definitions {
		d := &m.Definitions[i]
		if a.contains(d.File, d.Language) {
			found = append(found, mention{confidence: binding.Possible, Occurrence: index.Occurrence{
				Name: d.Name, File: d.File, Language: d.Language, Line: d.NameLine, Column: d.NameColumn, Role: syntax.Definition,
			}})
		}
	}
	m.Definitions = nil
	more, err := e.textMentions(ctx, q, m, found, func(file string, _ index.Unseen) bool { return file == rel }, src)
	return append(found, more...), err
}

func (e *Engine) referencesAnswer(
	ctx context.Context, q ReferencesQuery, w Window, m *subject, found []mention, src *sources,
) (*ReferencesAnswer, error) {
	sortMentions(found)
	answer := &ReferencesAnswer{Symbol: q.Symbol, Definitions: []Definition{}}
	answer.References, answer.Coverage = Paged(len(found), w, func(i int) Reference { return src.reference(&found[i]) })
	asked := m.askedFirst()
	for i := range asked {
		if i == shownDefinitions {
			answer.Note(msg.New("search.definitions_shown_of", i, len(m.Definitions), op.FindDefinitions))
			break
		}
		answer.Definitions = append(answer.Definitions, src.definition(foundSymbol{Symbol: asked[i], match: index.Exact}, 1))
	}
	if len(asked) > 0 && m.place == nil {
		answer.Note(declaredElsewhere(m.Name, &asked[0])...)
	}
	if form := m.unnamed(); form != "" {
		answer.Note(msg.New("search.called_unnamed", m.Definitions[0].Name, form))
	}
	seen := map[string]bool{}
	for _, r := range found {
		seen[r.File] = true
	}
	answer.Files = len(seen)
	more, err := e.resolver(ctx, m, src).overriding(found)
	if err != nil {
		return nil, err
	}
	answer.Note(more...)
	if things := src.countThings(m.Definitions); things > 1 && q.FilePath == "" {
		answer.Note(msg.New("search.things_share_the_name", things, msg.Param("file_path"), msg.Param("line")))
	}
	rel := slices.ContainsFunc(found, func(m mention) bool { return m.confidence > binding.Possible })
	if len(m.Definitions) == 0 && !rel && src.gaps.Empty() {
		near, err := e.nearSymbols(ctx, m.Name, len(found) == 0)
		if err != nil {
			return nil, err
		}
		answer.Note(near...)
	}
	return answer, nil
}

// reference describes a mention.
func (s *sources) reference(m *mention) Reference {
	return Reference{
		File: m.File, Line: m.Line, Column: m.Column, Role: m.Role, Confidence: confidenceOf(m.confidence),
		Enclosing: text.Dotted(m.Enclosing.Scope, m.Enclosing.Name), EnclosingKind: m.Enclosing.Kind,
		Content: strings.TrimLeft(s.lineAt(m.File, m.Line, m.Column), " \t"), Group: m.group,
	}
}

// A mention is an occurrence that may mean what was asked for.
type mention struct {
	index.Occurrence
	confidence binding.Relation
	group      binding.Group
}

// A Mention is an occurrence that means a definition, more or less surely.
type Mention struct {
	index.Occurrence
	Confidence Confidence
	Through    Through
}

// Through says what a call goes through on its way to a definition.
type Through int

// What a call goes through, as far as types are known.
const (
	Nothing          Through = iota
	Interface                // of the project
	ForeignInterface         // of another module: everybody calls io.Closer.Close
)

func throughOf(r binding.Relation) Through {
	switch r {
	case binding.ThroughInterface:
		return Interface
	case binding.ThroughForeign:
		return ForeignInterface
	}
	return Nothing
}

// Mentions returns the places that mean one definition, those where it is
// defined left out, surest first, and of a constructor those that make a thing of its
// type. The index must be fresh.
func (src Sources) Mentions(ctx context.Context, s index.Symbol) ([]Mention, error) {
	m := subjectFor(&s)
	found, err := src.e.mentionsOf(ctx, m, false, src.sources)
	if err != nil {
		return nil, err
	}
	built, err := src.e.constructed(ctx, m, src.sources, found)
	if err != nil {
		return nil, err
	}
	found = append(found, built...)
	sortMentions(found)
	list := make([]Mention, len(found))
	for i := range found {
		list[i] = Mention{found[i].Occurrence, confidenceOf(found[i].confidence), throughOf(found[i].confidence)}
	}
	return list, nil
}

// Quoted returns the places where code gives the name of a definition as a text, beyond those
// that are known to mean it. The index must be fresh.
func (src Sources) Quoted(ctx context.Context, s index.Symbol, known []Mention) ([]Mention, error) {
	m := subjectFor(&s)
	m.judged = &judgement{}
	found := make([]mention, len(known))
	for i := range known {
		found[i].Occurrence = known[i].Occurrence
	}
	shell := func(file string, _ index.Unseen) bool { return m.inShell(file) }
	found, err := src.e.textMentions(ctx, ReferencesQuery{}, m, found, shell, src.sources)
	list := make([]Mention, len(found))
	for i := range found {
		list[i] = Mention{Occurrence: found[i].Occurrence, Confidence: Possible}
	}
	return list, err
}

// sortMentions puts the surest first, and among them code before tests, and
// what is near in one file together.
func sortMentions(list []mention) {
	slices.SortStableFunc(list, func(a, b mention) int {
		return cmp.Or(
			-cmp.Compare(confidenceOf(a.confidence).rank(), confidenceOf(b.confidence).rank()),
			cmp.Compare(slices.Index(groups, a.group), slices.Index(groups, b.group)),
			cmp.Compare(b.confidence, a.confidence),
			cmp.Compare(fileRank(a.File, ""), fileRank(b.File, "")),
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// mentionsOf returns the occurrences that may mean m, in no order.
func (e *Engine) mentionsOf(ctx context.Context, m *subject, locals bool, src *sources) ([]mention, error) {
	if err := e.spellCases(ctx, m); err != nil {
		return nil, err
	}
	res := e.resolver(ctx, m, src)
	names, err := e.resolve(ctx, m, res)
	if err != nil {
		return nil, err
	}
	exact, err := e.askProviders(ctx, m, names, res)
	if err != nil {
		return nil, err
	}
	if m.place != nil && names != nil {
		if err := e.redefine(ctx, m, names); err != nil {
			return nil, err
		}
	}
	seen := m.declared()
	var found []mention
	m.judged = &judgement{exact, res, names}
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		src.judged += len(list)
		res.bindings, res.innermost = localBindings(list), nil
		for _, o := range list {
			at := placeOf(&o)
			if seen[at] {
				continue
			}
			res.Group = ""
			rel, most, known := exact.judge(&o)
			if !known {
				if rel, err = res.judge(&o, names, locals); err != nil {
					return nil, err
				}
				rel = min(rel, most)
			}
			if m.byName || !known && src.gaps.Concerns(o.File) {
				rel = min(rel, binding.Possible) // it was judged by its name
			}
			if rel > binding.Unrelated {
				seen[at] = true
				found = append(found, mention{o, rel, res.Group})
			}
		}
	}
	unlisted, err := e.beyondIndex(ctx, m, exact, seen)
	if err != nil {
		return nil, err
	}
	for i := range unlisted {
		seen[placeOf(&unlisted[i].Occurrence)] = true
	}
	more, err := e.mentionsBeyondIndex(ctx, m, names, seen)
	if err != nil {
		return nil, err
	}
	imports, err := e.moduleImports(ctx, m, found, src)
	if err != nil {
		return nil, err
	}
	labels, err := e.passed(ctx, m, src)
	labels = slices.DeleteFunc(labels, func(f mention) bool { return seen[placeOf(&f.Occurrence)] })
	return slices.Concat(found, unlisted, more, imports, labels), err
}

// declared returns the places where the target is defined.
func (m *subject) declared() map[resolve.Position]bool {
	places := map[resolve.Position]bool{}
	if m.field != nil {
		places[resolve.Position{File: m.field.File, Line: m.field.Line, Column: m.field.Column}] = true
	}
	for _, d := range m.Definitions {
		places[named(&d)] = true
	}
	if l := m.local; l != nil && l.Role == syntax.Definition {
		places[placeOf(l)] = true
	}
	return places
}

// A resolver relates occurrences to a subject.
type resolver struct {
	*binding.Resolver
	e   *Engine
	ctx context.Context
	m   *subject
	src *sources

	bindings  map[string][]*index.Occurrence  // of the name that is judged, local ones by file
	innermost map[inScope][]*index.Occurrence // of these, the innermost around what is in a function
	declared  map[resolve.Position]bool       // what subject.declared returns, once a local is judged
}

func (e *Engine) resolver(ctx context.Context, m *subject, src *sources) *resolver {
	code := binding.Code{Project: e.p, Index: e.x, Types: e.types, Files: e.list}
	return &resolver{Resolver: binding.New(ctx, code, &m.Target, src), e: e, ctx: ctx, m: m, src: src}
}

// judge says how surely an occurrence means what is asked for: as inference
// says, or else by names, imports and Go's types.
func (r *resolver) judge(o *index.Occurrence, names *resolution, locals bool) (binding.Relation, error) {
	most := binding.Certain
	if u, ok := names.referenceAt(o); ok {
		switch {
		case u.Relation == resolve.Same || u.Relation == resolve.Related || u.Relation == resolve.Likely:
			r.Group = groupOf(u)
			return relationOf(u.Relation), nil
		case u.Relation == resolve.Unknown && o.Language == syntax.Rust && o.Role != syntax.Definition && !o.Local:
			return binding.Possible, nil // names and imports say nothing of it
		case u.Relation == resolve.Perhaps, u.Namesake && r.m.Any && o.Role != syntax.Definition:
			return binding.Possible, nil
		case u.Relation == resolve.Unknown && syntax.SameGroup(o.Language, syntax.CPP):
			return binding.Possible, nil // it was looked at more closely than names can be
		case u.Relation == resolve.Unknown && r.m.wide &&
			(o.Role != syntax.Definition && (!o.Local || r.m.local != nil) || syntax.SameGroup(o.Language, syntax.TypeScript)):
			return binding.Possible, nil // in scripts, methods of literals and what is taken apart are of unknown types too
		case u.Relation == resolve.Unknown:
			most = binding.Possible
		case o.Local && locals && r.m.local == nil && o.Role != syntax.Definition:
			return binding.Possible, nil
		case !r.m.beyondInference(o.Language):
			return binding.Unrelated, nil
		}
	}
	if _, ok := names.referenceAt(o); !ok && syntax.SameGroup(o.Language, syntax.CPP) {
		most = binding.Likely // what the resolver does not read is judged by names
	}
	if o.Role == syntax.Definition {
		if o.Local && locals && r.m.local == nil && len(r.m.Definitions) == 0 {
			return binding.Possible, nil
		}
		return binding.Unrelated, nil
	}
	if r.m.field != nil {
		m, err := r.GoMeaning(o)
		if err == nil && m.Known == golang.Resolved && m.Position == *r.m.field {
			return binding.Certain, nil
		}
		return binding.Unrelated, err
	}
	if r.m.local != nil {
		rel, err := r.relateLocal(o)
		return min(rel, most), err
	}
	if rel := r.relateNested(o); rel > binding.Unrelated {
		return min(rel, most), nil
	}
	if o.Local && !locals && o.Language != syntax.Go {
		return binding.Unrelated, nil
	}
	rel, least := binding.Unrelated, binding.Unrelated
	if o.Local && locals {
		least = binding.Possible
	}
	if !o.Local || o.Language == syntax.Go {
		var err error
		if rel, err = r.Relate(o); err != nil {
			return binding.Unrelated, err
		}
		if o.Local && rel < binding.Certain {
			rel = binding.Unrelated
		}
	}
	if rel == binding.Unrelated && least == binding.Unrelated {
		return max(r.RelateTemplate(o), r.relateAnyMember(o)), nil
	}
	return max(least, min(rel, most)), nil
}

// relateAnyMember judges an occurrence of which no definition is known, in a question about
// everything of a name. A member of a value whose type is not inferred may belong to a library.
func (r *resolver) relateAnyMember(o *index.Occurrence) binding.Relation {
	if !r.m.Any || o.Local || o.Language == syntax.Go || registry.Inferred(o.Language) || !r.AfterDot(o) {
		return binding.Unrelated
	}
	if slices.ContainsFunc(r.m.Definitions, func(d index.Symbol) bool { return syntax.SameGroup(o.Language, d.Language) }) {
		return binding.Possible
	}
	return binding.Unrelated
}

// judgement is what told the occurrences of a name that mean what is asked for from others.
type judgement struct {
	exact *exactness
	res   *resolver
	names *resolution
}

// elsewhere reports whether an occurrence that does not mean what is asked for is known
// to mean something else.
func (j *judgement) elsewhere(o *index.Occurrence) bool {
	if _, _, known := j.exact.judge(o); known || o.Local || o.Role == syntax.Definition {
		return true
	}
	if o.Language == syntax.Go {
		m, err := j.res.GoMeaning(o)
		return err == nil && (m.Known == golang.Resolved || m.Known == golang.Builtin || m.Known == golang.Outside)
	}
	u, ok := j.names.referenceAt(o)
	return ok && u.Relation == resolve.Other
}

// relateLocal judges an occurrence against the local binding that is meant.
func (r *resolver) relateLocal(o *index.Occurrence) (binding.Relation, error) {
	l := r.m.local
	if l.File != o.File {
		return binding.Unrelated, nil
	}
	if o.Language == syntax.Go {
		target, err := r.GoMeaning(l)
		if err != nil {
			return binding.Unrelated, err
		}
		if target.Known != golang.Resolved { // where it is defined, it means itself
			target.Position = golang.Position{File: l.File, Line: l.Line, Column: l.Column}
		}
		m, err := r.GoMeaning(o)
		switch {
		case err != nil:
			return binding.Unrelated, err
		case m.Known == golang.Resolved && m.Position == target.Position:
			return binding.Certain, nil
		case m.Known != golang.Unknown:
			return binding.Unrelated, nil
		}
	}
	if !o.Local || l.Enclosing.StartLine > o.Enclosing.EndLine || o.Enclosing.StartLine > l.Enclosing.EndLine {
		return binding.Unrelated, nil
	}
	mine, _ := r.nearestBinding(l)
	its, rel := r.nearestBinding(o)
	switch {
	case mine == nil || its == nil:
		return binding.Certain, nil
	case placeOf(mine) == placeOf(its):
		return rel, nil
	}
	return binding.Possible, nil // of another block, or the same one given a new value
}

// localBindings returns, by file, the places where a name is declared within a function.
func localBindings(list []index.Occurrence) map[string][]*index.Occurrence {
	bindings := map[string][]*index.Occurrence{}
	for i := range list {
		if o := &list[i]; o.Local && o.Role == syntax.Definition {
			bindings[o.File] = append(bindings[o.File], o)
		}
	}
	return bindings
}

// relateNested judges a local occurrence against the definitions that lie within
// functions themselves.
func (r *resolver) relateNested(o *index.Occurrence) binding.Relation {
	if !o.Local {
		return binding.Unrelated
	}
	nearest, rel := r.nearestBinding(o)
	if r.declared == nil {
		r.declared = r.m.declared()
	}
	if nearest == nil || !r.declared[placeOf(nearest)] {
		return binding.Unrelated
	}
	return rel
}

// nearestBinding returns the binding that a local occurrence means, and how sure that is: the innermost
// around it, and of several in one function the last one before it.
func (r *resolver) nearestBinding(o *index.Occurrence) (nearest *index.Occurrence, rel binding.Relation) {
	in := inScope{o.File, text.Dotted(o.Enclosing.Scope, o.Enclosing.Name)}
	list, known := r.innermost[in]
	if !known {
		list = r.bindingsAround(in)
		if r.innermost == nil {
			r.innermost = make(map[inScope][]*index.Occurrence)
		}
		r.innermost[in] = list
	}
	if len(list) == 0 {
		return nil, binding.Unrelated
	}
	before, _ := slices.BinarySearchFunc(list, o.Line+1,
		func(b *index.Occurrence, line int) int { return cmp.Compare(b.Line, line) })
	rel = binding.Likely
	if len(list) == 1 {
		rel = binding.Certain
	}
	return list[max(0, before-1)], rel
}

// inScope is a function of a file, by its full name.
type inScope struct{ file, scope string }

// bindingsAround returns the innermost bindings around what is in a function, by line.
func (r *resolver) bindingsAround(in inScope) (list []*index.Occurrence) {
	depth := -1
	for _, b := range r.bindings[in.file] { // by line
		scope := text.Dotted(b.Enclosing.Scope, b.Enclosing.Name)
		if b.Enclosing.Name == b.Name {
			scope = b.Enclosing.Scope // a symbol encloses its own name
		}
		switch {
		case scope != "" && !strings.HasPrefix(in.scope+".", scope+".") || len(scope) < depth:
		case len(scope) > depth:
			depth, list = len(scope), []*index.Occurrence{b}
		default:
			list = append(list, b)
		}
	}
	return list
}

// RequestedNames returns what was asked for, and how much was found.
func (a *ReferencesAnswer) RequestedNames() ([]string, int) { return []string{a.Symbol}, a.Total }

// Text gives the answer for people and models.
func (a *ReferencesAnswer) Text() string {
	var b writer
	b.linef("%s", inFiles(a.Counted(a.Total, "reference", "s"), a.Files))
	for _, d := range a.Definitions {
		b.linef("defined: %s %s %s", span(d.File, d.Line, d.EndLine), d.Kind, text.Dotted(d.Scope, d.Name))
		if d.Snippet != "" {
			b.block(d.Snippet, d.SnippetAt)
		}
	}
	file, group, last := "", binding.Group(""), ""
	for i, r := range a.References {
		if r.Group != group {
			group, file = r.Group, ""
			b.linef("%s", heading(group))
		}
		if r.File != file {
			file, last = r.File, ""
			b.linef("%s", file)
		}
		l := r.line()
		if l == last { // a line is shown once, and how often it has the name
			continue
		}
		last = l
		times := 1
		for _, o := range a.References[i+1:] {
			if o.Group != r.Group || o.File != r.File || o.line() != l {
				break
			}
			times++
		}
		if times > 1 {
			l += fmt.Sprintf("  (%d times)", times)
		}
		b.linef("  %s", l)
	}
	return b.tail(a.NextCursor, a.Remarks)
}

// line writes a reference below the name of its file. What is not said of it: that it is
// a call, and that it is certain.
func (r *Reference) line() string {
	var marks []string
	if r.Role != syntax.Call {
		marks = append(marks, string(r.Role))
	}
	if r.Confidence != Certain {
		marks = append(marks, string(r.Confidence))
	}
	s := strconv.Itoa(r.Line) + ": "
	if len(marks) > 0 {
		s += "[" + strings.Join(marks, ", ") + "] "
	}
	s += r.Content
	if r.Enclosing != "" {
		s += "  (in " + r.Enclosing + ")"
	}
	return s
}

// inFiles says of a number of things in how many files they are, if there are any.
func inFiles(counted string, files int) string {
	if files == 0 {
		return counted
	}
	return counted + " in " + text.Counted(files, "file", "s")
}

// Observed says which lines, definitions and callers the answer shows.
func (a *ReferencesAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Symbol}, Empty: a.Total == 0 && len(a.Definitions) == 0}
	for _, d := range a.Definitions {
		f.Definitions = text.AppendNew(f.Definitions, text.Dotted(d.Scope, d.Name))
		if d.Snippet != "" {
			f.Lines = append(f.Lines, shown.Lines{File: d.File, Start: d.SnippetAt, End: d.shown})
		}
	}
	for _, r := range a.References {
		f.Lines = append(f.Lines, shown.Lines{File: r.File, Start: r.Line, End: r.Line})
		if r.EnclosingKind.Callable() {
			f.Callers = text.AppendNew(f.Callers, r.Enclosing)
		}
	}
	f.Lines = sortLines(f.Lines)
	return f
}

// Before returns the last two bytes of code before white space and a place, so that a
// member of something is distinguished from a name of its own. A comment may end with a dot too.
func (s *sources) Before(file string, line, column int) string {
	row := s.Raw(file, line, line)
	head := bytes.TrimRight(row[:min(column-1, len(row))], " \t")
	for len(head) == 0 && line > 1 {
		line--
		if !s.IsComment(file, line) {
			head = bytes.TrimRight(text.WithoutComment(s.Raw(file, line, line)), " \t")
		}
	}
	if len(head) == 0 || bytes.HasSuffix(head, []byte("...")) { // func f(all ...Type), f(...all)
		return ""
	}
	return string(head[max(0, len(head)-2):])
}
