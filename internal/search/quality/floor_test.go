package quality

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// How many of 30 questions are to be answered, and how many about nothing in the code are
// to be refused.
const (
	leastAnswered = 29
	leastRefused  = 28
)

// TestNoGoodMatch asks about what is in the corpora and about what is not: the second are
// said to have no good match, and show at most three hits.
func TestNoGoodMatch(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "floor.txt"))
	if err != nil {
		t.Fatal(err)
	}
	right, asked := map[string]int{}, map[string]int{}
	var e *search.Engine
	for line := range strings.Lines(string(table)) {
		line = strings.TrimSpace(line)
		if corpus, ok := strings.CutPrefix(line, "["); ok {
			e = engine(t, strings.TrimSuffix(corpus, "]"))
		}
		kind, q, ok := strings.Cut(line, ": ")
		if !ok || kind != "yes" && kind != "no" {
			continue
		}
		if strings.ContainsFunc(q, func(r rune) bool { return r > unicode.MaxLatin1 }) {
			kind += ", Japanese"
		}
		a, err := e.Semantic(t.Context(), search.SemanticQuery{Query: q})
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		refused := len(a.ForestHits) == 0 || a.NoGoodMatch
		if a.NoGoodMatch && len(a.ForestHits) > 3 {
			t.Errorf("%s: %d weak hits", q, len(a.ForestHits))
		}
		if asked[kind]++; refused == strings.HasPrefix(kind, "no") {
			right[kind]++
			continue
		}
		score := 0.0
		if len(a.ForestHits) > 0 {
			score = a.ForestHits[0].Score
		}
		t.Logf("%s: %s: refused %t, best %.2f", kind, q, refused, score)
	}
	for kind, n := range asked {
		least := leastRefused
		if strings.HasPrefix(kind, "yes") {
			least = leastAnswered
		}
		t.Logf("%s: %d of %d", kind, right[kind], n)
		if right[kind]*30 < least*n {
			t.Errorf("%s: right for %d of %d questions, want %d of 30", kind, right[kind], n, least)
		}
	}
}

// engine indexes a corpus.
func engine(t *testing.T, corpus string) *search.Engine {
	t.Helper()
	root := filepath.Join(t.TempDir(), corpus)
	if err := os.CopyFS(root, os.DirFS(filepath.Join("testdata", "corpora", corpus))); err != nil {
		t.Fatal(err)
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Sync(t.Context(), index.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	return search.New(p, x)
}
