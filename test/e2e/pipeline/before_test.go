package pipeline

import (
	"strings"
	"testing"
)

// runsTests is a verifier of the user's that names what fails as pytest does: a test that
// was red before, and one that is red if greet.py does not greet.
const runsTests = "---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"suite.sh\"]\n---\nThe tests pass.\n"

const suite = `test -e fixed || { echo "FAILED test_old.py::test_red"; bad=1; }
grep -q "hello" greet.py || { echo "FAILED test_greet.py::test_hello"; bad=1; }
exit ${bad:-0}
`

// redBefore has a test of the project fail before the pipeline begins.
func redBefore(o *orchestrator) {
	o.Write("suite.sh", suite)
	o.Git("add", "suite.sh")
	trusts(runsTests)(o)
}

// TestRedBefore: what failed before the work began is told and stops nothing; what fails only
// now stops a PASS, and names itself.
func TestRedBefore(t *testing.T) {
	for _, effort := range []string{"XS", "S"} {
		t.Run(effort, func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository)}
			redBefore(o)
			o.begin("--auto "+request, effort)
			told := ""
			o.after = func(o *orchestrator, said object) object {
				told += o.now.Str("warning")
				return said
			}
			o.play("")
			told += o.now.Str("warning")
			if s := o.state(); s.Status != "completed" || strings.Contains(strings.Join(o.trail, " "), "fix") {
				t.Fatalf("%s: %v", s.Status, o.trail)
			}
			if !strings.Contains(told, "fails as it did before the work began") || !strings.Contains(told, "test_old.py::test_red") {
				t.Errorf("the user is not told: %q", told)
			}
			if body := strings.Join(o.asked()[0], "\n"); !strings.Contains(body, "- `sh suite.sh`: failed, as before this change: test_old.py::test_red\n") {
				t.Errorf("the pull request does not say it: %s", body)
			}
		})
	}
	t.Run("and more now", func(t *testing.T) {
		t.Parallel()
		o := &orchestrator{fixture: newFixture(t, repository)}
		redBefore(o)
		o.begin("--auto --nopr "+request, "S")
		o.works = func(o *orchestrator, name string) bool {
			if name != "impl-1.md" {
				return false
			}
			for f, text := range changed {
				o.Write(f, strings.ReplaceAll(text, "hello", "hi"))
			}
			o.Write(o.file(name), o.text(name))
			return true
		}
		o.play("final-verification.md")
		if o.step(); o.at() != "impl-fix-1.md" || !strings.Contains(o.now.Raw, "failed now and not before the work began: test_greet.py::test_hello") {
			t.Fatalf("after the verification: %s", o.now.Raw)
		}
		o.works = nil
		o.play("")
		o.whole()
	})
	t.Run("and mended", func(t *testing.T) {
		t.Parallel()
		o := &orchestrator{fixture: newFixture(t, repository)}
		redBefore(o)
		o.works = alsoChanges("fixed", "yes\n")
		o.begin("--auto "+request, "XS")
		o.play("")
		if body := strings.Join(o.asked()[0], "\n"); !strings.Contains(body, "- `sh suite.sh`: passed\n") {
			t.Errorf("the pull request does not say it: %s", body)
		}
	})
	t.Run("nothing is run", func(t *testing.T) {
		t.Parallel()
		o := &orchestrator{fixture: newFixture(t, repository)}
		init := o.ok("pipeline_init", object{"arguments": request, "current_branch": "main"})
		r := o.ok("pipeline_init_with_context", object{"workspace": init.Answer["workspace"], "flags": init.Answer["flags"], "task_text": init.Answer["core_text"]})
		if !strings.Contains(r.Raw, "You trust no verifier of this project") {
			t.Errorf("the user is not told that nobody runs tests: %s", r.Raw)
		}
		o.begin("--auto "+request, "XS")
		o.play("")
		if body := strings.Join(o.asked()[0], "\n"); !strings.Contains(body, "None: what was run is what the agents say.") {
			t.Errorf("the pull request does not say it: %s", body)
		}
	})
}
