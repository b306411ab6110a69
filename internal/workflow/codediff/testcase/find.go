package testcase

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/testrun"
	"codeintel/internal/workflow/codediff/tokens"
	"codeintel/internal/workflow/codediff/uncompiled"
)

// The tests of a text.

// Collected reports whether a file's name is one whose tests are run, in languages in
// which that is a question of its name.
func Collected(lang syntax.Language, file string) bool {
	files := syntax.Of(lang).Testing.Files
	return files == "" || matches(files, file) && !(lang == syntax.Go && uncompiled.GoFolder(path.Dir(file)))
}

// matches reports whether a text matches an expression of a language's row.
func matches(expr, text string) bool {
	re, ok := expressions.Load(expr)
	if !ok {
		re, _ = expressions.LoadOrStore(expr, regexp.MustCompile(expr))
	}
	return re.(*regexp.Regexp).MatchString(text)
}

var expressions sync.Map // of regexps by their text

var (
	marksTest = lazyregexp.MustCompile(`@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b|#\[(?:\w+::)*(?:test|rstest|test_case)\b|@test\b|#\[Test\b|\(\s*void\s*\*\*\s*state\s*\)`)
	callsTest = lazyregexp.MustCompile(`^(?:it|test|specify|scenario|example|fit|xit|xtest|xspecify|pending|skip|(?:it|test|specify)(?:\.(?:only|skip|todo|each|for|concurrent|sequential|serial|parallel|failing|fails|fail|skipIf|runIf|slow|fixme|shuffle|extend|prop|cb|macro|ifs?))+|property)$`)
	skips     = lazyregexp.MustCompile(`\b[tb]\.Skip|SkipNow|mark\.(?:skip|skipif|xfail)|pytest\.(?:skip|xfail|importorskip)|\bskip(?:Test|If|Unless)?\s*\(|unittest\.skip|expectedFailure|@Disabled|@Ignore\b|@EnabledIf|@DisabledOn|\bassum(?:e|ing)\w*!?\s*\(|Assumptions\.|#\[ignore|markTest(?:Skipped|Incomplete)|\[(?:\w+\s*,\s*)*(?:Ignore|Explicit)\b|Assert\.(?:Inconclusive|Ignore|Pass|Skip\w*)\b|\bSkip\s*=|\.skip\b|\.todo\b|\.failing\b|\.only\b|(?m:^\s*(?:x(?:it|test|describe)|f(?:it|describe))\b)|(?m)^\s*(?:skip|pending)\b|testing\.Short\(\)|\bskip:|\btodo:\s*(?:true|["\x27])|\bTEST_(?:IGNORE|PASS)(?:_MESSAGE)?\(|@(?:module|describe)?tag\s+:?(?:skip|pending|exclude|disabled|todo|wip)\b|#\[cfg\(\s*(?:feature|not|any|all|target)|should_panic|#\[Requires\w+|@requires\b|\b(?:it|test)\.fails\b|\bGTEST_SKIP|\bDISABLED_|\bXCTSkip|\bXCTExpectFailure|\bwithKnownIssue\b|\.disabled\(|\.enabled\(if\b|\bBOOST_TEST_DONT|\bdoctest::(?:skip|may_fail|should_fail)|\[\.(?:[a-z]\w*)?\][\[\"]|\[!(?:hide|mayfail|shouldfail)\]|\bSKIP\(|\bunit_test::(?:disabled|enable_if)|\bcr_skip|\bQ(?:SKIP|EXPECT_FAIL)\b|\bIGNORE_TEST\b|\babstract class \w*Tests?\b|#!?\[cfg_attr\([^\]]*\bignore\b|#!\[cfg\(|\bwith_cases\(0\)|\bnumRuns:\s*0\b|->\s*(?:skip|todo)\(|\benabled\s*=\s*false|\b(?:it|specify|example)\s+(?:\x27[^\x27]*\x27|"[^"]*"),\s*(?:if|unless):`)
	asserting = lazyregexp.MustCompile(`(?i)^_*(?:(?:xct|boost_|ck_|cr_|g_|munit_|test_|unity_|static_)assert|boost_(?:check|require|test)|xct(?:fail|unwrap|expect)|q(?:compare|verify|fail)|assert|expect|should|must|require|verify|check|ensure|refute|fail|fatal|raises|throws|raise|throw|panic|unwrap|wont|intercept|match(?:es)?snapshot|tothrow|rejects)`)
)

// retries finds what runs a test again until it passes.
var retries = lazyregexp.MustCompile(`@(?:RetryingTest|RepeatedIfExceptionsTest|Retry(?:able)?|Flaky\w*)\b|\bfailureThreshold\b|mark\.flaky|@flaky\b|\bretryTimes\(|\.retries\(|\bretry:|(?m:\bretry$)|\? retry\b|\bretries:|\[Retry\b|\bRetry(?:Fact|Theory)\b|RetryTestRule|\.failsOrRetries\b`)

// never finds what keeps a test from running, whatever the machine.
var never = lazyregexp.MustCompile(`@(?:pytest\.)?mark\.skip(?:\(|(?m:\s*$))|@unittest\.skip\(|@unittest\.expectedFailure|mark\.xfail\b|(?m:^\s*#\[ignore\b)|@(?:Disabled|Ignore)\b(?:\(|\s)|^(?:xit|xtest|xspecify|pending|(?:it|test)\.(?:skip|todo|failing|fails))\b|^[^\n]*\{\s*(?:[tb]\.Skip(?:Now|f)?\(|(?:\$this->|self::)markTest(?:Skipped|Incomplete)\()|\[(?:Ignore|Explicit)\b|parametrize\([^()]*,\s*\[\s*\]|\.each\(\s*\[\s*\]\s*\)|ValueSource\(\w+\s*=\s*\{\s*\}`)

// tags finds what a run may leave tests out by.
var tags = lazyregexp.MustCompile(`@pytest\.mark\.(?:slow|integration|e2e|manual|flaky|skip\w*|nightly|local|network|long\w*|expensive|wip|broken|todo|heavy|optional|unstable|quarantine\w*)\b|#\[(?:\w+\\)*Group\(|@group\s|@Tag\(|@Category\(|\[(?:Trait|Category|TestCategory)\(|(?m:^\s*(?:it|test|describe|context|specify)\b[^\n]*,\s*:?(?:slow|integration|manual|broken|wip|flaky|nightly)\b(?::\s*true)?)|\.tags\(|@tag\s+:?(?:slow|integration|manual|external|nightly|flaky)\b`)

// Of returns the tests of a text, and the functions beside them.
func Of(s *File, file string, inTests bool) (tests []Case) {
	if s == nil || s.Tree == nil || !Collected(s.Lang, file) && !inTests {
		return nil
	}
	dead := s.swallowedSpans()
	s.uselessHelpers = s.findUselessHelpers(dead)
	src := s.withoutRemarks()
	outside := len(skips.FindAllString(src, -1)) + s.replacedRuns() + s.removedByName(src) - s.conditionalCode(inTests)
	for i := int32(0); i < int32(len(s.Tree.Nodes)); i++ {
		name, whole, ok := s.Test(i, file)
		helper := false
		if !ok {
			if !inTests || !s.Tree.Function(i) || s.Anonymous(i) || s.FunctionAround(i) >= 0 {
				continue
			}
			name, whole, helper = "helper "+s.Tree.FunctionName(i), i, true
		}
		n := s.Tree.Nodes[i]
		start, end := min(int(s.Tree.Nodes[whole].Start), s.begins(i)), int(n.End)
		t := Case{Name: name, IsHelper: helper, IsCall: !s.Tree.Function(i),
			Skips: len(skips.FindAllString(src[start:end], -1))}
		outside -= t.Skips
		if !helper {
			t.OnDemand = s.onDemand(i)
			t.Skips += s.conditional(i) + s.exampleWithoutOutput(name, i) + s.disabledByName(i) + s.generates(src[start:end])
		}
		t.Retries = len(retries.FindAllString(string(s.Src[start:end]), -1))
		t.NeverRuns = never.Match(s.Src[start:end])
		t.Tags = len(tags.FindAllString(string(s.Src[start:end]), -1))
		t.IsTable = helper && s.isDataProvider(s.Tree.FunctionName(i))
		toks := s.TokensIn(start, end)
		t.Key = s.textKey(toks)
		if at := slices.IndexFunc(toks, func(t tokens.Token) bool { return expression.IsText(t.Text) && unquoted(t.Text) == name }); t.IsCall && at >= 0 {
			t.Key = s.textKey(toks[:at]) + s.textKey(toks[at+1:])
			toks = slices.Concat(toks[:at], toks[at+1:])
		}
		if s.Tree.Function(i) { // without its name
			t.Key = s.textKey(s.TokensIn(start, s.nameStart(i))) + s.textKey(s.TokensIn(int(s.Tree.Nodes[s.Tree.Body(i)].Start), end))
		}
		t.Key = ownName(t.Key, name)
		t.Counts, t.CanFail = s.countIn(toks, dead)
		t.Unconditional, _ = s.countIn(s.unconditional(i, toks), dead)
		t.Returns = s.returnsValues(i)
		t.Builds = s.builds(i, toks, dead)
		t.Counts.Loose += s.narrowed(i)
		t.Calls = tokens.CallsOf(toks, s.Tree.FunctionName(i))
		t.CanFail = t.CanFail || s.isExample(name) || !helper && (s.callsInherited(i, toks) || s.runAlone(i))
		t.OnDemand = t.OnDemand && !s.runAlone(i)
		if s.redefined(tests, t) { // the last of its name is the one that runs
			tests = slices.DeleteFunc(tests, func(earlier Case) bool { return earlier.Name == t.Name })
		}
		tests = append(tests, t)
		if !helper && s.Tree.Function(i) || helper {
			i = n.Next - 1
		}
	}
	if inTests {
		tests = append(tests, s.tables()...)
	}
	withHelpers(tests)
	if len(tests) > 0 || inTests {
		tests = append(tests, Case{Name: WholeFile, IsHelper: true, Skips: outside, Key: "\x01" +
			strings.Repeat("s", max(0, outside))})
	}
	return tests
}

// generates counts a test that only gives values one by one, so that it does not run.
func (s *File) generates(test string) int {
	if s.Lang == syntax.Python && testrun.Generates(test) {
		return 1
	}
	return 0
}

// removedByName counts what removes tests by their names.
func (s *File) removedByName(text string) int {
	if s.Lang != syntax.Python {
		return 0
	}
	return testrun.RemovedInPython(text, s.Base)
}

// redefined reports whether a function takes the place of an earlier one.
func (s *File) redefined(tests []Case, t Case) bool {
	return (s.Lang == syntax.Ruby || s.Lang == syntax.Python) && !t.IsHelper && !t.IsCall &&
		slices.ContainsFunc(tests, func(earlier Case) bool { return earlier.Name == t.Name && !earlier.IsCall })
}

// conditional counts the conditions under which a node is compiled.
func (s *File) conditional(node int32) (n int) {
	for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
		n += s.underDirective(node, p)
		switch k := s.Tree.Kind(p); k {
		case "preproc_if", "preproc_ifdef", "preproc_elif", "if_statement", "if_modifier", "unless_modifier", "if", "unless":
			n++
		}
	}
	return n
}

// underDirective counts the "#if" of Swift that precede a node in one around it, and
// that no "#endif" has closed.
func (s *File) underDirective(node, around int32) (n int) {
	if s.Lang != syntax.Swift {
		return 0
	}
	for c := range s.Children(around) {
		switch text := s.Tree.Text(c); {
		case c >= node:
			return n
		case s.Tree.Kind(c) != "directive":
		case strings.HasPrefix(text, "#if"):
			n++
		case strings.HasPrefix(text, "#endif"):
			n--
		}
	}
	return n
}

func (s *File) textKey(toks []tokens.Token) string {
	var b strings.Builder
	for _, t := range toks {
		b.WriteString(t.Text)
		b.WriteByte(0)
	}
	return b.String()
}

// Test returns the name of the test that a node is, and the node with what is written
// in front of it.
func (s *File) Test(node int32, file string) (name string, whole int32, ok bool) {
	kind := s.Tree.Kind(node)
	if s.Tree.Function(node) && !s.Anonymous(node) {
		alone := false
		name, whole = s.Tree.FunctionName(node), node
		if p := s.Tree.Parent(node); p >= 0 && s.Tree.Kind(p) == "decorated_definition" {
			whole = p
		}
		for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
			if strings.Contains(s.Tree.Kind(p), "class") && s.NameOf(p) != "" {
				name = s.NameOf(p) + "." + name
				alone = s.inheritsNothing(p)
				break
			}
		}
		plain, how := s.Tree.FunctionName(node), s.Spec.Testing
		if s.Lang == syntax.Python && testrun.Fixture(s.Tree.Text(whole)) {
			return "", 0, false
		}
		if how.Heads != nil && fixture.MatchString(plain) {
			return "", 0, false
		}
		if how.Heads != nil && how.Heads.MatchString(cmp.Or(plain, s.Tree.Text(s.NthChild(node, 0)))) {
			return s.testMacroName(node), node, true
		}
		ok = how.Functions != "" && matches(how.Functions, plain) && plain != "TestMain" && s.Tree.Field(node, "receiver") < 0 &&
			!(how.Inherited && s.HasModifier(node, "private")) ||
			how.Marked && marksTest.Match(s.headBytes(node)) && !s.HasModifier(node, "private")
		ok = ok && Collected(s.Lang, file) && (how.Heads == nil || InTestFile.MatchString(file) && takesNothing.Match(s.headBytes(node))) && !s.behindPrivate(node) && !(alone && !(s.Lang == syntax.Swift && marksTest.Match(s.headBytes(node))))
		return name, whole, ok
	}
	if heads := s.Spec.Testing.Heads; heads != nil && kind == "compound_statement" {
		return s.headedBlock(node)
	}
	if s.Lang == syntax.Scala {
		name, ok = s.scalaTest(node)
		return name, node, ok
	}
	return s.calledTest(node)
}

// calledTest returns the test that a call is: it("…", …), it.each([…])("…", …).
func (s *File) calledTest(node int32) (name string, whole int32, ok bool) {
	kind := s.Tree.Kind(node)
	if kind != "call_expression" && kind != "call" && kind != "function_call_expression" || !s.Spec.Testing.Called {
		return "", 0, false
	}
	if s.Lang == syntax.Kotlin {
		name, ok = s.specTest(node)
		return name, node, ok
	}
	text := s.Tree.Text(node)
	callee, rest, _ := strings.Cut(strings.TrimSpace(text[:min(len(text), 200)]), "(")
	if table := s.NthChild(node, 0); table >= 0 && strings.HasPrefix(s.Tree.Kind(table), "call") { // it.each([…])("…")
		n := s.Tree.Nodes[table]
		_, rest, _ = strings.Cut(text[n.End-n.Start:min(len(text), int(n.End-n.Start)+200)], "(")
		callee, _, _ = strings.Cut(callee, "`")
	}
	if s.Lang == syntax.Ruby || s.Spec.Comparing.Calls {
		callee, rest, _ = strings.Cut(callee, " ")
	}
	if !callsTest.MatchString(callee) || s.OnlyCallee(node) {
		return "", 0, false
	}
	rest = strings.TrimSpace(rest)
	if rest == "" || !strings.ContainsRune("'\"`", rune(rest[0])) {
		return "", 0, false
	}
	end := 1
	for end < len(rest) && rest[end] != rest[0] {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	return rest[1:min(end, len(rest))], node, true
}

// fixture finds what a test program of C calls before and after tests.
var fixture = lazyregexp.MustCompile(`_(?:initialize|cleanup|set_?up|tear_?down)$`)

// testMacroName returns the name of a test that a macro heads: what it is given.
func (s *File) testMacroName(function int32) string {
	name, _, _ := strings.Cut(s.Tree.Text(function), "{")
	_, name, _ = strings.Cut(name, "(")
	return strings.ReplaceAll(strings.TrimRight(strings.TrimSpace(name), ")"), ", ", ".")
}

// headedBlock returns the test that a block is whose macro is a call to the grammar:
// TEST_CASE("total") { … }.
func (s *File) headedBlock(block int32) (name string, whole int32, ok bool) {
	before := int32(-1)
	for c := range s.Children(s.Tree.Parent(block)) {
		if c == block {
			break
		}
		before = c
	}
	if before < 0 {
		return "", 0, false
	}
	callee, rest, called := strings.Cut(strings.TrimSpace(s.Tree.Text(before)), "(")
	if !called || !s.Spec.Testing.Heads.MatchString(callee) {
		return "", 0, false
	}
	if _, rest, called = strings.Cut(rest, `"`); !called {
		return "", 0, false
	}
	name, _, _ = strings.Cut(rest, `"`)
	return name, before, true
}

// inheritsNothing reports whether a class has no class above it that would find its tests, nor
// a name by which they are found.
func (s *File) inheritsNothing(class int32) bool {
	if s.Lang == syntax.Python {
		return s.Tree.Field(class, "superclasses") < 0 && !strings.HasPrefix(s.NameOf(class), "Test")
	}
	switch s.Lang {
	case syntax.Ruby:
		return s.Tree.Kind(class) == "class" && s.Tree.Field(class, "superclass") < 0
	case syntax.PHP:
		for c := range s.Children(class) {
			if s.Tree.Kind(c) == "base_clause" {
				return false
			}
		}
		return s.Tree.Kind(class) == "class_declaration"
	case syntax.Swift:
		for c := range s.Children(class) {
			if s.Tree.Kind(c) == "inheritance_specifier" {
				return false
			}
		}
		return s.Tree.Kind(class) == "class_declaration" && strings.Contains(s.headText(class), "class ")
	}
	return false
}

// headText returns the text of a class before its body.
func (s *File) headText(class int32) string {
	text, _, _ := strings.Cut(s.Tree.Text(class), "{")
	return text
}

// behindPrivate reports whether a method of Ruby follows "private".
func (s *File) behindPrivate(node int32) (private bool) {
	if s.Lang != syntax.Ruby {
		return false
	}
	for c := range s.Children(s.Tree.Parent(node)) {
		if c == node {
			return private
		}
		switch s.Tree.Text(c) {
		case "private", "protected":
			private = true
		case "public":
			private = false
		}
	}
	return false
}

// headBytes returns the text between the beginning of a function, or its attributes, and
// its body.
func (s *File) headBytes(node int32) []byte {
	return s.Src[s.begins(node):s.Tree.Nodes[s.Tree.Body(node)].Start]
}

// begins returns where a function begins with what is written in front of it: its attributes, or a
// comment that makes it a test.
func (s *File) begins(node int32) int {
	from := int(s.Tree.Nodes[node].Start)
	if s.Spec.Testing.Before {
		return s.Attributes(node)
	}
	if s.Spec.Testing.Documented {
		if prev := bytes.LastIndex(s.Src[:from], []byte("/**")); prev >= 0 && !bytes.ContainsAny(s.Src[prev:from], "{};") {
			return prev
		}
	}
	return from
}
