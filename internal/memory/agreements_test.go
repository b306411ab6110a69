package memory

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/project"
	"codeintel/internal/text/question"
)

func TestParse(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		text string
		want *Agreement
		err  string
	}{
		"as a session writes it": {
			text: "---\nnl_term: discount in percent\nsymbols: [Cart.total, Cart.discount]\nfiles: [shop/cart.py]\nsimilarity: 0.82\nsession: s1\nintent: implement\nlearned_at: 2026-03-01T00:00:00Z\noutcome: success\n---\n\nshop/cart.py:4-9\n",
			want: &Agreement{Phrases: []string{"discount in percent"}, Symbols: []string{"Cart.total", "Cart.discount"}, Files: []string{"shop/cart.py"},
				Similarity: 0.82, Session: "s1", Intent: "IMPLEMENT", Outcome: Success, LearnedAt: day, Evidence: "shop/cart.py:4-9", Lines: 12},
		},
		"as a person writes it": {
			text: "---\r\nnl_terms:\r\n  - 割引\r\n  - discount\r\nsymbol: discount\r\nlearned_at: 2026-03-01\r\n---",
			want: &Agreement{Phrases: []string{"割引", "discount"}, Symbols: []string{"discount"}, LearnedAt: day, Lines: 7},
		},
		"a heading alone": {
			text: "# login throttle → `Limiter.Allow`, Limiter\n\nSeen in auth.\n",
			want: &Agreement{Phrases: []string{"login throttle"}, Symbols: []string{"Limiter.Allow", "Limiter"}, Evidence: "# login throttle → `Limiter.Allow`, Limiter\n\nSeen in auth.", Lines: 3},
		},
		"unknown keys and odd values": {
			text: "---\nnl_term: x y\nfiles: ./a/../b.go\nsimilarity: 7\noutcome: splendid\nlearned_at: yesterday\ncolour: red\n---\n",
			want: &Agreement{Phrases: []string{"x y"}, Files: []string{"b.go"}, Lines: 8},
		},
		"not YAML":    {text: "---\nnl_term: [\n---\n", err: "not YAML"},
		"no phrase":   {text: "---\nsymbols: [A]\n---\n", err: "no nl_term"},
		"no meaning":  {text: "---\nnl_term: a\n---\n", err: "neither symbols nor files"},
		"no head":     {text: "just a note\n", err: "no nl_term"},
		"wrong shape": {text: "---\nnl_term: {a: b}\nsymbols: [A]\n---\n", err: "expected text"},
		"empty":       {text: "", err: "no nl_term"},
	} {
		got, err := Parse([]byte(c.text))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzParse holds Parse to its word: any text is an agreement that says something,
// or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nnl_term: a\nsymbols: [b]\n---\nc\n"))
	f.Add([]byte("# a → b\n"))
	f.Add([]byte("---\n---\n---\n"))
	f.Add([]byte("---\nnl_term: &a [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Parse(text)
		if (a == nil) == (err == nil) {
			t.Fatalf("%v, %v", a, err)
		}
		if a != nil && (len(a.Phrases) == 0 || len(a.Symbols)+len(a.Files) == 0) {
			t.Fatalf("says nothing: %+v", a)
		}
	})
}

type folder struct {
	*Folder
	t    *testing.T
	root string
}

func newFolder(t *testing.T) *folder {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".code-intel", "agreements"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	return &folder{Open(p), t, root}
}

func (f *folder) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.root, ".code-intel", "agreements", name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) load() *Map {
	f.t.Helper()
	m, err := f.Load(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return m
}

func agreement(phrase, symbols, learned, more string) string {
	return "---\nnl_term: " + phrase + "\nsymbols: [" + symbols + "]\nlearned_at: " + learned + "\n" + more + "---\n"
}

// names lists the agreements of a Map by file, in its order.
func names(m *Map) (list []string) {
	for _, a := range m.Agreements {
		list = append(list, filepath.Base(a.Path))
	}
	return list
}

// A file that is no agreement costs itself and is named; the others count.
func TestLoadIsTolerant(t *testing.T) {
	f := newFolder(t)
	f.write("a.md", agreement("retry", "Client.do", "2026-01-01", ""))
	f.write("b.md", "nothing")
	f.write("c.md", "---\nnl_term: [\n---\n")
	f.write("d.md", strings.Repeat("x", maxFile+1))
	f.write("README.md", "What this folder is.")
	f.write("notes.txt", "no agreement")
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte(agreement("secret", "Key", "2026-01-01", "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(f.root, ".code-intel", "agreements", "e.md")); err != nil {
		t.Fatal(err)
	}
	m := f.load()
	if diff := cmp.Diff([]string{"a.md"}, names(m)); diff != "" {
		t.Errorf("agreements (-want +got):\n%s", diff)
	}
	var faults []string
	for _, x := range m.Faults {
		if x.Reason.IsZero() {
			t.Errorf("%s has no reason", x.Path)
		}
		faults = append(faults, x.Path)
	}
	want := []string{".code-intel/agreements/b.md", ".code-intel/agreements/c.md", ".code-intel/agreements/d.md", ".code-intel/agreements/e.md"}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// The Map follows the files, and is the same as long as they are.
func TestLoadFollowsTheFiles(t *testing.T) {
	f := newFolder(t)
	f.write("a.md", agreement("retry", "Client.do", "2026-01-01", ""))
	first := f.load()
	if again := f.load(); again != first {
		t.Error("nothing changed, but the Map is another")
	}
	f.write("a.md", agreement("retry", "Client.retryLoop", "2026-01-01", ""))
	if got := f.load().Agreements[0].Symbols; !slices.Equal(got, []string{"Client.retryLoop"}) {
		t.Errorf("after a change: %v", got)
	}
	if err := os.Remove(filepath.Join(f.root, ".code-intel", "agreements", "a.md")); err != nil {
		t.Fatal(err)
	}
	if m := f.load(); len(m.Agreements) != 0 {
		t.Errorf("after it is gone: %v", names(m))
	}
	if err := os.RemoveAll(filepath.Join(f.root, ".code-intel")); err != nil {
		t.Fatal(err)
	}
	if m := f.load(); len(m.Agreements)+len(m.Faults) != 0 {
		t.Error("without a folder there is a Map")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	f2 := newFolder(t)
	f2.write("a.md", agreement("retry", "Client.do", "2026-01-01", ""))
	if _, err := f2.Load(ended); err == nil {
		t.Error("a cancelled Load answers")
	}
}

// What is newer takes the place of what says otherwise, and confirms what says
// the same; what failed leaves the Map.
func TestNewerOnesWin(t *testing.T) {
	f := newFolder(t)
	f.write("1.md", agreement("retry of requests", "Client.do", "2024-01-01", ""))
	f.write("2.md", agreement("retry requests", "Client.retryLoop", "2025-01-01", ""))
	f.write("3.md", agreement("requests retry", "Client.retryLoop", "2026-01-01", ""))
	f.write("4.md", agreement("rate limit", "Limiter", "2026-01-02", "outcome: failure\n"))
	f.write("5.md", agreement("log level", "Logger", "2025-06-01", ""))
	f.write("6.md", agreement("verbosity", "Logger", "2026-01-01", "supersedes: 5.md\n"))
	m := f.load()
	if diff := cmp.Diff([]string{"3.md", "6.md"}, names(m)); diff != "" {
		t.Errorf("agreements (-want +got):\n%s", diff)
	}
	if m.Superseded != 3 {
		t.Errorf("%d superseded, want 3", m.Superseded)
	}
	if m.Agreements[0].Confirmed != 1 {
		t.Errorf("3.md is confirmed %d times, want once: 2.md says the same", m.Agreements[0].Confirmed)
	}
	if len(m.Faults) != 1 || !strings.HasSuffix(m.Faults[0].Path, "4.md") {
		t.Errorf("faults %v, want 4.md", m.Faults)
	}
}

func TestAge(t *testing.T) {
	f := newFolder(t)
	f.write("new.md", agreement("alpha", "A", "2026-01-01", ""))
	f.write("year.md", agreement("beta", "B", "2025-01-01", ""))
	f.write("old.md", agreement("gamma", "C", "2006-01-01", ""))
	f.write("half.md", agreement("delta", "D", "2026-01-01", "outcome: partial\n"))
	weight := map[string]float64{}
	for _, a := range f.load().Agreements {
		weight[filepath.Base(a.Path)] = float64(int(a.Weight*1000+0.5)) / 1000
	}
	want := map[string]float64{"new.md": 1, "year.md": 0.85, "old.md": 0.7, "half.md": 0.9}
	if diff := cmp.Diff(want, weight); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
}

func TestMatch(t *testing.T) {
	f := newFolder(t)
	f.write("a.md", agreement("retry of failed requests", "Client.do", "2026-01-01", ""))
	f.write("b.md", agreement("request body", "Body", "2026-01-01", ""))
	f.write("c.md", agreement("割引の計算", "Cart.discount", "2026-01-01", ""))
	m := f.load()
	var got []string
	for _, x := range m.Match(question.Analyse("where are failing requests retried?"), 5) {
		got = append(got, x.Phrase)
	}
	if diff := cmp.Diff([]string{"retry of failed requests", "request body"}, got); diff != "" {
		t.Errorf("matches (-want +got):\n%s", diff)
	}
	if list := m.Match(question.Analyse("割引計算はどこ"), 5); len(list) != 1 || list[0].Symbols[0] != "Cart.discount" {
		t.Errorf("in Japanese: %v", list)
	}
	if list := m.Match(question.Analyse("how is rain made"), 5); len(list) != 0 {
		t.Errorf("nothing in common: %v", list)
	}
}

// A phrase that was learned brings the words of the code.
func TestExpand(t *testing.T) {
	f := newFolder(t)
	f.write("a.md", "---\nnl_term: 割引の計算\nsymbols: [Cart.applyDiscount, pricing.py#net]\nfiles: [shop/pricing.py]\nlearned_at: 2026-01-01\n---\n")
	f.write("b.md", agreement("ログインの制限", "Limiter.Allow", "2026-01-01", ""))
	m := f.load()
	var got []string
	for _, w := range m.Expand(question.Analyse("割引の計算が間違っている")) {
		if w.Weight <= 0 || w.Weight > expandWeight {
			t.Errorf("%s weighs %v", w.Term, w.Weight)
		}
		got = append(got, w.Term)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"appl", "applydiscount", "cart", "discount", "net", "pric"}, got); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if slices.Contains(got, "limit") {
		t.Errorf("%v holds what another phrase means", got)
	}
	if list := (*Map)(nil).Expand(question.Analyse("x")); list != nil {
		t.Errorf("no Map: %v", list)
	}
}
