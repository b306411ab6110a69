package search

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// samples reads the sources of all languages that package syntax is tested with.
func samples(t *testing.T) map[string]string {
	root := filepath.Join("..", "syntax", "testdata")
	tree := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		if err != nil || d.IsDir() || filepath.Ext(p) == ".golden" || strings.HasPrefix(rel, "fuzz") {
			return err
		}
		b, err := os.ReadFile(p)
		tree[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := txtar.ParseFile(filepath.Join(root, "outlines.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if filepath.Base(f.Name) != "want" {
			tree["outlines/"+f.Name] = string(f.Data)
		}
	}
	return tree
}

// TestShownNames asks for each symbol by the name that answers show it by.
func TestShownNames(t *testing.T) {
	tree := samples(t)
	e := open(t, tree)
	if _, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: "main"}); err != nil { // brings the index up to date
		t.Fatal(err)
	}
	asked := 0
	for file := range tree {
		symbols, err := e.x.FileSymbols(t.Context(), file)
		if err != nil {
			continue // it holds no code
		}
		kinds := map[syntax.Kind]int{}
		for _, s := range symbols {
			shown := text.Dotted(s.Scope, s.Name)
			if kinds[s.Kind]++; kinds[s.Kind] > 5 {
				continue
			}
			asked++
			answer, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: shown, ExactMatch: true, Page: Page{Limit: 200}})
			if err != nil {
				t.Errorf("%s: %s %q: %v", file, s.Kind, shown, err)
				continue
			}
			if !slices.ContainsFunc(answer.Definitions, func(d Definition) bool { return d.File == file && text.Dotted(d.Scope, d.Name) == shown }) {
				t.Errorf("%s: %s %q is not found by that name", file, s.Kind, shown)
			}
		}
	}
	if asked < 500 {
		t.Errorf("only %d symbols", asked)
	}
}
