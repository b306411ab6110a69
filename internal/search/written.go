package search

import (
	"context"
	"fmt"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/literals"
	"codeintel/internal/syntax"
	"codeintel/internal/text/question"
)

// Written returns the lines of code, those of tests only where they are asked for, that each
// of some expressions matches, nil for one that matches none.
func (e *Engine) Written(ctx context.Context, where Where, tests bool, patterns []string) ([][]literals.Line, error) {
	lines := make([][]literals.Line, len(patterns))
	a, err := e.Text(ctx, TextQuery{
		Pattern: patterns, Regex: true, Case: Sensitive, Where: where,
		Page: Page{Limit: literals.MostLines, MaxTokens: maxTokens},
	})
	if problem.Of(err) != nil {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	for _, m := range a.Matches {
		l := syntax.Detect(m.File, nil)
		code := l != syntax.Unknown && !syntax.Of(l).Prose && !filekind.Prose(m.File) || filekind.Foreign(m.File)
		if !code || TestFile(m.File) && !tests {
			continue
		}
		if len(patterns) == 1 {
			m.Patterns = []int{1}
		}
		for _, n := range m.Patterns {
			lines[n-1] = append(lines[n-1], literals.Line{File: m.File, Line: m.Line})
		}
	}
	return lines, nil
}

// written puts the chunks in front that contain what a question quotes word for word from the
// code, and says how many come before what the search found.
func (e *Engine) written(
	ctx context.Context, q *question.Question, a area, where Where, hits []index.Hit, weak bool,
) ([]index.Hit, int, error) {
	code := literals.Code[index.Hit]{
		Look: func(patterns []string) ([][]literals.Line, error) { return e.Written(ctx, where, q.Tests, patterns) },
		Around: func(l literals.Line) (*index.Hit, error) {
			chunks, err := e.x.FileChunks(ctx, l.File)
			if err != nil && problem.Of(err) == nil {
				return nil, fmt.Errorf("search: chunks: %w", err)
			}
			for _, c := range chunks {
				if c.StartLine <= l.Line && l.Line <= c.EndLine && a.contains(c.File, c.Language) && (q.Tests || !TestPlace(c.File, c.Scope)) {
					return &index.Hit{Chunk: c}, nil
				}
			}
			return nil, nil
		},
		Same: func(a, b *index.Hit) bool { return a.Chunk.ID == b.Chunk.ID },
	}
	exact := q.Exact
	if len(hits) > 0 && hits[0].Named { // what it declares is found by its name
		exact = slices.DeleteFunc(slices.Clone(exact), func(x question.Exact) bool { return x.Kind == question.Word })
	}
	places, err := code.Find(exact)
	if err != nil || places == nil {
		return hits, 0, err
	}
	for i := range places {
		if len(hits) > 0 {
			places[i].At.Score = hits[0].Score
		}
	}
	hits, front := literals.Merge(places, hits, weak, code.Same, code.Same)
	return hits, front, nil
}
