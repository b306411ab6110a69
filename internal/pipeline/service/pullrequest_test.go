package service

import (
	"strings"
	"testing"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/workflow"
)

func pullTurn(t *testing.T) (*stand, *turn) {
	t.Helper()
	st := newStand(t)
	repo, err := st.s.repository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Of(st.s.project.Root, ".specs/20260401-greet")
	if err != nil {
		t.Fatal(err)
	}
	state := &engine.State{Workspace: w.Path(), SpecName: "greet"}
	state.BranchType = "fix"
	return st, &turn{Turn: workflow.Turn{Repo: repo}, s: st.s, w: w, st: state}
}

func TestPullTitle(t *testing.T) {
	_, tr := pullTurn(t)
	for title, want := range map[string]string{
		"Greet people by name":            "fix: Greet people by name",
		"fix(cli): greet people":          "fix(cli): greet people",
		"Note: greet people":              "fix: Note: greet people",
		"two\nlines\tand \x1b[31mred\x00": "fix: two lines and [31mred",
		"a \u202etxt.exe\u202c b":         "fix: a txt.exe b",
		"c1 \u009b31m \u200b\U000e0041tags \u2028next [skip\u200b ci]": "fix: c1 31m tags next",
		"挨拶を追加する":                   "fix: 挨拶を追加する",
		"":                          "fix: greet",
		"\x07 \n":                   "fix: greet",
		"--body evil":               "fix: --body evil",
		strings.Repeat("long ", 60): "fix: " + strings.Repeat("long ", 22) + "long…",
	} {
		tr.st.Title = title
		if got := tr.pullText().Title(); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

// A request in words has no title; the summary gives the change one. An issue keeps its own.
func TestPullTitleOfASummary(t *testing.T) {
	st, tr := pullTurn(t)
	tr.st.Title, tr.st.Source.Type = "greet() does not know whom it greets, and", request.Text
	st.write(tr.w.Path()+"/summary.md", "Title: feat: greet `people` by name\n\n# Summary\n\nIt greets.\n")
	if got := tr.pullText().Title(); got != "feat: greet ‘people’ by name" {
		t.Errorf("the title: %s", got)
	}
	body, err := tr.pullText().Body(t.Context())
	if err != nil || !strings.HasPrefix(body, "It greets.\n") {
		t.Errorf("the body: %v, %s", err, body)
	}
	tr.st.Source.Type = request.GitHubIssue
	if got := tr.pullText().Title(); got != "fix: greet() does not know whom it greets, and" {
		t.Errorf("the title of an issue: %s", got)
	}
	tr.st.Untitled = true // then it is only the first line of its text
	if got := tr.pullText().Title(); got != "feat: greet ‘people’ by name" {
		t.Errorf("the title of an issue without one: %s", got)
	}
}

// What strangers and agents wrote has no sign in a pull request that acts or that nobody sees, and stays on its line.
func TestPullRequestHidesNothing(t *testing.T) {
	st, tr := pullTurn(t)
	tr.st.Title = "greet"
	tr.st.Checks = []engine.Check{{Command: "make `x`\n## Approved", Passed: true, Old: []engine.OldTest{{Test: "a\n## Approved"}}}}
	tr.st.Tasks = []engine.Task{{ID: "1", Title: "a\u2028b\n## Approved", Weakened: []string{"T\n## Approved"}}}
	said := func() string {
		argv, err := tr.command(t.Context(), engine.PRCreation)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(argv, "\n")
	}
	for _, summary := range []string{"", "# Summary\n\n\u009b31m \u202etxt\u202c \u200bhidden \U000e0041 \x1b[2J\r\n\nIt greets.\n"} {
		st.write(tr.w.Path()+"/summary.md", summary)
		if got := said(); strings.ContainsAny(got, "\u009b\u202e\u202c\u200b\U000e0041\u2028\x1b\r") || strings.Contains(got, "\n## Approved") {
			t.Errorf("%q", got)
		}
	}
	tr.st.Pull = &engine.Pull{URL: "https://github.com/o/r/pull/7", Comments: []engine.Comment{{ID: "1", Author: "\u202ex", Answer: "\u009bdone"}}}
	if got := said(); strings.ContainsAny(got, "\u009b\u202e") {
		t.Errorf("a reply: %q", got)
	}
}

func TestPullBody(t *testing.T) {
	st, tr := pullTurn(t)
	body := func() string {
		t.Helper()
		b, err := tr.pullText().Body(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if got := body(); !strings.Contains(got, "## Tasks") || strings.Contains(got, "Closes") {
		t.Errorf("without a summary: %s", got)
	}
	st.write(tr.w.Path()+"/summary.md", "# Summary\n\n## What Changed\n\nIt greets.\n")
	tr.st.Source = engine.Source{Type: request.GitHubIssue, ID: "42", URL: issueURL}
	want := "## What Changed\n\nIt greets.\n\n## Checks run by code-intel\n\nNone: what was run is what the agents say.\n\nSpecification: `.specs/20260401-greet`\n\nCloses #42"
	if got := body(); got != want {
		t.Errorf("%s", got)
	}
	tr.st.Checks = []engine.Check{{Command: "make test", Passed: true}, {Command: "make lint", Before: []string{"TestOld"}}, {Command: "make fuzz"},
		{Command: "go test", Passed: true, Without: []string{"a_test.go", "b_test.go"}}}
	const checks = "- `make test`: passed\n- `make lint`: failed, as before this change: TestOld\n- `make fuzz`: failed\n" +
		"- `go test`: passed, and passes without this change too: a_test.go, b_test.go do not show it\n"
	if got := body(); got != strings.Replace(want, "None: what was run is what the agents say.\n", checks, 1) {
		t.Errorf("checks: %s", got)
	}
	tr.st.Checks = nil
	// An issue of another repository is closed there, and not the one of the same number here.
	st.git("config", "remote.origin.url", "git@github.com:Owner/Repo.git")
	if got := body(); got != want {
		t.Errorf("the same repository: %s", got)
	}
	st.git("config", "remote.fork.url", "https://github.com/me/repo")
	if got := body(); !strings.HasSuffix(got, "\nCloses owner/repo#42") {
		t.Errorf("another repository: %s", got)
	}
	tr.st.Source = engine.Source{Type: request.JiraIssue, ID: "SOA-1", URL: "https://x.atlassian.net/browse/SOA-1"}
	if got := body(); !strings.HasSuffix(got, "\nCloses SOA-1 (https://x.atlassian.net/browse/SOA-1)") {
		t.Errorf("Jira: %s", got)
	}
	st.write(tr.w.Path()+"/summary.md", "# Summary\n\n"+strings.Repeat("A line.\n", 20_000))
	if got := body(); len(got) > github.MaxBody+300 || !strings.Contains(got, "The rest is in `.specs/20260401-greet/summary.md`.") {
		t.Errorf("a long summary: %d bytes", len(got))
	}
}
