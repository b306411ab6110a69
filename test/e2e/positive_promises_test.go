package e2e

import "strings"

// Agents whose claims are looked at, and hold.
var promiseAgents = []honestAgent{
	{
		name: "verifier is lost, and put back by the user", work: verified,
		prepare: (*agent).trustsPython,
		habits: habits{before: once("POST_IMPL_VERIFY", func(a *agent) {
			a.Remove(pythonVerifier)
			a.took(a.submit(a.deed()))
			if a.at() != "USER_ESCALATION" {
				a.T.Fatalf("nobody is asked: %s", a.answer.Text)
			}
			a.Write(pythonVerifier, passingVerifier)
			a.took(a.submit(object{"user_decision": "retry", "guidance": "it is back"}))
		})},
	},
	{
		name: "leaves the result to the server", work: verified,
		prepare: (*agent).trustsPython,
		habits: habits{submits: func(a *agent, p object) object {
			if a.at() == "POST_IMPL_VERIFY" {
				return with(p, object{"passed": nil, "details": nil})
			}
			return p
		}},
	},
	{
		name: "throws a file out that the verifier saw", work: verified,
		prepare: (*agent).trustsPython,
		habits: habits{before: once("PRE_COMMIT", func(a *agent) {
			p := a.deed()
			p["reviewed_files"] = []any{"shop/cart.py", object{"path": "tests/test_cart.py", "decision": "discard", "reason": "the user wants no test"}}
			a.took(a.submit(p))
			a.work.tasks = a.work.tasks[:1]
		})},
	},
	{
		name: "wants options that nobody typed, and does without", work: flagged("--fast", "--no-verify"),
		habits: habits{unasked: true},
		check: func(a *agent) {
			if a.seen("EXPLORATION") != 1 || a.seen("POST_IMPL_VERIFY") != 1 {
				a.T.Errorf("it went through %v", a.trail)
			}
			a.isMerged()
		},
	},
	{
		name: "types options alone, and says the rest in another line", work: flagged("--no-quality"),
		prepare: func(a *agent) { a.Types("/code --no-quality") },
		habits:  habits{unasked: true},
		check: func(a *agent) {
			if a.seen("QUALITY_REVIEW") != 0 {
				a.T.Errorf("it went through %v", a.trail)
			}
			a.isMerged()
		},
	},
	{
		name: "user edits a file while a question is answered", work: asked("QUESTION", "Where is the total of the cart computed?"),
		outcome: "completed_with_warnings",
		habits: habits{before: once("Q3", func(a *agent) {
			a.Write("README.md", "# Shop\n\nA small shop, and a good one.\n")
			a.refuses(a.submit(a.deed()), "unapproved_changes", "submit again")
		})},
		check: func(a *agent) {
			a.left(" M README.md")
			if !strings.Contains(a.answer.Text, "README.md") {
				a.T.Errorf("the report does not name it: %s", a.answer.Text)
			}
		},
	},
}
