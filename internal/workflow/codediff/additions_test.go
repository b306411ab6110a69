package codediff

import (
	"strings"
	"testing"

	"codeintel/internal/workflow/codediff/additions/unread"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestUnusedNames looks for what changes add and do not use. Each is the text before, what is added to
// it, a second file, the request, and what is found.
func TestUnusedNames(t *testing.T) {
	const options = "export interface CartOptions {\n  currency?: string;\n}\n"
	const rust = "pub struct Config {\n    pub capacity: usize,\n}\n"
	for _, c := range []struct{ name, file, base, now, other, request, want string }{
		{"a function that nobody names", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "", "Escape titles", "escapeHtml:never_named"},
		{"a function that a test names", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "escapeHtml(\"<\");\n", "Escape titles", ""},
		{"a function that was asked for", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "", "Add escapeHtml", ""},
		{"a method", "src/page.ts", "class A {\n}\n", "class A {\n  escapeHtml(t: string) {\n    return t;\n  }\n}\n", "", "Escape titles", ""},
		{"a variant that nobody makes", "src/parser.rs", "pub enum E {\n    Empty,\n}\n", "pub enum E {\n    Empty,\n    TooMany,\n}\n", "", "Refuse too much", "TooMany:never_named"},
		{"an option that is off", "src/cart.ts", options, "export interface CartOptions {\n  currency?: string;\n  roundToFive?: boolean;\n}\n\nexport const f = (o: CartOptions) => (o.roundToFive ? 5 : 1);\n", "", "Round totals", "roundToFive:never_set"},
		{"an option that a test turns on", "src/cart.ts", options, "export interface CartOptions {\n  currency?: string;\n  roundToFive?: boolean;\n}\n\nexport const f = (o: CartOptions) => (o.roundToFive ? 5 : 1);\n", "f({ roundToFive: true });\n", "Round totals", ""},
		{"an option that was asked for", "src/cart.ts", options, "export interface CartOptions {\n  currency?: string;\n  roundToFive?: boolean;\n}\n\nexport const f = (o: CartOptions) => (o.roundToFive ? 5 : 1);\n", "", "Add an option to round totals", ""},
		{"an option that nobody reads", "src/config.rs", rust, "pub struct Config {\n    pub capacity: usize,\n    pub max_length: usize,\n}\n\nfn f(c: &mut Config) {\n    c.max_length = 3;\n}\n", "", "Support the setting max_length", "max_length:never_read"},
		{"an option of Go that nobody reads", "queue.go", "package p\n\ntype Options struct {\n\tLimit int\n}\n", "package p\n\ntype Options struct {\n\tLimit int\n\tMaxWait time.Duration\n}\n", "", "Wait at most MaxWait", "MaxWait:never_read"},
		{"an option that is read", "src/config.rs", rust, "pub struct Config {\n    pub capacity: usize,\n    pub max_length: usize,\n}\n\nfn f(c: &Config) -> bool {\n    c.max_length > 3\n}\n", "", "Support the setting max_length", ""},
		{"a function that markup calls", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "<script setup>\nimport { escapeHtml } from '../src/page'\n</script>\n<template>{{ escapeHtml(a) }}</template>\n", "Escape titles", ""},
		{"a value that the markup never shows", "src/A.vue", "<script setup>\nconst a = 1\n</script>\n<template><p>{{ a }}</p></template>\n", "<script setup>\nconst a = 1\nconst total = computed(() => a * 2)\n</script>\n<template><p>{{ a }}</p></template>\n", "", "Show the sum", "total:never_named"},
		{"a value that the markup shows", "src/A.vue", "<script setup>\nconst a = 1\n</script>\n<template><p>{{ a }}</p></template>\n", "<script setup>\nconst a = 1\nconst total = computed(() => a * 2)\n</script>\n<template><p>{{ total }}</p></template>\n", "", "Show the sum", ""},
		{"what a component is given", "src/A.vue", "<script setup>\nconst a = 1\n</script>\n<template><p>{{ a }}</p></template>\n", "<script setup>\nconst a = 1\nconst props = defineProps({ b: Number })\n</script>\n<template><p>{{ a }}</p></template>\n", "", "Show the sum", ""},
		{"a handler of Svelte that nothing calls", "src/A.svelte", "<script>\n  let a = 1\n</script>\n<p>{a}</p>\n", "<script>\n  let a = 1\n  function onKey(e) {\n    a = 2\n  }\n</script>\n<p>{a}</p>\n", "", "Close on escape", "onKey:never_named"},
		{"a handler of Svelte for the window", "src/A.svelte", "<script>\n  let a = 1\n</script>\n<p>{a}</p>\n", "<script>\n  let a = 1\n  function onKey(e) {\n    a = 2\n  }\n</script>\n<svelte:window on:keydown={onKey} />\n<p>{a}</p>\n", "", "Close on escape", ""},
		{"a route that is not listed", "src/router.ts", "import A from './A.vue'\nexport const routes = [{ path: '/', component: A }]\n", "import A from './A.vue'\nconst ordersRoute = { path: '/orders', component: A }\nexport const routes = [{ path: '/', component: A }]\n", "", "Add a page for orders", "ordersRoute:never_named"},
		{"a route that is listed", "src/router.ts", "import A from './A.vue'\nexport const routes = [{ path: '/', component: A }]\n", "import A from './A.vue'\nconst ordersRoute = { path: '/orders', component: A }\nexport const routes = [ordersRoute, { path: '/', component: A }]\n", "", "Add a page for orders", ""},
		{"a local function of Lua", "plugin/a.lua", "local M = {}\nreturn M\n", "local M = {}\nlocal function count(dirs)\n  return #dirs\nend\nreturn M\n", "", "Say how many folders there are", "count:never_named"},
		{"a function of a module of Lua", "plugin/a.lua", "local M = {}\nreturn M\n", "local M = {}\nfunction M.count(dirs)\n  return #dirs\nend\nreturn M\n", "", "Say how many folders there are", ""},
		{"a private function of Elixir", "lib/a.ex", "defmodule A do\n  def f(x), do: x\nend\n", "defmodule A do\n  def f(x), do: x\n  defp too_many(x), do: length(x) > 9\nend\n", "", "Refuse long lists", "too_many:never_named"},
		{"a private function with a mark", "lib/a.ex", "defmodule A do\n  def f(x), do: x\nend\n", "defmodule A do\n  def f(x), do: few!(x)\n  defp few!(x), do: length(x) > 9\nend\n", "", "Refuse long lists", ""},
		{"a function of a script", "bin/a.sh", "#!/bin/bash\necho a\n", "#!/bin/bash\nbackup() {\n  tar cz .\n}\necho a\n", "", "Save all before", "backup:never_named"},
		{"a function of a script that a trap calls", "bin/a.sh", "#!/bin/bash\necho a\n", "#!/bin/bash\ncleanup() {\n  rm -rf x\n}\ntrap cleanup EXIT\necho a\n", "", "Remove what is left", ""},
		{"a function that others source", "lib/a.sh", "echo a\n", "backup() {\n  tar cz .\n}\necho a\n", "", "Save all before", ""},
	} {
		files := []File{{Path: c.file, Base: []byte(c.base), New: []byte(c.now)}}
		if c.other != "" {
			path := "test/a.test.ts"
			if strings.HasPrefix(c.other, "<script") {
				path = "src/Other.vue"
			}
			files = append(files, File{Path: path, New: []byte(c.other), Test: path != "src/Other.vue"})
		}
		var got []string
		for _, w := range Compare(files, nil).WeakenedFor(c.request, "", unread.Project{}) {
			got = append(got, w.Test+":"+string(w.How))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAdditions plays the cases of testdata/additions.txtar, which look like those of TestWeakened, with the
// request in front.
func TestAdditions(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/additions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	alone := unread.Project{Containing: func([]string) (map[string][]byte, bool) { return map[string][]byte{}, true }}
	for _, f := range archive.Files {
		head, want, _ := strings.Cut(f.Name, " =")
		name, file, _ := strings.Cut(head, " @ ")
		request, texts, _ := strings.Cut(string(f.Data), "\n")
		base, text, _ := strings.Cut(texts, "=====>\n")
		var got []string
		change := File{Path: file, Base: []byte(base), New: []byte(text)}
		for _, w := range Compare([]File{change}, nil).WeakenedFor(request, "", alone) {
			got = append(got, w.Test+":"+string(w.How))
		}
		if got := strings.Join(got, " "); got != strings.TrimSpace(want) {
			t.Errorf("%s: %q, want %q", name, got, strings.TrimSpace(want))
		}
	}
}

// TestItems checks what items say against what is cited.
func TestItems(t *testing.T) {
	base := "class A {\n  async get(p: string) {\n    return go(p);\n  }\n\n  async post(p: string) {\n    return go(p);\n  }\n}\n"
	one := strings.Replace(base, "return go(p);", "return go(p, { headers });", 1)
	both := strings.ReplaceAll(base, "return go(p);", "return go(p, { headers });")
	for _, c := range []struct {
		now, item, want string
	}{
		{one, "Send headers with GET and POST", "post"},
		{one, "Send headers with `get()` and `post()`", "post"},
		{one, "Send headers with GET", ""},
		{one, "Get and post what is there", ""},
		{both, "Send headers with GET and POST", ""},
	} {
		d := Compare([]File{{Path: "src/a.ts", Base: []byte(base), New: []byte(c.now)}}, nil)
		if got := d.Untouched(c.item, "src/a.ts"); got != c.want {
			t.Errorf("%q: %q, want %q", c.item, got, c.want)
		}
	}
	caught := func(file, text, item string) bool {
		return Compare([]File{{Path: file, New: []byte(text)}}, nil).Swallows(item, file, 1, 9)
	}
	for text, want := range map[string]bool{
		"function f() {\n  try {\n    return g();\n  } catch (error) {\n    return [];\n  }\n}\n":                       true,
		"function f() {\n  try {\n    return g();\n  } catch (error) {\n    throw new Error(`f: ${error}`);\n  }\n}\n":  false,
		"function f() {\n  try {\n    return g();\n  } catch (error) {\n    log.warn(error);\n    return [];\n  }\n}\n": false,
		"function f() {\n  return g();\n}\n": false,
	} {
		if got := caught("src/a.ts", text, "report what goes wrong"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if caught("src/a.ts", "function f() {\n  try {\n    return g();\n  } catch (error) {\n    return [];\n  }\n}\n", "give an empty list where there is none") {
		t.Error("an item that wants no error")
	}
	again := "def f(n):\n    for i in range(n):\n        try:\n            if not g():\n                raise ValueError(i)\n        except ValueError as e:\n            last = e\n    raise last\n"
	for text, want := range map[string]bool{again: false, strings.Replace(again, "raise last", "return last", 1): true} {
		d := Compare([]File{{Path: "a.py", New: []byte(text)}}, nil)
		if got := d.Swallows("raise ValueError when g fails", "a.py", 4, 5); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for file, text := range map[string]string{
		"src/a.ts":   "function f() {\n  try {\n    if (!g()) {\n      throw new Error('g');\n    }\n  } catch {\n    return [];\n  }\n}\n",
		"lib/a.ex":   "def f(x) do\n  g(x)\nrescue\n  _ -> 0\nend\n",
		"plugin.lua": "function f()\n  pcall(function()\n    g()\n  end)\nend\n",
		"bin/a.sh":   "#!/bin/sh\nrsync a b || true\n",
	} {
		if !caught(file, text, "report when g fails") {
			t.Errorf("%s: an error that nobody hears of", file)
		}
	}
	for text, want := range map[string]bool{
		"def f(x):\n    try:\n        if x < 0:\n            raise ValueError(x)\n    except ValueError as e:\n        self.last = e\n":     true,
		"def f(x):\n    with contextlib.suppress(ValueError):\n        if x < 0:\n            raise ValueError(x)\n":                        true,
		"def f(x):\n    try:\n        if x < 0:\n            raise ValueError(x)\n    except KeyError as e:\n        self.last = e\n":       false,
		"def f(x):\n    try:\n        if x < 0:\n            raise ValueError(x)\n    except ValueError as e:\n        return failure(e)\n": false,
		"def f(x):\n    if x < 0:\n        raise ValueError(x)\n":                                                                           false,
	} {
		if got := caught("a.py", text, "f raises ValueError below 0"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"function f(x) {\n  setTimeout(() => {\n    if (x < 0) throw new RangeError(x);\n  }, 0);\n}\n":                      true,
		"function f(x) {\n  Promise.resolve().then(() => {\n    if (x < 0) throw new RangeError(x);\n  });\n}\n":             true,
		"function f(x) {\n  return Promise.resolve().then(() => {\n    if (x < 0) throw new RangeError(x);\n  });\n}\n":      false,
		"function f(x) {\n  try {\n    if (x < 0) throw new RangeError(x);\n  } finally {\n    g(x);\n    return;\n  }\n}\n": true,
		"function f(x) {\n  try {\n    if (x < 0) throw new RangeError(x);\n  } finally {\n    g(x);\n  }\n}\n":              false,
		"function f(x, next) {\n  try {\n    if (x < 0) throw new RangeError(x);\n  } catch (e) {\n    next(e);\n  }\n}\n":   false,
	} {
		if got := caught("src/a.ts", text, "f throws a RangeError below 0"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if !caught("src/a.rs", "fn f(out: &mut W) {\n    out.flush().ok();\n}\n", "report what cannot be flushed") {
		t.Error("an error that is dropped")
	}
}
