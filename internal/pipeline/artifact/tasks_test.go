package artifact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codeintel/internal/text/markdown"
)

// TestParseTasks checks spellings of the same task against that task.
func TestParseTasks(t *testing.T) {
	want := Task{ID: "1", Title: "Refuse locked accounts", Mode: Parallel,
		Files:     []File{{"internal/auth/login.go", false, 0}, {"internal/auth/lock.go", true, 0}},
		DependsOn: []string{"2", "3"}, Acceptance: []string{"Login fails with ErrLocked", "A test shows it"}}
	const rest = "\n## Task 2: b\nmode: sequential\nfiles: b.go\nacceptance_criteria: b works\n\n## Task 3: c\nfiles: c.go\nacceptance_criteria: c works\n"
	for _, tt := range []struct{ name, text string }{
		{"as told", `# Tasks

## Task 1: Refuse locked accounts

mode: parallel
files:
- internal/auth/login.go
- internal/auth/lock.go (new)
depends_on: 2, 3
acceptance_criteria:
- Login fails with ErrLocked
- A test shows it
`},
		{"inline, back-ticks", "## Task 1: Refuse locked accounts\nmode: `parallel`\nfiles: `internal/auth/login.go`, `internal/auth/lock.go` (new)\ndepends_on: [2, 3]\nacceptance criteria:\n  - Login fails with ErrLocked\n  - A test shows it\n"},
		{"YAML lists", "## Task 1: Refuse locked accounts\nmode: parallel\nfiles: [internal/auth/login.go, internal/auth/lock.go (new)]\ndepends_on:\n  - 2\n  - 3\nacceptance_criteria:\n  - Login fails with ErrLocked\n  - A test shows it\n"},
		{"bold bullets", "## Task 1: Refuse locked accounts\n\n- **Mode**: parallel\n- **Files**:\n  - `internal/auth/login.go`\n  - `internal/auth/lock.go` — new\n- **Depends on**: Task 2, Task 3\n- **Acceptance criteria**:\n  - [ ] Login fails with ErrLocked\n  - [x] A test shows it\n"},
		{"bold lines", "## Task 1: Refuse locked accounts\n\n**Mode:** Parallel\n\n**Files:**\n\n* `internal/auth/login.go:12-40`\n* `internal/auth/lock.go` (new file)\n\n**Depends on:** Tasks 2 and 3\n\n**Acceptance Criteria:**\n\n1. Login fails with\n   ErrLocked\n2. A test shows it\n"},
		{"headings", "## Task 1: Refuse locked accounts\n\n### Mode: parallel\n\n### Files\n\n- Modify: `internal/auth/login.go`\n- Create: `internal/auth/lock.go`\n\n### Dependencies\n\n- Task 2 (b)\n- Task 3: c\n\n### Acceptance Criteria\n\n- Login fails with ErrLocked\n- A test shows it\n"},
		{"groups", "## Task 1: Refuse locked accounts\nmode: parallel\ndepends_on: #2 #3\nfiles:\n- Modify:\n  - ./internal/auth/login.go\n- Create:\n  - internal/auth/lock.go\nacceptance:\n- Login fails with ErrLocked\n- A test shows it\n"},
		{"with reasons", "## Task 1: Refuse locked accounts\nmode: parallel (touches nothing else)\ndepends_on: 2; 3\nfiles:\n- `internal/auth/login.go` - asks `Account.Locked`, returns `ErrLocked`\n  - also the comment in `login.go`\n- internal/auth/lock.go (new): the type\nacceptance_criteria:\n- Login fails with ErrLocked\n- A test shows it\n"},
		{"without bullets", "## Task 1: Refuse locked accounts\nmode: parallel\nfiles:\n  internal/auth/login.go\n  internal/auth/lock.go (new)\ndepends_on: 2 3\nacceptance_criteria:\n  Login fails with ErrLocked\n- A test shows it\n"},
		{"links", "## Task 1: Refuse locked accounts\nmode: parallel\nfiles:\n- [internal/auth/login.go](../internal/auth/login.go)\n- (new) [`internal/auth/lock.go`](x)\ndepends_on: 2,3\nacceptance_criteria:\n- Login fails with ErrLocked\n- A test shows it\n"},
		{"Windows", "## Task 1: Refuse locked accounts\r\nmode: parallel\r\nfiles:\r\n- internal\\auth\\login.go\r\n- internal\\auth\\lock.go (new)\r\ndepends_on: 2, 3\r\nacceptance_criteria:\r\n- Login fails with ErrLocked\r\n- A test shows it\r\n"},
		{"Japanese", "## タスク１：Refuse locked accounts\n\nモード：parallel\nファイル：\n- `internal/auth/login.go`\n- `internal/auth/lock.go`（新規）\n依存：タスク2、タスク3\n受け入れ基準：\n- Login fails with ErrLocked\n- A test shows it\n"},
		{"fences and comments", "## Task 1: Refuse locked accounts\nmode: parallel\nfiles:\n- internal/auth/login.go\n<!-- - internal/auth/none.go -->\n- internal/auth/lock.go (new)\ndepends_on: 2, 3\nacceptance_criteria:\n- Login fails with ErrLocked\n- A test shows it\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks, found := ParseTasks(tt.text + rest)
			if len(tasks) != 3 || len(found) != 0 {
				t.Fatalf("tasks %+v, diagnostics %v", tasks, found)
			}
			got := tasks[0]
			got.Line, got.Text = 0, ""
			for i := range got.Files {
				got.Files[i].Line = 0
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("task (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTaskSections asserts where a task begins and ends, and what is its text.
func TestTaskSections(t *testing.T) {
	const text = `# Tasks for issue 12: locks

Task 0: this is prose.

## Overview

` + "```" + `
## Task 9: an example
mode: parallel
` + "```" + `

## Task 1: First

Do it, as in

` + "```go" + `
// files: none.go
## Task 8: no task
` + "```" + `

### Steps

1. Write it
2. Test it

files: a.go
acceptance_criteria: it works

> ## Task 7: said elsewhere

---

## Task 2: Merge the other one

mode: human_gate
gate: Merge PR #4!

Ask Ann to merge it.

## Task fix-1: Mend it

files: b.go
acceptance_criteria: it works

## Notes

files: c.go
`
	tasks, found := ParseTasks(text)
	if len(found) != 0 {
		t.Errorf("diagnostics %v", found)
	}
	want := []Task{
		{ID: "1", Title: "First", Mode: Sequential, Files: []File{{"a.go", false, 26}}, Acceptance: []string{"it works"}, Line: 12,
			Text: "Do it, as in\n\n```go\n// files: none.go\n## Task 8: no task\n```\n\n### Steps\n\n1. Write it\n2. Test it\n\n\n> ## Task 7: said elsewhere\n\n---"},
		{ID: "2", Title: "Merge the other one", Mode: HumanGate, Gate: "merge-pr-4", Line: 33, Text: "Ask Ann to merge it."},
		{ID: "fix-1", Title: "Mend it", Mode: Sequential, Files: []File{{"b.go", false, 42}}, Acceptance: []string{"it works"}, Line: 40},
	}
	if diff := cmp.Diff(want, tasks); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
}

func TestFileNames(t *testing.T) {
	for _, tt := range []struct{ said, want string }{ // want: paths, "+" before new ones
		{"- a.go", "a.go"},
		{"- `a b.go`", "a b.go"},
		{"- `Makefile`", "Makefile"},
		{"- Makefile", "Makefile"},
		{"- `some/folderless`", "some/folderless"},
		{"- .github/workflows/ci.yml", ".github/workflows/ci.yml"},
		{"- `app/[id]/page.tsx`, `app/(group)/page.tsx`", "app/[id]/page.tsx app/(group)/page.tsx"},
		{"- docs/設計.md", "docs/設計.md"},
		{"- **`a.go`** (new)", "+a.go"},
		{"- `a.go` *(new)*", "+a.go"},
		{"- `a.go`: new, holds the type", "+a.go"},
		{"- `a.go` – new: holds the type", "+a.go"},
		{"- `a.go`: newer than the rest", "a.go"},
		{"- `a.go` [new]", "+a.go"},
		{"- `a.go`（新規作成）", "+a.go"},
		{"- New file: `a.go`", "+a.go"},
		{"- Delete: `a.go`", "a.go"},
		{"- `a.go` and `b.go` (new)", "a.go +b.go"},
		{"- `a.go` `b.go`", "a.go b.go"},
		{"- a.go, b.go (new), c/d.go", "a.go +b.go c/d.go"},
		{"- a.go — adds Foo, removes Bar", "a.go"},
		{"- add the parser to `a.go` with `Parse`", "a.go"},
		{"- a.go#L10-L20", "a.go"},
		{"- ./x/../a.go", "a.go"},
		{"- a.go\n- ./a.go (new)", "+a.go"},
		{"- .gitignore", ".gitignore"},
		{"- x/.specs/a.md", "x/.specs/a.md"},
	} {
		tasks, found := ParseTasks("## Task 1: t\nacceptance_criteria: it works\nfiles:\n" + tt.said + "\n")
		if len(tasks) != 1 || len(found) != 0 {
			t.Errorf("%q: %v %v", tt.said, tasks, found)
			continue
		}
		var got []string
		for _, f := range tasks[0].Files {
			if f.New {
				f.Path = "+" + f.Path
			}
			got = append(got, f.Path)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: %s, want %s", tt.said, s, tt.want)
		}
	}
}

// TestTaskDiagnostics checks lists that cannot be worked on against what is said
// of them, each line of which is "line severity message".
func TestTaskDiagnostics(t *testing.T) {
	task := func(id, more string) string {
		return "## Task " + id + ": t\nfiles: f" + id + ".go\nacceptance_criteria: a\n" + more + "\n"
	}
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{`0 CRITICAL there is no task; write a section "## Task 1: <title>" for each`}},
		{"no task", "# Tasks\n\nNone needed.", []string{`0 CRITICAL there is no task; write a section "## Task 1: <title>" for each`}},
		{"all in a fence", "```\n## Task 1: a\n```", []string{`0 CRITICAL there is no task; write a section "## Task 1: <title>" for each`}},
		{"no id", "## Task: t\nfiles: a.go\nacceptance_criteria: a", []string{`1 CRITICAL the task has no id; write "## Task 1: <title>"`}},
		{"no id of ours", "## Task ../x: t\nfiles: a.go\nacceptance_criteria: a", []string{`1 CRITICAL "../x" is not a task id; write a number, as in "## Task 1: <title>"`}},
		{"words for an id", "## Task the first: t\nfiles: a.go\nacceptance_criteria: a", []string{`1 CRITICAL "the first" is not a task id; write a number, as in "## Task 1: <title>"`}},
		{"the same id", task("1", "") + task("1", ""), []string{"5 CRITICAL task 1 already exists, on line 1; give each its own id"}},
		{"unknown dependency", task("1", "depends_on: 2, Task 7"), []string{`1 CRITICAL task 1 depends on "2", which is not a task`, `1 CRITICAL task 1 depends on "7", which is not a task`}},
		{"no dependency", task("1", "depends_on: %, (2)"), []string{`4 CRITICAL task 1 depends on "%", which is not a task`}},
		{"itself", task("1", "depends_on: 1"), []string{"1 CRITICAL the tasks depend on each other in a cycle: 1 → 1"}},
		{"a circle", task("1", "depends_on: 3") + task("2", "depends_on: 1") + task("3", "depends_on: 2") + task("4", "depends_on: 3"), []string{"1 CRITICAL the tasks depend on each other in a cycle: 1 → 3 → 2 → 1"}},
		{"two circles", task("1", "depends_on: 2") + task("2", "depends_on: 1") + task("3", "depends_on: 4, 2") + task("4", "depends_on: 3"), []string{"1 CRITICAL the tasks depend on each other in a cycle: 1 → 2 → 1", "9 CRITICAL the tasks depend on each other in a cycle: 3 → 4 → 3"}},
		{"overlap", task("1", "mode: parallel") + "## Task 2: t\nmode: parallel\nfiles:\n- a.go\n- `f1.go`\nacceptance_criteria: a", []string{"9 CRITICAL tasks 1 and 2 may run at the same time, and both change f1.go; let one depend on the other or make one sequential"}},
		{"overlap by another spelling", "## Task 1: t\nmode: parallel\nfiles: x/a.go\nacceptance_criteria: a\n## Task 2: t\nmode: parallel\nfiles: ./x//y/../a.go\nacceptance_criteria: a\n", []string{"7 CRITICAL tasks 1 and 2 may run at the same time, and both change x/a.go; let one depend on the other or make one sequential"}},
		{"overlap of tasks that wait", "## Task 1: t\nmode: parallel\nfiles: a.go\nacceptance_criteria: a\n## Task 2: t\nfiles: b.go\ndepends_on: 1\nacceptance_criteria: a\n## Task 3: t\nmode: parallel\nfiles: a.go\ndepends_on: 2\nacceptance_criteria: a\n", nil},
		{"overlap with a sequential one", task("1", "mode: parallel") + "## Task 2: t\nmode: sequential\nfiles: f1.go\nacceptance_criteria: a", nil},
		{"paths", "## Task 1: t\nacceptance_criteria: a\nfiles:\n- ../x.go\n- /etc/passwd\n- a/../../x.go\n- C:\\x.go\n- `~/x.go`\n- .git/config\n- sub/.git/config\n- .GIT/config\n- .specs/a.md\n- .code-intel/config.json\n- a/*.go\n- `internal/`\n- `.`\n- https://example.com/a.go\n- the parser\n- a.go\n", []string{
			`4 CRITICAL file "../x.go" is outside the repository`,
			`5 CRITICAL file "/etc/passwd" is not relative to the repository`,
			`6 CRITICAL file "a/../../x.go" is outside the repository`,
			`7 CRITICAL file "C:\\x.go" is not relative to the repository`,
			`8 CRITICAL file "~/x.go" is not relative to the repository`,
			`9 CRITICAL file ".git/config" is inside .git, which no task may change`,
			`10 CRITICAL file "sub/.git/config" is inside .git, which no task may change`,
			`11 CRITICAL file ".GIT/config" is inside .git, which no task may change`,
			`12 CRITICAL file ".specs/a.md" is inside .specs, which no task may change`,
			`13 CRITICAL file ".code-intel/config.json" is inside .code-intel, which no task may change`,
			`14 CRITICAL file "a/*.go" is a pattern; name each file`,
			`15 CRITICAL file "internal/" is a folder; name each file`,
			`16 CRITICAL file "." is not a file`,
			`17 CRITICAL file "https://example.com/a.go" is not relative to the repository`,
			`18 CRITICAL "the parser" does not name a file; write the path from the root in backticks`,
		}},
		{"no files", "## Task 1: t\nacceptance_criteria: a\nfiles: none", []string{`1 CRITICAL task 1 names no files; list below "files:" each file that it changes or adds`}},
		{"no files either", "## Task 1: t\nacceptance_criteria: a", []string{`1 CRITICAL task 1 names no files; list below "files:" each file that it changes or adds`}},
		{"a gate needs none", "## Task 1: t\nmode: human_gate", nil},
		{"no criteria", "## Task 1: t\nfiles: a.go", []string{"1 MINOR task 1 has no acceptance_criteria"}},
		{"no title", "## Task 1\nfiles: a.go\nacceptance_criteria: a", []string{"1 MINOR task 1 has no title"}},
		{"mode", task("1", "mode: quick"), []string{`4 CRITICAL mode "quick" is not one of sequential, parallel, human_gate`}},
		{"mode of the template", task("1", "mode: sequential | parallel | human_gate"), []string{`4 CRITICAL mode "sequential | parallel | human_gate" is not one of sequential, parallel, human_gate`}},
		{"two modes", task("1", "mode: parallel\nmode: sequential"), []string{"5 CRITICAL task 1 has two modes"}},
		{"dependencies in words", task("1", "depends_on: none") + task("2", "depends_on: []") + task("3", "depends_on: なし") + task("4", "depends_on: -") + task("5", "depends_on:"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, found := ParseTasks(tt.text)
			var got []string
			for _, d := range found {
				got = append(got, fmt.Sprintf("%d %s %s", d.Line, d.Severity, d.Message))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTasksAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "## Task %d: t\nmode: parallel\nfiles: /a.go\ndepends_on: %d\n\n", i, i-1)
	}
	tasks, found := ParseTasks(b.String())
	if len(tasks) != maxTasks || len(found) != maxDiagnostics+1 {
		t.Errorf("%d tasks, %d diagnostics", len(tasks), len(found))
	}
	for _, d := range found {
		if d.Severity != Critical {
			t.Errorf("%v, while critical ones are left out", d)
		}
	}
}

// TestWriteTasks is what a person sees of tasks that the server made.
func TestWriteTasks(t *testing.T) {
	got := WriteTasks([]Task{
		{ID: "1", Title: "Refuse locked\naccounts", Mode: Sequential, Files: []File{{Path: "a.go"}, {Path: "b c.go", New: true}}, Acceptance: []string{"It works", " "}, Text: "See the design.\n"},
		{ID: "fix-1", Title: "Write C #", Mode: Parallel, DependsOn: []string{"1", "2"}, Files: []File{{Path: "a.go"}}, Text: "## Task 7: not a task\n\n```\nand no end"},
		{ID: "g", Title: "Merge", Mode: HumanGate, Gate: "merge-it"},
	})
	const want = `# Tasks

## Task 1: Refuse locked accounts

mode: sequential
files:
- ` + "`a.go`" + `
- ` + "`b c.go`" + ` (new)
acceptance_criteria:
- [ ] It works

See the design.

## Task fix-1: Write C # ##

mode: parallel
depends_on: 1, 2
files:
- ` + "`a.go`" + `

> ## Task 7: not a task
>
> ` + "```" + `
> and no end

## Task g: Merge

mode: human_gate
gate: merge-it
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks.md (-want +got):\n%s", diff)
	}
}

// awkward are words of which texts are made that could be misread.
var awkward = []string{"a", "b.go", "`c`", "files:", "mode: parallel", "depends_on: 1", "- ", "> ", "# ", "## Task 3: x", "### Files", "```", "~~~", "<!--", "-->", "\n", "\n", "\n\n", " ", "    ", "\t",
	"[ ] ", "**", "受け入れ基準：", "---", "1. ", "|", "#", ":", "\\", "(new)", "none", "acceptance_criteria:", "_", "\r", "\x00", "\u200b"}

func awkwardText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(awkward), 0, 12).Draw(t, label), "")
}

// withoutLines is the tasks as they are compared: lines are not kept, and of
// texts no more than [WriteTasks] promises.
func withoutLines(tasks []Task) []Task {
	var all []Task
	for _, t := range tasks {
		t.Line = 0
		files := t.Files
		t.Files = nil
		for _, f := range files {
			f.Line = 0
			t.Files = append(t.Files, f)
		}
		all = append(all, t)
	}
	return all
}

// TestRoundTrip writes tasks with awkward texts and reads them back.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tasks []Task
		n := rapid.IntRange(1, 4).Draw(t, "tasks")
		for i := range n {
			task := Task{ID: fmt.Sprint(i + 1), Mode: rapid.SampledFrom([]string{Sequential, Parallel, HumanGate}).Draw(t, "mode")}
			task.Title = oneLine(strings.NewReplacer("**", "", "<!--", "").Replace(awkwardText(t, "title")))
			task.Text = awkwardText(t, "text")
			for range rapid.IntRange(0, 3).Draw(t, "criteria") {
				task.Acceptance = append(task.Acceptance, "a "+awkwardText(t, "criterion"))
			}
			for range rapid.IntRange(0, 3).Draw(t, "files") {
				name := rapid.SampledFrom([]string{"a.go", "Makefile", "x/[id]/y.ts", "a b", "(new)", "none", "x/(new).go", "設計.md"}).Draw(t, "file")
				task.Files = append(task.Files, File{Path: name, New: rapid.Bool().Draw(t, "new")})
			}
			for j := range i {
				if rapid.Bool().Draw(t, "depends") {
					task.DependsOn = append(task.DependsOn, fmt.Sprint(j+1))
				}
			}
			if task.Mode == HumanGate {
				task.Gate = "gate-" + task.ID
			}
			tasks = append(tasks, task)
		}
		text := WriteTasks(tasks)
		got, _ := ParseTasks(text)
		for i := range tasks {
			want := &tasks[i]
			want.Text = joined(markdown.RawLines(want.Text))
			for k, a := range want.Acceptance {
				want.Acceptance[k] = oneLine(a)
			}
			list := fileList{all: want.Files}
			want.Files, _ = list.files()
		}
		if diff := cmp.Diff(withoutLines(tasks), withoutLines(got)); diff != "" {
			t.Fatalf("written\n%s\nread (-want +got):\n%s", text, diff)
		}
	})
}

// TestReadAndWrite asserts that whatever was read as tasks stays what it is.
func TestReadAndWrite(t *testing.T) {
	for _, ids := range []string{`1_\- `, `1_\_`, `1\_\_a`, `1\_a`} {
		keeps(t, "## Task 1: x\n\n## Task 2: y\ndepends_on: "+ids+"\n")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "## Task 1: x\n" + awkwardText(t, "a") + "\n## Task 2: y\nfiles:\n" + awkwardText(t, "b")
		keeps(t, text)
	})
}

// keeps asserts that the tasks of a text are the same after they were written.
func keeps(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	tasks, _ := ParseTasks(text)
	written := WriteTasks(tasks)
	again, _ := ParseTasks(written)
	if diff := cmp.Diff(withoutLines(tasks), withoutLines(again)); diff != "" {
		t.Fatalf("read\n%q\nwritten\n%s\nread again (-want +got):\n%s", text, written, diff)
	}
}

// The artifacts of a task have names of their own, on every disk.
func TestTaskIDsOfArtifacts(t *testing.T) {
	for text, want := range map[string]string{
		"## Task Design: a\nmode: parallel\nfiles: a.go\n":                                                "the review of another phase",
		"## Task tasks: a\nfiles: a.go\n":                                                                 "the review of another phase",
		"## Task a1: a\nfiles: a.go\n\n## Task A1: b\nfiles: b.go\n":                                      "task A1 already exists",
		"## Task a1: a\nfiles: a.go\n\n## Task designer: b\nfiles: b.go\ndepends_on: a1\nacceptance: c\n": "",
	} {
		_, found := ParseTasks(text)
		critical := ""
		for _, d := range found {
			if d.Severity == Critical {
				critical += d.Message.String() + "\n"
			}
		}
		if want == "" && critical != "" || !strings.Contains(critical, want) {
			t.Errorf("%q: %s, want %q", text, critical, want)
		}
	}
}
