package e2e

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/project"
	"codeintel/internal/session"
	"codeintel/internal/session/changes"
	"codeintel/internal/trust"
	"codeintel/internal/workflow"
	"codeintel/test/e2e/harness"
)

// Agents with interruptions on the way.
var eventAgents = []honestAgent{
	{name: "fails twice, then passes", habits: habits{submits: failing(2)}},
	{name: "fails three times", habits: habits{submits: failing(3)}, check: func(a *agent) {
		if a.seen("VERIFY_INTERVENTION") != 1 {
			a.T.Errorf("nobody intervened: %v", a.trail)
		}
		a.isMerged()
	}},
	{name: "fails until the user accepts", habits: habits{submits: failing(9)}, outcome: "completed_with_warnings", check: func(a *agent) {
		if a.seen("USER_ESCALATION") != 1 || a.seen("VERIFY_INTERVENTION") != 2 {
			a.T.Errorf("the user was not asked: %v", a.trail)
		}
		a.work.tasks = a.work.tasks[:len(a.work.tasks)-1] // planned for a round that was not needed
		a.isMerged()
	}},
	{name: "finds something twice", habits: habits{submits: finding(2)}, check: func(a *agent) {
		a.isMerged()
		if n := len(a.checkpoints()[0].Commits); n != 3 {
			a.T.Errorf("%d commits, want one for each round", n)
		}
	}},
	{name: "base moves on", habits: habits{before: entering("PRE_COMMIT", func(a *agent) { a.moveBase("README.md", "# Shop\n\nA shop.\n") })}, check: func(a *agent) {
		a.isMerged()
		if !strings.Contains(a.answer.Text, "Meanwhile") {
			a.T.Errorf("the report does not name the commit of the user: %s", a.answer.Text)
		}
	}},
	{name: "base moves on in the same lines", habits: habits{before: bothChange}, check: func(a *agent) {
		a.isMerged()
		if got := a.Git("show", "main:shop/cart.py"); !strings.Contains(got, "self.coupon = None") {
			a.T.Errorf("what the base had is lost: %s", got)
		}
	}},
	meanwhile("the user edits a file before the plan, and says that it is theirs", "READY plan", changes.Mine),
	meanwhile("the user edits a file during a task, and says that it is theirs", implement, changes.Mine),
	meanwhile("the user edits a file before the verification, and says that it is theirs", "POST_IMPL_VERIFY", changes.Mine),
	meanwhile("the user edits a file before the commit, and says that it is theirs", "PRE_COMMIT", changes.Mine),
	meanwhile("the user edits a file after the commit, and says that it is theirs", "QUALITY_REVIEW", changes.Mine),
	meanwhile("the user edits a file before the merge, and says that it is theirs", "MERGE", changes.Mine),
	meanwhile("a file changes before the plan, and the user takes it back", "READY plan", changes.Undo),
	meanwhile("a file changes during a task, and the user takes it back", implement, changes.Undo),
	meanwhile("a file changes after the commit, and the user takes it back", "QUALITY_REVIEW", changes.Undo),
	meanwhile("the user edits a file during a task, and gives it to the session", implement, changes.OfSession),
	{
		name: "fixes its work while it verifies, and goes back when it is told",
		habits: habits{before: once("POST_IMPL_VERIFY", func(a *agent) {
			honest := a.deed()
			a.Write("shop/cart.py", discountedCart+"# mended\n")
			a.refuses(a.submit(honest), "unapproved_changes", `"back_to": "READY"`)
			a.took(a.submit(object{"back_to": "READY", "reason": "a remark was missing in the cart"}))
			a.Write("shop/cart.py", discountedCart)
			a.work.tasks = append(a.work.tasks, written("remark", "shop/cart.py", discountedCart+"# mended\n", "# mended"))
		})},
	},
	{
		name: "the user edits a file of the task before the verification, and gives it to the session",
		habits: habits{before: once("POST_IMPL_VERIFY", func(a *agent) {
			a.Write("shop/cart.py", discountedCart+"# the user's\n")
			a.says(changes.OfSession)
		})},
		check: func(a *agent) {
			a.mergeIsClean()
			if got := a.Git("show", "main:shop/cart.py"); !strings.Contains(got, "# the user's") {
				a.T.Errorf("what the user wrote is lost: %s", got)
			}
		},
	},
	{
		name: "a file of the task changes before the commit, and the user takes it back",
		habits: habits{before: once("PRE_COMMIT", func(a *agent) {
			a.Write("shop/cart.py", discountedCart+"# nobody's\n")
			a.says(changes.Undo)
		})},
	},
	{
		name: "dirty tree",
		work: func() work {
			w := discount()
			w.tasks[0].edits[0].text += "# mine\n"
			return w
		},
		prepare: func(a *agent) {
			a.Write("shop/cart.py", shop["shop/cart.py"]+"# mine\n")
			a.Write("README.md", "# Shop\n\nMine.\n")
			a.Write("notes.txt", "mine\n")
			a.Write("shop/price.py", shop["shop/price.py"]+"# staged\n")
			a.Git("add", "shop/price.py")
		},
		check: func(a *agent) {
			a.isMergedBeside(" M README.md\nM  shop/price.py\n?? notes.txt")
			if !strings.Contains(a.answer.Text, "changes that the user had made before: shop/cart.py") {
				a.T.Errorf("the report does not say whose changes are in the commit: %s", a.answer.Text)
			}
			backup := a.Git("for-each-ref", "--format=%(refname)", "refs/code-intel/backup")
			if got := a.Git("show", backup+":shop/cart.py"); got+"\n" != shop["shop/cart.py"]+"# mine\n" {
				a.T.Errorf("%q holds %s", backup, got)
			}
		},
	},
	{
		name: "discards a scratch file",
		habits: habits{
			before: once(implement, func(a *agent) {
				a.allowed("shop/debug.py")
				a.Write("shop/debug.py", "print(1)\n")
			}),
			submits: func(a *agent, p object) object {
				if a.at() == "PRE_COMMIT" {
					p["reviewed_files"] = []any{"shop/cart.py", "tests/test_cart.py", object{"path": "shop/debug.py", "decision": "discard", "reason": "only for looking"}}
				}
				return p
			},
		},
		check: func(a *agent) {
			a.isMerged()
			trash := a.Git("for-each-ref", "--format=%(refname)", "refs/code-intel/trash")
			if got := a.Git("show", trash+":shop/debug.py"); got != "print(1)" || a.Read("shop/debug.py") != "" {
				a.T.Errorf("%q holds %q", trash, got)
			}
		},
	},
	{
		name: "commits by hand",
		habits: habits{submits: func(a *agent, p object) object {
			if a.at() == implement {
				a.Git("commit", "-qam", "By hand")
			}
			return p
		}},
		check: func(a *agent) {
			a.isMerged()
			if n := len(a.checkpoints()[0].Commits); n != 1 || !strings.Contains(a.Git("log", "-1", "--format=%s", "main^2"), a.work.message) {
				a.T.Errorf("%d commits: %s", n, a.Git("log", "--oneline", "main^2"))
			}
		},
	},
	{
		name: "commit hook that formats and refuses once",
		prepare: func(a *agent) {
			a.Write(".git/hooks/pre-commit", "#!/bin/sh\ngrep -q formatted shop/cart.py && exit 0\necho '# formatted' >> shop/cart.py\necho 'lint: files were formatted' >&2\nexit 1\n")
			if err := os.Chmod(a.Path(".git/hooks/pre-commit"), 0o755); err != nil {
				a.T.Fatal(err)
			}
		},
		habits: habits{before: once("PRE_COMMIT", func(a *agent) {
			r := a.submit(a.deed())
			a.refuses(r, "commit_failed", "")
			if !strings.Contains(r.Text, "lint: files were formatted") {
				a.T.Errorf("what the hook says is not told: %s", r.Text)
			}
			a.work.tasks[0].edits[0].text += "# formatted\n"
		})},
	},
	{
		name: "needs a file it had not looked at",
		work: func() work {
			w := discount()
			w.tasks = append(w.tasks, written("stock", "shop/stock.py", shop["shop/stock.py"]+"\n\ndef empty(stock):\n    return not stock\n", "def empty"))
			return w
		},
		habits: habits{before: func(a *agent) {
			if a.at() != implement || a.next().id != "stock" {
				return
			}
			r := a.counted("add_explored_files", object{"files": []string{"shop/stock.py"}})
			a.refuses(r, "unobserved_files", "get_symbols")
			a.follow(strings.Join(r.List("legal_next"), "\n"))
			if r := a.use("add_explored_files", object{"files": []string{"shop/stock.py"}}); !slices.Contains(r.List("explored_files"), "shop/stock.py") {
				a.T.Errorf("not added: %s", r.Text)
			}
		}},
	},
	{name: "goes back to explore", habits: habits{before: once(implement, func(a *agent) {
		a.took(a.submit(object{"back_to": "EXPLORATION", "reason": "the stock may matter as well"}))
		a.play("READY plan")
		a.took(a.submit(a.deed()))
	})}},
	{name: "sends every payload twice", play: sendsTwice, check: func(a *agent) {
		a.isMerged()
		if n := len(a.checkpoints()[0].Commits); n != 1 {
			a.T.Errorf("%d commits, want one", n)
		}
	}},
	{name: "gives up and begins again", play: beginsAgain("delete"), check: func(a *agent) {
		a.isMerged()
		if trash := a.Git("for-each-ref", "--format=%(refname)", "refs/code-intel/trash/llm_task_*"); trash == "" {
			a.T.Error("the old branch is not kept")
		}
	}},
	{name: "gives up, and leaves the branch", play: beginsAgain("continue"), check: func(a *agent) {
		if branches := strings.Fields(a.Git("for-each-ref", "--format=%(refname)", "refs/heads/llm_task_*")); len(branches) != 1 {
			a.T.Errorf("the branches are %q, want the first session's", branches)
		}
		if on, merges := a.Git("symbolic-ref", "--short", "HEAD"), a.Git("rev-list", "--count", "--merges", "main"); on != "main" || merges != "1" {
			a.T.Errorf("HEAD is on %s, and main has %s merges", on, merges)
		}
	}},
	{
		name: "trusted verifier", prepare: func(a *agent) { a.verifier(true) },
		habits: habits{before: entering("POST_IMPL_VERIFY", func(a *agent) {
			if !strings.Contains(a.answer.Text, "run by the server") {
				a.T.Errorf("it is not told who runs the command: %s", a.answer.Text)
			}
		})},
		check: func(a *agent) {
			a.isMerged()
			if report, _ := a.answer.Answer["report"].(object); !strings.Contains(report["verified"].(string), "by the server") || strings.Contains(report["verified"].(string), "not verified") {
				a.T.Errorf("the report says %v", report["verified"])
			}
		},
	},
	{
		name: "verifier that nobody trusts", prepare: func(a *agent) { a.verifier(false) },
		check: func(a *agent) {
			a.isMerged()
			if report, _ := a.answer.Answer["report"].(object); !strings.Contains(report["verified"].(string), "not verified by the server") {
				a.T.Errorf("the report says %v", report["verified"])
			}
		},
	},
}

// entering calls do each time a phase is entered.
func entering(phase string, do func(*agent)) func(*agent) {
	return func(a *agent) {
		if a.at() == phase {
			do(a)
		}
	}
}

// once calls do when a phase is entered for the first time.
func once(phase string, do func(*agent)) func(*agent) {
	done := false
	return entering(phase, func(a *agent) {
		if !done {
			done = true
			do(a)
		}
	})
}

// finding has the first quality reviews find something, which a task fixes.
func finding(times int) func(*agent, object) object {
	n := 0
	return func(a *agent, p object) object {
		if a.at() != "QUALITY_REVIEW" || n == times {
			return p
		}
		n++
		remark := fmt.Sprintf("# remark %d", n)
		a.work.tasks = append(a.work.tasks, written(remark, "shop/cart.py", discountedCart+"\n\n"+remark+"\n", remark))
		return with(p, object{"quality_score": 60, "issues": []string{"shop/cart.py: a remark is missing"}})
	}
}

// moveBase commits a file on the base branch, which is not checked out.
func (a *agent) moveBase(path, text string) {
	a.T.Helper()
	other := a.Root + "-other"
	a.Git("worktree", "add", "-q", other, "main")
	here := harness.At(a.T, other)
	here.Write(path, text)
	here.Git("commit", "-qam", "Meanwhile")
	a.base = here.Git("rev-parse", "HEAD")
	a.Git("worktree", "remove", other)
}

// bothChange lets the base change the same lines, and combines both.
func bothChange(a *agent) {
	switch both := change(discountedCart, "        self.percent = 0\n", "        self.percent = 0\n        self.coupon = None\n"); {
	case a.at() == "MERGE" && a.seen("MERGE") == 1:
		a.moveBase("shop/cart.py", change(shop["shop/cart.py"], "        self.lines = []\n", "        self.lines = []\n        self.coupon = None\n"))
		tip := a.Git("rev-parse", "HEAD")
		a.took(a.submit(object{"summary": "The work is done."})) // which names the user's commit
		r := a.submit(object{"summary": "The work is done."})
		a.refuses(r, "merge_conflict", `"back_to": "READY"`)
		if a.Git("rev-parse", "HEAD") != tip || a.Git("status", "--porcelain") != "" {
			a.T.Error("the conflict has touched the tree")
		}
		a.took(a.submit(object{"back_to": "READY", "reason": "both sides changed the constructor"}))
		if got := a.Read("shop/cart.py"); !strings.Contains(got, "<<<<<<<") {
			a.T.Errorf("the base was not merged into the task: %s", got)
		}
	case a.at() == implement && a.next2() == "merge_conflict":
		named := a.answer.Answer["next_task"].(object)
		text := named["checklist"].([]any)[0].(object)["item"].(string)
		a.work.tasks = append(a.work.tasks, task{
			id: "merge_conflict", edits: []edit{{path: "shop/cart.py", text: both}},
			items: []item{{text: text, evidence: line("shop/cart.py", both, "self.coupon")}},
		})
	}
}

// next2 is the id of the task that the server names next.
func (a *agent) next2() string {
	named, _ := a.answer.Answer["next_task"].(object)
	id, _ := named["id"].(string)
	return id
}

// beginsAgain gives a session up in the middle of a task, and does the work in
// another one, which begins on the branch of the first and is told what to do with it.
func beginsAgain(choice string) func(*agent) {
	return func(a *agent) {
		a.start()
		a.play(implement)
		a.carryOut(a.next().edits)
		a.took(a.submit(object{"abort": true, "reason": "the user has another idea"}))
		if a.answer.Str("outcome") != "aborted" || a.Read("shop/cart.py") != discountedCart {
			a.T.Errorf("the work is not kept: %s", a.answer.Text)
		}
		a.start()
		if stale, _ := a.answer.Answer["stale_branches"].([]any); a.at() != "BRANCH_INTERVENTION" || len(stale) != 1 || stale[0].(object)["checked_out"] != true {
			a.T.Fatalf("the old branch is not offered: %s", a.answer.Text)
		}
		a.took(a.submit(object{"choice": choice, "summary": "That is what the user wants."}))
		if on := a.Git("symbolic-ref", "--short", "HEAD"); on != "main" || a.Read("shop/cart.py") != discountedCart {
			a.T.Errorf("HEAD is on %s; the work is there: %v", on, a.Read("shop/cart.py") == discountedCart)
		}
		if kept := a.Git("for-each-ref", "--format=%(refname)", "refs/code-intel/trash/worktree"); a.Git("show", kept+":shop/cart.py")+"\n" != discountedCart {
			a.T.Errorf("%q does not keep the work", kept)
		}
		a.Git("checkout", "-q", "--", ".")
		a.play("END")
	}
}

// verifier puts a verifier there, which the user trusts or not.
func (a *agent) verifier(trusted bool) {
	a.T.Helper()
	text := cartVerifier("[grep, -q, discount, shop/cart.py]")
	a.Write(".code-intel/verifiers/cart.md", text)
	if trusted {
		a.trusts(text)
	}
}

// verifierOf puts a verifier with that command there, which the user trusts.
func (a *agent) verifierOf(command string) {
	a.T.Helper()
	text := cartVerifier(command)
	a.Write(".code-intel/verifiers/cart.md", text)
	a.trusts(text)
}

func cartVerifier(command string) string {
	return "---\nglobs: [\"shop/**\"]\ncommand: " + command + "\n---\nThe cart has a discount.\n"
}

// trusts has the user trust the verifier.
func (a *agent) trusts(text string) {
	a.T.Helper()
	store, err := trust.Open()
	if err != nil {
		a.T.Fatal(err)
	}
	if err := store.Trust(a.Root, trust.Verifier, "cart", []byte(text)); err != nil {
		a.T.Fatal(err)
	}
}

// sendsTwice runs a session in which every answer is lost the first time: what was sent
// is resent and changes nothing.
func sendsTwice(a *agent) {
	a.start()
	for a.at() != "END" {
		sent := a.deed()
		a.took(a.submit(sent))
		if a.at() == "END" {
			return
		}
		if r := a.submit(sent); !r.Refused && a.at() != implement { // a plan may be sent again
			a.T.Fatalf("the payload was taken a second time, in %s: %s", a.at(), r.Text)
		}
		before := a.at()
		if a.took(a.use("get_session_status", object{})); a.at() != before {
			a.T.Fatalf("the session moved from %s to %s", before, a.at())
		}
	}
}

// meanwhile is an agent whose user edits a file when a phase begins, and says whose it is.
func meanwhile(name, phase, whose string) honestAgent {
	const edited = "# Shop\n\nMeanwhile.\n"
	return honestAgent{
		name: name,
		habits: habits{before: func(a *agent) {
			if a.at() == phase && a.seen(phase) == 1 && a.Read("README.md") != edited {
				a.Write("README.md", edited)
				a.says(whose)
			}
		}},
		check: func(a *agent) {
			committed := a.Git("show", "main:README.md")+"\n" == edited
			switch whose {
			case changes.Mine:
				a.isMergedBeside(" M README.md")
				if a.Read("README.md") != edited || committed {
					a.T.Errorf("README.md: %q, committed %t", a.Read("README.md"), committed)
				}
			case changes.Undo:
				a.isMerged()
				if kept := a.Git("for-each-ref", "--format=%(refname)", "refs/code-intel/trash/discarded"); a.Read("README.md") == edited || kept == "" {
					a.T.Errorf("README.md: %q, kept in %q", a.Read("README.md"), kept)
				}
			default:
				a.mergeIsClean()
				if !committed {
					a.T.Error("README.md is not committed")
				}
			}
		},
	}
}

// says answers at a terminal whose the changes are that nothing let through.
func (a *agent) says(whose string) {
	a.T.Helper()
	p, err := project.OpenRoot(a.Root)
	if err != nil {
		a.T.Fatal(err)
	}
	s, err := session.New(p, session.Code{}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		a.T.Fatal(err)
	}
	q, changed, err := s.Unclaimed(a.T.Context(), a.answer.Str("session_id"))
	if err == nil {
		err = changed.Decide(a.T.Context(), q, workflow.Choice{Option: whose, Channel: approval.Terminal})
	}
	if err != nil {
		a.T.Fatal(err)
	}
}
