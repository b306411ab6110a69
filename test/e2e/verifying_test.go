package e2e

import "testing"

// TestTestsWhileVerifying has an agent run the tests of the project while the change is
// verified: the hook lets them run, denies everything else that writes, and what the
// tests have changed in the tree is found.
func TestTestsWhileVerifying(t *testing.T) {
	a := playedTo(t, "POST_IMPL_VERIFY")
	for command, want := range map[string]int{
		"PYTHONPATH=. python3 -m pytest -q tests 2>&1 | tail -5": 0,
		"make test":                               0,
		"go test ./... && git diff":               0,
		"make install":                            2,
		"pytest > shop/cart.py":                   2,
		"pytest; sed -i s/a/b/ x.py":              2,
		"pytest && git commit -am x":              2,
		"python3 -c 'import os'":                  2,
		"pytest --junitxml .git/hooks/pre-commit": 2,
	} {
		if status, reason := a.hooked("PreToolUse", "Bash", command); status != want {
			t.Errorf("%s: status %d: %s", command, status, reason)
		}
	}
	a.Write("shop/stock.py", a.Read("shop/stock.py")+"\n\nRESERVE = 3\n")
	a.refuses(a.submit(a.deed()), "unapproved_changes", "undo")
}
