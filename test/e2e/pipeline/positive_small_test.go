package pipeline

import (
	"os"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// A modest request asks for a change that runs little or nothing, which all the same is all that it asks for.
type modest struct {
	typed string
	file  string // that is changed
	does  func(o *orchestrator)
	shown string // the place that shows it
}

var modests = map[string]modest{
	"deletes a file":                      {"Delete main.py, nobody runs it", "main.py", func(o *orchestrator) { o.Git("rm", "-q", "main.py") }, "main.py"},
	"makes a file executable":             {"Make main.py executable", "main.py", func(o *orchestrator) { o.mode("main.py", 0o755) }, "main.py:1"},
	"documents a function":                {"Add a docstring to greet in greet.py", "greet.py", writesText("greet.py", "def greet(name):\n    \"\"\"Greet somebody.\"\"\"\n    return 'hello'\n"), "greet.py:2"},
	"adds a file without text":            {"Add an empty py.typed file", "py.typed", writesText("py.typed", ""), "py.typed"},
	"reformats a file":                    {"Reformat greet.py with double quotes", "greet.py", writesText("greet.py", "def greet(name):\n    return \"hello\"\n"), "greet.py:2"},
	"adds what is done later":             {"Add a placeholder farewell to farewell.py that raises NotImplementedError", "farewell.py", writesText("farewell.py", "def farewell(name):\n    raise NotImplementedError\n"), "farewell.py:2"},
	"adds a constant":                     {"Add version to greet.py, which returns 1.2.0", "greet.py", writesText("greet.py", repository["greet.py"]+"\n\ndef version():\n    return '1.2.0'\n"), "greet.py:6"},
	"adds a program without an extension": {"Add a program gradlew that starts the build", "gradlew", writesText("gradlew", "#!/bin/sh\nexec make\n"), "gradlew:2"},
}

func (o *orchestrator) mode(file string, mode os.FileMode) {
	if err := os.Chmod(o.Path(file), mode); err != nil {
		o.T.Fatal(err)
	}
}

func writesText(file, text string) func(o *orchestrator) {
	return func(o *orchestrator) { o.Write(file, text) }
}

// TestHonestModest: each is designed, done and reviewed without being asked twice for anything.
func TestHonestModest(t *testing.T) {
	for name, c := range tier.Cases(modests, 4) {
		for _, effort := range []string{"XS", "S"} {
			t.Run(strings.ReplaceAll(name, " ", "_")+"/"+effort, func(t *testing.T) {
				t.Parallel()
				proof := "## Criteria\n\n- " + c.typed + " → `" + c.shown + "`\n- nothing else was touched → `git diff --stat`\n"
				o := &orchestrator{fixture: newFixture(t, repository)}
				o.works = func(o *orchestrator, name string) bool {
					switch name {
					case "design.md":
						o.Write(o.file(name), "# Design\n\n## Approach\n\n"+c.typed+".\n\n## Changes\n\n- `"+c.file+"`\n")
					case "impl-1.md":
						c.does(o)
						o.Write(o.file(name), report(english.impl, []string{c.file}))
					case "review-1.md":
						o.Write(o.file(name), codeText(proof))
					case "final-verification.md":
						o.Write(o.file(name), finalText("Of the whole.\n\n"+proof))
					default:
						return false
					}
					return true
				}
				o.after = func(o *orchestrator, said object) object {
					if got, _ := o.now.Answer["report_result"].(object); got != nil && got["state_updated"] == false {
						o.T.Errorf("at %s: %s", o.at(), o.now.Raw)
					}
					return said
				}
				o.begin("--auto --nopr "+c.typed, effort)
				o.play("")
				if s := o.state(); s.Status != "completed" || o.Git("status", "--porcelain") != "" {
					t.Errorf("%s: %v", s.Status, o.trail)
				}
			})
		}
	}
}
