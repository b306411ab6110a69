package engine

import (
	"strings"

	"codeintel/internal/syntax/treesitter"
	"codeintel/internal/text"
)

// A commentRun is the last group of comments that are on lines of their own,
// one below the other.
type commentRun struct {
	start, end uint32 // bytes; start is where a declaration below would begin with it
	docEnd     uint32 // end of the last comment, before decorators
	endRow     uint32
	known      bool
}

// noteComment adds a comment to the run, or to the symbol it comes after.
func (w *Walker) noteComment(n *treesitter.Node) {
	end, endRow := w.TrimmedEnd(n)
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

// noteDecorator lets a decorator be between a comment and its declaration.
func (w *Walker) noteDecorator(n *treesitter.Node) {
	r := &w.comment
	if !r.known || n.StartRow > r.endRow+1 || !w.onlySpace(int(r.end), int(n.Start)) {
		*r = commentRun{start: n.Start, docEnd: n.Start, known: true}
	}
	end, endRow := w.TrimmedEnd(n)
	r.end, r.endRow = uint32(end), uint32(endRow)
}

// noteTrailing takes a comment behind a member or a value as its
// documentation, if it has none above.
func (w *Walker) noteTrailing(n *treesitter.Node) {
	if w.trailing < 0 {
		return
	}
	s := &w.File.Symbols[w.trailing]
	switch s.Kind {
	case Field, Property, Constant, EnumMember, Variable, Macro:
		if s.Doc == "" && s.EndLine == int(n.StartRow)+1 {
			s.Doc = CommentText(w.Text[n.Start:n.End])
		}
	}
}

// startsLine says whether nothing but white space comes before n on its line.
func (w *Walker) startsLine(n *treesitter.Node) bool {
	for _, b := range w.Source[w.Lines[n.StartRow]:n.Start] {
		if !IsSpace(b) {
			return false
		}
	}
	return true
}

// docBefore returns the comment right above a declaration, and where the
// declaration starts with it. outer is the node with what is wrapped round it.
func (w *Walker) docBefore(n, outer *treesitter.Node) (doc string, start int) {
	r := &w.comment
	start = int(outer.Start)
	switch {
	case !r.known:
	case r.end <= outer.Start && r.endRow+1 >= outer.StartRow,
		r.start <= outer.Start && r.docEnd <= outer.Start && r.endRow+1 >= n.StartRow: // its decorators followed
		start = int(r.start)
		doc = CommentText(w.Text[r.start:r.docEnd])
	case r.end <= n.Start && r.start >= outer.Start && r.endRow+1 >= n.StartRow:
		doc = CommentText(w.Text[r.start:r.docEnd]) // within a group of one
	}
	return doc, start
}

// CommentText returns the text of a comment without its marks.
func CommentText(comment string) string { return joinLines(comment, uncomment) }

// joinLines cleans the lines of a documentation text and joins them; blank lines between
// paragraphs become one.
func joinLines(doc string, clean func(line string) string) string {
	var b strings.Builder
	blank := 0
	for line := range strings.Lines(doc) {
		line = clean(line)
		if IsDirective(line) {
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
		if b.Len() > 4*MaxDoc {
			break
		}
	}
	return text.Prefix(b.String(), MaxDoc)
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
		line = strings.TrimPrefix(strings.TrimLeft(line[1:], "*!"), "< ") // of what comes before it, to Doxygen
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

// directive stands for a comment that is meant for a tool.
const directive = "\x00"

func IsDirective(line string) bool { return line == directive }

// DocstringText returns the text of a string literal that serves as documentation.
func DocstringText(literal string) string {
	literal = strings.TrimLeft(literal, "rRuUbBfF")
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if strings.HasPrefix(literal, quote) {
			literal = strings.TrimSuffix(literal[len(quote):], quote)
			break
		}
	}
	return joinLines(literal, strings.TrimSpace)
}
