package search

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/test/golden"
)

// open indexes a tree.
func open(t testing.TB, tree map[string]string) *Engine {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, tree)
	return openAt(t, dir)
}

func openAt(t testing.TB, dir string) *Engine {
	t.Helper()
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
	e := New(p, x)
	return e
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
	Observed() shown.Facts
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
var passing = regexp.MustCompile(`\(index verified [^)]*\)\n|cursor \S+|\d+ chunks indexed`)

// TestAnswers checks the text and the facts of answers against golden files:
// testdata/answers.txtar has a call as the name of each part.
func TestAnswers(t *testing.T) {
	e := shop(t)
	file := filepath.Join("testdata", "answers.txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		g := &archive.Files[i]
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
		g.Data = []byte(got)
	}
	golden.Hold(t, file, string(txtar.Format(archive)))
}

// TestSemantic looks at the form of the answer; the order of hits is the
// business of the index.
func TestSemantic(t *testing.T) {
	e := shop(t)
	ctx := context.Background()
	q := SemanticQuery{Query: "total price of the cart", NResults: 3}
	a, err := e.Semantic(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.ForestHits) != 3 || a.MapHits == nil || a.ShortCircuit || a.TotalChunks < 10 || a.NextCursor == "" {
		t.Fatalf("%d hits of %d chunks, next %q", len(a.ForestHits), a.TotalChunks, a.NextCursor)
	}
	seen := map[string]bool{}
	for i, h := range a.ForestHits {
		seen[h.ChunkID] = true
		if i > 0 && h.Score > a.ForestHits[i-1].Score {
			t.Errorf("hit %d has more than the one before", i)
		}
		if h.Snippet == "" || h.Source != Forest || h.StartLine < 1 {
			t.Errorf("hit %+v", h)
		}
	}
	facts := a.Observed()
	if facts.Empty || len(facts.Lines) == 0 || !cmp.Equal(facts.Patterns, []string{q.Query}) {
		t.Errorf("observed %+v", facts)
	}

	q.Cursor = a.NextCursor
	next, err := e.Semantic(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range next.ForestHits {
		if seen[h.ChunkID] {
			t.Errorf("%s again on the second page", h.ChunkID)
		}
	}

	q = SemanticQuery{Query: "total price of the cart", Language: "ts", Where: Where{Path: "web"}}
	narrow, err := e.Semantic(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range narrow.ForestHits {
		if !strings.HasPrefix(h.File, "web/") {
			t.Errorf("%s is not in web", h.File)
		}
	}
	if len(narrow.ForestHits) == 0 {
		t.Error("nothing in web")
	}

	chunk, err := e.ChunkDetail(ctx, ChunkQuery{ChunkID: a.ForestHits[0].ChunkID})
	if err != nil {
		t.Fatal(err)
	}
	if h := a.ForestHits[0]; chunk.File != h.File || chunk.StartLine != h.StartLine || !strings.HasPrefix(chunk.Content, strings.SplitAfter(h.Snippet, "\n")[0]) {
		t.Errorf("chunk %+v of hit %+v", chunk, h)
	}
	if l := chunk.Observed().Lines; len(l) != 1 || l[0].Start != chunk.StartLine || l[0].End != chunk.EndLine {
		t.Errorf("observed %+v of %d-%d", l, chunk.StartLine, chunk.EndLine)
	}
	for _, id := range []string{"", "nothing", chunk.ChunkID + "0"} {
		if _, err := e.ChunkDetail(ctx, ChunkQuery{ChunkID: id}); problem.Of(err) == nil {
			t.Errorf("chunk %q: %v, want a Problem", id, err)
		}
	}
}

// TestChunkPages reads a long chunk in several pieces.
func TestChunkPages(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Long\n\n")
	for i := range 120 {
		fmt.Fprintf(&text, "Line %d says something about the quick brown fox and 犬.\n", i)
	}
	e := open(t, map[string]string{"long.md": text.String()})
	a, err := e.Semantic(context.Background(), SemanticQuery{Query: "brown fox", NResults: 1})
	if err != nil || len(a.ForestHits) == 0 {
		t.Fatal(a, err)
	}
	q := ChunkQuery{ChunkID: a.ForestHits[0].ChunkID, MaxTokens: 300}
	var whole strings.Builder
	for n := 0; n < 100; n++ {
		c, err := e.ChunkDetail(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		whole.WriteString(c.Content)
		if q.Cursor = c.NextCursor; q.Cursor == "" {
			break
		}
	}
	one, err := e.ChunkDetail(context.Background(), ChunkQuery{ChunkID: q.ChunkID})
	if err != nil {
		t.Fatal(err)
	}
	if whole.String() != one.Content || len(one.Content) < 500 {
		t.Errorf("pieces hold %d characters, the whole %d", whole.Len(), len(one.Content))
	}
}

// TestFreshness asks about a file right after it was written.
func TestFreshness(t *testing.T) {
	e := shop(t)
	ctx := context.Background()
	if a, err := e.Definitions(ctx, DefinitionsQuery{Symbol: "Brandnew", ExactMatch: true}); err != nil || a.Total != 0 {
		t.Fatal(a, err)
	}
	write(t, e.p.Root, map[string]string{"store/new.go": "package store\n\nfunc Brandnew() { Open(\"\") }\n"})
	a, err := e.Definitions(ctx, DefinitionsQuery{Symbol: "Brandnew", ExactMatch: true})
	if err != nil || a.Total != 1 || a.Definitions[0].File != "store/new.go" {
		t.Errorf("%+v, %v", a, err)
	}
	if !strings.HasPrefix(a.Freshness, "index verified") {
		t.Errorf("freshness %q", a.Freshness)
	}
	refs, err := e.References(ctx, ReferencesQuery{Symbol: "store.Open"})
	if err != nil || refs.Total != 3 {
		t.Errorf("%v, %v", refs.Text(), err)
	}
}

// TestSmallAnswers holds every tool to a narrow budget, as for a client that
// cuts long answers, in both forms.
func TestSmallAnswers(t *testing.T) {
	var text strings.Builder
	text.WriteString("package big\n\n")
	for i := range 400 {
		fmt.Fprintf(&text, "// Handle%d handles 日本語 and <&> in case %d of many.\nfunc Handle%d(a, b string) string {\n\treturn Handle%d(b, a)\n}\n\n", i, i, i, (i+1)%400)
	}
	text.WriteString("func Long() {\n" + strings.Repeat("\tHandle1(\"<<<<<<\", \"&&&&&&&&&&&&&\")\n", 900) + "}\n")
	e := open(t, map[string]string{"go.mod": "module example.com/big\n", "big.go": text.String()}).Within(11000)
	for _, c := range []string{
		`search_text {"pattern": "Handle", "context": 3, "limit": 1000}`,
		`find_definitions {"symbol": "Handle", "limit": 1000}`,
		`find_references {"symbol": "Handle1", "limit": 1000}`,
		`get_symbols {"path": "big.go", "limit": 1000}`,
		`analyze_structure {"path": "big.go"}`,
		`get_function_at_line {"file_path": "big.go", "line": 2800}`,
		`semantic_search {"query": "handles case", "n_results": 100}`,
	} {
		tool, arguments, _ := strings.Cut(c, " ")
		a, err := ask(e, tool, arguments)
		if err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
		if n := len([]rune(plain)); n > 11000 || n < 3000 {
			t.Errorf("%s: %d characters in JSON", c, n)
		}
		if n := len([]rune(a.Text())); n > 11000 {
			t.Errorf("%s: %d characters in text", c, n)
		}
	}
}
