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
		{"Tests: 40/40.", true, true},
		{"No failures in 212 tests.", true, true},
		{"Everything passes.", true, false},
		{"All 3 checks OK", true, false},
		{"`pytest`: OK", true, true},
		{"All tests that exist pass.", true, false},
		{"テストは通っています。", true, false},
		{"テスト結果: OK", true, false},
		{"e2e tests pass, with `test_v2.py` and on Python 3.12, for #12.", true, false},

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

// TestUnseenOrdinary holds that what a change does is no result, also where it has to do with builds and tests.
func TestUnseenOrdinary(t *testing.T) {
	const ordinary = `
Adds tests for password reset.
Adds tests for passing values.
Adds tests for passing names to greet.
The tests clean up after themselves.
The build command accepts a cleaner name.
The command cleans the cache.
The build command.
API passes ok through.
The command returns ok where the file is missing.
The pipeline cleans its folder.
Commands that succeed print nothing.
Tests cover OKLCH colors.
Spec files use greenlet.
The CI workflow caches pip packages.
The CI workflow passes a token to the deploy step.
Adds a ´make clean´ command.
The ´build´ command accepts ´--clean´.
Adds commands ´clean´ and ´reset´.
Adds the command ´clean´.
The client checks the status before it returns ok.
Orders approved by a manager can be shipped.
Comments reviewed by moderators are shown.
Raises the coverage threshold from 70 % to 80 %.
| Command | clean |
| ´tool build´ | builds a clean copy |
The last executed command is shown.
Executed commands are logged.
Passes the build directory to cmake.
It passes the test name to greet.
It runs on passed tests only.
Two checks are passed in by the caller.
Takes 2 arguments passed by name.
3 arguments are passed.
Command passthrough is kept.
Test passwords are generated.
A test for the passive mode.
A test with no errors in the input is added.
Logs of builds without errors are dropped.
The compiled template is clean of blanks.
Lint warnings cleaned up.
The compiler passes run in two steps.
Reports how many tests passed and how many failed.
The reporter prints ´3 passed´.
The reporter shows the number of passing tests.
The reporter counts passing tests.
The dashboard shows green builds first.
Shows a green mark for tests that succeeded.
The status of a build is "passed" or "failed".
テストを追加した。パスワードの検証も成功時に行う。
ファイルパスのチェックを追加した。
パスの検証を追加した。
チェックアウトパスを修正した。
検証に成功した場合はトークンを返す。
ビルドパスを変更した。
テストがパスを使うようにした。
テストデータのパスを修正した。
チェックを通った値だけ保存する。
CIのパスを更新した。
検証エラーなしの場合に保存する。
テストは実行していません。
ビルドが成功した場合だけ公開する。
The tests were not run here.
No checks were run.
Tests pass a fake clock.
The tests pass ´None´ where a name is missing.
Run the tests with ´make test´; they should pass.
- Added tests: empty names, names with spaces, passing through of None.
| test_empty | new | empty name is passed through |
| ´test_pass´ | greets |
The commands' output is now green.
The specs of passed arguments.
It was 100 % CPU before; test coverage was added.
Coverage of section 3.2 added; 5 % slower.
Clean builds are faster.
Parses the output of builds, so that failures are shown first.
Adds ´--no-build´; with it the build is skipped.
Cleans the build folder before each run.
The checks are now in one place.
Two tests cover this: one for empty names, one for names with spaces.
Tests added for the green path.
A failing build is now reported; a passing one prints nothing.
The linter's rule for clean imports is on.
Adds a test that passes an empty list.
The parameter is passed by the test runner.
Retries a failed command until it passes.
The password reset command was reviewed for clarity.
Adds a coverage report.
Fixes #12 by passing the build flags on.
名前の検証を追加し、空の名前は拒否する。
テストを3件追加した。
チェックボックスを追加した。
成功時のテストを追加した。
検証結果をCIに渡す。
ビルドコマンドにオプションを追加した。
テストは未実行です。
検証が通った後に保存する。
The tests didn't pass.
`
	for said := range strings.Lines(strings.ReplaceAll(ordinary, "´", "`")) {
		if got := Unseen(said, nil); got != said {
			t.Error(got)
		}
	}
}

// TestUnseenLong holds that a long sentence is read in one pass.
func TestUnseenLong(t *testing.T) {
	long := strings.Repeat("if tests pass, ", 1<<13)
	if got := Unseen(long, nil); got != long {
		t.Error("marked")
	}
}
