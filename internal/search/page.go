package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/gaps"
)

// Sizes of answers, in characters of their JSON form, which is the longer of
// the two an answer has. charactersPerToken is the estimate that the
// specification gives.
const (
	charactersPerToken = 4
	defaultTokens      = 8000
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
func fingerprint(tool op.Name, question any) (string, error) {
	b, err := json.Marshal(question)
	if err != nil {
		return "", fmt.Errorf("search: cursor: %w", err)
	}
	sum := sha256.Sum256(append([]byte(string(tool)+"\x00"), b...))
	return hex.EncodeToString(sum[:8]), nil
}

// parseCursor reads what a caller sent back. The empty string is the start.
func parseCursor(s, query string) (cursor, error) {
	c := cursor{Query: query}
	if s == "" {
		return c, nil
	}
	wrong := func(key string) error {
		return problem.New(InvalidCursor, "search.cursor_not_valid", msg.Param("cursor"), msg.New(key)).
			Or("search.leave_cursor_out_begin_again", msg.Param("cursor")).
			Or("search.send_the_next_cursor_unchanged", msg.Param("next_cursor"))
	}
	if len(s) > 8192 {
		return c, wrong("search.is_too_long")
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return c, wrong("search.was_not_given_by_this_server")
	}
	var got cursor
	if err := json.Unmarshal(b, &got); err != nil || got.Offset < 0 || got.Line < 0 || got.Rank < 0 {
		return c, wrong("search.was_not_given_by_this_server")
	}
	if got.Query != query {
		return c, wrong("search.belongs_to_another_question")
	}
	return got, nil
}

// A Window is the checked form of a [Page].
type Window struct {
	limit  int
	budget int // characters
	at     cursor
}

// Budget is how many characters an answer may have, see [Size].
func (w Window) Budget() int { return w.budget }

// Window checks a page. Its cursor holds for the same question of the same tool; the
// page may be a part of the question, and does not count then. standard is the limit
// when none is asked for.
func (e *Engine) Window(tool op.Name, question any, page *Page, standard int) (Window, error) {
	p := *page
	limit, err := boundedNumber("limit", p.Limit, standard, 1, maxLimit)
	if err != nil {
		return Window{}, err
	}
	tokens, err := Tokens(p.MaxTokens, defaultTokens)
	if err != nil {
		return Window{}, err
	}
	*page = Page{}
	print, err := fingerprint(tool, question)
	*page = p
	if err != nil {
		return Window{}, err
	}
	at, err := parseCursor(p.Cursor, print)
	if err != nil {
		return Window{}, err
	}
	return Window{limit: limit, budget: e.budget(tokens*charactersPerToken) - frameCharacters, at: at}, nil
}

// Tokens checks how long an answer may be, in tokens; 0 stands for the standard.
func Tokens(asked, standard int) (int, error) {
	return boundedNumber("max_tokens", asked, standard, 200, maxTokens)
}

// budget returns how many characters an answer may have: as many as asked, or fewer if the
// Engine has a limit.
func (e *Engine) budget(asked int) int {
	if e.characters > 0 {
		return min(asked, e.characters)
	}
	return asked
}

// Offset is where in a ranked list the window begins.
func (w Window) Offset() int { return w.at.Offset }

// A charMeter counts the characters an answer has used up.
type charMeter struct{ left int }

// fits reports whether v still fits, and if so counts it. The first thing
// always fits, because an answer that shows nothing is useless.
func (m *charMeter) fits(v any, first bool) bool {
	n := Size(v) + 1
	if n > m.left && !first {
		return false
	}
	m.left -= n
	return true
}

// Size is the weight of a value in the longer of its two forms: one a
// character, two beyond ASCII, because there a token holds fewer of them, and
// for every line the number that the text form puts before it.
func Size(v any) int {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return 0
	}
	n := 0
	for _, c := range buf.Bytes() {
		switch {
		case c < utf8.RuneSelf:
			n++
		case utf8.RuneStart(c):
			n += 2
		}
	}
	return n + 5*bytes.Count(buf.Bytes(), []byte(`\n`))
}

// fill makes the part of a ranked list of n that a window asks for and that
// fits its budget, and returns it with the offset after it. Results that are
// not shown are not made.
func fill[T any](n int, w Window, at func(i int) T) (part []T, next int) {
	part = []T{}
	m := charMeter{left: w.budget}
	for next = min(w.at.Offset, n); next < n && len(part) < w.limit; next++ {
		v := at(next)
		if !m.fits(v, len(part) == 0) {
			break
		}
		part = append(part, v)
	}
	return part, next
}

// Paged makes the part of a ranked list of n that a window asks for, as [fill] does,
// and describes it.
func Paged[T any](n int, w Window, at func(i int) T) ([]T, Coverage) {
	part, next := fill(n, w, at)
	return part, w.cover(len(part), next, n)
}

// cover describes a ranked answer that ends before next of total.
func (w Window) cover(shown, next, total int) Coverage {
	c := Coverage{Total: total, Shown: shown, Remarks: Remarks{Completeness: gaps.Completeness{Complete: true}}}
	if next < total && shown > 0 {
		c.NextCursor = cursor{Query: w.at.Query, Offset: next}.String()
		c.Note(msg.New("search.shown_of_total", shown, total))
	}
	return c
}
