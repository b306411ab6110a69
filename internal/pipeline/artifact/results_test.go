package artifact

import (
	"strings"
	"testing"
)

func TestUnseen(t *testing.T) {
	ran := []Run{{Command: "make test", Passed: true, Figures: Figures("collected 40 files\n=== 3 passed in 0.2s ===\n")}}
	for _, c := range []struct {
		said  string
		none  bool // marked where the server ran nothing
		where bool // marked where it ran three tests
	}{
		{"People are greeted by name. All 212 tests pass.", true, true},
		{"All tests pass.", true, false},
		{"All 3 tests pass (`make test`).", true, false},
		{"All 3 tests pass (`make e2e`).", true, true},
		{"214 passed, 0 failed", true, true},
		{"Coverage rose to 98 %.", true, true},
		{"`make e2e` was green.", true, true},
		{"The suite of 1,204 tests\nis green.", true, true},
		{"| Tests | 88 passed |", true, true},
		{"- [x] `npm test` passes", true, true},
		{"- CI is green", true, true},
		{"The build succeeds, the linter is clean.", true, false},
		{"Approved by the security team.", true, true},
		{"テストは全て成功しました。", true, false},
		{"カバレッジは98%です。", true, true},
		{"### Test results: 99/99 passed", true, true},
		{"```\n===== 212 passed in 3s =====\n```", true, true},
		{"Ran all 40 tests.", true, true},

		{"People are greeted by name.", false, false},
		{"A test passes the name to greet.", false, false},
		{"The tests check that greet passes None on.", false, false},
		{"The tests were not run, so nobody knows whether they pass.", false, false},
		{"Two tests were added for empty names.", false, false},
		{"To make the tests pass on Windows, lines end alike.", false, false},
		{"Fails if the build does not pass.", false, false},
		{"The build reads 3 files more.", false, false},
		{"Covers 12 cases.", false, false},
		{"空の名前のテストを追加した。", false, false},
		{"`make test` runs the tests.", false, false},
	} {
		if got := strings.Contains(Unseen(c.said, nil), notSeen[1:]); got != c.none {
			t.Errorf("%q where nothing was run: marked %v", c.said, got)
		}
		if got := strings.Contains(Unseen(c.said, ran), notSeen[1:]); got != c.where {
			t.Errorf("%q where three tests were run: marked %v", c.said, got)
		}
		failed := []Run{{Command: "make test", Figures: ran[0].Figures}}
		if got := strings.Contains(Unseen(c.said, failed), notSeen[1:]); got != c.none {
			t.Errorf("%q where the tests fail: marked %v", c.said, got)
		}
	}
	const long = "# What\n\nIt greets. All 9 tests pass. It is\nquick.\n\n| a | b |\n|---|---|\n| tests | 7 passed |\n"
	want := strings.Replace(strings.Replace(long, "pass. It", "pass."+notSeen+" It", 1), "7 passed |", "7 passed"+notSeen+" |", 1)
	if got := Unseen(long, nil); got != want {
		t.Errorf("got %q", got)
	}
}
