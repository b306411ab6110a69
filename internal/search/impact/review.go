package impact

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/commitlog"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Finding is something that a diff seems to have left undone.
type Finding struct {
	Rule       Rule        `json:"rule"`
	File       string      `json:"file"`
	Line       int         `json:"line,omitempty"`
	Symbol     string      `json:"symbol,omitempty"`
	Message    msg.Message `json:"message"`
	Confidence float64     `json:"confidence" jsonschema:"From 0.9 on a finding, below it advice"`
}

// Proven reports whether it is a finding, not but advice.
func (f *Finding) Proven() bool { return f.Confidence >= proven }

// A Rule is a kind of finding.
type Rule string

// The rules.
const (
	callDoesNotFit   Rule = "call-does-not-fit"   // a call has too few or too many arguments for the changed signature
	signatureChanged Rule = "signature-changed"   // a call of what has another signature now, in a file that the diff leaves as it is
	removedInUse     Rule = "removed-in-use"      // what the diff removes is named still
	companionLeft    Rule = "companion-unchanged" // a file that usually changes with those of the diff
)

// Rules are all of them.
var Rules = []Rule{callDoesNotFit, signatureChanged, removedInUse, companionLeft}

// Confidences of findings.
const (
	proven      = 0.9
	sure        = 0.95
	seemsSure   = 0.7
	perhaps     = 0.5
	maxUses     = 20  // of a removed name: one that is everywhere means something else, too
	minTogether = 3   // changes of a companion
	minHabit    = 0.5 // how likely a companion changes
)

// review looks for what a diff has left undone.
func (r *run) review() error {
	for i := range r.deltas {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		d := &r.deltas[i]
		var err error
		switch d.change {
		case removed:
			err = r.inUse(d)
		case changedSignature:
			err = r.callsOf(d)
		}
		if err != nil {
			return fmt.Errorf("review: %w", err)
		}
	}
	if r.base != "" {
		return r.findCompanions()
	}
	return nil
}

func (r *run) note(f Finding) { r.problems = append(r.problems, f) }

// callsOf looks at the calls of a function whose signature differs.
func (r *run) callsOf(d *delta) error {
	list, err := r.a.x.FileSymbols(r.ctx, d.file)
	if problem.Of(err) != nil {
		return nil
	}
	if err != nil {
		return err
	}
	same := func(s index.Symbol) bool { return s.Name == d.now.Name && s.Scope == d.now.Scope }
	at := slices.IndexFunc(list, func(s index.Symbol) bool { return same(s) && s.NameLine == d.now.NameLine })
	if at < 0 {
		return nil
	}
	overloaded := len(slices.DeleteFunc(slices.Clone(list), func(s index.Symbol) bool { return !same(s) })) > 1
	mentions, err := r.src.Mentions(r.ctx, list[at])
	if err != nil {
		return err
	}
	was, okWas := parametersOf(d.lang, d.before)
	is, okIs := parametersOf(d.lang, d.now)
	counted := okWas && okIs && !overloaded
	for i := range mentions {
		m := &mentions[i]
		if m.Role != syntax.Call || m.Confidence != search.Certain || m.Through != search.Nothing ||
			insideOf(&list[at], m) {
			continue
		}
		f := Finding{File: m.File, Line: m.Line, Symbol: d.name()}
		code, _ := r.src.Block(m.File, m.Line, m.Line+longestCall, longestCall)
		n, ok := argumentsAt(d.lang, code, m.Column, m.Name)
		switch {
		case counted && ok && was.fits(n) && !is.fits(n):
			f.Rule, f.Confidence = callDoesNotFit, sure
			f.Message = msg.New("impact.call_does_not_fit", d.name(), n, is.String())
		case !r.own[m.File] && !(counted && ok && is == was):
			f.Rule, f.Confidence = signatureChanged, perhaps
			f.Message = msg.New("impact.signature_changed", d.name(), d.now.Signature)
		default:
			continue
		}
		r.note(f)
	}
	return nil
}

// inUse looks for what still names a symbol that is gone.
func (r *run) inUse(d *delta) error {
	s := d.before
	if !s.Kind.Callable() && !s.Kind.HasMembers() && s.Kind != syntax.Type {
		return nil
	}
	left, err := r.a.x.Symbols(r.ctx, index.SymbolQuery{Name: s.Name, Match: index.Exact})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(left, func(o index.Symbol) bool { return syntax.SameGroup(o.Language, d.lang) }) {
		return nil // it moved, or the name has another meaning, too
	}
	all, err := r.a.x.Occurrences(r.ctx, s.Name)
	if err != nil {
		return err
	}
	uses := slices.DeleteFunc(all, func(o index.Occurrence) bool { return o.Local || !syntax.SameGroup(o.Language, d.lang) })
	if len(uses) > maxUses {
		return nil
	}
	bound := slices.ContainsFunc(uses, func(o index.Occurrence) bool {
		return o.File == d.file && (o.Role == syntax.ImportUse || o.Role == syntax.Write)
	})
	importers, err := r.importersOf(d)
	if err != nil {
		return err
	}
	for i := range uses {
		o := &uses[i]
		c := r.stillMeant(d, o, importers)
		if bound {
			c = min(c, perhaps)
		}
		if c > 0 {
			r.note(Finding{
				Rule: removedInUse, File: o.File, Line: o.Line, Symbol: d.name(), Confidence: c,
				Message: msg.New("impact.removed_in_use", d.name()),
			})
		}
	}
	return nil
}

// importersOf returns the imports of the file that a symbol was in, by file.
func (r *run) importersOf(d *delta) (map[string][]index.Import, error) {
	list, err := r.a.e.Dependents(r.ctx, d.file)
	if err != nil {
		return nil, err
	}
	of := map[string][]index.Import{}
	for _, i := range list {
		of[i.File] = append(of[i.File], i)
	}
	return of, nil
}

// stillMeant is how sure a place means a symbol that is gone, 0 for not at all.
func (r *run) stillMeant(d *delta, o *index.Occurrence, importers map[string][]index.Import) float64 {
	used := o.Role == syntax.Call || o.Role == syntax.TypeUse
	if d.before.Scope != "" && d.lang != syntax.CSharp && d.lang != syntax.CPP {
		if used && o.Qualifier != "" && d.before.Kind.Callable() {
			return perhaps
		}
		return 0
	}
	if d.lang == syntax.Go {
		switch same := path.Dir(o.File) == path.Dir(d.file); {
		case used && o.Qualifier == "" && same:
			return sure
		case used && slices.ContainsFunc(importers[o.File], func(i index.Import) bool {
			return o.Qualifier == cmp.Or(i.Alias, path.Base(i.Path))
		}):
			return sure
		}
		return 0
	}
	switch {
	case o.Role == syntax.ImportUse && slices.ContainsFunc(importers[o.File], func(i index.Import) bool {
		return i.Line <= o.Line && slices.Contains(i.Names, d.before.Name)
	}):
		return sure
	case used && o.Qualifier == "" && o.File == d.file:
		return seemsSure
	case used && (importers[o.File] != nil || r.behindModule(o, d.file)):
		return perhaps
	}
	return 0
}

// behindModule reports whether a name comes after that of the module that a file is, as it is
// written where no import names it: a:run() in Erlang, A.run () in OCaml.
func (r *run) behindModule(o *index.Occurrence, file string) bool {
	line, _ := r.src.Block(o.File, o.Line, o.Line, 1)
	before := line[:min(o.Column-1, len(line))]
	module := strings.TrimRight(before, ".:")
	if module == before {
		return false
	}
	words := strings.FieldsFunc(module, func(c rune) bool { return !textmatch.WordRune(c) })
	stem, _, _ := strings.Cut(path.Base(file), ".")
	return len(words) > 0 && strings.HasSuffix(module, words[len(words)-1]) &&
		strings.EqualFold(words[len(words)-1], stem)
}

// findCompanions finds files that usually change with those of the diff, and did not.
func (r *run) findCompanions() error {
	l, err := r.a.past.Log(r.ctx)
	if err != nil || l.Absence != commitlog.Present {
		return r.ctx.Err() // the analysis has said so
	}
	n := 0
	for _, c := range l.Together(slices.Sorted(maps.Keys(r.own)), r.fileExists()) {
		if c.Score < minHabit || c.Together < minTogether || n == maxTogether {
			continue
		}
		n++
		r.note(Finding{
			Rule: companionLeft, File: c.File, Confidence: min(c.Score, proven-0.01),
			Message: msg.New("impact.companion_left", c.Together, c.Changes),
		})
	}
	return nil
}

// ofDiff adds to an answer what it says of a diff, of the files inside.
func (r *run) ofDiff(a *Answer, inside func(string) bool) {
	if r.base == "" {
		return
	}
	a.Base, a.Changes = r.base, r.changes
	slices.SortStableFunc(r.problems, func(x, y Finding) int {
		return cmp.Or(-cmp.Compare(x.Confidence, y.Confidence), strings.Compare(x.File, y.File),
			cmp.Compare(x.Line, y.Line))
	})
	for i := range r.problems {
		switch {
		case !inside(r.problems[i].File):
		case len(a.Findings) < maxFindings:
			a.Findings = append(a.Findings, r.problems[i])
		default:
			r.src.Lacks(gaps.Listed, r.problems[i].File)
		}
	}
	if n := len(r.problems); n > maxFindings {
		a.Notes = append(a.Notes, msg.New("impact.first_findings", n, maxFindings))
	}
	there := r.fileExists()
	for _, c := range r.changes {
		if r.hasTests(c.File) && there(c.File) {
			a.Tests = append(a.Tests, c.File)
		}
	}
	for _, f := range slices.Concat(r.likely, first(r.habitual, maxHabitual), a.must, a.should) {
		switch {
		case !r.hasTests(f) || slices.Contains(a.Tests, f):
		case len(a.Tests) < maxTests:
			a.Tests = append(a.Tests, f)
		default:
			r.src.Lacks(gaps.Listed, f)
		}
	}
}

// hasTests reports whether a test file can be run for its tests: what lies among the tests of Python
// under another name than theirs has some only if functions of it are named so.
func (r *run) hasTests(file string) bool {
	if !runs(file) || search.TestFile(path.Base(file)) || syntax.Detect(file, nil) != syntax.Python {
		return runs(file)
	}
	list, err := r.a.x.FileSymbols(r.ctx, file)
	return err != nil || slices.ContainsFunc(list, func(s index.Symbol) bool {
		return s.Kind.Callable() && strings.HasPrefix(s.Name, "test")
	})
}

// writeDiff writes what an answer says of a diff.
func (a *Answer) writeDiff(b *strings.Builder) {
	if a.Base == "" {
		return
	}
	fmt.Fprintf(b, "since %.12s: %s\n", a.Base, text.Counted(len(a.Changes), "file", "s"))
	for _, c := range a.Changes {
		fmt.Fprintf(b, "  %s: %s", c.File, c.Status)
		if c.Old != "" {
			fmt.Fprintf(b, " from %s", c.Old)
		}
		last := ""
		for i, s := range c.Symbols {
			switch {
			case i == maxSymbolsOfFile:
				fmt.Fprintf(b, " and %d more", len(c.Symbols)-i)
			case i > maxSymbolsOfFile:
			case s.Change != last:
				fmt.Fprintf(b, "; %s %s", s.Change, s.Name)
				last = s.Change
			default:
				fmt.Fprintf(b, ", %s", s.Name)
			}
		}
		b.WriteByte('\n')
	}
	for _, proved := range []bool{true, false} {
		var lines []string // each with the places of which it is said, in the order of the first
		at := map[string][]string{}
		for i := range a.Findings {
			f := &a.Findings[i]
			if f.Proven() != proved {
				continue
			}
			what := fmt.Sprintf("%s (%s, %.2f)", f.Message, f.Rule, f.Confidence)
			if at[what] == nil {
				lines = append(lines, what)
			}
			at[what] = append(at[what], f.place())
		}
		if len(lines) > 0 {
			b.WriteString(map[bool]string{true: "findings:\n", false: "worth a look:\n"}[proved])
		}
		for _, what := range lines {
			fmt.Fprintf(b, "  %s: %s\n", what, text.ListFirst(at[what], maxPlacesEach))
		}
	}
	if len(a.Tests) > 0 {
		fmt.Fprintf(b, "tests to run: %s\n", strings.Join(a.Tests, ", "))
	}
}

const (
	maxSymbolsOfFile = 12 // written of one file
	maxPlacesEach    = 10 // and of one thing that is said of many
)

func (f *Finding) place() string {
	if f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}
