// Package markdown parses Markdown into lines: headings, list items, table rows and paragraphs with their
// line numbers, without code blocks, quotes and comments.
package markdown

import (
	"sort"
	"strings"
	"unicode"
)

// A Line is one line of a Markdown text that a reader sees as text. Lines of code
// blocks, block quotes and comments are left out.
type Line struct {
	Number int    // from 1
	Text   string // without indentation, markers and comments; empty only in a heading
	Level  int    // of a heading, else 0
	Depth  int    // how many list items the line is in, by its indentation
	Item   bool   // a list item begins here
	Block  int    // lines of the same number follow each other without a break
}

// Read returns the visible lines of a Markdown text. It follows CommonMark in what
// code, quotes and comments are, and is less strict about the indentation of lists.
//
// It is linear in the length of the text, whatever the text is: what it reads is
// written by agents and by strangers. A parser that builds a tree is not: goldmark
// takes 0.8 s for 16 kB of nested quotes, and sixteen times as long for four times as
// much. Goldmark therefore only tests this reader.
func Read(text string) []Line { return read(text).lines }

// Comments returns the lines of the comments of a text that are not blank, of which a reader sees none.
func Comments(text string) []Line { return read(text).hidden }

func read(text string) *reader {
	text = strings.TrimPrefix(text, "\ufeff")
	r := &reader{close: strings.LastIndex(text, "-->")}
	for raw := range strings.Lines(text) {
		r.n++
		r.read(strings.TrimRight(raw, "\r\n"))
		r.at += len(raw)
	}
	return r
}

// RawLines returns all lines of a text unchanged, numbered as by [Read] from 1.
func RawLines(text string) []string {
	var raw []string
	for l := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		raw = append(raw, strings.TrimRight(l, "\r\n"))
	}
	return raw
}

type reader struct {
	lines  []Line
	hidden []Line // in comments
	n, at  int
	close  int // where the last comment ends

	items   []item // the open list items, outermost first
	fence   string // the marks that opened a code block, else empty
	margin  int    // of the fence
	comment bool
	para    bool // the line before belongs to a paragraph
	block   int
}

// An item is an open list item: the columns of its marker and of its text.
type item struct{ marker, text int }

func (r *reader) read(raw string) {
	if r.comment {
		i := strings.Index(raw, "-->")
		if i < 0 {
			r.hide(raw)
			return
		}
		r.hide(raw[:i])
		r.comment = false
		raw = raw[i+len("-->"):]
	}
	rest := strings.TrimLeft(raw, " \t")
	column := width(raw[:len(raw)-len(rest)], 0)
	if r.fence != "" {
		if r.inFence(rest, column) {
			return
		}
	}
	if strings.TrimSpace(rest) == "" {
		r.interrupt()
		return
	}
	if rest[0] == '>' {
		r.leave(column)
		r.interrupt()
		return
	}
	l := Line{Number: r.n}
	rule := isRule(rest)
	marked := !rule && markerWidth(rest) > 0
	// A line that goes on with a paragraph may be indented as it likes.
	if !r.para || marked || rule || opensFence(rest) != "" || headingLevel(rest) > 0 {
		r.leave(column)
		base := 0
		if len(r.items) > 0 {
			base = r.items[len(r.items)-1].text
		}
		if column-base >= 4 && !r.para {
			r.interrupt()
			return // indented code
		}
	}
	if rule {
		r.interrupt()
		return
	}
	l.Item = markerWidth(rest) > 0
	column, rest = r.openItems(column, rest)
	// A line that goes on with a paragraph need not be indented like it.
	l.Depth = sort.Search(len(r.items), func(i int) bool { return column <= r.items[i].marker })
	if l.Item {
		r.interrupt()
	}
	if strings.HasPrefix(rest, ">") {
		r.interrupt()
		return
	}
	if marks := opensFence(rest); marks != "" {
		r.interrupt()
		r.fence, r.margin = marks, column
		return
	}
	if l.Level = headingLevel(rest); l.Level > 0 {
		r.interrupt()
		rest = headingText(rest[l.Level:])
	}
	l.Text = strings.TrimSpace(r.withoutComments(rest))
	if l.Text == "" && l.Level == 0 {
		r.interrupt()
		return
	}
	l.Block = r.block
	r.lines = append(r.lines, l)
	if r.para = l.Level == 0; !r.para {
		r.interrupt()
	}
}

// openItems opens the list items that rest begins with, at a column. It returns
// the text behind their markers and its column.
func (r *reader) openItems(column int, rest string) (int, string) {
	for {
		w := markerWidth(rest)
		if w == 0 {
			return column, rest
		}
		after := strings.TrimLeft(rest[w:], " \t")
		gap := width(rest[w:len(rest)-len(after)], column+w)
		in := item{marker: column, text: column + w + gap}
		if gap > 4 || after == "" {
			in.text = column + w + 1
		}
		r.items = append(r.items, in)
		column, rest = column+w+gap, after
	}
}

// interrupt ends the paragraph that the last line belongs to, if any.
func (r *reader) interrupt() {
	r.para = false
	r.block++
}

// leave closes the list items that a line at the column is not in.
func (r *reader) leave(column int) {
	for len(r.items) > 0 && column <= r.items[len(r.items)-1].marker {
		r.items = r.items[:len(r.items)-1]
	}
}

// inFence says whether the line still belongs to the open code block, and closes
// that block if the line is its last, or if it ended with its list item.
func (r *reader) inFence(rest string, column int) bool {
	if n := len(r.items); n > 0 && rest != "" && column <= r.items[n-1].marker {
		r.fence = ""
		return false
	}
	marks := strings.TrimRight(rest, " \t")
	if column < r.margin+4 && len(marks) >= len(r.fence) && strings.Trim(marks, r.fence[:1]) == "" {
		r.fence = ""
	}
	return true
}

// withoutComments cuts comments out of the text of one line. One that does not
// end on the line hides what follows, up to its end.
func (r *reader) withoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var b strings.Builder
	code := CodeSpans(text)
	from := 0
	for at := 0; at < len(text); {
		i := strings.Index(text[at:], "<!--")
		if i < 0 {
			break
		}
		i += at
		for len(code) > 0 && code[0].End <= i {
			code = code[1:]
		}
		if len(code) > 0 && code[0].Start < i {
			at = code[0].End
			continue
		}
		end := strings.Index(text[i+2:], "-->")
		if end < 0 {
			if r.comment = i == 0 || r.at+len(text) < r.close; r.comment {
				r.hide(text[i+len("<!--"):])
				b.WriteString(text[from:i])
				return b.String()
			}
			break
		}
		b.WriteString(text[from:i])
		r.hide(text[min(i+len("<!--"), i+2+end) : i+2+end])
		at = i + 2 + end + len("-->")
		from = at
	}
	b.WriteString(text[from:])
	return b.String()
}

func (r *reader) hide(comment string) {
	if comment = strings.TrimSpace(comment); comment != "" {
		r.hidden = append(r.hidden, Line{Number: r.n, Text: comment})
	}
}

// width is how many columns white space takes that begins at a column.
func width(space string, column int) int {
	w := 0
	for _, c := range space {
		if c == '\t' {
			w += 4 - (column+w)%4
		} else {
			w++
		}
	}
	return w
}

// markerWidth is the length of the list marker that the text begins with, or 0.
func markerWidth(s string) int {
	n := 0
	if s != "" && strings.IndexByte("-+*", s[0]) >= 0 {
		n = 1
	} else {
		for n < len(s) && n < 9 && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// isRule says whether the line is a thematic break.
func isRule(s string) bool {
	if strings.IndexByte("-*_", s[0]) < 0 {
		return false
	}
	count := 0
	for i := range len(s) {
		switch s[i] {
		case s[0]:
			count++
		case ' ', '\t':
		default:
			return false
		}
	}
	return count >= 3
}

// opensFence returns the marks that open a code block here, or nothing.
func opensFence(s string) string {
	mark := FenceMark(s)
	if strings.HasPrefix(mark, "`") && strings.Contains(s[len(mark):], "`") {
		return ""
	}
	return mark
}

// FenceMark returns the back-ticks or tildes that s begins with, if there are three at least.
func FenceMark(s string) string {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return ""
	}
	if n := len(s) - len(strings.TrimLeft(s, s[:1])); n >= 3 {
		return s[:n]
	}
	return ""
}

func headingLevel(s string) int {
	n := 0
	for n < len(s) && s[n] == '#' {
		n++
	}
	if n > 6 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// headingText cuts off the marks that may close a heading.
func headingText(s string) string {
	s = strings.TrimSpace(s)
	open := strings.TrimRight(s, "#")
	if open == "" || open != s && strings.TrimRightFunc(open, unicode.IsSpace) != open {
		return strings.TrimSpace(open)
	}
	return s
}

// A Span is a code span of one line: its byte range, back-ticks included, and its text.
type Span struct {
	Start, End int
	Text       string
}

// CodeSpans returns the code spans of a line.
func CodeSpans(s string) []Span {
	type run struct{ start, end, next int }
	var runs []run
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		j := i
		for j < len(s) && s[j] == '`' {
			j++
		}
		runs = append(runs, run{start: i, end: j})
		i = j
	}
	later := make(map[int]int) // length of a run -> the next of that length
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i].end - runs[i].start
		runs[i].next = later[n]
		later[n] = i
	}
	var spans []Span
	for i := 0; i < len(runs); {
		next := runs[i].next
		if next == 0 {
			i++
			continue
		}
		spans = append(spans, Span{runs[i].start, runs[next].end, strings.TrimSpace(s[runs[i].end:runs[next].start])})
		i = next + 1
	}
	return spans
}
