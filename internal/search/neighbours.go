package search

import (
	"context"
	"fmt"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// nameByQuestion names hits that hold several short declarations after the one that
// holds most of the question. The index names such a chunk after its first declaration,
// which may be but a neighbour of what was found.
func (s *sources) nameByQuestion(ctx context.Context, q *question.Question, hits []index.Hit) error {
	of := map[string][]index.Symbol{}
	for i := range hits {
		c := &hits[i].Chunk
		if c.Symbol == "" {
			continue
		}
		list, known := of[c.File]
		if !known {
			var err error
			if list, err = s.e.x.FileSymbols(ctx, c.File); err != nil && problem.Of(err) == nil {
				return fmt.Errorf("search: symbols: %w", err)
			}
			of[c.File] = list // none of a file that is gone meanwhile
		}
		if d := s.mostAsked(q, c, list); d != nil {
			c.Symbol, c.Scope, c.Kind, c.Signature, c.Doc = d.Name, d.Scope, d.Kind, d.Signature, d.Doc
		}
	}
	return nil
}

// mostAsked returns which of the declarations side by side in a chunk holds most of a
// question, the first of those that hold as much; nil if the chunk is part of a longer one.
func (s *sources) mostAsked(q *question.Question, c *index.ChunkInfo, list []index.Symbol) (best *index.Symbol) {
	most := 0
	text := s.of(c.File)
	for i := range list {
		d := &list[i]
		if d.Scope != c.Scope || d.Start < c.Start || d.End > c.End || d.End > len(text) {
			continue
		}
		if best == nil && d.Name != c.Symbol {
			return nil
		}
		has := map[string]bool{}
		terms.Code(text[max(d.DocStart, c.Start):d.End], func(t string) {
			if slices.Contains(q.Terms, t) {
				has[t] = true
			}
		})
		if best == nil || len(has) > most {
			best, most = d, len(has)
		}
	}
	return best
}
