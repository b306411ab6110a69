package search

import (
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/resolve"
)

// What is not known to mean something else is listed, at least as possible.
func TestUnknownIsListed(t *testing.T) {
	a, err := txtar.ParseFile("testdata/unknown.txtar")
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]map[string]string{}
	for _, f := range a.Files {
		tree, file, _ := strings.Cut(f.Name, "/")
		if trees[tree] == nil {
			trees[tree] = map[string]string{}
		}
		trees[tree][file] = string(f.Data)
	}
	for name, tree := range trees {
		e := open(t, tree)
		word := "calc"
		if name == "go" {
			word = "Calc"
		}
		answer, err := e.References(t.Context(), ReferencesQuery{Symbol: "Item." + word, Page: Page{Limit: 500}})
		if err != nil {
			t.Fatal(err)
		}
		listed := map[resolve.Position]bool{}
		for _, r := range answer.References {
			listed[lineOf(r.File, r.Line)] = true
		}
		for _, d := range answer.Definitions {
			listed[lineOf(d.File, d.Line)] = true
		}
		if len(answer.Definitions) != 1 {
			t.Errorf("%s: %d definitions", name, len(answer.Definitions))
		}
		for file, text := range tree {
			for i, l := range strings.Split(text, "\n") {
				other := strings.HasSuffix(l, "other") || path.Ext(file) == ".toml"
				if hasWord(l, word) && !other != listed[lineOf(file, i+1)] {
					t.Errorf("%s, listed %v: %s", name, !other, strings.TrimSpace(l))
				}
			}
		}
	}
}
