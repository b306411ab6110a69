package e2e

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
		outcome: "completed",
	},
}
