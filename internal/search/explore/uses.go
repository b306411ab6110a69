package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	File   string `json:"file"`
	Line   int    `json:"line"`
	Symbol string `json:"symbol,omitempty" jsonschema:"The function around it"`
	Text   string `json:"text"`
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
	seen := map[string]bool{}
	for i := range r.a.Places {
		p := &r.a.Places[i]
		name := p.Symbol[strings.LastIndexAny(p.Symbol, ".:")+1:]
		most := maxLinesNamed
		if !r.named {
			most = maxLinesFound
		}
		if !isData(p.Kind) || p.Why != "" || seen[name] || !isIdentifier(name) && !r.named ||
			p.EndLine-p.StartLine >= shortDeclared || r.asked.Tests != search.TestFile(p.File) && search.TestFile(p.File) {
			continue
		}
		seen[name] = true
		uses, err := r.usesOf(p, name)
		if err != nil {
			return err
		}
		if len(uses) > maxFoundUses && !r.named {
			continue
		}
		for _, u := range uses {
			if len(p.Uses) == most || !r.fits(u) {
				break
			}
			p.Uses = append(p.Uses, u)
		}
		if p.Uses != nil {
			p.MoreUses = len(uses) - len(p.Uses)
			p.CalledBy, p.More, p.Possible = nil, 0, 0 // the lines say it
		}
	}
	return nil
}

// usesOf returns the lines of code outside of tests that write the name of a place, those first that
// share most words with the question. It leaves out what the answer shows already.
func (r *run) usesOf(p *Place, name string) ([]Use, error) {
	found, err := r.e.e.Written(r.ctx, search.Where{}, false, []string{literals.Bounded(name)})
	if err != nil {
		return nil, errorf("text", err)
	}
	var uses []Use
	for _, l := range found[0] {
		if r.src.IsComment(l.File, l.Line) || r.isShown(l.File, l.Line) {
			continue
		}
		around, err := r.enclosing(l.File, l.Line)
		if err != nil {
			return nil, err
		}
		if around == nil || r.isTest(around) {
			continue
		}
		u := Use{File: l.File, Line: l.Line, Text: strings.TrimRight(r.src.Line(l.File, l.Line), " \t")}
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
	slices.SortStableFunc(uses, func(a, b Use) int { return cmp.Compare(rank(&b), rank(&a)) })
	return uses, nil
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
		b.WriteString("  " + u.Text + "\n")
	}
}
