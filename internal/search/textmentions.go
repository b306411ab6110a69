package search

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/resolve"
	"codeintel/internal/search/filetype"
	"codeintel/internal/search/quoted"
	"codeintel/internal/search/scan"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// findOthers lists where the name is known to mean something else, of an answer in which
// nothing is known to mean what is asked for. It may take the types of every package that
// has the name, so nothing else asks for it.
func (e *Engine) findOthers(ctx context.Context, m *meaning) error {
	m.others = map[resolve.Position]bool{}
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		declared := m.declared()
		for i := range list {
			if at := placeOf(&list[i]); !declared[at] && m.judged.elsewhere(&list[i]) {
				m.others[at] = true
			}
		}
	}
	return nil
}

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

// textMentions finds a name as a word where no occurrence is: in comments, strings and
// files that the index has not seen whole. taken says in which files, by why they are not
// seen whole; nil: in all of them.
func (e *Engine) textMentions(
	ctx context.Context, q ReferencesQuery, m *meaning, found []mention, taken func(string, index.Unseen) bool, src *sources,
) ([]mention, error) {
	word := m.name.Base
	if m.asked != "" && len(m.definitions) == 0 && m.local == nil && m.field == nil {
		word = m.name.Whole // of what is defined nowhere, so that the last word alone may be anything
	}
	if slices.ContainsFunc(m.definitions, func(d index.Symbol) bool { return d.Name == m.name.Whole }) {
		word = m.name.Whole // a module that is called Mojo::WebSocket
	}
	m0, err := textmatch.New("symbol", word, textmatch.Form{Word: true})
	if err != nil {
		return nil, err
	}
	s, err := e.newScan(ctx, q.Where, q.Language, []*textmatch.Matcher{m0}, false)
	if err != nil {
		return nil, err
	}
	unseen, err := e.x.Unseen(ctx, s.Paths())
	if err != nil {
		return nil, fmt.Errorf("search: files that are not seen whole: %w", err)
	}
	if taken != nil {
		s.Files = slices.DeleteFunc(s.Files, func(f scan.File) bool { return !taken(f.Path, unseen[f.Path]) && !m.onPage(f.Path) })
	}
	if err := s.Count(ctx); err != nil {
		return nil, err
	}
	code, err := e.linesOfCode(ctx, m, found)
	if err != nil {
		return nil, err
	}
	plain := !q.IncludeComments && len(m.definitions) > 0 && plainWord(word)
	var more []mention
	for i := range s.Files {
		if s.Counts[i].Lines == 0 || len(more) >= mostTextMentions {
			continue
		}
		lines, err := s.Lines(ctx, i, 0, mostTextMentions-len(more), 0)
		if err != nil {
			return nil, err
		}
		why := unseen[s.Files[i].Path]
		for _, l := range lines {
			hidden := why == index.InPart && !src.aside(l.File, l.Line, l.Column) // what was read would have it
			page := taken != nil && why == "" && m.onPage(l.File)
			switch {
			case page && !slices.ContainsFunc(directive.FindAllString(src.one(l.File, l.Line, 1), -1),
				func(d string) bool { return hasWord(d, word) }):
				continue
			case code[lineKey(l.File, l.Line)]:
				continue
			case hidden:
				src.lacks(gapErrors, l.File)
			case why == index.InPart && taken != nil:
				continue
			case plain && !page && why != index.Unread && !text.AsCode(src.one(l.File, l.Line, 1), word):
				continue
			}
			o := index.Occurrence{File: l.File, Line: l.Line, Column: l.Column, Name: m.name.Base, Role: inText}
			more = append(more, mention{Occurrence: o, confidence: possible})
		}
	}
	return more, nil
}

// quotedNames finds where code gives the name as a text, so that what it means is known when it
// runs: such places are possible.
func (e *Engine) quotedNames(
	ctx context.Context, w Where, language string, m *meaning, found []mention, src *sources,
) ([]mention, error) {
	name := strings.TrimLeft(m.name.Base, "$@&")
	if len(m.definitions) == 0 || name == "" {
		return nil, nil
	}
	ofType := slices.ContainsFunc(m.definitions, func(d index.Symbol) bool { return d.Kind.HoldsMembers() })
	var ends []*textmatch.Matcher
	for _, end := range quoted.Ends(name, ofType) {
		one, err := textmatch.New("symbol", end, textmatch.Form{})
		if err != nil {
			return nil, err
		}
		ends = append(ends, one)
	}
	s, err := e.newScan(ctx, w, language, ends, false)
	if err != nil {
		return nil, err
	}
	s.Files = slices.DeleteFunc(s.Files, func(f scan.File) bool {
		l := syntax.Detect(f.Path, nil)
		return !slices.ContainsFunc(m.definitions, func(d index.Symbol) bool { return syntax.SameGroup(l, d.Language) })
	})
	if err := s.Count(ctx); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.Counts, func(c textmatch.Counts) bool { return c.Lines > 0 }) {
		return nil, nil
	}
	code, err := e.linesOfCode(ctx, m, found)
	if err != nil {
		return nil, err
	}
	var more []mention
	for i := range s.Files {
		if s.Counts[i].Lines == 0 || len(more) >= mostTextMentions {
			continue
		}
		lines, err := s.Lines(ctx, i, 0, mostTextMentions-len(more), 0)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if code[lineKey(l.File, l.Line)] || src.isComment(l.File, l.Line) {
				continue
			}
			row := string(text.WithoutComment(src.raw(l.File, l.Line, l.Line)))
			for _, n := range quoted.Names(row, name) {
				o := index.Occurrence{File: l.File, Line: l.Line, Column: n.Column, Name: name, Role: inText,
					Language: syntax.Detect(l.File, nil)}
				if u, ok := m.judged.names.at(&o); n.Means(m.definitions) && (!ok || u.Relation != resolve.Other) {
					more = append(more, mention{Occurrence: o, confidence: possible})
				}
			}
		}
	}
	return more, nil
}

// mayUse reports whether uses of what is asked for may stand in a file that is not seen
// whole, though they are not known: an answer shows them by the name alone.
func mayUse(file string, why index.Unseen) bool {
	return why != "" && (why != index.NoLanguage || !filetype.Prose(file) && !filetype.Data(file))
}

// linesOfCode returns the lines on which a name is known to stand as code.
func (e *Engine) linesOfCode(ctx context.Context, m *meaning, found []mention) (map[string]bool, error) {
	code := map[string]bool{}
	for _, r := range found {
		code[lineKey(r.File, r.Line)] = true
	}
	for _, d := range m.definitions {
		code[lineKey(d.File, nameLine(&d))] = true
	}
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		for _, o := range list {
			if !m.onPage(o.File) { // what is found there is a word of a page
				code[lineKey(o.File, o.Line)] = true
			}
		}
	}
	return code, nil
}

// onPage reports whether a file is a page that may be a template of the language of what is meant.
func (m *meaning) onPage(file string) bool {
	return syntax.Detect(file, nil) == syntax.HTML && slices.ContainsFunc(m.definitions, func(d index.Symbol) bool {
		return syntax.Of(d.Language).Form == syntax.NoForm && !syntax.SameGroup(d.Language, syntax.HTML)
	})
}

// directive is what templates of most kinds write between the text of a page.
var directive = lazyregexp.MustCompile(`\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{.*?\}|\bth:[\w-]+="[^"]*"`)

func lineKey(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// aside reports whether a word stands in a comment or a string, as most languages write them.
func (s *sources) aside(file string, line, column int) bool {
	raw := s.raw(file, line, line)
	return s.isComment(file, line) || bytes.Count(raw[:min(column-1, len(raw))], []byte{'"'})%2 == 1
}

// isComment reports whether a line is but a comment, or blank.
func (s *sources) isComment(file string, line int) bool {
	is, ok := s.comments[file]
	if !ok {
		is = text.CommentLines(strings.Split(string(s.of(file)), "\n"))
		if s.comments == nil {
			s.comments = map[string][]bool{}
		}
		s.comments[file] = is
	}
	return line <= len(is) && is[line-1]
}

// mostTextMentions bounds how many mentions in comments and strings are kept.
const mostTextMentions = 2000

// plainWord reports whether a name is a word that comments hold without a thought of code.
func plainWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLower(r) })
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
	case m.unnamed() != "": // nothing is known of its uses
	case others > 0:
		answer.Note(msg.New("search.others_mean_else", files, m.name.Base, others))
	default:
		answer.Note(msg.New("search.stands_nowhere_else", files, m.name.Base))
	}
	return nil
}
