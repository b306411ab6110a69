package search

import (
	"context"
	"fmt"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// ChunkQuery asks for the whole of a piece of code.
type ChunkQuery struct {
	ChunkID   string `json:"chunk_id" jsonschema:"From semantic_search, or a place in its answer: main.go:24"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous answer, to continue it"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"How long the answer may be, in tokens of about four characters; default 8000, at most 12500"`
}

// ChunkAnswer is what fetch_chunk_detail found.
type ChunkAnswer struct {
	ChunkID     string          `json:"chunk_id"`
	File        string          `json:"file"`
	StartLine   int             `json:"start_line"`
	EndLine     int             `json:"end_line"`
	Symbol      string          `json:"symbol,omitempty"`
	Kind        syntax.Kind     `json:"kind,omitempty"`
	Language    syntax.Language `json:"language,omitempty"`
	Signature   string          `json:"signature,omitempty"`
	Doc         string          `json:"doc,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	Content     string          `json:"content" jsonschema:"The text of the chunk, from content_line on"`
	ContentAt   int             `json:"content_line"`
	NextCursor  string          `json:"next_cursor,omitempty" jsonschema:"Pass as cursor to see the rest"`
	Remarks

	shown int
}

// ChunkDetail answers fetch_chunk_detail.
func (e *Engine) ChunkDetail(ctx context.Context, q ChunkQuery) (*ChunkAnswer, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*ChunkAnswer, error) {
		return e.chunkDetailOnce(ctx, q, src)
	})
}

func (e *Engine) chunkDetailOnce(ctx context.Context, q ChunkQuery, src *sources) (*ChunkAnswer, error) {
	example := msg.CallOf(op.FetchChunkDetail, "chunk_id", "main.go:24#272aebd943508c69")
	if err := required("chunk_id", q.ChunkID, example); err != nil {
		return nil, err
	}
	page := Page{Cursor: q.Cursor, MaxTokens: q.MaxTokens}
	w, err := e.Window(op.FetchChunkDetail, ChunkQuery{ChunkID: q.ChunkID}, &page, 1)
	if err != nil {
		return nil, err
	}
	c, err := e.x.Chunk(ctx, q.ChunkID)
	if p := problem.Of(err); p != nil {
		return nil, p
	} else if err != nil {
		return nil, fmt.Errorf("search: chunk: %w", err)
	}
	src.readsFiles()
	a := &ChunkAnswer{
		ChunkID: c.ID, File: c.File, StartLine: c.StartLine, EndLine: c.EndLine, Symbol: text.Dotted(c.Scope, c.Symbol),
		Kind: c.Kind, Language: c.Language, Signature: c.Signature, Doc: c.Doc, Fingerprint: c.Fingerprint,
	}
	if c.Symbol == "" {
		a.Symbol = c.Scope
	}
	a.fillContent(c, w)
	return a, nil
}

// fillContent puts as many lines into the answer as fit.
func (a *ChunkAnswer) fillContent(c index.ChunkInfo, w Window) {
	lines := strings.SplitAfter(c.Text, "\n")
	if n := len(lines); n > 1 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	first := min(w.at.Offset, len(lines)-1)
	m := charMeter{left: w.budget - Size(a)}
	var b strings.Builder
	next := first
	for next < len(lines) && m.fits(lines[next], next == first) {
		line := strings.TrimRight(lines[next], "\r\n")
		b.WriteString(text.Clip(line, 4000))
		if len(lines[next]) > len(line) {
			b.WriteByte('\n')
		}
		next++
	}
	a.Content, a.ContentAt, a.shown = b.String(), c.StartLine+first, c.StartLine+next-1
	if next < len(lines) {
		a.NextCursor = cursor{Query: w.at.Query, Offset: next}.String()
		a.Note(msg.New("search.lines_shown_of", a.ContentAt, a.shown, a.StartLine, a.EndLine))
	}
}

// Text gives the answer for people and models.
func (a *ChunkAnswer) Text() string {
	var b writer
	b.linef("%s %s", span(a.File, a.StartLine, a.EndLine), strings.TrimSpace(string(a.Kind)+" "+a.Symbol))
	b.block(a.Content, a.ContentAt)
	return b.tail(a.NextCursor, a.Remarks)
}

// Observed says which lines the answer shows.
func (a *ChunkAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.ChunkID}, Lines: addLines(nil, a.File, a.ContentAt, a.shown)}
	if a.Kind != "" {
		f.Definitions = text.AppendNew(nil, a.Symbol)
	}
	return f
}
