package search

import (
	"context"
	"fmt"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text/question"
)

// A Meaning finds the chunks whose meaning an embedding model takes to be near to
// a text. It answers at once, from what is embedded so far; the note says what a
// reader should know of that, and is empty where all is well.
type Meaning interface {
	Near(ctx context.Context, text string, k int) (near []index.Near, note msg.Message, err error)
}

// WithMeaning returns an Engine like e that asks an embedding model, too.
func (e *Engine) WithMeaning(m Meaning) *Engine {
	with := *e
	with.model = m
	return &with
}

// nearChunks is how many chunks an embedding model proposes.
const nearChunks = 200

// Best returns the n pieces of code that answer query best, best first, of files
// as they are now, without their text.
func (e *Engine) Best(ctx context.Context, query string, n int) ([]index.Hit, error) {
	if err := inWords("query", query, semanticExample); err != nil {
		return nil, err
	}
	asked := question.Analyse(query)
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) ([]index.Hit, error) {
		return e.bestOnce(ctx, asked, n, src)
	})
}

func (e *Engine) bestOnce(ctx context.Context, asked *question.Question, n int, src *sources) ([]index.Hit, error) {
	if err := e.refresh(ctx, src); err != nil {
		return nil, err
	}
	q, _, err := e.rankQuery(ctx, asked)
	if err != nil {
		return nil, err
	}
	q.K = n
	hits, err := e.x.Rank(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search: rank: %w", err)
	}
	return hits, nil
}

// rankQuery returns what the index is asked: a question with what agreements and an
// embedding model know of it. The notes are for the answer.
func (e *Engine) rankQuery(
	ctx context.Context, asked *question.Question,
) (q index.RankQuery, notes []msg.Message, err error) {
	q.Question = asked
	m, err := e.agreements.Load(ctx)
	if err != nil {
		return q, nil, fmt.Errorf("search: %w", err)
	}
	for _, t := range m.Expand(asked) {
		q.Related = append(q.Related, index.RelatedTerm{Term: t.Term, Weight: t.Weight})
	}
	if e.model == nil {
		return q, nil, nil
	}
	near, note, err := e.model.Near(ctx, asked.Text, nearChunks)
	if err != nil {
		return q, nil, fmt.Errorf("search: meaning: %w", err)
	}
	if q.Near = near; !note.IsZero() {
		notes = append(notes, note)
	}
	return q, notes, nil
}
