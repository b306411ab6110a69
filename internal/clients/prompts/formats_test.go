package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/msg"
)

// section returns what an agent is told of the file that it writes.
func section(t *testing.T, agent, file string) string {
	t.Helper()
	_, rest, ok := strings.Cut(load(t, agent).Body, "\n## To write "+file+"\n")
	if !ok {
		t.Fatalf("%s is told nothing of %s", agent, file)
	}
	rest, _, _ = strings.Cut(rest, "\n## To write ")
	return rest
}

// example returns the example that an agent is shown, for task 7.
func example(t *testing.T, agent, file string) string {
	t.Helper()
	_, rest, ok := strings.Cut(section(t, agent, file), "\n```\n")
	text, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("%s is shown no example of %s", agent, file)
	}
	return strings.ReplaceAll(text, "{task}", "7") + "\n"
}

func fits(t *testing.T, phase, text string) {
	t.Helper()
	if found := artifact.Check(phase, text); len(found) > 0 {
		t.Errorf("%s: %v in\n%s", phase, found, text)
	}
}

var verdictLine = regexp.MustCompile(`(?m)^(## Verdict: )(\w+)$`)

// TestReviews: the example of each review is read as it is meant, and so is every
// verdict that the reviewer is told of, written like that.
func TestReviews(t *testing.T) {
	for _, tt := range []struct {
		agent, file, phase string
		family             artifact.Family
		want               artifact.Review
	}{
		{"design-reviewer", "review-design.md", "phase-3b", artifact.DesignVerdict, artifact.Review{Verdict: artifact.Revise, Findings: []artifact.Finding{
			{Severity: "CRITICAL", Description: msg.Literal("`internal/auth/login.go`: Login is also called by `cmd/admin/main.go:41`, which the design does not change.")},
			{Severity: "MINOR", Description: msg.Literal("The test for an empty name is missing.")}}}},
		{"task-reviewer", "review-tasks.md", "phase-4b", artifact.DesignVerdict, artifact.Review{Verdict: artifact.ApproveWithNotes, Findings: []artifact.Finding{
			{Severity: "MINOR", Description: msg.Literal(`Task 2: the criterion "works well" cannot be checked; name the message that is to appear.`)}}}},
		{"impl-reviewer", "review-{task}.md", "phase-6", artifact.CodeVerdict, artifact.Review{Verdict: artifact.Fail, Findings: []artifact.Finding{
			{Severity: "CRITICAL", Description: msg.Literal("`internal/auth/login.go:52`: a locked account with a valid token still gets in; Renew does not ask Locked.")},
			{Severity: "MINOR", Description: msg.Literal("`internal/auth/login_test.go:30`: the name of the test says the opposite.")}}}},
		{"verifier", "final-verification.md", "final-verification", artifact.FinalVerdict, artifact.Review{Verdict: artifact.Pass, Findings: []artifact.Finding{
			{Severity: "MINOR", Description: msg.Literal("The linter could not be run: it is not installed.")}}}},
	} {
		text := example(t, tt.agent, tt.file)
		fits(t, tt.phase, text)
		if diff := cmp.Diff(tt.want, artifact.ParseReview(tt.family, text)); diff != "" {
			t.Errorf("%s: %s", tt.agent, diff)
		}
		told, _, _ := strings.Cut(section(t, tt.agent, tt.file), "```")
		plain := regexp.MustCompile(`(?m)^- \*\*\[.*\n`).ReplaceAllString(text, "") + "\nNone.\n"
		for _, v := range tt.family.Verdicts() {
			if !regexp.MustCompile(`\b` + string(v) + `\b`).MatchString(told) {
				t.Errorf("%s is not told of %s", tt.agent, v)
			}
			one := verdictLine.ReplaceAllString(plain, "${1}"+string(v))
			if got := artifact.ParseReview(tt.family, one); got.Verdict != v || len(got.Findings) != 0 {
				t.Errorf("%s: %s is read as %+v in\n%s", tt.agent, v, got, one)
			}
		}
	}
}

func TestComprehensiveReview(t *testing.T) {
	text := example(t, "comprehensive-reviewer", "comprehensive-review.md")
	fits(t, "phase-7", text)
	want := []artifact.Finding{{Severity: "MAJOR", Description: msg.Literal("`internal/auth/login.go:52` and `internal/api/token.go:18` both decide who is locked; one of them should ask the other.")}}
	if diff := cmp.Diff(want, artifact.ParseReview(artifact.FinalVerdict, "## Verdict: PASS\n\n"+text).Findings); diff != "" {
		t.Error(diff)
	}
}

func TestTasks(t *testing.T) {
	text := example(t, "task-decomposer", "tasks.md")
	fits(t, "phase-4", text)
	got, found := artifact.ParseTasks(text)
	if len(found) > 0 {
		t.Errorf("%v in\n%s", found, text)
	}
	for i := range got {
		got[i].Line = 0
		for j := range got[i].Files {
			got[i].Files[j].Line = 0
		}
	}
	want := []artifact.Task{
		{ID: "1", Title: "Refuse locked accounts", Mode: "sequential", Files: []artifact.File{{Path: "internal/auth/login.go"}, {Path: "internal/auth/login_test.go"}},
			DependsOn: nil, Acceptance: []string{"Login of a locked account returns ErrLocked, and a test shows it"},
			Text: "What to do, in a few lines, with the names that the design gives."},
		{ID: "2", Title: "Say why on the login page", Mode: "parallel", Files: []artifact.File{{Path: "web/login.html"}, {Path: "web/locked.html", New: true}},
			DependsOn: []string{"1"}, Acceptance: []string{"The page names the reason"}},
		{ID: "3", Title: "Have the new texts translated", Mode: "human_gate", DependsOn: []string{"2"}, Gate: "texts-translated",
			Text: "Ask the translators for `locked.reason` in all languages."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	told, _, _ := strings.Cut(load(t, "task-decomposer").Body, "```")
	for _, mode := range []string{artifact.Parallel, artifact.Sequential, artifact.HumanGate} {
		if !strings.Contains(told, mode) {
			t.Errorf("nothing is said of %s", mode)
		}
	}
}

func TestImplementation(t *testing.T) {
	text := example(t, "implementer", "impl-{task}.md")
	fits(t, "phase-5", text)
	got, found := artifact.ParseImpl(text)
	if len(found) > 0 {
		t.Errorf("%v in\n%s", found, text)
	}
	if diff := cmp.Diff([]string{"internal/auth/login.go", "internal/auth/login_test.go"}, got.Files); diff != "" || len(got.Tests) != 1 {
		t.Errorf("%s, tests %q", diff, got.Tests)
	}
}

var namedHeading = regexp.MustCompile("`(## [^`]+)`")

// TestHeadings: a text under just the headings that an agent is told of is what its
// phase asks for.
func TestHeadings(t *testing.T) {
	for _, tt := range []struct{ agent, file, phase string }{
		{"situation-analyst", "analysis.md", "phase-1"},
		{"analyst-investigator", "analysis.md", "phase-1"},
		{"investigator", "investigation.md", "phase-2"},
		{"architect", "design.md", "phase-3"},
		{"verifier", "summary.md", "final-summary"},
	} {
		headings := namedHeading.FindAllStringSubmatch(section(t, tt.agent, tt.file), -1)
		if len(headings) < 4 {
			t.Errorf("%s is told of %d headings", tt.agent, len(headings))
		}
		var b strings.Builder
		for _, h := range headings {
			fmt.Fprintf(&b, "%s\n\nNone.\n\n", h[1])
		}
		fits(t, tt.phase, b.String())
	}
}

// The architect is told to write files and symbols as they are found again.
func TestMentions(t *testing.T) {
	told := section(t, "architect", "design.md")
	files, symbols := artifact.Mentions(told)
	if diff := cmp.Diff([]string{"internal/auth/login.go"}, files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Session.Renew"}, symbols); diff != "" {
		t.Error(diff)
	}
}

// Frictions and suggestions written under the headings that the verifier is told of
// are read as pairs.
func TestFrictions(t *testing.T) {
	_, told, ok := strings.Cut(section(t, "verifier", "summary.md"), "improvement.md")
	headings := namedHeading.FindAllStringSubmatch(told, -1)
	if !ok || len(headings) != 2 {
		t.Fatalf("%q", headings)
	}
	text := headings[0][1] + "\n\n- The tests need a server.\n- No word on migrations.\n\n" + headings[1][1] + "\n\n- A fake server.\n- A page on migrations.\n"
	want := []artifact.Friction{{Friction: "The tests need a server.", Suggestion: "A fake server."}, {Friction: "No word on migrations.", Suggestion: "A page on migrations."}}
	if diff := cmp.Diff(want, artifact.Frictions(text)); diff != "" {
		t.Error(diff)
	}
	if got := artifact.Frictions(headings[0][1] + "\n\nNone.\n\n" + headings[1][1] + "\n\nNone.\n"); len(got) > 0 {
		t.Errorf("%v", got)
	}
}
