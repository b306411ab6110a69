package artifact

import (
	"slices"
	"testing"
)

// TestRunInPart has what an honest verification says of a part of its tests not taken for all of them.
func TestRunInPart(t *testing.T) {
	for _, s := range []string{
		"- **[MINOR]** The tests cannot be run in parallel: they share a port.",
		"- **[MINOR]** Tests are not run on Windows by the CI.",
		"`npm test` passed. The tests were not run against MySQL.",
		"- 統合テストは実行できなかった(DBがない)。`go test ./...` は成功。",
		"No tests were run that touch the network; all others passed.",
		"With `--dry-run` set, nothing is executed and the exit code is 0.",
	} {
		if got := NotRun(s); got != "" {
			t.Errorf("%q counts as nothing run", s)
		}
	}
	for _, s := range []string{
		"The tests could not be run here.", "Tests were not run because there is no network.", "テストは実行できなかった。",
	} {
		if NotRun(s) == "" {
			t.Errorf("%q counts as run", s)
		}
	}
}

// TestStays has files that a document says to stay as they are not taken for changed.
func TestStays(t *testing.T) {
	for _, s := range []string{
		"## Changes\n\n- `a.go`: x\n\n### Unchanged\n\n- `b.go`: callers still compile\n",
		"## What Changed\n\n- `a.go`: x\n\n### Not changed\n\n- `b.go`\n",
		"## Changes\n\n- `a.go`: x\n\n### Out of scope\n\n- `b.go`\n",
		"## Changes\n\n- `a.go`: x\n  - `b.go` calls it\n",
		"## Changes\n\n### Unchanged\n\n- `b.go`\n\n### Changed\n\n- `a.go`\n",
	} {
		if got := Changes(s); !slices.Equal(got, []string{"a.go"}) {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// TestNumberedCriteria has a review account for criteria by their numbers.
func TestNumberedCriteria(t *testing.T) {
	criteria := []string{"Login of a locked account returns ErrLocked", "A mail tells the owner", "The counter starts over after a success"}
	for _, s := range []string{
		"- locked account → `a.go:1`\n- Criteria 2 and 3: informs, resets → `b.go:1`; `c.go:1`\n",
		"- locked account → `a.go:1`\n- 2: informs → `b.go:1`\n- 3: reset → `c.go:1`\n",
		"- locked account → `a.go:1`\n- AC-2: informs → `b.go:1`\n- AC-3: reset → `c.go:1`\n",
	} {
		if got := Unaccounted(criteria, ParseCriteria("## Criteria\n\n"+s)); len(got) > 0 {
			t.Errorf("%q: %q", s, got)
		}
	}
	if got := Unaccounted(criteria, ParseCriteria("## Criteria\n\n- locked account → `a.go:1`\n- 2: informs → `b.go:1`\n")); len(got) != 1 {
		t.Errorf("one is left out: %q", got)
	}
}

// TestEffective has comments and white space that do something told from the rest.
func TestEffective(t *testing.T) {
	for _, c := range []struct {
		file, had, now string
		want           bool
	}{
		{"ci.yml", "jobs:\ntest:\n", "jobs:\n  test:\n", true},
		{"run.sh", "a\r\n", "a\n", true},
		{"a.go", "package a\n", "//go:build !windows\n\npackage a\n", true},
		{"a.go", "package a\n", "package a // mended\n", false},
	} {
		if got := Effective(c.file, []byte(c.had), []byte(c.now)); got != c.want {
			t.Errorf("%s %q: %t", c.file, c.now, got)
		}
	}
}
