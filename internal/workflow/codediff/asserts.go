package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What a test asserts, and how much that is worth.

func isAssert(word string) bool {
	return (asserting.MatchString(word) || assertingPart.MatchString(word)) &&
		word != "expectNotToPerformAssertions" && word != "Throwable" && !strings.HasPrefix(word, "debug_assert")
}

// assertingPart finds the names that a project gives to assertions of its own: cl_git_pass, DEBUGASSERT.
var assertingPart = lazyregexp.MustCompile(`(?i)assert|(?:^|_)(?:expect|check|require|verify|must|ensure|refute|fail)(?:_|$)|_pass$`)

// says reports whether a call only tells a person something: its texts are no expectations.
func says(toks []tok, i int) bool {
	return at(toks, i+1) == "(" && saying.MatchString(toks[i].text)
}

var saying = lazyregexp.MustCompile(`^(?:[fF]ail|FAIL|XCTFail|Errorf?|Fatalf?|Logf?|Skipf?|[fs]?printf|print|println|puts|ck_abort_msg)$`)

// weigh counts what a test consists of, and says whether anything in it can fail.
func (s *side) weigh(toks []tok, dead []mark) (w weights, mayFail bool) {
	w = weights{asserts: make(map[string]int), literals: make(map[string]int)}
	lines := make(map[int]bool) // of assertions
	replaced, plain := s.replaced(toks), s.withValues(toks)
	said, asserted, muted := 0, 0, 0 // up to where a text is only told; the line of the last assertion; that of the last one replaced
	for i, t := range toks {
		next := at(toks, i+1)
		if says(toks, i) {
			said = closing(toks, i+1)
		}
		switch text := t.text; {
		case i < said && writtenOut(text), s.counts(&w, toks, i):
		case anyError.MatchString(text) && expectsError(toks, i):
			w.loose++
		case loosens.MatchString(text) || isAssert(text) && threeNumbers(toks, i):
			w.loose++
			if isAssert(text) {
				w.asserts[text]++
				mayFail = true
			}
		case t.line == asserted && (text == "|" && next == "|" || text == "or" || anyOf.MatchString(text)):
			w.either++
		case text == "await" && isAssert(next): // without it, nobody hears of a failure
			w.literals["\x01await"]++
		case len(replaced) > 0 && throwsForCode(toks, i):
		case s.asserts(toks, i):
			if replaced.asserted(toks, i) {
				muted = lastLine(toks, i)
			}
			if t.line <= muted && (at(toks, i-1) == "." || replaced.asserted(toks, i)) || inside(dead, t.at) || s.provesNothing(toks, plain, i) {
				continue
			}
			w.asserts[s.assertion(toks, i)]++
			w.literals[namedValue(toks, i)]++
			if saysEqual.MatchString(text) || saysNothing.MatchString(text) {
				w.literals["\x01=="]++
			}
			mayFail, asserted = true, t.line
			spread(lines, t.line, lastLine(toks, i))
		case namedValue(toks, i) != "":
			w.literals[namedValue(toks, i)]++
		case s.handsTest(toks, i):
			w.asserts[handedTo(text)]++
			mayFail = true
		case text == "=" && s.spec.Comparing.Calls && (at(toks, i-1) == "}" || at(toks, i-2) == ":"), // {:ok, x} = f()
			text == "?" && s.spec.Testing.Propagates, text == "done" && next == "(" && !inside(dead, t.at),
			s.lang == syntax.C && next == "(" && len(text) > 3 && text == strings.ToUpper(text): // a macro of the project
			mayFail = true
		}
	}
	delete(w.literals, "")
	w.wanted = valuesOn(toks, lines)
	return w, mayFail && !s.panicsItself(toks) && !s.ofNothing(toks)
}

// ofTest finds what tap, tape and AVA assert by: t.equal(a, b), t.is(a, b).
var ofTest = lazyregexp.MustCompile(`^(?:(?:not|loose|strict)?(?:[eE]quals?|[sS]ame|[mM]atch(?:Only)?|[oO]k|[dD]eep\w*)|is(?:Not|Deeply|Equal)?|not|true|false|truthy|falsy|` +
	`like|regex|notRegex|type|has(?:Strict|Prop\w*|OwnProp\w*)?|error|ifError|notThrows(?:Async)?|doesNotThrow|emits|snapshot|matchSnapshot)$`)

// assertsOfTest reports whether a call of JavaScript asks the test for an assertion.
func (s *side) assertsOfTest(toks []tok, i int) bool {
	return s.spec.Testing.Called && at(toks, i-1) == "." && (at(toks, i-2) == "t" || at(toks, i-2) == "tap") &&
		at(toks, i+1) == "(" && at(toks, i-3) != "." && s.isScript() && ofTest.MatchString(toks[i].text)
}

// comesTo reports whether "==>" of utest stands at i: total(1) ==> 2.
func (s *side) comesTo(toks []tok, i int) bool {
	return s.lang == syntax.Scala && toks[i].text == "=" && at(toks, i+1) == "=" && at(toks, i+2) == ">" &&
		at(toks, i-1) != "=" && at(toks, i-1) != at(toks, i+3)
}

// isScript reports whether a text is of JavaScript or TypeScript.
func (s *side) isScript() bool {
	return s.lang == syntax.JavaScript || s.lang == syntax.TypeScript || s.lang == syntax.TSX
}

// assertion is what an assertion is counted as: t.equal and assert.equal are the same.
func (s *side) assertion(toks []tok, i int) string {
	if s.assertsOfTest(toks, i) || s.comesTo(toks, i) {
		return "assert"
	}
	return toks[i].text
}

// provesNothing reports whether the assertion at i always holds, or nobody hears of it.
func (s *side) provesNothing(toks, plain []tok, i int) bool {
	text := toks[i].text
	custom := s.spec.Testing.Heads != nil && text != "assert" && text != strings.ToUpper(text) // no macro of a library
	return !custom && vacuous(plain, i) || holds(toks, i) || unheard(toks, i) || s.forwarded(toks, i) ||
		s.vain[text] && at(toks, i-1) != "."
}

// counts counts a token that is a condition, a way out, a value that is written out or a comparison,
// and reports whether it is one.
func (s *side) counts(w *weights, toks []tok, i int) bool {
	text, next, prev := toks[i].text, at(toks, i+1), at(toks, i-1)
	switch {
	case expression.IsText(text) && (expression.IsText(next) || joins(toks, i+1)):
		return true // of texts side by side, the last stands for all
	case text == "if" && prev == "#":
	case s.assertsOfTest(toks, i), s.comesTo(toks, i):
		return false
	case next == "(" && at(toks, i+2) != ")" && wantsError.MatchString(text): // an error of some kind
		w.literals["\x01error"]++
		return false
	case text == "if" || text == "return" || text == "unless" || text == "?" && !s.spec.Testing.Propagates:
		w.branches++
	case text == "True" || text == "False":
		w.literals[strings.ToLower(text)]++
	case text == "0" && countsFrom(toks, i), expression.IsText(text) && strings.TrimSpace(text[1:len(text)-1]) == "" && len(text) > 2:
	case writtenOut(text):
		w.literals[adjacent(toks, i)]++
	case text == "=" && next == "=" && prev != "=" && prev != "!", text == "!" && next == "=", text == "not",
		text == "in", text == "is":
		w.literals["\x01"+text+next]++
	default:
		return false
	}
	return true
}

// handsTest reports whether a call of Go hands a helper the test.
func (s *side) handsTest(toks []tok, i int) bool {
	test, behind := at(toks, i+2), at(toks, i+3)
	return s.lang == syntax.Go && at(toks, i+1) == "(" && (test == "t" || test == "tb" || test == "c") &&
		(behind == "," || behind == ")") && at(toks, i-1) != "func"
}

// inside reports whether a byte lies in some stretches of the text.
func inside(marks []mark, at int) bool {
	return slices.ContainsFunc(marks, func(m mark) bool { return m.start <= at && at < m.end })
}

// writtenOut reports whether a token is a value that is written out.
func writtenOut(text string) bool {
	switch text {
	case "true", "false", "True", "False", "None", "nil", "null":
		return true
	}
	return text[0] >= '0' && text[0] <= '9' || len(text) > 1 && strings.IndexByte("\"'`", text[0]) >= 0
}

// adjacent returns a literal; of a text, with those that stand right before it, which are one to a
// compiler of C.
func adjacent(toks []tok, i int) string {
	text := toks[i].text
	if wide.MatchString(text) {
		text = text[strings.IndexByte(text, '"'):]
	}
	for expression.IsText(text) && i > 0 {
		if i > 1 && expression.IsText(toks[i-2].text) && joins(toks, i-1) {
			i--
		}
		if i--; !expression.IsText(toks[i].text) {
			break
		}
		text = toks[i].text[:len(toks[i].text)-1] + text[1:]
	}
	if expression.IsText(text[:1]+"x"+text[:1]) && !strings.ContainsAny(text, "\\$#") { // its quotes are no matter
		text = `"` + text[1:len(text)-1] + `"`
	}
	return text
}

// joins reports whether an operator puts a text behind another, and no call is made on that.
func joins(toks []tok, operator int) bool {
	op := at(toks, operator)
	return (op == "." || op == "+" && at(toks, operator+2) != ".") && expression.IsText(at(toks, operator+1))
}

// wide finds a text of C that says how wide its characters are.
var wide = lazyregexp.MustCompile(`^(?:L|u8|u|U)"`)

// loosens finds a word that allows for a difference between what is and what is wanted.
var loosens = lazyregexp.MustCompile(`^(?:approx|isclose|allclose|toBeCloseTo|closeTo|isCloseTo|be_within|Within|accuracy|delta|tolerance|epsilon|InDelta\w*|InEpsilon\w*|assertAlmostEqual|assertInDelta|assert_in_delta|assertEqualsWithDelta|assert_allclose|EXPECT_NEAR|ASSERT_NEAR|BOOST_\w+_CLOSE\w*|WithinAbs|WithinRel|assert_approx_eq|assert_relative_eq|toMatchSnapshot|toMatchInlineSnapshot|toMatchFileSnapshot|toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|be_truthy|be_falsey|TEST_ASSERT_\w*WITHIN\w*)$`)

// anyError finds the errors that all others are.
var anyError = lazyregexp.MustCompile(`^(?:Exception|RuntimeException|Throwable|Error|BaseException|StandardError|RuntimeError|SystemException)$`)

// expectsError reports whether the class at i is the error that an assertion wants.
func expectsError(toks []tok, i int) bool {
	for i--; i >= 0 && (toks[i].text == "(" || toks[i].text == "<" || toks[i].text == "\\" || toks[i].text == "t" || toks[i].text == ","); i-- {
	}
	return i >= 0 && wantsError.MatchString(toks[i].text)
}

var wantsError = lazyregexp.MustCompile(`^(?:assertThrows\w*|assertFailsWith|expectThrows|expectException|assertRaises\w*|raises|raise_error|toThrow\w*|Throws\w*)$`)

// anyOf finds a matcher that takes several values.
var anyOf = lazyregexp.MustCompile(`^(?:anyOf|any_of|AnyOf|isIn|isOneOf|oneOf|be_in|toBeOneOf|isAnyOf|or_)$`)

// threeNumbers reports whether an assertion of equality is given a third value, a number,
// by which the others may differ.
func threeNumbers(toks []tok, i int) bool {
	if toks[i].text == "Assert" && at(toks, i+1) == "." && at(toks, i+2) == "Equal" {
		i += 2
	} else if toks[i].text != "assertEquals" && toks[i].text != "AreEqual" {
		return false
	}
	if at(toks, i+1) != "(" {
		return false
	}
	args := split(toks[i+2 : closing(toks, i+1)])
	return len(args) == 3 && args[2][0] >= '0' && args[2][0] <= '9'
}

func at(toks []tok, i int) string {
	if i < 0 || i >= len(toks) {
		return ""
	}
	return toks[i].text
}

// asserts reports whether a word asserts something where it stands.
func (s *side) asserts(toks []tok, i int) bool {
	text, prev, next := toks[i].text, at(toks, i-1), at(toks, i+1)
	switch {
	case prev == "func" || prev == "def" || prev == "function" || prev == "fn" || prev == "fun" ||
		prev == "class" || prev == "import" || prev == "from":
		return false
	case s.lang == syntax.Go && prev == "." && (text == "Error" || text == "Errorf" || text == "Fail") && next == "(":
		receiver := at(toks, i-2)
		return receiver == "t" || receiver == "tb" || receiver == "f" || receiver == "c" || receiver == "b" || receiver == "s"
	case s.assertsOfTest(toks, i), s.comesTo(toks, i):
		return true
	case !isAssert(text):
		return false
	case text == "assert" && next != ".":
		return true
	case text == "raise" || text == "throw" || text == "fail" || text == "refute" || text == "should" ||
		strings.HasPrefix(text, "assert_") || strings.HasPrefix(text, "refute_") || strings.HasPrefix(text, "must_"):
		return true
	case s.takesBlocks() && prev != "." && // between two values
		(strings.HasPrefix(text, "should") || s.lang == syntax.Scala && strings.HasPrefix(text, "must")):
		return true
	case prev == "." && (text == "expect" || text == "unwrap" || strings.HasPrefix(text, "should") ||
		strings.HasPrefix(text, "must")):
		return true
	}
	return next == "(" || next == "!" || next == "." ||
		s.takesBlocks() && (next == "{" || takesFunction(toks, i+1))
}

// takesBlocks reports whether functions are called with a block and between two values.
func (s *side) takesBlocks() bool { return s.lang == syntax.Kotlin || s.lang == syntax.Scala }

// takesFunction reports whether types stand at i, and behind them a function: <Error> { … }, [Error] { … }.
func takesFunction(toks []tok, i int) bool {
	end := map[string]string{"<": ">", "[": "]"}[at(toks, i)]
	if end == "" {
		return false
	}
	for i++; i < len(toks) && (expression.IsWord(toks[i].text) || toks[i].text == "."); i++ {
	}
	return at(toks, i) == end && (at(toks, i+1) == "{" || at(toks, i+1) == "(")
}

// vacuous reports whether an assertion holds whatever the program does: it compares a
// value to itself, or only what is written out.
func vacuous(toks []tok, i int) bool {
	word := toks[i].text
	if at(toks, i-1) == "." && asked.MatchString(word) {
		return false // of what stands before it
	}
	open := i + 1
	if at(toks, open) == "!" { // a macro
		open++
	}
	if at(toks, open) == "." { // assert.Equal(…)
		open += 2
	}
	if at(toks, open) != "(" {
		if word == "assert" || strings.HasPrefix(word, "assert_") || word == "refute" { // without brackets, to the end of the line
			end := open
			for end < len(toks) && toks[end].line == toks[i].line && !toks[end].shape {
				end++
			}
			return emptyArguments(word, split(toks[open:end]))
		}
		return false
	}
	end := closing(toks, open)
	args := split(toks[open+1 : end])
	if word == "assert" && len(args) > 1 && toks[i+1].text == "(" && (end+1 >= len(toks) ||
		toks[end+1].line != toks[end].line) && at(toks, i-1) != "." && strings.HasPrefix(lastOf(args), `"`) {
		return true // of Python: a tuple is always true
	}
	if word == "expect" && at(toks, i-1) == "." && at(toks, i-2) != "chai" { // of a request: .expect(200)
		return false
	}
	if word == "expect" && at(toks, i-1) != "#" {
		return vacuousExpect(toks, args, end)
	}
	if word == "unwrap" || word == "raise" || word == "throw" || word == "panic" || strings.HasPrefix(strings.ToLower(word), "fail") || strings.HasPrefix(strings.ToLower(word), "fatal") || word == "Error" || word == "Errorf" {
		return false
	}
	return emptyArguments(word+at(toks, open-1), args)
}

// asked finds what asks something of the value that it is called on.
var asked = lazyregexp.MustCompile(`^(?:(?:must|wont|should)_|[sS]hould[A-Z])`)

func lastOf(list []string) string { return list[len(list)-1] }

// vacuousExpect judges expect(a).toBe(b), in all of its spellings.
func vacuousExpect(toks []tok, args []string, end int) bool {
	i := end + 1
	if called(toks, i) == 0 {
		return len(args) > 0 // nothing is asked of it
	}
	for n := called(toks, i); n > 0 && i+n < len(toks); n = called(toks, i) { // .to.be.equal, .to eq
		i += n + 1
		if next := at(toks, i); next != "." && next != "(" && expression.IsWord(next) && toks[i].line == toks[i-1].line {
			i++
		}
	}
	var wanted []string
	if at(toks, i) == "(" {
		wanted = split(toks[i+1 : closing(toks, i)])
	}
	value := strings.Join(args, ",")
	if next := at(toks, i); matcher.MatchString(at(toks, i-1)) && next != "(" && next != "." && next != "<" {
		return true // it is not called
	}
	return value != "" && (expression.Literal([]string{strings.ReplaceAll(value, "\x00", "")}) != expression.Unknown ||
		expression.Evaluate(strings.ReplaceAll(value, "\x00", " ")) != expression.Unknown ||
		len(wanted) > 0 && value == strings.Join(wanted, ","))
}

// matcher finds the methods by which Jest and Vitest ask something.
var matcher = lazyregexp.MustCompile(`^to[A-Z]\w*$`)

// called returns how many tokens stand between a value and what is called on it.
func called(toks []tok, i int) int {
	switch {
	case at(toks, i) == ".":
		return 1
	case at(toks, i) == "-" && at(toks, i+1) == ">":
		return 2
	}
	return 0
}

// emptyArguments reports whether the arguments of an assertion decide it by themselves.
func emptyArguments(word string, args []string) bool {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "t" || a == "" })
	if len(args) == 0 {
		return false
	}
	constant := func(a string) bool {
		return expression.Literal(strings.Split(a, "\x00")) != expression.Unknown || expression.IsText(a) && !strings.Contains(a, "\x00") || a[0] == '`' ||
			expression.Evaluate(strings.ReplaceAll(a, "\x00", " ")) != expression.Unknown
	}
	if len(args) == 1 {
		left, right, compared := strings.Cut(args[0], "\x00=\x00=\x00")
		if inner, ok := strings.CutPrefix(args[0], "matches\x00!\x00(\x00"); ok {
			left, right, compared = strings.Cut(strings.TrimSuffix(inner, "\x00)"), "\x00,\x00")
		}
		return constant(args[0]) || compared && left == right || strings.HasPrefix(args[0], "_\x00=\x00")
	}
	two := strings.Contains(strings.ToLower(word), "eq") || strings.Contains(strings.ToLower(word), "same") || word == "is("
	if two {
		return args[0] == args[1] || constant(args[0]) && constant(args[1])
	}
	return constant(args[0]) && (constant(args[1]) || strings.Contains(strings.ToLower(word), "true") ||
		word == "assert" || strings.HasSuffix(word, "assert!") || strings.HasSuffix(word, "True"))
}

// closing returns the place of the bracket that closes the one at open, or the end.
func closing(toks []tok, open int) int {
	depth := 0
	for i := open; i < len(toks); i++ {
		switch toks[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(toks)
}

// split parts arguments at their commas.
func split(toks []tok) (args []string) {
	depth := 0
	var arg []string
	for _, t := range toks {
		depth += expression.Nesting(t.text)
		if t.text == "," && depth == 0 {
			args, arg = append(args, strings.Join(arg, "\x00")), nil
			continue
		}
		arg = append(arg, t.text)
	}
	if len(arg) > 0 {
		args = append(args, strings.Join(arg, "\x00"))
	}
	return args
}
