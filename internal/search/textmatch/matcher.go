// Package textmatch finds the lines of a text that patterns match: literals at the speed of
// memory, regular expressions within a bound on their work.
package textmatch

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// A Matcher finds the lines of a text that one pattern matches. Matches never
// cross a line.
//
// Regular expressions are slow where they have nothing to look for and fast
// where a fixed text leads them, so a matcher knows the texts of which one must
// stand in every match (needs), looks for these, and runs the expression over
// the lines that hold one.
type Matcher struct {
	Source string
	needs  []literal      // one of them is in every match; none = unknown
	Exact  bool           // a literal is a match by itself: no expression needed
	word   bool           // the match must stand alone, for exact matchers
	re     *regexp.Regexp // nil when exact
	group  int            // the group of re that is the match
	Steps  int64          // of re, at most, for each byte of a text
	Filter trigram.Query  // holds for every text with a match
}

// MaxPatterns is how many patterns one search may have.
const MaxPatterns = 5

// New compiles a pattern. where names it in a Problem.
func New(where any, pattern string, form Form) (*Matcher, error) {
	m := &Matcher{Source: pattern, word: form.Word}
	if !form.Regex && (!form.Fold || text.IsASCII(pattern)) {
		if strings.ContainsAny(pattern, "\n\r") {
			return nil, severalLines(where, pattern)
		}
		m.Exact = true
		m.Filter = trigram.Literal(pattern)
		m.needs = []literal{newLiteral(pattern, form.Fold)}
		return m, nil
	}
	source := pattern
	if !form.Regex {
		source = regexp.QuoteMeta(pattern)
	}
	if form.Fold {
		source = "(?i:" + source + ")"
	}
	tree, err := syntax.Parse(source, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, badExpression(where, pattern, err)
	}
	if spansLines(tree) {
		return nil, severalLines(where, pattern)
	}
	keepToLine(tree)
	simple := tree.Simplify()
	m.needs, m.Filter = needed(simple), trigram.Expression(simple)
	text := tree.String()
	if form.Word {
		// The neighbours are part of the expression, not a check afterwards:
		// only then does the engine try its other ways to match.
		text = `(?:(?m:^)|[^\pL\pN_\n])(` + text + `)(?:(?m:$)|[^\pL\pN_\n])`
		m.group = 1
	}
	program, err := syntax.Compile(simple)
	if err != nil {
		return nil, badExpression(where, pattern, err)
	}
	if m.Steps = int64(len(program.Inst)); m.Steps > maxSteps {
		return nil, problem.New(problem.InvalidArgument, "search.expression_too_large", where, m.Steps, maxSteps).
			Or("search.write_smaller_repetitions").
			Or("search.send_several_patterns", msg.Param("pattern"), MaxPatterns)
	}
	if m.re, err = regexp.Compile(text); err != nil {
		return nil, badExpression(where, pattern, err)
	}
	return m, nil
}

// maxOfAFile is how long an expression in a file of a project may be, in bytes.
const maxOfAFile = 2 << 10

// OfAFile returns the expression that a file of a project holds, unless it is larger than
// anybody needs: whoever wrote it, it costs little to compile and to match.
func OfAFile(expression string) (*regexp.Regexp, error) {
	if len(expression) > maxOfAFile {
		return nil, msg.Err("search.expression_of_a_file_too_long", len(expression), maxOfAFile)
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxSteps {
		return nil, msg.Err("search.expression_of_a_file_too_large", len(program.Inst), maxSteps)
	}
	return regexp.Compile(expression)
}

// Form says how the patterns of a question are to be read.
type Form struct{ Regex, Fold, Word bool }

func severalLines(where any, pattern string) error {
	first, _, _ := strings.Cut(strings.ReplaceAll(pattern, `\n`, "\n"), "\n")
	return problem.New(problem.InvalidArgument, "search.holds_line_break", where, op.SearchText).
		Or("search.search_one_line_such_context", strings.TrimSpace(first))
}

// badExpression says where an expression goes wrong.
func badExpression(where any, pattern string, err error) error {
	wrong := msg.Literal(err.Error())
	var se *syntax.Error
	if errors.As(err, &se) {
		wrong = msg.New("search.wrong_expression", se.Code, se.Expr)
		if i := strings.Index(pattern, se.Expr); i >= 0 && se.Expr != "" {
			wrong = msg.New("search.wrong_at_character", se.Code, se.Expr, utf8.RuneCountInString(pattern[:i])+1)
		}
	}
	return problem.New(problem.InvalidArgument, "search.no_valid_regular_expression_re", where, wrong).
		Or("search.leave_regex_out_for_literal_text", msg.Param("regex")).
		Or("search.escape_what_meant_literally", regexp.QuoteMeta(pattern))
}

// keepToLine changes an expression so that it cannot match a line break, and
// so that text ends mean line ends. Its groups go: nobody asks what is in them, and each
// makes every step of the engine slower.
func keepToLine(re *syntax.Regexp) {
	for re.Op == syntax.OpCapture {
		*re = *re.Sub[0]
	}
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
	case syntax.OpCharClass:
		var kept []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo > '\n' || hi < '\n' {
				kept = append(kept, lo, hi)
				continue
			}
			if lo < '\n' {
				kept = append(kept, lo, '\n'-1)
			}
			if hi > '\n' {
				kept = append(kept, '\n'+1, hi)
			}
		}
		re.Rune = kept
		if len(kept) == 0 {
			re.Op = syntax.OpNoMatch
		}
	}
	for _, sub := range re.Sub {
		keepToLine(sub)
	}
}

// spansLines reports whether an expression asks for a line break in so many words.
func spansLines(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		for _, r := range re.Rune {
			if r == '\n' {
				return true
			}
		}
	}
	for _, sub := range re.Sub {
		if spansLines(sub) {
			return true
		}
	}
	return false
}

// needed returns texts of which one is in every match of re, or none if
// there are no such texts of use.
func needed(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		content := string(re.Rune)
		fold := re.Flags&syntax.FoldCase != 0
		if fold && !text.IsASCII(content) {
			return nil
		}
		return []literal{newLiteral(content, fold)}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if n := needed(sub); better(n, best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			n := needed(sub)
			if n == nil || len(all)+len(n) > 8 {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// Careful returns matchers for texts with letters beyond ASCII that an expression which
// ignores case takes for ASCII ones, see [UnlikeASCII]. These matchers look for no literal
// first. Careful returns nil if it makes no difference.
func Careful(matchers []*Matcher) []*Matcher {
	var list []*Matcher
	for i, m := range matchers {
		folds := !m.Exact && slices.ContainsFunc(m.needs,
			func(n literal) bool { return n.fold && bytes.ContainsAny(n.text, "ks") })
		if !folds {
			continue
		}
		if list == nil {
			list = slices.Clone(matchers)
		}
		alone := *m
		alone.needs = nil
		list[i] = &alone
	}
	return list
}

// UnlikeASCII reports whether a text contains the long s or the Kelvin sign, which
// fold to s and k.
func UnlikeASCII(text []byte) bool {
	return bytes.Contains(text, []byte("\u017F")) || bytes.Contains(text, []byte("\u212A"))
}

// better compares literals by their shortest text, the one that is found most.
func better(a, b []literal) bool {
	shortest := func(n []literal) int {
		if len(n) == 0 {
			return 0
		}
		least := len(n[0].text)
		for _, x := range n[1:] {
			least = min(least, len(x.text))
		}
		return least
	}
	return shortest(a) > shortest(b)
}

// Next returns the first match at or after from. from is the start of a line.
// Two further values bound the match; the line is the caller's to cut out. Where the
// work is used up there is none.
func (m *Matcher) Next(content []byte, from int, w *Work) (start, end int, ok bool) {
	if m.Exact {
		return m.nextExact(content, from)
	}
	for from < len(content) {
		if len(m.needs) == 0 {
			// No match crosses a line, so the text can be taken in stretches.
			hi := text.LineEnd(content, min(from+stretch, len(content)-1))
			if start, end, ok := m.expression(content, from, hi, w); ok || w.Out {
				return start, end, ok
			}
			from = hi + 1
			continue
		}
		hit := -1
		limit := len(content)
		for i := range m.needs {
			if at := m.needs[i].index(content[from:limit]); at >= 0 {
				hit = from + at
				// Nothing after this line can come first.
				limit = text.LineEnd(content, hit)
			}
		}
		if hit < 0 {
			return 0, 0, false
		}
		lo, hi := LineStart(content, hit), text.LineEnd(content, hit)
		if start, end, ok := m.expression(content, lo, hi, w); ok || w.Out {
			return start, end, ok
		}
		from = hi + 1
	}
	return 0, 0, false
}

// expression runs the expression over text[lo:hi], whole lines without the last break.
func (m *Matcher) expression(text []byte, lo, hi int, w *Work) (start, end int, ok bool) {
	if hi > lo && text[hi-1] == '\r' {
		hi--
	}
	if !w.take(m.Steps * int64(hi-lo+1)) {
		return 0, 0, false
	}
	loc := m.re.FindSubmatchIndex(text[lo:hi])
	if loc == nil {
		return 0, 0, false
	}
	w.left += m.Steps * int64(hi-lo-loc[1]) // it went no further
	return lo + loc[2*m.group], lo + loc[2*m.group+1], true
}

func (m *Matcher) nextExact(text []byte, from int) (start, end int, ok bool) {
	n := &m.needs[0]
	for from < len(text) {
		at := n.index(text[from:])
		if at < 0 {
			return 0, 0, false
		}
		start, end := from+at, from+at+len(n.text)
		if !m.word || isWholeWord(text, start, end) {
			return start, end, true
		}
		from = start + 1
	}
	return 0, 0, false
}

// isWholeWord reports whether text[start:end] has no word character as neighbour.
func isWholeWord(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := utf8.DecodeRune(text[end:])
	return (start == 0 || !WordRune(before)) && (end == len(text) || !WordRune(after))
}

func WordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// LineStart returns the offset of the line that at is in.
func LineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }
