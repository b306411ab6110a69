package search

import (
	"context"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/platform/op"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Declared is a symbol whose definition contains a line that was asked for.
type Declared struct {
	Symbol    string // qualified by its scope
	Kind      syntax.Kind
	StartLine int
	EndLine   int
}

// minor are kinds that say less than what they are part of, or than their file.
var minor = []syntax.Kind{
	syntax.Field, syntax.Property, syntax.EnumMember, syntax.Module, syntax.Namespace, syntax.Impl, syntax.Heading,
	syntax.Key, syntax.Element,
}

// A Span is a run of lines, 1-based and inclusive.
type Span struct{ Start, End int }

// DeclaredAt returns the symbols of a file whose definitions hold any of the
// lines; of one within the other the inner one, unless the lines hold the outer
// one's head too. Parts such as fields are spoken for by what they are part of. A
// file that is not indexed is refused.
func (e *Engine) DeclaredAt(ctx context.Context, file string, lines []Span) ([]Declared, error) {
	_, list, err := e.oneFile(ctx, e.sources(), file, op.GetSymbols)
	if err != nil {
		return nil, err
	}
	meets := func(s *index.Symbol, l Span) bool { return s.StartLine <= l.End && l.Start <= s.EndLine }
	var found []Declared
	for i := range list {
		s := &list[i]
		if slices.Contains(minor, s.Kind) {
			continue
		}
		changed := slices.ContainsFunc(lines, func(l Span) bool {
			if !meets(s, l) {
				return false
			}
			head := l.Start <= nameLine(s) && s.StartLine <= l.End
			return head || !slices.ContainsFunc(list, func(in index.Symbol) bool {
				return !slices.Contains(minor, in.Kind) && inside(&in, s) && meets(&in, l)
			})
		})
		if changed {
			found = append(found, Declared{text.Dotted(s.Scope, s.Name), s.Kind, s.StartLine, s.EndLine})
		}
	}
	return found, nil
}

// inside reports whether one definition lies within another.
func inside(in, s *index.Symbol) bool {
	return in.StartLine >= s.StartLine && in.EndLine <= s.EndLine && in.EndLine-in.StartLine < s.EndLine-s.StartLine
}
