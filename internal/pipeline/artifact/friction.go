package artifact

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// A Friction is what was in an agent's way, and what would take it away.
type Friction struct {
	Friction   string `json:"friction"`
	Suggestion string `json:"suggestion,omitempty"`
}

var (
	frictionLabel   = lazyregexp.MustCompile(`(?i)^[*_\s]*(?:friction(?:\s+points?)?|摩擦|困った(?:こと|点))(?:\s*\d+)?[*_\s]*(?:[:：.–—-]+[*_\s]*(.*))?$`)
	suggestionLabel = lazyregexp.MustCompile(`(?i)^[*_\s]*(?:suggest(?:ion|ed)s?(?:\s+(?:fix|improvement)s?)?|提案|改善案)(?:\s*\d+)?[*_\s]*(?:[:：.–—-]+[*_\s]*(.*))?$`)
)

// Frictions reads improvement.md: what is below its headings "Friction" and
// "Suggestion", which belong together in order. A text may have several pairs.
func Frictions(text string) []Friction {
	var (
		all   []Friction
		group frictionGroup
		into  *[]string
		block int
	)
	for _, l := range markdown.Read(text) {
		said := unboxed(l.Text)
		if m := suggestionLabel.FindStringSubmatch(said); m != nil {
			into, block = &group.suggestions, -1
			said = m[1]
		} else if m := frictionLabel.FindStringSubmatch(said); m != nil {
			if len(group.suggestions) > 0 {
				all = append(all, group.pairs()...)
				group = frictionGroup{}
			}
			into, block = &group.frictions, -1
			said = m[1]
		} else if l.Level > 0 {
			if l.Level <= 2 {
				into = nil
			}
			continue
		}
		said = clean(said)
		if into == nil || said == "" || saysNothing(said) {
			continue
		}
		if n := len(*into); n > 0 && (l.Block == block && !l.Item || l.Item && l.Depth > 1) {
			(*into)[n-1] += " " + said
		} else {
			*into = append(*into, said)
		}
		block = l.Block
	}
	return append(all, group.pairs()...)
}

// A frictionGroup is the frictions of one heading with the suggestions for them.
type frictionGroup struct{ frictions, suggestions []string }

func (g frictionGroup) pairs() []Friction {
	var all []Friction
	for i, f := range g.frictions {
		p := Friction{Friction: f}
		if i < len(g.suggestions) {
			p.Suggestion = g.suggestions[i]
		}
		all = append(all, p)
	}
	if n := len(all); n > 0 && len(g.suggestions) > n {
		all[n-1].Suggestion += " " + strings.Join(g.suggestions[n:], " ")
	}
	return all
}
