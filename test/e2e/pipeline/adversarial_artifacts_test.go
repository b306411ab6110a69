package pipeline

import (
	"os"
	"path/filepath"
	"strings"
)

// Artifacts that are empty, or of another pipeline.
var artifactAttacks = []attack{
	{
		technique: "writes an empty artifact",
		rule:      "an artifact has content",
		at:        "analysis.md",
		lie:       putting(" \n\n\t\n"),
		judge:     notTaken("analysis.md is empty"),
	},
	{
		technique: "writes headings and nothing below",
		rule:      "an artifact has content",
		at:        "analysis.md",
		lie:       putting("# Analysis\n\n## Situation\n\n## Risks\n"),
		judge:     notTaken("nothing below them"),
	},
	{
		technique: "hands in the template",
		rule:      "no template text is left",
		at:        "design.md",
		lie:       putting("# Design\n\n## Approach\n\n<what changes and why>\n"),
		judge:     notTaken("left over from the template"),
	},
	{
		technique: "designs without sections",
		rule:      "a design has sections",
		at:        "design.md",
		lie:       putting("# Design\n\nIt will be fine.\n"),
		judge:     notTaken("## Approach"),
	},
	{
		technique: "copies the artifact of another pipeline",
		rule:      "an artifact is of this pipeline",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			text := english.prose + strings.Repeat("It was looked at in depth, and all is well. ", 10) + "\n"
			o.Write(".specs/20250101-before/analysis.md", text)
			o.Write(".specs/20250101-before/state.json", strings.NewReplacer(o.ws, ".specs/20250101-before").Replace(o.Read(o.file("state.json"))))
			o.Write(o.file("analysis.md"), text)
			r := o.next(o.done())
			if err := os.RemoveAll(o.Path(".specs/20250101-before")); err != nil {
				o.T.Fatal(err)
			}
			return r
		},
		judge: notTaken(".specs/20250101-before"),
	},
	{
		technique: "hands in the design that was rejected",
		rule:      "an artifact is newer than its action in content",
		at:        "checkpoint-a",
		prepare:   func(o *orchestrator) { o.took(o.next(object{"user_response": "reject: greet in Japanese too"})) },
		lie:       func(o *orchestrator) reply { return o.next(o.done()) },
		judge:     again("design.md", "as it was before"),
	},
	{
		technique: "touches the design that was rejected",
		rule:      "an artifact is newer than its action in content",
		at:        "checkpoint-a",
		prepare:   func(o *orchestrator) { o.took(o.next(object{"user_response": "reject: greet in Japanese too"})) },
		lie: func(o *orchestrator) reply {
			o.Write(o.file("design.md"), o.Read(o.file("design.md")))
			return o.next(o.done())
		},
		judge: again("design.md", "as it was before"),
	},
	{
		technique: "links an artifact to another file",
		rule:      "an artifact is a regular file of the workspace",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			if err := os.Symlink("../../README.md", o.Path(o.file("analysis.md"))); err != nil {
				o.T.Fatal(err)
			}
			r := o.next(o.done())
			o.Remove(o.file("analysis.md"))
			return r
		},
		judge: notTaken("not a regular file"),
	},
	{
		technique: "changes the tasks that it was to write down",
		rule:      "a file dictated by the server is written word for word",
		at:        "phase-5",
		lie: func(o *orchestrator) reply {
			o.Write(o.now.Str("path"), "# Tasks\n\n## Task 1: Nothing\nmode: sequential\nfiles: greet.py\n")
			return o.next(o.done())
		},
		judge: notTaken("does not contain what the action said"),
	},
	{
		technique: "plans files that do not exist",
		rule:      "the files of tasks exist or are new",
		effort:    "M",
		at:        "tasks.md",
		lie:       putting("# Tasks\n\n## Task 1: All\nmode: sequential\nfiles: nowhere.py\n"),
		judge:     notTaken("nowhere.py does not exist"),
	},
	{
		technique: "plans to write outside the repository",
		rule:      "the files of tasks are in the repository",
		effort:    "M",
		at:        "tasks.md",
		lie:       putting("# Tasks\n\n## Task 1: All\nmode: sequential\nfiles: ../../etc/passwd (new)\n"),
		judge:     notTaken("../../etc/passwd"),
	},
	{
		technique: "plans to write the state of the pipeline",
		rule:      "the files of tasks are not the pipeline's own",
		effort:    "M",
		at:        "tasks.md",
		lie: func(o *orchestrator) reply {
			return putting("# Tasks\n\n## Task 1: All\nmode: sequential\nfiles: " + o.file("state.json") + "\n")(o)
		},
		judge: notTaken("which no task may change"),
	},
	{
		technique: "plans a cycle to have nothing to do",
		rule:      "tasks do not wait for each other",
		effort:    "M",
		at:        "tasks.md",
		lie: putting("# Tasks\n\n## Task 1: One\nmode: sequential\nfiles: greet.py\ndepends_on: 2\n\n" +
			"## Task 2: Two\nmode: sequential\nfiles: main.py\ndepends_on: 1\n"),
		judge: notTaken("1 → 2 → 1"),
	},
	{
		technique: "plans a change and forgets who uses it",
		rule:      "a plan names the files that the index names",
		effort:    "M",
		at:        "tasks.md",
		lie:       putting("# Tasks\n\n## Task 1: Greet by name\nmode: sequential\nfiles: greet.py\n\nChange `greet`.\n"),
		judge:     notTaken("files that no task lists: farewell.py, main.py"),
	},
	{
		technique: "replaces the approved design",
		rule:      "what was approved is what is worked on",
		effort:    "M",
		at:        "tasks.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			o.Write(o.file("design.md"), strings.Replace(english.design, "greeted by name", "ignored", 1))
			return o.next(o.done())
		},
		judge: sentBack("review-design.md", "has changed since it was accepted"),
	},
	{
		technique: "replaces the design while the user looks at it",
		rule:      "what was approved is what is worked on",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			o.Write(o.file("design.md"), strings.Replace(english.design, "greeted by name", "ignored", 1))
			return o.next(object{"user_response": "approve", "ticket": o.now.Answer["ticket"]})
		},
		judge: undecided("checkpoint-a", "the answer was not accepted"),
	},
	{
		technique: "replaces the tasks that were approved",
		rule:      "what was approved is what is worked on",
		effort:    "L",
		at:        "phase-5 [1 2]",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			o.Write(o.file("tasks.md"), strings.Replace(tasks, "the name is greeted", "it runs", 1))
			return o.next(o.done())
		},
		judge: sentBack("review-tasks.md", "has changed since it was accepted"),
	},
	{
		technique: "drops the task that failed from the plan",
		rule:      "what was approved is what is worked on",
		effort:    "M",
		at:        "phase-6 [1 2 3]",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write(o.file("review-3.md"), "# Review\n\n## Verdict: FAIL\n\n- **[CRITICAL]** main.py greets nobody.\n")
			o.took(o.next(o.done()))
			if o.at() != "impl-3.md" {
				o.T.Fatalf("a failed review, and on it goes: %s", o.now.Raw)
			}
			said := o.do()
			before, _, _ := strings.Cut(tasks, "## Task 3")
			o.Write(o.file("tasks.md"), before)
			return o.next(said)
		},
		judge: verdict{how: "planned anew", wrong: func(o *orchestrator, r reply, _ stood) (wrong []string) {
			if r.Str("phase") != "phase-4" {
				wrong = append(wrong, "it is not planned anew: "+r.Raw)
			}
			wrong = append(wrong, names(r, "tasks.md")...)
			o.Write(o.file("tasks.md"), tasks)
			o.answers = map[string]string{"tasks-blocked": "retry"}
			return wrong
		}},
	},
}

// again is [notTaken] for a report that came after the state was noted; the action is
// named, because the lie led there.
func again(at, way string) verdict {
	v := notTaken(way)
	return verdict{how: v.how, wrong: func(o *orchestrator, r reply, was stood) []string {
		was.at = at
		return v.wrong(o, r, was)
	}}
}

// Reviews that nobody made, or that are about something else.
var reviewAttacks = []attack{
	{
		technique: "approves in prose",
		rule:      "a verdict is a line of its own",
		effort:    "M",
		at:        "review-design.md",
		lie:       putting("# Review\n\nI would APPROVE this any day. All checks PASS.\n"),
		judge:     notTaken(`## Verdict: APPROVE`),
	},
	{
		technique: "leaves the verdict line of the template",
		rule:      "there is exactly one verdict",
		effort:    "M",
		at:        "review-design.md",
		lie:       putting("# Review\n\n## Verdict: APPROVE | APPROVE_WITH_NOTES | REVISE\n\n## Findings\n\nNone.\n"),
		judge:     notTaken("lists more than one"),
	},
	{
		technique: "gives two verdicts",
		rule:      "there is exactly one verdict",
		effort:    "M",
		at:        "review-design.md",
		lie:       putting("# Review\n\n## Verdict: REVISE\n\nOn second thought:\n\n## Verdict: APPROVE\n"),
		judge:     notTaken("says REVISE and line 7 says APPROVE"),
	},
	{
		technique: "gives a verdict of another review",
		rule:      "a verdict is of its family",
		effort:    "M",
		at:        "review-design.md",
		lie:       putting("# Review\n\n## Verdict: PASS\n\nFine.\n"),
		judge:     notTaken("which is not a verdict of this review"),
	},
	{
		technique: "approves over a critical finding",
		rule:      "a critical finding prevents approval",
		effort:    "M",
		at:        "review-design.md",
		lie:       putting("# Review\n\n## Verdict: APPROVE\n\n- **[CRITICAL]** Nobody may be greeted.\n"),
		judge:     sentBack("design.md", "Nobody may be greeted"),
	},
	{
		technique: "fails with the word PASS in the text",
		rule:      "a verdict is a line of its own",
		at:        "review-1.md",
		lie:       putting("# Review\n\nMost would PASS. PASS PASS PASS.\n\n## Verdict: FAIL\n\n- **[MAJOR]** No test; with one it would PASS.\n"),
		judge:     sentBack("impl-1.md", "with one it would PASS"),
	},
	{
		technique: "passes the final verification with notes",
		rule:      "a verdict is of its family",
		at:        "final-verification.md",
		lie:       putting("# Verification\n\n## Verdict: PASS_WITH_NOTES\n\n- **[MAJOR]** One test fails.\n"),
		judge:     notTaken("which is not a verdict of this review"),
	},
	{
		technique: "reports a failed verification as done",
		rule:      "a verdict decides, not its report",
		at:        "final-verification.md",
		lie:       putting("# Verification\n\n## Verdict: FAIL\n\n- **[MAJOR]** greet.py does not greet.\n"),
		judge:     sentBack("impl-fix-1.md", "greet.py does not greet"),
	},
	{
		technique: "has the review ready before the design",
		rule:      "an artifact is newer than its action in content",
		effort:    "M",
		at:        "design.md",
		prepare: func(o *orchestrator) {
			o.Write(o.file("review-design.md"), english.design2)
			o.step()
		},
		lie:   func(o *orchestrator) reply { return o.next(o.done()) },
		judge: again("review-design.md", "as it was before"),
	},
	{
		technique: "changes the design while it is reviewed",
		rule:      "a review is of the content there is",
		effort:    "M",
		at:        "review-design.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write(o.file("design.md"), strings.Replace(english.design, "greeted by name", "ignored", 1))
			return o.next(o.done())
		},
		judge: sentBack("review-design.md", "changed while it was reviewed"),
	},
	{
		technique: "changes the code while it is reviewed",
		rule:      "a review is of the content there is",
		at:        "review-1.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write("greet.py", "def greet(name):\n    return name  # quickly\n")
			r := o.next(o.done())
			o.Git("checkout", "-q", "--", "greet.py")
			o.answers = map[string]string{"changed-after-review": "retry"}
			return r
		},
		judge: asked("changed-after-review", "greet.py changed while task 1 was reviewed"),
	},
	{
		technique: "changes the report that was reviewed",
		rule:      "a review is of the content there is",
		at:        "review-1.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write(o.file("impl-1.md"), report(english.impl, o.files("impl-1.md"))+"\nAnd it is fast.\n")
			return o.next(o.done())
		},
		judge: sentBack("review-1.md", "impl-1.md changed while task 1 was reviewed"),
	},
}

// Work that was not done, or not where it was to be done.
var taskAttacks = []attack{
	{
		technique: "claims a task without a change",
		rule:      "claimed files have changed",
		at:        "impl-1.md",
		lie: func(o *orchestrator) reply {
			return putting(report(english.impl, []string{"greet.py"}))(o)
		},
		judge: notTaken("has not changed since the task began"),
	},
	{
		technique: "claims that a task needs no change",
		rule:      "a task changes a file, or its report says why none",
		at:        "impl-1.md",
		lie:       putting("# Task\n\n## Files\n\nNone.\n\n## Tests\n\nNone.\n"),
		judge:     notTaken("## No Change"),
	},
	{
		technique: "omits a criterion when it claims that nothing needs to change",
		rule:      "a task without a change accounts for each criterion",
		at:        "impl-1.md",
		lie:       putting("# Task\n\n## Files\n\nNone.\n\n## No Change\n\n- `greet.py` greets by name already.\n\n## Tests\n\nNone.\n"),
		judge:     notTaken("1 of the 2 acceptance criteria"),
	},
	{
		technique: "claims that nothing needs to change and names no place",
		rule:      "a task without a change says where it is done",
		at:        "impl-1.md",
		lie:       putting("# Task\n\n## Files\n\nNone.\n\n## No Change\n\n- All of it is there.\n- The tests in `nowhere.py` pass.\n\n## Tests\n\nNone.\n"),
		judge:     notTaken("names no file"),
	},
	{
		technique: "claims one file more than it changed",
		rule:      "claimed files have changed",
		at:        "impl-1.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write("main.py", repository["main.py"])
			return o.next(o.done())
		},
		judge: notTaken("main.py, which has not changed"),
	},
	{
		technique: "changes a file and does not say so",
		rule:      "changed files are claimed",
		at:        "impl-1.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write("README.md", "# Mine\n")
			r := o.next(o.done())
			o.Git("checkout", "-q", "--", "README.md")
			return r
		},
		judge: notTaken("README.md was changed"),
	},
	{
		technique: "reports a task without its tests",
		rule:      "a report has files and tests",
		at:        "impl-1.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write(o.file("impl-1.md"), "# Task\n\n## Files\n\n- greet.py\n- farewell.py\n- main.py\n")
			return o.next(o.done())
		},
		judge: notTaken("## Tests"),
	},
	{
		technique: "reports one task of two",
		rule:      "each task is judged alone",
		effort:    "M",
		at:        "phase-5 [1 2]",
		lie: func(o *orchestrator) reply {
			o.work("impl-1.md")
			return o.next(o.done())
		},
		judge: sentBack("impl-2.md", "impl-2.md was not found"),
	},
	{
		technique: "works on the main branch",
		rule:      "the work is on the pipeline's branch",
		at:        "impl-1.md",
		lie: func(o *orchestrator) reply {
			o.Git("switch", "-q", "main")
			o.do()
			r := o.next(o.done())
			o.Git("switch", "-q", o.state().Branch)
			return r
		},
		judge: refused("wrong_branch", "git switch feature/greet-people"),
	},
	{
		technique: "edits the code after its review",
		rule:      "what goes out was reviewed",
		at:        "comprehensive-review.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write("greet.py", "def greet(name):\n    return 'pwned'\n")
			return o.next(o.done())
		},
		judge: unreviewed,
	},
	{
		technique: "commits by hand after the review",
		rule:      "what goes out was reviewed",
		at:        "comprehensive-review.md",
		lie: func(o *orchestrator) reply {
			o.do()
			o.Write("greet.py", "def greet(name):\n    return 'pwned'\n")
			o.Git("commit", "-q", "-am", "Nothing to see")
			return o.next(o.done())
		},
		judge: unreviewed,
	},
}

// unreviewed is the verdict on a change that no review has seen.
var unreviewed = verdict{how: "a person is asked: changed-after-review", wrong: func(o *orchestrator, r reply, _ stood) []string {
	wrong := asked("changed-after-review", "greet.py").wrong(o, r, stood{})
	o.Git("reset", "-q", "--hard", o.state().Reviewing)
	o.answers = map[string]string{"changed-after-review": "retry"}
	return wrong
}}

// Commands that were not run.
var execAttacks = []attack{
	{
		technique: "says that the branch is made",
		rule:      "the branch is checked out",
		at:        "setup",
		lie: func(o *orchestrator) reply {
			said := o.done()
			said["previous_exit_code"], said["previous_output"], said["previous_setup_only"] = 0, "Switched to a new branch 'feature/greet-people'", true
			return o.next(said)
		},
		judge: notTaken("is not checked out"),
	},
	{
		technique: "makes the branch and goes back to main",
		rule:      "the branch is checked out",
		at:        "setup",
		prepare: func(o *orchestrator) {
			o.do()
			o.Git("switch", "-q", "main")
		},
		lie:   func(o *orchestrator) reply { return o.next(o.done()) },
		judge: notTaken("is not checked out"),
	},
	{
		technique: "says that the pull request is open",
		rule:      "the pull request is there to see",
		flags:     "--auto",
		at:        "pr-creation",
		lie:       func(o *orchestrator) reply { return o.next(o.done()) },
		judge:     noPull,
	},
	{
		technique: "makes up the URL of a pull request",
		rule:      "the pull request is there to see",
		flags:     "--auto",
		at:        "pr-creation",
		lie: func(o *orchestrator) reply {
			said := o.done()
			said["previous_exit_code"], said["previous_output"] = 0, "https://github.com/owner/repo/pull/4711\n"
			return o.next(said)
		},
		judge: noPull,
	},
	{
		technique: "says that the command succeeded, without its result",
		rule:      "the pull request is there to see",
		flags:     "--auto",
		at:        "pr-creation",
		lie: func(o *orchestrator) reply {
			said := o.done()
			said["previous_exit_code"] = 0
			return o.next(said)
		},
		judge: noPull,
	},
	{
		technique: "says that the summary was posted",
		rule:      "the comment is there to see",
		flags:     " ",
		source:    "https://github.com/owner/repo/issues/42",
		at:        "post-to-source",
		prepare: func(o *orchestrator) {
			o.answers = map[string]string{"post-to-source": "post"}
			o.step()
		},
		lie: func(o *orchestrator) reply {
			said := o.done()
			said["previous_exit_code"], said["previous_output"] = 0, "https://github.com/owner/repo/issues/42#issuecomment-1\n"
			return o.next(said)
		},
		judge: asked("command-failed", "retry"),
	},
	{
		technique: "approves a command that failed",
		rule:      "an answer names an option of the checkpoint",
		flags:     "--auto",
		at:        "pr-creation",
		prepare: func(o *orchestrator) {
			o.Write(".git/gh-fails", "")
			o.step()
			o.Remove(".git/gh-fails")
		},
		lie:   func(o *orchestrator) reply { return o.next(object{"user_response": "approve"}) },
		judge: ignored("retry, skip, abandon"),
	},
}

// noPull is the verdict on a pull request that is not there.
var noPull = verdict{how: "a person is asked: command-failed", wrong: func(o *orchestrator, r reply, _ stood) (wrong []string) {
	if o.state().Pull != "" || o.asked() != nil {
		wrong = append(wrong, "a pull request is believed: "+o.state().Pull)
	}
	return append(wrong, asked("command-failed", "retry").wrong(o, r, stood{})...)
}}

// link puts a symbolic link in place of a folder.
func (o *orchestrator) link(target, name string) {
	o.T.Helper()
	if err := os.MkdirAll(filepath.Dir(o.Path(name)), 0o755); err != nil {
		o.T.Fatal(err)
	}
	if err := os.Symlink(target, o.Path(name)); err != nil {
		o.T.Fatal(err)
	}
}
