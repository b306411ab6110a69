package markup

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// SQL is often written as templates of Jinja, as dbt reads them: {{ ref('orders') }} stands for
// a table, {% macro name(a) %} declares a function, {% if … %} holds what may be left out.

// A jinjaTag is one stretch of a template that is no SQL, and the code in it.
type jinjaTag struct {
	all, code span
	echo      bool // its value is in the text: {{ … }}
}

// jinjaTags finds what is no SQL in a template; comments have no code.
func jinjaTags(src []byte) (tags []jinjaTag) {
	budget := 4*len(src) + 1<<16 // bytes that may be looked at for tags that do not end
	for at := 0; budget > 0; {
		i := bytes.IndexByte(src[at:], '{')
		if i < 0 || at+i+1 >= len(src) {
			return tags
		}
		start := at + i
		end := -1
		switch src[start+1] {
		case '#':
			if n := bytes.Index(src[start+2:], []byte("#}")); n >= 0 {
				end = start + n + 4
			}
		case '{':
			end = jinjaEnd(src, start+2, "}}")
		case '%':
			end = jinjaEnd(src, start+2, "%}")
		}
		if end < 0 {
			at = start + 1
			if strings.IndexByte("#{%", src[at]) >= 0 {
				budget -= len(src) - at
			}
			continue
		}
		if first := bytes.IndexAny(src[start+2:end-2], "{}"); src[start+1] == '{' && first >= 0 && src[start+2+first] == '}' {
			at = start + 2 // an array of PostgreSQL: '{{1,2},{3,4}}'
			continue
		}
		t := jinjaTag{all: span{uint32(start), uint32(end)}, echo: src[start+1] == '{'}
		if src[start+1] != '#' {
			t.code = span{uint32(start + 2), uint32(end - 2)}
		}
		tags, at = append(tags, t), end
	}
	return tags
}

// jinjaEnd returns the place behind the end of a tag, past strings; -1 if it does not end.
func jinjaEnd(src []byte, at int, end string) int {
	for at < len(src) {
		switch {
		case bytes.HasPrefix(src[at:], []byte(end)):
			return at + len(end)
		case src[at] == '"' || src[at] == '\'':
			at = stringEnd(src, at)
		default:
			at++
		}
	}
	return -1
}

// PlainSQL returns a template with blanks for what is no SQL: of what stands for a name, one
// is left, that of the table for a reference to it.
func PlainSQL(src []byte) (plain []byte, ok bool) {
	tags := jinjaTags(src)
	if len(tags) == 0 {
		return nil, false
	}
	plain = bytes.Clone(src)
	text, last := false, uint32(0)
	for _, t := range tags {
		text = text || len(bytes.TrimSpace(src[last:t.all.Start])) > 0
		last = t.all.End
		blank(plain, t.all)
		if !t.echo || !text { // before all SQL it sets something
			continue
		}
		name := span{}
		for w := range jinjaWords(src, t.code) {
			if name.End == 0 || w.table {
				name = w.at
			}
			if w.table {
				break
			}
		}
		copy(plain[name.Start:name.End], src[name.Start:name.End])
	}
	return plain, true
}

// A jinjaWord is a name in the code of a tag.
type jinjaWord struct {
	at     span
	before span // the name before its dot
	call   bool
	table  bool // it is quoted: the last argument of ref
}

// jinjaWords calls yield for the names in the code of a tag, and for the tables that ref names.
func jinjaWords(src []byte, code span) func(yield func(jinjaWord) bool) {
	return func(yield func(jinjaWord) bool) {
		dotted, previous := span{}, span{}
		for at := code.Start; at < code.End; {
			c := src[at]
			switch {
			case c == '"' || c == '\'':
				at = min(uint32(stringEnd(src, int(at))), code.End)
				previous = span{}
			case isLetter(c):
				w := jinjaWord{at: span{at, at}, before: dotted}
				for w.at.End < code.End && (isLetter(src[w.at.End]) || src[w.at.End] >= '0' && src[w.at.End] <= '9') {
					w.at.End++
				}
				at = w.at.End
				w.call = at < code.End && src[at] == '('
				if !yield(w) {
					return
				}
				if w.call && w.before.End == 0 && string(src[w.at.Start:w.at.End]) == "ref" {
					if table := lastQuoted(src, span{at + 1, code.End}); table.End > table.Start && !yield(jinjaWord{at: table, table: true}) {
						return
					}
				}
				dotted, previous = span{}, w.at
				continue
			case c == '.' && previous.End == at:
				dotted = previous
				at++
				continue
			default:
				at++
			}
			dotted, previous = span{}, span{}
		}
	}
}

// isLetter reports whether a name may begin with a byte.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// lastQuoted returns what the last of some arguments in quotes holds.
func lastQuoted(src []byte, s span) (last span) {
	s.End = min(s.End, s.Start+engine.MaxSignature)
	for at := s.Start; at < s.End && src[at] != ')'; {
		if c := src[at]; c != '"' && c != '\'' {
			at++
			continue
		}
		end := uint32(stringEnd(src, int(at)))
		if end > s.End {
			break
		}
		last, at = span{at + 1, end - 1}, end
	}
	return last
}

// jinjaOpens are the words of tags that declare something, with those that end it.
var jinjaOpens = map[string]string{"macro": "endmacro", "test": "endtest", "data_test": "enddata_test", "snapshot": "endsnapshot",
	"materialization": "endmaterialization"}

// jinjaKeywords are words of Jinja's own, which name nothing.
var jinjaKeywords = strings.Fields(`if elif else endif for in endfor set endset do call endcall filter endfilter not and or is none None
	true True false False block endblock raw endraw docs enddocs import from as with without context include extends recursive loop`)

// AroundSQL adds to the File of SQL what its templates declare, call and refer to.
func AroundSQL(f *engine.File, src []byte, embedded engine.ParseFunc) {
	tags := jinjaTags(src)
	if len(tags) == 0 {
		return
	}
	m := newMarkup(src, src, nil, embedded)
	m.file.Symbols, m.file.Imports = f.Symbols, f.Imports
	var tables []engine.Occurrence
	open, closes := -1, ""
	for _, t := range tags {
		code := trim(src, span{t.code.Start, max(t.code.Start, t.code.End)})
		for code.Start < code.End && (src[code.Start] == '-' || src[code.Start] == '+') {
			code = trim(src, span{code.Start + 1, code.End})
		}
		head, _, _ := strings.Cut(strings.TrimRight(string(src[code.Start:code.End]), "- \t\r\n"), " ")
		switch {
		case !t.echo && closes != "" && head == closes:
			m.file.Symbols[open].End = int(t.all.End)
			m.file.Symbols[open].EndLine = m.row(t.all.End-1) + 1
			open, closes = -1, ""
			continue
		case !t.echo && open < 0 && jinjaOpens[head] != "":
			if open = m.jinjaSymbol(t, code, head); open >= 0 {
				closes = jinjaOpens[head]
			}
			continue
		}
		tables = append(tables, m.jinjaNames(code)...)
	}
	m.file.Occurrences = slices.Concat(m.file.Occurrences, f.Occurrences, tables) // of two at one place, the first stays
	m.settle()
	f.Symbols, f.Occurrences, f.Imports = m.file.Symbols, m.file.Occurrences, m.file.Imports
}

// jinjaSymbol declares what a tag does, and returns its index; -1 if it has no name.
func (m *markup) jinjaSymbol(t jinjaTag, code span, word string) int {
	for w := range jinjaWords(m.Source, span{code.Start + uint32(len(word)), code.End}) {
		line, column := m.position(w.at.Start)
		s := engine.Symbol{Name: string(m.Source[w.at.Start:w.at.End]), Kind: engine.Macro, Parent: -1, Exported: true,
			Signature: engine.OneLine(bytes.TrimRight(m.Source[code.Start:code.End], "- \t\r\n")),
			Start:     int(t.all.Start), DocStart: int(t.all.Start), End: int(t.all.End),
			StartLine: m.row(t.all.Start) + 1, EndLine: m.row(t.all.End-1) + 1, NameLine: line, NameColumn: column}
		i := len(m.file.Symbols)
		m.file.Symbols = append(m.file.Symbols, s)
		m.file.Occurrences = append(m.file.Occurrences, engine.Occurrence{Name: s.Name, Line: line, Column: column,
			Role: engine.Definition, Symbol: i})
		return i
	}
	return -1
}

// jinjaNames notes the names in the code of a tag. It returns the tables that the tag refers
// to, which files of the same names make.
func (m *markup) jinjaNames(code span) (tables []engine.Occurrence) {
	for w := range jinjaWords(m.Source, code) {
		name := string(m.Source[w.at.Start:w.at.End])
		line, column := m.position(w.at.Start)
		o := engine.Occurrence{Name: name, Line: line, Column: column, Role: engine.Read, Symbol: byPlace,
			Qualifier: string(m.Source[w.before.Start:w.before.End])}
		switch {
		case w.table:
			m.file.Imports = append(m.file.Imports, engine.Import{Path: name, Line: line})
			o.Role = engine.ImportUse
			tables = append(tables, o)
			continue
		case slices.Contains(jinjaKeywords, name):
			continue
		case w.call:
			o.Role = engine.Call
		}
		m.file.Occurrences = append(m.file.Occurrences, o)
	}
	return tables
}
