package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/resolve"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/scan"
	"codeintel/internal/search/stringnames"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// findOthers lists where the name is known to mean something else, of an answer in which
// nothing is known to mean what is asked for. It may take the types of every package that
// has the name, so nothing else asks for it.
func (e *Engine) findOthers(ctx context.Context, m *subject) error {
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
func (e *Engine) namesakes(ctx context.Context, m *subject, a area) ([]mention, error) {
	var all []mention
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		for _, o := range list {
			if !o.Local && o.Role != syntax.Definition && a.contains(o.File, o.Language) && !m.others[placeOf(&o)] &&
				(m.Qualifier == "" || o.Qualifier == m.Qualifier) {
				all = append(all, mention{Occurrence: o, confidence: binding.Possible})
			}
		}
	}
	return all, nil
}

// A textual is what is looked for in texts: a name as a word, and in quotes.
type textual struct {
	m      *subject
	src    *sources
	unseen map[string]index.Unseen
	code   map[resolve.Position]bool // lines on which the name is known to stand as code

	word   string
	alone  *textmatch.Matcher // word, as a word
	all    bool               // the word is taken in all files
	plain  bool               // the word must occur as code
	worded map[string]bool    // files in which the word is taken

	finder *stringnames.Finder // of the name in quotes; nil: it is not looked for
	quoted map[string]bool     // files in which it is
}

// textMentions finds a name where no occurrence is: as a word in comments, strings and files
// that the index has not seen whole, and where code gives it as a text, so that what it means
// is known when it runs. Such places are possible. taken says in which files words count, by
// why they are not seen whole; nil: in all of them, and then quotes tell no more.
func (e *Engine) textMentions(
	ctx context.Context, q ReferencesQuery, m *subject, found []mention, belongs func(string, index.Unseen) bool, src *sources,
) (more []mention, err error) {
	t := textual{m: m, src: src, all: belongs == nil, word: m.Name.Base, worded: map[string]bool{}, quoted: map[string]bool{}}
	if m.Qualifier != "" && len(m.Definitions) == 0 && m.local == nil && m.field == nil {
		t.word = m.Name.Whole // of what is defined nowhere, so that the last word alone may be anything
	}
	if slices.ContainsFunc(m.Definitions, func(d index.Symbol) bool { return d.Name == m.Name.Whole }) {
		t.word = m.Name.Whole // a module that is called Mojo::WebSocket
	}
	t.plain = !q.IncludeComments && len(m.Definitions) > 0 && text.PlainWord(t.word)
	if t.alone, err = textmatch.New("symbol", t.word, textmatch.Form{Word: true}); err != nil {
		return nil, err
	}
	either := t.alone
	var filters []trigram.Query
	if name := strings.TrimLeft(m.Name.Base, "$@&"); !t.all && len(m.Definitions) > 0 && name != "" && strings.Contains(t.word, name) {
		t.finder = stringnames.NewFinder(name, m.Definitions)
		filters = t.finder.Filters()
		if either, err = textmatch.New("symbol", name, textmatch.Form{}); err != nil {
			return nil, err
		}
	}
	s, quoting, err := e.textsWith(ctx, q.Where, q.Language, []*textmatch.Matcher{either}, filters...)
	if err != nil {
		return nil, err
	}
	if t.unseen, err = e.x.Unseen(ctx, s.Paths()); err != nil {
		return nil, fmt.Errorf("search: files that are not seen whole: %w", err)
	}
	s.Files = slices.DeleteFunc(s.Files, func(f scan.File) bool {
		l := syntax.Detect(f.Path, nil)
		t.worded[f.Path] = t.all || belongs(f.Path, t.unseen[f.Path])
		t.quoted[f.Path] = quoting[f.Path] &&
			slices.ContainsFunc(m.Definitions, func(d index.Symbol) bool { return syntax.SameGroup(l, d.Language) })
		return !t.worded[f.Path] && !t.quoted[f.Path]
	})
	s.bestFirst()
	s.Whole = true
	keep := func(i int, line []byte) bool {
		return t.wordIn(s.Files[i].Path, line) > 0 || len(t.quotesIn(s.Files[i].Path, line)) > 0
	}
	var failed error
	at := 0
	err = s.Each(ctx, keep, func(i int, lines []scan.Match) bool {
		if at = i; t.code == nil {
			t.code, failed = e.linesOfCode(ctx, m, found)
		}
		for j := 0; j < len(lines) && len(more) <= maxTextMentions; j++ {
			if l := &lines[j]; !t.code[lineOf(l.File, l.Line)] {
				more = append(more, t.mentions(l)...)
			}
		}
		return failed == nil && len(more) <= maxTextMentions
	})
	if len(more) > maxTextMentions {
		more = more[:maxTextMentions]
		for _, f := range s.Files[at:] {
			src.Lacks(gaps.Texts, f.Path)
		}
	}
	return more, cmp.Or(err, failed)
}

// wordIn returns where a line of a file has the word, 0 for nowhere.
func (t *textual) wordIn(file string, line []byte) (column int) {
	if at, _, ok := t.alone.Next(line, 0, nil); ok && t.worded[file] {
		return at + 1
	}
	return 0
}

// quotesIn returns where a line of a file has the name in quotes.
func (t *textual) quotesIn(file string, line []byte) []stringnames.Name {
	if !t.quoted[file] {
		return nil
	}
	return t.finder.In(line)
}

// mentions returns what a line that is not code mentions: the word, or else the names in quotes.
func (t *textual) mentions(l *scan.Match) (list []mention) {
	add := func(o index.Occurrence) { list = append(list, mention{Occurrence: o, confidence: binding.Possible}) }
	if column := t.wordIn(l.File, []byte(l.Content)); column > 0 && t.counts(l, column) {
		add(index.Occurrence{File: l.File, Line: l.Line, Column: column, Name: t.m.Name.Base, Role: inText})
		return list
	}
	for _, n := range t.quotesIn(l.File, []byte(l.Content)) {
		o := index.Occurrence{File: l.File, Line: l.Line, Column: n.Column, Name: t.finder.Name, Role: inText, Language: syntax.Detect(l.File, nil)}
		u, ok := t.m.judged.names.referenceAt(&o)
		if n.Means(t.m.Definitions) && (!ok || u.Relation != resolve.Other) && !t.src.IsComment(l.File, l.Line) {
			add(o)
		}
	}
	return list
}

// counts reports whether the word on a line may be a use that is not known, or was asked for.
func (t *textual) counts(l *scan.Match, column int) bool {
	why := t.unseen[l.File]
	page := !t.all && why == "" && t.m.onPage(l.File)
	switch {
	case page:
		return slices.ContainsFunc(directive.FindAllString(l.Content, -1), func(d string) bool {
			return hasWord(d, t.word)
		})
	case why == "" && !t.all && t.m.inShell(l.File):
		return !t.src.inCommentOrString(l.File, l.Line, column) && (!t.plain ||
			strings.HasPrefix(strings.TrimSpace(l.Content), t.word))
	case why == index.InPart && !t.src.inCommentOrString(l.File, l.Line, column): // what was read would have it
		t.src.Lacks(gaps.Errors, l.File)
		return true
	case why == index.InPart && !t.all:
		return false
	}
	return !t.plain || why == index.Unread || text.AsCode(l.Content, t.word)
}

// mayUse reports whether uses of what is asked for may be in a file that is not seen
// whole, though they are not known: an answer shows them by the name alone.
func mayUse(file string, why index.Unseen) bool {
	return why != "" && (why != index.NoLanguage || !filekind.Prose(file) && !filekind.Data(file))
}

// linesOfCode returns the lines on which a name is known to stand as code.
func (e *Engine) linesOfCode(ctx context.Context, m *subject, found []mention) (map[resolve.Position]bool, error) {
	code := map[resolve.Position]bool{}
	for _, r := range found {
		code[lineOf(r.File, r.Line)] = true
	}
	for _, d := range m.Definitions {
		code[lineOf(d.File, nameLine(&d))] = true
	}
	for _, n := range m.names {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		for _, o := range list {
			if !m.onPage(o.File) { // what is found there is a word of a page
				code[lineOf(o.File, o.Line)] = true
			}
		}
	}
	return code, nil
}

// onPage reports whether a file is a page that may be a template of the language of the target.
func (m *subject) onPage(file string) bool {
	return syntax.Detect(file, nil) == syntax.HTML && slices.ContainsFunc(m.Definitions, func(d index.Symbol) bool {
		return syntax.Of(d.Language).Form == syntax.NoForm && !syntax.SameGroup(d.Language, syntax.HTML)
	})
}

// inShell reports whether every word of a file may name the function of a shell that is meant:
// functions are handed on by their names, and what zsh alone knows hides the code after it.
func (m *subject) inShell(file string) bool {
	return syntax.Detect(file, nil) == syntax.Bash && slices.ContainsFunc(m.Definitions, func(d index.Symbol) bool {
		return d.Language == syntax.Bash && d.Kind == syntax.Function
	})
}

// directive is what templates of most kinds write between the text of a page.
var directive = lazyregexp.MustCompile(`\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{.*?\}|\bth:[\w-]+="[^"]*"`)

func lineOf(file string, line int) resolve.Position { return resolve.Position{File: file, Line: line} }

// inCommentOrString reports whether a word is in a comment or a string, as most languages write them.
func (s *sources) inCommentOrString(file string, line, column int) bool {
	raw := s.Raw(file, line, line)
	return s.IsComment(file, line) || bytes.Count(raw[:min(column-1, len(raw))], []byte{'"'})%2 == 1
}

// IsComment reports whether a line is but a comment, or blank.
func (s *sources) IsComment(file string, line int) bool {
	is := s.comments[file]
	if line > len(is) { // what a line is depends on those before it
		head := s.Text(file)[:s.Offset(file, max(line, 2*len(is))+1)]
		is = text.CommentLines(strings.Split(strings.TrimSuffix(string(head), "\n"), "\n"))
		if s.comments == nil {
			s.comments = map[string][]bool{}
		}
		s.comments[file] = is
	}
	return line <= len(is) && is[line-1]
}

// maxTextMentions bounds how many mentions in comments and strings are kept.
const maxTextMentions = 2000

// noteNoReferences says of an answer that nothing is known to mean what is asked for, and
// where that was looked for. shown is how many places are shown by the name alone, beyond
// how many uses lie where nobody asked for them.
func (e *Engine) noteNoReferences(
	ctx context.Context, answer *ReferencesAnswer, m *subject, a area, shown, beyond int,
) error {
	list, err := e.list(ctx)
	if err != nil {
		return err
	}
	files := 0
	for i := range list {
		if f := &list[i]; f.Class.Indexed() && a.contains(f.Path, syntax.Detect(f.Path, nil)) {
			files++
		}
	}
	others := 0
	for at := range m.others {
		if a.contains(at.File, syntax.Detect(at.File, nil)) {
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
		answer.Note(msg.New("search.others_mean_else", files, m.Name.Base, others))
	case beyond == 0:
		answer.Note(msg.New("search.stands_nowhere_else", files, m.Name.Base))
	}
	return nil
}
