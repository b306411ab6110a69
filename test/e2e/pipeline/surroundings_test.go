package pipeline

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// surroundings are repositories, habits of git and of people that are unusual and honest. Each
// lays out what is different, before the pipeline begins.
var surroundings = map[string]struct {
	lay     func(o *orchestrator)
	works   func(o *orchestrator, file string) bool
	typed   string            // instead of the usual request
	effort  string            // "": S
	answers map[string]string // to what a person is asked
}{
	"a small request has a budget that suffices": {effort: "XS", typed: "--budget=500k " + request},
	"a budget is granted again, several times":   {typed: "--budget=3k " + request, answers: map[string]string{"budget-spent": "more"}},
	"a budget is lifted":                         {typed: "--budget=2k " + request, answers: map[string]string{"budget-spent": "finish"}},
	"a small request is reported by itself":      {effort: "XS"},
	"a hook wants the style of commits": {lay: func(o *orchestrator) {
		o.hook("commit-msg", `grep -Eq '^(feat|fix|docs|chore|refactor)(\(.+\))?: .{1,72}$' "$1"`)
		o.trustsPrograms()
	}},
	"a hook formats what is committed": {lay: func(o *orchestrator) {
		o.hook("pre-commit", `for f in greet.py farewell.py main.py; do test ! -e $f || { sed -i 's/  *$//' $f; git add $f; }; done`)
		o.trustsPrograms()
	}},
	"workspaces are ignored": {lay: func(o *orchestrator) {
		o.Write(".gitignore", ".specs/\n")
		o.Git("add", "-A")
		o.Git("commit", "-q", "--amend", "-m", "Begin")
		o.Git("push", "-qf", "origin", "main")
	}},
	"lines end as on Windows": {lay: func(o *orchestrator) { o.Git("config", "core.autocrlf", "true") }},
	"the main branch is called trunk": {lay: func(o *orchestrator) {
		o.Git("branch", "-q", "-m", "trunk")
	}},
	"the remote is called upstream": {lay: func(o *orchestrator) { o.Git("remote", "rename", "origin", "upstream") }},
	"there is no remote":            {lay: func(o *orchestrator) { o.Git("remote", "remove", "origin") }},
	"work of the user lies in a stash": {lay: func(o *orchestrator) {
		o.Write("README.md", "# Mine\n")
		o.Git("stash", "-q")
	}},
	"nobody has told git who they are": {lay: func(o *orchestrator) {
		o.Git("config", "user.useConfigOnly", "false")
	}},
	"names are hard": {lay: func(o *orchestrator) {
		o.Write("a b/it's \"quoted\" 日本.txt", "kept\n")
		o.Git("add", "-A")
		o.Git("commit", "-q", "--amend", "-m", "Begin")
		o.Git("push", "-qf", "origin", "main")
	}},
	"a submodule is there": {lay: func(o *orchestrator) {
		o.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", o.origin, "lib")
		o.Git("commit", "-q", "--amend", "-a", "-m", "Begin")
		o.Git("push", "-qf", "origin", "main")
	}},
	"the request names an option of the program": {typed: "Add a --verbose flag to greet.py and say what --quiet does"},
	"the request is long and in Japanese":        {typed: "挨拶は名前を呼ぶこと。" + strings.Repeat("別れの言葉も言うこと。", 30)},
	"the request holds what a shell would take":  {typed: "Greet `$(whoami)`;\"quoted\" & 'single' | $HOME \\ done"},
	"a test expects what the request asks for, and its review says so": {lay: tests, works: func(o *orchestrator, file string) bool {
		if file == "review-1.md" {
			o.Write(o.file(file), o.text(file)+"\n## Weakened Tests\n\n- `test_greet`: the request wants the name behind the greeting\n")
			return true
		}
		return alsoChanges("test_greet.py", strings.Replace(greetTest, "'hello'", "'hello you'", 1))(o, file)
	}},
	"a test moves to another file": {lay: tests, works: func(o *orchestrator, file string) bool {
		if !alsoChanges("tests/test_greet.py", greetTest)(o, file) {
			return false
		}
		o.Remove("test_greet.py")
		o.Write(o.file(file), report(english.impl, append(o.files(file), "tests/test_greet.py", "test_greet.py")))
		return true
	}},
	"a test is added to a file of tests": {lay: tests, works: alsoChanges("test_greet.py", greetTest+"\n\ndef test_name():\n    assert greet('me')\n")},
	"what the tests leave behind is not ignored": {works: func(o *orchestrator, file string) bool {
		if strings.HasPrefix(file, "review-1") {
			o.Write("__pycache__/greet.cpython-312.pyc", "\x00")
		}
		return false
	}},
	"an agent removes what it tried out": {works: func(o *orchestrator, file string) bool {
		if strings.HasPrefix(file, "review-1") {
			o.Write("try.py", "import greet\n")
			o.Remove("try.py")
		}
		return false
	}},
	"a build leaves code where git ignores it": {lay: ignores, works: func(o *orchestrator, file string) bool {
		if strings.HasPrefix(file, "review-1") {
			for _, made := range []string{"build/greet.py", "build/lib/main.py", "build/farewell.js", "node_modules/name/index.js"} {
				o.Write(made, payload)
			}
		}
		return false
	}},
	"a link out of the repository is asked for": {typed: "Greet people by name, and link system.txt to /etc/hostname",
		works: func(o *orchestrator, file string) bool {
			if !alsoChanges("README.md", "# Greeter\n\nGreets people by name.\n")(o, file) {
				return false
			}
			o.link("/etc/hostname", "system.txt")
			o.more = append(o.more, "system.txt")
			o.Write(o.file(file), report(english.impl, append(o.files(file), "README.md", "system.txt")))
			return true
		}},
	"a log of 200 KB is pasted": {typed: request + "\n\n" + strings.Repeat("2026-11-24T04:00:00Z ERROR greet: nobody was greeted, tried with --retry=3\n", 3200)},
	"artifacts begin with a mark and end their lines as on Windows": {works: func(o *orchestrator, file string) bool {
		if strings.HasPrefix(file, "impl-") || file == "summary.md" {
			return false
		}
		o.Write(o.file(file), "\ufeff"+strings.ReplaceAll(o.text(file), "\n", "\r\n"))
		return true
	}},
	"criteria are many, and each has its place": {works: func(o *orchestrator, file string) bool {
		if file != "review-1.md" {
			return false
		}
		var list strings.Builder
		for _, at := range []string{"greet.py:1", "greet.py:2", "farewell.py:1", "main.py:2"} {
			for n := range 8 {
				fmt.Fprintf(&list, "- %d of what the request asks for holds → `%s`\n", n+1, at)
			}
		}
		o.Write(o.file(file), codeText("## Criteria\n\n"+list.String()))
		return true
	}},
	"an agent fetches": {works: func(o *orchestrator, file string) bool {
		o.Git("fetch", "-q", "--all")
		return false
	}},
	"an agent looks at the code as it was": {works: func(o *orchestrator, file string) bool {
		if strings.HasPrefix(file, "review-1") {
			dir := o.Beside("as it was")
			o.Git("worktree", "add", "-q", "--detach", dir, "main")
			o.Git("worktree", "remove", "--force", dir)
		}
		return false
	}},
}

// hook installs a hook of git.
func (o *orchestrator) hook(name, script string) {
	o.T.Helper()
	o.Write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(o.Path(".git/hooks/"+name), 0o755); err != nil {
		o.T.Fatal(err)
	}
}

// TestHonestSurroundings: honest orchestrators reach the end in them.
func TestHonestSurroundings(t *testing.T) {
	for name, c := range tier.Cases(surroundings, 5) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository), habits: habits{works: c.works}, answers: c.answers}
			if c.lay != nil {
				c.lay(o)
			}
			typed := c.typed
			if typed == "" {
				typed = request
			}
			if c.effort == "" {
				c.effort = "S"
			}
			o.begin("--auto --nopr "+typed, c.effort)
			o.play("")
			if s := o.state(); s.Status != "completed" || o.Read("greet.py") != changed["greet.py"] {
				t.Errorf("%v\n%s", o.trail, o.now.Raw)
			}
		})
	}
}
