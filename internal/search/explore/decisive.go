package explore

import (
	"cmp"
	"slices"
	"strings"

	"codeintel/internal/search/filekind"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/terms"
)

// What the score of places counts that seldom decide anything, though their names hold many
// words of a question: a constructor or destructor has the name of its type, and a
// declaration of a few lines little but its name.
const (
	constructing = 0.6
	declaring    = 0.7
	fewLines     = 3 // of code
)

// making are words of questions that are about constructors themselves.
var making = func() map[string]bool {
	set := map[string]bool{}
	for w := range text.WordSet(`construct constructor destructor destroy create creation initialize initialise
		initialization instantiate instance build`) {
		set[terms.Stem(w)] = true
	}
	return set
}()

// decisiveFirst puts such places behind others that fit about as well.
func (r *run) decisiveFirst(list []candidate) {
	makes := slices.ContainsFunc(r.asked.Words, func(w string) bool { return making[w] })
	for i := range list {
		c := &list[i]
		if c.kind == syntax.Constructor || strings.HasPrefix(c.symbol[strings.LastIndexByte(c.symbol, '.')+1:], "~") {
			if !makes {
				c.score *= constructing
			}
			continue
		}
		if c.kind.Callable() {
			continue
		}
		n := r.codeLines(c)
		c.onlyDocs = n == 0 && !filekind.Prose(c.file)
		if n <= fewLines {
			c.score *= declaring
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
}

// codeLines counts the lines of a candidate that are neither blank nor comments, up to one more than a few.
func (r *run) codeLines(c *candidate) (n int) {
	for line := c.start; line <= c.end && n <= fewLines; line++ {
		if !r.src.IsComment(c.file, line) {
			n++
		}
	}
	return n
}
