package regexpoutline

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// commonWords are words of the languages themselves, which are not names worth
// finding.
var commonWords = text.WordSet("and as begin break case catch class const continue def default do done elif else elseif elsif end" +
	" endif enum esac except extends false fi final finally fn for from function func if implements import in interface is let" +
	" local module my new nil none not null of or package private procedure protected public return self static struct sub" +
	" switch then this throw true try type use using val var void when while with" +
	" AND BEGIN DO ELSE END FALSE FOR IF IN IS NOT NULL OF OR THEN TO TRUE VAR WHILE")

// statementWords begin statements that look like the head of a function: "else
// if (x) {", "return f(x)".
var statementWords = text.WordSet("if for while switch return catch else do until unless foreach elseif elif throw await yield case assert" +
	" delete when with using lock match try echo print goto raise not and or in")

// controlWords are not names of functions, whatever comes before them.
var controlWords = text.WordSet("Function if for while switch return catch else until unless foreach elseif elif case")

// functionWords stand right before the name of a function that is declared.
var functionWords = text.WordSet("sub def fun func fn function method proc procedure task macro subroutine let rec and Sub Function")

// memberWords begin what a type has besides what it may be.
var memberWords = text.WordSet("with member static interface inherit abstract override default new let do match function fun")

// mask fills code and bare. A text ends with its line, so that one quote too
// many does not take the rest of the file.
func (s *sketch) mask() {
	s.code, s.bare = bytes.Clone(s.src), bytes.Clone(s.src)
	line, pairs := strings.Fields(s.comment), strings.Fields(s.block)
	begins := func(at int, mark string) bool {
		switch mark[0] {
		case '^':
			return (at == 0 || s.src[at-1] == '\n') && hasPrefixAt(s.src, at, mark[1:])
		case '~':
			return hasPrefixAt(s.src, at, mark[1:]) && s.firstWord(at)
		}
		return hasPrefixAt(s.src, at, mark)
	}
	var starts [256]bool // bytes that a comment or text can begin with
	for _, mark := range line {
		starts[strings.TrimLeft(mark, "^~")[0]] = true
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		starts[strings.TrimLeft(pairs[i], "^~")[0]] = true
	}
	for i := range len(s.quotes) {
		starts[s.quotes[i]] = true
	}
	for i := 0; i < len(s.quoting); i++ {
		starts[s.quoting[i]] = true
	}
	starts['\''] = true
next:
	for at := 0; at < len(s.src); {
		if !starts[s.src[at]] {
			at++
			continue
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if begins(at, pairs[i]) {
				end := s.blockEnd(at+len(strings.TrimLeft(pairs[i], "^~")), pairs[i+1])
				eraseText(s.code[at:end])
				eraseText(s.bare[at:end])
				if pairs[i] == pairs[i+1] {
					s.codeWithin(at, end)
				}
				at = end
				continue next
			}
		}
		for _, mark := range line {
			if begins(at, mark) {
				end := text.LineEnd(s.src, at)
				eraseText(s.code[at:end])
				eraseText(s.bare[at:end])
				at = end
				continue next
			}
		}
		at = s.eraseQuoted(at)
	}
}

// maxWithin bounds how many texts may be within each other: "${f("${g("…")}")}".
const maxWithin = 20

// eraseQuoted erases the text that begins at a byte in bare, and returns where it ends.
func (s *sketch) eraseQuoted(at int) int {
	end := s.quoted(at)
	if s.holes != "" && s.within < maxWithin && end > at+1 && strings.IndexByte(s.quotes, s.src[at]) >= 0 {
		s.within++
		end = s.template(at)
		s.within--
		return end
	}
	eraseText(s.bare[at:end])
	if end > at+1 && s.listsNames(at) {
		s.restoreNames(at, end)
	}
	return max(at+1, end)
}

// statements returns the bytes from each match of what begins a statement to its semicolon.
func statements(src []byte, begins *regexp.Regexp) (all [][2]int) {
	for at := 0; at < len(src); {
		m := begins.FindIndex(src[at:])
		if m == nil {
			break
		}
		from := at + m[1]
		at = min(len(src), from+maxQuoted)
		if i := bytes.IndexByte(src[from:at], ';'); i >= 0 {
			at = from + i
		}
		all = append(all, [2]int{from, at})
	}
	return all
}

// listsNames reports whether the text that begins at a byte lists names: qw(total pay), or any in
// a statement for that.
func (s *sketch) listsNames(at int) bool {
	if s.listing == "" || hasPrefixAt(s.src, at, "qw") {
		return s.listing != ""
	}
	i, _ := slices.BinarySearchFunc(s.lists, at, func(l [2]int, at int) int { return cmp.Compare(l[1], at) })
	return i < len(s.lists) && s.lists[i][0] <= at
}

// restoreNames puts the names back that were erased with a text that lists them. What has a sign
// of its own, such as a tag, is none.
func (s *sketch) restoreNames(start, end int) {
	at := start + 1
	if hasPrefixAt(s.src, start, "qw") {
		at++
	}
	for at < end {
		if !isWord(s.src[at]) {
			at++
			continue
		}
		stop := at
		for stop < end && (isWord(s.src[stop]) || s.src[stop] == ':') {
			stop++
		}
		if strings.IndexByte(":-.", s.src[at-1]) < 0 {
			copy(s.bare[at:stop], s.src[at:stop])
		}
		at = stop
	}
}

// template is eraseQuoted for a text that may hold code, which it leaves: "a-${b}".
func (s *sketch) template(at int) int {
	quote, from := s.src[at], at
	for i := at + 1; ; {
		switch {
		case i >= len(s.src) || s.src[i] == '\n':
			eraseText(s.bare[from:min(i, len(s.src))])
			return min(i, len(s.src))
		case s.src[i] == quote:
			eraseText(s.bare[from : i+1])
			return i + 1
		case s.src[i] == '\\' && i+1 < len(s.src) && s.src[i+1] != '\n':
			i += 2
		default:
			size := s.codeLength(i)
			if size == 0 {
				i++
				continue
			}
			eraseText(s.bare[from : i+size])
			i = s.holeEnd(i+size, len(s.src))
			from = i
		}
	}
}

// codeLength returns the length of what begins code in a text at a byte, 0 if nothing does. Twice
// the sign stands for the sign itself.
func (s *sketch) codeLength(at int) int {
	for mark := range strings.FieldsSeq(s.holes) {
		if hasPrefixAt(s.src, at, mark) && s.src[at-1] != mark[0] &&
			(len(mark) > 1 || at+1 < len(s.src) && isWord(s.src[at+1])) {
			return len(mark)
		}
	}
	return 0
}

// holeEnd returns where the code in a text ends that begins at a byte: before the bracket
// that closes the one before it, with its line, or with its name if there is no bracket.
// Texts in it are erased.
func (s *sketch) holeEnd(at, limit int) int {
	closing, bracket := map[byte]byte{'{': '}', '(': ')'}[s.src[at-1]], s.src[at-1]
	for depth := 0; at < limit && s.src[at] != '\n'; {
		switch c := s.src[at]; {
		case closing == 0 && !isWord(c), c == closing && depth == 0:
			return at
		case c == closing:
			depth--
		case c == bracket:
			depth++
		case strings.IndexByte(s.quotes, c) >= 0:
			at = min(s.eraseQuoted(at), limit)
			continue
		}
		at++
	}
	return at
}

// codeWithin puts the code back that is in a text that was erased.
func (s *sketch) codeWithin(start, end int) {
	for at := start + 1; s.holes != "" && at < end; at++ {
		if size := s.codeLength(at); size > 0 {
			at += size
			stop := s.holeEnd(at, end)
			copy(s.bare[at:stop], s.src[at:stop])
			at = s.holeEnd(at, stop) // erases the texts in it
		}
	}
}

// quoted returns where the text ends that begins at a byte, or the byte if none does.
func (s *sketch) quoted(at int) int {
	if size := s.character(at); size > 0 {
		return at + size
	}
	if s.quoting != "" {
		if end := s.operator(at); end > at {
			return end
		}
	}
	if strings.IndexByte(s.quotes, s.src[at]) >= 0 {
		return textEnd(s.src, at)
	}
	return at
}

// character returns the length of a character in quotes that could be treated as a quote, a
// bracket or a comment, 0 if none is at a byte.
func (s *sketch) character(at int) int {
	switch rest := s.src[at:]; {
	case rest[0] != '\'' || len(rest) < 4 || at > 0 && s.src[at-1] == '\'':
	case rest[2] == '\'' && bytes.IndexByte([]byte("\"`(){}[]#;%/-"), rest[1]) >= 0:
		return 3
	case rest[1] == '\\' && rest[3] == '\'':
		return 4
	}
	return 0
}

// operator returns where a text or pattern of Perl ends that an operator begins: q{…},
// qw(…), m!…!, s{…}{…}, tr/…/…/; or a variable whose name is a sign, as in $#list. It is
// the byte itself if there is none.
func (s *sketch) operator(at int) int {
	if s.src[at] == '$' && at+1 < len(s.src) && strings.IndexByte("#'\"`", s.src[at+1]) >= 0 {
		return at + 2
	}
	if at > 0 && (isWord(s.src[at-1]) || strings.IndexByte("$@%&>{-", s.src[at-1]) >= 0) {
		return at
	}
	word := at
	for word < len(s.src) && isWord(s.src[word]) && word-at < 3 {
		word++
	}
	parts := quoteOperators[string(s.src[at:word])]
	if parts == 0 || word == len(s.src) || isWord(s.src[word]) || s.endless > maxEndless {
		return at
	}
	open := word
	for open < len(s.src) && s.src[open] == ' ' {
		open++
	}
	if open == len(s.src) || strings.IndexByte("{([</|!", s.src[open]) < 0 && (open > word || strings.IndexByte("#,~^%\"'", s.src[open]) < 0 || s.src[open] == ',') {
		return at
	}
	end := open
	for ; parts > 0 && end < len(s.src); parts-- {
		next := delimited(s.src, end)
		if next < 0 {
			s.endless++
			return at
		}
		end = next
		if parts > 1 && strings.IndexByte("{([<", s.src[open]) >= 0 {
			for end < len(s.src) && engine.IsSpace(s.src[end]) {
				end++
			}
		} else if parts > 1 {
			end-- // the middle one ends the first part and begins the second
		}
	}
	return end
}

// quoteOperators are those of Perl, with the number of their parts.
var quoteOperators = map[string]int{"q": 1, "qq": 1, "qw": 1, "qx": 1, "qr": 1, "m": 1, "s": 2, "y": 2, "tr": 2}

// maxQuoted bounds what one text may hold, so that an operator that is none does not take
// the rest of the file.
const maxQuoted = 20_000

// maxEndless bounds how many operators may be tried that have no end, so that time stays
// linear in the text.
const maxEndless = 500

// delimited returns the byte behind the text that the byte at a place delimits, -1 if it
// does not end.
func delimited(src []byte, at int) int {
	if at >= len(src) {
		return -1
	}
	open, closing := src[at], src[at]
	if i := strings.IndexByte("{([<", open); i >= 0 {
		closing = "})]>"[i]
	}
	depth := 0
	for i := at + 1; i < len(src) && i-at < maxQuoted; i++ {
		switch src[i] {
		case '\\':
			i++
		case closing:
			if depth == 0 {
				return i + 1
			}
			depth--
		case open:
			depth++
		}
	}
	return -1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// firstWord says whether nothing but blanks comes before a byte on its line.
// It looks back at most as far as indentation goes.
func (s *sketch) firstWord(at int) bool {
	for i := at - 1; i >= 0 && at-i < 200; i-- {
		if s.src[i] == '\n' {
			return true
		}
		if s.src[i] != ' ' && s.src[i] != '\t' {
			return false
		}
	}
	return at < 200
}

// blockEnd returns where the comment ends that goes on at a byte.
func (s *sketch) blockEnd(at int, mark string) int {
	if mark[0] == '^' {
		mark = "\n" + mark[1:]
	}
	if opening, nests := nesting[mark]; nests {
		return nestedEnd(s.src, at, opening, mark)
	}
	i := bytes.Index(s.src[at:], []byte(mark))
	if i < 0 {
		return len(s.src)
	}
	end := at + i + len(mark)
	if mark[0] == '\n' {
		return text.LineEnd(s.src, end)
	}
	return end
}

// nesting are the comments that may hold others of their kind: what opens them
// by what closes them.
var nesting = map[string]string{"*)": "(*", "-}": "{-", "|#": "#|", "+/": "/+", "=#": "#=", "]#": "#[", ";)": "(;"}

// nestedEnd returns where the comment ends that goes on at a byte.
func nestedEnd(src []byte, at int, opening, closing string) int {
	for depth := 1; at < len(src); {
		switch {
		case src[at] == closing[0] && hasPrefixAt(src, at, closing):
			at += len(closing)
			if depth--; depth == 0 {
				return at
			}
		case src[at] == opening[0] && hasPrefixAt(src, at, opening):
			at += len(opening)
			depth++
		default:
			at++
		}
	}
	return len(src)
}

// textEnd returns where the text ends that a quote at a byte begins: behind the
// same quote, or with the line.
func textEnd(src []byte, at int) int {
	quote := src[at]
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			if i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case '\n':
			return i
		}
	}
	return len(src)
}

func hasPrefixAt(src []byte, at int, prefix string) bool {
	return len(src)-at >= len(prefix) && string(src[at:at+len(prefix)]) == prefix
}

// eraseText puts blanks for all but the ends of lines.
func eraseText(text []byte) {
	for i, b := range text {
		if b != '\n' {
			text[i] = ' '
		}
	}
}

// indent measures the lines, and finds the brackets that belong together.
func (s *sketch) indent() {
	s.depth = make([]int32, len(s.lines))
	for i := range s.lines {
		start, end := s.line(i)
		width := int32(0)
		at := start
		for at < end && engine.IsSpace(s.code[at]) {
			if s.code[at] == '\t' {
				width += 8 - width%8
			} else {
				width++
			}
			at++
		}
		if s.depth[i] = width; at == end {
			s.depth[i] = -1
		}
	}
	var open []uint32
	for at, b := range s.bare {
		switch b {
		case '(', '[', '{':
			s.opens = append(s.opens, uint32(at))
			s.close = append(s.close, -1)
			open = append(open, uint32(len(s.opens)-1))
		case ')', ']', '}':
			if len(open) > 0 {
				s.close[open[len(open)-1]] = int32(at)
				open = open[:len(open)-1]
			}
		}
	}
}

// closingBracket returns the bracket that closes the first one from a byte on which has
// a mark, and where that is; -1 if there is none before the limit.
func (s *sketch) closingBracket(from, limit int, mark byte) (open, end int) {
	i, _ := slices.BinarySearch(s.opens, uint32(from))
	for ; i < len(s.opens) && int(s.opens[i]) < limit; i++ {
		if mark == 0 || s.bare[s.opens[i]] == mark {
			return int(s.opens[i]), int(s.close[i])
		}
	}
	return -1, -1
}

// findEnds finds where each declaration ends, and its head.
func (s *sketch) findEnds() {
	deeper := s.ofIndentation()
	var following []int // declarations by rule that wait for the next one
	for i := range s.found {
		d := &s.found[i]
		_, lineEnd := s.line(d.line)
		d.symbol.End, d.symbol.EndLine = lineEnd, d.line+1
		head := lineEnd
		switch s.rules[d.rule].extent {
		case ofBraces:
			head = s.braces(i)
		case ofIndent, ofEnd, ofAssigned:
			s.endAt(d, s.lastLine(d.line, deeper[d.line], s.rules[d.rule].extent))
		case ofBrackets:
			from := d.symbol.Start
			if _, end := s.closingBracket(from, d.nameAt, '('); end >= 0 {
				d.symbol.End, d.symbol.EndLine = end+1, s.row(end)+1
			}
		case ofUntil:
			s.endAt(d, s.lineBeginning(d.line, s.rules[d.rule].until))
		case ofBack:
			s.beginAtBracket(d)
		case ofNext:
			for len(following) > 0 && s.found[following[len(following)-1]].rule >= d.rule {
				s.endBefore(following[len(following)-1], d.line)
				following = following[:len(following)-1]
			}
			following = append(following, i)
		default:
			s.ofOneLine(d, lineEnd)
		}
		if d.symbol.End < d.nameAt+len(d.symbol.Name) {
			d.symbol.End, d.symbol.EndLine = lineEnd, d.line+1
		}
		d.symbol.Signature = engine.OneLine(bytes.TrimRight(s.src[d.symbol.Start:max(d.symbol.Start,
			min(head, d.symbol.End))], " \t\r\n"))
		d.symbol.End = max(d.symbol.Start, len(bytes.TrimRight(s.src[:d.symbol.End], " \t\r\n")))
		d.symbol.EndLine = max(d.line+1, s.row(max(d.symbol.Start, d.symbol.End-1))+1)
	}
	for _, i := range following {
		s.endBefore(i, len(s.lines))
	}
}

// beginAtBracket begins a declaration with the line of the bracket that its own line
// closes right before the name.
func (s *sketch) beginAtBracket(d *declared) {
	if s.opened == nil {
		s.opened = make(map[int32]uint32, len(s.opens))
		for i, closed := range s.close {
			s.opened[closed] = s.opens[i]
		}
	}
	closed := bytes.LastIndexAny(s.bare[d.symbol.Start:d.nameAt], ")]}")
	open, ok := s.opened[int32(d.symbol.Start+closed)]
	if closed < 0 || !ok {
		return
	}
	line := s.row(int(open))
	start, _ := s.line(line)
	for engine.IsSpace(s.src[start]) {
		start++
	}
	if slices.Contains(strings.Fields(string(s.bare[start:open])), "enum") {
		d.symbol.Kind = engine.Enum
	}
	d.symbol.Start, d.symbol.StartLine = start, line+1
	d.symbol.Doc, d.symbol.DocStart = s.docAbove(line, start)
}

// lineBeginning returns the first line after a line that begins with a word.
func (s *sketch) lineBeginning(line int, word string) int {
	if s.begin == nil {
		s.begin = make(map[string][]int)
	}
	lines, known := s.begin[word]
	if !known {
		for i := range s.lines {
			start, end := s.line(i)
			if text := bytes.TrimLeft(s.bare[start:end], " \t"); s.depth[i] >= 0 && bytes.HasPrefix(text, []byte(word)) {
				lines = append(lines, i)
			}
		}
		s.begin[word] = lines
	}
	if i, _ := slices.BinarySearch(lines, line+1); i < len(lines) {
		return lines[i]
	}
	return len(s.lines) - 1
}

// braces ends a declaration with its brace and returns where its head ends. The
// brace must come before a semicolon, and before the next declaration.
func (s *sketch) braces(i int) (head int) {
	d := &s.found[i]
	limit := min(len(s.bare), d.matched+2000)
	if i+1 < len(s.found) {
		limit = min(limit, s.found[i+1].symbol.Start)
	}
	from := d.nameAt
	if s.bare[d.matched-1] == '}' {
		from = d.matched // what the rule took is not a body
	}
	for from < limit {
		open, end := s.closingBracket(from, limit, 0)
		until := open
		if open < 0 {
			until = limit
		}
		if open < 0 || bytes.IndexByte(s.bare[from:until], ';') >= 0 {
			break
		}
		if s.bare[open] != '{' { // parameters, which may have braces of their own
			if end < 0 {
				break
			}
			from = end + 1
			continue
		}
		if end < 0 {
			end = len(s.src) - 1 // it never closes
		}
		d.symbol.End, d.symbol.EndLine = end+1, s.row(end)+1
		return open
	}
	_, lineEnd := s.line(d.line)
	s.ofOneLine(d, lineEnd)
	return lineEnd
}

// ofOneLine ends a declaration with its line, or with the brackets that are open
// at the end of it.
func (s *sketch) ofOneLine(d *declared, lineEnd int) {
	from := d.symbol.Start
	for line := d.line; lineEnd > 0 && s.code[lineEnd-1] == '\\' && line+1 < len(s.lines) && line-d.line < 1000; line++ {
		_, lineEnd = s.line(line + 1)
		d.symbol.End, d.symbol.EndLine = lineEnd, line+2
	}
	for {
		open, end := s.closingBracket(from, lineEnd, 0)
		if open < 0 {
			return
		}
		if end > lineEnd {
			_, last := s.line(s.row(end))
			d.symbol.End, d.symbol.EndLine = last, s.row(end)+1
			return
		}
		from = max(open, end) + 1
	}
}

// ofIndentation returns for each line the first one after it that is indented no
// deeper.
func (s *sketch) ofIndentation() []int32 {
	next := make([]int32, len(s.lines))
	var open []int32
	for i := range s.lines {
		next[i] = int32(len(s.lines))
		if s.depth[i] < 0 {
			continue
		}
		for len(open) > 0 && s.depth[open[len(open)-1]] >= s.depth[i] {
			next[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
		open = append(open, int32(i))
	}
	return next
}

// lastLine returns the last line of a declaration of which the first line that
// is indented no deeper is known. A line that only goes on with the head, such
// as one with begin, does not end it.
func (s *sketch) lastLine(line int, next int32, extent extent) int {
	last := int(next) - 1
	for last > line && s.depth[last] < 0 {
		last-- // what is written about the next one
	}
	for tries := 0; extent != ofIndent && tries < 3 && int(next) < len(s.lines) &&
		s.depth[next] >= s.depth[line]; tries++ {
		start, end := s.line(int(next))
		word := strings.ToLower(firstWordOf(s.bare[start:min(end, start+80)]))
		switch {
		case strings.HasPrefix(word, "end"), closers[word]:
			return int(next)
		case openers[word] && extent == ofEnd: // begin on a line of its own: what follows is the body
			following := int(next) + 1
			for following < len(s.lines) && (s.depth[following] < 0 || s.depth[following] > s.depth[line]) {
				following++
			}
			last, next = following-1, int32(following)
		default:
			return last
		}
	}
	return last
}

// closers and openers are words, in lower case, that end a declaration or begin
// its body.
var (
	closers = text.WordSet("} ) ] fi done esac until wend next")
	openers = text.WordSet("begin contains is as var const type label declare { do then")
)

func firstWordOf(line []byte) string {
	line = bytes.TrimLeft(line, " \t\r")
	n := 0
	for n < len(line) && (line[n] == '_' || line[n] >= 'a' && line[n] <= 'z' || line[n] >= 'A' && line[n] <= 'Z') {
		n++
	}
	if n == 0 && len(line) > 0 {
		n = 1
	}
	return string(line[:n])
}

func (s *sketch) endAt(d *declared, line int) {
	_, end := s.line(min(max(line, d.line), len(s.lines)-1))
	d.symbol.End = end
}

// endBefore ends a declaration before a line, and before the comment above it.
func (s *sketch) endBefore(i, line int) {
	d := &s.found[i]
	for line-1 > d.line && s.depth[line-1] < 0 {
		line--
	}
	s.endAt(d, line-1)
	d.symbol.End = max(d.symbol.Start, len(bytes.TrimRight(s.src[:d.symbol.End], " \t\r\n")))
	d.symbol.EndLine = max(d.line+1, s.row(max(d.symbol.Start, d.symbol.End-1))+1)
}
