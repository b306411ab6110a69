package artifact

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

func TestUnaccounted(t *testing.T) {
	criteria := []string{"greet people by their name", "say goodbye to everybody", "Its tests pass"}
	for entries, want := range map[string][]string{
		"- greets by name → `a.py:1`\n- a name is greeted again → `a.py:2`\n":                {"say goodbye to everybody"},
		"- greets by name → `a.py:1`\n- goodbye → `b.py:1`\n":                                nil,
		"- greets by name → `a.py:1`\n- criterion 2 → `b.py:1`\n":                            nil,
		"- greets by name → `a.py:1`\n- AC2 → `b.py:1`\n":                                    nil,
		"- as asked → `a.py:1`\n- as asked as well → `b.py:1`\n":                             nil, // words of its own
		"- the first thing holds → `greet.py:1`\n- so does the rest → `b.py:1`\n":            nil, // words of its own beside a file that is called alike
		"- greet は名前を呼ぶ → `a.py:1`\n- 別れの言葉 → `b.py:1`\n":                                    nil, // another script
		"- greets by name → `a.py:1`\n- no second one is here, see line 2 → `farewell.py:2`": {"say goodbye to everybody"},
	} {
		if diff := cmp.Diff(want, append([]string(nil), Unaccounted(criteria, ParseCriteria("## Criteria\n\n"+entries))...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", entries, diff)
		}
	}
}

func TestChanges(t *testing.T) {
	for text, want := range map[string][]string{
		"## Changes\n\n- `a.go`: new\n- **`b/c.go`** (new): says so\n- see `d.go`\n- `e.go` stays as it is\n\n## Tests\n\n- `a_test.go`\n": {"a.go", "b/c.go"},
		"## What Changed\n\n- `a.go`, `b.go` and `c.go`: all of it, like `d.go`\n- Added `e.go`\n- Updated the file `f.go`: more\n":        {"a.go", "b.go", "c.go", "e.go", "f.go"},
		"## What Changed\n\n### For users\n\nNothing.\n\n### In the code\n\n- `a.go`: all\n\n## Decisions\n\n- `b.go` was considered\n":    {"a.go"},
		"## 変更内容\n\n- `a.go`: 追加\n- `b.go` は変更しない\n":                                                                                       {"a.go"},
		"## Changes\n\n| file | what |\n|---|---|\n| `a.go` | all |\n| `b.go` | unchanged |\n":                                             {"a.go"},
		"## Changes\n\n- `Session.Renew` asks first\n- `c.go`: comes later, in another pull request\n":                                     nil,
		"# Summary\n\n`a.go` is not below such a heading.\n":                                                                               nil,
	} {
		if diff := cmp.Diff(want, Changes(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestNotRun(t *testing.T) {
	for text, want := range map[string]bool{
		"- **[MINOR]** The tests could not be run: there is no environment.": true,
		"Nothing was executed, because Python is not installed.":             true,
		"There was no environment to run it.":                                true,
		"I could not run the test suite here.":                               true,
		"Tests were not run (no network).":                                   true,
		"- **[MINOR]** No environment to run it in.":                         true,
		"Verified by reading only.":                                          true,
		"テストは実行できなかった。":                                                      true,
		"実行環境がないため、読んで確認した。":                                                 true,

		"- **[MINOR]** The linter could not be run: it is not installed.":        false,
		"The integration tests could not be run; `go test ./...` passed.":        false,
		"`x.go`: the cleanup code is not run on error.":                          false,
		"No test could FAIL here.":                                               false,
		"All tests were run and passed.":                                         false,
		"The README was checked by reading it.":                                  false,
		"## Criteria\n\n- the tests are not run without a flag → `Makefile:3`\n": false,
		"Without the change the tests could not be imported, and failed.":        false,
		"テストはすべて成功した。":                                                           false,
	} {
		if got := NotRun(text) != ""; got != want {
			t.Errorf("NotRun(%q) = %v", text, got)
		}
	}
}

func TestAboutText(t *testing.T) {
	for said, want := range map[string]bool{
		"`a.py:2`: None crashes": false, "the comment says the opposite": true, "the function has no docstring": true,
		"gofmt: wrong indentation": true, "the total is wrong": false, "コメントが誤っている": true,
	} {
		if got := AboutText([]Finding{{Severity: Critical, Description: msg.Literal(said)}}); got != want {
			t.Errorf("AboutText(%q) = %v", said, got)
		}
	}
}
