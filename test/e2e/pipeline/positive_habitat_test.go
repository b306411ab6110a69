package pipeline

import (
	"strings"
	"testing"

	"codeintel/test/tier"
)

// planned has the plan be a text of its own.
func planned(text string) func(o *orchestrator, file string) bool {
	return func(o *orchestrator, file string) bool {
		if file == "tasks.md" {
			o.Write(o.file(file), text)
		}
		return file == "tasks.md"
	}
}

const nested = "# Tasks\n\n## Task 1: Greet by name\n- **Mode**: parallel\n- **Files**:\n  - `greet.py`\n    - the function `greet`\n- **Acceptance criteria**:\n  - [ ] the name is greeted\n    - also an empty name is greeted\n\n" +
	"## Task 2: Say goodbye\n* Mode: parallel\n* Files:\n    1. `farewell.py` (new)\n* Acceptance criteria:\n    1. goodbye is said\n\n" +
	"## Task 3: Use both\n- Mode: sequential\n- Files:\n\t- main.py\n- Depends on:\n\t- Task 1\n\t- Task 2\n- Acceptance criteria:\n\t- both are printed\n"

// reordered is the plan with its last task first.
func reordered() string {
	head, rest, _ := strings.Cut(tasks, "## Task 1")
	first, last, _ := strings.Cut(rest, "## Task 3")
	return head + "## Task 3" + last + "\n## Task 1" + first
}

var habitats = map[string]order{
	"plans with nested lists":                              {effort: "M", works: planned(nested)},
	"plans its last task first":                            {effort: "M", works: planned(reordered())},
	"has a user who collects garbage in a task":            {effort: "M", after: map[string]func(o *orchestrator){"phase-5 [1 2]": collects, "impl-3.md": collects, "phase-6 [1 2 3]": collects, "summary.md": collects}},
	"has a user who collects garbage while they are asked": {flags: "--nopr", before: when("checkpoint-a", collects), asked: []string{"checkpoint-a"}},
	"has a user who looks at another branch": {after: when("impl-1.md", func(o *orchestrator) {
		branch := o.Git("branch", "--show-current")
		o.Git("stash", "-q", "-u")
		o.Git("switch", "-q", "main")
		o.Git("switch", "-q", branch)
		o.Git("stash", "pop", "-q")
	})},
	"has a user who packs the refs and fetches": {effort: "M", before: when("impl-3.md", func(o *orchestrator) {
		o.Git("pack-refs", "--all", "--prune")
		o.Git("fetch", "-q", "--all", "--prune")
	})},
	"has a user who stages the work": {before: when("review-1.md", func(o *orchestrator) { o.Git("add", "-A", "--", "*.py") })},
	"has a user who works in another working tree": {before: when("design.md", func(o *orchestrator) {
		dir := o.Beside("beside")
		o.Git("worktree", "add", "-q", "-b", "beside", dir, "main")
		o.Exec("sh", "-c", "echo x > "+dir+"/greet.py")
		o.Git("-C", dir, "commit", "-qam", "Beside")
	})},
}

func collects(o *orchestrator) {
	o.Git("reflog", "expire", "--expire=now", "--all")
	o.Git("gc", "-q", "--prune=now")
}

// TestHonestHabitat: each of them reaches the end, whatever the user does beside it.
func TestHonestHabitat(t *testing.T) {
	for name, c := range tier.Cases(habitats, 2) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}
