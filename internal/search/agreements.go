package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/memory"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/relevancescale"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// Bounds of the Map in an answer.
const (
	// shortCircuit is the calibrated score from which an agreement answers a
	// query alone. Seed v1.0, search.
	shortCircuit = 0.7
	// minMapped is the score below which an agreement says nothing: a random
	// symbol would be as near in more than 1 of 100 cases.
	minMapped     = 0.5
	untrusted     = 0.69 // at most that of an agreement that the user neither wrote nor trusts
	mapCandidates = 20   // phrases that are held against a query
	maxMapped     = 5    // hits of the Map; seed v1.0, search_map
)

// A matchedAgreement is an agreement that answers a query.
type matchedAgreement struct {
	Path   string // of the agreement
	Phrase string // the one that is nearest to the query
	Score  float64
	Places []index.Symbol // what it means, as far as it is still there; a file has no name
}

// agreed returns the agreements that a question is about, best first, and notes
// about those that do not count.
func (e *Engine) agreed(ctx context.Context, q *question.Question) (found []matchedAgreement,
	notes []msg.Message, err error) {
	m, err := e.agreements.Load(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("search: %w", err)
	}
	switch n := len(m.Faults); {
	case n == 1:
		notes = append(notes, msg.New("search.agreement_does_not_count", m.Faults[0].Path, m.Faults[0].Reason))
	case n > 1:
		notes = append(notes,
			msg.New("search.agreement_does_not_count_and_others", m.Faults[0].Path, m.Faults[0].Reason, n-1))
	}
	candidates := m.Match(q, mapCandidates)
	if len(candidates) == 0 {
		return nil, notes, nil
	}
	subjects := make([]index.Subject, len(candidates))
	for i, c := range candidates {
		subjects[i] = index.Subject{Name: c.Phrase}
	}
	scale, err := e.scale(ctx, q, func(_, _, _ string) bool { return false })
	if err != nil {
		return nil, nil, err
	}
	scores, err := e.x.Similarity(ctx, q, subjects)
	if err != nil {
		return nil, nil, fmt.Errorf("search: similarity: %w", err)
	}
	for i, c := range candidates {
		// A question that says half of a phrase asks for something else as easily.
		scores[i] = scale.Of(scores[i] * c.Cover)
	}
	best := make(map[string]int) // by path of the agreement
	for i, c := range candidates {
		if j, ok := best[c.Path]; !ok || scores[i] > scores[j] {
			best[c.Path] = i
		}
	}
	for i, c := range candidates {
		score := scores[i] * c.Weight
		if best[c.Path] != i || score < minMapped {
			continue
		}
		places, gone, err := e.agreedPlaces(ctx, c.Agreement)
		if err != nil {
			return nil, nil, err
		}
		if len(gone) > 0 {
			notes = append(notes, msg.New("search.agreement_means_what_is_gone", c.Path, gone))
		}
		if score >= shortCircuit && len(places) > 0 && len(e.texts.Untrusted(map[string][sha256.Size]byte{c.Path: c.Sum})) > 0 {
			score = untrusted
			notes = append(notes, msg.New("search.agreement_not_trusted", c.Path, op.ListTrusted))
		}
		if len(places) > 0 {
			found = append(found, matchedAgreement{Path: c.Path, Phrase: c.Phrase, Score: math.Round(score*1e4) / 1e4, Places: places})
		}
	}
	slices.SortStableFunc(found, func(a, b matchedAgreement) int { return cmp.Compare(b.Score, a.Score) })
	return found, notes, nil
}

// scale returns the scale on which similarities to a question mean the same
// everywhere. Symbols that leave is true for take no part in it.
func (e *Engine) scale(
	ctx context.Context, q *question.Question, leave func(file, scope, name string) bool,
) (relevancescale.Scale, error) {
	sample, err := e.x.SampleSimilarity(ctx, q, leave)
	if err != nil {
		return relevancescale.Scale{}, fmt.Errorf("search: sample: %w", err)
	}
	return relevancescale.NewScale(sample), nil
}

// agreedPlaces finds what an agreement means in the code as it is, and names what
// it does not find. An agreement about files alone means the files.
func (e *Engine) agreedPlaces(ctx context.Context, a *memory.Agreement) (places []index.Symbol, gone []string,
	err error) {
	for _, s := range a.Symbols {
		file, symbol := memory.SplitSymbol(s)
		n := symbolname.Parse(symbol)
		if n.Base == "" {
			continue
		}
		found, err := e.define(ctx, n, true, e.sources(), func(s *index.Symbol) bool { return file == "" || s.File == file })
		if err != nil {
			return nil, nil, err
		}
		// Of namesakes those are meant whose files it names.
		if there := slices.ContainsFunc(found, func(f foundSymbol) bool { return slices.Contains(a.Files, f.File) }); there {
			found = slices.DeleteFunc(found, func(f foundSymbol) bool { return !slices.Contains(a.Files, f.File) })
		}
		if len(found) == 0 {
			gone = append(gone, s)
			continue
		}
		places = append(places, found[0].Symbol)
	}
	if len(a.Symbols) > 0 {
		return places, gone, nil
	}
	for _, file := range a.Files {
		f, err := e.x.File(ctx, file)
		if problem.Of(err) != nil {
			gone = append(gone, file)
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("search: %w", err)
		}
		s := index.Symbol{File: file, Language: f.Language}
		s.StartLine, s.EndLine = 1, f.Lines
		places = append(places, s)
	}
	return places, gone, nil
}

// mapHits are the places that agreements lead to, each once, within an area.
func (e *Engine) mapHits(ctx context.Context, found []matchedAgreement, keep func(*index.Symbol) bool) ([]Hit, error) {
	src := e.sources()
	hits := []Hit{}
	seen := make(map[string]bool)
	for _, a := range found {
		for i := range a.Places {
			p := &a.Places[i]
			key := span(p.File, p.StartLine, p.EndLine)
			if len(hits) == maxMapped || seen[key] || !keep(p) {
				continue
			}
			seen[key] = true
			hit := Hit{
				Source: Map, File: p.File, StartLine: p.StartLine, EndLine: p.EndLine, Symbol: text.Dotted(p.Scope, p.Name),
				Kind: p.Kind, Language: p.Language, Signature: p.Signature, Score: a.Score,
				Reasons: []string{fmt.Sprintf("agreed in %s: %q", a.Path, a.Phrase)},
			}
			chunks, err := e.x.FileChunks(ctx, p.File)
			if err != nil && problem.Of(err) == nil {
				return nil, fmt.Errorf("search: chunks: %w", err)
			}
			for _, c := range chunks {
				if c.StartLine <= p.StartLine && p.StartLine <= c.EndLine {
					hit.ChunkID = c.ID
				}
			}
			hit.Snippet, hit.shown = src.Block(p.File, p.StartLine, p.EndLine, hitLines)
			hits = append(hits, hit)
		}
	}
	return hits, nil
}
