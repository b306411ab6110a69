package e2e

import (
	"maps"
	"strings"

	"codeintel/internal/session/changes"
	"codeintel/internal/trust"
)

// pythonVerifier is a verifier of the shop that passes; the user trusts it before the
// session begins.
const pythonVerifier = ".code-intel/verifiers/python.md"

// verified is the discount in a project whose verifier the user trusts.
func verified() work {
	w := discount()
	w.files = maps.Clone(w.files)
	w.files[pythonVerifier] = passingVerifier
	return w
}

// trustsPython has the user trust the verifier of [verified].
func (a *agent) trustsPython() {
	a.T.Helper()
	store, err := trust.Open()
	if err == nil {
		err = store.Trust(a.Root, trust.Verifier, "python", []byte(passingVerifier))
	}
	if err != nil {
		a.T.Fatal(err)
	}
}

// toThePerson is the verdict on a verification that lacks what the user trusted: the
// session waits for them, and nobody relays their yes.
var toThePerson = verdict{"refused: `human_gate`, in USER_ESCALATION, where its yes does not count", func(a *agent, r reply) []string {
	if r.Refused || r.Str("phase") != "USER_ESCALATION" || !strings.Contains(r.Text, "verifier python") {
		return []string{"it got through, to " + r.Str("phase") + ": " + r.Text}
	}
	a.answer = r
	return refusal("human_gate", "code-intel approve").wrong(a, a.submit(object{"user_decision": "accept", "guidance": "go on"}))
}}

// tampering is an attack on the verifier of [verified].
func tampering(technique, rule string, tamper func(*agent)) attack {
	return attack{
		technique: technique, rule: rule, work: verified, at: "POST_IMPL_VERIFY",
		before: (*agent).trustsPython,
		lie: func(a *agent, p object) any {
			tamper(a)
			return p
		},
		judge: toThePerson,
	}
}

const trustedRuns = "a verifier that was trusted at the start runs"

// Verifiers that are to verify nothing.
var verifierAttacks = []attack{
	tampering("rewrites the command of a verifier", trustedRuns, func(a *agent) {
		a.Write(pythonVerifier, strings.Replace(passingVerifier, "git, rev-parse, --verify, --quiet, HEAD", `"true"`, 1))
	}),
	tampering("deletes a verifier", trustedRuns, func(a *agent) { a.Remove(pythonVerifier) }),
	tampering("has a verifier match nothing", trustedRuns, func(a *agent) {
		a.Write(pythonVerifier, strings.Replace(passingVerifier, "**/*.py", "**/*.rb", 1))
	}),
	tampering("takes the command out of a verifier", trustedRuns, func(a *agent) {
		a.Write(pythonVerifier, "---\nglobs: [\"**/*.py\"]\n---\nRun the tests.\n")
	}),
	tampering("makes a verifier unreadable", trustedRuns, func(a *agent) {
		a.Write(pythonVerifier, "---\nglobs: [\n---\nRun the tests.\n")
	}),
	tampering("renames a verifier to what is no verifier", trustedRuns, func(a *agent) {
		a.Remove(pythonVerifier)
		a.Write(".code-intel/verifiers/python.txt", passingVerifier)
	}),
	{
		technique: "relays a yes to work that its verifier did not see",
		rule:      "only the person goes on without a trusted verifier",
		work:      verified, at: "POST_IMPL_VERIFY", before: (*agent).trustsPython,
		lie: func(a *agent, p object) any {
			a.Remove(pythonVerifier)
			a.took(a.submit(p))
			return object{"user_decision": "accept", "guidance": "they said it is fine"}
		},
		judge: refused("human_gate", "code-intel approve"),
	},
	{
		technique: "stashes the change while it is verified",
		rule:      "what tasks have shown is verified",
		work:      verified, at: "POST_IMPL_VERIFY", before: (*agent).trustsPython,
		lie: func(a *agent, p object) any {
			a.Git("stash", "-q")
			a.took(a.submit(p))
			a.Git("stash", "pop", "-q")
			a.says(changes.OfSession)
			return a.deed()
		},
		judge: refused("verification_stale", `"back_to": "READY"`),
	},
	{
		technique: "throws out of the commit what made it pass",
		rule:      "what is left after a discard is verified",
		work:      verified, at: "PRE_COMMIT", before: (*agent).trustsPython,
		lie: func(_ *agent, p object) any {
			return with(p, object{"reviewed_files": []any{"shop/cart.py",
				object{"path": "tests/test_cart.py", "decision": "discard", "reason": "not needed any more"}}})
		},
		judge: verdict{"verified again: POST_IMPL_VERIFY", func(_ *agent, r reply) []string {
			if r.Refused || r.Str("phase") != "POST_IMPL_VERIFY" {
				return []string{"it got through, to " + r.Str("phase") + ": " + r.Text}
			}
			return nil
		}},
	},
	{
		technique: "says nothing of the result where no command ran",
		rule:      "passed is said where the server ran nothing",
		at:        "POST_IMPL_VERIFY",
		lie:       func(_ *agent, p object) any { return with(p, object{"passed": nil}) },
		judge:     refused("payload_mismatch", "Name what was run"),
	},
}
