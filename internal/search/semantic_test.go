package search

import (
	"fmt"
	"strings"
	"testing"
)

// TestCrowded: an answer without room for the code of all hits shows less of the
// lower ones, and more hits for it.
func TestCrowded(t *testing.T) {
	tree := make(map[string]string)
	for i := range 20 {
		tree[fmt.Sprintf("fox%d.go", i)] = fmt.Sprintf("package fox\n\n// Fox%d jumps.\nfunc Fox%d() {\n%s}\n", i, i, strings.Repeat("\tjump(over, lazy, dogs)\n", 20))
	}
	e := open(t, tree)
	lines := func(tokens int) (shown []int) {
		t.Helper()
		a, err := e.Semantic(t.Context(), SemanticQuery{Query: "fox jump over lazy dogs", NResults: 20, MaxTokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range a.ForestHits {
			n := strings.Count(h.Snippet, "\n")
			if notes := h.shown - max(h.StartLine, h.SnippetAt) + 1; n != notes {
				t.Errorf("%s: %d lines are shown, %d are said to be", h.File, n, notes)
			}
			if len(shown) > 0 && n > shown[len(shown)-1] {
				t.Errorf("%d tokens: a hit shows more lines than one before it", tokens)
			}
			shown = append(shown, n)
		}
		return shown
	}
	if roomy := lines(8000); len(roomy) != 20 || roomy[0] != hitLines || roomy[19] != 4 {
		t.Errorf("with room for all, the hits show %v lines", roomy)
	}
	if less := lines(2150); len(less) != 20 || less[0] != hitLines || less[19] >= 4 || less[19] == 0 {
		t.Errorf("with room for less, the hits show %v lines", less)
	}
	if least := lines(1300); len(least) < 12 || least[0] != hitLines || least[len(least)-1] != 0 {
		t.Errorf("with little room, the hits show %v lines", least)
	}
}

// TestNeighbours names a hit of several short declarations after the one that was asked for.
func TestNeighbours(t *testing.T) {
	e := open(t, map[string]string{
		"limits.py": "RETRIES = 3\nPING_BODY_LIMIT = 100\nSLACK = 5\n",
		"mail.go":   "package mail\n\nfunc Welcome() { send(\"welcome\") }\n\nfunc Limited() { send(\"rate limited\") }\n\nfunc Goodbye() { send(\"goodbye\") }\n",
	})
	for query, want := range map[string]string{
		"limit of the ping body": "PING_BODY_LIMIT", "rate limited": "Limited", "send the goodbye": "Goodbye",
	} {
		a, err := e.Semantic(t.Context(), SemanticQuery{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.ForestHits) == 0 || a.ForestHits[0].Symbol != want {
			t.Errorf("%q finds %+v, want %s", query, a.ForestHits, want)
		}
	}
}

// TestWritten asks with what is in the code as it is written, among functions that have
// more words of the question: the function that contains it comes first, with the line.
func TestWritten(t *testing.T) {
	filler := func(name string) string {
		return "def " + name + "(basket, total):\n    \"\"\"Applies the total of a basket that is closed.\"\"\"\n    return basket.total(total)\n\n\n"
	}
	e := open(t, map[string]string{
		"shop/basket.py": filler("close") + filler("reopen") + filler("total") + "def check(item):\n" + strings.Repeat("    basket.total(item)\n", 20) +
			"    if item.gone:\n        raise Refused(\"cannot put it on this basket again\")\n\n\n" + filler("empty"),
		"shop/flags.py":      "def flags(p):\n    p.add(\"--keep-going\")\n    p.add(\"--total\")\n",
		"shop/run.py":        "import os\n\n\ndef run(args):\n    return os.environ[\"SHOP_TILL\"]\n",
		"tests/test_shop.py": "def test_all():\n    assert said == \"cannot put it on this basket again\" and \"SHOP_TILL\"\n",
		"README.md":          "# Shop\n\nSet SHOP_TILL, or use --keep-going: cannot put it on this basket again.\n",
	})
	for _, c := range []struct{ query, symbol, line string }{
		{`closing says "cannot put it on this basket again" for a basket whose total is closed`, "check", "cannot put it"},
		{"the total of a closed basket is wrong without SHOP_TILL", "run", "SHOP_TILL"},
		{"--keep-going does not apply to a closed basket with a total", "flags", "--keep-going"},
		{"zeppelin quaternion SHOP_TILL", "run", "SHOP_TILL"},
	} {
		a, err := e.Semantic(t.Context(), SemanticQuery{Query: c.query})
		if err != nil {
			t.Fatal(err)
		}
		if h := a.ForestHits[0]; h.Symbol != c.symbol || !strings.Contains(h.Snippet, c.line) || a.NoGoodMatch {
			t.Errorf("%s: want %s first:\n%s", c.query, c.symbol, a.Text())
		}
	}
}
