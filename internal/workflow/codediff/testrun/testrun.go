// Package testrun knows what besides the tests decides what they find: settings of test runners, recorded results,
// and programs and pipelines that run tests. It reads the texts of files; package weakening compares what it finds
// before and after, and sessions run tests by it.
package testrun

import (
	"bytes"
	"path"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

var (
	hooks = lazyregexp.MustCompile(`(?s:autouse.*?(?:setattr\(|patch(?:\.object)?\())` +
		`|\b(?:pytest_(?:collection_modifyitems|ignore_collect|runtest_\w+|sessionfinish|pyfunc_call` +
		`|exception_interact|collect_file)|collect_ignore(?:_glob)?)\b`)
	runsWith = lazyregexp.MustCompile(`(?:^|/)(?:package\.json|composer\.json|\.cargo/config(?:\.toml)?` +
		`|Package\.swift|.*\.xctestplan|gradle\.properties|maven\.config|jvm\.config|CTestCustom\.cmake` +
		`|pytest\.ini|setup\.cfg|tox\.ini|pyproject\.toml|mix\.exs|settings\.gradle(?:\.kts)?` +
		`|junit-platform\.properties|xunit\.runner\.json|nextest\.toml|bunfig\.toml|(?:jest|vitest|karma` +
		`|playwright|cypress)\.config\.\w+|\.mocharc.*|phpunit\.xml(?:\.dist)?|pom\.xml|build\.gradle(?:\.kts)?` +
		`|\.rspec|Rakefile|Makefile|justfile|Cargo\.toml|.*\.(?:cs|fs|vb)proj|Directory\.Build\.props` +
		`|.*\.runsettings)$`)
	aboutRun = lazyregexp.MustCompile(`(?i)"test[^"]*"\s*:|skip|ignore|exclude|deselect|testMatch|testRegex` +
		`|testPathIgnore|addopts|testpaths|python_(?:files|functions|classes)|passWithNoTests|bail|--no-` +
		`|\btest\s*[:=]|xfail|<exclude|IsTestProject|failIfNoTests|ignoreFailures|enabled\s*=\s*false` +
		`|includeTests|test_(?:paths|pattern)|Compile\s+Remove|conditions\.deactivate|dryRun|onlyIf|rerunFailing` +
		`|\bretr(?:y|ies)\b|<(?:excluded)?groups>|(?:include|exclude)Tags|filter\s*\{|selectedTests|harness\s*=` +
		`|required-features|\bautotests|\brunner\s*=|t\.pattern|test_files|test_globs|threshold|fail_under` +
		`|minimum_coverage|"?(?:lines|branches|functions|statements)"?\s*:\s*\d|--(?:tag|pattern|only|example` +
		`|fail-fast|dry-run)\b|doctest\s*=|\btest\.(?:use|default_)`)
	recorded = lazyregexp.MustCompile(`(?:^|/)(?:testdata|__[sS]napshots__|snapshots|fixtures?|golden|goldens` +
		`|expected)/|\.(?:snap|golden|approved\.\w+|expected)$`)
)

// suites finds, in the settings of PHPUnit, where it looks for tests.
var suites = lazyregexp.MustCompile(`<(?:testsuite|directory|file|group)\b|\bsuffix=`)

// runsNone finds, in settings of test programs, what has none of them run, or only some.
var runsNone = lazyregexp.MustCompile(`--dry-run|--collect-only|--listTests|\b(?:runner|test)\s*=\s*"(?:true|echo` +
	`|check|/bin/true)\b|--tag\s+~|passWithNoTests["']?\s*:\s*true|"test[^"]*"\s*:\s*"(?:true|echo|exit 0|:)\b` +
	`|\b(?:harness|autotests)\s*=\s*false|\|\|\s*(?:true|exit 0)\b`)

// setsUp finds files that test programs load before the tests; aboutSetUp what decides
// there which of them run, and how it ends.
var (
	setsUp = lazyregexp.MustCompile(`^(?:test_helper\.(?:exs|rb)|(?:spec|rails)_helper\.rb|bootstrap\.php` +
		`|(?:jest|vitest)?\.?(?:setup|setupTests)\.\w+)$`)
	aboutSetUp = lazyregexp.MustCompile(`(?i)exclude|only|filter|skip|halt|\bexit|at_exit|autorun|focus|grep` +
		`|\baround\b|class_alias|(?:jest|vi)\.mock\(|\.prototype\.\w+\s*=|any_instance_of|class_eval|\.prepend\b` +
		`|define_method`)
)

var settles = lazyregexp.MustCompile(`^(?:conftest\.py|pytest\.ini|(?:jest|vitest|karma|playwright` +
	`|cypress)\.config\.\w+|\.mocharc.*|phpunit\.xml(?:\.dist)?|\.rspec|.*\.runsettings)$`)

// OfTests reports whether a file that need not be a test itself contains nothing but what
// tests are held against or run by: recorded results, and settings of test programs.
func OfTests(file string) bool {
	return recorded.MatchString(file) || settles.MatchString(path.Base(file))
}

// Interferes reports whether a new file changes how the tests in other files run, by
// being there.
func Interferes(file string, text []byte) bool {
	base := path.Base(file)
	switch {
	case strings.HasPrefix(base, "conftest."), strings.Contains(strings.ToLower(base), "setup"),
		strings.Contains(base, ".config."):
		return true
	case strings.HasSuffix(base, "_test.go"):
		return beforeTests.Match(text)
	}
	return false
}

var beforeTests = lazyregexp.MustCompile(`(?m)^func (?:init\(\)|TestMain\()`)

// A pipeline is a file that says what a server does with each change.
var pipeline = lazyregexp.MustCompile(`(?:^|/)(?:\.(?:github/(?:workflows|actions)|gitea/workflows` +
	`|forgejo/workflows|circleci|buildkite|ci)/.*|\.gitlab-ci[^/]*\.ya?ml|\.travis\.yml|\.drone\.ya?ml` +
	`|\.cirrus\.ya?ml|\.woodpecker[^/]*|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|appveyor\.yml` +
	`|Jenkinsfile)$`)

// OfServer reports whether a file says what a server does with each change.
func OfServer(file string) bool { return pipeline.MatchString(file) }

// A running is a kind of files that say how tests are run.
type running struct {
	file        *lazyregexp.Regexp
	hides, runs words
	starts      words // what has a server begin
}

// hides and runs are, by kinds of files, what keeps tests from running or hides how they
// end, which may not come; and what runs them, which may not go.
var runs = []running{
	{
		pipeline,
		words{lazyregexp.MustCompile(`\|\|\s*(?:true|:|exit 0|echo)\b|\|\|\s*:\s*$|continue-on-error:\s*true` +
			`|allow_failure:\s*true|ignore_failures?:\s*true|fail[-_]fast:\s*never|\bset \+e\b|if:\s*(?:false\b` +
			`|\$\{\{\s*false)|--(?:skip|deselect|ignore|passWithNoTests)\b|-DskipTests|-Dmaven\.test\.skip` +
			`|\s-x\s+test\b|gtest_filter=-|\bctest\b.*\s-L?E\s`)},
		words{lazyregexp.MustCompile(`\b(?:go test|pytest|ctest|(?:npm|yarn|pnpm|bun)(?: run)? test` +
			`|cargo (?:nextest|test)|dotnet test|swift test|rspec|rake test|make (?:test|check)|tox|phpunit|jest` +
			`|vitest|mix test|gradlew? (?:test|check|build)|mvnw? (?:test|verify|install)|xcodebuild test)\b`)},
		words{lazyregexp.MustCompile(`^(?:on|"on"|'on'):.*\b(?:push|pull_request)|^\s+(?:- )?(?:push|pull_request` +
			`|merge_request)\s*:?\s*$`)},
	},
	{
		lazyregexp.MustCompile(`(?:^|/)tox\.ini$`),
		words{lazyregexp.MustCompile(`(?:=|^\s+)\s*-\s*\S*(?:test|nose)|\|\|\s*true`)},
		words{lazyregexp.MustCompile(`\b(?:pytest|unittest|nose2?|stestr)\b`)},
		words{},
	},
	{ // commands that a project gives names
		lazyregexp.MustCompile(`(?:^|/)(?:(?:composer|package|deno)\.jsonc?|[Mm]akefile|GNUmakefile|[Jj]ustfile` +
			`|Taskfile\.ya?ml|Rakefile|noxfile\.py|(?:scripts?|bin|ci)/[\w.-]*test[\w.-]*)$`),
		words{lazyregexp.MustCompile(`\b(?:tests?|phpunit|pytest|rspec|jest|vitest|pest|mocha)\b.*\|\|\s*(?:true` +
			`|:|exit 0|echo)|^\t@?-\S.*(?:\btest|test\b)|--(?:skip|deselect|passWithNoTests)\b` +
			`|\bgo test\b.*\s-(?:run|skip|short)\b|-DskipTests`)},
		words{lazyregexp.MustCompile(`\b(?:go test|pytest|ctest|cargo (?:nextest|test)|dotnet test|swift test` +
			`|rspec|phpunit|jest|vitest|mocha|pest|mix test|unittest|pg_prove|ON_ERROR_STOP|set -[a-z]*e)\b` +
			`|\btask\s*\(?\s*[:"']?(?:test|spec|check|default)["']?\s*(?::|=>)\s*[:\[%"']`)},
		words{},
	},
	{
		lazyregexp.MustCompile(`(?:^|/)(?:CMakeLists\.txt|[^/]+\.cmake)$`),
		words{lazyregexp.MustCompile(`\bWILL_FAIL\b|\bDISABLED\s+(?:TRUE|ON|1)\b|\bNDEBUG\b` +
			`|CTEST_CUSTOM_TESTS_IGNORE|add_test\s*\(.*COMMAND\s+(?:true|echo|:)|-E\s+(?:true|echo)\b`)},
		words{lazyregexp.MustCompile(`\badd_test\b|\benable_testing\b|\b(?:gtest|catch|doctest)_\w*(?:discover` +
			`|add)_tests\b`)},
		words{},
	},
	{
		lazyregexp.MustCompile(`(?:^|/)(?:build\.sbt|project/[^/]+\.(?:sbt|scala))$`),
		words{lazyregexp.MustCompile(`\bTests\.(?:Filter|Exclude)\b|\bTest\s*/\s*(?:test|testOnly|executeTests` +
			`|definedTests|sources|unmanagedSources)\s*:=\s*(?:\{\s*\}|\(\s*\)|Seq(?:\.empty|\(\s*\))|Nil` +
			`|\(?Test\s*/\s*compile\b)|\bTest\s*/\s*(?:test\s*/\s*)?skip\s*:=\s*true|\b(?:test|skip) in Test\s*:=`)},
		words{},
		words{},
	},
	{lazyregexp.MustCompile(`(?:^|/)Package\.swift$`), words{}, words{lazyregexp.MustCompile(`\.testTarget\s*\(`)}, words{}},
	{lazyregexp.MustCompile(`(?:^|/)settings\.gradle(?:\.kts)?$`), words{}, words{lazyregexp.MustCompile(`(?m)^\s*include\b`)}, words{}},
	{lazyregexp.MustCompile(`(?:^|/)meson\.build$`), words{lazyregexp.MustCompile(`should_fail\s*:\s*true`)}, words{lazyregexp.MustCompile(`(?m)^\s*test\s*\(`)}, words{}},
	{lazyregexp.MustCompile(`(?:^|/)junit-platform\.properties$`), words{lazyregexp.MustCompile(`(?i)dryRun|deactivate`)}, words{}, words{}},
}

// narrows finds, in a command that runs tests, what keeps it to some of them.
var narrows = lazyregexp.MustCompile(`\s(?:--(?:filter|grep|tests|testPathPatterns?|testNamePattern` +
	`|exclude(?:-\w+)?|skip|only|tags|group|deselect|ignore|include-tags|match)\b|-Dtest=|-(?:k|m|t|run|skip` +
	`|short|E|LE|g)\b)`)

// narrow counts the commands that run only some tests.
func (r running) narrow(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if at := r.runs.is.FindIndex(line); at != nil && narrows.Match(line[at[1]:]) {
			n++
		}
	}
	return n
}

// words are what a text has more or less of; nil for none.
type words struct{ is *lazyregexp.Regexp }

func (w words) count(text []byte) (n int) {
	if w.is != nil {
		for line := range bytes.Lines(text) {
			n += len(w.is.FindAllStringIndex(string(line), -1))
		}
	}
	return n
}

func (w words) moreIn(now, was []byte) bool { return w.count(now) > w.count(was) }

func (w words) lessIn(now, was []byte) bool { return w.count(now) < w.count(was) }

// examples are those of documentation that tests run; examplesOff and skippedExamples those
// that they pass over.
var (
	examples        = words{lazyregexp.MustCompile("^\\s*//[/!]\\s*```(?:rust)?\\s*$")}
	examplesOff     = words{lazyregexp.MustCompile("^\\s*//[/!]\\s*```(?:\\w+,)*(?:ignore|no_run|text|should_panic|compile_fail)\\b")}
	skippedExamples = words{lazyregexp.MustCompile(`#\s*doctest:\s*\+SKIP`)}
)

// assertionMacros give an assertion of C another meaning.
var assertionMacros = words{lazyregexp.MustCompile(`^\s*#\s*(?:define|undef)\s+(?:(?:EXPECT|ASSERT)_(?:EQ|NE|LT` +
	`|LE|GT|GE|TRUE|FALSE|STR\w+|THAT|NEAR|(?:ANY_|NO_)?THROW|DEATH|(?:DOUBLE|FLOAT)_EQ)|(?:REQUIRE` +
	`|CHECK)(?:_FALSE|_THROWS\w*|_THAT|_NOTHROW|_EQ)?|TEST(?:_F|_P|_CASE)?|TEST_ASSERT\w*|RUN_TEST|ck_assert\w*` +
	`|cr_assert\w*|g_assert\w*|munit_assert\w*|CU_ASSERT\w*|assert_(?:int|string|true|false|null|non_null|memory` +
	`|ptr)\w*|BOOST_(?:CHECK|REQUIRE|TEST)\w*|assert)\b`)}

// HooksMore reports whether a text has more that decides for pytest which tests run, and how, than it had.
func HooksMore(now, was []byte) bool {
	return len(hooks.FindAllString(string(now), -1)) > len(hooks.FindAllString(string(was), -1))
}

// ExamplesSkipped reports whether tests pass over more of the examples of a Rust file's documentation than
// before, and run fewer.
func ExamplesSkipped(now, was []byte) bool {
	return examplesOff.moreIn(now, was) && examples.lessIn(now, was)
}

// SkipsMoreDoctests reports whether more of the examples of a Python file are passed over than before.
func SkipsMoreDoctests(now, was []byte) bool { return skippedExamples.moreIn(now, was) }

// HasMoreMacros reports whether a text of C gives more assertions another meaning than before.
func HasMoreMacros(now, was []byte) bool { return assertionMacros.moreIn(now, was) }

// Decides reports whether a line of a file of settings has to do with which tests run; isNew says that the
// file was not there before.
func Decides(file string, line []byte, isNew bool) bool {
	return runsNone.Match(line) || !isNew && (aboutRun.Match(line) ||
		strings.HasPrefix(path.Base(file), "phpunit.") && suites.Match(line))
}

// SetsUp reports whether a file is loaded before the tests, and DecidesThere whether a line of it decides
// which of them run, and how it ends.
func SetsUp(file string) bool { return setsUp.MatchString(path.Base(file)) }

func DecidesThere(line []byte) bool { return aboutSetUp.Match(line) }

// Sets reports whether a file contains settings of what builds and runs tests.
func Sets(file string) bool { return runsWith.MatchString(file) }

// Recorded reports whether a file contains expected results of tests.
func Recorded(file string) bool { return recorded.MatchString(file) }

// Less reports whether a file that is no test keeps more tests from running, hides more of how they end, or
// runs fewer of them than before. A text is nil if the file is not there.
func Less(file string, now, was []byte) bool {
	for _, r := range runs {
		if !r.file.MatchString(file) || now == nil && was == nil {
			continue
		}
		if r.runs.is != nil && was != nil && r.narrow(now)-r.narrow(was) > max(0, r.runs.count(now)-r.runs.count(was)) {
			return true
		}
		return r.runs.lessIn(now, was) || now != nil && r.runs.count(was) > 0 && r.starts.lessIn(now, was) ||
			r.hides.moreIn(now, was) && (was != nil || r.runs.is == nil)
	}
	return false
}
