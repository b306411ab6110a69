package codediff

import (
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// A truth is what can be said of a condition without running it.
type truth int

const (
	unknown truth = iota
	no
	yes
)

// truth evaluates a condition whose parts are all written out. No node, as the value that a pipe of
// Elixir hands to "case", says nothing.
func (s *side) truth(node int32) truth {
	if node < 0 {
		return unknown
	}
	if n := s.tree.Nodes[node]; n.End-n.Start > 200 {
		return unknown
	}
	text := s.tree.Text(node)
	switch s.lang {
	case syntax.TypeScript, syntax.TSX:
		text = typed.ReplaceAllString(text, "")
	case syntax.Rust:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "cfg!(any())", "false"), "cfg!(all())", "true")
	}
	text = strings.TrimSpace(text)
	if t := s.beyond(node, strings.Trim(text, "( )")); t != unknown {
		return t
	}
	t := truthOf(text)
	if t == unknown {
		if own := s.withOwnValues(node, text); own != text {
			t = truthOf(own)
		}
	}
	if t != unknown || !plainWord.MatchString(text) {
		return t
	}
	if s.falses == nil {
		s.falses = make(map[string]bool)
		for _, m := range falseConstant.FindAllStringSubmatch(string(s.src), -1) {
			s.falses[m[1]] = true
		}
		for i := range s.tree.Nodes { // what is false unless it is given
			if node := int32(i); s.tree.Kind(node) == "class_parameter" {
				for c := range s.children(node) {
					delete(s.falses, s.tree.Text(c))
				}
			}
		}
	}
	if s.falses[text] {
		return no
	}
	return unknown
}

// nameIn finds a name in a condition.
var nameIn = lazyregexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// withOwnValues returns the text of a condition in which each local that the function around it gives a
// number, or true or false, and never anything else, stands for that.
func (s *side) withOwnValues(node int32, text string) string {
	f := s.functionAround(node)
	if f < 0 || strings.ContainsAny(text, "('\"`") || s.tree.Nodes[f].End-s.tree.Nodes[f].Start > 1<<14 {
		return text
	}
	return nameIn.ReplaceAllStringFunc(text, func(name string) string {
		if value := s.onlyValue(f, name); value != "" {
			return value
		}
		return name
	})
}

// onlyValue returns the number, or true or false, that a local of a function is given where it is
// declared, if no other line may change it, or "".
func (s *side) onlyValue(function int32, name string) string {
	if isWord(name) && (flows[name] || !holdsWord(s.tree.Text(function), name)) {
		return ""
	}
	value := ""
	for i := function + 1; i < s.tree.Nodes[function].Next; i++ {
		if !s.tree.Named(i) || !s.isStatement(i) || s.isBlock(i) || s.functionAround(i) != function {
			continue
		}
		if left, right, ok := s.assignment(i); ok && s.tree.Text(left) == name {
			if is := s.tree.Text(right); value != "" || !(s.declares(i, left, right) || s.spec.Comparing.Undeclared) || !plainNumber.MatchString(is) {
				return ""
			} else {
				value = is
			}
		}
	}
	if value == "" {
		return ""
	}
	declared := false
	for line := range strings.Lines(s.withoutTexts(function)) {
		if !holdsWord(line, name) {
			continue
		}
		at := strings.Index(line, name)
		if before, after, assigns := strings.Cut(line, "="); !declared && assigns && holdsWord(before, name) && plainNumber.MatchString(strings.Trim(strings.TrimSpace(after), "; ")) {
			declared = true
			continue
		}
		if !onlyDecides.MatchString(line) || changesName.MatchString(line[at:]) {
			return ""
		}
	}
	if !declared {
		return ""
	}
	return value
}

// withoutTexts returns what a node reads without comments, and without texts that hold no values.
func (s *side) withoutTexts(node int32) string {
	n := s.tree.Nodes[node]
	return plainTexts.ReplaceAllString(string(s.withoutComments()[n.Start:n.End]), `""`)
}

var plainTexts = lazyregexp.MustCompile(`"[^"$#{\\\n]*"|'[^'$#{\\\n]{2,}'`)

// onlyInDecided reports whether an assignment gives a local the one value that it ever has, and it is
// named only in conditions that are decided by that.
func (s *side) onlyInDecided(assignment int32, name string) bool {
	f := s.functionAround(assignment)
	if f < 0 || !plainWord.MatchString(name) || s.onlyValue(f, name) == "" {
		return false
	}
	left := count(s.withoutTexts(f), name) - s.named(assignment, name)
	for i := f + 1; i < s.tree.Nodes[f].Next && left > 0; i++ {
		if cond := s.condition(i); cond >= 0 && !s.isLoop(i) && s.named(cond, name) > 0 && s.truth(cond) != unknown {
			left -= s.named(cond, name)
		}
	}
	return left == 0
}

var (
	plainNumber = lazyregexp.MustCompile(`^(?:-?\d[\d_.]*|true|false|True|False)$`)
	// onlyDecides finds a line that is a condition, and does nothing else with what it names.
	onlyDecides = lazyregexp.MustCompile(`^\s*(?:\}\s*)?(?:if|elif|elsif|else if|unless|return)\b[^&=]*(?:(?:&&|[=!<>]==?|==)[^&=]*)*$`)
	changesName = lazyregexp.MustCompile(`^\S*\s*(?:\+\+|--|<<|[-+*/%|]=)`)
)

// typed finds what an expression of TypeScript is said to be.
var typed = lazyregexp.MustCompile(`\s+as\s+(?:const|[\w.]+)\b`)

// plainWord finds a condition that is a name; falseConstant the declaration of one that
// stands for false throughout the file.
var (
	plainWord     = lazyregexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)
	falseConstant = lazyregexp.MustCompile(`(?m)^[ \t]*(?:export |public |private |protected |internal |pub |static |final |constexpr |inline )*(?:const|final|val)[ \t]+(?:bool |boolean |Boolean )?([\pL_$][\pL\pN_$]*)(?:[ \t]*:[ \t]*(?:bool|boolean|Boolean)|[ \t]+bool)?[ \t]*=[ \t]*false\b`)
)

// truthOf evaluates the text of a condition.
func truthOf(text string) truth {
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
		n := tokenLength(src[at:])
		if t := src[at : at+n]; !isSpace(t) {
			e.toks = append(e.toks, number(string(t)))
		}
		at += n
	}
	t := e.or()
	if e.at < len(e.toks) {
		return unknown
	}
	return t
}

// extreme finds a comparison with the largest or smallest number that there is: of the type of what
// is compared to it, or of any.
var extreme = lazyregexp.MustCompile(`^([\w.]+)\s*([<>]=?)\s*(?:([iu](?:8|16|32|64|128|size)::|(?:[Ll]ong|Integer|[Ii]nt)\.)(M[AI][XN])(?:_VALUE)?|([Ii]nt|Int64)\.(max|min)(?:Value)?)$`)

// numbers finds the names of what is declared to be a number of the usual size, or less.
var numbers = lazyregexp.MustCompile(`\b(?:[Ii]nt|Integer|[Ss]hort|[Bb]yte)\s+(\w+)\b|\b(\w+)\s*:\s*(?:Int|Short|Byte)\b|\b(\w+)\s*=\s*-?\d+\s*[;\n]`)

// isNumber reports whether the function around a node declares a name to be such a number.
func (s *side) isNumber(node int32, name string) bool {
	f := s.functionAround(node)
	return f >= 0 && slices.ContainsFunc(numbers.FindAllStringSubmatch(s.tree.Text(f), -1),
		func(m []string) bool { return slices.Contains(m[1:], name) })
}

// beyond evaluates a comparison with an extreme.
func (s *side) beyond(node int32, text string) truth {
	m := extreme.FindStringSubmatch(text)
	if m == nil {
		return unknown
	}
	if s.lang != syntax.Rust && m[3] != "Long." && !s.isNumber(node, m[1]) {
		return unknown
	}
	largest := strings.EqualFold(m[4]+m[6], "max")
	switch {
	case largest && m[2] == ">", !largest && m[2] == "<":
		return no
	case largest && m[2] == "<=", !largest && m[2] == ">=":
		return yes
	}
	return unknown
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

func (e *condition) or() truth { return e.joined(e.and, yes, "or", "|") }

func (e *condition) and() truth { return e.joined(e.not, no, "and", "&") }

// joined evaluates parts of which one that is decisive decides, and so do two that are
// contrary to each other.
func (e *condition) joined(part func() truth, decisive truth, word, sign string) truth {
	from := e.at
	t := part()
	parts := []string{strings.Join(e.toks[from:e.at], " ")}
	for e.take(word) || e.take(sign, sign) {
		from = e.at
		right := part()
		text := strings.Join(e.toks[from:e.at], " ")
		switch {
		case t == decisive || right == decisive || slices.ContainsFunc(parts, func(p string) bool {
			return contrary(p, text) || apart(p, text, decisive == yes)
		}):
			t = decisive
		case t == unknown || right == unknown:
			t = unknown
		}
		parts = append(parts, text)
	}
	return t
}

// contraries are what two conditions say of one thing, of which one holds.
var contraries = [][2]string{{". is_ok ( )", ". is_err ( )"}, {". is_some ( )", ". is_none ( )"}, {" is None", " is not None"},
	{" = = =", " ! = ="}, {" = =", " ! ="}, {" < ", " > = "}, {" > ", " < = "}, {". nil ?", ". present ?"}}

// contrary reports whether of two conditions one holds if the other does not. Neither calls
// anything that is given something.
func contrary(a, b string) bool {
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

// apart reports whether no value meets two conditions on the same thing, or, of any, whether each value
// meets one of them.
func apart(a, b string, either bool) bool {
	l, r := limit.FindStringSubmatch(a), limit.FindStringSubmatch(b)
	if l == nil || r == nil || strings.TrimSpace(l[1]) != strings.TrimSpace(r[1]) {
		return false
	}
	side := func(m []string) (op string, value string, n float64, ok bool) {
		op = strings.ReplaceAll(m[2], " ", "")
		if either { // what is left out
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

func (e *condition) not() truth {
	if e.take("not") || e.at < len(e.toks) && e.toks[e.at] == "!" && e.take("!") {
		return [...]truth{unknown: unknown, no: yes, yes: no}[e.not()]
	}
	return e.comparison()
}

// comparisons are the operators, longest first.
var comparisons = [][]string{{"=", "=", "="}, {"!", "=", "="}, {"is", "not"}, {"=", "="}, {"!", "="}, {"<", "="},
	{">", "="}, {"is"}, {"<"}, {">"}}

func (e *condition) comparison() truth {
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
	return literalTruth(left)
}

func isComparison(toks []string) bool {
	return slices.ContainsFunc(comparisons, func(op []string) bool { return len(toks) >= len(op) && slices.Equal(toks[:len(op)], op) })
}

// skip passes over what cannot be evaluated.
func (e *condition) skip() truth {
	e.operand()
	return unknown
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
		depth += nesting(t)
		toks = append(toks, t)
	}
	return toks
}

func literalTruth(toks []string) truth {
	text := strings.Join(toks, "")
	switch text {
	case "false", "False", "Boolean.FALSE", "FALSE", "0", "nil", "null", "None", `""`, "''", "[]", "{}", "()", "undefined", "NULL", "nullptr",
		"TYPE_CHECKING", "typing.TYPE_CHECKING": // of Python: for type checkers alone
		return no
	case "true", "True", "Boolean.TRUE", "TRUE", "__debug__":
		return yes
	}
	if _, err := strconv.ParseFloat(strings.TrimSuffix(text, "f"), 64); err == nil {
		return yes
	}
	return unknown
}

// compare compares two operands: numbers, texts, or two that read the same and call
// nothing.
func compare(left []string, op string, right []string) truth {
	l, r := strings.Join(left, " "), strings.Join(right, " ")
	if l == "" || r == "" {
		return unknown
	}
	decide := func(b bool) truth {
		if b {
			return yes
		}
		return no
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
			return yes
		case b == 0 && op == "<", b < 0:
			return no
		}
		return unknown
	case l == "NaN" || r == "NaN" || l == "Number . NaN" || r == "Number . NaN":
		return decide(op[0] == '!')
	case strings.HasPrefix(l, "typeof ") && isText(r) && !typesOfScripts[r[1:len(r)-1]]:
		return decide(op[0] == '!')
	case isText(l) && isText(r):
		order = strings.Compare(l[1:len(l)-1], r[1:len(r)-1])
	case l == r && op[0] == '!' && isWord(l) && len(left) == 1:
		return unknown // so a number is found that is none
	case l == r && !strings.Contains(l, "("):
	case (literalTruth(left) != unknown || l == "true") && (literalTruth(right) != unknown) && isWord(l) && isWord(r):
		order = strings.Compare(l, r)
	default:
		return unknown
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
	return unknown
}

// typesOfScripts are what "typeof" of JavaScript gives.
var typesOfScripts = wordSet("undefined object boolean number bigint string symbol function")

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

func isText(s string) bool {
	return len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0]
}
