package verify

import (
	"slices"
	"testing"

	"codeintel/internal/syntax"
	_ "codeintel/internal/syntax/languages"
)

// A package that does not build any more, or whose tests panic, fails anew, though its tests failed before.
func TestBeyond(t *testing.T) {
	was := Result{Failed: failedTests([]byte("--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/a\t0.01s\n"))}
	for output, want := range map[string]bool{
		"--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/a\t0.02s\n":                          true,
		"--- FAIL: TestB (0.00s)\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/a\t0.02s\n": false,
		"FAIL\texample.org/a [build failed]\n":                                                 false,
		"FAIL\texample.org/a [setup failed]\n":                                                 false,
		"--- FAIL: TestA (0.00s)\npanic: nil [recovered]\nFAIL\texample.org/a\t0.02s\n":        false,
		"broken\n": false,
	} {
		now := Result{Failed: failedTests([]byte(output))}
		added, known := NewFailures(now, was)
		if got := known && len(added) == 0; got != want || now.Beyond(was.Failed).Passed != want {
			t.Errorf("%q: %v, %v", output, added, now.Beyond(was.Failed))
		}
	}
}

// What test programs write when tests passed tells in which languages they are. What ran none, and what is no test
// program, tells nothing.
func TestPassed(t *testing.T) {
	for _, c := range []struct {
		output   string
		language syntax.Language
	}{
		{"ok  \texample.org/bank\t0.003s\n", syntax.Go},
		{"?   \texample.org/x\t[no test files]\nok  \texample.org/bank\t(cached)\n", syntax.Go},
		{"ok  \texample.org/bank\t0.003s\tcoverage: 80.0% of statements\n", syntax.Go},
		{"ok  \texample.org/bank\t0.003s [no tests to run]\n", ""},
		{"============ 3 passed in 0.02s ============\n", syntax.Python},
		{"\x1b[32m== \x1b[1m12 passed\x1b[0m, 1 skipped in 61.02s (0:01:01) ==\n", syntax.Python},
		{"no tests ran in 0.01s\n", ""},
		{"..\n----------\nRan 2 tests in 0.001s\n\nOK\n", syntax.Python},
		{"Ran 0 tests in 0.000s\n\nOK\n", ""},
		{"running 1 test\ntest tests::it ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n", syntax.Rust},
		{"test result: ok. 0 passed; 0 failed; 0 ignored\n", ""},
		{"Tests:       4 passed, 4 total\n", syntax.TypeScript},
		{"      Tests  4 passed (4)\r\n", syntax.JavaScript},
		{"  12 passing (34ms)\n  1 pending\n", syntax.JavaScript},
		{"ℹ tests 3\nℹ pass 3\nℹ fail 0\n", syntax.TypeScript},
		{"# tests 3\n# pass 3\n# fail 0\n", syntax.JavaScript},
		{" 3 pass\n 0 fail\n", syntax.TSX},
		{"OK (5 tests, 9 assertions)\n", syntax.PHP},
		{"  Tests:    2 passed (4 assertions)\n", syntax.PHP},
		{"5 examples, 0 failures\n", syntax.Ruby},
		{"3 runs, 7 assertions, 0 failures, 0 errors, 0 skips\n", syntax.Ruby},
		{"[INFO] Tests run: 8, Failures: 0, Errors: 0, Skipped: 1\n", syntax.Java},
		{"> Task :compileJava\n> Task :app:test\n\nBUILD SUCCESSFUL in 2s\n", syntax.Kotlin},
		{"> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 2s\n", ""},
		{"Passed!  - Failed:     0, Passed:     7, Skipped:     0, Total:     7\n", syntax.CSharp},
		{"100% tests passed, 0 tests failed out of 4\n", syntax.CPP},
		{"[  PASSED  ] 12 tests.\n", syntax.CPP},
		{"\t Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.003) seconds\n", syntax.Swift},
		{"3 doctests, 12 tests, 0 failures\n", syntax.Elixir},
		{"✔ 3 problems fixed\nAll files pass linting.\n", ""},
		{"Finished dev [unoptimized] target(s) in 0.02s\n", ""},
	} {
		all := languagesTested([]byte(c.output))
		if c.language == "" && len(all) > 0 || c.language != "" && !slices.Contains(all, c.language) {
			t.Errorf("%q: %v, want %s", c.output, all, c.language)
		}
	}
}
