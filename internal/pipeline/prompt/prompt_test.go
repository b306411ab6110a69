package prompt

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/clients/prompts"
	"codeintel/internal/problem"
	"codeintel/test/golden"
)

const workspace = ".specs/20260401-42-lock-accounts"

func agent(t *testing.T, name string) string {
	t.Helper()
	a, err := prompts.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return a.Body
}

func assemble(t *testing.T, p Parts) string {
	t.Helper()
	if p.Values == nil {
		p.Values = map[string]string{"workspace": workspace}
	}
	text, err := Assemble(p)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestGolden checks whole prompts, as agents get them, against testdata.
func TestGolden(t *testing.T) {
	const profile = "Languages: Go (82%), TypeScript (15%)\nBuild command: make build\nTest command: go test ./..."
	for name, p := range map[string]Parts{
		"analysis": {Agent: agent(t, "situation-analyst"), Inputs: []string{"request.md"}, Output: "analysis.md", Profile: profile},
		"design-again": {Agent: agent(t, "architect"), Inputs: []string{"request.md", "analysis.md", "investigation.md", "review-design.md"}, Output: "design.md",
			Feedback: "Use the {status} column that is there, not a new one.\n\n```go\ntype Account struct{ Status string }\n```",
			Profile:  profile,
			Similar:  "- 20260301-unlock-accounts (M, 41 min): unlock an account by mail",
			Patterns: "- MAJOR, 3 times: the error is not wrapped", Frictions: "- The tests need a running server. Suggestion: a fake one."},
		"task": {Agent: agent(t, "implementer"), Inputs: []string{"tasks.md", "design.md", "review-1.md"}, Output: "impl-1.md", Profile: profile,
			Values: map[string]string{"workspace": workspace, "task": "1"}},
		"parallel": {Agent: agent(t, "implementer"), Inputs: []string{"tasks.md", "design.md"}, Profile: profile, Tasks: []Task{
			{ID: "1", Title: "Refuse locked accounts", Output: "impl-1.md", Inputs: []string{"tasks.md", "review-1.md"}},
			{ID: "fix-1", Title: "Tell {name} | or not", Output: "impl-fix-1.md"}}},
		"verification": {Agent: agent(t, "verifier"), Inputs: []string{"tasks.md", "design.md", "comprehensive-review.md"}, Output: "final-verification.md"},
		"summary":      {Agent: agent(t, "verifier"), Inputs: []string{"request.md", "design.md", "final-verification.md"}, Output: "summary.md"},
	} {
		t.Run(name, func(t *testing.T) {
			golden.Hold(t, filepath.Join("testdata", name+".golden"), assemble(t, p))
		})
	}
}

var headings = regexp.MustCompile(`(?m)^## .*$`)

// The layers stand in the order of the contract, with its headings; what has nothing
// to say is not there.
func TestLayers(t *testing.T) {
	p := Parts{Agent: "Do it.", Inputs: []string{"request.md", workspace + "/analysis.md"}, Output: "design.md",
		Feedback: "f", Profile: "p", Similar: "s", Patterns: "r", Frictions: "a"}
	want := "Do it.\n\n## Input Files\n- " + workspace + "/request.md\n- " + workspace + "/analysis.md\n\n## Output File\n- " + workspace + "/design.md\n" +
		"\n## Human Feedback\nf\n\n## Repository Context\np\n\n## Similar Past Pipelines\ns\n\n## Past Review Patterns\nr\n\n## AI Friction Points\na\n"
	if diff := cmp.Diff(want, assemble(t, p)); diff != "" {
		t.Error(diff)
	}
	p.Feedback, p.Profile, p.Similar, p.Patterns = "", " \n", "", "\n"
	if diff := cmp.Diff([]string{"## Input Files", "## Output File", "## AI Friction Points"}, headings.FindAllString(assemble(t, p), -1)); diff != "" {
		t.Error(diff)
	}
	p.Frictions = ""
	if diff := cmp.Diff([]string{"## Input Files", "## Output File"}, headings.FindAllString(assemble(t, p), -1)); diff != "" {
		t.Error(diff)
	}
}

func TestPlaceholders(t *testing.T) {
	for _, tt := range []struct{ agent, want string }{
		{"{workspace}/x and {task}", workspace + "/x and 1{not}"},
		{"{{task}} stays {task}", "{task} stays 1{not}"},
		{"a shell's ${task}, ${HOME} and $1", "a shell's ${task}, ${HOME} and $1"},
		{"func() { return }, {}, {A}, { task }, {\"a\": 1}, {a b}", "func() { return }, {}, {A}, { task }, {\"a\": 1}, {a b}"},
		{"{{{task}}}", "{{task}}"},
	} {
		got := assemble(t, Parts{Agent: tt.agent, Values: map[string]string{"workspace": workspace + "/", "task": "1{not}"}})
		if got != tt.want+"\n" {
			t.Errorf("%s: %q", tt.agent, got)
		}
	}
	_, err := Assemble(Parts{Agent: "{tusk} {phase} {tusk} {empty}", Values: map[string]string{"workspace": workspace, "empty": ""}})
	if p := problem.Of(err); p == nil || p.Code != unfilledPlaceholder || !strings.Contains(p.Message.String(), "{tusk}, {phase}, {empty},") {
		t.Errorf("%v", err)
	}
	// Nobody fills a hole in text of people and files.
	braces := "{workspace} {unknown} {{x}} ${y} func() { z }"
	got := assemble(t, Parts{Agent: "Do it.", Feedback: braces, Profile: braces, Similar: braces, Patterns: braces, Frictions: braces,
		Tasks: []Task{{ID: "1", Title: braces, Output: "impl-1.md"}}})
	if n := strings.Count(got, braces); n != 6 {
		t.Errorf("%d of 6 survive in\n%s", n, got)
	}
}

func TestErrors(t *testing.T) {
	for name, p := range map[string]Parts{
		"no workspace":    {Agent: "Do it."},
		"no instructions": {Agent: " \n", Values: map[string]string{"workspace": "w"}},
		"nothing for it":  {Agent: "## To write a.md\nDo it.", Output: "b.md", Values: map[string]string{"workspace": "w"}},
	} {
		if text, err := Assemble(p); err == nil {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// One agent file serves several outputs; each prompt has the section for its own.
func TestSections(t *testing.T) {
	const body = "# A\n\n## To write a-{task}.md\n\nOne.\n\n```\n## To write b.md\n```\n\n### More\n\n## To write `b.md`\n\nTwo.\n\n~~~~\n```\n## Not a heading\n~~~\n~~~~\n\n## Last\n\nAlways.\n"
	values := map[string]string{"workspace": workspace, "task": "1"}
	for output, want := range map[string]string{
		"a-1.md": "# A\n\n## To write a-1.md\n\nOne.\n\n```\n## To write b.md\n```\n\n### More\n\n## Last\n\nAlways.\n",
		"b.md":   "# A\n\n## To write `b.md`\n\nTwo.\n\n~~~~\n```\n## Not a heading\n~~~\n~~~~\n\n## Last\n\nAlways.\n",
		"c.md":   "# A\n\n## Last\n\nAlways.\n",
	} {
		got, _, _ := strings.Cut(assemble(t, Parts{Agent: body, Output: output, Values: values}), "\n## Output File")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", output, diff)
		}
	}
	if got := assemble(t, Parts{Agent: body, Values: values}); got != strings.ReplaceAll(body, "{task}", "1") {
		t.Errorf("without an output: %s", got)
	}
}

// TestAgents: the prompt of each of our agents has no placeholder left and leaves most
// of the budget to the other layers; shared ones as well.
func TestAgents(t *testing.T) {
	hole := regexp.MustCompile(`\{[a-z_]+\}`)
	output := regexp.MustCompile(`(?m)^## To write (.*)$`)
	for _, name := range prompts.Names() {
		body := agent(t, name)
		for _, m := range output.FindAllStringSubmatch(body, -1) {
			one := strings.ReplaceAll(m[1], "{task}", "3")
			got := assemble(t, Parts{Agent: body, Inputs: []string{"tasks.md"}, Output: one, Values: map[string]string{"workspace": workspace, "task": "3"}})
			if hole.MatchString(got) || Tokens(got) > DefaultBudget/4 {
				t.Errorf("%s: %d tokens, %q", name, Tokens(got), hole.FindAllString(got, -1))
			}
			if diff := cmp.Diff([]string{"## To write " + one}, output.FindAllString(got, -1)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		shared := assemble(t, Parts{Agent: body, Tasks: []Task{{ID: "1", Output: "impl-1.md"}}})
		if hole.MatchString(shared) {
			t.Errorf("%s, shared: %q", name, hole.FindAllString(shared, -1))
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本": 2, "日本abc": 3} {
		if got := Tokens(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// What does not fit is cut from the end, by whole lines, and never of layers 1 and 2.
func TestBudget(t *testing.T) {
	line := func(c string) string { return strings.Repeat(c, 39) + "\n" } // 10 tokens
	p := Parts{Agent: "Do it.", Output: "a.md", Feedback: line("f"), Profile: line("p"), Similar: strings.Repeat(line("s"), 10), Patterns: line("r"), Frictions: "x"}
	whole := assemble(t, p)
	head, _, _ := strings.Cut(whole, "\n## Human")
	p.Budget = Tokens(whole) + 4
	if assemble(t, p) != whole {
		t.Error("cut though it fits")
	}
	p.Budget = Tokens(head) + 80
	got := assemble(t, p)
	if n := strings.Count(got, line("s")); n < 2 || n > 4 || strings.Contains(got, "Review Patterns") || strings.Contains(got, "Friction") || !strings.HasSuffix(got, line("s")) {
		t.Errorf("similar pipelines: %s", got)
	}
	p.Budget = 1
	if got := assemble(t, p); !strings.HasPrefix(got, head+"\n## Human Feedback\n"+line("f")) {
		t.Errorf("layers 1 and 2, and what a person said: %q", got)
	}
	// Feedback says that it was cut, and what was code stays code.
	p.Feedback = "Do this:\n```go\n" + strings.Repeat(line("c"), 500) + "```\n"
	p.Budget = Tokens(head) + minFeedback + 100
	if got := assemble(t, p); !strings.HasSuffix(got, line("c")+"```\n[The feedback is longer; the rest was cut.]\n") || strings.Contains(got, "Repository") {
		t.Errorf("feedback: %s", got)
	}
	p.Feedback, p.Budget = strings.Repeat("長", 5000), 1
	if got := assemble(t, p); strings.Count(got, "長") < minFeedback-30 || Tokens(got) > Tokens(head)+minFeedback || strings.Contains(got, "Repository") {
		t.Errorf("one line: %s", got)
	}
	p.Budget = Tokens(head) + 100
	p.Feedback, p.Profile = "", strings.Repeat("p", 4000)
	if got := assemble(t, p); got != head {
		t.Errorf("a line of data that does not fit: %s", got)
	}
}

// Whatever comes in, layers 1 and 2 are whole, and the prompt is within its budget
// unless they leave too little of it for feedback.
func FuzzAssemble(f *testing.F) {
	f.Add("Do it.", "a\nb", "```\ncode", "- x", 40)
	f.Add("# {workspace}\n## To write a.md\n~~~", "長い", "p", "", 8000)
	f.Add("{x}", "{x}", "{x}", "{x}", 0)
	f.Fuzz(func(t *testing.T, agent, feedback, profile, similar string, budget int) {
		parts := Parts{Agent: agent, Inputs: []string{"i.md"}, Output: "a.md", Values: map[string]string{"workspace": "w", "x": "y"}, Budget: budget}
		head, err := Assemble(parts)
		if err != nil {
			return
		}
		parts.Feedback, parts.Profile, parts.Similar = feedback, profile, similar
		whole, err := Assemble(parts)
		if err != nil {
			t.Fatal(err)
		}
		if budget == 0 {
			budget = DefaultBudget
		}
		if !strings.HasPrefix(whole, head) || Tokens(whole) > max(budget, Tokens(head)+minFeedback) {
			t.Errorf("%d tokens of %d: %q", Tokens(whole), budget, whole)
		}
		if !utf8.ValidString(whole) {
			t.Errorf("%q", whole)
		}
	})
}
