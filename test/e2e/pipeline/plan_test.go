package pipeline

import (
	"slices"
	"strings"
	"testing"
)

// TestNotesReachImplementers: what the review of a design notes and does not send back is in
// the prompt of whoever carries the design out, and nowhere else.
func TestNotesReachImplementers(t *testing.T) {
	t.Parallel()
	const note = "Say in the design which Python is meant."
	o := newOrchestrator(t, "--auto --nopr "+request, "M")
	var told []string
	o.before = func(o *orchestrator) {
		if strings.Contains(o.now.Str("prompt"), note) {
			told = append(told, o.at())
		}
	}
	o.play("")
	o.whole()
	if want := []string{"phase-5 [1 2]", "impl-3.md"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// TestCriteriaOfTheRequest: at size S each thing that the request lists is a criterion of the one
// task, and a review has to account for each; what a design says to leave alone is no file of it.
func TestCriteriaOfTheRequest(t *testing.T) {
	t.Parallel()
	o := &orchestrator{fixture: newFixture(t, repository)}
	o.works = func(o *orchestrator, name string) bool {
		if name == "design.md" {
			o.Write(o.file(name), english.design+"\n## Out of Scope\n\n- `setup.cfg` (new) comes later\n\nThe page `README.md` stays as it is.\n")
		}
		return name == "design.md"
	}
	o.begin("--auto --nopr Greet better:\n\n- greet people by their name\n- say goodbye to everybody at the end\n- print both greetings in main.py\n", "S")
	o.play("phase-5")
	plan := o.now.Str("content")
	for _, want := range []string{"- [ ] greet people by their name\n", "- [ ] say goodbye to everybody at the end\n", "- [ ] print both greetings in main.py\n", "- [ ] Its tests pass\n"} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan lacks %q", want)
		}
	}
	for _, file := range []string{"setup.cfg", "README.md"} {
		if strings.Contains(plan, file) {
			t.Errorf("the plan holds %s", file)
		}
	}
	o.play("review-1.md")
	r := putting(codeText("## Criteria\n\n- the name is greeted → `greet.py:2`\n- its tests pass → `python3 main.py`\n"))(o)
	if line(r.Answer) != "review-1.md" || !strings.Contains(r.Raw, "2 of 5 acceptance criteria") {
		t.Errorf("taken: %s", r.Raw)
	}
	o.took(r)
	o.works = func(o *orchestrator, name string) bool {
		if name == "review-1.md" {
			o.Write(o.file(name), codeText("## Criteria\n\n- the name is greeted → `greet.py:2`\n- goodbye is said → `farewell.py:1`\n- both are printed → `main.py:4`\n- as the design says → `main.py:2`\n- its tests pass → `python3 main.py`\n"))
		}
		return name == "review-1.md"
	}
	o.play("")
	o.whole()
}
