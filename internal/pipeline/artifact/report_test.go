package artifact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

func TestParseImpl(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       Impl
		found      []string
	}{
		{"as told", "# Task 3\n\n## Summary\n\nDone in `main.go`.\n\n## Files\n\n- `a/login.go`: asks Account.Locked, as `b.go` does\n- `a/new.go` (new)\n\n## Tests\n\n- `go test ./a`: passed,\n  14 tests\n- TestLocked failed before\n\n## Notes\n\n- `c.go` should change\n",
			Impl{[]string{"a/login.go", "a/new.go"}, []string{"`go test ./a`: passed, 14 tests", "TestLocked failed before"}, nil}, nil},
		{"other headings", "## 1. Files Changed:\n\n- a.go\n- b.go, c.go\n\n## 2. **Test Results**\n\nAll pass.\n\nNo new ones.\n",
			Impl{[]string{"a.go", "b.go", "c.go"}, []string{"All pass.", "No new ones."}, nil}, nil},
		{"deeper", "# Report\n\n## Implementation\n\n### Modified files\n\n- a.go\n\n### Tests\n\n- pass\n\n### Decisions\n\n- `x.go` stays\n",
			Impl{[]string{"a.go"}, []string{"pass"}, nil}, nil},
		{"groups", "## Files\n\n### Created\n\n- a.go\n\n### Test files\n\n- a_test.go\n\n### Deleted\n\n- `old.go` — was unused\n\n## Testing\n\n- pass\n  - 3 of them\n",
			Impl{[]string{"a.go", "a_test.go", "old.go"}, []string{"pass 3 of them"}, nil}, nil},
		{"verbs", "## Files\n\n- Created `a.go` with `Parse`\n- Modified: b.go\n- Modified:\n  - c.go\n    - the comment of `d.go`\n\n## Tests\n\n- pass",
			Impl{[]string{"a.go", "b.go", "c.go"}, []string{"pass"}, nil}, nil},
		{"table", "## Files\n\n| File | Change |\n|------|--------|\n| `a.go` | more `x.go` |\n| b/c.go | less |\n\n## Tests\n\n| Test | Result |",
			Impl{[]string{"a.go", "b/c.go"}, []string{"Test | Result"}, nil}, nil},
		{"Japanese", "## 変更ファイル\n\n- `a.go`：ロックを確認\n\n## テスト\n\n- 成功\n", Impl{[]string{"a.go"}, []string{"成功"}, nil}, nil},
		{"nothing to tell", "## Files\n\nNone.\n\n## Tests\n\nN/A\n", Impl{}, nil},
		{"no change", "## Files\n\nNone.\n\n## No Change\n\n- `a.go` asks Account.Locked,\n  see Login\n- `go test` passes\n\n## Tests\n\n- pass\n",
			Impl{nil, []string{"pass"}, []string{"`a.go` asks Account.Locked, see Login", "`go test` passes"}}, nil},
		{"no change, in Japanese", "## ファイル\n\nなし\n\n## 変更不要\n\n- `a.go` にある\n\n## テスト\n\n- 成功\n", Impl{nil, []string{"成功"}, []string{"`a.go` にある"}}, nil},
		{"a section of another sense", "## Files\n- a.go\n## No changes to the API\n- none\n## Tests\n- pass", Impl{[]string{"a.go"}, []string{"pass"}, nil}, nil},
		{"twice", "## Files\n- a.go\n- ./a.go\n## Tests\n- pass", Impl{[]string{"a.go"}, []string{"pass"}, nil}, nil},
		{"no headings", "I changed a.go.\n", Impl{}, []string{
			`0 CRITICAL there is no heading "## Files"; list below it each file that was changed, added or deleted`,
			`0 CRITICAL there is no heading "## Tests"; say below it which tests were written and run, and how they ended`}},
		{"headings in a fence", "```\n## Files\n- a.go\n```\n## Tests\n- pass", Impl{nil, []string{"pass"}, nil}, []string{
			`0 CRITICAL there is no heading "## Files"; list below it each file that was changed, added or deleted`}},
		{"no such file", "## Files\n- `../a.go`\n- /etc/x.conf\n## Tests\n- pass", Impl{nil, []string{"pass"}, nil}, []string{
			`2 CRITICAL file "../a.go" is outside the repository`, `3 CRITICAL file "/etc/x.conf" is not relative to the repository`}},
		{"other files", "## Files not changed\n- a.go\n## Tests\n- pass", Impl{nil, []string{"pass"}, nil}, []string{
			`0 CRITICAL there is no heading "## Files"; list below it each file that was changed, added or deleted`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, found := ParseImpl(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.found, said(found)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func said(found []Diagnostic) []string {
	var all []string
	for _, d := range found {
		all = append(all, fmt.Sprintf("%d %s %s", d.Line, d.Severity, d.Message))
	}
	return all
}

func TestCheck(t *testing.T) {
	const empty, noText = "0 CRITICAL the file is empty", "0 CRITICAL the file holds only code, quotes or comments; write what there is to say in words"
	const noSection = `0 CRITICAL the design has no section; give each part a heading, such as "## Approach"`
	left := func(n int, what string) []string {
		return []string{fmt.Sprintf("%d CRITICAL %q is left over from the template; write what applies to this task", n, what)}
	}
	for _, tt := range []struct {
		phase, text string
		want        []string
	}{
		{"phase-1", "", []string{empty}},
		{"phase-1", "\ufeff \n\t\n", []string{empty}},
		{"phase-1", "<!-- nothing yet -->\n", []string{noText}},
		{"phase-1", "```\ncode\n```\n", []string{noText}},
		{"phase-1", "# Analysis\n\n## Code\n", []string{"1 CRITICAL there are headings and nothing below them"}},
		{"phase-1", "It is a server.", nil},
		{"phase-1", "# Analysis\n\n<what the code does>\n", left(3, "<what the code does>")},
		{"phase-1", "# Analysis\n\n- Goal: <the goal>.\n", left(3, "Goal: <the goal>.")},
		{"phase-1", "# [Name of the change]\n\nIt is a server.\n", left(1, "[Name of the change]")},
		{"phase-1", "# A\n\n[Describe what changes]\n", left(3, "[Describe what changes]")},
		{"phase-1", "# A\n\nTODO\n", left(3, "TODO")},
		{"phase-1", "# A\n\n**Scope**: TBD\n", left(3, "**Scope**: TBD")},
		{"phase-1", "# A\n\n{summary}\n", left(3, "{summary}")},
		{"phase-1", "# A\n\n```\nTODO\n```\n\nThe text TODO stands in <b>main.go</b>.\n- [ ] a box\n- [a link](b.md)\n- `<T any>`\n- [MAJOR] what a day\n", nil},
		{"phase-3", "# Design\n\nWe do it.\n", []string{noSection}},
		{"phase-3", "# Design\n\n```\n## Approach\n```\n\nWe do it.\n", []string{noSection}},
		{"phase-3", "# Design\n\n## Approach\n\nWe do it.\n", nil},
		{"phase-3", "# Design\n\n## Approach\n", []string{"1 CRITICAL there are headings and nothing below them"}},
		{"phase-3b", "## Verdict: APPROVE\n", nil},
		{"phase-6", "## Verdict: PASS\n", nil},
		{"final-verification", "# PASS\n", nil},
		{"phase-5", "## Files\n\n- a.go\n\n## Tests\n\n- pass\n", nil},
		{"phase-5", "## Files\n\n- a.go\n", []string{`0 CRITICAL there is no heading "## Tests"; say below it which tests were written and run, and how they ended`}},
		{"final-summary", "# Summary\n\nDone.\n", nil},
	} {
		if diff := cmp.Diff(tt.want, said(Check(tt.phase, tt.text))); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.phase, tt.text, diff)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		text           string
		files, symbols []string
	}{
		{"Call `artifact.Parse` from `internal/pipeline/service/report.go:12` and `Next()`.", []string{"internal/pipeline/service/report.go"}, []string{"artifact.Parse", "Next"}},
		{"`main.go`, `fmt.Println`, `config.yaml`, `.env`, `Makefile`, `a/b/Dockerfile`, `x/y.unknown`", []string{"main.go", "config.yaml", ".env", "Makefile", "a/b/Dockerfile", "x/y.unknown"}, []string{"fmt.Println"}},
		{"`(*Reader).Read`, `Foo::bar`, `Foo#bar`, `$this->load()`, `func Open(path string) (*File, error)`, `Map[K, V]`, `*State`, `save!`", nil, []string{"Reader.Read", "Foo::bar", "Foo#bar", "$this->load", "Open", "Map", "State", "save!"}},
		{"main.go and Parse stand in no back-ticks", nil, nil},
		{"```\n`main.go` `Parse`\n```\n> `other.go`\n<!-- `third.go` -->", nil, nil},
		{"`go test ./...`, `--auto`, `true`, `nil`, `https://a.b/c.go`, `*.go`, `a/**/b.go`, `{name}.md`, `/etc/x.conf`, `../x.go`, `12`, `a b`, `application/json`, `x`, `internal/pipeline/artifact`", nil, nil},
		{"`a.go` and `./a.go`, `Parse` and `Parse()`", []string{"a.go"}, []string{"Parse"}},
		{"| `a.go` | `Parse` |\n\n- `b.ts`: `利用者`\n## `c.py`", []string{"a.go", "b.ts", "c.py"}, []string{"Parse", "利用者"}},
		{"`app/[id]/page.tsx` and `src/@types/x.d.ts` and `app/(group)/page.tsx`", []string{"app/[id]/page.tsx", "src/@types/x.d.ts", "app/(group)/page.tsx"}, nil},
	} {
		files, symbols := Mentions(tt.text)
		if diff := cmp.Diff(tt.files, files); diff != "" {
			t.Errorf("%q: files (-want +got):\n%s", tt.text, diff)
		}
		if diff := cmp.Diff(tt.symbols, symbols); diff != "" {
			t.Errorf("%q: symbols (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestFrictions(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Friction
	}{
		{"# Improvement\n\n## Friction\n\n- The tests need a server.\n- No word on\n  migrations.\n\n## Suggestion\n\n- A fake server.\n- A page on migrations.\n",
			[]Friction{{"The tests need a server.", "A fake server."}, {"No word on migrations.", "A page on migrations."}}},
		{"## Friction\n\nThe build is slow.\n\n## Suggestions\n\n- Cache it.\n- Split it.\n", []Friction{{"The build is slow.", "Cache it. Split it."}}},
		{"## Friction\n- a\n- b\n## Suggestion\n- c\n", []Friction{{"a", "c"}, {"b", ""}}},
		{"## 1\n### Friction\na\n### Suggestion\nb\n## 2\n### Friction\nc\n### Suggestion\nd\n", []Friction{{"a", "b"}, {"c", "d"}}},
		{"- **Friction**: a\n  - **Suggestion**: b\n- **Friction**: c\n", []Friction{{"a", "b"}, {"c", ""}}},
		{"**Friction:** a\n\n**Suggestion:** b\n", []Friction{{"a", "b"}}},
		{"## 摩擦\n- テストが遅い\n## 提案\n- 分割する\n", []Friction{{"テストが遅い", "分割する"}}},
		{"## Friction\n\nNone.\n\n## Suggestion\n\nNone.\n", nil},
		{"## Friction\n\n- なし\n", nil},
		{"```\n## Friction\n- a\n```\n", nil},
		{"## Notes\n\n- a\n\n## Suggestion\n\n- b\n\n## Other\n\n- c\n", nil},
		{"Friction between parts is no heading.\n", nil},
	} {
		if diff := cmp.Diff(tt.want, Frictions(tt.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestDiagnosticsAsFindings(t *testing.T) {
	got := Findings("tasks.md", []Diagnostic{{0, Critical, msg.Literal("there is no task")}, {7, Minor, msg.Literal("a")}})
	want := []Finding{{Critical, msg.Join(": ", "tasks.md", msg.Literal("there is no task"))}, {Minor, msg.Join(": ", "tasks.md:7", msg.Literal("a"))}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if none := Findings("tasks.md", nil); none == nil || len(none) != 0 {
		t.Errorf("no diagnostics are %#v", none)
	}
	if !Blocks(got) || Blocks(got[1:]) || Blocks(nil) {
		t.Error("only critical findings block")
	}
}

// A file without a word says nothing, whatever else is in it.
func TestCheckWantsWords(t *testing.T) {
	for text, want := range map[string]string{
		"\u200b\u200b\u2060\n":   "no word",
		"# \u200b\n\n...\n---\n": "no word",
		"# Title\n\n...\n":       "nothing below them",
		"# Title\n\nSo.\n":       "",
		"# 題\n\n言。\n":            "",
	} {
		found := Check("phase-1", text)
		if want == "" && len(found) > 0 || want != "" && (len(found) == 0 || !strings.Contains(found[0].Message.String(), want)) {
			t.Errorf("%q: %v, want %q", text, found, want)
		}
	}
}

// A file that was renamed may be written as people write it.
func TestImplNamesBothSidesOfARename(t *testing.T) {
	for _, said := range []string{"`a.go` → `b.go`: renamed", "`a.go` -> `b.go`", "Renamed: `a.go` => `b.go`", "`a.go` to `b.go`", "`a.go`, `b.go`", "`a.go` and `b.go`"} {
		got, found := ParseImpl("## Files\n\n- " + said + "\n\n## Tests\n\n- ran\n")
		if diff := cmp.Diff([]string{"a.go", "b.go"}, got.Files); diff != "" || len(found) > 0 {
			t.Errorf("%s: %s %v", said, diff, found)
		}
	}
	got, _ := ParseImpl("## Files\n\n- `a.go`: see `b.go` for why\n\n## Tests\n\n- ran\n")
	if diff := cmp.Diff([]string{"a.go"}, got.Files); diff != "" {
		t.Error(diff)
	}
}
