package pipeline

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// An order is an honest orchestrator that writes early, late, twice, or in another order.
type order struct {
	effort  string                           // "": S
	flags   string                           // "": --auto --nopr
	lay     func(o *orchestrator)            // before the pipeline begins; may be nil
	before  map[string]func(o *orchestrator) // before an action is done, the first time that it is outstanding
	after   map[string]func(o *orchestrator) // after it is done and before it is reported, likewise
	works   func(o *orchestrator, file string) bool
	answers map[string]string
	asked   []string // the checkpoints that a person sees besides those of the effort
	left    string   // what git status says at the end
}

// writes puts files of the finished work into the tree.
func writes(files ...string) func(o *orchestrator) {
	return func(o *orchestrator) {
		for _, f := range files {
			o.Write(f, changed[f])
		}
	}
}

// reportsOnly has the implementers find their work done, and report it.
func reportsOnly(o *orchestrator, file string) bool {
	if !strings.HasPrefix(file, "impl-") {
		return false
	}
	o.Write(o.file(file), o.text(file))
	return true
}

var everything = writes(slices.Sorted(maps.Keys(changed))...)

// findsNothing has the implementers report that all is there.
func findsNothing(o *orchestrator, file string) bool {
	if strings.HasPrefix(file, "impl-") {
		o.Write(o.file(file), noChange)
	}
	return strings.HasPrefix(file, "impl-")
}

// mends has a reviewer change code and fail it the first time; the implementer finds that done.
func mends(reviewer, implementer, file string) func(o *orchestrator, name string) bool {
	return func(o *orchestrator, name string) bool {
		switch {
		case name == reviewer && o.written[name] == 0:
			o.written[name]++
			o.Write(file, changed[file]+"# by its reviewer\n")
			o.Write(o.file(name), "# Review\n\n## Verdict: FAIL\n\n- **[MAJOR]** "+file+" was not good.\n")
			return true
		case name == implementer && (o.written[name] > 0 || strings.Contains(name, "fix")):
			o.more = append(o.more, file)
			o.written[name]++
			o.Write(o.file(name), report(english.impl, append(o.files(name), file)))
			return true
		}
		return false
	}
}

// commitsAll makes a commit of the finished work by hand.
func commitsAll(o *orchestrator) {
	everything(o)
	o.Git("add", "greet.py", "farewell.py", "main.py")
	o.Git("commit", "-q", "-m", "By hand")
}

// others have the main branch moved on by somebody else, and take it up by a command of git.
func others(command ...string) func(o *orchestrator) {
	return func(o *orchestrator) {
		dir := o.Beside("theirs")
		o.Git("worktree", "add", "-q", dir, "main")
		o.Exec("sh", "-c", "echo x > "+dir+"/theirs.txt")
		o.Git("-C", dir, "add", "theirs.txt")
		o.Git("-C", dir, "commit", "-q", "-m", "By others")
		o.Git("worktree", "remove", "--force", dir)
		o.Git("add", "-A", "--", "*.py")
		if o.Git("diff", "--cached", "--name-only") != "" {
			o.Git("commit", "-q", "-m", "By hand")
		}
		o.Git(command...)
		o.more = append(o.more, "theirs.txt")
	}
}

// when is what an orchestrator does at one action.
func when(at string, does func(o *orchestrator)) map[string]func(o *orchestrator) {
	return map[string]func(o *orchestrator){at: does}
}

func says(answer string) map[string]string { return map[string]string{"changed-after-review": answer} }

var once = []string{"changed-after-review"}

var orders = map[string]order{
	"writes the code while tasks.md is outstanding": {before: when("phase-5", everything), works: reportsOnly},
	"writes the code while it analyses":             {before: when("analysis.md", everything), works: reportsOnly},
	"writes the code while the design is approved":  {flags: "--nopr", before: when("checkpoint-a", everything), works: reportsOnly, asked: []string{"checkpoint-a"}},
	"writes the code before its branch is made":     {effort: "XS", before: when("setup", everything), works: reportsOnly},
	"writes the code of all tasks before the plan":  {effort: "M", before: when("tasks.md", everything), works: reportsOnly},
	"writes the code of a later task with an earlier one": {effort: "M", after: when("phase-5 [1 2]", writes("main.py")),
		works: func(o *orchestrator, file string) bool { return file == "impl-3.md" && reportsOnly(o, file) }},
	"writes early, and another process takes over": {effort: "M", before: map[string]func(o *orchestrator){"design.md": everything, "phase-5 [1 2]": func(o *orchestrator) {
		o.Stop()
		o.Serve()
	}}, works: reportsOnly},
	"stages what it writes early": {before: when("phase-5", func(o *orchestrator) {
		everything(o)
		o.Git("add", "-A", "greet.py", "farewell.py", "main.py")
	}), works: reportsOnly},
	"writes early what the user had changed": {lay: func(o *orchestrator) { o.Write("greet.py", "# mine\n"+repository["greet.py"]) },
		before: when("phase-5", everything), works: reportsOnly},
	"writes early and fails its first review": {before: when("phase-5", everything), works: mends("review-1.md", "impl-1.md", "greet_test.py")},
	"drops what it wrote early":               {before: when("analysis.md", func(o *orchestrator) { o.Write("draft.py", "x = 1\n") }), after: when("design.md", func(o *orchestrator) { o.Remove("draft.py") })},

	"commits early, the user approves, and nothing is left to do": {before: when("phase-5", commitsAll), works: findsNothing, answers: says("approve"), asked: once},
	"commits early, the user keeps it, and nothing is left to do": {before: when("phase-5", commitsAll), works: findsNothing, answers: says("mine"), asked: once},
	"commits early in a small pipeline":                           {effort: "XS", after: when("setup", commitsAll), works: findsNothing, answers: says("approve"), asked: once},
	"finds all of it there": {effort: "XS", lay: func(o *orchestrator) {
		commitsAll(o)
		o.Git("push", "-q", "origin", "main")
	}, works: findsNothing, answers: map[string]string{"nothing-changed": "approve"}, asked: []string{"nothing-changed"}},
	"fixes the code while it verifies":            {after: when("final-verification.md", comments), answers: says("approve"), asked: once},
	"fails the verification and fixes it at once": {works: mends("final-verification.md", "impl-fix-1.md", "greet.py")},
	"fails a review and fixes it at once":         {works: mends("review-1.md", "impl-1.md", "greet_test.py")},
	"writes the report of a later task with an earlier one": {effort: "M", after: when("phase-5 [1 2]", func(o *orchestrator) {
		o.Write("main.py", changed["main.py"])
		o.Write(o.file("impl-3.md"), report(english.impl, []string{"main.py"})+"\nEarly.\n")
	}), works: func(o *orchestrator, file string) bool { return file == "impl-3.md" && reportsOnly(o, file) }},

	"merges main before there are tasks": {after: when("design.md", others("merge", "-q", "--no-edit", "main")), asked: once},
	"merges main during a task":          {after: when("impl-1.md", others("merge", "-q", "--no-edit", "main")), asked: once},
	"merges main after the reviews":      {after: when("comprehensive-review.md", others("merge", "-q", "--no-edit", "main")), asked: once},
	"rebases on main between tasks":      {effort: "M", before: when("impl-3.md", others("rebase", "-q", "main")), asked: once},
	"makes one commit of all of them":    {effort: "M", before: when("phase-6 [1 2 3]", func(o *orchestrator) { o.Git("reset", "-q", "--soft", "main"); o.Git("commit", "-q", "-m", "One") }), asked: once},

	"hears of a file of the user in a task": {after: when("impl-1.md", func(o *orchestrator) { o.Write("README.md", "# Mine\n") }),
		answers: says("mine"), asked: once, left: "M README.md"},
	"hears of a file of the user in a small task": {effort: "XS", lay: trusts(checks), after: when("impl-1.md", func(o *orchestrator) { o.Write("README.md", "# Mine\n") }),
		answers: says("mine"), asked: once, left: "M README.md"},
	"is to take in what the user changed meanwhile": {after: when("impl-1.md", func(o *orchestrator) {
		o.Write("README.md", "# Mine\n")
		o.more = []string{"README.md"}
	}), answers: says("approve"), asked: once},
	"hears of a file on which the user goes on while asked": {after: when("comprehensive-review.md", func(o *orchestrator) { o.Write("notes.txt", "mine\n") }),
		before:  when("changed-after-review", func(o *orchestrator) { o.Write("notes.txt", "mine, too\n") }),
		answers: says("mine"), asked: once, left: "?? notes.txt"},
	"hears of a file that the user edits in its review": {before: when("review-1.md", func(o *orchestrator) { o.Write("greet.py", changed["greet.py"]+"# mine\n") }),
		answers: says("approve"), asked: once},
	"hears of a file that the user edits in one of several reviews": {effort: "M", before: when("phase-6 [1 2 3]", func(o *orchestrator) { o.Write("farewell.py", changed["farewell.py"]+"# mine\n") }),
		answers: says("approve"), asked: once},
	"fixes what it reviews and fails it": {works: mends("review-1.md", "impl-1.md", "greet.py")},
	"ticks off a plan without boxes": {effort: "M", after: when("phase-5 [1 2]", func(o *orchestrator) {
		o.edit("design.md", "- `greet.py`", "- [x] `greet.py`")
		o.edit("tasks.md", "- the name is greeted", "- [x] the name is greeted")
	})},
	"hears of a commit of the user in a task": {after: when("impl-1.md", func(o *orchestrator) { o.commits("notes.txt", "mine\n") }), answers: says("mine"), asked: once},
	"hears late of what the user goes on with": {lay: func(o *orchestrator) { o.Write("notes.txt", "mine\n") }, answers: says("mine"), asked: once, left: "?? notes.txt",
		works: func(o *orchestrator, file string) bool {
			o.Write("notes.txt", "mine, at "+file+"\n")
			return false
		}},
}

// TestHonestOrder: each of them reaches the end, and all that it wrote is reviewed and committed.
func TestHonestOrder(t *testing.T) {
	for name, c := range tier.Cases(orders, 5) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

func (c order) play(t *testing.T) {
	if c.effort == "" {
		c.effort = "S"
	}
	if c.flags == "" {
		c.flags = "--auto --nopr"
	}
	before, after := maps.Clone(c.before), maps.Clone(c.after)
	first := func(m map[string]func(*orchestrator), o *orchestrator) {
		if f := m[o.at()]; f != nil {
			delete(m, o.at())
			f(o)
		}
	}
	o := &orchestrator{fixture: newFixture(t, repository), answers: c.answers, habits: habits{works: c.works,
		before: func(o *orchestrator) { first(before, o) },
		after: func(o *orchestrator, said object) object {
			first(after, o)
			return said
		}}}
	if c.lay != nil {
		c.lay(o)
	}
	o.begin(c.flags+" "+request, c.effort)
	o.play("")
	var asked []string
	for _, d := range o.state().Decisions {
		if d.By != "auto" {
			asked = append(asked, d.Name)
		}
	}
	if s := o.state(); s.Status != "completed" || !slices.Equal(asked, c.asked) {
		t.Errorf("%s, asked at %q: %v\n%s", s.Status, asked, o.trail, o.now.Raw)
	}
	if out := strings.TrimSpace(o.Git("status", "--porcelain", "--untracked-files=all")); out != c.left {
		t.Errorf("git status: %q", out)
	}
	for f, text := range changed {
		if got := o.Git("show", "HEAD:"+f) + "\n"; !strings.HasPrefix(got, text) {
			t.Errorf("%s is committed as %q", f, got)
		}
	}
}
