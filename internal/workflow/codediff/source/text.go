// Package source holds the text of one file with its syntax tree, and answers questions about the nodes of
// that tree in any language: what a call is given, what a statement assigns, which branches a condition has.
// It is the bottom of codediff: every other package of it reads files through a Source.
package source

import (
	"bytes"
	"sort"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/uncompiled"
)

// A Source is the text of a file, as it was before the change or as it is after.
type Source struct {
	Path     string
	Lang     syntax.Language
	Spec     *syntax.Spec
	Header   bool // a header of C or C++, whose declarations other files see
	Src      []byte
	Base     []byte // the text before, if this is the one after
	Starts   []int  // where each line begins
	Lines    int
	Tree     *syntax.Code   // nil without a grammar
	Unparsed bool           // it is code, and its tree could not be read
	Words    map[string]int // how often each word occurs in it; nil until somebody counts them

	uncommented []byte // the text without its comments; nil until somebody asks for it
}

// New returns a text without its syntax tree.
func New(lang syntax.Language, file string, src, base []byte) *Source {
	s := &Source{Lang: lang, Path: file, Base: base, Header: !uncompiled.CSource.MatchString(file), Spec: syntax.Of(lang), Src: src,
		Starts: lineStarts(src)}
	s.Lines = len(s.Starts)
	if len(src) == 0 {
		s.Lines = 0
	}
	return s
}

// IsScript reports whether a text is of JavaScript or TypeScript.
func (s *Source) IsScript() bool {
	return s.Lang == syntax.JavaScript || s.Lang == syntax.TypeScript || s.Lang == syntax.TSX
}

// IsCode reports whether a language is one that programs are written in.
func IsCode(l syntax.Language) bool {
	s := syntax.Of(l)
	return l != syntax.Unknown && !s.Prose && s.Rules != nil
}

// lineStarts returns where the lines of a text begin.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 || at+i+1 == len(text) {
			return starts
		}
		at += i + 1
		starts = append(starts, at)
	}
}

// A Span is a stretch of a text: its first byte, and the one after its last.
type Span struct{ Start, End int }

// LineOf returns the line that a byte is on, from 1.
func (s *Source) LineOf(at int) int {
	return sort.Search(len(s.Starts), func(i int) bool { return s.Starts[i] > at })
}

// LineText returns a line with its line break, or nil if there is no such line.
func (s *Source) LineText(line int) []byte {
	if line < 1 || line > len(s.Starts) {
		return nil
	}
	end := len(s.Src)
	if line < len(s.Starts) {
		end = s.Starts[line]
	}
	return s.Src[s.Starts[line-1]:end]
}

// IsBlank reports whether a line holds only white space.
func (s *Source) IsBlank(line int) bool { return len(bytes.TrimSpace(s.LineText(line))) == 0 }
