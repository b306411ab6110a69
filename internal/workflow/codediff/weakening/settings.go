package weakening

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/testrun"
	"codeintel/internal/workflow/codediff/tokens"
)

// detectsTests finds code that asks whether it is being tested.
var detectsTests = lazyregexp.MustCompile(`\btesting\.Testing\(\)|flag\.Lookup\("test\.|strings\.HasSuffix\(os\.Args\[0\],\s*"\.test"|["']pytest["']\s+in\s+sys\.modules|["']PYTEST_\w+["']|["']unittest["']\s+in\s+sys\.modules|process\.env\.(?:NODE_ENV|VITEST|JEST_WORKER_ID)\b\s*[!=]==?\s*["']test["']|process\.env\.(?:VITEST|JEST_WORKER_ID)|import\.meta\.vitest|Rails\.env\.test\?|ENV(?:\.fetch\(|\[)["'](?:RACK|RAILS|APP)_ENV["'][\])]\s*==\s*["']test["']|defined\?\(\s*(?:RSpec|Minitest)|#\[cfg\(not\(test\)\)|cfg!\((?:not\()?test\)|getenv\(\s*["'](?:APP_ENV|ENV)["']\s*\)\s*={2,3}\s*["']test(?:ing)?["']|defined\(\s*["']PHPUNIT_|runningUnitTests\(\)|environment\(\s*["']testing["']\s*\)|Mix\.env\(?\)?\s*==\s*:test|NSClassFromString\(\s*"XCTest|XCTestConfigurationFilePath|getProperty\(\s*"surefire|Class\.forName\(\s*"org\.junit`)

// countTestDetection counts the places at which code asks whether it is being tested.
func countTestDetection(s *testcase.File) int {
	return len(detectsTests.FindAllString(string(s.Src), -1))
}

// What else than tests decides what tests find: settings of what runs them, recorded
// results, and programs that run them.

// settings returns what a file changes about how tests are run, and recorded results.
func (c *File) settings() (all []Finding) {
	inC := c.Lang == syntax.CPP || c.Lang == syntax.C
	if testrun.Less(c.Path, c.New, c.Base) || c.Test && inC && c.Base != nil && testrun.HasMoreMacros(c.New, c.Base) {
		all = append(all, Finding{c.Path, "", Settings})
	}
	if !c.Test && source.IsCode(c.Lang) && countTestDetection(c.Now) > countTestDetection(c.Was) {
		all = append(all, Finding{c.Path, "", AsksForTests})
	}
	if c.Lang == syntax.Rust && testrun.ExamplesSkipped(c.New, c.Base) ||
		c.Lang == syntax.Python && testrun.SkipsMoreDoctests(c.New, c.Base) {
		all = append(all, Finding{c.Path, "", Skipped})
	}
	switch {
	case c.Lang == syntax.SQL:
		all = append(all, c.testsOfSQL()...)
	case testrun.Sets(c.Path):
		for n, line := 1, 0; n <= c.Now.Lines+1; n++ {
			if c.Changed[n] && line == 0 && testrun.Decides(c.Path, c.Now.LineText(n), c.Base == nil) {
				line = n
				all = append(all, Finding{c.Path, "", Settings})
			}
		}
	case testrun.Recorded(cmp.Or(c.OldPath, c.Path)) && c.Base != nil && !source.IsCode(c.Lang):
		if !bytes.HasPrefix(bytes.TrimSpace(c.New), bytes.TrimSpace(c.Base)) {
			all = append(all, Finding{c.Path, "", Expected})
		}
	case testrun.SetsUp(c.Path):
		for n := 1; n <= c.Now.Lines; n++ {
			if line := c.Now.LineText(n); c.Changed[n] && testrun.DecidesThere(line) && !bytes.Contains(c.Base, line) {
				return append(all, Finding{c.Path, "", Settings})
			}
		}
	case strings.HasPrefix(path.Base(c.Path), "conftest.") && testrun.HooksMore(c.New, c.Base):
		all = append(all, Finding{c.Path, "", Settings})
	}
	return append(all, c.exitHidingMains()...)
}

// exitHidingMains lists the programs that run tests, and hide how they ended.
func (c *File) exitHidingMains() (all []Finding) {
	name, hides := "", func([]tokens.Token) bool { return false }
	switch {
	case c.Now.Tree == nil:
		return nil
	case c.Lang == syntax.Go && strings.HasSuffix(c.Path, "_test.go"):
		name, hides = "TestMain", func(toks []tokens.Token) bool {
			text := strings.Join(tokens.Texts(toks), "")
			return strings.Contains(text, "os.Exit(0)") || !strings.Contains(text, ".Run(")
		}
	case c.Lang == syntax.CPP, c.Lang == syntax.C:
		name, hides = "main", func(toks []tokens.Token) bool {
			text := strings.Join(tokens.Texts(toks), "")
			return runsTests.MatchString(text) && (hidesTests.MatchString(text) || endsTheSame(toks))
		}
	}
	for i := range c.Now.Tree.Nodes {
		node := int32(i)
		if !c.Now.Tree.Function(node) || c.Now.Tree.FunctionName(node) != name {
			continue
		}
		n := c.Now.Tree.Nodes[node]
		toks := c.Now.TokensIn(int(n.Start), int(n.End))
		touched := slices.ContainsFunc(toks, func(t tokens.Token) bool { return c.Changed[t.Line] || c.Why[t.Line] == reason.Stub })
		if touched && hides(toks) {
			all = append(all, Finding{c.Path, name, MainEnds})
		}
	}
	return all
}

// endsTheSame reports whether a main function returns that all went well, and nothing else.
func endsTheSame(toks []tokens.Token) bool {
	returns := 0
	for i, t := range toks {
		switch {
		case t.Text == "exit" || t.Text == "abort":
			return false
		case t.Text != "return":
		case tokens.TextAt(toks, i+1) != "0" && tokens.TextAt(toks, i+1) != "EXIT_SUCCESS", i+2 < len(toks) && toks[i+2].Text != "}" && toks[i+2].Line == t.Line:
			return false
		default:
			returns++
		}
	}
	return returns > 0
}

var (
	runsTests  = lazyregexp.MustCompile(`RUN_ALL_TESTS\(|Session\(\)\.run\(|session\.run\(|context\.run\(|UNITY_END\(|unit_test_main\(|srunner_run(?:_all)?\(|cmocka_run_group_tests\w*\(|CU_\w+_run_tests\(|g_test_run\(`)
	hidesTests = lazyregexp.MustCompile(`[;{})](?:\(void\))?(?:RUN_ALL_TESTS\(\)|(?:session|context)\.run\([^)]*\))[^;]*return(?:0|EXIT_SUCCESS)|[{})](?:RUN_ALL_TESTS|UNITY_END)\(\)return(?:0|EXIT_SUCCESS)|GTEST_FLAG(?:_SET)?\(filter`)
)

// testsOfSQL lists what a file of pgTAP asserts no more, and what in it cannot fail.
func (c *File) testsOfSQL() (all []Finding) {
	if testrun.SQLAssertsLess(c.New, c.Base) {
		all = append(all, Finding{c.Path, "", Expectations})
	}
	if testrun.SQLPassesMore(c.New, c.Base) {
		all = append(all, Finding{c.Path, "", CannotFail})
	}
	return all
}
