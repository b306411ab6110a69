package testcase

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// What a test asserts, and how much that is worth.

func isAssert(word string) bool {
	return (asserting.MatchString(word) || assertingPart.MatchString(word)) &&
		word != "expectNotToPerformAssertions" && word != "Throwable" && !strings.HasPrefix(word, "debug_assert")
}

// assertingPart finds the names that a project gives to assertions of its own: cl_git_pass, DEBUGASSERT.
var assertingPart = lazyregexp.MustCompile(`(?i)assert|(?:^|_)(?:expect|check|require|verify|must|ensure|refute|fail)(?:_|$)|_pass$`)

// isMessage reports whether a call only tells a person something: its texts are no expectations.
func isMessage(toks []tokens.Token, i int) bool {
	return tokens.TextAt(toks, i+1) == "(" && Prints.MatchString(toks[i].Text)
}

var Prints = lazyregexp.MustCompile(`^(?:[fF]ail|FAIL|XCTFail|Errorf?|Fatalf?|Logf?|Skipf?|[fs]?printf|print|println|puts|ck_abort_msg)$`)

// isReasonToSkip reports whether a token is the text that says why a test is skipped.
func isReasonToSkip(toks []tokens.Token, i int) bool {
	if !expression.IsText(toks[i].Text) {
		return false
	}
	switch prev := tokens.TextAt(toks, i-1); {
	case prev == "=" && tokens.TextAt(toks, i-2) == "reason":
		return true
	case prev != "(" && prev != ",":
		return false
	}
	depth := 0
	for j := i - 1; j > 0 && i-j < 60; j-- {
		switch toks[j].Text {
		case ")", "]":
			depth++
		case "(", "[":
			if depth--; depth < 0 {
				return skipsTest.MatchString(toks[j-1].Text) && (tokens.TextAt(toks, i+1) == ")" || tokens.TextAt(toks, i+1) == ",")
			}
		}
	}
	return false
}

var skipsTest = lazyregexp.MustCompile(`^(?:skip(?:If|Unless)?|Disabled|Ignore)$`)

// countIn counts what a test consists of, and says whether anything in it can fail.
func (s *File) countIn(toks []tokens.Token, dead []source.Span) (w Counts, mayFail bool) {
	w = Counts{Asserts: make(map[string]int), Literals: make(map[string]int)}
	lines := make(map[int]bool) // of assertions
	replaced, plain, idle := s.mocksIn(toks), s.withValues(toks), s.idleMocks(toks)
	said, asserted, muted := 0, 0, 0 // up to where a text is only printed; the line of the last assertion; that of the last one replaced
	for i, t := range toks {
		next := tokens.TextAt(toks, i+1)
		if isMessage(toks, i) {
			said = tokens.ClosingBracket(toks, i+1)
		}
		switch text := t.Text; {
		case i < said && writtenOut(text), isReasonToSkip(toks, i), s.counts(&w, toks, i):
		case anyError.MatchString(text) && expectsError(toks, i):
			w.Loose++
		case loosens.MatchString(text) || isAssert(text) && threeNumbers(toks, i):
			w.Loose++
			if isAssert(text) {
				w.Asserts[text]++
				mayFail = true
			}
		case t.Line == asserted && (text == "|" && next == "|" || text == "or" || anyOf.MatchString(text)):
			w.Either++
		case text == "await" && isAssert(next): // without it, a failure is lost
			w.Literals["\x01await"]++
		case len(replaced) > 0 && throwsForCode(toks, i):
		case s.asserts(toks, i):
			if replaced.asserted(toks, i) {
				muted = tokens.LastLine(toks, i)
			}
			if t.Line <= muted && (tokens.TextAt(toks, i-1) == "." || replaced.asserted(toks, i)) || tokens.WithinAny(dead, t.Start) || s.provesNothing(toks, plain, i) || idle != nil && aboutAny(toks, i, idle) {
				continue
			}
			w.Asserts[s.assertion(toks, i)]++
			w.Literals[namedValue(toks, i)]++
			if SaysEqual.MatchString(text) || saysNothing.MatchString(text) {
				w.Literals["\x01=="]++
			}
			mayFail, asserted = true, t.Line
			addLines(lines, t.Line, tokens.LastLine(toks, i))
		case namedValue(toks, i) != "":
			w.Literals[namedValue(toks, i)]++
		case s.passesTestHandle(toks, i):
			w.Asserts[passedTest(text)]++
			mayFail = true
		case text == "=" && s.Spec.Comparing.Calls && (tokens.TextAt(toks, i-1) == "}" || tokens.TextAt(toks, i-2) == ":"), // {:ok, x} = f()
			text == "?" && s.Spec.Testing.Propagates, text == "done" && next == "(" && !tokens.WithinAny(dead, t.Start),
			s.Lang == syntax.C && next == "(" && len(text) > 3 && text == strings.ToUpper(text): // a macro of the project
			mayFail = true
		}
	}
	delete(w.Literals, "")
	w.Wanted = valuesOn(toks, lines)
	return w, mayFail && !s.panicsItself(toks) && !s.usesOnlyItself(toks)
}

// ofTest finds what tap, tape and AVA assert by: t.equal(a, b), t.is(a, b).
var ofTest = lazyregexp.MustCompile(`^(?:(?:not|loose|strict)?(?:[eE]quals?|[sS]ame|[mM]atch(?:Only)?|[oO]k|[dD]eep\w*)|is(?:Not|Deeply|Equal)?|not|true|false|truthy|falsy|` +
	`like|regex|notRegex|type|has(?:Strict|Prop\w*|OwnProp\w*)?|error|ifError|notThrows(?:Async)?|doesNotThrow|emits|snapshot|matchSnapshot)$`)

// assertsOfTest reports whether a call of JavaScript asks the test for an assertion.
func (s *File) assertsOfTest(toks []tokens.Token, i int) bool {
	return s.Spec.Testing.Called && tokens.TextAt(toks, i-1) == "." && (tokens.TextAt(toks, i-2) == "t" || tokens.TextAt(toks, i-2) == "tap") &&
		tokens.TextAt(toks, i+1) == "(" && tokens.TextAt(toks, i-3) != "." && s.IsScript() && ofTest.MatchString(toks[i].Text)
}

// isUtestArrow reports whether "==>" of utest is at i: total(1) ==> 2.
func (s *File) isUtestArrow(toks []tokens.Token, i int) bool {
	return s.Lang == syntax.Scala && toks[i].Text == "=" && tokens.TextAt(toks, i+1) == "=" && tokens.TextAt(toks, i+2) == ">" &&
		tokens.TextAt(toks, i-1) != "=" && tokens.TextAt(toks, i-1) != tokens.TextAt(toks, i+3)
}

// assertion is what an assertion is counted as: t.equal and assert.equal are the same.
func (s *File) assertion(toks []tokens.Token, i int) string {
	if s.assertsOfTest(toks, i) || s.isUtestArrow(toks, i) {
		return "assert"
	}
	return toks[i].Text
}

// provesNothing reports whether the assertion at i is always true, or its failure is lost.
func (s *File) provesNothing(toks, plain []tokens.Token, i int) bool {
	text := toks[i].Text
	custom := s.Spec.Testing.Heads != nil && text != "assert" && text != strings.ToUpper(text) // no macro of a library
	return !custom && vacuous(plain, i) || isTautology(toks, i) || hasIgnoredResult(toks, i) || s.isDelegated(toks, i) ||
		s.uselessHelpers[text] && tokens.TextAt(toks, i-1) != "."
}

// counts counts a token that is a condition, a way out, a value that is written out or a comparison,
// and reports whether it is one.
func (s *File) counts(w *Counts, toks []tokens.Token, i int) bool {
	text, next, prev := toks[i].Text, tokens.TextAt(toks, i+1), tokens.TextAt(toks, i-1)
	switch {
	case expression.IsText(text) && (expression.IsText(next) || joins(toks, i+1)):
		return true // of adjacent texts, the last represents all
	case text == "if" && prev == "#":
	case s.assertsOfTest(toks, i), s.isUtestArrow(toks, i):
		return false
	case next == "(" && tokens.TextAt(toks, i+2) != ")" && wantsError.MatchString(text): // an error of some kind
		w.Literals["\x01error"]++
		return false
	case text == "if" || text == "return" || text == "unless" || text == "?" && !s.Spec.Testing.Propagates:
		w.Branches++
	case text == "True" || text == "False":
		w.Literals[strings.ToLower(text)]++
	case text == "0" && countsFrom(toks, i), expression.IsText(text) && strings.TrimSpace(text[1:len(text)-1]) == "" && len(text) > 2:
	case writtenOut(text):
		w.Literals[adjacent(toks, i)]++
	case text == "=" && next == "=" && prev != "=" && prev != "!", text == "!" && next == "=", text == "not",
		text == "in", text == "is":
		w.Literals["\x01"+text+next]++
	default:
		return false
	}
	return true
}

// passesTestHandle reports whether a call of Go passes the test to a helper.
func (s *File) passesTestHandle(toks []tokens.Token, i int) bool {
	test, behind := tokens.TextAt(toks, i+2), tokens.TextAt(toks, i+3)
	return s.Lang == syntax.Go && tokens.TextAt(toks, i+1) == "(" && (test == "t" || test == "tb" || test == "c") &&
		(behind == "," || behind == ")") && tokens.TextAt(toks, i-1) != "func"
}

// writtenOut reports whether a token is a value that is written out.
func writtenOut(text string) bool {
	switch text {
	case "true", "false", "True", "False", "None", "nil", "null":
		return true
	}
	return text[0] >= '0' && text[0] <= '9' || len(text) > 1 && strings.IndexByte("\"'`", text[0]) >= 0
}

// adjacent returns a literal; of a text, with those directly before it, which are one to a
// compiler of C.
func adjacent(toks []tokens.Token, i int) string {
	text := toks[i].Text
	if wide.MatchString(text) {
		text = text[strings.IndexByte(text, '"'):]
	}
	for expression.IsText(text) && i > 0 {
		if i > 1 && expression.IsText(toks[i-2].Text) && joins(toks, i-1) {
			i--
		}
		if i--; !expression.IsText(toks[i].Text) {
			break
		}
		text = toks[i].Text[:len(toks[i].Text)-1] + text[1:]
	}
	if expression.IsText(text[:1]+"x"+text[:1]) && !strings.ContainsAny(text, "\\$#") { // its quotes are no matter
		text = `"` + text[1:len(text)-1] + `"`
	}
	return text
}

// joins reports whether an operator puts a text behind another, and no call is made on that.
func joins(toks []tokens.Token, operator int) bool {
	op := tokens.TextAt(toks, operator)
	return (op == "." || op == "+" && tokens.TextAt(toks, operator+2) != ".") && expression.IsText(tokens.TextAt(toks, operator+1))
}

// wide finds a text of C that says how wide its characters are.
var wide = lazyregexp.MustCompile(`^(?:L|u8|u|U)"`)

// loosens finds a word that allows for a difference between the actual and the expected value.
var loosens = lazyregexp.MustCompile(`^(?:approx|isclose|allclose|toBeCloseTo|closeTo|isCloseTo|be_within|Within|accuracy|delta|tolerance|epsilon|InDelta\w*|InEpsilon\w*|assertAlmostEqual|assertInDelta|assert_in_delta|assertEqualsWithDelta|assert_allclose|EXPECT_NEAR|ASSERT_NEAR|BOOST_\w+_CLOSE\w*|WithinAbs|WithinRel|assert_approx_eq|assert_relative_eq|toMatchSnapshot|toMatchInlineSnapshot|toMatchFileSnapshot|toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|be_truthy|be_falsey|TEST_ASSERT_\w*WITHIN\w*)$`)

// anyError finds the errors that all others are.
var anyError = lazyregexp.MustCompile(`^(?:Exception|RuntimeException|Throwable|Error|BaseException|StandardError|RuntimeError|SystemException)$`)

// expectsError reports whether the class at i is the error that an assertion wants.
func expectsError(toks []tokens.Token, i int) bool {
	for i--; i >= 0 && (toks[i].Text == "(" || toks[i].Text == "<" || toks[i].Text == "\\" || toks[i].Text == "t" || toks[i].Text == ","); i-- {
	}
	return i >= 0 && wantsError.MatchString(toks[i].Text)
}

var wantsError = lazyregexp.MustCompile(`^(?:assertThrows\w*|assertFailsWith|expectThrows|expectException|assertRaises\w*|raises|raise_error|toThrow\w*|Throws\w*)$`)

// anyOf finds a matcher that takes several values.
var anyOf = lazyregexp.MustCompile(`^(?:anyOf|any_of|AnyOf|isIn|isOneOf|oneOf|be_in|toBeOneOf|isAnyOf|or_)$`)

// threeNumbers reports whether an assertion of equality is given a third value, a number,
// by which the others may differ.
func threeNumbers(toks []tokens.Token, i int) bool {
	if toks[i].Text == "Assert" && tokens.TextAt(toks, i+1) == "." && tokens.TextAt(toks, i+2) == "Equal" {
		i += 2
	} else if toks[i].Text != "assertEquals" && toks[i].Text != "AreEqual" {
		return false
	}
	if tokens.TextAt(toks, i+1) != "(" {
		return false
	}
	args := tokens.SplitArguments(toks[i+2 : tokens.ClosingBracket(toks, i+1)])
	return len(args) == 3 && args[2][0] >= '0' && args[2][0] <= '9'
}

// asserts reports whether the word at i asserts something.
func (s *File) asserts(toks []tokens.Token, i int) bool {
	text, prev, next := toks[i].Text, tokens.TextAt(toks, i-1), tokens.TextAt(toks, i+1)
	switch {
	case prev == "func" || prev == "def" || prev == "function" || prev == "fn" || prev == "fun" ||
		prev == "class" || prev == "import" || prev == "from":
		return false
	case s.Lang == syntax.Go && prev == "." && (text == "Error" || text == "Errorf" || text == "Fail") && next == "(":
		receiver := tokens.TextAt(toks, i-2)
		return receiver == "t" || receiver == "tb" || receiver == "f" || receiver == "c" || receiver == "b" || receiver == "s"
	case s.assertsOfTest(toks, i), s.isUtestArrow(toks, i):
		return true
	case !isAssert(text):
		return false
	case text == "assert" && next != ".":
		return true
	case text == "raise" || text == "throw" || text == "fail" || text == "refute" || text == "should" ||
		strings.HasPrefix(text, "assert_") || strings.HasPrefix(text, "refute_") || strings.HasPrefix(text, "must_"):
		return true
	case s.takesBlocks() && prev != "." && // between two values
		(strings.HasPrefix(text, "should") || s.Lang == syntax.Scala && strings.HasPrefix(text, "must")):
		return true
	case prev == "." && (text == "expect" || text == "unwrap" || strings.HasPrefix(text, "should") ||
		strings.HasPrefix(text, "must")):
		return true
	}
	return next == "(" || next == "!" || next == "." ||
		s.takesBlocks() && (next == "{" || takesFunction(toks, i+1))
}

// takesBlocks reports whether functions are called with a block and between two values.
func (s *File) takesBlocks() bool { return s.Lang == syntax.Kotlin || s.Lang == syntax.Scala }

// takesFunction reports whether types are at i, and after them a function: <Error> { … }, [Error] { … }.
func takesFunction(toks []tokens.Token, i int) bool {
	end := map[string]string{"<": ">", "[": "]"}[tokens.TextAt(toks, i)]
	if end == "" {
		return false
	}
	for i++; i < len(toks) && (expression.IsWord(toks[i].Text) || toks[i].Text == "."); i++ {
	}
	return tokens.TextAt(toks, i) == end && (tokens.TextAt(toks, i+1) == "{" || tokens.TextAt(toks, i+1) == "(")
}

// vacuous reports whether an assertion is true whatever the program does: it compares a
// value with itself, or only literals.
func vacuous(toks []tokens.Token, i int) bool {
	word := toks[i].Text
	if tokens.TextAt(toks, i-1) == "." && asked.MatchString(word) || asksReceiver(toks, i) {
		return false // of what precedes it
	}
	open := i + 1
	if tokens.TextAt(toks, open) == "!" { // a macro
		open++
	}
	if tokens.TextAt(toks, open) == "." { // assert.Equal(…)
		open += 2
	}
	if tokens.TextAt(toks, open) != "(" {
		if word == "assert" || strings.HasPrefix(word, "assert_") || word == "refute" { // without brackets, to the end of the line
			end := open
			for end < len(toks) && toks[end].Line == toks[i].Line && !toks[end].IsBorder {
				end++
			}
			return emptyArguments(word, tokens.SplitArguments(toks[open:end]))
		}
		return false
	}
	end := tokens.ClosingBracket(toks, open)
	args := tokens.SplitArguments(toks[open+1 : end])
	if word == "assert" && len(args) > 1 && toks[i+1].Text == "(" && (end+1 >= len(toks) ||
		toks[end+1].Line != toks[end].Line) && tokens.TextAt(toks, i-1) != "." && strings.HasPrefix(lastOf(args), `"`) {
		return true // of Python: a tuple is always true
	}
	if word == "expect" && tokens.TextAt(toks, i-1) == "." && tokens.TextAt(toks, i-2) != "chai" { // of a request: .expect(200)
		return false
	}
	if word == "expect" && tokens.TextAt(toks, i-1) != "#" {
		return vacuousExpect(toks, args, end)
	}
	if word == "unwrap" || word == "raise" || word == "throw" || word == "panic" || strings.HasPrefix(strings.ToLower(word), "fail") || strings.HasPrefix(strings.ToLower(word), "fatal") || word == "Error" || word == "Errorf" {
		return false
	}
	return emptyArguments(word+tokens.TextAt(toks, open-1), args)
}

// asked finds what asks something of the value that it is called on.
var asked = lazyregexp.MustCompile(`^(?:(?:must|wont|should)_|[sS]hould[A-Z])`)

// asksReceiver reports whether an assertion is called on an object that is neither the test nor a library, and does not
// only compare what it is given: response.assertStatus(200), save.assert_called_with(3).
func asksReceiver(toks []tokens.Token, i int) bool {
	of := i - 2
	if tokens.TextAt(toks, i-1) == ">" && tokens.TextAt(toks, i-2) == "-" {
		of--
	} else if tokens.TextAt(toks, i-1) != "." {
		return false
	}
	word := strings.TrimLeft(tokens.TextAt(toks, of), "$")
	return word != "" && strings.ToLower(word[:1]) == word[:1] && !ofTheTest[word] && !comparesOnly.MatchString(toks[i].Text) && !isAssert(word)
}

// ofTheTest are what a test library's assertions are called on, comparesOnly its assertions about their
// arguments alone.
var (
	ofTheTest    = source.WordSet("self this t tb tap tc test s suite static parent cls softly chai case testcase harness")
	comparesOnly = lazyregexp.MustCompile(`(?i)^(?:xct)?(?:assert|expect|require|check|verify|ensure|must|refute|fail|should)_?(?:not_?)?` +
		`(?:true|false|equals?|eq|ne|same|null|nil|none|ok|that|is_?\w*|in|contains?|greater\w*|less\w*|almost\w*|count|empty|regex\w*|match\w*)?$`)
)

func lastOf(list []string) string { return list[len(list)-1] }

// vacuousExpect judges expect(a).toBe(b), in all of its spellings.
func vacuousExpect(toks []tokens.Token, args []string, end int) bool {
	i := end + 1
	if tokens.Called(toks, i) == 0 {
		return len(args) > 0 // nothing is asked of it
	}
	for n := tokens.Called(toks, i); n > 0 && i+n < len(toks); n = tokens.Called(toks, i) { // .to.be.equal, .to eq
		i += n + 1
		if next := tokens.TextAt(toks, i); next != "." && next != "(" && expression.IsWord(next) && toks[i].Line == toks[i-1].Line {
			i++
		}
	}
	var wanted []string
	if tokens.TextAt(toks, i) == "(" {
		wanted = tokens.SplitArguments(toks[i+1 : tokens.ClosingBracket(toks, i)])
	}
	value := strings.Join(args, ",")
	if next := tokens.TextAt(toks, i); matcher.MatchString(tokens.TextAt(toks, i-1)) && next != "(" && next != "." && next != "<" {
		return true // it is not called
	}
	return value != "" && (expression.Literal([]string{strings.ReplaceAll(value, "\x00", "")}) != expression.Unknown ||
		expression.Evaluate(strings.ReplaceAll(value, "\x00", " ")) != expression.Unknown ||
		len(wanted) > 0 && value == strings.Join(wanted, ","))
}

// matcher finds the methods by which Jest and Vitest ask something.
var matcher = lazyregexp.MustCompile(`^to[A-Z]\w*$`)

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

// ReportsProblem matches the names of functions that report or log something.
var ReportsProblem = lazyregexp.MustCompile(`(?i)^(?:log\w*|warn\w*|error|info|report\w*|emit|notify|abort|exit|fail\w*|reject|status|print\w*)$`)
