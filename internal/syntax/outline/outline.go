// Package outline outlines languages that have no grammar here, by regular
// expressions, line by line: a row of the table in languages.go, of which
// testdata/outlines.txtar has a sample each.
package outline

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/syntax/engine"
)

// Languages without a grammar get an outline by regular expressions: a row says
// how comments and texts look, and which lines declare what. It is less than
// what a grammar knows: a declaration is known by its line, its end by brackets
// or by indentation, and a name means the same wherever it stands. The time is
// linear in the text, whatever is in it.

// A Row is a row of the table of outlines.
type Row struct {
	language engine.Language
	title    string // as in [engine.Spec]; so are the next
	aliases  string
	prose    bool
	groups   string
	disputed func(ext string, text []byte) engine.Language

	testClasses bool

	files    string // extensions; whole names, which begin with "="
	programs string // that run scripts of it
	comment  string // line comments; "^x" only at the start of a line, "~x" only as its first word
	block    string // pairs of marks around comments
	quotes   string // marks around texts, each of one byte
	letters  string // in names, besides letters, digits and _
	extent   Extent // of a declaration, where its rule says nothing else
	private  string // words in the line of a declaration that keep it to its file or type
	rules    string // one a line: kind[:extent] expression; the first group is the name
}

// An Extent says where a declaration ends.
type Extent string

const (
	ofLine     Extent = "line"   // with its line, and the brackets that this opens
	ofBraces   Extent = "braces" // with the brace that closes the one behind its head
	ofIndent   Extent = "indent" // before the next line that is indented no deeper
	ofEnd      Extent = "end"    // the same, and with that line if it closes: end, }, fi
	ofBrackets Extent = "lisp"   // with the bracket that closes the one before its name
	ofNext     Extent = "next"   // before the next one of its rule, or of one above it in the table
	ofUntil    Extent = "until"  // with the next line that begins with a word: until=word
)

// An outlineRule is one compiled rule.
type outlineRule struct {
	kind   engine.Kind
	extent Extent
	until  string
	match  *regexp.Regexp
}

// importRule is the kind of a rule that finds imports: the first group is the
// path, the second the name it goes by.
const importRule engine.Kind = "import"

// maxMatched bounds how much of a line a rule looks at.
const maxMatched = 400

// compileRules reads the rules of a row.
func (o *Row) compileRules() ([]outlineRule, error) {
	var all []outlineRule
	for line := range strings.Lines(o.rules) {
		head, expression, ok := strings.Cut(strings.TrimSpace(line), " ")
		if head == "" {
			continue
		}
		kind, end, hasExtent := strings.Cut(head, ":")
		if !hasExtent {
			end = string(o.extent)
		}
		end, until, _ := strings.Cut(end, "=")
		match, err := regexp.Compile("^(?:" + expression + ")")
		if !ok || err != nil || match.NumSubexp() < 1 {
			return nil, fmt.Errorf("syntax: outline of %s: %q: %v", o.language, line, err)
		}
		all = append(all, outlineRule{engine.Kind(kind), Extent(end), until, match})
	}
	return all, nil
}

// Specs returns a row for each language that has an outline.
func Specs() []*engine.Spec {
	all := make([]*engine.Spec, len(rows))
	for i, o := range rows {
		all[i] = &engine.Spec{
			Name: o.language, Title: o.title, Aliases: o.aliases, Prose: o.prose, TestClasses: o.testClasses,
			Programs: o.programs, Disputed: o.disputed, Names: engine.Names{Groups: o.groups}, Read: o.reader(),
		}
		for file := range strings.FieldsSeq(o.files) {
			if name, whole := strings.CutPrefix(file, "="); whole {
				all[i].Files += name + " "
			} else {
				all[i].Extensions += file + " "
			}
		}
	}
	return all
}

// reader returns the function that outlines a text by the row.
func (o *Row) reader() func(src []byte, _ engine.ParseFunc) *engine.File {
	rules := sync.OnceValues(o.compileRules)
	return func(src []byte, _ engine.ParseFunc) *engine.File {
		compiled, err := rules()
		if err != nil {
			return &engine.File{Partial: err.Error()}
		}
		s := &sketch{Row: o, rules: compiled, src: src, file: &engine.File{}}
		s.lines = engine.LineStarts(nil, src)
		s.mask()
		s.indent()
		s.declarations()
		s.ends()
		s.clauses()
		s.nest()
		s.occurrences()
		s.gaps()
		return s.file
	}
}

// A sketch is one text on its way to an outline.
type sketch struct {
	*Row
	rules []outlineRule
	src   []byte
	code  []byte // src with blanks for comments
	bare  []byte // code with blanks for texts
	lines []uint32
	depth []int32 // by line: columns of indentation; -1 for a line without code
	close []int32 // by byte of an opening bracket in bare: its closing one; sparse, see brackets
	opens []uint32
	found []declared
	begin map[string][]int // lines by the word that they begin with; see until
	file  *engine.File
}

// A declared is a declaration of which the end is not known at first.
type declared struct {
	symbol  engine.Symbol
	rule    int
	line    int // 0-based
	nameAt  int // byte
	matched int // end of what the rule matched
}

func (s *sketch) line(i int) (start, end int) {
	start, end = int(s.lines[i]), len(s.src)
	if i+1 < len(s.lines) {
		end = int(s.lines[i+1]) - 1
	}
	return start, max(start, end)
}

// declarations finds the lines that declare.
func (s *sketch) declarations() {
	for i := range s.lines {
		if s.depth[i] < 0 {
			continue
		}
		start, end := s.line(i)
		text := s.code[start:min(end, start+maxMatched)]
		for r := range s.rules {
			m := s.rules[r].match.FindSubmatchIndex(text)
			if m == nil || m[2] < 0 || m[3] <= m[2] {
				continue
			}
			name := string(s.src[start+m[2] : start+m[3]])
			if s.rules[r].kind == importRule {
				im := engine.Import{Path: strings.TrimSpace(name), Line: i + 1}
				if len(m) > 4 && m[4] >= 0 {
					im.Alias = string(text[m[4]:m[5]])
				}
				s.file.Imports = append(s.file.Imports, im)
			} else if utf8.ValidString(name) && !s.isStatement(i, r, name) {
				s.found = append(s.found, s.declare(i, r, start+m[2], start+m[1], name))
			}
			break
		}
	}
}

// isStatement says whether a line that looks like the head of a function is a
// statement: a call, a condition, a loop.
func (s *sketch) isStatement(line, rule int, name string) bool {
	if !s.rules[rule].kind.IsFunction() || s.extent == ofBrackets {
		return false
	}
	start, end := s.line(line)
	first := firstWordOf(s.code[start:min(end, start+80)])
	return controlWords[name] || statementWords[first] && first != name
}

func (s *sketch) declare(line, rule, nameAt, matched int, name string) declared {
	start, _ := s.line(line)
	begin := start + len(s.code[start:nameAt]) - len(bytes.TrimLeft(s.code[start:nameAt], " \t\r"))
	d := declared{rule: rule, line: line, nameAt: nameAt, matched: matched, symbol: engine.Symbol{
		Name: name, Kind: s.rules[rule].kind, Parent: -1, Start: begin, DocStart: begin,
		StartLine: line + 1, NameLine: line + 1, NameColumn: nameAt - start + 1,
	}}
	d.symbol.Exported = true
	for word := range engine.KeywordsOf(string(s.code[begin:nameAt])) {
		if slices.Contains(strings.Fields(s.private), word) {
			d.symbol.Exported = false
		}
	}
	d.symbol.Doc, d.symbol.DocStart = s.docAbove(line, begin)
	return d
}

// docAbove returns the comment on the lines right above a line.
func (s *sketch) docAbove(line, begin int) (doc string, start int) {
	first := line
	for first > 0 && line-first < 100 && s.isComment(first-1) {
		first--
	}
	if first == line {
		return "", begin
	}
	start, _ = s.line(first)
	end, _ := s.line(line)
	for start < end && engine.IsSpace(s.src[start]) {
		start++
	}
	return s.plain(s.src[start:end]), start
}

// isComment says whether a line holds nothing but a comment.
func (s *sketch) isComment(line int) bool {
	start, end := s.line(line)
	return s.depth[line] < 0 && len(bytes.TrimSpace(s.src[start:end])) > 0
}

// plain takes the marks of comments off a text.
func (s *sketch) plain(text []byte) string {
	marks := append(strings.Fields(s.block), strings.Fields(s.comment)...) // the longer ones first
	var b strings.Builder
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		for _, mark := range marks {
			mark = strings.TrimLeft(mark, "^~")
			line = strings.TrimSpace(strings.TrimSuffix(line, mark))
			for mark != "" && strings.HasPrefix(line, mark) {
				line = strings.TrimLeft(line[len(mark):], "*!/|^-=#;%")
			}
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "*"))
		if line == "" || engine.IsDirective(line) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if b.WriteString(line); b.Len() > 4*engine.MaxDoc {
			break
		}
	}
	return engine.Clip(b.String(), engine.MaxDoc)
}

// clauses makes one declaration of those that go on with the one before them, as
// the clauses of a function do in Erlang and Prolog.
func (s *sketch) clauses() {
	if s.extent != ofIndent {
		return
	}
	kept := s.found[:0]
	for _, d := range s.found {
		if n := len(kept); n > 0 && s.rules[d.rule].kind.IsFunction() && kept[n-1].rule == d.rule &&
			kept[n-1].symbol.Name == d.symbol.Name &&
			d.symbol.StartLine == kept[n-1].symbol.EndLine+1 {
			kept[n-1].symbol.End, kept[n-1].symbol.EndLine = d.symbol.End, d.symbol.EndLine
			continue
		}
		kept = append(kept, d)
	}
	s.found = kept
}

// nest finds what lies in what, and puts the symbols into the File.
func (s *sketch) nest() {
	var open []int
	for i := range s.found {
		d := &s.found[i]
		for len(open) > 0 && s.file.Symbols[open[len(open)-1]].End < d.symbol.End {
			if p := &s.file.Symbols[open[len(open)-1]]; p.End > d.symbol.Start {
				d.symbol.End, d.symbol.EndLine = p.End, p.EndLine // they cannot cross
				break
			}
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			parent := open[len(open)-1]
			p := &s.file.Symbols[parent]
			d.symbol.Parent = parent
			d.symbol.Scope = engine.JoinScope(p.Scope, p.Name)
			d.symbol.Exported = d.symbol.Exported && p.Exported && !p.Kind.IsFunction()
			switch p.Kind {
			case engine.Class, engine.Struct, engine.Interface, engine.Trait, engine.Impl:
				if d.symbol.Kind == engine.Function {
					d.symbol.Kind = engine.Method
				}
			}
		}
		open = append(open, len(s.file.Symbols))
		s.file.Symbols = append(s.file.Symbols, d.symbol)
	}
}

// occurrences notes every name: what a symbol is called is defined there, what
// stands before a bracket is called, the rest is read.
func (s *sketch) occurrences() {
	definitions := make([]int, len(s.found)) // symbols by where their name stands
	for i := range definitions {
		definitions[i] = i
	}
	slices.SortStableFunc(definitions, func(a, b int) int { return cmp.Compare(s.found[a].nameAt, s.found[b].nameAt) })
	text := string(s.src)
	var open []int
	next, row := 0, 0
	for at := 0; at < len(s.bare); {
		for len(definitions) > 0 && s.found[definitions[0]].nameAt < at {
			definitions = definitions[1:]
		}
		define := len(definitions) > 0 && s.found[definitions[0]].nameAt == at
		size := 0
		if define {
			size = len(s.file.Symbols[definitions[0]].Name)
		} else if n, isName := s.word(at); !isName {
			if n == 0 {
				_, n = utf8.DecodeRune(s.bare[at:])
			}
			at += n
			continue
		} else {
			size = n
		}
		for row+1 < len(s.lines) && int(s.lines[row+1]) <= at {
			row++
		}
		for ; next < len(s.file.Symbols) && s.file.Symbols[next].Start <= at; next++ {
			open = append(open, next)
		}
		for len(open) > 0 && s.file.Symbols[open[len(open)-1]].End <= at {
			open = open[:len(open)-1]
		}
		o := engine.Occurrence{Name: text[at : at+size], Line: row + 1, Column: at - int(s.lines[row]) + 1,
			Role: engine.Read, Symbol: -1}
		switch {
		case define:
			o.Role, o.Symbol = engine.Definition, definitions[0]
		case s.called(at, size):
			o.Role = engine.Call
		}
		if !define && len(open) > 0 {
			o.Symbol = open[len(open)-1]
		}
		if at += size; define || !commonWords[o.Name] {
			s.file.Occurrences = append(s.file.Occurrences, o)
		}
	}
}

// word returns the length of the word at a byte of bare, 0 if there is none, and
// whether it is a name: it is none if it is a number, or longer than any name.
func (s *sketch) word(at int) (size int, isName bool) {
	r, first := utf8.DecodeRune(s.bare[at:])
	switch {
	case unicode.IsDigit(r):
		return s.tail(at, at+first) - at, false
	case !unicode.IsLetter(r) && r != '_' && (!strings.ContainsRune(s.letters, r) || strings.ContainsRune("-.:+*/<>=!?'", r)):
		return 0, false
	}
	size = s.tail(at, at+first) - at
	for size > first && strings.IndexByte(".-:'", s.bare[at+size-1]) >= 0 {
		size--
	}
	return size, size <= 200
}

// tail returns where the name ends that goes on at a byte.
func (s *sketch) tail(start, at int) int {
	for at < len(s.bare) && at-start <= 256 {
		r, size := utf8.DecodeRune(s.bare[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && !strings.ContainsRune(s.letters, r) {
			break
		}
		at += size
	}
	return at
}

// called says whether a name stands where a function does.
func (s *sketch) called(at, size int) bool {
	if s.extent == ofBrackets {
		return at > 0 && s.bare[at-1] == '(' && !hasPrefixAt(s.bare, at, "def")
	}
	return at+size < len(s.bare) && s.bare[at+size] == '('
}

// gaps notes the text that no symbol owns.
func (s *sketch) gaps() {
	at := 0
	add := func(start, end int) {
		for start < end && engine.IsSpace(s.src[start]) {
			start++
		}
		for end > start && engine.IsSpace(s.src[end-1]) {
			end--
		}
		if start < end {
			s.file.Blocks = append(s.file.Blocks,
				engine.Block{Start: start, End: end, StartLine: s.row(start) + 1, EndLine: s.row(end-1) + 1})
		}
	}
	for i := range s.file.Symbols {
		if y := &s.file.Symbols[i]; y.Parent < 0 && y.End > at {
			add(at, max(at, y.DocStart))
			at = y.End
		}
	}
	add(at, len(s.src))
}

// row returns the line of a byte, from 0 on.
func (s *sketch) row(at int) int {
	i, found := slices.BinarySearch(s.lines, uint32(at))
	if !found {
		i--
	}
	return i
}
