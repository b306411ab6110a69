package e2e

import (
	"fmt"
	"maps"
	"os"
	"strings"
)

// ignored is a project's .gitignore.
const ignored = "/.code-intel/\n"

const pageHTML = "<!doctype html>\n<html>\n<body>\n  <h1 class=\"title\">Shop</h1>\n</body>\n</html>\n"

// markup is a work without logic.
func markup() work {
	page := change(pageHTML, "  <h1 class=\"title\">Shop</h1>\n", "  <h1 class=\"title\">Shop</h1>\n  <p class=\"notice\">Closed on Sundays</p>\n")
	const css = ".title {\n  color: black;\n}\n"
	return work{
		files:  map[string]string{".gitignore": ignored, "index.html": pageHTML, "style.css": css},
		intent: "MODIFY", query: "Show a notice on the page: Closed on Sundays, in red.",
		frame:    framed("add", "a notice on the page", "index.html, style.css", "index.html", "style.css"),
		look:     []call{{"search_text", object{"pattern": "title"}}},
		explored: []string{"index.html", "style.css"}, findings: []string{"the title stands at index.html:4", "its style at style.css:1"},
		semantic: "title of the page", targets: []string{"index.html"},
		tasks:   []task{written("page", "index.html", page, `<p class="notice">`), written("style", "style.css", css+"\n.notice {\n  color: red;\n}\n", ".notice")},
		message: "Show a notice",
	}
}

// refactor renames a function that 36 modules call.
func refactor() work {
	w := work{
		files: map[string]string{
			".gitignore": ignored, "lib/log.py": "def write(text):\n    print(text)\n\n\ndef flush():\n    pass_on()\n\n\ndef pass_on():\n    print(end=\"\")\n",
		},
		intent: "MODIFY", query: "Rename write in lib/log.py to write_line, everywhere.", flags: []string{"--gate=full"},
		frame:    framed("rename", "Rename write in lib/log.py", "the whole project", "write"),
		look:     looks([]string{"write", "flush", "pass_on"}, "write", "write(", "lib/log.py"),
		semantic: "who writes to the log", targets: []string{"lib/log.py", "write"}, findings: []string{"all modules call it: lib/log.py:1"}, explored: []string{"lib/log.py"},
		message: "Rename write to write_line",
	}
	const each = "from lib.log import write\n\n\ndef run_%02d(order):\n    total = order * %d\n    write(f\"{total}\")\n    return total\n"
	all := task{id: "rename", description: "Rename the function and its calls"}
	add := func(path, text, word string) {
		all.edits = append(all.edits, edit{path: path, text: text})
		all.items = append(all.items, item{text: path, evidence: line(path, text, word)})
	}
	add("lib/log.py", strings.Replace(w.files["lib/log.py"], "def write(", "def write_line(", 1), "def write_line")
	for n := range 36 {
		path := fmt.Sprintf("jobs/job_%02d.py", n)
		w.files[path] = fmt.Sprintf(each, n, n+2)
		add(path, strings.NewReplacer("import write", "import write_line", "    write(", "    write_line(").Replace(w.files[path]), "write_line(")
	}
	w.tasks = []task{all}
	return w
}

// addition puts a function beside one that 36 modules call.
func addition() work {
	w := refactor()
	w.query, w.message = "Add write_error(text) to lib/log.py, which marks the text as an error.", "Add write_error"
	w.frame = framed("add", "Add write_error(text) to lib/log.py", "lib/log.py", "write", "write_error")
	w.tasks = []task{written("add", "lib/log.py", w.files["lib/log.py"]+"\n\ndef write_error(text):\n    write(\"error: \" + text)\n", "def write_error")}
	return w
}

// besides is addition by an agent that may close gates.
func besides() work {
	w := addition()
	w.flags, w.look = nil, looks([]string{"write", "flush", "pass_on"}, "flush", "pass_on(", "lib/log.py")
	return w
}

// newMember adds a method to a class whose users have nothing to do with it.
func newMember() work {
	w := discount()
	w.query, w.message = "Add count() to Cart, which returns how many lines it has.", "Add Cart.count"
	w.frame = framed("add", "Add count() to Cart", "shop/cart.py", "Cart", "Cart.count")
	w.targets = []string{"Cart.count"}
	w.tasks = []task{written("add", "shop/cart.py", shop["shop/cart.py"]+"\n    def count(self):\n        return len(self.lines)\n", "def count")}
	return w
}

// deletion removes a module that nobody needs.
func deletion() work {
	w := discount()
	w.query, w.message = "Delete shop/stock.py, nobody uses the stock any more.", "Take the stock out"
	w.frame = framed("delete", "Delete shop/stock.py", "shop/stock.py", "shop/stock.py", "left")
	w.look = looks([]string{"left", "net", "gross"}, "gross", "stock", "shop/stock.py", "shop/price.py", "shop/cart.py")
	w.explored, w.findings, w.targets = []string{"shop/stock.py"}, []string{"nothing calls left: shop/stock.py:4"}, []string{"left"}
	w.tasks = []task{{
		id: "delete", description: "Delete the module", edits: []edit{{path: "shop/stock.py", gone: true}},
		items: []item{{text: "shop/stock.py is gone", evidence: "shop/stock.py"}},
	}}
	return w
}

// renaming moves a module and changes nothing in it.
func renaming() work {
	w := deletion()
	w.query, w.message = "Rename shop/stock.py to shop/store.py.", "Rename the stock"
	w.frame = framed("rename", "Rename shop/stock.py", "shop/stock.py", "shop/stock.py", "left")
	w.tasks = []task{{
		id: "rename", description: "Rename the module", edits: []edit{{from: "shop/stock.py", path: "shop/store.py", text: shop["shop/stock.py"]}},
		items: []item{{text: "shop/store.py is what shop/stock.py was", evidence: "shop/stock.py -> shop/store.py"}},
	}}
	return w
}

const logo = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00"

// binary replaces an image, and adds one.
func binary() work {
	w := work{
		files:  with2(shop, map[string]string{"img/logo.png": logo + "old", "index.html": pageHTML}),
		intent: "MODIFY", query: "Replace img/logo.png by the new logo, add img/icon.png and show the icon in index.html.",
		documents: []string{"docs/money.md"}, frame: framed("replace", "Replace img/logo.png by the new logo", "img/logo.png", "img/logo.png", "index.html"),
		look:     looks([]string{"net", "gross", "left"}, "net", "title", "index.html", "shop/price.py"),
		explored: []string{"index.html"}, findings: []string{"the page has a title: index.html:4"}, semantic: "logo", targets: []string{"index.html"},
		message: "Replace the logo, add an icon",
	}
	page := change(pageHTML, "<body>\n", "<body>\n  <img src=\"img/icon.png\">\n")
	w.tasks = []task{
		{
			id: "images", description: "The images", edits: []edit{{path: "img/logo.png", text: logo + "new"}, {path: "img/icon.png", text: logo + "icon"}},
			items: []item{{text: "img/logo.png is the new one", evidence: "img/logo.png"}, {text: "img/icon.png is there", evidence: "img/icon.png"}},
		},
		written("page", "index.html", page, "<img"),
	}
	return w
}

// with2 lays some files over others.
func with2(files, more map[string]string) map[string]string {
	out := maps.Clone(files)
	maps.Copy(out, more)
	return out
}

// documents is a work on prose only.
func documents() work {
	w := discount()
	w.query, w.message = "Say in docs/money.md that amounts are in euros, and add docs/tax.md about tax.", "Document money and tax"
	money := shop["docs/money.md"] + "The currency is the euro.\n"
	w.frame = framed("document", "Say in docs/money.md that amounts are in euros", "docs/money.md", "docs/money.md")
	w.look = []call{{"search_text", object{"pattern": "cents"}}}
	w.explored, w.findings, w.targets = []string{"docs/money.md"}, []string{"amounts are in cents: docs/money.md:3"}, []string{"docs/money.md"}
	w.tasks = []task{written("money", "docs/money.md", money, "The currency"), written("tax", "docs/tax.md", "# Tax\n\nTax is a whole percentage.\n", "Tax is")}
	return w
}

// beginning is a work in a project that has no file yet.
func beginning() work {
	const text = "def main():\n    print(\"hello\")\n"
	return work{
		intent: "IMPLEMENT", query: "Write a program that says hello.",
		frame:    framed("write", "a program that says hello", "hello/main.py", "main"),
		findings: []string{"the project is empty"}, semantic: "hello",
		tasks:   []task{written("main", "hello/main.py", text, "def main"), written("readme", "README.md", "# Hello\n\nIt says hello.\n", "It says")},
		message: "Say hello",
	}
}

// awkward is a work on files whose names are hard to handle.
func awkward() work {
	names := []string{"-rf.py", "a file.py", "pages/[id].py", "pages/(group)/x.py", "日本語/価格.py", "no_extension", "quo\"te.py", ".hidden.py", "a,b.py", "col:on.py"}
	w := work{
		files:  map[string]string{".gitignore": ignored, "lib.py": "def one():\n    return 1\n\n\ndef two():\n    return one() + one()\n\n\ndef three():\n    return one() + two()\n"},
		intent: "MODIFY", query: "Every function called named must return 2 instead of 1.",
		frame:    framed("change", "Every function called named must return 2", "all files", "named"),
		look:     looks([]string{"one", "two", "three", "named"}, "one", "return 1", "lib.py"),
		explored: []string{"lib.py"}, findings: []string{"one is used twice: lib.py:6"}, semantic: "named", targets: []string{"named"}, message: "Return 2",
	}
	t := task{id: "all", description: "Change all files"}
	for _, name := range names {
		w.files[name] = "def named():\n    return 1\n"
		w.look = append(w.look, call{"get_symbols", object{"file_path": name}})
		w.explored = append(w.explored, name)
		t.edits = append(t.edits, edit{path: name, text: "def named():\n    return 2\n"})
		t.items = append(t.items, item{text: name + " returns 2", evidence: name + ":2"})
	}
	t.edits = append(t.edits, edit{path: "日本語/新しい ファイル.py", text: "def named():\n    return 2\n"})
	t.items = append(t.items, item{text: "a new one", evidence: "日本語/新しい ファイル.py:1-2"})
	w.tasks = []task{t}
	return w
}

// modes makes a file executable, points a link elsewhere and makes another.
func modes() work {
	w := discount()
	w.files = with2(shop, map[string]string{"run.sh": "#!/bin/sh\nexec python -m shop\n"})
	w.query, w.message = "Make run.sh executable, and let the link current point to shop/cart.py; add a link latest.", "Make run.sh executable, move the link"
	w.frame = framed("change", "Make run.sh executable", "run.sh, current", "run.sh")
	w.look = append(w.look, call{"search_text", object{"pattern": "exec python"}})
	w.explored, w.findings, w.targets = []string{"run.sh", "shop/cart.py"}, []string{"it starts the shop: run.sh:2"}, []string{"run.sh"}
	link := func(to string) func(*agent, string) {
		return func(a *agent, path string) {
			if err := os.Remove(a.Path(path)); err != nil && !os.IsNotExist(err) {
				a.T.Fatal(err)
			}
			if err := os.Symlink(to, a.Path(path)); err != nil {
				a.T.Fatal(err)
			}
		}
	}
	w.tasks = []task{{
		id: "modes", description: "Mode and links", edits: []edit{
			{path: "run.sh", by: func(a *agent, path string) {
				if err := os.Chmod(a.Path(path), 0o755); err != nil {
					a.T.Fatal(err)
				}
			}},
			{path: "current", by: link("shop/cart.py")}, {path: "latest", by: link("shop/price.py")},
		},
		items: []item{{text: "run.sh is executable", evidence: "run.sh"}, {text: "current points to the cart", evidence: "current"}, {text: "latest is there", evidence: "latest"}},
	}}
	return w
}

// asked is a work that only looks.
func asked(intent, query string) func() work {
	return func() work {
		w := discount()
		w.intent, w.query, w.tasks = intent, query, nil
		w.frame = framed("explain", "total of the cart", "shop/cart.py", "Cart.total")
		return w
	}
}
