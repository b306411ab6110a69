package e2e

import (
	"fmt"
	"strings"
)

// Agents whose honest work looks like a lie, or comes in an unusual way.
var unusualAgents = []honestAgent{
	{name: "finds another task on the way, and plans again", habits: habits{before: once(implement, func(a *agent) {
		a.work.tasks = append(a.work.tasks, written("limit", "shop/limits.py", "MOST = 50  # percent of discount\n", "MOST"))
		a.took(a.submit(with(a.plan(), object{"summary": "The limit is missing.", "tools_used": []string{}})))
	})}},
	{name: "finds that a task is not needed, and says why", work: func() work {
		w := discount()
		w.tasks = append(w.tasks, task{id: "price", description: "Prices", items: []item{{text: "shop/price.py: net takes the discount", reason: "the total takes it off, so that net stays as it is"}}})
		return w
	}},
	{name: "has its tests assert by a function beside them", work: func() work {
		w := discount()
		helper := "def holds(cart, total):\n    assert cart.total() == total\n\n\n"
		text := change(discountedTest, "def test_discount", helper+"def test_discount", "    assert cart.total() == 900\n", "    holds(cart, 900)\n")
		w.tasks[1].edits[0].text = text
		w.tasks[1].items[0].evidence = line("tests/test_cart.py", text, "holds(cart, 900)")
		return w
	}},
	{name: "moves a test to another file", work: func() work {
		w := discount()
		w.query, w.message = "Move the tests of Cart.total to tests/test_total.py.", "Move the tests of the total"
		w.frame = framed("move", "Move the tests of Cart.total", "tests/test_cart.py", "Cart.total")
		w.tasks = []task{{id: "move", description: "Move the tests", edits: []edit{{from: "tests/test_cart.py", path: "tests/test_total.py", text: shop["tests/test_cart.py"]}},
			items: []item{{text: "tests/test_total.py is what tests/test_cart.py was: moved", evidence: "tests/test_cart.py -> tests/test_total.py"}}}}
		return w
	}},
	{name: "moves a function to another module", work: func() work {
		w := deletion()
		w.query, w.message = "Move left from shop/stock.py to shop/price.py.", "Move left to the prices"
		w.frame = framed("move", "Move left from shop/stock.py", "shop/stock.py, shop/price.py", "left")
		text := shop["shop/price.py"] + "\n\n" + shop["shop/stock.py"][strings.Index(shop["shop/stock.py"], "def left"):]
		w.explored = []string{"shop/stock.py", "shop/price.py"}
		w.tasks = []task{{id: "move", description: "Move left", edits: []edit{{path: "shop/price.py", text: text}, {path: "shop/stock.py", gone: true}},
			items: []item{{text: "left is moved to shop/price.py", evidence: line("shop/price.py", text, "def left")}, {text: "shop/stock.py is gone", evidence: "shop/stock.py"}}}}
		return w
	}},
	{name: "deletes what a test tests, and the test", work: func() work {
		w := typescript()
		w.files["src/slug.ts"] = slugTS + "\nexport function shout(title: string): string {\n  return title.toUpperCase();\n}\n"
		w.files["test/slug.test.ts"] = slugTest + "\ntest(\"shout\", () => {\n  expect(shout(\"a\")).toBe(\"A\");\n});\n"
		w.query, w.message = "Delete shout from src/slug.ts, nobody calls it, and the test of it.", "Take shout out"
		w.frame = framed("delete", "Delete shout", "src/slug.ts", "shout")
		w.look, w.targets = looks([]string{"shout", "slugify", "Post"}, "slugify", "shout(", "src/slug.ts", "src/post.ts", "test/slug.test.ts"), []string{"shout"}
		w.tasks = []task{
			{id: "code", description: "Delete shout", edits: []edit{{path: "src/slug.ts", text: slugTS}}, items: []item{{text: "src/slug.ts: shout is gone", evidence: fmt.Sprintf("src/slug.ts:%d", strings.Count(slugTS, "\n"))}}},
			{id: "test", description: "Delete its test", edits: []edit{{path: "test/slug.test.ts", text: slugTest}}, items: []item{{text: "test/slug.test.ts: the test of shout is gone", evidence: fmt.Sprintf("test/slug.test.ts:%d", strings.Count(slugTest, "\n"))}}},
		}
		return w
	}, habits: habits{submits: reasoning("test/slug.test.ts", "shout, which it tested, is deleted as the request wants it")}},
	{name: "takes a property out of an object", work: func() work {
		text := change(slugTS, "  return title", "  delete (options as Partial<SlugOptions>).maxLength;\n  return title")
		return aloneIn(typescript, "src/slug.ts", "slugify must take maxLength out of its options.", "slugify must take maxLength out", text, "src/slug.ts: maxLength is taken out of the options", "delete (options")
	}},
	{name: "only logs, as it is asked to", work: func() work {
		text := change(slugTS, "  return title", "  console.debug(\"slug of\", title);\n  return title")
		return aloneIn(typescript, "src/slug.ts", "slugify must log the title that it is given.", "slugify must log the title", text, "src/slug.ts: the title is logged", "console.debug")
	}},
	{name: "waits for a promise by giving it back", work: func() work {
		text := slugTest + "\ntest(\"later\", () => {\n  return expect(Promise.resolve(slugify(\"A b\"))).resolves.toBe(\"a-b\");\n});\n"
		return aloneIn(typescript, "test/slug.test.ts", "Add a test of slugify behind a promise.", "Add a test of slugify", text, "test/slug.test.ts: slugify behind a promise", "return expect")
	}},
	{name: "changes one line of a huge file", work: func() work {
		rows := strings.Repeat("    (\"tea\", 1000),\n", 150_000)
		w := discount()
		w.files = with2(shop, map[string]string{"shop/list.py": "RATE = 10\nROWS = [\n" + rows + "]\n"})
		w.tasks = append(w.tasks, written("rate", "shop/list.py", "RATE = 12\nROWS = [\n"+rows+"]\n", "RATE"))
		return w
	}},
	{name: "raises a version, and the lock file with it", work: func() work {
		lock := func(v string) string {
			return "{\n  \"packages\": {\n    \"node_modules/jest\": { \"version\": \"" + v + "\", \"integrity\": \"sha512-" + strings.Repeat("a", 80) + v + "\" }\n  }\n}\n"
		}
		manifest := func(v string) string {
			return "{\n  \"name\": \"blog\",\n  \"scripts\": { \"test\": \"jest\" },\n  \"devDependencies\": { \"jest\": \"" + v + "\" }\n}\n"
		}
		w := typescript()
		w.files["package.json"], w.files["package-lock.json"] = manifest("29.0.0"), lock("29.0.0")
		w.query, w.message = "Raise jest to 30.0.0.", "Raise jest to 30.0.0"
		w.frame = framed("raise", "Raise jest to 30.0.0", "package.json", "jest")
		w.look = append(w.look, call{"search_text", object{"pattern": "jest"}}, call{"get_symbols", object{"path": "package.json"}}, call{"get_symbols", object{"path": "package-lock.json"}})
		w.tasks = []task{{id: "raise", description: "Raise jest", edits: []edit{{path: "package.json", text: manifest("30.0.0")}, {path: "package-lock.json", text: lock("30.0.0")}},
			items: []item{{text: "package.json asks for jest 30.0.0", evidence: line("package.json", manifest("30.0.0"), `"devDependencies"`)}, {text: "package-lock.json locks jest 30.0.0", evidence: line("package-lock.json", lock("30.0.0"), `"node_modules/jest"`)}}}}
		return w
	}},
	{name: "adds a test in C, by the macros of its library", work: checked},
}

// aloneIn is [alone], where targets and findings stay those of the project.
func aloneIn(project func() work, path, query, feature, text, item, word string) work {
	w := alone(project, path, query, feature, text, item, word)
	w.frame = framed("change", feature, path, "slugify")
	return w
}

// checked adds a test to a program in C whose tests are written for Check.
func checked() work {
	const head = "#include <check.h>\n#include \"cart.h\"\n\nSTART_TEST(total)\n{\n    ck_assert_int_eq(cart_total(2, 300), 600);\n}\nEND_TEST\n"
	test := head + "\nSTART_TEST(nothing)\n{\n    ck_assert_int_eq(cart_total(0, 300), 0);\n}\nEND_TEST\n"
	return work{
		files: map[string]string{".gitignore": ignored, "cart.h": "int cart_total(int count, int price);\n", "cart.c": "#include \"cart.h\"\n\nint cart_total(int count, int price)\n{\n    return count * price;\n}\n",
			"Makefile": "check: cart.c tests/check_cart.c\n\tcc -o $@ $^ -lcheck\n", "tests/check_cart.c": head},
		intent: "MODIFY", query: "Add a test of cart_total without anything in the cart.",
		frame:    framed("add", "Add a test of cart_total", "tests/check_cart.c", "cart_total"),
		look:     looks([]string{"cart_total", "total", "count"}, "cart_total", "cart_total(", "cart.c", "tests/check_cart.c", "cart.h"),
		explored: []string{"cart.c", "tests/check_cart.c"}, findings: []string{"the total is a product: cart.c:5", "it is tested once: tests/check_cart.c:6"},
		semantic: "total of the cart", targets: []string{"cart_total"},
		tasks:   []task{written("test", "tests/check_cart.c", test, "ck_assert_int_eq(cart_total(0")},
		message: "Test an empty cart",
	}
}
