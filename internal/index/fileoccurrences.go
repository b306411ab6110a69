package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"codeintel/internal/files"
	"codeintel/internal/syntax"
)

// FileOccurrences returns all occurrences in a file, by line and column, from
// its text as it is now, which is parsed for it. A path that is not indexed is a Problem.
func (x *Index) FileOccurrences(ctx context.Context, path string) ([]Occurrence, error) {
	f, err := x.File(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := files.Read(x.p, path)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(f.Language, text.Bytes)
	if err != nil {
		return nil, fmt.Errorf("index: parse %s: %w", path, err)
	}
	all := make([]Occurrence, len(parsed.Occurrences))
	for i, o := range parsed.Occurrences {
		all[i] = Occurrence{File: path, Language: f.Language, Name: o.Name, Line: o.Line, Column: o.Column,
			Role: o.Role, Local: o.Local, Qualifier: o.Qualifier}
		if o.Symbol >= 0 && o.Symbol < len(parsed.Symbols) {
			s := &parsed.Symbols[o.Symbol]
			all[i].Enclosing = Enclosing{Name: s.Name, Scope: s.Scope, Kind: s.Kind, StartLine: s.StartLine,
				EndLine: s.EndLine}
		}
	}
	slices.SortStableFunc(all, func(a, b Occurrence) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all, nil
}
