package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A matcher finds what a pattern matches: from left to right, nothing twice.
type matcher interface {
	each(s string, visit func(start, end int))
}

// readMatcher reads {"String": "…"} or {"Regex": "…"}.
func readMatcher(data json.RawMessage) (matcher, error) {
	var f struct {
		String *string `json:"String"`
		Regex  *string `json:"Regex"`
	}
	switch err := decode(data, &f); {
	case err != nil:
		return nil, err
	case f.String != nil && f.Regex == nil:
		return literal(*f.String), nil
	case f.Regex != nil && f.String == nil:
		return compile(*f.Regex)
	}
	return nil, errors.New("the pattern is neither a String nor a Regex")
}

// A literal matches itself; the empty one matches nothing.
type literal string

func (l literal) each(s string, visit func(start, end int)) {
	if l == "" {
		return
	}
	for at := 0; ; {
		i := strings.Index(s[at:], string(l))
		if i < 0 {
			return
		}
		visit(at+i, at+i+len(l))
		at += i + len(l)
	}
}

// An expression is a regular expression with look-around and possessive
// repetition, which tokenizers use and package regexp has not. It backtracks,
// like the engine of the reference (Oniguruma), and finds what that finds; what
// it does not know is refused when it is compiled.
type expression struct{ start *state }

// A state is one step of a compiled expression.
type state struct {
	does  action
	set   *charset // one, many
	min   int      // many: at least so many
	max   int      // many: at most so many
	how   greed    // many
	next  *state
	other []*state // fork: tried in order; look, atom: what is looked for
	not   bool     // look: it must not match
}

type action uint8

const (
	accept    action = iota
	one              // a character of set
	many             // characters of set, min to max of them
	fork             // one of other, in order
	look             // what follows matches other[0], or does not
	atom             // other[0], which is then never reconsidered
	lineStart        // ^, which Oniguruma takes for the start of any line
	lineEnd          // $, likewise
	textStart        // \A
	textEnd          // \z
)

type greed uint8

const (
	greedy greed = iota
	lazy
	possessive
)

// An attempt to match may take maxSteps and so many for each byte of the text, as
// Oniguruma has a limit too: where an expression goes astray, nothing more is
// found.
const (
	maxSteps     = 1_000_000
	stepsPerByte = 16
)

// A run is one attempt to match.
type run struct {
	s    string
	left int // steps
}

func (e expression) each(s string, visit func(start, end int)) {
	last := -1 // end of the last match: an empty one may not touch it
	for at := 0; at <= len(s); {
		r := run{s, maxSteps + stepsPerByte*len(s)}
		end := r.match(e.start, at)
		if r.left < 0 {
			return
		}
		if end > at || end == at && at != last {
			visit(at, end)
			last = end
		}
		if end > at {
			at = end
			continue
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += max(n, 1)
	}
}

// match returns where a match of q that begins at i ends, or none.
func (r *run) match(q *state, i int) int {
	for {
		if r.left--; r.left < 0 {
			return none
		}
		switch q.does {
		case accept:
			return i
		case one:
			c, n := utf8.DecodeRuneInString(r.s[i:])
			if n == 0 || !q.set.has(c) {
				return none
			}
			i += n
		case many:
			if q.how != possessive {
				return r.repeat(q, i)
			}
			var n int
			if i, n = r.take(q, i, q.max); n < q.min {
				return none
			}
		case fork:
			return r.matchAny(q.other, i)
		case look:
			if (r.match(q.other[0], i) != none) == q.not {
				return none
			}
		case atom:
			if i = r.match(q.other[0], i); i == none {
				return none
			}
		default:
			if !r.edge(q, i) {
				return none
			}
		}
		q = q.next
	}
}

// matchAny returns where the first of the ways that matches ends, or none.
func (r *run) matchAny(ways []*state, i int) int {
	for _, q := range ways {
		if end := r.match(q, i); end != none {
			return end
		}
	}
	return none
}

// edge reports whether i is at the edge of a line or of the text that q asks for.
func (r *run) edge(q *state, i int) bool {
	switch q.does {
	case lineStart:
		return i == 0 || r.s[i-1] == '\n'
	case lineEnd:
		return i == len(r.s) || r.s[i] == '\n'
	case textStart:
		return i == 0
	case textEnd:
		return i == len(r.s)
	}
	return true
}

// take takes up to most characters of q's set; it returns where it got, and how
// many they were.
func (r *run) take(q *state, i, most int) (end, n int) {
	for n < most {
		c, size := utf8.DecodeRuneInString(r.s[i:])
		if size == 0 || !q.set.has(c) {
			break
		}
		i += size
		n++
	}
	r.left -= n
	return i, n
}

func (r *run) repeat(q *state, i int) int {
	if q.how == lazy {
		at, n := r.take(q, i, q.min)
		for n >= q.min {
			if end := r.match(q.next, at); end != none {
				return end
			}
			next, more := r.take(q, at, 1)
			if more == 0 || n == q.max {
				return none
			}
			at, n = next, n+1
		}
		return none
	}
	at, n := r.take(q, i, q.max)
	for n >= q.min {
		if end := r.match(q.next, at); end != none {
			return end
		}
		if n == 0 || r.left < 0 {
			return none
		}
		_, size := utf8.DecodeLastRuneInString(r.s[:at])
		at, n = at-size, n-1
	}
	return none
}

// A charset is a set of characters.
type charset struct {
	ascii  [2]uint64
	tables []*unicode.RangeTable
	chars  []rune     // beyond ASCII
	spans  [][2]rune  // likewise
	nested []*charset // sets within, of which some may be turned round
	not    bool
}

func (c *charset) has(r rune) bool {
	if r < utf8.RuneSelf {
		return c.ascii[r>>6]>>(r&63)&1 == 1
	}
	return c.listed(r) != c.not
}

// listed tells whether r is in the set before it is turned round.
func (c *charset) listed(r rune) bool {
	for _, x := range c.chars {
		if x == r {
			return true
		}
	}
	for _, s := range c.spans {
		if s[0] <= r && r <= s[1] {
			return true
		}
	}
	for _, t := range c.tables {
		if unicode.Is(t, r) {
			return true
		}
	}
	for _, n := range c.nested {
		if n.has(r) {
			return true
		}
	}
	return false
}

// seal works out the bits of ASCII, once the set is complete.
func (c *charset) seal() *charset {
	c.ascii = [2]uint64{}
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if c.listed(r) != c.not {
			c.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return c
}

// fold adds the characters that differ from those of the set by case only.
func (c *charset) fold() error {
	if len(c.tables) > 0 || len(c.nested) > 0 {
		return nil // classes of letters hold both cases, or are meant as they are
	}
	add := func(r rune) {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			c.chars = append(c.chars, f)
		}
	}
	for _, r := range c.chars {
		add(r)
	}
	for _, s := range c.spans {
		if s[1]-s[0] > 1<<10 {
			return fmt.Errorf("a range of %d characters regardless of case", s[1]-s[0])
		}
		for r := s[0]; r <= s[1]; r++ {
			add(r)
		}
	}
	return nil
}
