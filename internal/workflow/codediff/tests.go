package codediff

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

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
	Fewer        How = "fewer"          // it has fewer assertions
	Expectations How = "expectations"   // it expects something else, or of something else
	CannotFail   How = "cannot_fail"    // nothing in it can fail
	MainEnds     How = "main_ends"      // TestMain does not run the tests, or hides their results
	Settings     How = "settings"       // the settings of what runs the tests have changed
	Expected     How = "expected_text"  // a recorded result has changed
	Helper       How = "helper"         // a helper that tests use asserts less
	Focused      How = "focused"        // only some tests of the file are run
	Retried      How = "retried"        // it may fail, and is tried again
	Tagged       How = "tagged"         // it has a tag by which a run may leave it out
	AsksForTests How = "asks_for_tests" // code does something else while it is tested
	ChecksLess   How = "checks_less"    // code that is not a test raises fewer errors, or no longer takes a lock
	MovedLess    How = "moved_less"     // code that is not a test lost a part when it was renamed or moved
	TestsItself  How = "tests_itself"   // it refers to nothing in the project
	Unawaited    How = "unawaited"      // code that is not a test no longer waits for what it calls
	NeverNamed   How = "never_named"    // a function or case was added, and nothing names it
	NeverRead    How = "never_read"     // an option was added, and nothing in the change reads it
	NothingReads How = "nothing_reads"  // something was added, and nothing in the project reads it
	Silences     How = "silences"       // silences a checker
	NotThere     How = "not_there"      // a document now names what the project does not have
	NeverSet     How = "never_set"      // an option was added, and is off everywhere
	Unread       How = "unread"         // a file that may contain tests cannot be read as code
)

// A Weakening is a test, or a part of how tests are run, that can find less than
// before the change.
type Weakening struct {
	File string // as it is now, or was
	Test string // "" for a file as a whole
	How  How
}

// messages says what has happened to a test.
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
	NothingReads: "codediff.added_unread",
	Silences:     "codediff.check_silenced",
	NotThere:     "codediff.document_names_nothing",
	Focused:      "codediff.test_file_focused",
	Unread:       "codediff.file_not_read",
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
	return d.found(func([]Weakening) []Weakening { return d.weakened() })
}

func (d *Diff) weakened() (all []Weakening) {
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
		f := comparedTests{compared: c, old: testsOf(c.was, cmp.Or(c.OldPath, c.Path), c.Test)}
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
			if how := t.vain(alone); how != "" && !(how == CannotFail && f.testsLike(t)) {
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
		old := testsOf(c.was, cmp.Or(c.OldPath, c.Path), c.Test)
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
	case !t.mayFail && (len(t.calls) == 0 || !onlyEnds.MatchString(t.name)):
		return CannotFail
	case alone:
		return TestsItself
	}
	return ""
}

// testsLike reports whether a test of the file was, before the change, one that finds as little, and calls
// what t calls: it may find it in a way that is not seen here.
func (f *comparedTests) testsLike(t testcase) bool {
	return slices.ContainsFunc(f.old, func(old testcase) bool {
		if old.helper || old.mayFail || old.never || old.skips > 0 {
			return false
		}
		for name := range t.calls {
			if old.calls[name] > 0 && !saying.MatchString(name) && !logs.MatchString(name) {
				return true
			}
		}
		return false
	})
}

// onlyEnds finds the name of a test that only wants nothing to be thrown.
var onlyEnds = lazyregexp.MustCompile(`(?i)(?:\bnot|n't|Not|_not)[ _]*(?:throw|crash|raise|panic)|\bwithout[ _](?:throwing|crashing|raising|panicking)|Do(?:es)?Nothing|\b(?:do(?:es)?|did)[ _]nothing|_do(?:es)?_nothing`)

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
		if bare := withoutTest(t.name); len(left) == 0 && bare != "" && len(named(f.old, bare)) == 0 {
			left = named(f.new, bare)
		}
		if at := partners(named(f.old, t.name), left)[nth(f.old, i)]; at >= 0 {
			if how := weaker(t, left[at]); how != "" {
				all = append(all, Weakening{f.Path, t.name, how})
			}
		} else if n := said[t.key]; (n == 0 && !takenOver(t, come) || n > t.skips+1) && !t.helper {
			how := Removed
			if n > 0 {
				how = Skipped
			} else if f.out != "" || f.New != nil && !collected(f.lang, f.Path) && collected(f.lang, cmp.Or(f.OldPath, f.Path)) {
				how = NotCollected
			}
			all = append(all, Weakening{f.Path, t.name, how})
		}
	}
	return all
}

// withoutTest is the name that a test has where attributes mark tests: "parses" for "testParses"; "" if
// it is no other.
func withoutTest(name string) string {
	class, test := name[:strings.LastIndexByte(name, '.')+1], name[strings.LastIndexByte(name, '.')+1:]
	rest, ok := strings.CutPrefix(test, "test")
	if rest = strings.TrimPrefix(rest, "_"); !ok || rest == "" {
		return ""
	}
	return class + strings.ToLower(rest[:1]) + rest[1:]
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
	left, equal, plain := 0, 0, 0
	gone := make(map[string]int) // by what the words say beside that they assert
	for word, n := range was.asserts {
		n = max(0, n-now.asserts[word])
		if left += n; saysEqual.MatchString(word) {
			equal += n // if it is still asked for, by an operator, that is among the values
		} else if asserted(word) == "" {
			plain += n
		}
		if rest := asserted(word); len(rest) > 2 {
			gone[rest] += n
		}
	}
	for word, n := range now.asserts {
		n -= was.asserts[word]
		switch {
		case n <= 0:
		case gone[asserted(word)] > 0:
			left -= min(n, gone[asserted(word)])
		case equal > 0 && asserted(word) == "":
			left -= min(n, equal)
			equal -= min(n, equal)
		case plain > 0 && saysEqual.MatchString(word):
			left -= min(n, plain)
			plain -= min(n, plain)
		}
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

// saysEqual finds an assertion that two values are equal, as "==" does in one that asks for the truth.
var saysEqual = lazyregexp.MustCompile(`(?i)^(?:xct)?assert_?(?:equals?|eq)$`)

// saysNothing finds one that a value is nothing, and says so by its name.
var saysNothing = lazyregexp.MustCompile(`^(?:(?:XCT)?[aA]ssert_?|[A-Z_]*(?:ASSERT|EXPECT)_)(?i:null|nil|none|ok|zero)$`)

// asserted is what the name of an assertion says beside that it is one: another library, or the project
// under another prefix, says the same.
func asserted(word string) string { return strings.ToLower(saysAssert.ReplaceAllString(word, "")) }

var saysAssert = lazyregexp.MustCompile(`^(?i:xct)?(?i:assert|expect|require|check|verify)_?`)

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
	case now.skips > was.skips, now.never && !was.never && !was.helper:
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
