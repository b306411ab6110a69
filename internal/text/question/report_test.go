package question

import (
	"strings"
	"testing"
)

// TestTraces reads stack traces of many languages: each names its files and functions,
// the innermost frame first.
func TestTraces(t *testing.T) {
	const story = "It fails when the server is under load\n\nWe see this now and then, on one machine only. " +
		"There is nothing special about that machine, it is a plain one. All others are well, whatever we try with them, and however long we wait.\n\n"
	for _, c := range []struct {
		name, trace string
		file        string // the file that the innermost frame names
		outer       string // a file that an outer frame names, "" if there is none
		called      string // the function there
	}{
		{"Python", "Traceback (most recent call last):\n  File \"/usr/lib/python3/site-packages/shop/run.py\", line 33, in main\n    sys.exit(go())\n" +
			"  File \"/usr/lib/python3/site-packages/shop/cart.py\", line 85, in _add_item\n    raise E\nshop.errors.CartError: full\n", "src/shop/cart.py", "src/shop/run.py", "_add_item"},
		{"Java", "java.lang.IllegalStateException: full\n\tat com.acme.shop.Cart.addItem(Cart.java:120)\n\tat com.acme.Main.run(Main.java:9)\n", "core/src/main/java/com/acme/shop/Cart.java", "core/src/main/java/com/acme/Main.java", "addItem"},
		{"Kotlin", "Caused by: kotlin.KotlinNullPointerException\n\tat app//com.acme.shop.CartKt.fill(Cart.kt:12)\n\tat com.acme.Main.run(Main.kt:9)\n", "src/com/acme/shop/Cart.kt", "src/com/acme/Main.kt", "fill"},
		{"JavaScript", "TypeError: x is undefined\n    at Cart.addItem (/home/me/app/node_modules/shop/lib/cart.js:10:5)\n    at async run (file:///home/me/app/node_modules/shop/lib/run.mjs:3:1)\n", "lib/cart.js", "lib/run.mjs", "addItem"},
		{"JavaScript without a function", "Error: full\n    at /srv/app/lib/cart.ts:10:5\n", "lib/cart.ts", "", ""},
		{"Go", "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nexample.com/shop/cart.(*Cart).addItem(0xc000, 0x1)\n\t/home/me/go/shop/cart/cart.go:12 +0x1d\nmain.main()\n\t/home/me/go/shop/main.go:9 +0x20\n", "cart/cart.go", "shop/main.go", "addItem"},
		{"Rust", "thread 'main' panicked at src/cart.rs:10:5:\nfull\nstack backtrace:\n   3: shop::cart::add_item\n             at ./src/cart.rs:10:5\n   4: shop::main\n             at ./src/main.rs:3:1\n", "src/cart.rs", "src/main.rs", "add_item"},
		{"Ruby", "/gems/shop-1.0/lib/shop/cart.rb:10:in `add_item': full (RuntimeError)\n\tfrom /gems/shop-1.0/lib/shop/run.rb:3:in `block in run'\n", "lib/shop/cart.rb", "lib/shop/run.rb", "add_item"},
		{"Ruby 3.4", "lib/shop/cart.rb:10:in 'Shop::Cart#add_item': full (RuntimeError)\n", "lib/shop/cart.rb", "", "add_item"},
		{"PHP", "PHP Fatal error: Uncaught Exception: full in /srv/src/Shop/Cart.php:10\nStack trace:\n#0 /srv/src/Shop/Cart.php(10): Shop\\Cart->addItem()\n#1 /srv/src/Run.php(3): Shop\\run()\n", "src/Shop/Cart.php", "src/Run.php", "addItem"},
		{"C#", "System.Exception: full\n   at Acme.Shop.Cart.AddItem(Item item) in C:\\src\\Acme.Shop\\Cart.cs:line 10\n   at Acme.Program.Main(String[] args) in /src/Acme/Program.cs:line 3\n", "Acme.Shop/Cart.cs", "Acme/Program.cs", "AddItem"},
		{"C", "#0  0x00007f in add_item (c=0x0) at src/cart.c:10\n#1  0x00008f in main () at src/main.c:3\n", "src/cart.c", "src/main.c", "add_item"},
		{"sanitizer", "==1==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x4f in shop::add_item(Cart*) /src/shop/cart.cc:10:5\n    #1 0x5f in main /src/shop/main.cc:3\n", "shop/cart.cc", "shop/main.cc", "add_item"},
		{"Elixir", "** (RuntimeError) full\n    (shop 0.1.0) lib/shop/cart.ex:10: Shop.Cart.add_item/2\n    (shop 0.1.0) lib/shop/run.ex:3: Shop.run/1\n", "lib/shop/cart.ex", "lib/shop/run.ex", "add_item"},
	} {
		for _, form := range []string{story + c.trace, story + "```\n" + c.trace + "```\nWhy?\n", strings.ReplaceAll(story+c.trace, "\n", "\r\n")} {
			q := Analyse(form)
			if q.Kind != Report {
				t.Errorf("%s: kind %v", c.name, q.Kind)
			}
			inner, outer := q.Mention(c.file), q.Mention(c.outer)
			if inner < 0.5 || c.outer != "" && (outer == 0 || outer > inner) {
				t.Errorf("%s: %s is named %v, %s %v", c.name, c.file, inner, c.outer, outer)
			}
			if c.called != "" && sureOf(q, c.called) < 0.5 {
				t.Errorf("%s: %s is not named; names are %v", c.name, c.called, q.Names)
			}
			if got := q.Mention("other/index.js"); got != 0 {
				t.Errorf("%s: a file that it does not name: %v", c.name, got)
			}
		}
	}
}

func sureOf(q *Question, name string) float64 {
	for _, n := range q.Names {
		if n.Name == name {
			return n.Confidence
		}
	}
	return 0
}

// TestReport weighs the parts of an issue.
func TestReport(t *testing.T) {
	q := Analyse("Coupons are applied twice to a gift basket\n\n<!-- please read\nthe checklist -->\n- [x] I have searched duplicatesonly\n\n" +
		"When `Basket.applyCoupon` runs, the message \"quota was exceeded\" is shown. See https://github.com/acme/shop/blob/main/src/pay/voucher.ts#L10 " +
		"and the module shop.pay.ledger; somewhere in warehouse handling there is a loop. I would expect one application and one message only.\n\n" +
		"```js\nconst zebra = new Basket()\nzebra.walk()\n```\n\nnumpy          1.15.0\nrequests==2.21.0\n_No response_\n")
	weight := func(term string) float64 {
		for i, t := range q.Terms {
			if t == term {
				return q.Weights[i]
			}
		}
		return 0
	}
	for _, order := range [][]string{{"coupon", "quota", "warehous", "zebra"}, {"gift", "exceed", "loop", "walk"}} {
		for i := range order[1:] {
			if a, b := order[i], order[i+1]; weight(a) <= weight(b) || weight(b) == 0 {
				t.Errorf("%s weighs %v, %s %v; terms %v", a, weight(a), b, weight(b), q.Terms)
			}
		}
	}
	for _, gone := range []string{"numpi", "numpy", "request", "checklist", "duplicatesonli", "duplicatesonly"} {
		if weight(gone) != 0 {
			t.Errorf("%s weighs %v", gone, weight(gone))
		}
	}
	if sureOf(q, "applyCoupon") != quotedName || sureOf(q, "walk") >= 0.5 {
		t.Errorf("names %v", q.Names)
	}
	if got := q.Mention("src/pay/voucher.ts"); got != 1 {
		t.Errorf("a link to a file: %v", got)
	}
	if got := q.Mention("lib/shop/pay/ledger.py"); got < 0.5 {
		t.Errorf("a module: %v", got)
	}
	if q.Tests || q.Documents || q.Data {
		t.Errorf("it is about tests %t, documents %t, data %t", q.Tests, q.Documents, q.Data)
	}
	if got := Analyse("テストが失敗する\n" + strings.Repeat("カートに商品を追加すると、エラーになります。`cart.addItem` が原因のようです。\n", 9)); got.Kind != CJK ||
		sureOf(got, "addItem") != quotedName || !got.Tests {
		t.Errorf("Japanese: kind %v, names %v, tests %t", got.Kind, got.Names, got.Tests)
	}
	for _, odd := range []string{strings.Repeat("a.b(", 20000), strings.Repeat("\n", 50000), strings.Repeat("at x (", 9000),
		strings.Repeat("\xff\x00`\"", 9000), strings.Repeat("File \"a.py\", line 1, in f\n", 2000), strings.Repeat("名", 50000)} {
		Analyse(odd)
	}
}
