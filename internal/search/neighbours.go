package search

import (
	"context"
	"fmt"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/text/question"
)

// nameByQuestion names hits that hold several short declarations after the one that
// holds most of the question. The index names such a chunk after its first declaration,
// which may be but a neighbour of what was found.
func (s *sources) nameByQuestion(ctx context.Context, q *question.Question, hits []index.Hit) error {
	for i := range hits {
		c := &hits[i].Chunk
		if c.Symbol == "" {
			continue
		}
		list, err := s.e.x.SymbolsWithin(ctx, c.File, c.Start, c.End)
		if err != nil && problem.Of(err) == nil { // a Problem: the file is gone meanwhile
			return fmt.Errorf("search: symbols: %w", err)
		}
		list = slices.DeleteFunc(list, func(d index.Symbol) bool { return d.Scope != c.Scope })
		if len(list) == 0 || list[0].Name != c.Symbol {
			continue // the chunk is part of a longer declaration
		}
		d := &list[0]
		if len(list) > 1 {
			d = s.bestDeclaration(q, c, list)
		}
		c.Symbol, c.Scope, c.Kind, c.Signature, c.Doc = d.Name, d.Scope, d.Kind, d.Signature, d.Doc
	}
	return nil
}

// bestDeclaration returns which of the declarations side by side in a chunk contains most of a
// question, the first of those that hold as much.
func (s *sources) bestDeclaration(q *question.Question, c *index.ChunkInfo, list []index.Symbol) *index.Symbol {
	best, most := &list[0], 0
	text := s.Text(c.File)
	for i := range list {
		d := &list[i]
		if d.End > len(text) {
			break
		}
		has := map[string]bool{}
		s.terms(text[max(d.DocStart, c.Start):d.End], func(t string) {
			if slices.Contains(q.Terms, t) {
				has[t] = true
			}
		})
		if len(has) > most {
			best, most = d, len(has)
		}
	}
	return best
}
