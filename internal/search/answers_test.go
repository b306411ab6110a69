package search

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/index"
	"codeintel/internal/observed"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

var update = flag.Bool("update", false, "rewrite golden files")

// open indexes a tree.
func open(t testing.TB, tree map[string]string) *Engine {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, tree)
	p, err := project.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(context.Background(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(p, x)
}

// shop opens the shop of testdata.
func shop(t testing.TB) *Engine {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "shop.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]string{}
	for _, f := range a.Files {
		tree[f.Name] = string(f.Data)
	}
	return open(t, tree)
}

// An answer is what every tool gives.
type answer interface {
	Text() string
	Observed() observed.Facts
}

// ask decodes arguments as the server does and asks a tool.
func ask(e *Engine, tool, arguments string) (answer, error) {
	ctx := context.Background()
	switch tool {
	case "search_text":
		return call(arguments, func(q TextQuery) (answer, error) { return e.Text(ctx, q) })
	case "search_files":
		return call(arguments, func(q FilesQuery) (answer, error) { return e.Files(ctx, q) })
	case "find_definitions":
		return call(arguments, func(q DefinitionsQuery) (answer, error) { return e.Definitions(ctx, q) })
	case "find_references":
		return call(arguments, func(q ReferencesQuery) (answer, error) { return e.References(ctx, q) })
	case "get_symbols":
		return call(arguments, func(q SymbolsQuery) (answer, error) { return e.Symbols(ctx, q) })
	case "analyze_structure":
		return call(arguments, func(q StructureQuery) (answer, error) { return e.Structure(ctx, q) })
	case "get_function_at_line":
		return call(arguments, func(q FunctionAtQuery) (answer, error) { return e.FunctionAt(ctx, q) })
	case "semantic_search":
		return call(arguments, func(q SemanticQuery) (answer, error) { return e.Semantic(ctx, q) })
	}
	return nil, fmt.Errorf("no tool %s", tool)
}

func call[Q any](arguments string, do func(Q) (answer, error)) (answer, error) {
	var q Q
	dec := json.NewDecoder(strings.NewReader(arguments))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&q); err != nil {
		return nil, err
	}
	return do(q)
}

// passing is what differs from run to run.
var passing = regexp.MustCompile(`\(index verified [^)]*\)\n|cursor \S+|\[forest [\d.]+|chunk \S+`)

// TestAnswers holds the text and the facts of answers against golden files:
// testdata/answers.txtar has a call as the name of each part.
func TestAnswers(t *testing.T) {
	e := shop(t)
	file := filepath.Join("testdata", "answers.txtar")
	golden, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range golden.Files {
		g := &golden.Files[i]
		tool, arguments, _ := strings.Cut(g.Name, " ")
		a, err := ask(e, tool, arguments)
		got := ""
		if p := problem.Of(err); p != nil {
			got = "problem: " + p.Error() + "\n"
		} else if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		} else {
			facts, err := json.Marshal(a.Observed())
			if err != nil {
				t.Fatal(err)
			}
			got = passing.ReplaceAllString(a.Text(), "") + "observed " + string(facts) + "\n"
		}
		if *update {
			g.Data = []byte(got)
		} else if diff := cmp.Diff(string(g.Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", g.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(golden), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
