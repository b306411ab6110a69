package pipeline

import (
	"os"
	"strings"
	"testing"

	"codeintel/test/e2e/harness"
)

// TestTwoTrees plays two pipelines with one request at the same time, in two working trees of
// one repository: each has its branch, its workspace and its pull request.
func TestTwoTrees(t *testing.T) {
	t.Parallel()
	one := &orchestrator{fixture: newFixture(t, repository)}
	dir := one.Beside("two")
	one.Git("worktree", "add", "-q", "-b", "second", dir, "main")
	two := &orchestrator{fixture: &fixture{harness.At(t, dir), one.origin}}
	two.Serve()
	one.begin("--auto --nopr "+request, "M")
	two.begin("--auto --nopr "+request, "S")
	for one.now.Str("type") != "done" || two.now.Str("type") != "done" {
		for _, o := range []*orchestrator{one, two} {
			if o.now.Str("type") != "done" {
				o.step()
			}
		}
	}
	for _, o := range []*orchestrator{one, two} {
		o.whole()
		if s := o.state(); s.Status != "completed" || o.now.Str("warning") != "" {
			t.Errorf("%s: %s", s.Status, o.now.Raw)
		}
		for file := range changed {
			if got := o.Git("log", "--format=%s", "main..HEAD", "--", file); got == "" {
				t.Errorf("no commit of %s on %s", file, o.state().Branch)
			}
		}
	}
	if one.state().Branch == two.state().Branch {
		t.Errorf("both work on %s", one.state().Branch)
	}
}

// TestBranchIsElsewhere: whatever a user did with the branch of the pipeline, the refusal names the
// command that mends it.
func TestBranchIsElsewhere(t *testing.T) {
	for name, does := range map[string][][]string{
		"renamed":              {{"branch", "-m", "hello"}},
		"renamed and left":     {{"branch", "-m", "hello"}, {"switch", "-q", "main"}},
		"detached":             {{"switch", "-q", "--detach"}},
		"detached and deleted": {{"switch", "-q", "--detach"}, {"branch", "-D", "feature/greet-people"}},
		"deleted":              {{"switch", "-q", "main"}, {"branch", "-D", "feature/greet-people"}},
	} {
		for _, at := range []string{"impl-1.md", "review-1.md"} {
			t.Run(name+" at "+at, func(t *testing.T) {
				t.Parallel()
				o := newOrchestrator(t, "--auto --nopr "+request, "S")
				o.play(at)
				for _, argv := range does {
					o.Git(argv...)
				}
				said := o.do()
				r := o.next(said)
				command, _, ok := strings.Cut(strings.TrimPrefix(strings.Join(r.List("legal_next"), "\n"), "Run git "), ", then")
				if !r.Refused || !ok {
					t.Fatalf("%s", r.Raw)
				}
				o.Git(strings.Fields(command)...)
				o.now = o.next(said)
				o.play("")
				if s := o.state(); s.Status != "completed" || s.Branch != o.Git("branch", "--show-current") {
					t.Errorf("%s: %v\n%s", s.Status, o.trail, o.now.Raw)
				}
				o.whole()
			})
		}
	}
}

// TestRenamedWorkspace: a folder that somebody renames in mid-run is named, with the way back.
func TestRenamedWorkspace(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t, "--nopr "+request, "S")
	o.play("impl-1.md")
	was, is := o.ws, o.ws+"-renamed"
	if err := os.Rename(o.Path(was), o.Path(is)); err != nil {
		t.Fatal(err)
	}
	if r := o.next(object{}); !r.Refused || len(r.List("legal_next")) == 0 {
		t.Errorf("by its old name: %s", r.Raw)
	}
	o.ws = is
	if r := o.next(object{}); !r.Refused || !strings.Contains(r.Raw, was) || len(r.List("legal_next")) == 0 {
		t.Errorf("by its new name: %s", r.Raw)
	}
	o.ws = was
	if err := os.Rename(o.Path(is), o.Path(was)); err != nil {
		t.Fatal(err)
	}
	o.took(o.next(object{}))
	o.play("")
	o.whole()
}

// TestEmptyPlans: a plan of nothing, and tasks of nothing, are handed out again with what to
// write; the next plan is taken.
func TestEmptyPlans(t *testing.T) {
	for name, plan := range map[string]string{
		"no task":       "# Tasks\n\nNone.\n",
		"no section":    "# Tasks\n",
		"an empty task": "# Tasks\n\n## Task 1: Greet\n",
		"no file":       "# Tasks\n\n## Task 1: Greet\nmode: sequential\nfiles:\nacceptance criteria:\n- the name is greeted\n",
		"no criterion":  "# Tasks\n\n## Task 1: Greet\nmode: sequential\nfiles:\n- greet.py\n- farewell.py (new)\n- main.py\n",
		"no such file":  "# Tasks\n\n## Task 1: Greet\nmode: sequential\nfiles:\n- gret.py\nacceptance criteria:\n- the name is greeted\n",
		"no title":      "# Tasks\n\n## Task 1:\nmode: sequential\nfiles:\n- greet.py\n- farewell.py (new)\n- main.py\nacceptance criteria:\n- the name is greeted\n",
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			o := newOrchestrator(t, "--auto --nopr "+request, "M")
			o.play("tasks.md")
			o.Write(o.file("tasks.md"), plan)
			r := o.next(o.done())
			got, _ := r.Answer["report_result"].(object)
			if found, _ := got["findings"].([]any); name == "no criterion" || name == "no title" { // told, and judged by the request
				if got["state_updated"] != true || len(found) == 0 {
					t.Errorf("not told: %s", r.Raw)
				}
				return
			}
			if line(r.Answer) != "tasks.md" || got["state_updated"] != false || got["warning"] == "" && len(got["findings"].([]any)) == 0 {
				t.Fatalf("taken, or nothing says what to fix: %s", r.Raw)
			}
			o.took(r)
			o.play("")
			o.whole()
		})
	}
}

// TestHangingVerifier: a command that never ends is ended at its timeout, counts as failed and
// says so; the person who is asked at the end may go on without it.
func TestHangingVerifier(t *testing.T) {
	t.Parallel()
	o := &orchestrator{fixture: newFixture(t, repository)}
	trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sleep\", \"900\"]\ntimeout: 1s\n---\nNever ends.\n")(o)
	o.answers = map[string]string{"checkpoint-verification": "approve"}
	o.works = func(o *orchestrator, name string) bool { // no two reviews are the same
		if name == "review-fix-2.md" {
			o.Write(o.file(name), strings.Replace(o.text(name), "No test", "The second time no test", 1))
		}
		return name == "review-fix-2.md"
	}
	o.begin("--auto "+request, "S")
	said := ""
	o.after = func(o *orchestrator, report object) object {
		said += o.now.Raw
		return report
	}
	o.play("")
	if s := o.state(); s.Status != "completed" || !strings.Contains(said, "stopped after 1s") {
		t.Errorf("%s, %v: %s", s.Status, o.trail, said)
	}
	if body := strings.Join(o.asked()[0], "\n"); !strings.Contains(body, "- `sleep 900`: failed\n") {
		t.Errorf("the pull request hides it: %s", body)
	}
}

// TestBaseMovesOn: commits on the base, also pushed, are nobody's but their author's.
func TestBaseMovesOn(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t, "--auto "+request, "S")
	o.play("impl-1.md")
	dir := o.Beside("theirs")
	o.Git("worktree", "add", "-q", dir, "main")
	for _, file := range []string{"theirs.txt", "greet.py"} {
		o.Exec("sh", "-c", "echo '# theirs' >> "+dir+"/"+file)
		o.Git("-C", dir, "add", file)
		o.Git("-C", dir, "commit", "-q", "-m", "Theirs")
	}
	o.Git("-C", dir, "push", "-q", "origin", "main")
	o.play("")
	s := o.state()
	if s.Status != "completed" || s.Pull == "" || o.now.Str("warning") != "" {
		t.Errorf("%s: %s", s.Status, o.now.Raw)
	}
	if got := o.Git("diff", "--name-only", "main...HEAD"); strings.Contains(got, "theirs.txt") || o.Git("log", "-1", "--format=%s", "main") != "Theirs" {
		t.Errorf("what is theirs went out, or is gone: %s", got)
	}
}

// TestBranchThatGitRefuses: where a branch "feature" is in the way of "feature/…", the
// pipeline works on another, or says what to do.
func TestBranchThatGitRefuses(t *testing.T) {
	t.Parallel()
	o := &orchestrator{fixture: newFixture(t, repository)}
	o.Git("branch", "feature")
	o.begin("--auto --nopr "+request, "XS")
	o.play("")
	o.whole()
}

// TestPlaceForNothing: an artifact that cannot be written, as on a full disk, is not there or
// is cut off; it is asked for again.
func TestPlaceForNothing(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t, "--auto --nopr "+request, "S")
	for _, at := range []string{"analysis.md", "design.md", "impl-1.md", "review-1.md", "final-verification.md", "summary.md"} {
		o.play(at)
		for _, text := range []string{"", "# ", "#"} {
			o.Write(o.file(at), text)
			r := o.next(o.done())
			if got, _ := r.Answer["report_result"].(object); line(r.Answer) != at || got["state_updated"] != false || !strings.Contains(r.Raw, at) {
				t.Fatalf("%s of %q: %s", at, text, r.Raw)
			}
			o.now = r
		}
	}
	o.play("")
	o.whole()
}
