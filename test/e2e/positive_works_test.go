package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// Agents that write in other languages.
var languageAgents = []honestAgent{
	{name: "Go", work: golang},
	{name: "TypeScript", work: typescript},
	{name: "PHP and Blade", work: php},
	{name: "Rust", work: rust},
	{name: "Java", work: java},
	{name: "Kotlin", work: kotlin},
	{name: "C++ with tests", work: cpp},
	{name: "Swift with tests", work: swift},
	{name: "Scala with tests", work: scala},
	{name: "SQL with tests of pgTAP", work: sql},
	{name: "asks for a lazy value of Scala", work: lazily},
	{name: "looks into what it was asked to look into", work: lookedInto},
	{name: "prepares what the program prepares", work: prepares},
	{name: "repeats the request, and plans all of it", work: repeated},
	{name: "says why one of two files stays as it is", work: oneOfTwo},
	{name: "C#", work: csharp},
	{name: "Elixir", work: elixir},
	{name: "takes a method out that nobody calls", work: undead},
	{name: "takes a method out that nobody calls, in Japanese", work: undeadJA},
	{name: "marks a method as deprecated", work: deprecated},
	{name: "documents a function of Elixir", work: documented},
	{name: "gives a function of Elixir a type", work: typed},
	{name: "changes the style alone", work: reformatted},
	{name: "writes a clause that gives back what it was given", work: clauses},
	{name: "writes a private function before what calls it", work: helped},
	{name: "only adds a test", work: onlyTests},
	{name: "only changes settings", work: onlySettings},
	{name: "takes an earlier change back", work: undone},
}

// Agents whose changes are of other kinds.
var fileAgents = []honestAgent{
	{name: "markup only", work: markup, check: func(a *agent) {
		if a.seen("SEMANTIC") > 0 {
			a.T.Errorf("one search is not enough for markup: %v", a.trail)
		}
		a.isMerged()
	}},
	{name: "refactoring of 37 files", work: refactor, habits: habits{submits: byGlob}, check: func(a *agent) {
		if a.seen("IMPACT_ANALYSIS") != 1 {
			a.T.Errorf("the impact was not analysed: %v", a.trail)
		}
		a.isMerged()
	}},
	{name: "one reason for 36 files", work: addition,
		habits: habits{submits: forAll("calls write only, which stays as it is")}, check: func(a *agent) {
			if a.seen("IMPACT_ANALYSIS") != 1 {
				a.T.Errorf("the impact was not analysed: %v", a.trail)
			}
			a.isMerged()
		}},
	{name: "adds beside what 36 files use, and says so", work: besides,
		habits: habits{submits: onlyAdds}, check: func(a *agent) {
			if a.seen("IMPACT_ANALYSIS") != 0 {
				a.T.Errorf("the impact of an addition was analysed: %v", a.trail)
			}
			a.isMerged()
		}},
	{name: "names the member that it adds", work: newMember,
		habits: habits{submits: func(a *agent, p object) object {
			if a.at() == "Q3" {
				p["needs_impact_analysis"] = true
			}
			return p
		}}, check: func(a *agent) {
			if a.seen("IMPACT_ANALYSIS") != 1 {
				a.T.Errorf("the impact was not analysed: %v", a.trail)
			}
			a.isMerged()
		}},
	{name: "deletion", work: deletion},
	{name: "renaming", work: renaming},
	{name: "binary files", work: binary},
	{name: "documents only", work: documents},
	{name: "new project", work: beginning},
	{name: "awkward names", work: awkward},
	{name: "mode and links", work: modes, check: func(a *agent) {
		a.isMerged()
		tree := a.Git("ls-tree", "main", "run.sh", "current", "latest")
		if !strings.Contains(tree, "100755 blob") || strings.Count(tree, "120000 blob") != 2 || a.Git("cat-file", "blob", "main:current") != "shop/cart.py" {
			a.T.Errorf("main holds\n%s", tree)
		}
	}, lay: func(t testing.TB, files map[string]string) *fixture {
		st := bareFixture(t, files)
		a := &agent{fixture: st}
		modes().tasks[0].edits[2].by(a, "current") // which is a link to another file then
		st.base = st.Commit()
		st.Serve()
		return st
	}},
}

// byGlob answers for many files at once.
func byGlob(a *agent, p object) object {
	if a.at() == "IMPACT_ANALYSIS" {
		if n := len(p["impact_summary"].(object)["files"].([]any)); n != 36 {
			a.T.Errorf("%d files must be looked at, want 36", n)
		}
		p["impact_summary"] = object{"files": []any{
			object{"file": "lib/log.py", "status": "will_modify"}, object{"file": "jobs/job_*.py", "status": "will_modify"},
		}}
	}
	return p
}

// forAll gives the same reason for every file that the change leaves as it is.
func forAll(reason string) func(*agent, object) object {
	return func(a *agent, p object) object {
		if a.at() == "IMPACT_ANALYSIS" {
			for _, f := range p["impact_summary"].(object)["files"].([]any) {
				if f := f.(object); f["status"] != "will_modify" {
					f["reason"] = reason
				}
			}
		}
		return p
	}
}

// Agents whose user typed flags, or wants something else than a change.
var flagAgents = []honestAgent{
	{name: "--gate=full", work: flagged("--gate=full"), check: func(a *agent) {
		for _, phase := range []string{"SEMANTIC", "VERIFICATION", "IMPACT_ANALYSIS"} {
			if a.seen(phase) != 1 {
				a.T.Errorf("%s was not walked: %v", phase, a.trail)
			}
		}
		a.isMerged()
	}},
	{name: "--fast", work: flagged("--fast")},
	{name: "--quick", work: flagged("--quick"), check: func(a *agent) { a.left(" M shop/cart.py\n M tests/test_cart.py") }},
	{name: "--no-verify --no-quality --no-doc", work: flagged("--no-verify", "--no-quality", "--no-doc")},
	{name: "-e", work: flagged("-e"), check: explored},
	{name: "INVESTIGATE", work: asked("INVESTIGATE", "Find out how the total of the cart is computed."), check: explored},
	{name: "QUESTION", work: asked("QUESTION", "Where is the total of the cart computed?"), check: explored},
	{
		name: "-v", work: flagged("-v"),
		prepare: func(a *agent) { a.Write("shop/cart.py", discountedCart) },
		check: func(a *agent) {
			a.left(" M shop/cart.py")
			if fmt.Sprint(a.trail) != "[POST_IMPL_VERIFY END]" {
				a.T.Errorf("it went through %v", a.trail)
			}
		},
	},
	{
		name: "-v that fails", work: flagged("-v"), outcome: "completed_with_warnings",
		habits: habits{submits: func(_ *agent, p object) object {
			return with(p, object{"passed": false, "details": "pytest: 1 failed in tests/test_cart.py"})
		}},
		check: func(a *agent) { a.left("") },
	},
	{
		name: "-ni with three failures", work: flagged("-ni"), outcome: "completed_unverified",
		habits: habits{submits: failing(3)},
		check: func(a *agent) {
			a.failedThrice()
		},
	},
}

// explored is what a session leaves that only looked.
func explored(a *agent) {
	a.left("")
	if a.answer.Answer["exploration_complete"] != true || a.seen("READY plan") > 0 {
		a.T.Errorf("after %v: %s", a.trail, a.answer.Text)
	}
}

// left compares git status with the expected one; nothing was committed.
func (a *agent) left(status string) {
	a.T.Helper()
	if got := a.Git("status", "--porcelain"); got != strings.TrimPrefix(status, "") {
		a.T.Errorf("git status is\n%s\nwant\n%s", got, status)
	}
	if tip := a.Git("rev-parse", "HEAD"); tip != a.base {
		a.T.Errorf("HEAD has moved to %s", tip)
	}
	if refs := a.Git("for-each-ref", "--format=%(refname)"); refs != "refs/heads/main" {
		a.T.Errorf("refs: %s", refs)
	}
	if got := a.checkpoints(); len(got) != 1 || !got[0].Archived {
		a.T.Errorf("checkpoints: %+v", got)
	}
}

// failedThrice is what three failed verifications without an intervention leave:
// the work on its branch, committed, and the base as it was.
func (a *agent) failedThrice() {
	a.T.Helper()
	if tip := a.Git("rev-parse", "refs/heads/main"); tip != a.base {
		a.T.Errorf("main has moved to %s", tip)
	}
	branch := a.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/llm_task_*")
	if got := a.Git("show", branch+":shop/cart.py"); got+"\n" != discountedCart {
		a.T.Errorf("%s holds %s", branch, got)
	}
	report, _ := a.answer.Answer["report"].(object)
	if report["task_branch"] != branch || report["go_on"] == nil {
		a.T.Errorf("the report does not name the branch %s and how to go on: %s", branch, a.answer.Text)
	}
	if n := a.seen("POST_IMPL_VERIFY"); n != 3 {
		a.T.Errorf("%d verifications: %v", n, a.trail)
	}
}

// failing has the first verifications of an agent fail. Each failure is fixed by a
// separate task.
func failing(times int) func(*agent, object) object {
	n := 0
	return func(a *agent, p object) object {
		if a.at() != "POST_IMPL_VERIFY" || n == times {
			return p
		}
		n++
		id := fmt.Sprintf("fix %d", n)
		text := discountedTest + fmt.Sprintf("\n\ndef test_nothing_%d():\n    assert Cart().total() == 0\n", n)
		a.work.tasks = append(a.work.tasks, written(id, "tests/test_cart.py", text, fmt.Sprintf("def test_nothing_%d", n)))
		return with(p, object{"passed": false, "details": "pytest: 1 failed in tests/test_cart.py"})
	}
}

// onlyAdds says of a change that it only adds.
func onlyAdds(a *agent, p object) object {
	if a.at() == "Q3" {
		return object{"needs_impact_analysis": false, "only_adds": true, "reason": "a new function is added, nothing else changes"}
	}
	return p
}

// lazily is the work in Scala with a lazy value that is asked for.
func lazily() work {
	w := scala()
	t := &w.tasks[0]
	t.edits[0].text = change(t.edits[0].text, "    val sum = prices.sum\n    sum / 12", "    lazy val sum = prices.sum\n    if (prices.isEmpty) 0 else sum / 12")
	t.items[0].evidence = line(t.edits[0].path, t.edits[0].text, "lazy val")
	w.tasks[1].edits[0].text = change(t.edits[0].text, "    prices = price", "    require(price >= 0, s\"negative: $price\")\n    prices = price")
	w.tasks[1].items[0].evidence = line(t.edits[0].path, w.tasks[1].edits[0].text, "require")
	return w
}

// lookedInto is the discount, with something to look into.
func lookedInto() work {
	w := discount()
	w.query += " Look into how total rounds."
	w.tasks[0].items = append(w.tasks[0].items, item{text: "shop/cart.py: look into how total rounds", reason: "it rounds down already, as docs/money.md wants"})
	return w
}

// prepares is the discount, said in words of preparation.
func prepares() work {
	w := discount()
	w.tasks[0].items[0].text = "shop/cart.py: prepare the percent that total takes off"
	return w
}

// repeated is the discount, whose first task repeats the request.
func repeated() work {
	w := twoWishes()
	w.tasks[0].description = w.query
	w.tasks[0].items = append(w.tasks[0].items, item{text: "shop/cart.py: a rejected voucher goes to the journal", reason: "the shop has neither vouchers nor a journal"})
	return w
}

// oneOfTwo is the work on two files of which one stays as it is.
func oneOfTwo() work {
	w := twoFiles()
	w.tasks[0].items = append(w.tasks[0].items, item{text: "shop/checkout.py: check percent", reason: "it hands everything on to the cart"})
	return w
}
