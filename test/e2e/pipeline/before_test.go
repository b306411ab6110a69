package pipeline

import (
	"fmt"
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

// TestPassesWithout: a command that passes with the tests of the pipeline and without its change is told of, and
// the pull request names the tests; one that fails without the change is not.
func TestPassesWithout(t *testing.T) {
	const red = " && echo 1 passed in 0.01s || echo FAILED test_greet.py::test_greet; echo FAILED test_old.py::test_red; exit 1"
	for check, told := range map[string]string{
		"grep -q def greet.py && echo 1 passed in 0.01s": "passes without this change too",
		"test -e farewell.py && echo 1 passed in 0.01s":  "",
		"grep -q def greet.py" + red:                     "fails no more without this change",
		"test -e farewell.py" + red:                      "",
	} {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository)}
			trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"-c\", \"" + check + "\"]\n---\nThe tests pass.\n")(o)
			o.works = alsoChanges("test_greet.py", "from greet import greet\n\n\ndef test_greet():\n    assert greet() == greet.__call__()\n")
			o.begin("--auto "+request, "XS")
			o.play("")
			body := strings.Join(o.asked()[0], "\n")
			if got := strings.Contains(body, told+": test_greet.py does not show it"); got != (told != "") {
				t.Errorf("the pull request says it: %v\n%s", got, body)
			}
		})
	}
}

// TestUnknownIsSaid: what the runs on the code of the base cannot tell is said in the pull request
// and to the user, and not left out.
func TestUnknownIsSaid(t *testing.T) {
	t.Parallel()
	o := &orchestrator{fixture: newFixture(t, repository)}
	trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"-c\", \"echo 1 passed in 0.01s\"]\n---\nThe tests pass, whatever is there.\n")(o)
	o.works = alsoChanges("test_greet.py", "from greet import greet\n\n\ndef test_greet():\n    assert greet('you') == 'hello you'\n")
	o.begin("--auto "+request, "XS")
	told := ""
	o.after = func(o *orchestrator, said object) object {
		told += o.now.Str("warning")
		return said
	}
	o.play("")
	const want = "whether it passes without this change, too, is not known: "
	if body := strings.Join(o.asked()[0], "\n"); !strings.Contains(body, "`: passed; "+want) {
		t.Errorf("the pull request leaves it out: %s", body)
	}
	if told += o.now.Str("warning"); !strings.Contains(told, want) {
		t.Errorf("the user is not told: %s", told)
	}
}

// TestRedBeforeUnnamed: a command that failed before the work began and does not name what
// fails stops a PASS like any other; the agents are told that it failed before, and a person
// can accept it.
func TestRedBeforeUnnamed(t *testing.T) {
	for effort, last := range map[string]string{"XS": "checkpoint-impl", "S": "checkpoint-verification"} {
		t.Run(effort, func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository), answers: map[string]string{last: "approve"}}
			trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"-c\", \"echo broken; exit 1\"]\n---\nIt is whole.\n")(o)
			o.begin("--auto "+request, effort)
			o.works = func(o *orchestrator, name string) bool {
				if fix := strings.HasPrefix(name, "review-fix-"); fix {
					o.Write(o.file(name), o.text(name)+strings.Repeat("\nLooked at again.\n", int(name[len("review-fix-")]-'0')))
					return true
				}
				return false
			}
			o.play(last)
			if asked := o.now.Str("present_to_user"); !strings.Contains(asked, "It failed before the work began, too") {
				t.Errorf("asked: %s", asked)
			}
			o.play("")
			if s := o.state(); s.Status != "completed" {
				t.Fatalf("%s: %v", s.Status, o.trail)
			}
			if body := strings.Join(o.asked()[0], "\n"); !strings.Contains(body, "echo broken; exit 1`: failed\n") {
				t.Errorf("the pull request does not say it: %s", body)
			}
		})
	}
}

// TestOldByAPlantedFile: a file that git ignores and that came after the work began makes no
// new failure look like an old one.
func TestOldByAPlantedFile(t *testing.T) {
	t.Parallel()
	o := &orchestrator{fixture: newFixture(t, repository)}
	o.Write(".gitignore", "*.local\n")
	o.Write("suite.sh", "test -e broken.local && echo 'FAILED test_greet.py::test_hello'\n"+suite)
	o.Git("add", "suite.sh", ".gitignore")
	trusts(runsTests)(o)
	o.begin("--auto --nopr "+request, "S")
	o.works = func(o *orchestrator, name string) bool {
		if name != "impl-1.md" {
			return false
		}
		for f, text := range changed {
			o.Write(f, strings.ReplaceAll(text, "hello", "hullo"))
		}
		o.Write("broken.local", "")
		o.Write(o.file(name), o.text(name))
		return true
	}
	o.play("final-verification.md")
	if o.step(); o.at() != "impl-fix-1.md" || !strings.Contains(o.now.Raw, "test_greet.py::test_hello") {
		t.Fatalf("after the verification: %s", o.now.Raw)
	}
}

// TestOldTests: a test that the work changed is held, as it was before, against the new code. What fails is told and
// is in the pull request, and an approval without its reason is handed out again; one with a reason is taken.
func TestOldTests(t *testing.T) {
	for _, effort := range []string{"XS", "S", "XS, red before"} {
		for _, fails := range []bool{true, false} {
			effort, red := strings.CutSuffix(effort, ", red before")
			t.Run(fmt.Sprintf("%s %v %v", effort, fails, red), func(t *testing.T) {
				t.Parallel()
				o := &orchestrator{fixture: newFixture(t, repository)}
				o.Write("tests/data.txt", "hello\n")
				o.Git("add", "tests")
				reads := "---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"-c\", \"grep -q \\\"$(cat tests/data.txt)\\\" greet.py && echo 1 passed in 0.01s || { echo FAILED tests/greet_test.py::test_hello; exit 1; }\"]\n---\nThe tests pass.\n"
				if red {
					reads = strings.NewReplacer("{ echo FAILED", "echo FAILED", "exit 1; }", "echo FAILED test_old.py::test_red; exit 1").Replace(reads)
				}
				trusts(reads)(o)
				last, lie := map[string]string{"XS": "review-1.md", "S": "final-verification.md"}[effort], true
				o.works = func(o *orchestrator, name string) bool {
					switch {
					case name == "impl-1.md" && fails:
						for f, text := range changed {
							o.Write(f, strings.ReplaceAll(text, "hello", "hi"))
						}
						o.Write("tests/data.txt", "name\n")
						o.more = []string{"tests/data.txt"}
						o.Write(o.file(name), report(english.impl, append(o.files(name), o.more...)))
					case name == "impl-1.md":
						return alsoChanges("tests/data.txt", "hello '\n")(o, name)
					case name == last && !lie:
						o.Write(o.file(name), o.text(name)+"\n## Weakened Tests\n\n- `tests/data.txt`: the request wants the name behind the greeting\n")
					default:
						return false
					}
					return true
				}
				o.begin("--auto "+request, effort)
				o.play(last)
				r := o.next(o.do())
				if refused := line(r.Answer) == last; refused != fails || fails && !strings.Contains(r.Raw, "test_hello fails on the new code") {
					t.Fatalf("without a reason: %s", r.Raw)
				}
				lie = false
				o.took(r)
				o.play("")
				const want = "with the tests as they were before this change, these fail: tests/greet_test.py::test_hello"
				if body := strings.Join(o.asked()[0], "\n"); strings.Contains(body, want) != fails {
					t.Errorf("the pull request: %s", body)
				}
			})
		}
	}
}
