// Package weakening lists the tests that a change makes weaker: removed, skipped, with fewer assertions or other
// expectations, and what else lets mistakes pass, such as settings of test runners and removed guards.
// Package codediff gives it the files of a change; it compares their tests, which package testcase finds.
package weakening

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
)

// A File is a file of a change, before and after.
type File struct {
	Path    string
	OldPath string // of a renamed file
	Base    []byte // nil if it was not there
	New     []byte // nil if it was removed
	Test    bool   // it is a test, or supports tests
	Lang    syntax.Language
	Was     *testcase.File
	Now     *testcase.File        // nil if the file was not compared
	Changed map[int]bool          // lines of the new text that change the program
	Why     map[int]reason.Reason // why other lines do not
	LeftOut bool                  // the build leaves the file out
}

// A Change holds the files of a change, by path.
type Change struct{ Files map[string]*File }

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
	TestsCopy    How = "tests_copy"     // it tests a function of its own that is named like one that changed
	Unawaited    How = "unawaited"      // code that is not a test no longer waits for what it calls
	NeverNamed   How = "never_named"    // a function or case was added, and nothing names it
	NeverRead    How = "never_read"     // an option was added, and nothing in the change reads it
	NothingReads How = "nothing_reads"  // something was added, and nothing in the project reads it
	Silences     How = "silences"       // silences a checker
	NotThere     How = "not_there"      // a document now names what the project does not have
	NeverChanged How = "never_changed"  // a field was added with nothing in it, and nothing puts anything there
	Mistake      How = "mistake"        // code was added that only looks as if it did something
	StillThere   How = "still_there"    // what was to be removed or renamed is named as often as before
	NeverSet     How = "never_set"      // an option was added, and is off everywhere
	Unread       How = "unread"         // a file that may contain tests cannot be read as code
)

// A Finding is a test, or a part of how tests are run, that can find less than
// before the change.
type Finding struct {
	File string // as it is now, or was
	Test string // "" for a file as a whole
	How  How
}

// messageCodes says what has happened to a test.
var messageCodes = map[How]string{
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
	TestsCopy:    "codediff.test_has_a_copy",
	Unawaited:    "codediff.code_unawaited",
	NeverNamed:   "codediff.code_never_named",
	NeverRead:    "codediff.option_never_read",
	NeverChanged: "codediff.field_never_changed",
	Mistake:      "codediff.code_does_nothing",
	StillThere:   "codediff.name_still_there",
	NeverSet:     "codediff.option_never_set",
	NothingReads: "codediff.added_unread",
	Silences:     "codediff.check_silenced",
	NotThere:     "codediff.document_names_nothing",
	Focused:      "codediff.test_file_focused",
	Unread:       "codediff.file_not_read",
}

// Message says what became of the test.
func (w Finding) Message() msg.Message {
	what := w.File
	if name := w.Name(); name != "" {
		what += ": " + name
	}
	return msg.New(messageCodes[w.How], what)
}

// Name is that of the test or helper, "" for a file as a whole.
func (w Finding) Name() string { return strings.TrimPrefix(w.Test, "helper ") }

func (d *Change) Find() (all []Finding) {
	removed, added := make(map[string][]testcase.Case), make(map[string][]testcase.Case) // by name, of tests that may have moved
	seen := make(map[string]int)                                                         // skips of the new tests, from 1, by their keys
	var files []comparedTests
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		c := d.Files[path]
		if c.Now == nil {
			continue
		}
		all = append(all, c.settings()...)
		all = append(all, c.replacedAssertions()...)
		all = append(all, c.lostExamples()...)
		f := comparedTests{File: c, old: testcase.Of(c.Was, cmp.Or(c.OldPath, c.Path), c.Test)}
		if !c.LeftOut {
			f.new = testcase.Of(c.Now, c.Path, c.Test)
		}
		f.collect(removed, added, seen)
		files = append(files, f)
	}
	for _, f := range files {
		if f.Base == nil && f.Test && f.Now.Tree != nil && !testcase.Collected(f.Lang, f.Path) && f.wouldTest() {
			all = append(all, Finding{f.Path, "", NotCollected})
		}
		if f.Now != nil && !f.LeftOut && len(f.old) > 0 && f.focus(f.Now) > f.focus(f.Was) {
			all = append(all, Finding{f.Path, "", Focused})
		}
		all = append(all, f.weakenedTests(added, seen)...)
		alone := f.Base == nil && f.Test && f.Now.Tree != nil && !f.LeftOut && f.Now.UsesNoProject(f.Path)
		for _, t := range f.new {
			if len(withName(f.old, t.Name)) > 0 || len(removed[t.Name]) > 0 || inRenamedClass(t, f.new, f.old) != nil {
				continue
			}
			if how := newTestProblem(t, alone); how != "" && !(how == CannotFail && f.hasSimilar(t)) {
				all = append(all, Finding{f.Path, t.Name, how})
			}
		}
	}
	all = append(all, d.lostGuards()...)
	all = append(all, copied(files)...)
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Test, b.Test),
			strings.Compare(string(a.How), string(b.How)))
	})
	return slices.Compact(all)
}

// TestsApart returns the files with tests that are new or say something else, sorted. There are none if
// only tests changed, or if tests that changed are in the file of the code they test.
func (d *Change) TestsApart() (files []string) {
	code := false
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		c := d.Files[path]
		if c.Now == nil || !source.IsCode(c.Lang) {
			continue
		}
		old := testcase.Of(c.Was, cmp.Or(c.OldPath, c.Path), c.Test)
		tests := slices.ContainsFunc(testcase.Of(c.Now, c.Path, c.Test), func(t testcase.Case) bool {
			return !t.IsHelper && !slices.ContainsFunc(old, func(o testcase.Case) bool { return o.Key == t.Key })
		})
		switch {
		case c.Test && tests:
			files = append(files, path)
		case tests:
			return nil
		case !c.Test && len(c.Changed) > 0:
			code = true
		}
	}
	if !code {
		return nil
	}
	return files
}

// collect puts the tests that are removed or new in the file to those of other files, by name, and notes the
// keys of its tests.
func (f *comparedTests) collect(removed, added map[string][]testcase.Case, seen map[string]int) {
	for _, t := range f.old {
		if len(withName(f.new, t.Name)) == 0 {
			removed[t.Name] = append(removed[t.Name], t)
		}
	}
	for _, t := range f.new {
		if len(withName(f.old, t.Name)) == 0 && t.Name != testcase.WholeFile {
			added[t.Name] = append(added[t.Name], t)
		}
		if n := seen[t.Key]; !t.IsHelper && (n == 0 || t.Skips+1 < n) {
			seen[t.Key] = t.Skips + 1
		}
	}
}

// newTestProblem says why a new test finds nothing, or "": alone tells that its file names nothing of the project.
func newTestProblem(t testcase.Case, alone bool) How {
	switch {
	case t.IsHelper && !t.CanFail && replacesAssertion.MatchString(t.Name): // for an assertion of the same name
		return Helper
	case t.IsHelper:
	case t.NeverRuns:
		return Skipped
	case t.OnDemand:
		return Conditional
	case !t.CanFail && (len(t.Calls) == 0 || !onlyEnds.MatchString(t.Name)):
		return CannotFail
	case alone:
		return TestsItself
	}
	return ""
}

// hasSimilar reports whether a test of the file was, before the change, one that finds as little, and calls
// what t calls: it may find it in a way that is not recognised here.
func (f *comparedTests) hasSimilar(t testcase.Case) bool {
	return slices.ContainsFunc(f.old, func(old testcase.Case) bool {
		if old.IsHelper || old.CanFail || old.NeverRuns || old.Skips > 0 {
			return false
		}
		for name := range t.Calls {
			if old.Calls[name] > 0 && !testcase.Prints.MatchString(name) && !testcase.ReportsProblem.MatchString(name) {
				return true
			}
		}
		return false
	})
}

// onlyEnds finds the name of a test that only wants nothing to be thrown.
var onlyEnds = lazyregexp.MustCompile(`(?i)(?:\bnot|n't|Not|_not)[ _]*(?:throw|crash|raise|panic)|\bwithout[ _](?:throwing|crashing|raising|panicking)|Do(?:es)?Nothing|\b(?:do(?:es)?|did)[ _]nothing|_do(?:es)?_nothing`)

// wouldTest reports whether a file would contain tests if it had a name by which test runners find them.
func (f *comparedTests) wouldTest() bool {
	name := map[syntax.Language]string{syntax.Python: "test_it.py", syntax.Ruby: "it_spec.rb"}[f.Lang]
	return name != "" && !bytes.Contains(f.New, []byte("shared_")) &&
		slices.ContainsFunc(testcase.Of(f.Now, name, false), func(t testcase.Case) bool { return !t.IsHelper && t.CanFail })
}

// comparedTests are the tests of a file, before and after; there are no new ones where
// the file is no longer run.
type comparedTests struct {
	*File
	old, new []testcase.Case
}

// focused finds a test because of which the others of its file are not run.
var focused = lazyregexp.MustCompile(`\b(?:it|test|describe|context|suite)\.only\b|\b(?:fit|fdescribe|fcontext|fspecify)\b\s*[('"]|,\s*(?::focus\b|focus:\s*true)`)

func (f *comparedTests) focus(s *testcase.File) int {
	if s == nil || !s.Spec.Testing.Called {
		return 0
	}
	return len(focused.FindAllString(string(s.Src), -1))
}

func withName(tests []testcase.Case, name string) (found []testcase.Case) {
	for _, t := range tests {
		if t.Name == name {
			found = append(found, t)
		}
	}
	return found
}

// weakenedTests lists the old tests of a file that find less in its tests of now, or in those that
// were added to another file, by name, or are not among them, by key.
func (f *comparedTests) weakenedTests(added map[string][]testcase.Case, seen map[string]int) (all []Finding) {
	for i, t := range f.old {
		left := withName(f.new, t.Name)
		if len(left) == 0 {
			left = added[t.Name]
		}
		if len(left) == 0 {
			left = inRenamedClass(t, f.old, f.new)
		}
		if bare := withoutTest(t.Name); len(left) == 0 && bare != "" && len(withName(f.old, bare)) == 0 {
			left = withName(f.new, bare)
		}
		if at := pairs(withName(f.old, t.Name), left)[ordinal(f.old, i)]; at >= 0 {
			if how := howWeaker(t, left[at]); how != "" && howWeaker(t, withParts(left[at], t, added)) != "" {
				all = append(all, Finding{f.Path, t.Name, how})
			}
		} else if n := seen[t.Key]; (n == 0 && !isTakenOver(t, added) || n > t.Skips+1) && !t.IsHelper {
			how := Removed
			if n > 0 {
				how = Skipped
			} else if f.LeftOut || f.New != nil && !testcase.Collected(f.Lang, f.Path) && testcase.Collected(f.Lang, cmp.Or(f.OldPath, f.Path)) {
				how = NotCollected
			}
			all = append(all, Finding{f.Path, t.Name, how})
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

var replacesAssertion = lazyregexp.MustCompile(`^helper (?:[aA]ssert\w*|expect|refute)$`)

// ordinal says which of the tests of its name a test is, from 0.
func ordinal(tests []testcase.Case, i int) (n int) {
	for _, t := range tests[:i] {
		if t.Name == tests[i].Name {
			n++
		}
	}
	return n
}

// howWeaker says in what way a test can find less than it could, or "".
func howWeaker(was, now testcase.Case) How {
	how := weakerBy(was, now)
	if how != Fewer && how != Expectations {
		return how
	}
	for _, build := range was.Builds { // one of two may be left
		w := was
		if w.Counts = build; weakerBy(w, now) == "" {
			return ""
		}
	}
	if was.HelperAsserts || now.HelperAsserts { // helpers may assert it now
		was.Counts, now.Counts = was.WithHelpers, now.WithHelpers
		how = weakerBy(was, now)
	}
	return how
}

// lostAsserts reports whether words that assert were removed, and none was added that says by its name what
// was written out: assertNull(x) for assertEquals(null, x).
func lostAsserts(was, now testcase.Counts) bool {
	left, equal, plain := 0, 0, 0
	removed := make(map[string]int) // by what the words say beside that they assert
	for word, n := range was.Asserts {
		n = max(0, n-now.Asserts[word])
		if left += n; testcase.SaysEqual.MatchString(word) {
			equal += n // if it is still asked for, by an operator, that is among the values
		} else if asserted(word) == "" {
			plain += n
		}
		if rest := asserted(word); len(rest) > 2 {
			removed[rest] += n
		}
	}
	for word, n := range now.Asserts {
		n -= was.Asserts[word]
		switch {
		case n <= 0:
		case removed[asserted(word)] > 0:
			left -= min(n, removed[asserted(word)])
		case equal > 0 && asserted(word) == "":
			left -= min(n, equal)
			equal -= min(n, equal)
		case plain > 0 && testcase.SaysEqual.MatchString(word):
			left -= min(n, plain)
			plain -= min(n, plain)
		}
	}
	for word, n := range now.Asserts {
		if m := testcase.NamesValue.FindStringSubmatch(word); m != nil && now.Literals[testcase.ValueOf(m[1])] <= was.Literals[testcase.ValueOf(m[1])] {
			left -= max(0, n-was.Asserts[word])
		} else if testcase.Throwing.MatchString(word) { // for a "fail" behind what should have thrown
			left -= min(max(0, n-was.Asserts[word]), max(0, was.Asserts["fail"]-now.Asserts["fail"]))
		}
	}
	return left > 0
}

// asserted is what the name of an assertion says beside that it is one: another library, or the project
// under another prefix, says the same.
func asserted(word string) string { return strings.ToLower(saysAssert.ReplaceAllString(word, "")) }

var saysAssert = lazyregexp.MustCompile(`^(?i:xct)?(?i:assert|expect|require|check|verify)_?`)

func weakerBy(was, now testcase.Case) How {
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
	case now.Skips > was.Skips, now.NeverRuns && !was.NeverRuns && !was.IsHelper:
		return Skipped
	case now.Retries > was.Retries:
		return Retried
	case now.Tags > was.Tags && !was.IsHelper:
		return Tagged
	case was.CanFail && !now.CanFail && !was.IsHelper:
		return CannotFail
	case was.Key == now.Key:
		return ""
	case was.IsTable && lost(was.Counts.Literals, now.Counts.Literals):
		return Expectations
	case was.IsHelper && (sum(now.Counts.Asserts) < sum(was.Counts.Asserts) ||
		now.Counts.Loose > was.Counts.Loose && len(was.Counts.Asserts) > 0):
		return Helper
	case was.IsHelper:
		return ""
	case sum(now.Counts.Asserts) < sum(was.Counts.Asserts):
		return Fewer
	case lostValues(was.Counts, now.Counts), lostAsserts(was.Counts, now.Counts),
		now.Counts.Loose > was.Counts.Loose,
		now.Counts.Either > was.Counts.Either && sum(now.Counts.Asserts) == sum(was.Counts.Asserts):
		return Expectations
	case now.Counts.Branches-sum(now.Counts.Asserts) > was.Counts.Branches-sum(was.Counts.Asserts) &&
		(now.Returns > was.Returns || sum(now.Unconditional.Asserts) < sum(was.Unconditional.Asserts) || lost(was.Unconditional.Literals, now.Unconditional.Literals)):
		return Conditional
	}
	return ""
}
