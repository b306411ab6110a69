package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/scan"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/text"
)

// A Case says how upper and lower case count in a pattern.
type Case string

// Ways to treat case.
const (
	Sensitive   Case = "sensitive"
	Insensitive Case = "insensitive"
	Smart       Case = "smart" // insensitive unless the pattern contains an upper-case letter
)

var cases = []Case{Sensitive, Insensitive, Smart}

// TextQuery asks which lines hold one of up to five patterns.
type TextQuery struct {
	Pattern   OneOrMore `json:"pattern" jsonschema:"Text, or a list of up to 5; literal unless regex is true"`
	Regex     bool      `json:"regex,omitempty" jsonschema:"RE2; a match stays within a line"`
	Case      Case      `json:"case,omitempty" jsonschema:"smart: insensitive unless the pattern has an upper-case letter"`
	WholeWord bool      `json:"whole_word,omitempty" jsonschema:"Whole words"`
	Context   int       `json:"context,omitempty" jsonschema:"Lines around each match, 0 to 20"`
	FileType  string    `json:"file_type,omitempty" jsonschema:"Only files of this language or extension, such as go, python, ts, css"`
	Where
	Page

	Invert bool `json:"-"` // the lines that no pattern matches
}

// TextAnswer is what search_text found, one entry a line.
type TextAnswer struct {
	Pattern  OneOrMore      `json:"pattern" jsonschema:"The patterns as asked"`
	Matches  []TextMatch    `json:"matches" jsonschema:"The matching lines: source files first, then tests, generated and vendored files"`
	Patterns []PatternCount `json:"patterns" jsonschema:"How often each pattern was found"`
	Files    int            `json:"files" jsonschema:"How many files contain a match"`
	Searched int            `json:"searched" jsonschema:"How many files were looked at"`
	Coverage
}

// A TextMatch is a line that at least one pattern matches.
type TextMatch = scan.Match

// A PatternCount is how often one pattern was found.
type PatternCount struct {
	Pattern string `json:"pattern"`
	Lines   int    `json:"lines" jsonschema:"Lines with a match"`
	Files   int    `json:"files" jsonschema:"Files with a match"`
}

// Sizes of search_text.
const (
	defaultMatches = 50
	maxContext     = 20
)

// Text answers search_text. It reads the files themselves, so that it is never
// behind and needs no index; one only spares it files that cannot match.
func (e *Engine) Text(ctx context.Context, q TextQuery) (*TextAnswer, error) {
	matchers, err := q.matchers()
	if err != nil {
		return nil, err
	}
	if q.Context < 0 || q.Context > maxContext {
		return nil, problem.New(problem.InvalidArgument, "search.must_be_between", msg.Param("context"), q.Context, 0, maxContext).
			Or("search.leave_context_out_see_matching", msg.Param("context"))
	}
	w, err := e.Window(op.SearchText, &q, &q.Page, defaultMatches)
	if err != nil {
		return nil, err
	}
	a, s, err := e.scanned(ctx, q, matchers)
	if err != nil {
		return nil, err
	}
	if err := a.collect(ctx, s, w, q.Context); err != nil {
		return nil, err
	}
	e.explain(ctx, a, q, s)
	return a, nil
}

// scanned counts what a question finds.
func (e *Engine) scanned(ctx context.Context, q TextQuery, matchers []*textmatch.Matcher) (*TextAnswer,
	*textScan, error) {
	s, err := e.newScan(ctx, q.Where, q.FileType, matchers, q.Invert)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Count(ctx); err != nil {
		return nil, nil, err
	}
	a := &TextAnswer{Pattern: q.Pattern, Matches: []TextMatch{}, Searched: s.searched}
	a.count(s)
	return a, s, nil
}

// EachText answers search_text without a limit: it yields the matches of one file after
// the other, in the order of the answer and with whole lines, and returns the rest of
// the answer. An error of yield ends it.
func (e *Engine) EachText(ctx context.Context, q TextQuery,
	yield func(matches []TextMatch) error) (*TextAnswer, error) {
	matchers, err := q.matchers()
	if err != nil {
		return nil, err
	}
	a, s, err := e.scanned(ctx, q, matchers)
	if err != nil {
		return nil, err
	}
	s.Whole = true
	for i := range s.Files {
		if s.Counts[i].Lines == 0 {
			continue
		}
		found, err := s.Lines(ctx, i, 0, math.MaxInt, q.Context)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue // it went away
		}
		if err := yield(found); err != nil {
			return nil, err
		}
	}
	a.Shown = a.Total
	e.explain(ctx, a, q, s)
	return a, nil
}

// matchers checks and compiles the patterns.
func (q *TextQuery) matchers() ([]*textmatch.Matcher, error) {
	if len(q.Pattern) == 0 {
		return nil, required("pattern", "", msg.CallOf(op.SearchText, "pattern", "NewReader"))
	}
	if len(q.Pattern) > textmatch.MaxPatterns {
		return nil, problem.New(problem.InvalidArgument, "search.too_many_patterns",
			msg.Param("pattern"), len(q.Pattern), textmatch.MaxPatterns).
			Or("search.send_others_second_call").
			Or("search.join_them", msg.CallOf(op.SearchText, "pattern", "one|two|three", "regex", true))
	}
	how, err := oneOf("case", q.Case, cases)
	if err != nil {
		return nil, err
	}
	list := make([]*textmatch.Matcher, len(q.Pattern))
	for i, p := range q.Pattern {
		var where any = msg.Param("pattern")
		if len(q.Pattern) > 1 {
			where = msg.New("search.pattern_of", msg.Param("pattern"), i+1, len(q.Pattern))
		}
		if p == "" {
			return nil, problem.New(problem.InvalidArgument, "search.empty_would_match_every_line", where).
				Or("search.for_example", msg.CallOf(op.SearchText, "pattern", "NewReader")).
				Or("search.call_lists_files", msg.CallOf(op.SearchFiles, "pattern", "**/*.go"))
		}
		if err := shortEnough(where, p); err != nil {
			return nil, err
		}
		fold := how == Insensitive || how == Smart && strings.ToLower(p) == p
		if list[i], err = textmatch.New(where, p, textmatch.Form{Regex: q.Regex, Fold: fold, Word: q.WholeWord}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// count fills in the totals of a finished scan.
func (a *TextAnswer) count(s *textScan) {
	a.Patterns = make([]PatternCount, len(s.Matchers))
	for i, m := range s.Matchers {
		a.Patterns[i].Pattern = m.Source
	}
	for i := range s.Files {
		c := &s.Counts[i]
		a.Total += int(c.Lines)
		if c.Lines > 0 {
			a.Files++
		}
		for p := range s.Matchers {
			a.Patterns[p].Lines += int(c.Each[p])
			if c.Each[p] > 0 {
				a.Patterns[p].Files++
			}
		}
	}
}

// collect reads the lines that the window asks for.
func (a *TextAnswer) collect(ctx context.Context, s *textScan, w Window, around int) error {
	m := charMeter{left: w.budget}
	last := w.at
	for i := range s.Files {
		if s.Counts[i].Lines == 0 {
			continue
		}
		after := 0
		if c := s.compare(i, w.at); c < 0 {
			continue
		} else if c == 0 {
			after = w.at.Line
		}
		found, err := s.Lines(ctx, i, after, w.limit-len(a.Matches)+1, around)
		if err != nil {
			return err
		}
		for _, t := range found {
			if len(a.Matches) == w.limit || !m.fits(t, len(a.Matches) == 0) {
				a.NextCursor = last.String()
				break
			}
			a.Matches = append(a.Matches, t)
			last = cursor{Query: w.at.Query, Rank: s.Files[i].Rank, File: t.File, Line: t.Line}
		}
		if a.NextCursor != "" {
			break
		}
	}
	a.Shown = len(a.Matches)
	return nil
}

// explain adds what a reader should know about the answer.
func (e *Engine) explain(ctx context.Context, a *TextAnswer, q TextQuery, s *textScan) {
	if a.Shown < a.Total {
		a.Note(msg.New("search.lines_shown_of_total", a.Shown, a.Total, a.Files))
	}
	if left := s.leftOut(); !left.IsZero() {
		a.Note(left)
	}
	if a.Total == 0 && !q.Regex {
		for _, p := range q.Pattern {
			if looksLikeExpression(p) {
				a.Note(msg.New("search.looked_for_as_it_stands", text.Clip(p, 60), msg.ArgsOf("regex", true)))
			}
		}
	}
	if a.Total == 0 && s.searched == 0 {
		a.Note(msg.New("search.no_file_of_path_glob_type"))
	}
	a.Freshness, a.Complete = fromFiles, s.Skipped == 0
	if !a.Complete {
		a.Missing = []gaps.Gap{{Files: s.Skipped, Reason: msg.New(string(gaps.Work), s.Skipped)}}
	}
	w := leftOutQuery{s.area.containsPath, s.Matches}
	if q.Invert {
		w.path = nil
	}
	e.hides(ctx, &a.Completeness, a.Total, w)
	if s.Beyond.Out && a.Total == 0 {
		a.LeftOut = append(a.LeftOut, msg.New("search.left_not_all"))
	}
}

// looksLikeExpression guesses that a pattern was meant as a regular expression.
func looksLikeExpression(p string) bool {
	for _, sign := range []string{".*", ".+", `\b`, `\s`, `\w`, `\d`, `\(`, `\.`, "|", "[a-z", "^", "(?"} {
		if strings.Contains(p, sign) {
			return true
		}
	}
	return false
}

// Text gives the answer for people and models.
func (a *TextAnswer) Text() string {
	var b writer
	head := inFiles(a.Counted(a.Total, "match", "es"), a.Files)
	if a.Total == 0 {
		head += " in " + text.Counted(a.Searched, "file", "s")
	}
	b.linef("%s", head)
	if len(a.Patterns) > 1 {
		for i, p := range a.Patterns {
			b.linef("  %d. %q: %s in %s", i+1, p.Pattern, text.Counted(p.Lines, "line", "s"), text.Counted(p.Files, "file", "s"))
		}
	}
	file, line := "", 0
	for _, m := range a.Matches {
		first := m.Line - len(m.Before)
		if m.File != file {
			file = m.File
			b.linef("%s", file)
		} else if len(m.Before)+len(m.After) > 0 && first > line+1 {
			b.linef("  --")
		}
		for i, t := range m.Before {
			b.linef("  %d- %s", first+i, t)
		}
		tag := ""
		if len(m.Patterns) > 0 {
			tag = " [" + strings.Trim(fmt.Sprint(m.Patterns), "[]") + "]"
		}
		b.linef("  %d:%s %s", m.Line, tag, m.Content)
		for i, t := range m.After {
			b.linef("  %d- %s", m.Line+1+i, t)
		}
		line = m.Line + len(m.After)
	}
	return b.tail(a.NextCursor, a.Remarks)
}

// Observed says which lines the answer shows.
func (a *TextAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: slices.Clone(a.Pattern), Empty: a.Total == 0}
	for _, m := range a.Matches {
		f.Lines = addLines(f.Lines, m.File, m.Line-len(m.Before), m.Line+len(m.After))
	}
	for _, p := range a.Patterns {
		if p.Lines > 0 {
			f.Patterns = append(f.Patterns, p.Pattern)
		}
	}
	return f
}
