package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/index"
)

// TestFewPackagesChecked asks who mentions a function and what a function calls, where the
// names are common: types of packages that cannot add to the answer are not worked out.
func TestFewPackagesChecked(t *testing.T) {
	tree := map[string]string{
		"go.mod": "module example.com/m\n",
		"a/a.go": "package a\n\ntype Lock struct{}\n\nfunc (Lock) Take() {}\n\nfunc start() { Run(Lock{}) }\n\n" +
			"func Run(l Lock) {\n\tl.Take()\n}\n",
	}
	for i := range 3 {
		tree[fmt.Sprintf("p%d/p.go", i)] = "package p\n\ntype Gate struct{}\n\nfunc (Gate) Take() {}\n\n" +
			"func start(g Gate) { g.Take() }\n\nfunc Begin() { start(Gate{}) }\n"
	}
	e := open(t, tree)
	if err := e.x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	symbol := func(name string) index.Symbol {
		list, err := e.x.FileSymbols(t.Context(), "a/a.go")
		at := slices.IndexFunc(list, func(s index.Symbol) bool { return s.Name == name })
		if err != nil || at < 0 {
			t.Fatalf("%s: %v", name, err)
		}
		return list[at]
	}
	_, err := answerSteadily(t.Context(), e, func(ctx context.Context, src *sources) (*ReferencesAnswer, error) {
		mentions, err := Sources{src}.Mentions(ctx, symbol("start"))
		if err != nil || len(mentions) != 0 {
			t.Errorf("mentions: %v, %v", mentions, err)
		}
		calls, err := Sources{src}.Callees(ctx, symbol("Run"))
		if err != nil || len(calls) != 1 || calls[0].File != "a/a.go" || calls[0].Confidence != Certain {
			t.Errorf("callees: %v, %v", calls, err)
		}
		return &ReferencesAnswer{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept := strings.Join(e.types.CachedDirs(), " "); kept != "a" {
		t.Errorf("checked: %s; want a alone", kept)
	}
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "start", FilePath: "a/a.go", Line: 7})
	if err != nil || !strings.Contains(a.Text(), "6 other places, where it means something else") {
		t.Errorf("%v:\n%s", err, a.Text())
	}
}

// TestCallThroughForeignInterface finds a call through an interface of a package that is read
// only after another call of the name has been judged.
func TestCallThroughForeignInterface(t *testing.T) {
	e := open(t, map[string]string{
		"go.mod": "module example.com/m\n",
		"a/a.go": "package a\n\ntype File struct{}\n\nfunc (File) Close() error { return nil }\n\ntype Door struct{}\n\n" +
			"func (Door) Close() {}\n\nfunc shut(d Door) { d.Close() }\n",
		"b/b.go": "package b\n\nimport (\n\t\"io\"\n\n\t\"example.com/m/a\"\n)\n\nvar open io.Closer = a.File{}\n\n" +
			"func end() { open.Close() }\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "File.Close"})
	if err != nil || len(a.References) != 1 || a.References[0].File != "b/b.go" || a.References[0].Confidence != Likely {
		t.Errorf("%v:\n%s", err, a.Text())
	}
}
