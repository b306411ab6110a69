package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUnseenUses asks for what is used in files that are not read as code, or read only in
// part: the answer shows the places by the name alone.
func TestUnseenUses(t *testing.T) {
	broken := "namespace Tea {\n  class Cup { void Fill() { TotalPrice(); } }\n" +
		"  class Pot { void Boil( { if ((( } TotalPrice\n  @@@ void Lost() {{ TotalPrice(); }\n// TotalPrice\n \"TotalPrice\" @@\n"
	for _, c := range []struct {
		name, symbol string
		files        map[string]string
		want         []string
		whole        bool
	}{
		{"a template", "TotalPrice", map[string]string{"Views/Cart.cshtml": "<p>@Model.TotalPrice</p>\n"},
			[]string{"Views/Cart.cshtml:1"}, true},
		{"a word of a language, in prose", "total", map[string]string{"Views/Cart.cshtml": "<p>The total of it</p>\n<i>@Model.total</i>\n"},
			[]string{"Views/Cart.cshtml:2"}, true},
		{"directives of a page", "total", map[string]string{"Views/Cart.html": "<p>The total of it</p>\n" +
			"<i>{{ escape(cart.total[\"a\"]) }}</i>\n<i title=\"{{ total }}\">{{ total }}</i>\n{% if total %}<b>total</b>\n" +
			"<% total %>\n<p th:text=\"${cart.total}\">\n"},
			[]string{"Views/Cart.html:2", "Views/Cart.html:3", "Views/Cart.html:4", "Views/Cart.html:5", "Views/Cart.html:6"}, true},
		{"prose and data", "TotalPrice", map[string]string{"NEWS.txt": "TotalPrice is new\n", "a.csv": "TotalPrice\n", "LICENSE": "TotalPrice\n"},
			nil, true},
		{"a file read in part", "TotalPrice", map[string]string{"Broken.cs": broken}, []string{"Broken.cs:3", "Broken.cs:6"}, false},
	} {
		tree := map[string]string{"Cart.cs": "class Cart { int TotalPrice() { return total(); } int total() { return TotalPrice(); } }\n"}
		for file, text := range c.files {
			tree[file] = text
		}
		e := open(t, tree)
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: c.symbol})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			if r.Role == inText {
				got = append(got, fmt.Sprintf("%s:%d", r.File, r.Line))
			}
		}
		if !slices.Equal(got, c.want) || a.Complete != c.whole {
			t.Errorf("%s: %v, complete %v; want %v\n%s", c.name, got, a.Complete, c.want, strings.TrimSpace(a.Text()))
		}
	}
}

// TestNamesInQuotes asks for what code also names as a text. Such places are shown where other
// uses are known too, and so is that code in the impact of a change.
func TestNamesInQuotes(t *testing.T) {
	for _, c := range []struct {
		symbol string
		files  map[string]string
		want   []string
	}{
		{"save", map[string]string{"cart.lua": "local M = {}\nfunction M.save(x) end\nM.save(1)\nreturn M\n",
			"cart_spec.lua": "local m = require('cart')\nspy.on(m, 'save')\n-- spy.on(m, 'save')\nprint('save')\n"},
			[]string{"cart_spec.lua:2"}},
		{"fetchOne", map[string]string{"a.ts": "export class Svc { fetchOne() { return 1 } }\nexport class Pot { fetchOne() { return 1 } }\nnew Svc().fetchOne();\n",
			"a.test.ts": "import { Svc, Pot } from './a';\nconst s = new Svc(), p = new Pot();\njest.spyOn(s, \"fetchOne\");\nit(\"fetchOne of it\", f);\n"},
			[]string{"a.test.ts:3"}},
		{"Cart", map[string]string{"shop/cart.py": "class Cart:\n    def save(self): pass\n\nCart()\n",
			"test_cart.py": "patch('shop.cart.Cart.save')\npatch('shop.cart.Cart')\nprint('a Cart')\nd = {'Cart': 1}\n"},
			[]string{"test_cart.py:1", "test_cart.py:2"}},
	} {
		e := open(t, c.files)
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: c.symbol})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			if r.Role == inText {
				got = append(got, fmt.Sprintf("%s:%d", r.File, r.Line))
			}
		}
		if !slices.Equal(got, c.want) || len(a.References) == len(got) {
			t.Errorf("%s: %v, want %v\n%s", c.symbol, got, c.want, a.Text())
		}
	}
}

// TestTextsTooMany has a name in more texts than an answer counts. It says so, and a part of the
// project is answered whole.
func TestTextsTooMany(t *testing.T) {
	notes := func(n int) string { return strings.Repeat("see TotalPrice\n", n) }
	e := open(t, map[string]string{
		"a/cart.py": "def TotalPrice(): pass\n\nTotalPrice()\n",
		"a/one.md":  notes(maxTextMentions - 100),
		"a/two.md":  notes(100),
		"b/more.md": notes(1),
		"c/more.md": notes(1),
	})
	for _, c := range []struct {
		globs OneOrMore
		total int
		lacks string
	}{
		{nil, maxTextMentions + 1, "; 2 files were not searched to the end"},
		{OneOrMore{"a/*", "b/*"}, maxTextMentions + 1, "; 1 file was not searched to the end"},
		{OneOrMore{"a/*"}, maxTextMentions + 1, ""},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: "TotalPrice", IncludeComments: true, Where: Where{Globs: c.globs}})
		if err != nil {
			t.Fatal(err)
		}
		text := a.Text()
		if a.Total != c.total || a.Complete != (c.lacks == "") || !strings.Contains(text, c.lacks) {
			t.Errorf("%v: %d of them, complete %v\n%s", c.globs, a.Total, a.Complete, text[max(0, len(text)-300):])
		}
	}
}

// TestCommentByParts asks for lines in any order: a file is looked through as far as needed.
func TestCommentByParts(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n/*\nx\n*/\nvar y int\n\n// z\nvar z int\n"})
	want := []bool{false, true, true, true, false, true, true, false}
	for first := range want {
		src := e.sources()
		for i := range want {
			at := (first + i*3) % len(want)
			if got := src.IsComment("a.go", at+1); got != want[at] {
				t.Errorf("begun at line %d: line %d is a comment: %v", first+1, at+1, got)
			}
		}
	}
}
