package textmatch

import (
	"codeintel/internal/text"
)

// CountLines counts the matching lines of a text.
func CountLines(content []byte, matchers []*Matcher, w *Work) (c Counts) {
	if len(matchers) == 1 {
		for from := 0; from < len(content); c.Lines++ {
			start, _, ok := matchers[0].Next(content, from, w)
			if !ok {
				break
			}
			from = text.LineEnd(content, start) + 1
		}
		c.Each[0] = c.Lines
		return c
	}
	EachLine(content, matchers, 0, w, func(hit Hit) bool {
		c.Lines++
		for _, p := range hit.Patterns {
			c.Each[p]++
		}
		return true
	})
	return c
}

// A Hit is a line that at least one pattern matches. patterns is only
// valid until the next one.
type Hit struct {
	Lo, Hi     int // the line without its break
	Start, End int // the leftmost match
	Patterns   []int
}

// EachLine yields the matching lines of a text from a line start on.
func EachLine(content []byte, matchers []*Matcher, from int, w *Work, yield func(Hit) bool) {
	type place struct {
		start, end int
		ok         bool
	}
	at := make([]place, len(matchers))
	for i, m := range matchers {
		at[i].start, at[i].end, at[i].ok = m.Next(content, from, w)
	}
	var patterns []int
	for {
		first := -1
		for i := range at {
			if at[i].ok && (first < 0 || at[i].start < at[first].start) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		start, end := at[first].start, at[first].end
		hit := Hit{Lo: LineStart(content, start), Hi: text.LineEnd(content, start), Start: start, End: end}
		after := hit.Hi + 1
		patterns = patterns[:0]
		for i, m := range matchers {
			if at[i].ok && at[i].start < after {
				patterns = append(patterns, i)
				at[i] = place{}
				if after < len(content) {
					at[i].start, at[i].end, at[i].ok = m.Next(content, after, w)
				}
			}
		}
		if hit.Hi > hit.Lo && content[hit.Hi-1] == '\r' {
			hit.Hi--
		}
		hit.Patterns = patterns
		if !yield(hit) {
			return
		}
	}
}

// CountOthers counts the lines of a text that no pattern matches.
func CountOthers(content []byte, matchers []*Matcher, w *Work) (c Counts) {
	OtherLines(content, matchers, 0, w, func(Hit) bool {
		c.Lines++
		return true
	})
	c.Each[0] = c.Lines
	return c
}

// OtherLines yields the lines of a text that no pattern matches, from a line start on.
func OtherLines(content []byte, matchers []*Matcher, from int, w *Work, yield func(Hit) bool) {
	at, more := from, true
	until := func(end int) {
		for more && at < end {
			hit := Hit{Lo: at, Hi: text.LineEnd(content, at), Start: at, End: at}
			at = hit.Hi + 1
			if hit.Hi > hit.Lo && content[hit.Hi-1] == '\r' {
				hit.Hi--
			}
			more = yield(hit)
		}
	}
	EachLine(content, matchers, from, w, func(h Hit) bool {
		until(h.Lo)
		at = text.LineEnd(content, h.Start) + 1
		return more
	})
	until(len(content))
}

// SkipLines returns the offset after the first n lines of a text.
func SkipLines(content []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(content); n-- {
		at = text.LineEnd(content, at) + 1
	}
	return min(at, len(content))
}

// Counts says how many lines of a file match, by pattern and in all.
type Counts struct {
	Each  [MaxPatterns]int32
	Lines int32
}

// MayMatch reports whether a pattern may match. Every encoding we read keeps
// ASCII characters as they are, so an ASCII literal is a test on raw bytes.
func MayMatch(raw []byte, matchers []*Matcher) bool {
	for _, m := range matchers {
		if len(m.needs) == 0 {
			return true
		}
		for i := range m.needs {
			n := &m.needs[i]
			if !text.IsASCII(string(n.text)) || n.index(raw) >= 0 {
				return true
			}
		}
	}
	return false
}
