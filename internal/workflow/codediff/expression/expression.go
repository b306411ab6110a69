// Package expression evaluates conditions of any language as text, as far as that needs no running code, and
// cuts text into tokens. Packages noeffect and tokens use it.
package expression

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
)

// A Truth is the value of a condition as far as it is known without running it.
type Truth int

const (
	Unknown Truth = iota
	No
	Yes
)

// Evaluate evaluates the text of a condition.
func Evaluate(text string) Truth {
	e := &condition{}
	src := []byte(text)
	for at := 0; at < len(src); {
		if src[at] == '"' || src[at] == '\'' {
			if end := slices.Index(src[at+1:], src[at]); end >= 0 {
				e.toks = append(e.toks, string(src[at:at+end+2]))
				at += end + 2
				continue
			}
		}
		n := TokenLength(src[at:])
		if t := src[at : at+n]; !IsSpace(t) {
			e.toks = append(e.toks, Number(string(t)))
		}
		at += n
	}
	t := e.or()
	if e.at < len(e.toks) {
		return Unknown
	}
	return t
}

// A condition is read by descent.
type condition struct {
	toks []string
	at   int
}

func (e *condition) take(words ...string) bool {
	if e.at+len(words) > len(e.toks) || !slices.Equal(e.toks[e.at:e.at+len(words)], words) {
		return false
	}
	e.at += len(words)
	return true
}

func (e *condition) or() Truth { return e.joined(e.and, Yes, "or", "|") }

func (e *condition) and() Truth { return e.joined(e.not, No, "and", "&") }

// joined evaluates the operands of "and" or "or": one operand with the decisive value decides, and so
// do two that contradict each other.
func (e *condition) joined(part func() Truth, decisive Truth, word, sign string) Truth {
	from := e.at
	t := part()
	parts := []string{strings.Join(e.toks[from:e.at], " ")}
	for e.take(word) || e.take(sign, sign) {
		from = e.at
		right := part()
		text := strings.Join(e.toks[from:e.at], " ")
		switch {
		case t == decisive || right == decisive || slices.ContainsFunc(parts, func(p string) bool {
			return areOpposite(p, text) || areDisjoint(p, text, decisive == Yes)
		}):
			t = decisive
		case t == Unknown || right == Unknown:
			t = Unknown
		}
		parts = append(parts, text)
	}
	return t
}

// contraries are pairs of operators of which exactly one is true for the same operands.
var contraries = [][2]string{{". is_ok ( )", ". is_err ( )"}, {". is_some ( )", ". is_none ( )"}, {" is None", " is not None"}, {" is null", " is not null"},
	{" = = =", " ! = ="}, {" = =", " ! ="}, {" < ", " > = "}, {" > ", " < = "}, {". nil ?", ". present ?"}}

// areOpposite reports whether exactly one of two conditions is true. Conditions that call something
// with arguments never count.
func areOpposite(a, b string) bool {
	if calls := strings.ReplaceAll(a, "( )", ""); strings.Contains(calls, "(") {
		return false
	}
	for _, not := range []string{"! ", "not "} {
		if a == not+b || b == not+a {
			return true
		}
	}
	return slices.ContainsFunc(contraries, func(c [2]string) bool {
		return strings.Contains(a, c[0]) && strings.Replace(a, c[0], c[1], 1) == b ||
			strings.Contains(b, c[0]) && strings.Replace(b, c[0], c[1], 1) == a
	})
}

// limit finds a condition that compares something with a number, or asks whether it is a text.
var limit = lazyregexp.MustCompile(`^([^()=<>!]+(?:\. (?:length|size|len|count) \( \) )?|(?:len|count|strlen) \( [^()]+ \) ) ?(< =|> =|= = =|= =|! = =|! =|<|>) (- )?(\d[\d.]*f?|"[^"]*"|'[^']*')$`)

// beyondSize matches a condition that something is at least how many there are of another thing.
var beyondSize = lazyregexp.MustCompile(`^([^()=<>!]+?) (> =|>) (?:[^()=<>!]+ \. (?:length|(?:length|size|len|count) \( \))|(?:len|count|strlen) \( [^()]+ \)) ?$`)

// sizeOf finds what asks a text how long it is.
var sizeOf = lazyregexp.MustCompile(`^ ?\. (?:length|len|size|Length)(?: \( \))? ?$`)

// areDisjoint reports whether no value meets two conditions on the same thing, or, of any, whether each value
// meets one of them.
func areDisjoint(a, b string, either bool) bool {
	if !either { // what is more than there are of something is not negative
		a, b = beyondSize.ReplaceAllString(a, "$1 $2 0"), beyondSize.ReplaceAllString(b, "$1 $2 0")
	}
	l, r := limit.FindStringSubmatch(a), limit.FindStringSubmatch(b)
	if l != nil && r != nil && r[4] == `""` {
		l, r = r, l
	}
	if l != nil && r != nil && l[4] == `""` && sizeOf.MatchString(strings.TrimPrefix(r[1], l[1])) { // of no text
		l = []string{l[0], r[1], l[2], "", "0"}
	}
	if l == nil || r == nil || strings.TrimSpace(l[1]) != strings.TrimSpace(r[1]) {
		return false
	}
	side := func(m []string) (op string, value string, n float64, ok bool) {
		op = strings.ReplaceAll(m[2], " ", "")
		if either { // the values that do not meet it
			op = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "!=": "==", "!==": "=="}[op]
		}
		value = strings.Trim(m[4], `"'`)
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(m[3]+m[4], " ", ""), "f"), 64)
		return strings.Replace(op, "===", "==", 1), value, n, err == nil
	}
	opA, textA, nA, numberA := side(l)
	opB, textB, nB, numberB := side(r)
	switch {
	case opA == "" || opB == "" || numberA != numberB:
		return false
	case opA == "==" && opB == "==":
		return textA != textB && (!numberA || nA != nB)
	case !numberA:
		return false
	case strings.HasPrefix(opA, "<") || opA == "==" && strings.HasPrefix(opB, ">"):
	case strings.HasPrefix(opB, "<") || opB == "==":
		opA, opB, nA, nB = opB, opA, nB, nA
	default:
		return false
	}
	// now the first is at most, the second at least
	if strings.HasPrefix(opA, ">") || strings.HasPrefix(opB, "<") {
		return false
	}
	return nA < nB || nA == nB && (opA == "<" || opB == ">")
}

func (e *condition) not() Truth {
	if e.take("not") || e.at < len(e.toks) && e.toks[e.at] == "!" && e.take("!") {
		return [...]Truth{Unknown: Unknown, No: Yes, Yes: No}[e.not()]
	}
	return e.comparison()
}

// comparisons are the operators, longest first.
var comparisons = [][]string{{"=", "=", "="}, {"!", "=", "="}, {"is", "not"}, {"=", "="}, {"!", "="}, {"<", "="},
	{">", "="}, {"is"}, {"<"}, {">"}}

func (e *condition) comparison() Truth {
	from := e.at
	if e.take("(") {
		t := e.or()
		if e.take(")") {
			if e.at == len(e.toks) || !isComparison(e.toks[e.at:]) {
				return t
			}
		} else {
			e.at = from
			return e.skip()
		}
	}
	left := e.operand()
	for _, op := range comparisons {
		if !e.take(op...) {
			continue
		}
		right := e.operand()
		return compare(left, strings.Join(op, ""), right)
	}
	return Literal(left)
}

func isComparison(toks []string) bool {
	return slices.ContainsFunc(comparisons, func(op []string) bool { return len(toks) >= len(op) && slices.Equal(toks[:len(op)], op) })
}

// skip passes over what cannot be evaluated.
func (e *condition) skip() Truth {
	e.operand()
	return Unknown
}

// operand takes the tokens up to the next operator of a condition.
func (e *condition) operand() (toks []string) {
	depth := 0
	for ; e.at < len(e.toks); e.at++ {
		t := e.toks[e.at]
		if depth == 0 {
			rest := e.toks[e.at:]
			if t == "or" || t == "and" || t == ")" || isComparison(rest) ||
				len(rest) > 1 && (t == "|" || t == "&") && rest[1] == t {
				return toks
			}
		}
		depth += Nesting(t)
		toks = append(toks, t)
	}
	return toks
}

// Literal says what a value that is written out, given by its tokens, counts for as a condition.
func Literal(toks []string) Truth {
	text := strings.Join(toks, "")
	switch text {
	case "false", "False", "Boolean.FALSE", "FALSE", "0", "nil", "null", "None", `""`, "''", "[]", "{}", "()", "undefined", "NULL", "nullptr",
		"TYPE_CHECKING", "typing.TYPE_CHECKING": // of Python: for type checkers alone
		return No
	case "true", "True", "Boolean.TRUE", "TRUE", "__debug__":
		return Yes
	}
	if _, err := strconv.ParseFloat(strings.TrimSuffix(text, "f"), 64); err == nil {
		return Yes
	}
	return Unknown
}

// compare compares two operands: numbers, texts, or two that read the same and call
// nothing.
func compare(left []string, op string, right []string) Truth {
	l, r := strings.Join(left, " "), strings.Join(right, " ")
	if l == "" || r == "" {
		return Unknown
	}
	decide := func(b bool) Truth {
		if b {
			return Yes
		}
		return No
	}
	a, errA := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(l, " ", ""), "f"), 64)
	b, errB := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(r, " ", ""), "f"), 64)
	order := 0
	switch {
	case errA == nil && errB == nil:
		order = int(sign(a - b))
	case errB == nil && b <= 0 && isSize.MatchString(l):
		switch { // which is 0 or more
		case b == 0 && op == ">=", b < 0 && (op == ">" || op == ">=" || op == "!=" || op == "!=="):
			return Yes
		case b == 0 && op == "<", b < 0:
			return No
		}
		return Unknown
	case l == "NaN" || r == "NaN" || l == "Number . NaN" || r == "Number . NaN":
		return decide(op[0] == '!')
	case strings.HasPrefix(l, "typeof ") && IsText(r) && !slices.Contains(typesOfScripts, r[1:len(r)-1]):
		return decide(op[0] == '!')
	case IsText(l) && IsText(r):
		order = strings.Compare(l[1:len(l)-1], r[1:len(r)-1])
	case l == r && op[0] == '!' && IsWord(l) && len(left) == 1:
		return Unknown // so a number is found that is none
	case l == r && !strings.Contains(l, "("):
	case (Literal(left) != Unknown || l == "true") && (Literal(right) != Unknown) && IsWord(l) && IsWord(r):
		order = strings.Compare(l, r)
	default:
		return Unknown
	}
	switch op {
	case "==", "===", "is":
		return decide(order == 0)
	case "!=", "!==", "isnot":
		return decide(order != 0)
	case "<":
		return decide(order < 0)
	case ">":
		return decide(order > 0)
	case "<=":
		return decide(order <= 0)
	case ">=":
		return decide(order >= 0)
	}
	return Unknown
}

// typesOfScripts are what "typeof" of JavaScript gives.
var typesOfScripts = strings.Fields("undefined object boolean number bigint string symbol function")

// isSize finds how many there are of something.
var isSize = lazyregexp.MustCompile(`^(?:len|count|sizeof|strlen) \( [^()]*(?:\( [^()]*\) ?[^()]*)*\)$|[\w)\]] \. (?:(?:len|size|count) \( \)|length(?: \( \))?|Length|Count(?: \( \))?)$`)

func sign(f float64) float64 {
	switch {
	case f < 0:
		return -1
	case f > 0:
		return 1
	}
	return 0
}

// IsText reports whether a token is a text in quotes.
func IsText(s string) bool {
	return len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0]
}

// IsSpace reports whether a token is white space.
func IsSpace(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 || string(text) == "\ufeff" }

// TokenLength returns the bytes of the first token: a word, a number, white space or
// one character.
func TokenLength(text []byte) int {
	class := func(r rune) int {
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			return 1
		case r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return 2
		}
		return 0
	}
	first, n := utf8.DecodeRune(text)
	kind := class(first)
	for kind > 0 && n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if class(r) != kind && !(r == '.' && unicode.IsDigit(first) && n+1 < len(text) && text[n+1] >= '0' && text[n+1] <= '9') {
			break
		}
		n += size
	}
	return n
}

// Number writes a number in one way; other words stay as they are.
func Number(text string) string {
	if text[0] < '0' || text[0] > '9' {
		return text
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	plain := strings.ReplaceAll(text, "_", "")
	if f, err := strconv.ParseFloat(plain, 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64) + "f"
	}
	return plain
}

// IsWord reports whether a token begins as names do.
func IsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && (r == '_' || r == '$' || unicode.IsLetter(r))
}

// Nesting is by how much a token changes how deep the next ones are in brackets.
func Nesting(text string) int {
	switch text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}
