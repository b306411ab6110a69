package quality

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"codeintel/test/golden"

	"github.com/google/go-cmp/cmp"
)

// TestGolden asks every question of the sources in testdata and holds the ranks
// against those that are committed, so that a change of the ranking shows as a
// diff: read it, and rewrite it with -update if it is for the better.
func TestGolden(t *testing.T) {
	dir := os.DirFS("testdata")
	questions, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	results, err := Measure(t.Context(), dir, t.TempDir(), questions)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(Table(results))
	b.WriteString("\nfile line ndcg  files lines\n") // ranks of the first relevant file and piece, - is none; shares shown within the budget
	for _, r := range results {
		fmt.Fprintf(&b, "%4s %4s %.3f %.3f %.3f  %s, %s: %s\n", rank(r.FileRank), rank(r.LineRank), r.NDCG, r.Budgeted.Files, r.Budgeted.Lines, r.Sources, r.Kind, r.Text)
	}
	golden.Hold(t, "testdata/golden.txt", b.String())
}

func rank(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// TestPlaces holds the judgements to the sources: the lines that are said to
// answer a question are there.
func TestPlaces(t *testing.T) {
	dir := os.DirFS("testdata")
	questions, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, q := range questions {
		if key := q.Sources + "\x00" + q.Text; seen[key] {
			t.Errorf("%s: %q is asked twice", q.Sources, q.Text)
		} else {
			seen[key] = true
		}
		for _, p := range q.Relevant {
			data, err := fs.ReadFile(dir, "corpora/"+q.Sources+"/"+p.Path)
			if err != nil {
				t.Errorf("%s: %q: %v", q.Sources, q.Text, err)
				continue
			}
			if lines := strings.Count(string(data), "\n") + 1; p.End > lines {
				t.Errorf("%s: %q: %s has %d lines, not %d", q.Sources, q.Text, p.Path, lines, p.End)
			}
		}
	}
}

func TestRead(t *testing.T) {
	got, err := read("shop", strings.NewReader("# note\nwords: open files\n\ta/b.go:3-9\n\tc.go:4\n\njapanese: 開く\n  a/b.go:1-2\n"))
	want := []Question{
		{Sources: "shop", Kind: Words, Text: "open files", Relevant: []Place{{"a/b.go", 3, 9}, {"c.go", 4, 4}}},
		{Sources: "shop", Kind: Japanese, Text: "開く", Relevant: []Place{{"a/b.go", 1, 2}}},
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"words: x", "\ta.go:1", "verb: x\n\ta.go:1", "words: x\n\ta.go", "words: x\n\ta.go:4-2", "words: x\n\ta.go:0-2"} {
		if _, err := read("shop", strings.NewReader(bad)); err == nil {
			t.Errorf("Read(%q) succeeded", bad)
		}
	}
}

func TestJudge(t *testing.T) {
	q := Question{Relevant: []Place{{"a", 10, 20}, {"a", 50, 60}, {"b", 1, 5}}}
	r := judge(q, []Place{{"x", 1, 9}, {"a", 30, 40}, {"a", 15, 16}, {"x", 1, 2}, {"b", 5, 9}})
	if r.FileRank != 2 || r.LineRank != 3 {
		t.Errorf("ranks %d and %d, want 2 and 3", r.FileRank, r.LineRank)
	}
	if want := [3]float64{0, 1, 1}; r.Recall != want {
		t.Errorf("recall %v, want %v", r.Recall, want)
	}
	// Files found: x, a, b. Relevant: two.
	want := (1/math.Log2(3) + 1/math.Log2(4)) / (1 + 1/math.Log2(3))
	if math.Abs(r.NDCG-want) > 1e-12 {
		t.Errorf("NDCG %v, want %v", r.NDCG, want)
	}
	if got := recalled(q.Relevant, []Place{{"a", 20, 50}}); math.Abs(got-2.0/3) > 1e-12 {
		t.Errorf("recalled %v, want 2/3", got)
	}
	if none := judge(q, nil); none.FileRank != 0 || none.NDCG != 0 {
		t.Errorf("nothing found gives %+v", none)
	}
}

func TestScoreOf(t *testing.T) {
	found := Result{FileRank: 2, LineRank: 4, NDCG: 1}
	found.Budgeted.Files, found.Budgeted.Lines = 1, .5
	s := ScoreOf([]Result{found, {}}, func(*Result) bool { return true })
	if s.Questions != 2 || s.MRR != .25 || s.Lines != .125 || s.NDCG != .5 || s.Files2000 != .5 || s.Lines2000 != .25 {
		t.Errorf("%+v", s)
	}
}
