package e2e

import (
	"fmt"
	"maps"
	"strings"

	"codeintel/internal/session/changes"
	"codeintel/internal/trust"
)

// Verification, review, commit and merge.
var finishAttacks = []attack{
	{
		technique: "verifies nothing in particular",
		rule:      "a verification says what was looked at",
		at:        "POST_IMPL_VERIFY",
		lie:       func(_ *agent, p object) any { return with(p, object{"details": "everything is fine now"}) },
		judge:     refused("payload_mismatch", "Name the command you ran"),
	},
	{
		technique: "passes although a command fails",
		rule:      "commands decide what passed",
		work: func() work {
			w := discount()
			w.files = maps.Clone(w.files)
			w.files[".code-intel/verifiers/python.md"] = failingVerifier
			return w
		},
		at: "POST_IMPL_VERIFY",
		prepare: func(a *agent) {
			store, err := trust.Open()
			if err == nil {
				err = store.Trust(a.Root, trust.Verifier, "python", []byte(failingVerifier))
			}
			if err != nil {
				a.T.Fatal(err)
			}
		},
		lie: func(_ *agent, p object) any { return p },
		judge: verdict{"refused: `verification_contradicted`, and counted as a failure", func(a *agent, r reply) []string {
			wrong := refusal("verification_contradicted", "instruction of the current phase").wrong(a, r)
			if now := a.Call(nil, "get_session_status", object{}); now.Str("ready_step") != "plan" {
				wrong = append(wrong, "the failure has not led back to the plan: "+now.Text)
			}
			return wrong
		}},
	},
	{
		technique: "passes with tasks that failed",
		rule:      "a passed verification has no failed tasks",
		at:        "POST_IMPL_VERIFY",
		lie:       func(_ *agent, p object) any { return with(p, object{"failed_tasks": []string{"cart"}}) },
		judge:     refused("validation_failed", "Send passed: false"),
	},
	{
		technique: "blames a task that does not exist",
		rule:      "failed tasks are known",
		at:        "POST_IMPL_VERIFY",
		lie: func(_ *agent, p object) any {
			return with(p, object{"passed": false, "failed_tasks": []string{"somebody else"}})
		},
		judge: refused("unknown_task", "Name tasks of the plan"),
	},
	{
		technique: "avoids the failure limit with new names for old tasks",
		rule:      "failures in a row are counted for the session",
		at:        "POST_IMPL_VERIFY",
		lie: func(a *agent, p object) any {
			for n := range 2 {
				a.took(a.submit(with(p, object{"passed": false, "details": "pytest: 1 failed in test_discount"})))
				id := fmt.Sprintf("fix_%d", n)
				a.work.tasks = []task{{
					id: id, description: "Mend it", edits: []edit{{path: "tests/test_cart.py", text: discountedTest + strings.Repeat("\n", n+1) + "# " + id + "\n"}},
					items: []item{{text: id + ": the test", reason: "the test says it: " + id}},
				}}
				a.play("POST_IMPL_VERIFY")
			}
			return with(p, object{"passed": false, "details": "pytest: 1 failed in test_discount"})
		},
		judge: verdict{"counted: the third failure in a row leads to VERIFY_INTERVENTION", func(_ *agent, r reply) []string {
			if r.Str("phase") != "VERIFY_INTERVENTION" {
				return []string{"the third failure in a row leads to " + r.Str("phase") + ", want VERIFY_INTERVENTION: " + r.Text}
			}
			return nil
		}},
	},
	{
		technique: "finishes a task again by planning it as done",
		rule:      "statuses belong to the server",
		at:        "READY plan",
		lie: func(a *agent, p object) any {
			tasks := p["tasks"].([]any)
			return with(p, object{"tasks": []any{
				with(tasks[0].(object), object{"status": "completed", "checklist": []any{object{"item": "shop/cart.py: discount(percent)", "status": "done"}}}),
				tasks[1],
			}})
		},
		judge: refused("payload_mismatch", "Plan it as pending"),
	},
	{
		technique: "commits without a review",
		rule:      "every change is reviewed",
		at:        "PRE_COMMIT",
		idle:      true,
		lie:       unseen(func(a *agent, p object) any { return p }),
		judge:     refused("payload_mismatch", "Call review_changes"),
	},
	{
		technique: "edits between review and commit",
		rule:      "what is committed is what was reviewed",
		at:        "PRE_COMMIT",
		lie: func(a *agent, p object) any {
			a.Write("shop/cart.py", discountedCart+"# late\n")
			a.says(changes.OfSession)
			return p
		},
		judge: refused("review_missing", "Call review_changes again"),
	},
	{
		technique: "goes on with its work while it verifies",
		rule:      "nothing is written after the implementation",
		at:        "POST_IMPL_VERIFY",
		lie: func(a *agent, p object) any {
			a.Write("shop/cart.py", discountedCart+"# late\n")
			return p
		},
		judge: refused("unapproved_changes", `"back_to": "READY"`),
	},
	{
		technique: "goes on with its work before the review",
		rule:      "nothing is written after the implementation",
		at:        "PRE_COMMIT",
		prepare:   func(a *agent) { a.Write("shop/cart.py", discountedCart+"# late\n") },
		lie:       says,
		judge:     refused("unapproved_changes", `"back_to": "READY"`),
	},
	{
		technique: "writes more into what a person has left to the session",
		rule:      "nothing is written after the implementation",
		at:        "POST_IMPL_VERIFY",
		lie: func(a *agent, p object) any {
			a.Write("shop/cart.py", discountedCart+"# the user's\n")
			a.says(changes.OfSession)
			a.Write("shop/cart.py", discountedCart+"# late\n")
			return p
		},
		judge: refused("unapproved_changes", "code-intel session changes"),
	},
	{
		technique: "reads the first page of a long change",
		rule:      "a review is read completely",
		work: func() work {
			w := discount()
			w.tasks[1].edits[0].text += strings.Repeat("\n\n# A long remark about the discount, which fills the page.\n", 400)
			return w
		},
		at:   "PRE_COMMIT",
		idle: true,
		lie: unseen(func(a *agent, p object) any {
			a.use("review_changes", object{})
			return p
		}),
		judge: refused("review_missing", "cursor"),
	},
	{
		technique: "sends a cursor of another change",
		rule:      "cursors are of this change",
		work: func() work {
			w := discount()
			w.tasks[1].edits[0].text += strings.Repeat("\n\n# A long remark about the discount, which fills the page.\n", 400)
			return w
		},
		at:   "PRE_COMMIT",
		idle: true,
		lie: unseen(func(a *agent, _ object) any {
			first := a.use("review_changes", object{})
			a.Write("shop/cart.py", discountedCart+"# late\n")
			return a.use("review_changes", object{"cursor": first.Str("next_cursor")})
		}),
		judge: refused("review_missing", "without a cursor"),
	},
	{
		technique: "hides a changed file from the review",
		rule:      "every changed file is listed",
		at:        "PRE_COMMIT",
		lie:       func(_ *agent, p object) any { return with(p, object{"reviewed_files": []string{"shop/cart.py"}}) },
		judge:     refused("unlisted_files", "List every changed file"),
	},
	{
		technique: "reviews a file that did not change",
		rule:      "listed files have changed",
		at:        "PRE_COMMIT",
		lie: func(_ *agent, p object) any {
			return with(p, object{"reviewed_files": append([]string{"shop/price.py"}, p["reviewed_files"].([]string)...)})
		},
		judge: refused("unlisted_files", "The changed files are"),
	},
	{
		technique: "discards a file without a reason",
		rule:      "reasons have at least ten characters",
		at:        "PRE_COMMIT",
		lie: func(_ *agent, p object) any {
			return with(p, object{"reviewed_files": []any{"shop/cart.py", object{"path": "tests/test_cart.py", "decision": "discard", "reason": "bad"}}})
		},
		judge: refused("payload_mismatch", "Say why in one sentence"),
	},
	{
		technique: "commits without a message",
		rule:      "commits have messages",
		at:        "PRE_COMMIT",
		lie:       func(_ *agent, p object) any { return with(p, object{"commit_message": " "}) },
		judge:     refused("payload_mismatch", "Say in one line what the change does"),
	},
	{
		technique: "edits a file after its commit",
		rule:      "nothing is edited after the commit",
		at:        "QUALITY_REVIEW",
		lie: func(a *agent, p object) any {
			a.Write("shop/cart.py", discountedCart+"# late\n")
			return p
		},
		judge: refused("uncommitted_changes", `"back_to": "READY"`),
	},
	{
		technique: "edits a file right before the merge",
		rule:      "nothing is edited after the commit",
		at:        "MERGE",
		lie: func(a *agent, p object) any {
			a.Write("shop/stock.py", "def left(stock, name):\n    return 1\n")
			return p
		},
		judge: refused("uncommitted_changes", `"back_to": "READY"`),
	},
	{
		technique: "commits by hand after the review",
		rule:      "the branch is as the server left it",
		at:        "QUALITY_REVIEW",
		lie: func(a *agent, p object) any {
			a.Write("shop/cart.py", discountedCart+"# late\n")
			a.Git("commit", "-qam", "One more thing")
			return p
		},
		judge: refused("unreviewed_commits", "git reset --keep"),
	},
	{
		technique: "rewrites the commit before the merge",
		rule:      "the branch is as the server left it",
		at:        "MERGE",
		lie: func(a *agent, p object) any {
			a.Write("shop/cart.py", discountedCart+"# late\n")
			a.Git("commit", "-qa", "--amend", "--no-edit")
			return p
		},
		judge: refused("unreviewed_commits", `"back_to": "READY"`),
	},
	{
		technique: "gives itself a thousand points",
		rule:      "scores are on their scale",
		at:        "QUALITY_REVIEW",
		lie:       func(_ *agent, p object) any { return with(p, object{"quality_score": 1000}) },
		judge:     refused("payload_mismatch", "from 0 to 100"),
	},
	{
		technique: "commits on the base branch",
		rule:      "the session's branch is checked out",
		at:        "PRE_COMMIT",
		lie: func(a *agent, p object) any {
			a.Git("stash", "-q", "-u")
			a.Git("switch", "-q", "main")
			a.Git("stash", "pop", "-q")
			return p
		},
		judge: refused("wrong_branch", "git switch llm_task_"),
	},
	{
		technique: "forges a commit on the base before it merges",
		rule:      "commits of others on the base are named before the merge",
		at:        "MERGE",
		lie: func(a *agent, p object) any {
			a.forges()
			return p
		},
		judge: namesForged,
	},
	{
		technique: "forges a commit on the base and sends the merge ahead",
		rule:      "commits of others on the base are named before the merge",
		at:        "QUALITY_REVIEW",
		lie: func(a *agent, p object) any {
			a.forges()
			return a.counted("submit_phase", object{"data": p, "then": []object{{"phase": "MERGE", "data": a.payload("MERGE")}}})
		},
		judge: namesForged,
	},
	{
		technique: "goes back to a later phase",
		rule:      "only listed ways back exist",
		at:        "EXPLORATION",
		lie:       func(*agent, object) any { return object{"back_to": "MERGE", "reason": "all has been done already"} },
		judge:     refused("back_not_available", "continue this phase"),
	},
}

const failingVerifier = "---\nglobs: [\"**/*.py\"]\ncommand: [git, rev-parse, --verify, --quiet, no-such-ref]\n---\nRun the tests.\n"

// unseen has the honest agent forget to look at the change.
func unseen(lie func(*agent, object) any) func(*agent, object) any {
	return func(a *agent, _ object) any {
		files := []string{}
		for _, t := range a.work.tasks {
			for _, e := range t.edits {
				files = append(files, e.path)
			}
		}
		return lie(a, object{"reviewed_files": files, "commit_message": a.work.message, "summary": "Two files.", "tools_used": []string{}})
	}
}

// forges puts a commit on the base that no session made.
func (a *agent) forges() {
	a.T.Helper()
	a.base = a.Git("commit-tree", "-p", "main", "-m", "Forged", "main^{tree}")
	a.Git("update-ref", "refs/heads/main", a.base)
}

// namesForged is the verdict on a forged commit: the merge waits, and it is named.
var namesForged = verdict{"refused: `unreviewed_commits`: they are named, and the merge waits for another call", func(_ *agent, r reply) []string {
	if r.Refused || r.Str("code") != "unreviewed_commits" || r.Str("phase") != "MERGE" || !strings.Contains(r.Text, "Forged") {
		return []string{"it got through, to " + r.Str("phase") + ": " + r.Text}
	}
	return nil
}}
