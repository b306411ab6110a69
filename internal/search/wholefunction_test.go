package search

import (
	"fmt"
	"strings"
	"testing"
)

// TestWholeFunction asks for functions of several lengths, and for a type: the only function of its
// name is shown whole unless it is very long.
func TestWholeFunction(t *testing.T) {
	lines := func(n int) string {
		return strings.Repeat("\tcalled()\n", n)
	}
	e := open(t, map[string]string{
		"a.go": "package a\n\nfunc called() {}\n\nfunc Short() {\n" + lines(88) + "}\n\nfunc Long() {\n" + lines(300) + "}\n\ntype Wide struct {\n" +
			strings.Repeat("\t_ int\n", 88) + "}\n",
		"b/b.go": "package b\n\nfunc Twice() {\n\t" + strings.Repeat("\n", 88) + "}\n",
		"c/c.go": "package c\n\nfunc Twice() {\n\t" + strings.Repeat("\n", 88) + "}\n",
	})
	for name, want := range map[string]int{"Short": 90, "Long": 40, "Wide": 40, "Twice": 20} {
		a, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: name})
		if err != nil || len(a.Definitions) == 0 {
			t.Fatal(name, err)
		}
		d := &a.Definitions[0]
		if got := d.shown - d.SnippetAt + 1; got != want || (d.LeftOut == "") != (name == "Short") {
			t.Errorf("%s: %d lines are shown, want %d; left out %q", name, got, want, d.LeftOut)
		}
		if name == "Short" && !strings.Contains(a.Text(), fmt.Sprintf("%d  }", d.EndLine)) {
			t.Errorf("the text ends before the function:\n%s", a.Text())
		}
	}
}
