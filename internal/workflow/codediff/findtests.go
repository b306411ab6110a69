package codediff

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
	"codeintel/internal/workflow/unbuilt"
)

// The tests of a text.

// collected reports whether a file's name is one whose tests are run, in languages in
// which that is a question of its name.
func collected(lang syntax.Language, file string) bool {
	files := syntax.Of(lang).Testing.Files
	return files == "" || matches(files, file) && !(lang == syntax.Go && unbuilt.GoFolder(path.Dir(file)))
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
var never = lazyregexp.MustCompile(`@(?:pytest\.)?mark\.skip(?:\(|\s*$)|@unittest\.skip\(|@unittest\.expectedFailure|mark\.xfail\b|(?m:^\s*#\[ignore\b)|@(?:Disabled|Ignore)\b(?:\(|\s)|^(?:xit|xtest|xspecify|pending|(?:it|test)\.(?:skip|todo|failing|fails))\b|^[^\n]*\{\s*(?:[tb]\.Skip(?:Now|f)?\(|(?:\$this->|self::)markTest(?:Skipped|Incomplete)\()|\[(?:Ignore|Explicit)\b|parametrize\([^()]*,\s*\[\s*\]|\.each\(\s*\[\s*\]\s*\)|ValueSource\(\w+\s*=\s*\{\s*\}`)

// tags finds what a run may leave tests out by.
var tags = lazyregexp.MustCompile(`@pytest\.mark\.(?:slow|integration|e2e|manual|flaky|skip\w*|nightly|local|network|long\w*|expensive|wip|broken|todo|heavy|optional|unstable|quarantine\w*)\b|#\[(?:\w+\\)*Group\(|@group\s|@Tag\(|@Category\(|\[(?:Trait|Category|TestCategory)\(|(?m:^\s*(?:it|test|describe|context|specify)\b[^\n]*,\s*:?(?:slow|integration|manual|broken|wip|flaky|nightly)\b(?::\s*true)?)|\.tags\(|@tag\s+:?(?:slow|integration|manual|external|nightly|flaky)\b`)

// testsOf returns the tests of a text, and the functions beside them.
func testsOf(s *side, file string, inTests bool) (tests []testcase) {
	if s == nil || s.tree == nil || !collected(s.lang, file) && !inTests {
		return nil
	}
	dead := s.swallowed()
	s.vain = s.vainHelpers(dead)
	src := s.withoutRemarks()
	outside := len(skips.FindAllString(src, -1)) + s.replacedRuns() + s.takenByName(src) - s.conditionalCode(inTests)
	for i := int32(0); i < int32(len(s.tree.Nodes)); i++ {
		name, whole, ok := s.test(i, file)
		helper := false
		if !ok {
			if !inTests || !s.tree.Function(i) || s.anonymous(i) || s.functionAround(i) >= 0 {
				continue
			}
			name, whole, helper = "helper "+s.tree.FunctionName(i), i, true
		}
		n := s.tree.Nodes[i]
		start, end := min(int(s.tree.Nodes[whole].Start), s.begins(i)), int(n.End)
		t := testcase{name: name, helper: helper, called: !s.tree.Function(i),
			skips: len(skips.FindAllString(src[start:end], -1))}
		outside -= t.skips
		if !helper {
			t.asked = s.onDemand(i)
			t.skips += s.conditional(i) + s.unheardExample(name, i) + s.disabledByName(i) + s.generates(src[start:end])
		}
		t.retries = len(retries.FindAllString(string(s.src[start:end]), -1))
		t.never = never.Match(s.src[start:end])
		t.tags = len(tags.FindAllString(string(s.src[start:end]), -1))
		t.table = helper && s.feedsTests(s.tree.FunctionName(i))
		toks := s.live(start, end)
		t.key = s.textKey(toks)
		if at := slices.IndexFunc(toks, func(t tok) bool { return expression.IsText(t.text) && unquoted(t.text) == name }); t.called && at >= 0 {
			t.key = s.textKey(toks[:at]) + s.textKey(toks[at+1:])
			toks = slices.Concat(toks[:at], toks[at+1:])
		}
		if s.tree.Function(i) { // without its name
			t.key = s.textKey(s.live(start, s.nameStart(i))) + s.textKey(s.live(int(s.tree.Nodes[s.tree.Body(i)].Start), end))
		}
		t.key = ownName(t.key, name)
		t.weights, t.mayFail = s.weigh(toks, dead)
		t.free, _ = s.weigh(s.unconditional(i, toks), dead)
		t.gives = s.givesBack(i)
		t.builds = s.builds(i, toks, dead)
		t.weights.loose += s.narrowed(i)
		t.calls = callsOf(toks, s.tree.FunctionName(i))
		t.mayFail = t.mayFail || s.isExample(name) || !helper && (s.callsInherited(i, toks) || s.runAlone(i))
		t.asked = t.asked && !s.runAlone(i)
		if s.redefined(tests, t) { // the last of its name is the one that runs
			tests = slices.DeleteFunc(tests, func(earlier testcase) bool { return earlier.name == t.name })
		}
		tests = append(tests, t)
		if !helper && s.tree.Function(i) || helper {
			i = n.Next - 1
		}
	}
	if inTests {
		tests = append(tests, s.tables()...)
	}
	withHelpers(tests)
	if len(tests) > 0 || inTests {
		tests = append(tests, testcase{name: wholeFile, helper: true, skips: outside, key: "\x01" +
			strings.Repeat("s", max(0, outside))})
	}
	return tests
}

// generates counts a test that only gives values one by one, so that it does not run.
func (s *side) generates(test string) int {
	if s.lang == syntax.Python && testrun.Generates(test) {
		return 1
	}
	return 0
}

// takenByName counts what takes tests away by what is said of their names.
func (s *side) takenByName(text string) int {
	if s.lang != syntax.Python {
		return 0
	}
	return testrun.TakenInPython(text, s.base)
}

// redefined reports whether a function takes the place of an earlier one.
func (s *side) redefined(tests []testcase, t testcase) bool {
	return (s.lang == syntax.Ruby || s.lang == syntax.Python) && !t.helper && !t.called &&
		slices.ContainsFunc(tests, func(earlier testcase) bool { return earlier.name == t.name && !earlier.called })
}

// conditional counts the conditions under which a node is compiled.
func (s *side) conditional(node int32) (n int) {
	for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
		n += s.underDirective(node, p)
		switch k := s.tree.Kind(p); k {
		case "preproc_if", "preproc_ifdef", "preproc_elif", "if_statement", "if_modifier", "unless_modifier", "if", "unless":
			n++
		}
	}
	return n
}

// underDirective counts the "#if" of Swift that stand before a node in one around it, and
// that no "#endif" has closed.
func (s *side) underDirective(node, around int32) (n int) {
	if s.lang != syntax.Swift {
		return 0
	}
	for c := range s.children(around) {
		switch text := s.tree.Text(c); {
		case c >= node:
			return n
		case s.tree.Kind(c) != "directive":
		case strings.HasPrefix(text, "#if"):
			n++
		case strings.HasPrefix(text, "#endif"):
			n--
		}
	}
	return n
}

func (s *side) textKey(toks []tok) string {
	var b strings.Builder
	for _, t := range toks {
		b.WriteString(t.text)
		b.WriteByte(0)
	}
	return b.String()
}

// test returns the name of the test that a node is, and the node with what is written
// in front of it.
func (s *side) test(node int32, file string) (name string, whole int32, ok bool) {
	kind := s.tree.Kind(node)
	if s.tree.Function(node) && !s.anonymous(node) {
		alone := false
		name, whole = s.tree.FunctionName(node), node
		if p := s.tree.Parent(node); p >= 0 && s.tree.Kind(p) == "decorated_definition" {
			whole = p
		}
		for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
			if strings.Contains(s.tree.Kind(p), "class") && s.nameOf(p) != "" {
				name = s.nameOf(p) + "." + name
				alone = s.inheritsNothing(p)
				break
			}
		}
		plain, how := s.tree.FunctionName(node), s.spec.Testing
		if s.lang == syntax.Python && testrun.Fixture(s.tree.Text(whole)) {
			return "", 0, false
		}
		if how.Heads != nil && fixture.MatchString(plain) {
			return "", 0, false
		}
		if how.Heads != nil && how.Heads.MatchString(cmp.Or(plain, s.tree.Text(s.nthChild(node, 0)))) {
			return s.headed(node), node, true
		}
		ok = how.Functions != "" && matches(how.Functions, plain) && plain != "TestMain" && s.tree.Field(node, "receiver") < 0 &&
			!(how.Inherited && s.hasModifier(node, "private")) ||
			how.Marked && marksTest.Match(s.head(node)) && !s.hasModifier(node, "private")
		ok = ok && collected(s.lang, file) && (how.Heads == nil || inTestFile.MatchString(file) && takesNothing.Match(s.head(node))) && !s.behindPrivate(node) && !(alone && !(s.lang == syntax.Swift && marksTest.Match(s.head(node))))
		return name, whole, ok
	}
	if heads := s.spec.Testing.Heads; heads != nil && kind == "compound_statement" {
		return s.headedBlock(node)
	}
	if s.lang == syntax.Scala {
		name, ok = s.scalaTest(node)
		return name, node, ok
	}
	return s.calledTest(node)
}

// calledTest returns the test that a call is: it("…", …), it.each([…])("…", …).
func (s *side) calledTest(node int32) (name string, whole int32, ok bool) {
	kind := s.tree.Kind(node)
	if kind != "call_expression" && kind != "call" && kind != "function_call_expression" || !s.spec.Testing.Called {
		return "", 0, false
	}
	if s.lang == syntax.Kotlin {
		name, ok = s.specTest(node)
		return name, node, ok
	}
	text := s.tree.Text(node)
	callee, rest, _ := strings.Cut(strings.TrimSpace(text[:min(len(text), 200)]), "(")
	if table := s.nthChild(node, 0); table >= 0 && strings.HasPrefix(s.tree.Kind(table), "call") { // it.each([…])("…")
		n := s.tree.Nodes[table]
		_, rest, _ = strings.Cut(text[n.End-n.Start:min(len(text), int(n.End-n.Start)+200)], "(")
		callee, _, _ = strings.Cut(callee, "`")
	}
	if s.lang == syntax.Ruby || s.spec.Comparing.Calls {
		callee, rest, _ = strings.Cut(callee, " ")
	}
	if !callsTest.MatchString(callee) || s.onlyCallee(node) {
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

// headed returns the name of a test that a macro heads: what it is given.
func (s *side) headed(function int32) string {
	name, _, _ := strings.Cut(s.tree.Text(function), "{")
	_, name, _ = strings.Cut(name, "(")
	return strings.ReplaceAll(strings.TrimRight(strings.TrimSpace(name), ")"), ", ", ".")
}

// headedBlock returns the test that a block is whose macro is a call to the grammar:
// TEST_CASE("total") { … }.
func (s *side) headedBlock(block int32) (name string, whole int32, ok bool) {
	before := int32(-1)
	for c := range s.children(s.tree.Parent(block)) {
		if c == block {
			break
		}
		before = c
	}
	if before < 0 {
		return "", 0, false
	}
	callee, rest, called := strings.Cut(strings.TrimSpace(s.tree.Text(before)), "(")
	if !called || !s.spec.Testing.Heads.MatchString(callee) {
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
func (s *side) inheritsNothing(class int32) bool {
	if s.lang == syntax.Python {
		return s.tree.Field(class, "superclasses") < 0 && !strings.HasPrefix(s.nameOf(class), "Test")
	}
	switch s.lang {
	case syntax.Ruby:
		return s.tree.Kind(class) == "class" && s.tree.Field(class, "superclass") < 0
	case syntax.PHP:
		for c := range s.children(class) {
			if s.tree.Kind(c) == "base_clause" {
				return false
			}
		}
		return s.tree.Kind(class) == "class_declaration"
	case syntax.Swift:
		for c := range s.children(class) {
			if s.tree.Kind(c) == "inheritance_specifier" {
				return false
			}
		}
		return s.tree.Kind(class) == "class_declaration" && strings.Contains(s.headText(class), "class ")
	}
	return false
}

// headText returns what stands before the body of a class.
func (s *side) headText(class int32) string {
	text, _, _ := strings.Cut(s.tree.Text(class), "{")
	return text
}

// behindPrivate reports whether a method of Ruby stands behind "private".
func (s *side) behindPrivate(node int32) (private bool) {
	if s.lang != syntax.Ruby {
		return false
	}
	for c := range s.children(s.tree.Parent(node)) {
		if c == node {
			return private
		}
		switch s.tree.Text(c) {
		case "private", "protected":
			private = true
		case "public":
			private = false
		}
	}
	return false
}

// onlyCallee reports whether a call is what another one calls: test.each([…])("…").
func (s *side) onlyCallee(node int32) bool { return s.tree.FieldName(node) == "function" }

// head returns what stands between the beginning of a function, or its attributes, and
// its body.
func (s *side) head(node int32) []byte {
	return s.src[s.begins(node):s.tree.Nodes[s.tree.Body(node)].Start]
}

// begins returns where a function begins with what is written in front of it: its attributes, or a
// comment that makes it a test.
func (s *side) begins(node int32) int {
	from := int(s.tree.Nodes[node].Start)
	if s.spec.Testing.Before {
		return s.attributes(node)
	}
	if s.spec.Testing.Documented {
		if prev := bytes.LastIndex(s.src[:from], []byte("/**")); prev >= 0 && !bytes.ContainsAny(s.src[prev:from], "{};") {
			return prev
		}
	}
	return from
}

// attributes returns where the attributes in front of a Rust function begin.
func (s *side) attributes(node int32) int {
	start := int(s.tree.Nodes[node].Start)
	parent := s.tree.Parent(node)
	for c := range s.children(parent) {
		if c >= node {
			break
		}
		if k := s.tree.Kind(c); k == "attribute_item" || k == "unary_operator" && s.spec.Comparing.Calls ||
			strings.Contains(k, "comment") {
			start = min(start, int(s.tree.Nodes[c].Start))
		} else {
			start = int(s.tree.Nodes[node].Start)
		}
	}
	return start
}
