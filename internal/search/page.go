package search

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"codeintel/internal/problem"
)

// Sizes of answers, in characters of their JSON form, which is the longer of
// the two an answer has. charactersPerToken is the estimate that the
// specification gives.
const (
	charactersPerToken = 4
	standardTokens     = 8000
	maxTokens          = 12500 // 50,000 characters
	frameCharacters    = 700   // what an answer needs beside its results
)

// InvalidCursor is the code of a cursor that was not given for this question.
const InvalidCursor problem.Code = "invalid_cursor"

// A cursor is the place where an answer ended. Ranked answers go on at an
// offset; answers in file order go on after a line, so that an edit elsewhere
// neither repeats nor skips a result.
type cursor struct {
	Query  string `json:"q"` // fingerprint of the question it belongs to
	Offset int    `json:"o,omitempty"`
	Rank   int    `json:"r,omitempty"`
	File   string `json:"f,omitempty"`
	Line   int    `json:"l,omitempty"`
}

func (c cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// fingerprint identifies a question. Paging arguments are no part of it: a
// reader may take the next page in another size.
func fingerprint(tool string, question any) (string, error) {
	b, err := json.Marshal(question)
	if err != nil {
		return "", fmt.Errorf("search: cursor: %w", err)
	}
	sum := sha256.Sum256(append([]byte(tool+"\x00"), b...))
	return hex.EncodeToString(sum[:8]), nil
}

// parseCursor reads what a caller sent back. The empty string is the start.
func parseCursor(s, query string) (cursor, error) {
	c := cursor{Query: query}
	if s == "" {
		return c, nil
	}
	wrong := func(what string) error {
		return problem.New(InvalidCursor, "cursor "+what+".",
			"Leave cursor out to begin again.",
			"Send next_cursor of the answer before, word for word, with all other arguments as they were.")
	}
	if len(s) > 8192 {
		return c, wrong("is longer than any this server gives")
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return c, wrong("was not given by this server")
	}
	var got cursor
	if err := json.Unmarshal(b, &got); err != nil || got.Offset < 0 || got.Line < 0 || got.Rank < 0 {
		return c, wrong("was not given by this server")
	}
	if got.Query != query {
		return c, wrong("belongs to another question")
	}
	return got, nil
}

// A window is the checked form of a Page.
type window struct {
	limit  int
	budget int // characters
	at     cursor
}

// window checks a Page. question is the query without its Page.
func (p Page) window(tool string, question any, standard int) (window, error) {
	limit, err := within("limit", p.Limit, standard, 1, maxLimit)
	if err != nil {
		return window{}, err
	}
	tokens, err := within("max_tokens", p.MaxTokens, standardTokens, 200, maxTokens)
	if err != nil {
		return window{}, err
	}
	print, err := fingerprint(tool, question)
	if err != nil {
		return window{}, err
	}
	at, err := parseCursor(p.Cursor, print)
	if err != nil {
		return window{}, err
	}
	return window{limit: limit, budget: tokens*charactersPerToken - frameCharacters, at: at}, nil
}

// A meter counts the characters an answer has used up.
type meter struct{ left int }

// take reports whether v still fits, and if so counts it. The first thing
// always fits: an answer that shows nothing helps nobody.
func (m *meter) take(v any, first bool) bool {
	b, err := json.Marshal(v)
	if err != nil {
		return false
	}
	n := utf8.RuneCount(b) + 1
	if n > m.left && !first {
		return false
	}
	m.left -= n
	return true
}

// fill makes the part of a ranked list of n that a window asks for and that
// fits its budget, and returns it with the offset after it. Results that are
// not shown are not made.
func fill[T any](n int, w window, at func(i int) T) (part []T, next int) {
	part = []T{}
	m := meter{left: w.budget}
	for next = min(w.at.Offset, n); next < n && len(part) < w.limit; next++ {
		v := at(next)
		if !m.take(v, len(part) == 0) {
			break
		}
		part = append(part, v)
	}
	return part, next
}

// cover describes a ranked answer that ends before next of total.
func (w window) cover(shown, next, total int) Coverage {
	c := Coverage{Total: total, Shown: shown}
	if next < total && shown > 0 {
		c.NextCursor = cursor{Query: w.at.Query, Offset: next}.String()
		c.Notes = append(c.Notes, fmt.Sprintf("%d of %d shown", shown, total))
	}
	return c
}
