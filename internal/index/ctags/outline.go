package ctags

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// kinds are those of ctags, which name what their language has, in our terms.
// What is not in the table is a variable: something with a name.
var kinds = map[string]syntax.Kind{
	"function": syntax.Function, "func": syntax.Function, "subroutine": syntax.Function,
	"procedure": syntax.Function, "proc": syntax.Function,
	"sub": syntax.Function, "routine": syntax.Function, "method": syntax.Method, "singletonMethod": syntax.Method,
	"constructor": syntax.Constructor,
	"class":       syntax.Class, "struct": syntax.Struct, "structure": syntax.Struct, "record": syntax.Struct, "union": syntax.Struct,
	"interface": syntax.Interface, "protocol": syntax.Interface, "trait": syntax.Trait, "implementation": syntax.Impl,
	"enum": syntax.Enum, "enumerator": syntax.EnumMember, "type": syntax.Type, "typedef": syntax.Type, "alias": syntax.Type,
	"field": syntax.Field, "member": syntax.Field, "property": syntax.Property, "constant": syntax.Constant,
	"module": syntax.Module, "package": syntax.Namespace, "namespace": syntax.Namespace, "macro": syntax.Macro,
	"define": syntax.Macro,
	"target": syntax.Target, "label": syntax.Target, "id": syntax.Element, "anchor": syntax.Element,
	"key": syntax.Key, "section": syntax.Heading,
	"subsection": syntax.Heading, "subsubsection": syntax.Heading, "chapter": syntax.Heading,
	"part": syntax.Heading, "title": syntax.Heading,
}

const maxSignature = 200 // characters

// outline makes a File of tags. What a tag gets wrong, a line or a name that is
// not in the text, is left out.
func outline(language syntax.Language, tags []tag, src []byte) *syntax.File {
	f := &syntax.File{Language: language}
	lines := lineStarts(src)
	for _, t := range tags {
		if s, ok := symbol(t, src, lines); ok {
			f.Symbols = append(f.Symbols, s)
		}
	}
	slices.SortStableFunc(f.Symbols, func(a, b syntax.Symbol) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	nest(f)
	return f
}

func lineStarts(src []byte) []int {
	starts := []int{0}
	for i, b := range src {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// symbol makes a symbol of a tag.
func symbol(t tag, src []byte, lines []int) (syntax.Symbol, bool) {
	if t.Line < 1 || t.Line > len(lines) || t.Name == "" || len(t.Name) > 200 || strings.HasPrefix(t.Name, "__anon") {
		return syntax.Symbol{}, false
	}
	last := t.Line
	if t.End > t.Line && t.End <= len(lines) {
		last = t.End
	}
	start, end := lines[t.Line-1], lineEnd(src, lines, last)
	head := src[start:lineEnd(src, lines, t.Line)]
	at := bytes.Index(head, []byte(t.Name))
	if at < 0 {
		return syntax.Symbol{}, false
	}
	kind, known := kinds[t.Kind]
	if !known {
		kind = syntax.Variable
	}
	blank := len(head) - len(bytes.TrimLeft(head, " \t"))
	s := syntax.Symbol{
		Name: t.Name, Kind: kind, Parent: -1, Start: start + blank, DocStart: start + blank, End: end,
		StartLine: t.Line, EndLine: last, NameLine: t.Line, NameColumn: at + 1, Exported: true,
		Signature: signature(string(head), t.Signature),
	}
	s.End = max(s.Start, s.Start+len(bytes.TrimRight(src[s.Start:max(s.Start, end)], " \t\r\n")))
	s.EndLine = max(t.Line, t.Line+bytes.Count(src[s.Start:s.End], []byte("\n")))
	return s, true
}

func lineEnd(src []byte, lines []int, line int) int {
	if line < len(lines) {
		return lines[line] - 1
	}
	return len(src)
}

// signature is the line of a declaration, with the parameters that ctags found
// if they are not on it.
func signature(head, parameters string) string {
	head = text.OneLine(head)
	if parameters != "" && !strings.Contains(head, "(") {
		head += text.OneLine(parameters)
	}
	head = strings.TrimRight(head, " {:=;,")
	if utf8.RuneCountInString(head) > maxSignature {
		head = string([]rune(head)[:maxSignature])
	}
	return head
}

// nest finds what is in what, and notes where each name is.
func nest(f *syntax.File) {
	var open []int
	for i := range f.Symbols {
		s := &f.Symbols[i]
		for len(open) > 0 && f.Symbols[open[len(open)-1]].End <= s.Start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			parent := &f.Symbols[open[len(open)-1]]
			s.Parent, s.Scope = open[len(open)-1], parent.Name
			if parent.Scope != "" {
				s.Scope = parent.Scope + "." + parent.Name
			}
			if s.End > parent.End { // they cannot cross
				s.End, s.EndLine = parent.End, parent.EndLine
			}
		}
		open = append(open, i)
		f.Occurrences = append(f.Occurrences,
			syntax.Occurrence{Name: s.Name, Line: s.NameLine, Column: s.NameColumn, Role: syntax.Definition, Symbol: i})
	}
	slices.SortStableFunc(f.Occurrences, func(a, b syntax.Occurrence) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
