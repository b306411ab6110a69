package impact

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestNameDeclaredOften follows some of the things of a name that is declared very often, says
// so, and loads none of them twice.
func TestNameDeclaredOften(t *testing.T) {
	a := open(t, map[string]string{"a.go": "package a\n\n" + strings.Repeat("func Greeting() {}\n", 3000), "b.go": "package a\n\nfunc b() { Greeting() }\n"})
	most := maxJudged
	t.Cleanup(func() { maxJudged = most })
	maxJudged = 10_000
	if _, err := a.Analyze(t.Context(), Query{Targets: []string{"b"}}); err != nil { // which makes the index
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer, err := a.Analyze(t.Context(), Query{Targets: []string{"Greeting"}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 100 {
		t.Errorf("the answer allocates %d MB", took)
	}
	if answer.Complete || !strings.Contains(answer.Text(), "were not followed") {
		t.Errorf("a bound is reached, and the answer is complete: %v\n%s", answer.Complete, answer.Text())
	}
}

// TestBoundsAreGaps says of each bound that leaves something out that the answer is incomplete.
func TestBoundsAreGaps(t *testing.T) {
	numbered := func(n int, name, text string) map[string]string {
		tree := map[string]string{}
		for i := range n {
			tree[fmt.Sprintf(name, i)] = fmt.Sprintf(text, i)
		}
		return tree
	}
	symbols := func(n int, form string) (text string) {
		for i := range n {
			text += fmt.Sprintf(form, i)
		}
		return text
	}
	chain := map[string]string{"a.py": "def base():\n    pass\n", "b.py": "from a import base\n\n" + symbols(maxSymbols+2, "def caller%d():\n    base()\n")}
	many := numbered(maxFiles+1, "lib/f%03d.txt", "%d\n")
	tested := numbered(maxTests+1, "test_%03d.py", "from a import base\n\ndef test_%d():\n    base()\n")
	tested["a.py"] = "def base():\n    pass\n"
	for name, c := range map[string]struct {
		tree, now map[string]string
		q         Query
	}{
		"files of a folder":  {many, nil, Query{Targets: []string{"lib"}}},
		"names of files":     {numbered(maxRead+1, "lib/f%03d.txt", "%d\n"), nil, Query{Targets: []string{"lib"}}},
		"lines with a name":  {map[string]string{"run.sh": "pass\n", "b.py": strings.Repeat("call('run.sh')\n", linesRead+1)}, nil, Query{Targets: []string{"run.sh"}}},
		"things of a name":   {numbered(maxFollowed+1, "f%d.py", "def thing():\n    return %d\n"), nil, Query{Targets: []string{"thing"}}},
		"symbols of a file":  {map[string]string{"a.py": symbols(maxSymbols+1, "def f%d():\n    pass\n")}, nil, Query{Targets: []string{"a.py"}}},
		"callers of callers": {chain, nil, Query{Targets: []string{"base"}, Depth: 2}},
		"files of a diff":    {map[string]string{"a.txt": "a\n"}, numbered(maxChanges+1, "f%03d.txt", "%d\n"), Query{Diff: "HEAD"}},
		"findings of a diff": {map[string]string{"a.py": "def base():\n    pass\n", "b.py": "from a import base\n\n" + symbols(maxFindings+1, "base()  # %d\n")}, map[string]string{"a.py": "def base(x):\n    pass\n"}, Query{Diff: "HEAD"}},
		"tests of a diff":    {tested, map[string]string{"a.py": "def base():\n    return 1\n"}, Query{Diff: "HEAD"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, c.tree)
			if c.now != nil {
				a = openChanged(t, c.tree, c.now)
			}
			answer, err := a.Analyze(t.Context(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			if text := answer.Text(); answer.Complete || len(answer.Missing) == 0 || !strings.Contains(text, "\nincomplete: ") {
				t.Errorf("a bound is reached, and the answer is complete:\n%s", text[max(0, len(text)-400):])
			}
		})
	}
}
