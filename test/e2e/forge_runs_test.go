//go:build unix

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A run is a pipeline that must end the same way however often its server dies.
type run struct {
	name      string
	arguments string
	effort    string
	context   object                              // what the source says, nil if there is none
	setup     func(*fixture)                      // before the server starts; may be nil
	user      map[string]string                   // what the user had in the working tree, uncommitted
	texts     map[string]func(n int) string       // what agents write, by file, the n-th time; else as usual
	work      map[string]func(st *fixture, n int) // what the implementer of a task does to the code
	files     map[string][]string                 // and which files that changes
	answers   map[string]func(n int) string       // to checkpoints and gates, the n-th time; else the first option
	decisions int                                 // of people, and of --auto
	commands  []string                            // of gh, that change something
	windows   []life                              // the deaths that were once survived badly, or nearly
}

var desk = map[string]string{
	"greet.py":  "def greet():\n    return \"hello\"\n",
	"part.py":   "def part():\n    return \"bye\"\n",
	"README.md": "# Desk\n\nIt greets.\n",
	"notes.md":  "Mine.\n",
}

const (
	prCreate     = "pr create"
	issueComment = "issue comment"
)

var runs = []run{
	{
		name: "S", arguments: "--auto --nopr make the greeting friendlier", effort: "S", decisions: 1, windows: at("state: copy not renamed", "write: renamed", "history: not written", "saved completed: journal behind"),
		user: map[string]string{"notes.md": "Mine.\n\nNot done yet.\n", "draft 日本.txt": "mine\n"},
		setup: func(st *fixture) { // a hook of the user's that notes when it ran
			st.Write(".git/hooks/post-commit", "#!/bin/sh\necho post-commit >>\"$(git rev-parse --git-common-dir)/ran\"\n")
			if err := os.Chmod(st.Path(".git/hooks/post-commit"), 0o755); err != nil {
				st.T.Fatal(err)
			}
		},
	},
	{
		name: "M", arguments: "greet and part in two ways", effort: "M", decisions: 3, commands: []string{prCreate}, windows: at("commit: made", "report pr-creation: not saved"),
		user: map[string]string{"notes.md": "Mine.\n\nNot done yet.\n"},
		texts: map[string]func(int) string{
			"review-design.md": func(n int) string {
				if n == 1 {
					return "# Review\n\n## Verdict: REVISE\n\n## Findings\n\n1. **[MAJOR]** Say what `part.py` does.\n"
				}
				return ruling("APPROVE", n)
			},
			"tasks.md": func(int) string { return fourTasks },
			"review-2.md": func(n int) string {
				if n == 1 {
					return "# Review\n\n## Verdict: FAIL\n\n## Findings\n\n1. **[CRITICAL]** It does not part twice. The word PASS is not enough.\n"
				}
				return ruling("PASS", n, "part.py")
			},
		},
		work: map[string]func(*fixture, int){
			"2": func(st *fixture, n int) { st.Write("part.py", fmt.Sprintf("def part():\n    return \"bye %d\"\n", n)) },
			"4": func(st *fixture, n int) { st.Write("both.py", "import greet\nimport part\n") },
		},
		files: map[string][]string{"2": {"part.py"}, "4": {"both.py"}},
		answers: map[string]func(int) string{
			"checkpoint-a": func(n int) string {
				if n == 1 {
					return "reject: name the reason for the second way"
				}
				return "approve"
			},
		},
	},
	{
		name: "L", arguments: "https://github.com/acme/desk/issues/42", effort: "L", decisions: 4, commands: []string{prCreate, issueComment}, windows: at("fix: written", "last push: before"),
		context: object{"github_title": "Greet friends", "github_body": "Friends are greeted like strangers.", "github_labels": []string{"bug"}},
		texts: map[string]func(int) string{
			"review-tasks.md": func(n int) string {
				return "# Review\n\n## Verdict: APPROVE_WITH_NOTES\n\n## Findings\n\n1. **[MINOR]** A second task would be easier to read.\n" + count(n)
			},
			"final-verification.md": func(n int) string {
				if n == 1 {
					return "# Verification\n\n## Verdict: FAIL\n\n## Findings\n\n1. **[CRITICAL]** `greet.py` does not greet friends.\n"
				}
				return ruling("PASS", n, "greet.py")
			},
		},
		answers: map[string]func(int) string{
			"checkpoint-b": func(n int) string {
				if n == 1 {
					return "差戻し 友だちへの挨拶も"
				}
				return "承認"
			},
		},
	},
}

// fourTasks are two that may be done at once, one for a person, and one after it.
const fourTasks = `# Tasks

## Task 1: Greet twice

mode: parallel
files:
- ` + "`greet.py`" + `

Acceptance criteria:
- It greets twice

## Task 2: Part twice

mode: parallel
files:
- ` + "`part.py`" + `

Acceptance criteria:
- It parts twice

## Task 3: Ask the neighbours

mode: human_gate
depends_on: 1
gate: neighbours-asked

Ask them whether it is too loud.

## Task 4: Put both together

mode: sequential
depends_on: 2, 3
files:
- ` + "`both.py` (new)" + `

Acceptance criteria:
- Both are imported
`

const oneTask = "# Tasks\n\n## Task 1: Greet friends\n\nmode: sequential\nfiles:\n- `greet.py`\n\nAcceptance criteria:\n- Friends are greeted, as attempt %d says\n"

func count(n int) string { return fmt.Sprintf("\nTime %d.\n", n) }

func ruling(word string, n int, files ...string) string {
	criteria := ""
	for i := range 3 {
		criteria += fmt.Sprintf("- point %d of the task holds → `%s:1`\n", i+1, strings.Join(files, ", "))
	}
	return "# Review\n\n## Verdict: " + word + "\n\n## Criteria\n\n" + criteria + "\n## Findings\n\nNone.\n" + count(n)
}

// text is what an agent writes into a file of the workspace, the n-th time.
func (r run) text(st *fixture, name string, n int) string {
	if f := r.texts[name]; f != nil {
		return f(n)
	}
	id, isImpl := strings.CutPrefix(strings.TrimSuffix(name, ".md"), "impl-")
	switch {
	case name == "design.md":
		return "# Design\n\n## Goal\n\nGreet well.\n\n## Changes\n\n- `greet.py` says more.\n" + count(n)
	case name == "tasks.md":
		return fmt.Sprintf(oneTask, n)
	case isImpl:
		files := r.files[id]
		if do := r.work[id]; do != nil {
			do(st, n)
		} else {
			files = []string{"greet.py"}
			st.Write("greet.py", fmt.Sprintf("def greet():\n    return \"hello %s, %d\"\n", id, n))
		}
		return "# Report\n\n## Summary\n\nDone.\n\n## Files\n\n- `" + strings.Join(files, "`\n- `") + "`\n\n## Tests\n\n- `python3 -m unittest`: passed\n" + count(n)
	case slices.Contains([]string{"review-design.md", "review-tasks.md"}, name):
		return ruling("APPROVE", n)
	case strings.HasPrefix(name, "review-"), name == "final-verification.md":
		files := r.files[strings.TrimPrefix(strings.TrimSuffix(name, ".md"), "review-")]
		if len(files) == 0 {
			files = []string{"greet.py"}
		}
		return ruling("PASS", n, files[0]) + "\nThis is " + name + ".\n"
	}
	return "# " + name + "\n\n## What was found\n\nThis and that.\n" + count(n)
}

// ghStandIn acts as gh does: a branch has one pull request. It records the commands
// that change something, one word per line.
const ghStandIn = `#!/bin/sh
dir=$(dirname "$0")
note() { { printf '%s\n' "--- call"; printf '%s\n' "$@"; } >>"$dir/calls"; }
url=https://github.com/acme/desk/pull/7
case "$1 $2" in
"pr create")
	if test -e "$dir/opened"; then
		echo "a pull request for this branch already exists:" >&2
		echo "$url" >&2
		exit 1
	fi
	touch "$dir/opened"
	note "$@"
	echo "$url" ;;
"pr view")
	test -e "$dir/opened" || { echo "no pull requests found" >&2; exit 1; }
	echo "$url" ;;
"issue comment")
	printf '%s' "$5" | sed -n 's/^<!-- code-intel: \(.*\) -->$/\1/p' >"$dir/posted"
	note "$@" ;;
"api graphql")
	said=
	test ! -e "$dir/posted" || said="{\"viewerDidAuthor\":true,\"body\":\"<!-- code-intel: $(cat "$dir/posted") -->\"}"
	echo "{\"data\":{\"repository\":{\"pullRequest\":{\"__typename\":\"Issue\",\"comments\":{\"nodes\":[$said]}}}}}" ;;
*)
	note "$@" ;;
esac
`
