package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/literals"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// How many lines that use a constant, a field or an option are shown.
const (
	maxLinesNamed = 24 // of one that was asked for
	maxLinesFound = 4  // of one that fits a question
	maxFoundUses  = 40 // lines that use such a one: what more do is an everyday word
	shortDeclared = 12 // lines of a place whose uses say more than its own code
)

// A Use is a line that uses a name.
type Use struct {
	File       string            `json:"file"`
	Line       int               `json:"line"`
	Symbol     string            `json:"symbol,omitempty" jsonschema:"The function around it"`
	Confidence search.Confidence `json:"confidence,omitempty" jsonschema:"Unless it is certain"`
	Text       string            `json:"text"`
}

// isData reports whether symbols of a kind hold a value: they are read, not called.
func isData(k syntax.Kind) bool {
	return slices.Contains([]syntax.Kind{syntax.Constant, syntax.Variable, syntax.Field, syntax.Property,
		syntax.EnumMember, syntax.Macro, syntax.Key}, k)
}

// lineUses adds to the places that only declare a value the lines of the code that use it: what a
// constant or an option does is decided there.
func (r *run) lineUses() error {
	if r.a.Weak || r.uses {
		return nil
	}
	listed := map[sourceLine]bool{}
	most, done := maxLinesNamed, 0
	if !r.named {
		most = maxLinesFound
	}
	for i := range r.a.Places {
		p := &r.a.Places[i]
		name := p.Symbol[strings.LastIndexAny(p.Symbol, ".:")+1:]
		if !isData(p.Kind) || p.Why != "" || !isIdentifier(name) && !r.named || p.EndLine-p.StartLine >= shortDeclared ||
			search.TestFile(p.File) && !r.asked.Tests {
			continue
		}
		if done++; done > maxRelated {
			break
		}
		uses, err := r.usesOf(p, name)
		if err != nil {
			return err
		}
		uses = slices.DeleteFunc(uses, func(u Use) bool { return listed[sourceLine{u.File, u.Line}] })
		if len(uses) > maxFoundUses && !r.named {
			continue
		}
		for _, u := range uses {
			if len(p.Uses) == most || !r.fits(u) {
				break
			}
			p.Uses = append(p.Uses, u)
			listed[sourceLine{u.File, u.Line}] = true
		}
		if p.Uses != nil {
			p.MoreUses = len(uses) - len(p.Uses)
			p.CalledBy, p.More, p.Possible = nil, 0, 0 // the lines say it
		}
	}
	return nil
}

// usesOf returns the lines of code outside of tests that use a place: first those that mean it for certain, and
// of them those that share most words with the question. It leaves out what the answer shows already.
func (r *run) usesOf(p *Place, name string) ([]Use, error) {
	lines, err := r.linesUsing(p, name)
	if err != nil {
		return nil, err
	}
	var uses []Use
	for _, u := range lines {
		if r.src.IsComment(u.File, u.Line) || r.isShown(u.File, u.Line) || search.TestFile(u.File) {
			continue
		}
		around, err := r.enclosing(u.File, u.Line)
		if err != nil {
			return nil, err
		}
		if around == nil || r.isTest(around) {
			continue
		}
		u.Text = strings.TrimRight(r.src.Line(u.File, u.Line), " \t")
		if around.kind.Callable() {
			u.Symbol = around.symbol
		}
		uses = append(uses, u)
	}
	language := syntax.Detect(p.File, nil)
	rank := func(u *Use) int {
		n := 2 * r.shared(u.Text)
		if u.Symbol != "" { // elsewhere it is imported or declared again
			n++
		}
		if syntax.Detect(u.File, nil) == language {
			n++
		}
		return n
	}
	slices.SortStableFunc(uses, func(a, b Use) int { // "" < likely < possible
		return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(rank(&b), rank(&a)))
	})
	return uses, nil
}

// linesUsing returns the lines that use a place. A key of a settings file has no declaration that code could
// refer to: lines that write its name may mean it.
func (r *run) linesUsing(p *Place, name string) (lines []Use, err error) {
	if p.Kind == syntax.Key {
		found, err := r.e.e.Written(r.ctx, search.Where{}, false, []string{literals.Bounded(name)})
		if err != nil {
			return nil, errorf("text", err)
		}
		for _, l := range found[0] {
			lines = append(lines, Use{File: l.File, Line: l.Line})
		}
		return lines, nil
	}
	list, err := r.e.x.FileSymbols(r.ctx, p.File)
	if problem.Of(err) != nil {
		return nil, nil // gone meanwhile
	}
	if err != nil {
		return nil, errorf("symbols", err)
	}
	i := slices.IndexFunc(list, func(s index.Symbol) bool {
		return p.StartLine <= s.StartLine && s.EndLine <= p.EndLine && s.Kind == p.Kind && text.Dotted(s.Scope, s.Name) == p.Symbol
	})
	if i < 0 {
		return nil, nil
	}
	all, err := r.e.x.Occurrences(r.ctx, name)
	if err != nil {
		return nil, errorf("occurrences", err)
	}
	if len(all) > maxMentions || len(all) > maxCallsRead && !r.named {
		return nil, nil
	}
	mentions, err := r.src.Mentions(r.ctx, list[i])
	if err != nil {
		return nil, errorf("references", err)
	}
	seen := map[sourceLine]bool{}
	for k := range mentions {
		m := &mentions[k]
		if at := (sourceLine{m.File, m.Line}); !seen[at] {
			seen[at] = true
			lines = append(lines, Use{File: m.File, Line: m.Line, Confidence: lowerConfidence(m.Confidence)})
		}
	}
	if list[i].Language != syntax.Ruby {
		return lines, nil
	}
	for _, kept := range []string{"@" + name, "@@" + name} { // where accessors keep their value
		if all, err = r.e.x.Occurrences(r.ctx, kept); err != nil {
			return nil, errorf("occurrences", err)
		}
		for k := range all {
			if at := (sourceLine{all[k].File, all[k].Line}); at.file == p.File && !seen[at] {
				seen[at] = true
				lines = append(lines, Use{File: at.file, Line: at.line, Confidence: search.Likely})
			}
		}
	}
	return lines, nil
}

// isShown reports whether a line is in the code of the answer.
func (r *run) isShown(file string, line int) bool {
	return slices.ContainsFunc(r.a.Places, func(p Place) bool {
		return p.File == file && slices.ContainsFunc(p.Code, func(c Code) bool { return c.Line <= line && line <= c.last })
	})
}

// writeUses writes the lines that use a place, those of one file together.
func (p *Place) writeUses(b *strings.Builder) {
	if len(p.Uses) == 0 {
		return
	}
	b.WriteString("  used in")
	if p.MoreUses > 0 {
		b.WriteString(" (and " + text.Counted(p.MoreUses, "line", "s") + " more)")
	}
	b.WriteString(":\n")
	file := p.File
	for _, u := range p.Uses {
		b.WriteString("    ")
		if u.File != file {
			b.WriteString(u.File)
			file = u.File
		}
		fmt.Fprintf(b, ":%d", u.Line)
		if u.Symbol != "" {
			b.WriteString(" " + u.Symbol)
		}
		if u.Confidence != "" {
			fmt.Fprintf(b, " (%s)", u.Confidence)
		}
		b.WriteString("  " + u.Text + "\n")
	}
}
