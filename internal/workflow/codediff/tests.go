package codediff

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/syntax"
)

// A How says in what way a test can find less than it could.
type How string

// The ways.
const (
	Removed      How = "removed"
	NotCollected How = "not_collected" // the file is no longer one that is run
	Skipped      How = "skipped"
	Conditional  How = "conditional"    // it ends before its assertions, on some condition
	Fewer        How = "fewer"          // assertions
	Expectations How = "expectations"   // it expects something else, or of something else
	CannotFail   How = "cannot_fail"    // nothing in it can fail
	MainEnds     How = "main_ends"      // TestMain does not run the tests, or hides how they ended
	Settings     How = "settings"       // of what runs the tests
	Expected     How = "expected_text"  // a recorded result is another one
	Helper       How = "helper"         // that tests use asserts less
	Focused      How = "focused"        // only some tests of the file are run
	Retried      How = "retried"        // it may fail, and is tried again
	Tagged       How = "tagged"         // it has a tag by which a run may leave it out
	AsksForTests How = "asks_for_tests" // code does something else while it is tested
	ChecksLess   How = "checks_less"    // code that is no test raises fewer errors, or takes no lock
	MovedLess    How = "moved_less"     // code that is no test lost a part as it was renamed or moved
	TestsItself  How = "tests_itself"   // nothing that it names is of the project
	Unawaited    How = "unawaited"      // code that is no test waits no longer for what it calls
	NeverNamed   How = "never_named"    // a function or case that was added, and that nobody names
	NeverRead    How = "never_read"     // an option that was added, and that nobody reads
	NeverSet     How = "never_set"      // an option that was added, and that is off wherever it is made
)

// A Weakening is a test, or a part of how tests are run, that can find less than
// before the change.
type Weakening struct {
	File string // as it is now, or was
	Test string // "" for a file as a whole
	How  How
}

// messages says what became of a test.
var messages = map[How]string{
	Removed:      "codediff.test_was_removed",
	NotCollected: "codediff.test_no_longer_run",
	Skipped:      "codediff.test_is_skipped",
	Conditional:  "codediff.test_ends_before_its_assertions",
	Fewer:        "codediff.test_has_fewer_assertions",
	Expectations: "codediff.test_expects_something_else",
	CannotFail:   "codediff.test_cannot_fail",
	MainEnds:     "codediff.test_main_hides_results",
	Settings:     "codediff.test_settings_changed",
	Expected:     "codediff.expected_text_changed",
	Helper:       "codediff.test_helper_asserts_less",
	Retried:      "codediff.test_is_retried",
	Tagged:       "codediff.test_is_tagged",
	AsksForTests: "codediff.code_asks_for_tests",
	ChecksLess:   "codediff.code_checks_less",
	MovedLess:    "codediff.code_moved_less",
	TestsItself:  "codediff.test_names_nothing",
	Unawaited:    "codediff.code_unawaited",
	NeverNamed:   "codediff.code_never_named",
	NeverRead:    "codediff.option_never_read",
	NeverSet:     "codediff.option_never_set",
	Focused:      "codediff.test_file_focused",
}

// Message says what became of the test.
func (w Weakening) Message() msg.Message {
	what := w.File
	if name := w.Name(); name != "" {
		what += ": " + name
	}
	return msg.New(messages[w.How], what)
}

// Name is that of the test or helper, "" for a file as a whole.
func (w Weakening) Name() string { return strings.TrimPrefix(w.Test, "helper ") }

// A testcase is one test of a text.
type testcase struct {
	name    string
	key     string // what it says
	weights weights
	free    weights        // what it comes to whatever its conditions are
	whole   weights        // with those of the functions of the file that it calls
	calls   map[string]int // how often it calls what, by name
	handed  bool           // such a function asserts something
	builds  []weights      // of each program that the preprocessor makes of it
	skips   int
	retries int
	tags    int
	helper  bool
	never   bool // whatever happens, it is not run
	asked   bool // it ends at once unless the environment asks for it
	table   bool // tests go through it
	called  bool // it is a call, not a function
	mayFail bool
	gives   int  // how often it gives something back
	stands  bool // it has taken over what a test that is gone did
}

// weights are what a test consists of, counted.
type weights struct {
	asserts  map[string]int // by the words that assert
	literals map[string]int // values and comparisons
	wanted   map[string]int // the values on the lines of assertions
	branches int            // conditions and ways out
	loose    int            // words that allow for a difference
	either   int            // alternatives that an assertion allows for
}

// Weakened lists the tests that can find less than before, and the functions outside of tests that
// check less, sorted by file and name.
func (d *Diff) Weakened() []Weakening {
	if d == nil {
		return nil
	}
	var all []Weakening
	gone, come := make(map[string][]testcase), make(map[string][]testcase) // by name, of tests that may have moved
	said := make(map[string]int)                                           // skips of the new tests, from 1, by what they say
	var files []comparedTests
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		c := d.files[path]
		if c.now == nil {
			continue
		}
		all = append(all, c.settings()...)
		all = append(all, c.replacedAssertions()...)
		all = append(all, c.lostExamples()...)
		f := comparedTests{compared: c, old: testsOf(c.was, c.oldOr(), c.Test)}
		if c.out == "" {
			f.new = testsOf(c.now, c.Path, c.Test)
		}
		f.sort(gone, come, said)
		files = append(files, f)
	}
	for _, f := range files {
		if f.Base == nil && f.Test && f.now.tree != nil && !collected(f.lang, f.Path) && f.wouldTest() {
			all = append(all, Weakening{f.Path, "", NotCollected})
		}
		if f.now != nil && f.out == "" && len(f.old) > 0 && f.focus(f.now) > f.focus(f.was) {
			all = append(all, Weakening{f.Path, "", Focused})
		}
		all = append(all, f.lost(come, said)...)
		alone := f.Base == nil && f.Test && f.now.tree != nil && f.out == "" && f.now.standsAlone(f.Path)
		for _, t := range f.new {
			if len(named(f.old, t.name)) > 0 || len(gone[t.name]) > 0 || inRenamedClass(t, f.new, f.old) != nil {
				continue
			}
			if how := t.vain(alone); how != "" {
				all = append(all, Weakening{f.Path, t.name, how})
			}
		}
	}
	all = append(all, d.lostChecks()...)
	slices.SortFunc(all, func(a, b Weakening) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Test, b.Test),
			strings.Compare(string(a.How), string(b.How)))
	})
	return slices.Compact(all)
}

// TestsApart returns the files with tests that are new or say something else, sorted. There are none if
// no code changed that is no test, or if tests that changed stand in the file of the code they test.
func (d *Diff) TestsApart() (files []string) {
	code := false
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		c := d.files[path]
		if c.now == nil || !isCode(c.lang) {
			continue
		}
		old := testsOf(c.was, c.oldOr(), c.Test)
		tests := slices.ContainsFunc(testsOf(c.now, c.Path, c.Test), func(t testcase) bool {
			return !t.helper && !slices.ContainsFunc(old, func(o testcase) bool { return o.key == t.key })
		})
		switch {
		case c.Test && tests:
			files = append(files, path)
		case tests:
			return nil
		case !c.Test && len(c.changed) > 0:
			code = true
		}
	}
	if !code {
		return nil
	}
	return files
}

// sort puts the tests that are gone or new in the file to those of other files, by name, and notes what
// its tests say.
func (f *comparedTests) sort(gone, come map[string][]testcase, said map[string]int) {
	for _, t := range f.old {
		if len(named(f.new, t.name)) == 0 {
			gone[t.name] = append(gone[t.name], t)
		}
	}
	for _, t := range f.new {
		if len(named(f.old, t.name)) == 0 && t.name != wholeFile {
			come[t.name] = append(come[t.name], t)
		}
		if n := said[t.key]; !t.helper && (n == 0 || t.skips+1 < n) {
			said[t.key] = t.skips + 1
		}
	}
}

// vain says why a new test finds nothing, or "": alone tells that its file names nothing of the project.
func (t testcase) vain(alone bool) How {
	switch {
	case t.helper && !t.mayFail && standsIn.MatchString(t.name): // for an assertion of the same name
		return Helper
	case t.helper:
	case t.never:
		return Skipped
	case t.asked:
		return Conditional
	case !t.mayFail:
		return CannotFail
	case alone:
		return TestsItself
	}
	return ""
}

// wouldTest reports whether a file would hold tests if it had a name by which they are found.
func (f *comparedTests) wouldTest() bool {
	name := map[syntax.Language]string{syntax.Python: "test_it.py", syntax.Ruby: "it_spec.rb"}[f.lang]
	return name != "" && !bytes.Contains(f.New, []byte("shared_")) &&
		slices.ContainsFunc(testsOf(f.now, name, false), func(t testcase) bool { return !t.helper && t.mayFail })
}

// comparedTests are the tests of a file, before and after; there are no new ones where
// the file is no longer run.
type comparedTests struct {
	*compared
	old, new []testcase
}

// focused finds a test because of which the others of its file are not run.
var focused = lazyregexp.MustCompile(`\b(?:it|test|describe|context|suite)\.only\b|\b(?:fit|fdescribe|fcontext|fspecify)\b\s*[('"]|,\s*(?::focus\b|focus:\s*true)`)

func (f *comparedTests) focus(s *side) int {
	if s == nil || !s.spec.Testing.Called {
		return 0
	}
	return len(focused.FindAllString(string(s.src), -1))
}

// wholeFile is the name of what stands in a file beside its tests.
const wholeFile = "(file)"

// named returns the tests of a name.
func named(tests []testcase, name string) (found []testcase) {
	for _, t := range tests {
		if t.name == name {
			found = append(found, t)
		}
	}
	return found
}

// lost lists the old tests of a file that find less in its tests of now, or in those that
// come to another file, by name, or are not among them, by what they say.
func (f *comparedTests) lost(come map[string][]testcase, said map[string]int) (all []Weakening) {
	for i, t := range f.old {
		left := named(f.new, t.name)
		if len(left) == 0 {
			left = come[t.name]
		}
		if len(left) == 0 {
			left = inRenamedClass(t, f.old, f.new)
		}
		if at := partners(named(f.old, t.name), left)[nth(f.old, i)]; at >= 0 {
			if how := weaker(t, left[at]); how != "" {
				all = append(all, Weakening{f.Path, t.name, how})
			}
		} else if n := said[t.key]; (n == 0 && !takenOver(t, come) || n > t.skips+1) && !t.helper {
			how := Removed
			if n > 0 {
				how = Skipped
			} else if f.out != "" || f.New != nil && !collected(f.lang, f.Path) && collected(f.lang, f.oldOr()) {
				how = NotCollected
			}
			all = append(all, Weakening{f.Path, t.name, how})
		}
	}
	return all
}

var standsIn = lazyregexp.MustCompile(`^helper (?:[aA]ssert\w*|expect|refute)$`)

// nth says which of the tests of its name a test is, from 0.
func nth(tests []testcase, i int) (n int) {
	for _, t := range tests[:i] {
		if t.name == tests[i].name {
			n++
		}
	}
	return n
}

// weaker says in what way a test can find less than it could, or "".
func weaker(was, now testcase) How {
	how := weakerBy(was, now)
	if how != Fewer && how != Expectations {
		return how
	}
	for _, build := range was.builds { // one of two may be left
		w := was
		if w.weights = build; weakerBy(w, now) == "" {
			return ""
		}
	}
	if was.handed || now.handed { // functions beside it may have taken over
		was.weights, now.weights = was.whole, now.whole
		how = weakerBy(was, now)
	}
	return how
}

// lostAsserts reports whether words that assert are gone, and none has come that says by its name what
// was written out: assertNull(x) for assertEquals(null, x).
func lostAsserts(was, now weights) bool {
	left := 0
	for word, n := range was.asserts {
		left += max(0, n-now.asserts[word])
	}
	for word, n := range now.asserts {
		if m := namesValue.FindStringSubmatch(word); m != nil && now.literals[valueOf(m[1])] <= was.literals[valueOf(m[1])] {
			left -= max(0, n-was.asserts[word])
		} else if throwing.MatchString(word) { // for a "fail" behind what should have thrown
			left -= min(max(0, n-was.asserts[word]), max(0, was.asserts["fail"]-now.asserts["fail"]))
		}
	}
	return left > 0
}

// namesValue finds an assertion that names the value that it wants.
var namesValue = lazyregexp.MustCompile(`^(?:assert\w*?|[A-Z_]*(?:ASSERT|EXPECT|REQUIRE|CHECK)_|is|toBe|be_)_?(?i:(null|nil|none|true|false|ok|zero))$`)

// namedValue returns the value that an assertion names, or "".
func namedValue(toks []tok, i int) string {
	if m := namesValue.FindStringSubmatch(toks[i].text); m != nil && (at(toks, i+1) == "(" || at(toks, i-1) != "def") {
		return valueOf(m[1])
	}
	return ""
}

func valueOf(name string) string {
	switch name = strings.ToLower(name); name {
	case "ok", "zero":
		return "0"
	case "none":
		return "None"
	}
	return name
}

func weakerBy(was, now testcase) How {
	lost := func(a, b map[string]int) bool {
		for k, n := range a {
			if b[k] < n {
				return true
			}
		}
		return false
	}
	sum := func(m map[string]int) (n int) {
		for _, v := range m {
			n += v
		}
		return n
	}
	switch {
	case now.skips > was.skips:
		return Skipped
	case now.retries > was.retries:
		return Retried
	case now.tags > was.tags && !was.helper:
		return Tagged
	case was.mayFail && !now.mayFail && !was.helper:
		return CannotFail
	case was.key == now.key:
		return ""
	case was.table && lost(was.weights.literals, now.weights.literals):
		return Expectations
	case was.helper && (sum(now.weights.asserts) < sum(was.weights.asserts) ||
		now.weights.loose > was.weights.loose && len(was.weights.asserts) > 0):
		return Helper
	case was.helper:
		return ""
	case sum(now.weights.asserts) < sum(was.weights.asserts):
		return Fewer
	case lostValues(was.weights, now.weights), lostAsserts(was.weights, now.weights),
		now.weights.loose > was.weights.loose,
		now.weights.either > was.weights.either && sum(now.weights.asserts) == sum(was.weights.asserts):
		return Expectations
	case now.weights.branches-sum(now.weights.asserts) > was.weights.branches-sum(was.weights.asserts) &&
		(now.gives > was.gives || sum(now.free.asserts) < sum(was.free.asserts) || lost(was.free.literals, now.free.literals)):
		return Conditional
	}
	return ""
}

// collected reports whether a file's name is one whose tests are run, in languages in
// which that is a question of its name.
func collected(lang syntax.Language, file string) bool {
	files := syntax.Of(lang).Testing.Files
	return files == "" || matches(files, file) && !(lang == syntax.Go && goFolder(path.Dir(file)))
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
	asserting = lazyregexp.MustCompile(`(?i)^_*(?:(?:xct|boost_|ck_|cr_|g_|munit_|test_|unity_|static_)assert|boost_(?:check|require|test)|xct(?:fail|unwrap|expect)|q(?:compare|verify|fail)|assert|expect|should|must|require|verify|check|ensure|refute|fail|fatal|raises|throws|raise|throw|panic|unwrap|wont|match(?:es)?snapshot|tothrow|rejects)`)
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
	outside := len(skips.FindAllString(src, -1)) + s.replacedRuns() - s.conditionalCode(inTests)
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
			t.skips += s.conditional(i) + s.unheardExample(name, i) + s.disabledByName(i)
		}
		t.retries = len(retries.FindAllString(string(s.src[start:end]), -1))
		t.never = never.Match(s.src[start:end])
		t.tags = len(tags.FindAllString(string(s.src[start:end]), -1))
		t.table = helper && s.feedsTests(s.tree.FunctionName(i))
		toks := s.live(start, end)
		t.key = s.textKey(toks)
		if at := slices.IndexFunc(toks, func(t tok) bool { return isText(t.text) && unquoted(t.text) == name }); t.called && at >= 0 {
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

// redefined reports whether a function takes the place of an earlier one.
func (s *side) redefined(tests []testcase, t testcase) bool {
	return (s.lang == syntax.Ruby || s.lang == syntax.Python) && !t.helper && !t.called &&
		slices.ContainsFunc(tests, func(earlier testcase) bool { return earlier.name == t.name && !earlier.called })
}

// conditional counts the conditions under which a node is compiled.
func (s *side) conditional(node int32) (n int) {
	for p := s.tree.Nodes[node].Parent; p >= 0; p = s.tree.Nodes[p].Parent {
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
		if p := s.tree.Nodes[node].Parent; p >= 0 && s.tree.Kind(p) == "decorated_definition" {
			whole = p
		}
		for p := s.tree.Nodes[node].Parent; p >= 0; p = s.tree.Nodes[p].Parent {
			if strings.Contains(s.tree.Kind(p), "class") && s.nameOf(p) != "" {
				name = s.nameOf(p) + "." + name
				alone = s.inheritsNothing(p)
				break
			}
		}
		plain, how := s.tree.FunctionName(node), s.spec.Testing
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
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		end = len(rest) - 1
	}
	return rest[1 : end+1], node, true
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
	for c := range s.children(s.tree.Nodes[block].Parent) {
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
	for c := range s.children(s.tree.Nodes[node].Parent) {
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
	parent := s.tree.Nodes[node].Parent
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

// swallowed returns the stretches of text in which a failed assertion is caught and
// forgotten, or that nothing runs while the test does.
func (s *side) swallowed() (all []mark) {
	for i := range s.tree.Nodes {
		node := int32(i)
		s.afterDone(node, func(start, end int) { all = append(all, mark{start: start, end: end}) })
		if (s.anonymous(node) || s.lang == syntax.Ruby && strings.HasSuffix(s.tree.Kind(node), "block")) && (s.uncalled(node) || s.unawaited(node)) {
			n := s.tree.Nodes[node]
			all = append(all, mark{start: int(n.Start), end: int(n.End)})
			continue
		}
		if cond := s.condition(node); cond >= 0 && !s.isLoop(node) && differsFromItself(plainText(s.tree.Text(cond))) {
			n := s.tree.Nodes[node]
			all = append(all, mark{start: int(n.Start), end: int(n.End)})
			continue
		}
		switch s.kind(node) {
		case "body_statement": // of a method of Ruby
			if b := s.forgotten(node); b.end > b.start {
				b.start = int(s.tree.Nodes[node].Start)
				all = append(all, b)
			}
		case "try_statement", "begin", "try_expression", "try_call", "do_statement":
			if b := s.forgotten(node); b.end > b.start {
				all = append(all, b)
			}
			all = append(all, s.onlyIfThrown(node)...)
		case "with_statement":
			if head, _, _ := strings.Cut(s.tree.Text(node), "\n"); suppresses.MatchString(head) {
				n := s.tree.Nodes[node]
				all = append(all, mark{start: int(n.Start), end: int(n.End)})
			}
		}
	}
	return all
}

// differsFromItself reports whether a condition asks whether a name stands for something else than it
// stands for.
func differsFromItself(cond string) bool {
	left, right, found := strings.Cut(strings.Trim(cond, "()"), "!=")
	right = strings.TrimPrefix(right, "=")
	return found && left == right && plainWord.MatchString(left)
}

var suppresses = lazyregexp.MustCompile(`\b(?:suppress|raises)\(\s*(?:Base)?(?:Exception|AssertionError)\b`)

// forgotten returns what is tried and may fail without anybody hearing of it.
func (s *side) forgotten(try int32) (tried mark) {
	body, parts := s.tree.Field(try, "body"), try
	if s.spec.Comparing.Calls {
		parts = s.lastChild(try)
		body = parts
	}
	for c := range s.children(parts) {
		if body < 0 {
			body = c
		}
		k := s.tree.Kind(c)
		if !strings.Contains(k, "except") && !strings.Contains(k, "catch") && !strings.Contains(k, "rescue") {
			continue
		}
		start, end := 0, 0 // of what it does then
		for b := range s.children(c) {
			if s.isBlock(b) {
				start, end = int(s.tree.Nodes[b].Start), int(s.tree.Nodes[b].End)
			}
		}
		quiet := !slices.ContainsFunc(s.live(start, end),
			func(t tok) bool { return isAssert(t.text) || t.text == "Error" || t.text == "Errorf" })
		if quiet && s.catchesAll(c) {
			b := s.tree.Nodes[body]
			tried = mark{start: int(b.Start), end: int(b.End)}
		}
	}
	return tried
}

// uncalled reports whether a function without a name is given to nobody who calls it and
// tells what went wrong: it is assigned to "_" or to what nobody reads, stands there by
// itself, is handed to an empty list or to what forgets errors, or waits for a time that
// the test does not.
func (s *side) uncalled(node int32) bool {
	from := int(s.tree.Nodes[node].Start)
	start := max(bytes.LastIndexAny(s.src[:from], "\n;{")+1, 0)
	before := plainText(string(s.src[start:from]))
	switch {
	case before == "_=", strings.HasPrefix(before, "[]."):
		return true
	case forgets.MatchString(before):
		return !bytes.HasPrefix(bytes.TrimSpace(s.src[s.tree.Nodes[node].End:]), []byte(".getOrThrow"))
	case s.kept(node), s.lang == syntax.Kotlin && s.tree.Kind(s.tree.Nodes[node].Parent) == "function_body":
		return true
	case s.spec.Testing.Later != nil && s.spec.Testing.Later.MatchString(before):
		f := s.functionAround(node)
		return f >= 0 && !waits.MatchString(s.tree.Text(f))
	}
	return false
}

// forgets finds what calls a function and keeps its errors to itself.
var forgets = lazyregexp.MustCompile(`(?:\brunCatching|\bRecord\.Exception(?:Async)?\(|\bcatch_unwind\((?:AssertUnwindSafe\()?|\bassertThrows\((?:Throwable|Exception|Error|AssertionError)\.class,)$`)

// kept reports whether a function is a statement by itself, or is given to a local that
// nobody reads.
func (s *side) kept(function int32) bool {
	parent := s.tree.Nodes[function].Parent
	if s.isBlock(parent) {
		return !s.spec.Comparing.LastIsValue || s.lastChild(parent) != function || s.functionAround(function) < 0
	}
	for node := function; parent >= 0 && !s.isBlock(parent); parent = s.tree.Nodes[node].Parent {
		node = parent
		if left, right, ok := s.assignment(node); ok && right == function {
			return s.deadStore(node, left)
		}
	}
	return false
}

// waits finds a test that waits for what it has started, or turns the clock itself.
var waits = lazyregexp.MustCompile(`\b(?:await|done|Promise|resolve|wait|waitForExpectations|fulfillment|expectation|[tT]imers?|tick|clock|next|join\w*|get|Wait\w*|value|recv|awaitTermination|shutdown|invokeAll|Eventually)\b|[tT]imers?\(|<-`)

var catchesAll = lazyregexp.MustCompile(`^(?:except\s*:|except\s*\(?\s*(?:BaseException|Exception|AssertionError)|catch\s*(?:\{|\(\s*(?:\.\.\.|(?:const\s+)?std::exception\b|\w+\s*\)|(?:final\s+)?\\?(?:Throwable|Error|Exception|AssertionError|System\.Exception|(?:\w+\\)*(?:ExpectationFailedException|AssertionFailedError|ComparisonFailure|AssertionException|XunitException|AssertFailedException))\b|\w+\s*:\s*(?:Throwable|Exception|AssertionError)))|rescue\s*(?:$|=>|Exception|Minitest))`)

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
	replaced, plain := mocked(toks), s.withValues(toks)
	said, asserted := 0, 0 // up to where a text is only told; the line of the last assertion
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
		case s.asserts(toks, i):
			custom := s.spec.Testing.Heads != nil && text != "assert" && text != strings.ToUpper(text) // no macro of a library
			if inside(dead, t.at) || !custom && vacuous(plain, i) || holds(toks, i) || replaced.asserted(toks, i) || unheard(toks, i) ||
				s.forwarded(toks, i) || s.vain[text] && at(toks, i-1) != "." {
				continue
			}
			w.asserts[text]++
			w.literals[namedValue(toks, i)]++
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
	return w, mayFail && !s.panicsItself(toks)
}

// counts counts a token that is a condition, a way out, a value that is written out or a comparison,
// and reports whether it is one.
func (s *side) counts(w *weights, toks []tok, i int) bool {
	text, next, prev := toks[i].text, at(toks, i+1), at(toks, i-1)
	switch {
	case isText(text) && (isText(next) || joins(toks, i+1)):
		return true // of texts side by side, the last stands for all
	case text == "if" && prev == "#":
	case text == "if" || text == "return" || text == "unless" || text == "?" && !s.spec.Testing.Propagates:
		w.branches++
	case text == "True" || text == "False":
		w.literals[strings.ToLower(text)]++
	case text == "0" && countsFrom(toks, i), isText(text) && strings.TrimSpace(text[1:len(text)-1]) == "" && len(text) > 2:
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
	for isText(text) && i > 0 {
		if i > 1 && isText(toks[i-2].text) && joins(toks, i-1) {
			i--
		}
		if i--; !isText(toks[i].text) {
			break
		}
		text = toks[i].text[:len(toks[i].text)-1] + text[1:]
	}
	if isText(text[:1]+"x"+text[:1]) && !strings.ContainsAny(text, "\\$#") { // its quotes are no matter
		text = `"` + text[1:len(text)-1] + `"`
	}
	return text
}

// joins reports whether an operator puts a text behind another, and no call is made on that.
func joins(toks []tok, operator int) bool {
	op := at(toks, operator)
	return (op == "." || op == "+" && at(toks, operator+2) != ".") && isText(at(toks, operator+1))
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
	case !isAssert(text):
		return false
	case text == "assert" && next != ".":
		return true
	case text == "raise" || text == "throw" || text == "fail" || text == "refute" || text == "should" ||
		strings.HasPrefix(text, "assert_") || strings.HasPrefix(text, "must_"):
		return true
	case s.lang == syntax.Kotlin && strings.HasPrefix(text, "should") && prev != ".": // between two values
		return true
	case prev == "." && (text == "expect" || text == "unwrap" || strings.HasPrefix(text, "should") ||
		strings.HasPrefix(text, "must")):
		return true
	}
	return next == "(" || next == "!" || next == "." || s.lang == syntax.Kotlin && (next == "{" || takesFunction(toks, i+1))
}

// takesFunction reports whether types stand at i, and behind them a function: <Error> { … }.
func takesFunction(toks []tok, i int) bool {
	if at(toks, i) != "<" {
		return false
	}
	for i++; i < len(toks) && (isWord(toks[i].text) || toks[i].text == "."); i++ {
	}
	return at(toks, i) == ">" && (at(toks, i+1) == "{" || at(toks, i+1) == "(")
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
		if next := at(toks, i); next != "." && next != "(" && isWord(next) && toks[i].line == toks[i-1].line {
			i++
		}
	}
	var wanted []string
	if at(toks, i) == "(" {
		wanted = split(toks[i+1 : closing(toks, i)])
	}
	value := strings.Join(args, ",")
	return value != "" && (literalTruth([]string{strings.ReplaceAll(value, "\x00", "")}) != unknown ||
		truthOf(strings.ReplaceAll(value, "\x00", " ")) != unknown ||
		len(wanted) > 0 && value == strings.Join(wanted, ","))
}

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
		return literalTruth(strings.Split(a, "\x00")) != unknown || isText(a) && !strings.Contains(a, "\x00") || a[0] == '`' ||
			truthOf(strings.ReplaceAll(a, "\x00", " ")) != unknown
	}
	if len(args) == 1 {
		left, right, compared := strings.Cut(args[0], "\x00=\x00=\x00")
		if inner, ok := strings.CutPrefix(args[0], "matches\x00!\x00(\x00"); ok {
			left, right, compared = strings.Cut(strings.TrimSuffix(inner, "\x00)"), "\x00,\x00")
		}
		return constant(args[0]) || compared && left == right || strings.HasPrefix(args[0], "_\x00=\x00")
	}
	two := strings.Contains(strings.ToLower(word), "eq") || strings.Contains(strings.ToLower(word), "same")
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
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
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

// Touched returns the names of the functions and classes outside of tests in which anything changed.
func (d *Diff) Touched() (names []string) {
	for _, c := range d.files {
		if c.Test || c.now == nil || c.now.tree == nil {
			continue
		}
		for i := range c.now.tree.Nodes {
			node := int32(i)
			name := c.now.nameOf(node)
			if name == "" || c.now.anonymous(node) || !c.now.tree.Function(node) && !c.now.isContainer(node) {
				continue
			}
			for n := c.now.tree.Nodes[node]; n.StartRow <= n.EndRow; n.StartRow++ {
				if c.changed[int(n.StartRow)+1] {
					names = append(names, name)
					break
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
