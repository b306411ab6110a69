package e2e

import (
	"fmt"
	"strings"
)

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
	{
		name: "changes what a test expects, as the request wants it", work: doublesDeposits,
		prepare: verifiedBy(goTests),
		habits:  habits{submits: reasoning("account_test.go", "the request wants Deposit to double the amount")},
	},
	{
		name: "renames a method that the tests call", work: renamesDeposit,
		prepare: verifiedBy(goTests),
		habits:  habits{submits: reasoning("account_test.go", "the request renames Deposit to PayIn, which the test calls")},
		check: func(a *agent) {
			a.isMerged()
			if !strings.Contains(a.answer.Text, "fails on the new code") {
				a.T.Errorf("the report does not say that the tests of the base do not build: %s", a.answer.Text)
			}
		},
	},
	{
		name: "tests what the change does", work: banked,
		prepare: verifiedBy(goTests),
	},
	{
		name: "adds a test of what stays as it was", work: alsoDeposits,
		prepare: verifiedBy(goTests),
		habits:  habits{submits: reasoning("account_test.go", "Withdraw is tested by hand, this holds that Deposit stays")},
		check: func(a *agent) {
			a.isMerged()
			if !strings.Contains(a.answer.Text, "passes on the code as it was before") {
				a.T.Errorf("the report does not say that the test does not need the change: %s", a.answer.Text)
			}
		},
	},
	{
		name: "tests with data that git ignores, too large to copy",
		work: func() work {
			return discountTested("", "        self.assertTrue(open(\"prices.bin\").read())\n", map[string]string{".gitignore": ignored + "prices.bin\n"})
		},
		prepare: func(a *agent) {
			a.Write("prices.bin", strings.Repeat("1", 2<<20))
			verifiedBy(pythonTests)(a)
		},
		check: func(a *agent) { a.cannotTell("fails in a copy") },
	},
	{
		name: "runs what is installed in place, and not the code of a copy",
		work: func() work {
			return discountTested("import installed\n\n", "", map[string]string{".gitignore": ignored + "installed.py\n"})
		},
		prepare: func(a *agent) {
			a.Write("installed.py", fmt.Sprintf("import sys\n\nsys.path.insert(0, %q)\n", a.Root))
			verifiedBy(pythonTests)(a)
		},
		check: func(a *agent) { a.cannotTell("does not run the code of the copy") },
	},
	{
		name: "describes a function, and tests it",
		work: func() work {
			w := discountTested("", "", nil)
			w.query = "Describe Cart.total in README.md, and check an empty cart in a test."
			w.frame = framed("describe", "Describe Cart.total in README.md", "README.md", "Cart.total")
			w.tasks = []task{
				written("readme", "README.md", "# Shop\n\nA small shop. Cart.total sums the lines and adds tax.\n", "A small"),
				written("test", testCart, cartUnitTest+"\n    def test_empty(self):\n        self.assertEqual(Cart().total(), 0)\n", "def test_empty"),
			}
			return w
		},
		prepare: verifiedBy(pythonTests),
	},
	{
		name:    "has a verifier that works in the project alone",
		prepare: func(a *agent) { a.verifierOf("[git, rev-parse, --verify, --quiet, HEAD]") },
		check: func(a *agent) {
			a.isMerged()
			if !strings.Contains(a.answer.Text, "did not run on the new code") {
				a.T.Errorf("the report does not say that the tests of the base did not run: %s", a.answer.Text)
			}
		},
	},
}

// discountTested is the discount with a test of it that begins in some way, in a project with other files.
func discountTested(head, first string, files map[string]string) work {
	w := unittested()
	w.files = with2(w.files, files)
	w.tasks[1] = written("test", testCart, head+cartUnitTest+"\n    def test_discount(self):\n"+first+
		"        cart = Cart()\n        cart.add(\"tea\", 1000)\n        cart.discount(10)\n        self.assertEqual(cart.total(), 900)\n", "def test_discount")
	return w
}

// cannotTell requires that the work is merged, and the report says why nothing tells whether its tests need it.
func (a *agent) cannotTell(why string) {
	a.T.Helper()
	a.isMerged()
	if text := a.answer.Text; !strings.Contains(text, "fail without the change is not known") || !strings.Contains(text, why) {
		a.T.Errorf("the report does not say %q: %s", why, text)
	}
}

// reasoning has an agent give a reason for a file when it reviews the change.
func reasoning(path, reason string) func(*agent, object) object {
	return func(a *agent, p object) object {
		if files, ok := p["reviewed_files"].([]string); ok {
			var with []any
			for _, f := range files {
				if f == path {
					with = append(with, object{"path": f, "decision": "keep", "reason": reason})
				} else {
					with = append(with, f)
				}
			}
			p["reviewed_files"] = with
		}
		return p
	}
}

// doublesDeposits asks for what [doubled] does.
func doublesDeposits() work {
	w := deposits()
	account := change(accountGo, "a.Balance += amount", "a.Balance += 2 * amount")
	w.query = "Deposit must double the amount that is put in."
	w.frame = framed("change", "Deposit must double the amount", "account.go", "Account.Deposit")
	w.look = looks([]string{"Deposit", "Account"}, "Deposit", "Deposit(", "account.go", "transfer.go", "account_test.go")
	w.explored, w.targets = []string{"account.go", "transfer.go", "account_test.go"}, []string{"Account.Deposit"}
	w.findings = []string{"Deposit adds the amount: account.go:10-12", "Transfer calls it: transfer.go:6"}
	w.semantic = "where is money put into an account"
	w.tasks = []task{
		written("deposit", "account.go", account, "a.Balance += 2"),
		written("test", "account_test.go", change(depositsTest, "5: 5, 7: 7", "5: 10, 7: 14"), "var deposits"),
	}
	w.message = "Double what is deposited"
	return w
}

// alsoDeposits tests what the change leaves alone.
func alsoDeposits() work {
	w := banked()
	w.tasks[len(w.tasks)-1] = written("test", "account_test.go",
		depositsTest+"\nfunc TestDepositTwice(t *testing.T) {\n\tvar a Account\n\ta.Deposit(2)\n\ta.Deposit(3)\n\tif a.Balance != 5 {\n\t\tt.Fatal(a.Balance)\n\t}\n}\n", "func TestDepositTwice")
	return w
}

// renamesDeposit gives Deposit another name.
func renamesDeposit() work {
	w := doublesDeposits()
	w.query = "Rename Deposit to PayIn everywhere."
	w.frame = framed("change", "Rename Deposit to PayIn", "account.go, transfer.go", "Account.Deposit")
	account := change(accountGo, "// Deposit puts", "// PayIn puts", "Deposit(amount Cents)", "PayIn(amount Cents)")
	transfer := change(transferGo, "to.Deposit", "to.PayIn")
	w.tasks = []task{
		written("rename", "account.go", account, "func (a *Account) PayIn"),
		written("transfer", "transfer.go", transfer, "to.PayIn"),
		written("test", "account_test.go", change(depositsTest, "a.Deposit(", "a.PayIn("), "a.PayIn"),
	}
	w.message = "Call it PayIn"
	return w
}
