package search

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
)

// namesakes returns the places of a name, by the name alone, where nothing is known to
// mean what is asked for: those that are not known to mean something else. Of a
// qualified one that nothing here defines, those with the qualifier.
func (e *Engine) namesakes(ctx context.Context, m *meaning, a area) ([]mention, error) {
	var all []mention
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		for _, o := range list {
			if !o.Local && o.Role != syntax.Definition && a.has(o.File, o.Language) && !m.others[placeOf(&o)] &&
				(m.asked == "" || o.Qualifier == m.asked) {
				all = append(all, mention{Occurrence: o, confidence: possible})
			}
		}
	}
	return all, nil
}

// textMentions finds a name as a word where no occurrence is: in comments and
// strings, or in these files only, if they are not nil, which the index has not read.
func (e *Engine) textMentions(
	ctx context.Context, q ReferencesQuery, m *meaning, found []mention, unread map[string]bool, src *sources,
) ([]mention, error) {
	if unread != nil && len(unread) == 0 {
		return nil, nil
	}
	word := m.name.Base
	if m.asked != "" && len(m.definitions) == 0 && m.local == nil && m.field == nil {
		word = m.name.Whole // of what is defined nowhere, so that the last word alone may be anything
	}
	m0, err := textmatch.New("symbol", word, textmatch.Form{Word: true})
	if err != nil {
		return nil, err
	}
	s, err := e.newScan(ctx, q.Where, q.Language, []*textmatch.Matcher{m0}, false)
	if err != nil {
		return nil, err
	}
	if err := s.count(ctx); err != nil {
		return nil, err
	}
	code := map[string]bool{}
	key := func(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }
	for _, r := range found {
		code[key(r.File, r.Line)] = true
	}
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		for _, o := range list {
			code[key(o.File, o.Line)] = true
		}
	}
	plain := unread == nil && !q.IncludeComments && len(m.definitions) > 0 && plainWord(word)
	var more []mention
	for i := range s.files {
		if s.counts[i].Lines == 0 || len(more) >= mostTextMentions || unread != nil && !unread[s.files[i].path] {
			continue
		}
		lines, err := s.lines(ctx, i, 0, mostTextMentions-len(more), 0)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if !code[key(l.File, l.Line)] && (!plain || src.asCode(l.File, l.Line, word)) {
				o := index.Occurrence{File: l.File, Line: l.Line, Column: l.Column, Name: m.name.Base, Role: InText}
				more = append(more, mention{Occurrence: o, confidence: possible})
			}
		}
	}
	return more, nil
}

// mostTextMentions bounds how many mentions in comments and strings are kept.
const mostTextMentions = 2000

// plainWord reports whether a name is a word of the language that people write, so that
// comments hold it without a thought of code.
func plainWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLower(r) })
}

// asCode reports whether a line of text has a word as code is written: in quotes, after
// a dot, or called.
func (s *sources) asCode(file string, line int, word string) bool {
	t := s.one(file, line, 1)
	for at := 0; ; {
		i := strings.Index(t[at:], word)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(word)
		before := from > 0 && strings.IndexByte("`'\".:#@", t[from-1]) >= 0
		after := to < len(t) && strings.IndexByte("`'\"(", t[to]) >= 0
		if before && (t[from-1] != '\'' || after) || to < len(t) && (t[to] == '(' || t[to] == '`') {
			return true
		}
		at = to
	}
}

// tellNowhere says of an answer that nothing is known to mean what is asked for, and
// where that was looked for. shown is how many places are shown by the name alone, beyond
// how many uses lie where nobody asked for them.
func (e *Engine) tellNowhere(
	ctx context.Context, answer *ReferencesAnswer, m *meaning, a area, shown, beyond int,
) error {
	list, err := e.list(ctx)
	if err != nil {
		return err
	}
	files := 0
	for i := range list {
		if f := &list[i]; f.Class.Indexed() && a.has(f.Path, syntax.Detect(f.Path, nil)) {
			files++
		}
	}
	others := 0
	for at := range m.others {
		if a.has(at.File, syntax.Detect(at.File, nil)) {
			others++
		}
	}
	if beyond > 0 {
		answer.Note(msg.New("search.uses_beyond_area", beyond))
	}
	switch {
	case shown > 0:
		answer.Note(msg.New("search.by_name_alone", files, shown))
	case others > 0:
		answer.Note(msg.New("search.others_mean_else", files, m.name.Base, others))
	default:
		answer.Note(msg.New("search.stands_nowhere_else", files, m.name.Base))
	}
	return nil
}
