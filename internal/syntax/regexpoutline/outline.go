// Package regexpoutline outlines languages that have no grammar here, by regular
// expressions, line by line: an entry of languages.txt, of which
// testdata/outlines.txtar has a sample each.
package regexpoutline

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

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// Languages without a grammar get an outline by regular expressions: a row says
// how comments and texts look, and which lines declare what. It is less than
// what a grammar knows: a declaration is known by its line, its end by brackets
// or by indentation, and a name means the same wherever it is. The time is
// linear in the text, whatever is in it.

// An outlineRow is a row of the table of outlines.
type outlineRow struct {
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
	holes    string // what begins code within texts: "${" up to its closing bracket, "$" a name
	listing  string // an expression for what begins statements whose texts are names: use Cart 'total';
	quoting  string // bytes that texts with signs of their own may begin with; only Perl has them
	letters  string // in names, besides letters, digits and _
	joins    string // those of letters that are between the parts of a qualified name
	extent   extent // of a declaration, where its rule says nothing else
	private  string // words in the line of a declaration that keep it to its file or type
	members  string // what is between the members of an enum: ",", "\n", or "|" as in type t = A | B of int
	goesOn   string // a byte at the end of a line whose list goes on in the next one
	locals   bool   // variables of functions look like those of the file
	messages bool   // a method is called by a message to an object: [object name]
	anyCase  bool   // as in [engine.Names]
	rules    string // one a line: kind[:extent] expression; the first group that matches is the name
	imports  engine.Imports
	exposes  string // an expression for what is between an import and the list, in brackets, of what it brings in bare
}

// Groups of a rule whose names begin so are what others write before the name: its scope.
const scopeGroup = "in"

// An extent says where a declaration ends.
type extent string

const (
	ofLine     extent = "line"     // with its line, and the brackets that this opens
	ofBraces   extent = "braces"   // with the brace that closes the one behind its head
	ofIndent   extent = "indent"   // before the next line that is indented no deeper
	ofEnd      extent = "end"      // the same, and with that line if it closes: end, }, fi
	ofBrackets extent = "lisp"     // with the bracket that closes the one before its name
	ofNext     extent = "next"     // before the next one of its rule, or of one above it in the table
	ofUntil    extent = "until"    // with the next line that begins with a word: until=word
	ofAssigned extent = "assigned" // as ofEnd, and declared only if "=" follows the brackets that the rule opens
	ofBack     extent = "back"     // with its line; it begins where the bracket opens that is closed before its name
	ofList     extent = "list"     // of an import: more of them follow, with commas between
)

// An outlineRule is one compiled rule.
type outlineRule struct {
	kind   engine.Kind
	extent extent
	until  string
	two    bool // the head may go on in the next line
	match  *regexp.Regexp
	scopes []int // its groups that are a scope
}

// importRule is the kind of a rule that finds imports: the first group is the
// path, the second the name it goes by.
const importRule engine.Kind = "import"

// maxMatched bounds how much of a line a rule looks at.
const maxMatched = 400

// compileRules reads the rules of a row.
func (o *outlineRow) compileRules() ([]outlineRule, error) {
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
		match, err := regexp.Compile("^(?:" + anyScript(expression) + ")")
		if !ok || err != nil || match.NumSubexp() < 1 {
			return nil, fmt.Errorf("syntax: outline of %s: %q: %v", o.language, line, err)
		}
		rule := outlineRule{engine.Kind(kind), extent(end), until, strings.Contains(expression, `\n`), match, nil}
		for i, group := range match.SubexpNames() {
			if strings.HasPrefix(group, scopeGroup) {
				rule.scopes = append(rule.scopes, i)
			}
		}
		all = append(all, rule)
	}
	return all, nil
}

// anyScript makes \w of an expression stand for the letters and digits of all scripts.
func anyScript(expression string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case c == '\\' && i+1 < len(expression):
			i++
			switch {
			case expression[i] != 'w':
				b.WriteString(expression[i-1 : i+1])
			case inClass:
				b.WriteString(`\pL\pN_`)
			default:
				b.WriteString(`[\pL\pN_]`)
			}
			continue
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		}
		b.WriteByte(expression[i])
	}
	return b.String()
}

// Specs returns a row for each language that has an outline.
func Specs() []*engine.Spec {
	all := make([]*engine.Spec, len(rows()))
	for i, o := range rows() {
		bare := engine.OfAny
		if o.messages {
			bare = engine.OfMessage
		}
		all[i] = &engine.Spec{
			Name: o.language, Title: o.title, Aliases: o.aliases, Prose: o.prose, TestClasses: o.testClasses,
			Programs: o.programs, Disputed: o.disputed, Names: engine.Names{Groups: o.groups,
				Bare: bare, Imports: o.imports, AnyCase: o.anyCase, Strict: o.exposes != ""}, Read: o.reader(),
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
func (o *outlineRow) reader() func(src []byte, _ engine.ParseFunc) *engine.File {
	rules := sync.OnceValues(o.compileRules)
	listing := sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(`(?m)^[ \t]*(?:` + o.listing + ")") })
	exposing := sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile("^(?:" + o.exposes + ")") })
	return func(src []byte, _ engine.ParseFunc) *engine.File {
		compiled, err := rules()
		if err != nil {
			return &engine.File{Partial: err.Error()}
		}
		s := &sketch{outlineRow: o, rules: compiled, src: src, file: &engine.File{}}
		if o.listing != "" {
			begins, err := listing()
			if err != nil {
				return &engine.File{Partial: err.Error()}
			}
			s.lists = statements(src, begins)
		}
		if s.exposing, err = exposing(); err != nil {
			return &engine.File{Partial: err.Error()}
		}
		s.lines = engine.LineStarts(nil, src)
		s.mask()
		s.indent()
		s.declarations()
		s.findEnds()
		s.clauses()
		s.enumMembers()
		s.nest()
		s.occurrences()
		return s.file
	}
}

// A sketch is one text on its way to an outline.
type sketch struct {
	*outlineRow
	rules    []outlineRule
	exposing *regexp.Regexp
	src      []byte
	code     []byte // src with blanks for comments
	bare     []byte // code with blanks for texts
	lines    []uint32
	depth    []int32 // by line: columns of indentation; -1 for a line without code
	close    []int32 // by byte of an opening bracket in bare: its closing one; sparse, see brackets
	opens    []uint32
	opened   map[int32]uint32 // closing brackets by where they are: their opening ones; made by ofBack
	found    []declared
	lists    [][2]int         // bytes of statements whose texts are names
	within   int              // texts around the code that is being masked
	endless  int              // operators of Perl that have no end
	begin    map[string][]int // lines by the word that they begin with; see until
	file     *engine.File
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
	if i == 0 && bytes.HasPrefix(s.src, byteOrderMark) {
		start += len(byteOrderMark)
	}
	return start, max(start, end)
}

// maxSymbols is how many declarations of one text are kept. A text of data may have one in every three bytes,
// and each takes up to 4 KB.
const maxSymbols = 1 << 15

// isFull reports whether no more declarations are kept.
func (s *sketch) isFull() bool {
	if len(s.found) < maxSymbols {
		return false
	}
	s.file.Partial = "more declarations than are kept"
	return true
}

// declarations finds the lines that declare.
func (s *sketch) declarations() {
	for i := range s.lines {
		if s.isFull() {
			return
		}
		if s.depth[i] < 0 {
			continue
		}
		start, end := s.line(i)
		for r := range s.rules {
			until := end
			if s.rules[r].two && i+1 < len(s.lines) {
				_, until = s.line(i + 1)
			}
			text := s.code[start:min(until, start+maxMatched)]
			m := s.rules[r].match.FindSubmatchIndex(text)
			named := s.rules[r].name(m)
			if len(named) == 0 || s.rules[r].extent == ofAssigned && !s.assigned(start+m[1]-1) {
				continue
			}
			at, name := start+named[0], string(s.src[start+named[0]:start+named[1]])
			if s.rules[r].kind == importRule {
				if s.rules[r].extent == ofList {
					s.importList(at)
				} else {
					s.importOne(i, start, name, m)
				}
			} else if utf8.ValidString(name) && !s.isStatement(r, start, at, name) {
				d := s.declare(s.lineOf(i, at), r, at, start+m[1], name)
				for _, group := range s.rules[r].scopes {
					d.symbol.Scope = engine.JoinScope(d.symbol.Scope, string(text[m[2*group]:m[2*group+1]]))
				}
				s.found = append(s.found, d)
				s.furtherNames(r, at+len(name), end)
			}
			break
		}
	}
}

// importOne notes the import of a path on a line that begins at start: m is what the rule matched there.
func (s *sketch) importOne(line, start int, path string, m []int) {
	im := engine.Import{Path: strings.TrimSpace(path), Line: line + 1}
	if len(m) > 4 && m[4] >= 0 {
		im.Alias = string(s.code[start+m[4] : start+m[5]])
	}
	if s.exposes != "" {
		im.Names = s.exposed(start+m[3], im.Path)
	}
	s.file.Imports = append(s.file.Imports, im)
}

// exposed lists what an import that ends at a byte brings in bare, "*" where that is
// all: exposing (..). The module goes by its own name.
func (s *sketch) exposed(at int, module string) []string {
	names := []string{module[strings.LastIndexAny(module, "./")+1:]}
	m := s.exposing.FindIndex(s.bare[at:min(at+maxMatched, len(s.bare))])
	if m == nil {
		return names
	}
	list := s.bare[at+m[1] : s.afterBracket(at+m[1]-1, len(s.bare))]
	if bytes.Equal(bytes.Trim(list, " \t\r\n)}"), []byte("..")) {
		names = append(names, "*")
	}
	for word := range text.Words(string(list)) {
		names = append(names, word)
	}
	return names
}

var (
	importPath  = lazyregexp.MustCompile(`^([\pL\pN_./]+)(\[\s*)?`)
	importAlias = lazyregexp.MustCompile(`^[ \t]+(?:(?i:as)[ \t]+([\pL\pN_]+)[ \t]*|(?i:in)[ \t]*)?`)
	importEnd   = lazyregexp.MustCompile(`^\s*\]`)
	importNext  = lazyregexp.MustCompile(`^,\s*`)
)

// importList notes the imports that are in a list: a, b as c, std/[d, e].
func (s *sketch) importList(at int) {
	skip := func(expression *lazyregexp.Regexp) []string {
		m := expression.FindStringSubmatch(string(s.bare[at:min(at+maxMatched, len(s.bare))]))
		if m != nil {
			at += len(m[0])
		}
		return m
	}
	folder := ""
	for {
		line := s.row(at) + 1
		m := skip(importPath)
		if m == nil {
			return
		}
		if m[2] != "" { // of std/[d, e]
			folder = m[1]
			continue
		}
		im := engine.Import{Path: folder + m[1], Line: line}
		if m := skip(importAlias); m != nil {
			im.Alias = m[1]
		}
		s.file.Imports = append(s.file.Imports, im)
		if folder != "" && skip(importEnd) != nil {
			folder = ""
		}
		if skip(importNext) == nil {
			return
		}
	}
}

// furtherNames declares the names that follow that of a field or member on its line:
// a, b : Integer;
func (s *sketch) furtherNames(rule, at, end int) {
	first := s.found[len(s.found)-1]
	if s.goesOn != "" {
		s.namesInList(rule, at)
		return
	}
	if first.symbol.Kind != engine.Field && first.symbol.Kind != engine.EnumMember {
		return
	}
	for {
		rest := bytes.TrimLeft(s.bare[at:end], " \t")
		if len(rest) == 0 || rest[0] != ',' || s.isFull() {
			return
		}
		at = end - len(bytes.TrimLeft(rest[1:], " \t"))
		if at == end {
			return
		}
		size, isName := s.word(at)
		if after := bytes.TrimLeft(s.bare[at+size:end], " \t\r"); !isName || len(after) > 0 && strings.IndexByte(",:;=", after[0]) < 0 {
			return
		}
		d := s.declare(first.line, rule, at, first.matched, string(s.src[at:at+size]))
		d.symbol.Start = first.symbol.Start
		s.found = append(s.found, d)
		at += size
	}
}

// namesInList declares the names that follow that of a field, member or method in a list
// with values, brackets and lines that go on: a = 1, b(3), &
func (s *sketch) namesInList(rule, at int) {
	switch s.found[len(s.found)-1].symbol.Kind {
	case engine.Field, engine.EnumMember, engine.Method, engine.Constant:
	default:
		return
	}
	for depth := 0; at < len(s.bare); at++ {
		switch c := s.bare[at]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == s.goesOn[0]:
			rest := bytes.TrimLeft(s.bare[at+1:], " \t\r")
			if len(rest) > 0 && rest[0] == '\n' {
				at = len(s.bare) - len(rest)
			}
		case c == '\n' || c == ';' || depth < 0 || s.isFull():
			return
		case c == ',' && depth == 0:
			rest := s.bare[at+1:]
			at = len(s.bare) - len(bytes.TrimLeft(rest, " \t\r\n"+s.goesOn))
			size, isName := 0, false
			if at < len(s.bare) {
				size, isName = s.word(at)
			}
			if !isName {
				return
			}
			d, before := s.declare(s.row(at), rule, at, at+size, string(s.src[at:at+size])), s.found[len(s.found)-1]
			if d.line == before.line {
				d.symbol.Start = before.symbol.Start // none is in the other
			}
			s.found = append(s.found, d)
			at += size - 1
		}
	}
}

// assigned says whether what is called with the bracket at a byte is assigned to, which
// declares it: f(x) = 2x, f(x)::Int where T = 2x.
func (s *sketch) assigned(bracket int) bool {
	_, end := s.closingBracket(bracket, bracket+1, 0)
	if end < 0 {
		return false
	}
	_, lineEnd := s.line(s.row(end))
	return assignment.Match(s.bare[end+1 : lineEnd])
}

var assignment = lazyregexp.MustCompile(`^(?:::[\w.]+(?:\{[^=]*\})?)?(?:\s*where\s[^=]*)?\s*=(?:[^=>]|$)`)

var byteOrderMark = []byte("\ufeff")

// name returns where the first group is that matched and is not a scope, nothing if none
// did.
func (r *outlineRule) name(match []int) []int {
	for i := 2; i+1 < len(match); i += 2 {
		if match[i] >= 0 && match[i] < match[i+1] && !slices.Contains(r.scopes, i/2) {
			return match[i : i+2]
		}
	}
	return nil
}

// isStatement says whether a line that looks like the head of a function is a
// statement: a call, a condition, a loop. What comes after a word like "sub" is
// declared, whatever its name.
func (s *sketch) isStatement(rule, start, nameAt int, name string) bool {
	if !s.rules[rule].kind.IsFunction() || s.extent == ofBrackets {
		return false
	}
	before := bytes.Fields(s.code[start:nameAt])
	if len(before) == 0 {
		return controlWords[name] && s.extent != ofIndent // where while(X) -> X. declares a function
	}
	for _, word := range before {
		if functionWords[string(word)] {
			return false
		}
	}
	return controlWords[name] || statementWords[firstWordOf(before[0])]
}

// lineOf returns the line that a declaration begins in whose rule matched from line i on and
// whose name is at a byte: in a list that goes on, that of the name.
func (s *sketch) lineOf(i, at int) int {
	if s.goesOn != "" {
		return s.row(at)
	}
	return i
}

func (s *sketch) declare(line, rule, nameAt, matched int, name string) declared {
	start, _ := s.line(line)
	begin := start + len(s.code[start:nameAt]) - len(bytes.TrimLeft(s.code[start:nameAt], " \t\r"))
	d := declared{rule: rule, line: line, nameAt: nameAt, matched: matched, symbol: engine.Symbol{
		Name: name, Kind: s.rules[rule].kind, Parent: -1, Start: begin, DocStart: begin,
		StartLine: line + 1, NameLine: s.row(nameAt) + 1,
	}}
	d.symbol.NameColumn = nameAt - int(s.lines[d.symbol.NameLine-1]) + 1
	d.symbol.Exported = true
	for word := range text.Words(string(s.code[begin:nameAt])) {
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
	return s.stripMarks(s.src[start:end]), start
}

// isComment says whether a line contains nothing but a comment.
func (s *sketch) isComment(line int) bool {
	start, end := s.line(line)
	return s.depth[line] < 0 && len(bytes.TrimSpace(s.src[start:end])) > 0
}

// stripMarks takes the marks of comments off a text.
func (s *sketch) stripMarks(comment []byte) string {
	marks := append(strings.Fields(s.block), strings.Fields(s.comment)...) // the longer ones first
	var b strings.Builder
	for line := range bytes.Lines(comment) {
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
	return text.Prefix(b.String(), engine.MaxDoc)
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

// enumMembers adds the members of enums, and puts what is found into the order in
// which it begins.
func (s *sketch) enumMembers() {
	for i := range s.found {
		switch d := &s.found[i]; {
		case s.members == "|" && (d.symbol.Kind == engine.Type || d.symbol.Kind == engine.Enum):
			s.variantsOf(d)
		case s.members != "" && s.members != "|" && d.symbol.Kind == engine.Enum:
			s.membersOf(d)
		case s.extent == ofBrackets && d.symbol.Kind == engine.Interface:
			s.methodsOf(d)
		}
	}
	slices.SortStableFunc(s.found, func(a, b declared) int {
		return cmp.Or(cmp.Compare(a.symbol.Start, b.symbol.Start), cmp.Compare(b.symbol.End, a.symbol.End))
	})
}

// membersOf adds the members of an enum: the first name of each, behind what is written
// before it with an @, up to a semicolon behind which methods follow.
func (s *sketch) membersOf(enum *declared) {
	at, end := s.closingBracket(enum.symbol.Start, enum.symbol.End, '{')
	if at < 0 || end > enum.symbol.End {
		return
	}
	expected := true
	for at++; at < end; {
		size, isName := s.word(at)
		switch c := s.bare[at]; {
		case strings.IndexByte("([{", c) >= 0:
			at = s.afterBracket(at, end) - 1
		case strings.IndexByte(s.members, c) >= 0:
			expected = true
		case c == ';':
			return
		case c == '@':
			n, _ := s.word(at + 1)
			size = n + 1
		case isName && expected && !s.isAttribute(at+size, end):
			s.member(enum, at, size, engine.EnumMember)
			expected = false
		}
		at += max(1, size)
	}
}

// methodsOf adds the methods of an interface, each in brackets of its own: (close [this]).
func (s *sketch) methodsOf(of *declared) {
	for at, end := of.nameAt+len(of.symbol.Name), of.symbol.End; at < end; at++ {
		if strings.IndexByte("([{", s.bare[at]) < 0 {
			continue
		}
		open := at
		at = s.afterBracket(at, end) - 1
		m := methodName.FindSubmatchIndex(s.bare[open:at])
		if m == nil {
			continue
		}
		if s.isFull() {
			return
		}
		s.member(of, open+m[2], m[3]-m[2], engine.Function)
		method := &s.found[len(s.found)-1].symbol
		method.Start, method.DocStart, method.End = open, open, at+1
		method.StartLine, method.EndLine = s.row(open)+1, s.row(at)+1
		method.Signature = engine.OneLine(s.src[open : at+1])
	}
}

// methodName matches the bracket before a method and its name, behind what is said of its type.
var methodName = lazyregexp.MustCompile(`^\(\s*(?:\^\S+\s+)*([^\s()\[\]{}"^]+)`)

// variantsOf adds what a type may be, type t = A | B of int, and the fields of a record,
// type t = { a : int; b : int }.
func (s *sketch) variantsOf(d *declared) {
	expected := byte(0) // what comes before the next name
	for at := d.nameAt + len(d.symbol.Name); at < d.symbol.End; {
		size, isName := s.word(at)
		switch c := s.bare[at]; {
		case c == '{':
			s.fieldsOf(d, at)
			fallthrough
		case c == '(' || c == '[':
			at = s.afterBracket(at, d.symbol.End) - 1
			expected = 0
		case c == '=' || c == '|':
			expected = c
		case isName && memberWords[string(s.bare[at:at+size])]:
			return // what follows belongs to the type, and does not say what it may be
		case isName:
			first, _ := utf8.DecodeRune(s.bare[at:])
			if expected != 0 && unicode.IsUpper(first) && (at+size == len(s.bare) || s.bare[at+size] != '.') {
				s.member(d, at, size, engine.EnumMember)
			}
			expected = 0
		}
		at += max(1, size)
	}
}

// fieldsOf adds the names before a colon in the record that a bracket opens.
func (s *sketch) fieldsOf(record *declared, at int) {
	for end := s.afterBracket(at, record.symbol.End) - 1; at < end; {
		size, isName := s.word(at)
		if c := s.bare[at]; at > 0 && isName {
			if rest := bytes.TrimLeft(s.bare[min(at+size, end):end], " \t"); len(rest) > 0 && rest[0] == ':' {
				s.member(record, at, size, engine.Field)
			}
		} else if c == '(' || c == '[' {
			size = s.afterBracket(at, end) - at
		}
		at += max(1, size)
	}
}

// afterBracket returns the byte behind the bracket that closes the one at a byte, at most the limit.
func (s *sketch) afterBracket(at, limit int) int {
	if _, end := s.closingBracket(at, at+1, 0); end >= 0 && end < limit {
		return end + 1
	}
	return limit
}

// member adds a name in a declaration as a declaration of its own.
func (s *sketch) member(of *declared, at, size int, kind engine.Kind) {
	if s.isFull() {
		return
	}
	line := s.row(at)
	name := string(s.src[at : at+size])
	s.found = append(s.found, declared{line: line, nameAt: at, symbol: engine.Symbol{
		Name: name, Kind: kind, Parent: -1, Exported: of.symbol.Exported, Signature: name,
		Start: at, DocStart: at, End: at + size, StartLine: line + 1, EndLine: line + 1,
		NameLine: line + 1, NameColumn: at - int(s.lines[line]) + 1,
	}})
}

// isAttribute says whether a name that ends at a byte is only said of the name behind its
// arguments: deprecated("Use b.") a. Behind an empty line something else begins.
func (s *sketch) isAttribute(at, limit int) bool {
	open, end := s.closingBracket(at, min(at+1, limit), '(')
	if open < 0 || end < 0 || end >= limit {
		return false
	}
	rest := bytes.TrimLeft(s.bare[end+1:limit], " \t\r\n")
	if len(rest) == 0 || bytes.Count(s.bare[end+1:limit-len(rest)], []byte("\n")) > 1 {
		return false
	}
	_, isName := s.word(limit - len(rest))
	return isName
}

// nest finds what is in what, and puts the symbols into the File.
func (s *sketch) nest() {
	var open []int
	kept := s.found[:0]
	for i := range s.found {
		d := s.found[i]
		if n := len(kept); n > 0 && len(open) > 0 && kept[n-1].rule == d.rule &&
			kept[n-1].symbol.Start == d.symbol.Start &&
			open[len(open)-1] == len(s.file.Symbols)-1 {
			open = open[:len(open)-1] // names of one list, of which none is in the other
		}
		for len(open) > 0 && s.file.Symbols[open[len(open)-1]].End < d.symbol.End {
			if p := &s.file.Symbols[open[len(open)-1]]; p.End > d.symbol.Start {
				d.symbol.End, d.symbol.EndLine = p.End, p.EndLine // they cannot cross
				break
			}
			open = open[:len(open)-1]
		}
		parent := engine.Kind("")
		if len(open) > 0 {
			p := &s.file.Symbols[open[len(open)-1]]
			parent = p.Kind
			d.symbol.Parent = open[len(open)-1]
			d.symbol.Scope = engine.JoinScope(p.Scope, p.Name)
			if s.extent == ofBrackets && isType(p.Kind) { // its methods are functions beside it
				d.symbol.Scope = p.Scope
			}
			d.symbol.Exported = d.symbol.Exported && p.Exported && !p.Kind.IsFunction()
		}
		cut := d.symbol.End <= d.nameAt // of broken code: its name is behind what it began in
		if cut || s.isLocal(d.symbol.Kind, parent) || makesAnother(&d.symbol, parent) {
			continue
		}
		switch {
		case isType(parent) && d.symbol.Kind == engine.Function && s.extent != ofBrackets:
			d.symbol.Kind = engine.Method
		case parent == engine.Module && d.symbol.Kind == engine.Field:
			d.symbol.Kind = engine.Variable
		}
		if kind := d.symbol.Kind; kind != engine.Field && kind != engine.EnumMember { // nothing is in these
			open = append(open, len(s.file.Symbols))
		}
		kept = append(kept, d)
		s.file.Symbols = append(s.file.Symbols, d.symbol)
	}
	s.found = kept
}

// isLocal says whether what is in something of another kind is not a symbol: the
// variables of a function or macro are not, and what is set for a module that lies
// elsewhere is declared there.
func (s *sketch) isLocal(kind, parent engine.Kind) bool {
	if kind == engine.Key && parent == engine.Module {
		return true
	}
	inValue := parent == engine.Variable || parent == engine.Constant
	return kind == engine.Field && (parent.IsFunction() || parent == engine.Macro || parent == engine.Property) ||
		s.locals && !kind.IsFunction() && (parent.IsFunction() || inValue)
}

// makesAnother says whether what looks like a constructor is a call of one: it is in a
// function, or it is that of another type, as Headers.from() is in Message.
func makesAnother(y *engine.Symbol, parent engine.Kind) bool {
	owner, _, dotted := strings.Cut(y.Name, ".")
	return y.Kind == engine.Constructor &&
		(parent.IsFunction() || parent == engine.Property || isType(parent) && dotted && !strings.HasSuffix("."+y.Scope, "."+owner))
}

func isType(kind engine.Kind) bool {
	switch kind {
	case engine.Class, engine.Struct, engine.Interface, engine.Trait, engine.Impl:
		return true
	}
	return false
}

// occurrences notes every name: what a symbol is called is defined there, what
// comes before a bracket is called, the rest is read.
func (s *sketch) occurrences() {
	definitions := make([]int, len(s.found)) // symbols by where their name is
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
		if !define && s.joins != "" {
			s.parts(o)
		}
	}
}

// parts notes the parts of a qualified name besides the whole: of Alire.Paths.Root the names
// Alire, Paths and Root, and Alire.Paths, which may be the name of a package.
func (s *sketch) parts(whole engine.Occurrence) {
	isJoin := func(r rune) bool { return strings.ContainsRune(s.joins, r) }
	for at := 0; at < len(whole.Name); {
		rest := whole.Name[at:]
		size := strings.IndexFunc(rest, isJoin)
		switch {
		case size < 0 && at == 0:
			return
		case size < 0:
			size = len(rest)
		}
		if size > 0 {
			o := whole
			o.Name, o.Column, o.Role = rest[:size], whole.Column+at, engine.Read
			o.Qualifier = strings.TrimRightFunc(whole.Name[:at], isJoin)
			if at+size == len(whole.Name) {
				o.Role = whole.Role
			}
			s.file.Occurrences = append(s.file.Occurrences, o)
			if o.Qualifier != "" && at+size < len(whole.Name) {
				o.Name, o.Column, o.Qualifier = whole.Name[:at+size], whole.Column, ""
				s.file.Occurrences = append(s.file.Occurrences, o)
			}
		}
		at += size
		at += len(rest[size:]) - len(strings.TrimLeftFunc(rest[size:], isJoin))
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

// called says whether a name is where a function is.
func (s *sketch) called(at, size int) bool {
	if s.extent == ofBrackets {
		return at > 0 && s.bare[at-1] == '(' && !hasPrefixAt(s.bare, at, "def")
	}
	return at+size < len(s.bare) && s.bare[at+size] == '('
}

// row returns the line of a byte, from 0 on.
func (s *sketch) row(at int) int {
	i, found := slices.BinarySearch(s.lines, uint32(at))
	if !found {
		i--
	}
	return i
}
