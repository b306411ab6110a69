package e2e

import "maps"

// shop is the project that most agents work on.
var shop = map[string]string{
	".gitignore":    "/.code-intel/\n",
	"CLAUDE.md":     "# Rules\n\n- Prices are integers, in cents.\n- Every function has a test.\n",
	"README.md":     "# Shop\n\nA small shop.\n",
	"docs/money.md": "# Money\n\nAll amounts are integers in cents.\nRounding is always down.\n",
	"shop/price.py": `"""Prices in cents."""


def net(price, quantity):
    """The price of several pieces."""
    return price * quantity


def gross(price, tax):
    """The price with tax, rounded down."""
    return price + price * tax // 100
`,
	"shop/cart.py": `"""A cart holds what a customer wants to buy."""

from shop.price import gross, net


class Cart:
    """Lines of (name, price, quantity)."""

    def __init__(self):
        self.lines = []

    def add(self, name, price, quantity=1):
        self.lines.append((name, price, quantity))

    def total(self, tax=0):
        amount = sum(net(price, quantity) for _, price, quantity in self.lines)
        return gross(amount, tax)
`,
	"shop/checkout.py": `from shop.cart import Cart


def pay(cart: Cart, tax):
    return {"amount": cart.total(tax), "currency": "EUR"}
`,
	"shop/stock.py": `"""What is left of each thing."""


def left(stock, name):
    return stock.get(name, 0)
`,
	"tests/test_cart.py": `from shop.cart import Cart


def test_total():
    cart = Cart()
    cart.add("tea", 300, 2)
    assert cart.total(10) == 660
`,
}

const discountedCart = `"""A cart holds what a customer wants to buy."""

from shop.price import gross, net


class Cart:
    """Lines of (name, price, quantity)."""

    def __init__(self):
        self.lines = []
        self.percent = 0

    def add(self, name, price, quantity=1):
        self.lines.append((name, price, quantity))

    def total(self, tax=0):
        amount = sum(net(price, quantity) for _, price, quantity in self.lines)
        return gross(amount - amount * self.percent // 100, tax)

    def discount(self, percent):
        """Take percent off the total."""
        if not 0 <= percent <= 100:
            raise ValueError("percent")
        self.percent = percent
`

const discountedTest = `from shop.cart import Cart


def test_total():
    cart = Cart()
    cart.add("tea", 300, 2)
    assert cart.total(10) == 660


def test_discount():
    cart = Cart()
    cart.add("tea", 1000)
    cart.discount(10)
    assert cart.total() == 900
`

// A work is a request, and what an honest agent does and says about it.
type work struct {
	files         map[string]string // the project
	intent, query string
	flags         []string
	documents     []string
	rules         []any
	frame         object // of QUERY_FRAME, without what all payloads have
	look          []call // of the exploration
	explored      []string
	findings      []string
	semantic      string // the query of semantic_search
	targets       []string
	tasks         []task
	message       string // of the commit
}

// A call is one of a tool.
type call struct {
	tool string
	args object
}

// A task is a part of the work.
type task struct {
	id, description string
	edits           []edit
	items           []item
}

// An edit writes text to path, deletes it, moves a file to it, or does something else.
type edit struct {
	path, text string
	gone       bool
	from       string
	by         func(a *agent, path string)
}

// An item is of a checklist. Without evidence it is skipped with the reason.
type item struct{ text, evidence, reason string }

// object is a JSON object.
type object = map[string]any

// with returns an object with other values for some keys; nil removes a key.
func with(o object, changes object) object {
	out := maps.Clone(o)
	for k, v := range changes {
		if out[k] = v; v == nil {
			delete(out, k)
		}
	}
	return out
}

// discount is the work that most agents do.
func discount() work {
	return work{
		files:     shop,
		intent:    "MODIFY",
		query:     "Add a discount in percent to the cart: total() must take it off before tax.",
		documents: []string{"docs/money.md"},
		rules:     []any{object{"rule": "Rounding is always down.", "source": "docs/money.md:4"}},
		frame: object{
			"action_type": "add", "target_symbols": []string{"Cart.total", "Cart.discount"}, "scope": "shop/cart.py", "constraints": []string{"before tax"},
			"target_feature": object{"value": "discount in percent", "quote": "a discount in percent"},
			"observed_issue": object{"value": "total", "quote": "total() must take it off"},
		},
		look: []call{
			{"find_definitions", object{"symbol": "Cart"}},
			{"find_definitions", object{"symbol": "total"}},
			{"find_definitions", object{"symbol": "gross"}},
			{"find_references", object{"symbol": "total"}},
			{"search_text", object{"pattern": "gross("}},
			{"get_symbols", object{"path": "shop/cart.py"}},
			{"get_symbols", object{"path": "tests/test_cart.py"}},
		},
		explored: []string{"shop/cart.py", "shop/price.py", "tests/test_cart.py"},
		findings: []string{"Cart.total sums the lines and adds tax: shop/cart.py:15-17", "gross rounds down: shop/price.py:9-11"},
		semantic: "how is the total of the cart computed",
		targets:  []string{"Cart.total"},
		tasks: []task{
			{
				id: "cart", description: "Discount in the cart",
				edits: []edit{{path: "shop/cart.py", text: discountedCart}},
				items: []item{
					{text: "shop/cart.py: discount(percent)", evidence: "shop/cart.py:20-24"},
					{text: "shop/cart.py: total takes it off before tax", evidence: "shop/cart.py:18"},
				},
			},
			{
				id: "test", description: "Test the discount",
				edits: []edit{{path: "tests/test_cart.py", text: discountedTest}},
				items: []item{
					{text: "tests/test_cart.py: a discount of 10 percent", evidence: "tests/test_cart.py:10-14"},
					{text: "tests/test_cart.py: a discount above 100 percent", reason: "the request speaks of no limits"},
				},
			},
		},
		message: "Take a discount off the total",
	}
}
