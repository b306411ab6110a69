package syntax

import (
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// A commentRun is the last group of comments that stand on lines of their own,
// one below the other.
type commentRun struct {
	start, end uint32 // bytes; start is where a declaration below would begin with it
	docEnd     uint32 // end of the last comment, before decorators
	endRow     uint32
	known      bool
}

// noteComment adds a comment to the run, or to the symbol it stands behind.
func (w *walker) noteComment(n *treesitter.Node) {
	end, endRow := w.trimmedEnd(n)
	if !w.startsLine(n) {
		w.noteTrailing(n)
		return
	}
	r := &w.comment
	if !r.known || n.StartRow > r.endRow+1 || !w.onlySpace(int(r.end), int(n.Start)) {
		*r = commentRun{start: n.Start, known: true}
	}
	r.end, r.docEnd, r.endRow = uint32(end), uint32(end), uint32(endRow)
}

// noteLead lets a decorator stand between a comment and its declaration.
func (w *walker) noteLead(n *treesitter.Node) {
	r := &w.comment
	if !r.known || n.StartRow > r.endRow+1 || !w.onlySpace(int(r.end), int(n.Start)) {
		*r = commentRun{start: n.Start, docEnd: n.Start, known: true}
	}
	end, endRow := w.trimmedEnd(n)
	r.end, r.endRow = uint32(end), uint32(endRow)
}

// noteTrailing takes a comment behind a member or a value as its
// documentation, if it has none above.
func (w *walker) noteTrailing(n *treesitter.Node) {
	if w.trailing < 0 {
		return
	}
	s := &w.file.Symbols[w.trailing]
	switch s.Kind {
	case Field, Property, Constant, EnumMember, Variable, Macro:
		if s.Doc == "" && s.EndLine == int(n.StartRow)+1 {
			s.Doc = commentText(w.text[n.Start:n.End])
		}
	}
}

// startsLine says whether nothing but white space stands before n on its line.
func (w *walker) startsLine(n *treesitter.Node) bool {
	for _, b := range w.src[w.lines[n.StartRow]:n.Start] {
		if !isSpace(b) {
			return false
		}
	}
	return true
}

// docBefore returns the comment right above a declaration, and where the
// declaration starts with it. outer is the node with what is wrapped round it.
func (w *walker) docBefore(n, outer *treesitter.Node) (doc string, start int) {
	r := &w.comment
	start = int(outer.Start)
	switch {
	case !r.known:
	case r.end <= outer.Start && r.endRow+1 >= outer.StartRow,
		r.start <= outer.Start && r.docEnd <= outer.Start && r.endRow+1 >= n.StartRow: // its decorators followed
		start = int(r.start)
		doc = commentText(w.text[r.start:r.docEnd])
	case r.end <= n.Start && r.start >= outer.Start && r.endRow+1 >= n.StartRow:
		doc = commentText(w.text[r.start:r.docEnd]) // within a group of one
	}
	return doc, start
}

// commentText returns what a comment says without its marks.
func commentText(comment string) string {
	if comment == "" {
		return ""
	}
	var b strings.Builder
	blank := 0
	for line := range strings.Lines(comment) {
		line = uncomment(line)
		if isDirective(line) {
			continue
		}
		if line == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank > 0 {
				b.WriteByte('\n')
			}
		}
		blank = 0
		b.WriteString(line)
		if b.Len() > 4*maxDoc {
			break
		}
	}
	return clip(b.String(), maxDoc)
}

// uncomment takes the marks of a comment off one of its lines.
func uncomment(line string) string {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(line, "*/")
	line = strings.TrimSuffix(line, "-->")
	switch {
	case strings.HasPrefix(line, "//go:"), strings.HasPrefix(line, "//nolint"), strings.HasPrefix(line, "//lint:"):
		return directive
	case strings.HasPrefix(line, "//"):
		line = strings.TrimLeft(line, "/")
		line = strings.TrimPrefix(strings.TrimPrefix(line, "!"), "< ")
	case strings.HasPrefix(line, "/*"):
		line = strings.TrimPrefix(strings.TrimLeft(line[1:], "*!"), "< ") // of what stands before it, to Doxygen
	case strings.HasPrefix(line, "#!"):
		return directive
	case strings.HasPrefix(line, "#"):
		line = strings.TrimLeft(line, "#")
		line = strings.TrimPrefix(line, ":")
	case strings.HasPrefix(line, "<!--"):
		line = line[4:]
	case strings.HasPrefix(line, "--"):
		line = strings.TrimLeft(line, "-")
	case strings.HasPrefix(line, "*"):
		line = strings.TrimLeft(line, "*")
	}
	return strings.TrimSpace(line)
}

// directive stands for a comment that speaks to a tool.
const directive = "\x00"

func isDirective(line string) bool { return line == directive }

// docstringText returns what a string literal used as documentation says.
func docstringText(literal string) string {
	literal = strings.TrimLeft(literal, "rRuUbBfF")
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if strings.HasPrefix(literal, quote) {
			literal = strings.TrimSuffix(literal[len(quote):], quote)
			break
		}
	}
	var b strings.Builder
	blank := 0
	for line := range strings.Lines(literal) {
		line = strings.TrimSpace(line)
		if line == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank > 0 {
				b.WriteByte('\n')
			}
		}
		blank = 0
		b.WriteString(line)
	}
	return clip(b.String(), maxDoc)
}

// clip cuts s after at most n characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
