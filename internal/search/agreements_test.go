package search

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search/relevancescale"
	"codeintel/internal/text/terms"
	"codeintel/internal/trust"
)

// bank is a project with enough symbols for a scale, and what was learned of it.
func bank(t *testing.T, more map[string]string) *Engine {
	t.Helper()
	tree := map[string]string{
		"account/transfer.go": "package account\n\n// Transfer moves money from one account to another.\nfunc Transfer(from, to string, cents int) error { return book(from, to, cents) }\n\nfunc book(from, to string, cents int) error { return nil }\n",
		"account/limit.go":    "package account\n\n// DailyLimit is how much may leave an account in a day.\nfunc DailyLimit(id string) int { return 0 }\n",
		".code-intel/agreements/limit.md": "---\nnl_term: how much a customer may spend\nsymbols: [DailyLimit]\nfiles: [account/limit.go]\n" +
			"learned_at: 2026-02-01\nsession: s1\noutcome: success\n---\n\naccount/limit.go:4\n",
	}
	for f := range 20 {
		var src strings.Builder
		for i := range 10 {
			fmt.Fprintf(&src, "// Report%d%c prints a page of the statement.\nfunc Report%d%c(page int) {}\n\n", f, 'A'+i, f, 'A'+i)
		}
		tree[fmt.Sprintf("report/r%d.go", f)] = "package report\n\n" + src.String()
	}
	maps.Copy(tree, more)
	e := open(t, tree)
	git(t, e.p.Root, "init", "-q", "-b", "main") // where nothing is committed, all is the user's
	return e
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// An agreement that came with a clone is a hint: only the user's trust lets it answer alone,
// in these bytes. One that takes the place of the user's own does not answer alone either.
func TestMapOfAClone(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	theirs := bank(t, nil).p.Root
	git(t, theirs, "add", "-A")
	git(t, theirs, "commit", "-q", "-m", "Begin")
	root := filepath.Join(t.TempDir(), "clone")
	git(t, theirs, "clone", "-q", ".", root)
	const file = ".code-intel/agreements/limit.md"
	asks := func(what string, alone bool) {
		t.Helper()
		e := openAt(t, root)
		a, err := e.Semantic(t.Context(), SemanticQuery{Query: "how much a customer may spend"})
		if err != nil || a.ShortCircuit != alone || len(a.MapHits) != 1 || alone == (len(a.ForestHits) > 0) {
			t.Fatalf("%s: %v: short circuit %v, %d hits of the agreement, %d of the code", what, err, a.ShortCircuit, len(a.MapHits), len(a.ForestHits))
		}
		if told := strings.Contains(strings.Join(msg.Texts(a.Notes), "\n"), file+" came with the repository"); told == alone {
			t.Errorf("%s: notes %q", what, a.Notes)
		}
	}
	asks("cloned", false)
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := trust.NewTexts(root).Vouch(file, text); err != nil {
		t.Fatal(err)
	}
	asks("trusted", true)
	write(t, theirs, map[string]string{file: strings.Replace(string(text), "spend", "spend then", 1)})
	git(t, theirs, "commit", "-q", "-a", "-m", "Change")
	git(t, root, "pull", "-q")
	asks("changed by a pull", false)
	write(t, root, map[string]string{file: string(text)})
	git(t, root, "commit", "-q", "-a", "-m", "Back")
	asks("committed here", true)
}

func TestMapShortCircuits(t *testing.T) {
	e := bank(t, nil)
	semantic := func(q SemanticQuery) *SemanticAnswer {
		t.Helper()
		a, err := e.Semantic(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := semantic(SemanticQuery{Query: "where is decided how much a customer may spend"})
	if !a.ShortCircuit || len(a.MapHits) != 1 || len(a.ForestHits) != 0 {
		t.Fatalf("short circuit %v, %d map hits, %d forest hits", a.ShortCircuit, len(a.MapHits), len(a.ForestHits))
	}
	h := a.MapHits[0]
	if h.File != "account/limit.go" || h.Symbol != "DailyLimit" || h.Source != Map || h.Score < shortCircuit || h.Snippet == "" ||
		len(h.Reasons) != 1 || !strings.Contains(h.Reasons[0], ".code-intel/agreements/limit.md") {
		t.Errorf("hit %+v", h)
	}
	if _, err := e.ChunkDetail(t.Context(), ChunkQuery{ChunkID: h.ChunkID}); err != nil {
		t.Errorf("its chunk: %v", err)
	}
	if f := a.Observed(); len(f.Lines) != 1 || f.Lines[0].File != "account/limit.go" || f.Empty {
		t.Errorf("observed %+v", f)
	}

	if a := semantic(SemanticQuery{Query: "how much a customer may spend", Collection: Forest}); len(a.MapHits) != 0 || a.ShortCircuit {
		t.Errorf("forest alone: %d map hits", len(a.MapHits))
	}
	if a := semantic(SemanticQuery{Query: "how much may be printed on a page", Collection: Both}); a.ShortCircuit || len(a.ForestHits) == 0 {
		t.Errorf("another question: short circuit %v, %d forest hits", a.ShortCircuit, len(a.ForestHits))
	}
	if a := semantic(SemanticQuery{Query: "how much a customer may spend", Collection: Map}); len(a.MapHits) != 1 || len(a.ForestHits) != 0 {
		t.Errorf("map alone: %d map hits, %d forest hits", len(a.MapHits), len(a.ForestHits))
	}
	if a := semantic(SemanticQuery{Query: "how much a customer may spend", Where: Where{Path: "report"}}); len(a.MapHits) != 0 || a.ShortCircuit {
		t.Error("an agreement about another folder answers")
	}
	if a := semantic(SemanticQuery{Query: "how much a customer may spend", Language: "python"}); len(a.MapHits) != 0 {
		t.Error("an agreement about another language answers")
	}
}

// An agreement about what is gone does not answer, and is named.
func TestMapDropsWhatIsGone(t *testing.T) {
	e := bank(t, nil)
	write(t, e.p.Root, map[string]string{"account/limit.go": "package account\n\nfunc SpendingCap(id string) int { return 0 }\n"})
	a, err := e.Semantic(t.Context(), SemanticQuery{Query: "how much a customer may spend"})
	if err != nil {
		t.Fatal(err)
	}
	if a.ShortCircuit || len(a.MapHits) != 0 || len(a.ForestHits) == 0 {
		t.Errorf("short circuit %v, %d map hits, %d forest hits", a.ShortCircuit, len(a.MapHits), len(a.ForestHits))
	}
	if notes := strings.Join(msg.Texts(a.Notes), "\n"); !strings.Contains(notes, "limit.md refers to DailyLimit, which no longer exists") {
		t.Errorf("notes %q", notes)
	}
}

// A file that is no agreement is told, and the rest answers.
func TestMapTellsOfBadFiles(t *testing.T) {
	e := bank(t, map[string]string{".code-intel/agreements/bad.md": "---\nnl_term: [\n---\n"})
	a, err := e.Semantic(t.Context(), SemanticQuery{Query: "how much a customer may spend"})
	if err != nil || !a.ShortCircuit {
		t.Fatal(a, err)
	}
	if notes := strings.Join(msg.Texts(a.Notes), "\n"); !strings.Contains(notes, "bad.md") {
		t.Errorf("notes %q", notes)
	}
}

// An agreement may be about a file, and of namesakes it means the one in its files.
func TestMapMeansFilesAndNamesakes(t *testing.T) {
	e := bank(t, map[string]string{
		"a/run.go":                        "package a\n\nfunc Run() {}\n",
		"b/run.go":                        "package b\n\nfunc Run() {}\n",
		".code-intel/agreements/run.md":   "---\nnl_term: nightly batch\nsymbols: [Run]\nfiles: [b/run.go]\n---\n",
		".code-intel/agreements/files.md": "---\nnl_term: opening hours\nfiles: [a/run.go]\n---\n",
	})
	for query, want := range map[string]string{"nightly batch": "b/run.go", "opening hours": "a/run.go"} {
		a, err := e.Semantic(t.Context(), SemanticQuery{Query: query, Collection: Map})
		if err != nil || len(a.MapHits) != 1 || a.MapHits[0].File != want {
			t.Errorf("%s: %+v, %v", query, a.MapHits, err)
		}
	}
}

func TestRelevance(t *testing.T) {
	e := bank(t, nil)
	a, err := e.Relevance(t.Context(), RelevanceQuery{TargetFeature: "move money between accounts", Symbols: OneOrMore{"Transfer", "Report3C", "Nothing"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Symbols) != 2 || len(a.Unknown) != 1 || a.Unknown[0] != "Nothing" {
		t.Fatalf("%+v", a)
	}
	if s := a.Symbols[0]; s.Band != relevancescale.High || s.File != "account/transfer.go" || s.Line != 4 || !strings.Contains(s.Reason, "money") {
		t.Errorf("%+v, want high", s)
	}
	if s := a.Symbols[1]; s.Band != relevancescale.Low || s.Reason == "" {
		t.Errorf("%+v, want low", s)
	}
	if f := a.Observed(); f.Empty || len(f.Lines) != 0 || len(f.Asked) != 4 {
		t.Errorf("observed %+v: names and scores show no code", f)
	}

	// What was agreed counts, whatever the words are.
	a, err = e.Relevance(t.Context(), RelevanceQuery{Query: "how much a customer may spend", Symbols: OneOrMore{"DailyLimit"}})
	if err != nil || len(a.Symbols) != 1 || a.Symbols[0].Band != relevancescale.High || !strings.Contains(a.Symbols[0].Reason, "limit.md") {
		t.Errorf("%+v, %v", a, err)
	}
	for _, q := range []RelevanceQuery{{}, {TargetFeature: "x y"}, {Symbols: OneOrMore{"A"}}, {TargetFeature: "x", Symbols: OneOrMore{""}},
		{TargetFeature: "x", Symbols: make(OneOrMore, MostRelevant+1)}, {TargetFeature: "x", Symbols: OneOrMore{"A"}, Language: "klingon"},
		{TargetFeature: "x", Symbols: OneOrMore{"A"}, Where: Where{Path: "../.."}}} {
		if _, err := e.Relevance(t.Context(), q); problem.Of(err) == nil {
			t.Errorf("%+v: %v, want a Problem", q, err)
		}
	}
}

// TestQuestionIsAnalysedOnce counts how often the text of a question is analysed
// while the agreements, the index and the symbols are asked about it.
func TestQuestionIsAnalysedOnce(t *testing.T) {
	e := bank(t, nil)
	for name, ask := range map[string]func(text string) error{
		"semantic search": func(text string) error {
			_, err := e.Semantic(t.Context(), SemanticQuery{Query: text})
			return err
		},
		"best": func(text string) error {
			_, err := e.Best(t.Context(), text, 5)
			return err
		},
		"relevance": func(text string) error {
			q := RelevanceQuery{TargetFeature: text, Symbols: OneOrMore{"DailyLimit", "Transfer"}}
			_, err := e.Relevance(t.Context(), q)
			return err
		},
	} {
		const text = "is there a limit on what a customer may spend in a day"
		analyses := 0
		watch := func(analysed string) {
			if analysed == text {
				analyses++
			}
		}
		terms.Watch.Store(&watch)
		err := ask(text)
		terms.Watch.Store(nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if analyses != 1 {
			t.Errorf("%s analyses its question %d times", name, analyses)
		}
	}
}
