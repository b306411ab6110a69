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
		{"a file read in part", "TotalPrice", map[string]string{"Broken.cs": broken}, []string{"Broken.cs:3"}, false},
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
