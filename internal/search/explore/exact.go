package explore

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// Places that hold what a question writes as it stands in the code. What each is worth is
// its share of the lines that hold it: 1 where no other place does.
const (
	inFront     = 0.9 // from so much on a place comes first,
	behindFirst = 0.4 // and from so much on behind the best two
	mostHolding = 3   // of each
	mostLines   = 200 // that are looked at
	wordsOfPart = 3   // of a message that stands nowhere whole
	leastPart   = 10  // characters of them
	mostParts   = 5
	mostOfPart  = 3 // places: what more hold are everyday words
)

// A holding gathers the places that hold what a question writes.
type holding struct {
	r      *run
	places []held
}

type held struct {
	candidate
	worth float64
}

// holders puts places in front that hold what the question writes: an option, a variable of
// the environment, a message.
func (r *run) holders() error {
	if len(r.asked.Exact) == 0 {
		return nil
	}
	h := holding{r: r}
	patterns := make([]string, len(r.asked.Exact))
	for i, e := range r.asked.Exact {
		patterns[i] = pattern(e)
	}
	lines, err := h.look(patterns)
	if err != nil {
		return err
	}
	for i, e := range r.asked.Exact {
		if lines[i] == nil && e.Kind == question.Message {
			err = h.partly(e.Text)
		} else {
			err = h.count(lines[i], mostLines)
		}
		if err != nil {
			return err
		}
	}
	h.merge()
	return nil
}

// pattern returns an expression for the lines that hold an exact text. Code names an option
// as its language has it.
func pattern(e question.Exact) string {
	if e.Kind != question.Option {
		return bounded(e.Text)
	}
	words := strings.FieldsFunc(e.Text, func(c rune) bool { return c == '-' || c == '_' })
	title := ""
	for _, w := range words {
		title += strings.ToUpper(w[:1]) + w[1:]
	}
	return `(?:--|["':.]|flag_)(?:` + strings.Join(words, "-") + "|" + strings.Join(words, "_") + "|" +
		words[0] + title[len(words[0]):] + "|" + title + `)(?:[^\w-]|$)`
}

// bounded returns an expression for a text that begins and ends where words do.
func bounded(text string) string {
	p := regexp.QuoteMeta(text)
	if wordly(text[0]) {
		p = `\b` + p
	}
	if wordly(text[len(text)-1]) {
		p += `\b`
	}
	return p
}

// wordly reports whether words have a character, as expressions take it.
func wordly(c byte) bool { return c < utf8.RuneSelf && textmatch.WordRune(rune(c)) }

// look returns the lines of code that each of some expressions matches, nil for one that
// matches none.
func (h *holding) look(patterns []string) ([][]search.TextMatch, error) {
	lines := make([][]search.TextMatch, len(patterns))
	a, err := h.r.e.e.Text(h.r.ctx, search.TextQuery{
		Pattern: patterns, Regex: true, Case: search.Sensitive, Where: h.r.q.Where,
		Page: search.Page{Limit: mostLines, MaxTokens: 12500},
	})
	if problem.Of(err) != nil {
		return lines, nil
	}
	if err != nil {
		return nil, errorf("text", err)
	}
	for _, m := range a.Matches {
		if !code(m.File) || search.TestFile(m.File) && !h.r.asked.Tests {
			continue
		}
		if len(patterns) == 1 {
			m.Patterns = []int{1}
		}
		for _, n := range m.Patterns {
			lines[n-1] = append(lines[n-1], m)
		}
	}
	return lines, nil
}

// code reports whether a file is neither a document nor data.
func code(file string) bool {
	l := syntax.Detect(file, nil)
	return l != syntax.Unknown && !syntax.Of(l).Prose && !search.Prose(file) || search.Foreign(file)
}

// partly looks for a message by some of its words, for others may vary.
func (h *holding) partly(message string) error {
	words := strings.Fields(message)
	var patterns []string
	for i := 0; len(words) > wordsOfPart && i+wordsOfPart <= len(words) && len(patterns) < mostParts; i++ {
		if p := strings.Join(words[i:i+wordsOfPart], " "); len(p) >= leastPart {
			patterns = append(patterns, bounded(p))
		}
	}
	if patterns == nil {
		return nil
	}
	lines, err := h.look(patterns)
	for i := 0; err == nil && i < len(lines); i++ {
		err = h.count(lines[i], mostOfPart)
	}
	return err
}

// count adds to the worth of the places around lines, unless there are more than so many.
func (h *holding) count(lines []search.TextMatch, most int) error {
	var around []held
	all := 0.0
	for i := range lines {
		c, err := h.r.holder(lines[i].File, lines[i].Line)
		if err != nil {
			return err
		}
		if c == nil || c.test() && !h.r.asked.Tests {
			continue
		}
		around = worth(around, held{*c, 1})
		all++
	}
	if len(around) > most {
		return nil
	}
	for _, c := range around {
		c.worth /= all
		h.places = worth(h.places, c)
	}
	return nil
}

// worth adds a place to a list, or what it is worth to the same place there.
func worth(list []held, c held) []held {
	for i := range list {
		if p := &list[i]; p.file == c.file && p.start == c.start {
			p.worth += c.worth
			return list
		}
	}
	return append(list, c)
}

// holder returns the function around a line, or else the piece of the file, nil if there is
// none.
func (r *run) holder(file string, line int) (*candidate, error) {
	list, err := r.e.x.FileSymbols(r.ctx, file)
	if err == nil {
		var chunks []index.ChunkInfo
		chunks, err = r.e.x.FileChunks(r.ctx, file)
		if c := holderIn(list, chunks, line); err == nil && c != nil {
			c.file, c.line = file, line
			return c, nil
		}
	}
	if err != nil && problem.Of(err) == nil {
		return nil, errorf("symbols", err)
	}
	return nil, nil // gone meanwhile
}

func holderIn(list []index.Symbol, chunks []index.ChunkInfo, line int) *candidate {
	if s := around(list, line); s != nil && search.Callable(s.Kind) {
		c := candidateOf(s)
		for i := range chunks { // the comment in front of it, too
			if k := &chunks[i]; k.Symbol == s.Name && k.StartLine < c.start && c.start <= k.EndLine {
				c.start = k.StartLine
			}
		}
		return &c
	}
	for i := range chunks {
		if k := &chunks[i]; k.StartLine <= line && line <= k.EndLine {
			return &candidate{start: k.StartLine, end: k.EndLine, symbol: text.Dotted(k.Scope, k.Symbol), kind: k.Kind}
		}
	}
	return nil
}

// merge puts the best of the places among those that the search found. An answer is not
// weak that holds what was asked for.
func (h *holding) merge() {
	r := h.r
	rank := func(c *candidate) int {
		i := slices.IndexFunc(r.found, c.overlaps)
		if i < 0 {
			return len(r.found)
		}
		return i
	}
	slices.SortStableFunc(h.places, func(a, b held) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(rank(&a.candidate), rank(&b.candidate)))
	})
	var front, later []candidate
	for _, p := range h.places {
		if len(r.found) > 0 {
			p.score = r.found[0].score
		}
		switch {
		case (p.worth >= inFront || r.a.Weak && p.worth >= behindFirst) && len(front) < mostHolding:
			front = append(front, p.candidate)
		case p.worth >= behindFirst && len(later) < mostHolding:
			later = append(later, p.candidate)
		}
	}
	others := slices.DeleteFunc(slices.Clone(r.found), func(o candidate) bool {
		covers := func(c candidate) bool { return o.file == c.file && c.start <= o.start && o.end <= c.end }
		return slices.ContainsFunc(front, covers) || slices.ContainsFunc(later, covers)
	})
	n := min(len(others), 2)
	r.found = slices.Concat(front, others[:n], later, others[n:])
	if len(front) > 0 && r.a.Weak {
		r.a.Weak = false
		r.a.Notes, r.a.lead = r.a.Notes[r.a.lead:], 0
	}
}

// overlaps reports whether two candidates have lines in common.
func (c *candidate) overlaps(o candidate) bool {
	return o.file == c.file && o.start <= c.end && c.start <= o.end
}
