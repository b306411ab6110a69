package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/relevancescale"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// MostRelevant is how many symbols one validate_symbol_relevance takes.
const MostRelevant = 50

// RelevanceQuery asks whether symbols are what a phrase means.
type RelevanceQuery struct {
	TargetFeature string    `json:"target_feature,omitempty" jsonschema:"What is meant, in words"`
	Query         string    `json:"query,omitempty"` // the same as target_feature
	Symbols       OneOrMore `json:"symbols" jsonschema:"Up to 50"`
	Language      string    `json:"language,omitempty"`
	Where
}

// RelevanceAnswer is what validate_symbol_relevance found.
type RelevanceAnswer struct {
	TargetFeature string            `json:"target_feature"`
	Symbols       []SymbolRelevance `json:"symbols" jsonschema:"As asked"`
	Unknown       []string          `json:"unknown" jsonschema:"Those that are not defined anywhere"`
	Remarks
}

// A SymbolRelevance says how near one symbol is to the target. Of several
// definitions of a name it speaks of the nearest.
type SymbolRelevance struct {
	Symbol string              `json:"symbol"`
	File   string              `json:"file,omitempty"`
	Line   int                 `json:"line,omitempty"`
	Score  float64             `json:"score" jsonschema:"Calibrated: 0.5 is what a random symbol of this repository reaches in 1 of 100 cases"`
	Band   relevancescale.Band `json:"band,omitempty" jsonschema:"high from 0.6, medium from 0.3, else low"`
	Reason string              `json:"reason"`
}

var relevanceExample = msg.CallOf(op.ValidateRelevance,
	"target_feature", "retry of requests", "symbols", []string{"Client.do"})

// A feature is an analysed phrase with the terms of each of its words.
type feature struct {
	*question.Question
	words []featureWord
}

type featureWord struct {
	text  string
	terms []string
}

func newFeature(phrase string) feature {
	f := feature{Question: question.Analyse(phrase)}
	for _, word := range strings.FieldsFunc(phrase, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '_'
	}) {
		f.words = append(f.words, featureWord{word, terms.Query(word)})
	}
	return f
}

// Relevance answers validate_symbol_relevance.
func (e *Engine) Relevance(ctx context.Context, q RelevanceQuery) (*RelevanceAnswer, error) {
	if q.TargetFeature == "" {
		q.TargetFeature = q.Query
	}
	if err := inWords("target_feature", q.TargetFeature, relevanceExample); err != nil {
		return nil, err
	}
	f := newFeature(q.TargetFeature)
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*RelevanceAnswer, error) {
		return e.relevanceOnce(ctx, f, q, src)
	})
}

func (e *Engine) relevanceOnce(
	ctx context.Context, f feature, q RelevanceQuery, src *sources,
) (*RelevanceAnswer, error) {
	if len(q.Symbols) == 0 {
		return nil, problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param("symbols")).
			Or("search.for_example", relevanceExample)
	}
	if len(q.Symbols) > MostRelevant {
		return nil, problem.New(problem.InvalidArgument, "search.too_many_names",
			msg.Param("symbols"), len(q.Symbols), MostRelevant).
			Or("search.ask_others_second_call")
	}
	a, err := e.narrow(ctx, src, q.Where, q.Language, q.Symbols...)
	if err != nil {
		return nil, err
	}
	agreed, notes, err := e.agreed(ctx, f.Question)
	if err != nil {
		return nil, err
	}
	answer := &RelevanceAnswer{TargetFeature: q.TargetFeature, Symbols: []SymbolRelevance{}, Unknown: []string{}}
	answer.Note(notes...)
	keep := func(s *index.Symbol) bool { return a.contains(s.File, s.Language) }
	for _, symbol := range q.Symbols {
		if err := required("symbols", symbol, relevanceExample); err != nil {
			return nil, err
		}
		r, err := e.relevant(ctx, f, symbol, agreed, keep)
		if err != nil {
			return nil, err
		}
		if r == nil {
			answer.Unknown = append(answer.Unknown, symbol)
			continue
		}
		answer.Symbols = append(answer.Symbols, *r)
	}
	return answer, nil
}

// relevant judges one symbol; nil if it is not defined.
func (e *Engine) relevant(
	ctx context.Context, f feature, symbol string, agreed []matchedAgreement, keep func(*index.Symbol) bool,
) (*SymbolRelevance, error) {
	found, err := e.define(ctx, symbolname.Parse(symbol), true, e.sources(), keep)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	subjects := make([]index.Subject, len(found))
	own := make(map[[3]string]bool, len(found))
	for i := range found {
		s := &found[i].Symbol
		subjects[i] = index.SubjectOf(s)
		own[[3]string{s.File, s.Scope, s.Name}] = true
	}
	scale, err := e.scale(ctx, f.Question, func(file, scope, name string) bool { return own[[3]string{file, scope, name}] })
	if err != nil {
		return nil, err
	}
	scores, err := e.x.Similarity(ctx, f.Question, subjects)
	if err != nil {
		return nil, fmt.Errorf("search: similarity: %w", err)
	}
	best := 0
	for i := range scores {
		if scores[i] = scale.Of(scores[i]); scores[i] > scores[best] {
			best = i
		}
	}
	at := &found[best].Symbol
	r := &SymbolRelevance{
		Symbol: symbol, File: at.File, Line: at.NameLine, Score: math.Round(scores[best]*1e4) / 1e4,
		Reason: reasonOf(scores[best], f.common(at)),
	}
	for _, g := range agreed {
		for i := range g.Places {
			p := &g.Places[i]
			if g.Score > r.Score && own[[3]string{p.File, p.Scope, p.Name}] {
				r.Score, r.File, r.Line = g.Score, p.File, p.NameLine
				r.Reason = fmt.Sprintf("agreed in %s: %q", g.Path, g.Phrase)
			}
		}
	}
	r.Band = relevancescale.BandOf(r.Score)
	return r, nil
}

// common returns the words of the phrase that a symbol has in some form.
func (f feature) common(s *index.Symbol) (words []string) {
	own := terms.Query(strings.Join([]string{s.Name, s.Scope, s.Signature, s.Doc, s.File}, " "))
	for _, word := range f.words {
		if len(word.terms) == 1 && slices.Contains(own, word.terms[0]) {
			words = text.AppendNew(words, word.text)
			continue
		}
		for _, p := range word.terms { // of an identifier, or of text without spaces
			if slices.Contains(own, p) {
				words = text.AppendNew(words, p)
			}
		}
	}
	return words
}

func reasonOf(score float64, words []string) string {
	reason := "as near as many symbols here"
	switch {
	case score == 0:
		return "it has nothing in common with the phrase"
	case score >= 0.5:
		reason = "nearer than 99 of 100 symbols here"
	}
	if len(words) > 0 {
		reason += "; in common: " + strings.Join(words, ", ")
	}
	return reason
}

// RequestedNames returns what was asked for, and how much was found.
func (a *RelevanceAnswer) RequestedNames() ([]string, int) {
	if len(a.Unknown) == 0 {
		return nil, littleFound
	}
	return a.Unknown, 0
}

// Text gives the answer for people and models.
func (a *RelevanceAnswer) Text() string {
	var b writer
	b.linef("%s", a.Counted(len(a.Symbols), "symbol", "s"))
	for _, s := range a.Symbols {
		b.linef("%s %s %s: %s", s.Symbol, s.Band, span(s.File, s.Line, 0), s.Reason)
	}
	if len(a.Unknown) > 0 {
		b.linef("unknown: %s", strings.Join(a.Unknown, ", "))
	}
	return b.tail("", a.Remarks)
}

// Observed says what was asked. Names and scores show no lines of code.
func (a *RelevanceAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.TargetFeature}, Empty: len(a.Symbols) == 0}
	for _, s := range a.Symbols {
		f.Asked = append(f.Asked, s.Symbol)
	}
	f.Asked = append(f.Asked, a.Unknown...)
	return f
}
