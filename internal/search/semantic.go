package search

import (
	"context"
	"fmt"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/search/topics"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// A Collection names what is searched: the code, the agreements, or both.
type Collection string

// The collections.
const (
	Both   Collection = "both"
	Forest Collection = "forest" // all code
	Map    Collection = "map"    // agreements: what past sessions learned
)

var collections = []Collection{Both, Forest, Map}

// SemanticQuery asks which code a sentence is about.
type SemanticQuery struct {
	Query      string     `json:"query" jsonschema:"In words"`
	NResults   int        `json:"n_results,omitempty" jsonschema:"How many hits, 1 to 100; default 10"`
	Collection Collection `json:"collection,omitempty" jsonschema:"forest (all code), map (agreements of past sessions), or both (default)"`
	Language   string     `json:"language,omitempty" jsonschema:"Only code in this language"`
	Where
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous answer, to continue it"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"How long the answer may be, in tokens of about four characters; default 8000, at most 12500"`

	Asked *question.Question `json:"-"` // the analysis of Query, if the caller has it
	Deep  bool               `json:"-"` // more of each file instead of more files
}

// SemanticAnswer is what semantic_search found.
type SemanticAnswer struct {
	Query        string `json:"query"`
	MapHits      []Hit  `json:"map_hits" jsonschema:"Agreements that answer the query"`
	ForestHits   []Hit  `json:"forest_hits" jsonschema:"Chunks of code that answer it, best first"`
	NoGoodMatch  bool   `json:"no_good_match,omitempty" jsonschema:"True when little of the question stands anywhere in the code: the hits are weak"`
	ShortCircuit bool   `json:"short_circuit" jsonschema:"True when the agreements answered so well that the code was not searched"`
	TotalChunks  int    `json:"total_chunks" jsonschema:"How many chunks of code are indexed"`
	Generation   int64  `json:"generation" jsonschema:"Of the index: it increases with every change"`
	NextCursor   string `json:"next_cursor,omitempty" jsonschema:"Pass as cursor to see the next ones"`
	Remarks
}

// A Hit is a piece of code that answers a query.
type Hit struct {
	ChunkID   string          `json:"chunk_id,omitempty" jsonschema:"For fetch_chunk_detail"`
	Source    Collection      `json:"source"`
	File      string          `json:"file"`
	StartLine int             `json:"start_line"`
	EndLine   int             `json:"end_line"`
	Symbol    string          `json:"symbol,omitempty"`
	Kind      syntax.Kind     `json:"kind,omitempty"`
	Language  syntax.Language `json:"language,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Score     float64         `json:"score" jsonschema:"0 to 1. For the map: calibrated. For the forest: the chance that it answers the question"`
	Reasons   []string        `json:"reasons,omitempty" jsonschema:"What raised or lowered the score"`
	Snippet   string          `json:"snippet,omitempty" jsonschema:"Lines of the chunk, those that the question is about"`
	SnippetAt int             `json:"snippet_line,omitempty" jsonschema:"The line snippet begins with, if not start_line"`

	shown int
}

// Sizes of semantic_search.
const (
	defaultHits    = 10
	maxHits        = 100
	deepestRank    = 1000 // how far down the ranking filters and paging may go
	signatureRunes = 160
	hitLines       = 6 // of the best hit
)

var semanticExample = msg.CallOf(op.SemanticSearch, "query", "where are requests retried")

// Semantic answers semantic_search.
func (e *Engine) Semantic(ctx context.Context, q SemanticQuery) (*SemanticAnswer, error) {
	if err := inWords("query", q.Query, semanticExample); err != nil {
		return nil, err
	}
	if q.Asked == nil {
		q.Asked = question.Analyse(q.Query)
	}
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*SemanticAnswer, error) {
		return e.semanticOnce(ctx, q, src)
	})
}

func (e *Engine) semanticOnce(ctx context.Context, q SemanticQuery, src *sources) (*SemanticAnswer, error) {
	n, err := boundedNumber("n_results", q.NResults, defaultHits, 1, maxHits)
	if err != nil {
		return nil, err
	}
	where, err := oneOf("collection", q.Collection, collections)
	if err != nil {
		return nil, err
	}
	page := Page{Limit: n, Cursor: q.Cursor, MaxTokens: q.MaxTokens}
	q.NResults, q.Cursor, q.MaxTokens = 0, "", 0
	w, err := e.Window(op.SemanticSearch, &q, &page, defaultHits)
	if err != nil {
		return nil, err
	}
	a, err := e.narrow(ctx, src, q.Where, q.Language)
	if err != nil {
		return nil, err
	}
	chunks, generation, err := e.x.Chunks(ctx)
	if err != nil {
		return nil, fmt.Errorf("search: chunks: %w", err)
	}
	answer := &SemanticAnswer{
		Query: q.Query, MapHits: []Hit{}, ForestHits: []Hit{}, TotalChunks: chunks, Generation: generation,
	}
	if where != Forest {
		forest := msg.ArgsOf("collection", Forest)
		if err := e.askMap(ctx, q.Asked, answer, &a); err != nil {
			return nil, err
		}
		switch {
		case where == Map && len(answer.MapHits) == 0:
			answer.Note(msg.New("search.no_agreement_about_this", forest))
			return answer, nil
		case where == Map:
			return answer, nil
		case answer.ShortCircuit:
			answer.Note(msg.New("search.agreements_answered", forest))
			return answer, nil
		}
	}
	narrow := a.path != "" || a.include != nil || a.exclude != nil || a.languages != nil
	query, notes, err := e.rankQuery(ctx, q.Asked)
	if err != nil {
		return nil, err
	}
	query.Deep = q.Deep
	answer.Note(notes...)
	hits, err := e.rank(ctx, query, w, narrow, func(h *index.Hit) bool {
		return a.contains(h.Chunk.File, h.Chunk.Language)
	})
	if err != nil {
		return nil, err
	}
	best, weak, err := e.judge(ctx, src, query, hits)
	if err != nil {
		return nil, err
	}
	if !q.Deep && q.Asked.Kind != question.Report { // explore looks for whole functions
		front := 0
		if hits, front, err = e.written(ctx, q.Asked, a, q.Where, hits, weak); err != nil {
			return nil, err
		}
		if front > 0 {
			best, weak = max(best, topics.AllChance), false
		}
	}
	if answer.NoGoodMatch = weak; weak {
		hits = hits[:min(len(hits), weakHits)]
		answer.Note(msg.New("search.no_good_match", op.SearchText))
	}
	from := min(w.at.Offset, len(hits))
	if err := src.nameByQuestion(ctx, q.Asked, hits[from:min(from+w.limit, len(hits))]); err != nil {
		return nil, err
	}
	part, next := src.fill(q.Asked, hits, best, w)
	answer.ForestHits = part
	if next < len(hits) && len(part) > 0 {
		answer.NextCursor = cursor{Query: w.at.Query, Offset: next}.String()
	}
	if len(part) < n && next < len(hits) {
		answer.Note(msg.New("search.hits_that_fit", len(part), n, msg.Param("cursor")))
	}
	if len(hits) == 0 {
		answer.Note(msg.New("search.no_code_holds_a_word", op.SearchText))
	}
	return answer, nil
}

// askMap puts into the answer what the agreements say, and whether that is enough.
func (e *Engine) askMap(ctx context.Context, asked *question.Question, answer *SemanticAnswer, a *area) error {
	found, notes, err := e.agreed(ctx, asked)
	if err != nil {
		return err
	}
	answer.Note(notes...)
	keep := func(s *index.Symbol) bool { return a.contains(s.File, s.Language) }
	if answer.MapHits, err = e.mapHits(ctx, found, keep); err != nil {
		return err
	}
	answer.ShortCircuit = len(answer.MapHits) > 0 && answer.MapHits[0].Score >= shortCircuit
	return nil
}

// rank asks for as many hits as the window needs; where a filter drops some,
// it asks for more.
func (e *Engine) rank(
	ctx context.Context, query index.RankQuery, w Window, narrow bool, keep func(*index.Hit) bool,
) ([]index.Hit, error) {
	need := w.at.Offset + w.limit + 1 // one more says whether there is a next page
	for k := need; ; k = min(k*8, deepestRank) {
		if narrow && k < 80 {
			k = 80
		}
		query.K = min(k, deepestRank)
		all, err := e.x.Rank(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("search: rank: %w", err)
		}
		var kept []index.Hit
		for i := range all {
			if keep(&all[i]) {
				kept = append(kept, all[i])
			}
		}
		if len(kept) >= need || len(all) < k || k >= deepestRank {
			return kept, nil
		}
	}
}

// tapers are how many of its lines a hit shows, by its place in the answer; the last
// number is that of all further places.
var tapers = [][]int{
	{hitLines, 5, 5, 4},
	{hitLines, 4, 4, 3, 3, 2},
	{hitLines, 3, 2, 2, 2, 1, 1, 1, 0},
}

// fill makes the hits that a window asks for, by the first taper with which all
// of them fit: lower ones show less, for an answer without room for code still
// says where to look. best is how likely the first answers.
func (s *sources) fill(q *question.Question, hits []index.Hit, best float64, w Window) (part []Hit, next int) {
	for _, lines := range tapers {
		part, next = fill(len(hits), w, func(i int) Hit {
			h := s.hit(q, &hits[i], lines[min(i-w.at.Offset, len(lines)-1)])
			h.Score = scored(hits, best, i)
			return h
		})
		if len(part) == w.limit || next == len(hits) {
			break
		}
	}
	return part, next
}

// hit describes a chunk with at most so many of its lines.
func (s *sources) hit(q *question.Question, h *index.Hit, lines int) Hit {
	c := &h.Chunk
	hit := Hit{
		ChunkID: c.ID, Source: Forest, File: c.File, StartLine: c.StartLine, EndLine: c.EndLine,
		Symbol: text.Dotted(c.Scope, c.Symbol), Kind: c.Kind, Language: c.Language, Signature: c.Signature,
		Reasons: h.Reasons,
	}
	if c.Symbol == "" {
		hit.Symbol = c.Scope
	}
	at := s.window(q, c.File, c.StartLine, c.EndLine, lines)
	hit.Snippet, hit.shown = s.Block(c.File, at, c.EndLine, lines)
	for strings.HasSuffix(hit.Snippet, "\n\n") {
		hit.Snippet, hit.shown = strings.TrimSuffix(hit.Snippet, "\n"), hit.shown-1
	}
	if hit.Snippet != "" && at != c.StartLine {
		hit.SnippetAt = at
	}
	return hit
}

// RequestedNames returns how much was found; what was asked for is no name.
func (a *SemanticAnswer) RequestedNames() ([]string, int) {
	return nil, len(a.MapHits) + len(a.ForestHits)
}

// Text gives the answer for people and models.
func (a *SemanticAnswer) Text() string {
	var b writer
	what := "result"
	if a.NoGoodMatch {
		what = "weak result"
	}
	b.linef("%s", a.Counted(len(a.MapHits)+len(a.ForestHits), what, "s"))
	for _, list := range [][]Hit{a.MapHits, a.ForestHits} {
		for file, hits := range byFile(list, func(h *Hit) string { return h.File }) {
			head := b.file(file, len(hits))
			for _, h := range hits {
				h.write(&b, head)
			}
		}
	}
	return b.tail(a.NextCursor, a.Remarks)
}

// write writes a hit whose place begins with head: the signature first where the lines
// shown do not have it.
func (h *Hit) write(b *writer, head string) {
	about := strings.TrimSpace(string(h.Kind) + " " + h.Symbol)
	if h.Source == Map {
		about += " (agreed)"
	}
	b.linef("%s%s", head, strings.TrimSpace(text.LineRange(h.StartLine, h.EndLine)+" "+about))
	if h.Signature != "" && !containsSignature(h.Snippet, h.Signature) {
		b.linef("       %s", text.Clip(text.OneLine(h.Signature), signatureRunes))
	}
	if h.Snippet != "" {
		b.block(h.Snippet, max(h.StartLine, h.SnippetAt))
	}
}

// Observed says which lines the answer shows.
func (a *SemanticAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Query}, Empty: len(a.MapHits)+len(a.ForestHits) == 0}
	for _, list := range [][]Hit{a.MapHits, a.ForestHits} {
		for _, h := range list {
			if at := max(h.StartLine, h.SnippetAt); h.shown >= at {
				f.Lines = append(f.Lines, shown.Lines{File: h.File, Start: at, End: h.shown})
			}
			if h.Kind != "" {
				f.Definitions = text.AppendNew(f.Definitions, h.Symbol)
			}
		}
	}
	if !f.Empty {
		f.Patterns = []string{a.Query}
	}
	f.Lines = sortLines(f.Lines)
	return f
}
