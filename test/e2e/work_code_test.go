package e2e

import (
	"fmt"
	"strings"
)

// line is the place of the only line of a text that begins, behind its blanks,
// with a word: "path:7".
func line(path, text, word string) string {
	found := ""
	for i, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), word) {
			if found != "" {
				panic(fmt.Sprintf("%s: %q begins more than one line", path, word))
			}
			found = fmt.Sprintf("%s:%d", path, i+1)
		}
	}
	if found == "" {
		panic(fmt.Sprintf("%s: no line begins with %q", path, word))
	}
	return found
}

// change replaces parts of a text: old, new, old, new.
func change(text string, parts ...string) string {
	for i := 0; i < len(parts); i += 2 {
		if strings.Count(text, parts[i]) != 1 {
			panic(fmt.Sprintf("%q is not there once", parts[i]))
		}
		text = strings.Replace(text, parts[i], parts[i+1], 1)
	}
	return text
}

// looks are the calls of a thorough exploration.
func looks(defined []string, used, pattern string, files ...string) (calls []call) {
	for _, symbol := range defined {
		calls = append(calls, call{"find_definitions", object{"symbol": symbol}})
	}
	calls = append(calls, call{"find_references", object{"symbol": used}}, call{"search_text", object{"pattern": pattern}})
	for _, f := range files {
		calls = append(calls, call{"get_symbols", object{"path": f}})
	}
	return calls
}

// framed is a frame whose feature is quoted.
func framed(action, feature, scope string, symbols ...string) object {
	return object{
		"action_type": action, "target_symbols": symbols, "scope": scope, "constraints": []string{},
		"target_feature": object{"value": feature, "quote": feature},
	}
}

// written is a task of one new text.
func written(id, path, text, word string) task {
	return task{
		id: id, description: "Change " + path, edits: []edit{{path: path, text: text}},
		items: []item{{text: path + ": " + word, evidence: line(path, text, word)}},
	}
}

const accountGo = `package bank

// Account is what a customer has.
type Account struct {
	Owner   string
	Balance Cents
}

// Deposit puts an amount in.
func (a *Account) Deposit(amount Cents) {
	a.Balance += amount
}

// Withdraw takes an amount out.
func (a *Account) Withdraw(amount Cents) {
	a.Balance -= amount
}
`

const transferGo = `package bank

// Transfer moves an amount.
func Transfer(from, to *Account, amount Cents) {
	from.Withdraw(amount)
	to.Deposit(amount)
}
`

func golang() work {
	account := change(accountGo, "package bank\n", "package bank\n\nimport \"errors\"\n\n// ErrFunds says that there is not enough.\nvar ErrFunds = errors.New(\"not enough funds\")\n",
		"func (a *Account) Withdraw(amount Cents) {\n\ta.Balance -= amount\n}", "func (a *Account) Withdraw(amount Cents) error {\n\tif a.Balance < amount {\n\t\treturn ErrFunds\n\t}\n\ta.Balance -= amount\n\treturn nil\n}")
	transfer := change(transferGo, "Cents) {\n\tfrom.Withdraw(amount)\n\tto.Deposit(amount)\n", "Cents) error {\n\tif err := from.Withdraw(amount); err != nil {\n\t\treturn err\n\t}\n\tto.Deposit(amount)\n\treturn nil\n")
	return work{
		files: map[string]string{
			".gitignore": "/.code-intel/\n", "go.mod": "module example.org/bank\n\ngo 1.24\n", "money.go": "package bank\n\n// Cents is an amount of money.\ntype Cents int64\n",
			"account.go": accountGo, "transfer.go": transferGo,
			"account_test.go": "package bank\n\nimport \"testing\"\n\nfunc TestDeposit(t *testing.T) {\n\tvar a Account\n\ta.Deposit(5)\n\tif a.Balance != 5 {\n\t\tt.Fatal(a.Balance)\n\t}\n}\n",
		},
		intent: "MODIFY", query: "Withdraw must return an error when the balance is too low, and Transfer must pass it on.",
		frame:    framed("fix", "Withdraw must return an error", "account.go, transfer.go", "Account.Withdraw", "Transfer"),
		look:     looks([]string{"Withdraw", "Transfer", "Account"}, "Withdraw", "Withdraw(", "account.go", "transfer.go"),
		explored: []string{"account.go", "transfer.go"}, findings: []string{"Withdraw checks nothing: account.go:15-17", "Transfer is its only caller: transfer.go:4"},
		semantic: "where is money taken out of an account", targets: []string{"Account.Withdraw"},
		tasks: []task{
			written("withdraw", "account.go", account, "func (a *Account) Withdraw"),
			written("transfer", "transfer.go", transfer, "if err := from.Withdraw"),
		},
		message: "Refuse to overdraw an account",
	}
}

const slugTS = `const blanks = /\s+/g;

export interface SlugOptions {
  separator: string;
}

export function slugify(title: string, options: SlugOptions = { separator: "-" }): string {
  return title.trim().toLowerCase().replace(blanks, options.separator);
}
`

func typescript() work {
	slug := change(slugTS, "  separator: string;\n", "  separator: string;\n  maxLength?: number;\n",
		"  return title.trim().toLowerCase().replace(blanks, options.separator);\n",
		"  const slug = title.trim().toLowerCase().replace(blanks, options.separator);\n  return options.maxLength ? slug.slice(0, options.maxLength) : slug;\n")
	const test = "import { slugify } from \"../src/slug\";\n\ntest(\"blanks\", () => {\n  expect(slugify(\"A Title\")).toBe(\"a-title\");\n});\n"
	return work{
		files: map[string]string{
			".gitignore": "/.code-intel/\nnode_modules/\n", "package.json": "{\n  \"name\": \"blog\",\n  \"scripts\": { \"test\": \"jest\" }\n}\n", "src/slug.ts": slugTS,
			"src/post.ts":       "import { slugify } from \"./slug\";\n\nexport class Post {\n  constructor(readonly title: string) {}\n\n  get url(): string {\n    return \"/posts/\" + slugify(this.title);\n  }\n}\n",
			"test/slug.test.ts": test,
		},
		intent: "IMPLEMENT", query: "Add a maximum length to slugify: maxLength in SlugOptions cuts the slug.",
		frame:    framed("add", "a maximum length to slugify", "src/slug.ts", "slugify", "SlugOptions"),
		look:     looks([]string{"slugify", "SlugOptions", "Post"}, "slugify", "slugify(", "src/slug.ts", "src/post.ts", "test/slug.test.ts"),
		explored: []string{"src/slug.ts", "src/post.ts"}, findings: []string{"slugify replaces blanks: src/slug.ts:7-9", "posts use it: src/post.ts:7"},
		semantic: "how is the address of a post made", targets: []string{"slugify"},
		tasks: []task{
			written("slug", "src/slug.ts", slug, "return options.maxLength"),
			written("test", "test/slug.test.ts", test+"\ntest(\"length\", () => {\n  expect(slugify(\"A Title\", { separator: \"-\", maxLength: 3 })).toBe(\"a-t\");\n});\n", `test("length"`),
		},
		message: "Cut slugs at a maximum length",
	}
}

const orderPHP = `<?php

namespace App\Models;

class Order
{
    public function __construct(private array $lines)
    {
    }

    public function total(): int
    {
        return array_sum(array_column($this->lines, 'amount'));
    }
}
`

const orderBlade = `@extends('layout')

@section('content')
  <h1>Order</h1>
  <p>Total: {{ $order->total() }}</p>
@endsection
`

func php() work {
	order := change(orderPHP, "'amount'));\n    }\n", "'amount'));\n    }\n\n    public function isEmpty(): bool\n    {\n        return count($this->lines) === 0;\n    }\n")
	blade := change(orderBlade, "  <p>Total: {{ $order->total() }}</p>\n", "  @if ($order->isEmpty())\n    <p>There is nothing in this order.</p>\n  @else\n    <p>Total: {{ $order->total() }}</p>\n  @endif\n")
	return work{
		files: map[string]string{
			".gitignore": "/.code-intel/\n/vendor/\n", "composer.json": "{\n  \"require\": { \"laravel/framework\": \"^11.0\" }\n}\n", "app/Models/Order.php": orderPHP,
			"app/Http/Controllers/OrderController.php": "<?php\n\nnamespace App\\Http\\Controllers;\n\nuse App\\Models\\Order;\n\nclass OrderController\n{\n    public function show(Order $order)\n    {\n        abort_if($order->total() < 0, 500);\n        return view('orders.show', ['order' => $order]);\n    }\n}\n",
			"resources/views/orders/show.blade.php":    orderBlade,
		},
		intent: "MODIFY", query: "The page of an order must say so when the order is empty, instead of a total of 0.",
		frame:    framed("show", "when the order is empty", "resources/views/orders/show.blade.php, app/Models/Order.php", "Order", "Order::isEmpty"),
		look:     looks([]string{"Order", "total", "OrderController"}, "total", "total()", "app/Models/Order.php", "resources/views/orders/show.blade.php"),
		explored: []string{"app/Models/Order.php", "resources/views/orders/show.blade.php"}, findings: []string{"the page shows the total: resources/views/orders/show.blade.php:5", "total sums the lines: app/Models/Order.php:11-14"},
		semantic: "where is the total of an order shown", targets: []string{"Order"},
		tasks: []task{
			written("model", "app/Models/Order.php", order, "public function isEmpty"),
			written("view", "resources/views/orders/show.blade.php", blade, "@if ($order->isEmpty())"),
		},
		message: "Say that an order is empty",
	}
}

const parseRS = `/// A temperature in degrees Celsius.
#[derive(Debug, PartialEq)]
pub struct Celsius(pub f64);

/// Reads "21.5C".
pub fn parse(text: &str) -> Option<Celsius> {
    let number = text.strip_suffix('C')?;
    number.parse().ok().map(Celsius)
}
`

const logRS = `use crate::parse::{parse, Celsius};

/// Reads one temperature a line; others are left out.
pub fn read_log(log: &str) -> Vec<Celsius> {
    log.lines().filter_map(parse).collect()
}

pub fn warmest(log: &str) -> Option<f64> {
    read_log(log).iter().map(|c| c.0).reduce(f64::max)
}
`

func rust() work {
	parse := change(parseRS, "/// Reads \"21.5C\".\n", "/// Reads \"21.5C\" and \"70.7F\".\n", "    let number = text.strip_suffix('C')?;\n",
		"    if let Some(number) = text.strip_suffix('F') {\n        return number.parse().ok().map(|f: f64| Celsius((f - 32.0) / 1.8));\n    }\n    let number = text.strip_suffix('C')?;\n")
	return work{
		files: map[string]string{
			".gitignore": "/.code-intel/\n/target\n", "Cargo.toml": "[package]\nname = \"weather\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/lib.rs": "pub mod log;\npub mod parse;\n", "src/parse.rs": parseRS, "src/log.rs": logRS,
		},
		intent: "MODIFY", query: "parse must also read temperatures in Fahrenheit, such as 70.7F.",
		frame:    framed("extend", "read temperatures in Fahrenheit", "src/parse.rs", "parse"),
		look:     looks([]string{"parse", "Celsius", "read_log"}, "parse", "parse", "src/parse.rs", "src/log.rs", "src/lib.rs"),
		explored: []string{"src/parse.rs", "src/log.rs"}, findings: []string{"only C is read: src/parse.rs:7", "the log passes parse as a function: src/log.rs:5"},
		semantic: "how is a temperature read", targets: []string{"parse"},
		tasks:   []task{written("parse", "src/parse.rs", parse, "if let Some(number)")},
		message: "Read degrees Fahrenheit",
	}
}

const parcelJava = `package shop.post;

public class Parcel {
    private final int grams;

    public Parcel(int grams) {
        this.grams = grams;
    }

    public int grams() {
        return grams;
    }
}
`

const postageJava = `package shop.post;

/** Postage in cents. */
public class Postage {
    public int price(Parcel parcel) {
        return parcel.grams() <= 1000 ? 450 : 900;
    }
}
`

func java() work {
	const at = "src/main/java/shop/post/"
	parcel := change(parcelJava, "        this.grams = grams;\n", "        if (grams <= 0) {\n            throw new IllegalArgumentException(\"grams: \" + grams);\n        }\n        this.grams = grams;\n")
	postage := change(postageJava, "        return parcel.grams() <= 1000 ? 450 : 900;\n", "        if (parcel.grams() > 5000) {\n            return 1500;\n        }\n        return parcel.grams() <= 1000 ? 450 : 900;\n")
	return work{
		files: map[string]string{
			".gitignore": "/.code-intel/\n", "pom.xml": "<project><artifactId>shop</artifactId></project>\n", at + "Parcel.java": parcelJava, at + "Postage.java": postageJava,
			at + "Counter.java": "package shop.post;\n\npublic class Counter {\n    private final Postage postage = new Postage();\n\n    public int sell(int grams) {\n        return postage.price(new Parcel(grams));\n    }\n}\n",
		},
		intent: "MODIFY", query: "Parcels above 5 kg cost 15 euros in Postage.price, and a Parcel must weigh something.",
		frame:    framed("change", "Parcels above 5 kg cost 15 euros in Postage.price", "src/main/java/shop/post", "Postage.price", "Parcel"),
		look:     looks([]string{"price", "Parcel", "Postage"}, "price", "grams()", at+"Parcel.java", at+"Postage.java", at+"Counter.java"),
		explored: []string{at + "Parcel.java", at + "Postage.java"}, findings: []string{"two prices: " + at + "Postage.java:6", "weights are not checked: " + at + "Parcel.java:6-8"},
		semantic: "what does it cost to send a parcel", targets: []string{"Postage.price"},
		tasks: []task{
			written("postage", at+"Postage.java", postage, "if (parcel.grams() > 5000)"),
			written("parcel", at+"Parcel.java", parcel, "throw new IllegalArgumentException"),
		},
		message: "Price heavy parcels, refuse weightless ones",
	}
}

const stockJA = `"""在庫を数える。"""


def 残り(在庫, 品名):
    """品名の残りの数を返す。"""
    return 在庫.get(品名, 0)


def 入荷(在庫, 品名, 数):
    在庫[品名] = 残り(在庫, 品名) + 数
`

// japanese is a work in which everything but the keywords is Japanese.
func japanese() work {
	stock := stockJA + "\n\ndef 出荷(在庫, 品名, 数):\n    \"\"\"在庫が足りなければエラーにする。\"\"\"\n    if 残り(在庫, 品名) < 数:\n        raise ValueError(\"在庫が足りません\")\n    在庫[品名] -= 数\n"
	return work{
		files: map[string]string{
			".gitignore": "/.code-intel/index/\n/.code-intel/sessions/\n/.code-intel/logs/\n/.code-intel/locks/\n", ".code-intel/config.json": "{\"lang\": \"ja\"}\n",
			"説明/在庫の決まり.md": "# 在庫の決まり\n\n在庫は決して負の数にしない。\n", "docs/在庫.md": "# 在庫\n\n在庫は決して負の数にしない。\n", "倉庫/在庫 管理.py": stockJA,
			"倉庫/注文.py": "from 倉庫.在庫 import 残り, 入荷\n\n\ndef 注文できる(在庫, 品名):\n    return 残り(在庫, 品名) > 0\n",
		},
		intent: "IMPLEMENT", query: "出荷機能を追加する。在庫が足りないときはエラーにしてください。",
		documents: []string{"docs/在庫.md"}, rules: []any{object{"rule": "在庫は負の数にしない", "source": "docs/在庫.md:3"}},
		frame: object{
			"action_type": "追加", "target_symbols": []string{"出荷", "残り"}, "scope": "倉庫/在庫 管理.py", "constraints": []string{"在庫は負にしない"},
			"target_feature":    object{"value": "出荷機能", "quote": "出荷機能を追加"},
			"trigger_condition": object{"value": "在庫が足りない", "quote": "在庫が足りないとき"},
			"desired_action":    object{"value": "エラーにする", "quote": "エラーにしてください"},
		},
		look:     looks([]string{"残り", "入荷", "注文できる"}, "残り", "在庫.get", "倉庫/在庫 管理.py", "倉庫/注文.py"),
		explored: []string{"倉庫/在庫 管理.py", "倉庫/注文.py"}, findings: []string{"残りを使うのは倉庫/注文.py:5だけ", "入荷はここ: 倉庫/在庫 管理.py:9-10"},
		semantic: "在庫の残りを数える", targets: []string{"残り"},
		tasks: []task{{
			id: "出荷", description: "出荷を追加する", edits: []edit{{path: "倉庫/在庫 管理.py", text: stock}},
			items: []item{{text: "倉庫/在庫 管理.py: 出荷()を追加", evidence: line("倉庫/在庫 管理.py", stock, "def 出荷")}, {text: "画面の表示", reason: "依頼には画面のことが書かれていないため"}},
		}},
		message: "出荷を追加する",
	}
}
