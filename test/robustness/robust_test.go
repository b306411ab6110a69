package robustness

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/impact"
	"codeintel/internal/search/queryplan"
	"codeintel/test/tier"
)

// An engine is everything that answers questions about one tree, put together as
// the server does.
type engine struct {
	root   string
	x      *index.Index
	e      *search.Engine
	impact *impact.Analyzer
	router *queryplan.Router
}

func openEngine(t testing.TB, root string) *engine {
	t.Helper()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	x, err := index.Open(context.Background(), p, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	e := search.New(p, x)
	return &engine{root, x, e, impact.New(p, x, e, nil), queryplan.New(p, x, e, log, time.Now)}
}

func (g *engine) sync(t testing.TB) index.SyncReport {
	t.Helper()
	r, err := g.x.Sync(t.Context(), index.SyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// put writes a file whole: nobody sees half of it.
func put(t testing.TB, root, rel, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Error(err)
		return
	}
	f, err := os.CreateTemp(filepath.Dir(root), "put-*.tmp~") // outside the project, where no search finds it
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		t.Error(err)
	}
}

// A flicker is a tree whose files f0.go, f1.go, … are, at any moment, each in one
// of two states that differ in all lines.
type flicker struct {
	root  string
	files int
	now   []atomic.Int32 // the state of each file that was written last
}

const flickers = 12

func newFlicker(t testing.TB) *flicker {
	t.Helper()
	f := &flicker{root: t.TempDir(), files: flickers, now: make([]atomic.Int32, flickers)}
	if err := os.MkdirAll(filepath.Join(f.root, ".code-intel/index"), 0o755); err != nil { // the index lies in the project
		t.Fatal(err)
	}
	put(t, f.root, "go.mod", "module example.com/m\n\ngo 1.26\n")
	for i := range f.files {
		put(t, f.root, f.path(i), f.text(i, 0))
		put(t, f.root, fmt.Sprintf("calls/c%d.go", i), fmt.Sprintf("package calls\n\nimport \"example.com/m/shop\"\n\nfunc Call%d() { shop.Mark%d() }\n", i, i))
	}
	for i := range 200 { // enough for a segment, and for a latent space
		put(t, f.root, fmt.Sprintf("still/s%d.go", i), fmt.Sprintf("package still\n\n// Still%d never moves.\nfunc Still%d() {\n\tword%d()\n\tother%d()\n\tthird%d()\n}\n", i, i, i%90, i%70, i%50))
	}
	return f
}

func (f *flicker) path(i int) string { return fmt.Sprintf("shop/f%d.go", i) }

func (f *flicker) text(i int, state int32) string {
	name := []string{"resting", "moving"}[state]
	var b strings.Builder
	fmt.Fprintf(&b, "package shop // is %s\n\n", name)
	for l := range 10 * int(state) {
		fmt.Fprintf(&b, "// Line %d of what is %s.\n\n", l, name)
	}
	fmt.Fprintf(&b, "// Mark%d is %s at its place.\nfunc Mark%d() string { return use%d(%q) }\n\n", i, name, i, i, name)
	fmt.Fprintf(&b, "func use%d(%s string) string { return %s }\n", i, name, name)
	return b.String()
}

func (f *flicker) toggle(t testing.TB, i int) {
	state := 1 - f.now[i].Load()
	put(t, f.root, f.path(i), f.text(i, state))
	f.now[i].Store(state)
}

// fits says whether text is at a line of file i in one of its states.
func (f *flicker) fits(i, line int, text string) bool {
	for state := range int32(2) {
		lines := strings.Split(f.text(i, state), "\n")
		ok := line > 0
		for k, got := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			at := line - 1 + k
			ok = ok && at < len(lines) && strings.TrimSpace(lines[at]) == strings.TrimSpace(got)
		}
		if ok {
			return true
		}
	}
	return false
}

// askAll asks every tool about file i and returns what is wrong with the answers,
// and the errors that are not refusals: those are for the caller to judge.
func (f *flicker) askAll(ctx context.Context, g *engine, i int) (wrong []string, failed []error) {
	mark, use, file := fmt.Sprintf("Mark%d", i), fmt.Sprintf("use%d", i), f.path(i)
	whole := true // the answer says that nothing is missing
	note := func(tool, format string, args ...any) {
		if whole {
			wrong = append(wrong, tool+": "+fmt.Sprintf(format, args...))
		}
	}
	ok := func(tool string, err error) bool {
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", tool, err))
		}
		return err == nil
	}
	if a, err := g.e.Definitions(ctx, search.DefinitionsQuery{Symbol: mark, ExactMatch: true}); ok("find_definitions", err) {
		whole = a.Whole()
		if len(a.Definitions) != 1 || a.Definitions[0].File != file {
			note("find_definitions", "%+v", a.Definitions)
		}
		for _, d := range a.Definitions {
			if d.Snippet != "" && (!f.fits(i, d.SnippetAt, d.Snippet) || !strings.Contains(d.Snippet, mark+"()")) {
				note("find_definitions", "%d %q", d.SnippetAt, d.Snippet)
			}
		}
	}
	if a, err := g.e.References(ctx, search.ReferencesQuery{Symbol: use}); ok("find_references", err) {
		whole = a.Whole()
		if len(a.References) != 1 {
			note("find_references", "%+v %q", a.References, a.Notes)
		}
		for _, r := range a.References {
			if r.File != file || r.Content != "" && !f.fits(i, r.Line, r.Content) { // without text where files never rest
				note("find_references", "%+v", r)
			}
		}
	}
	if a, err := g.e.Text(ctx, search.TextQuery{Pattern: search.OneOrMore{"return " + use + "("}, Context: 1}); ok("search_text", err) {
		whole = a.Whole()
		if len(a.Matches) != 1 || a.Matches[0].File != file || !f.fits(i, a.Matches[0].Line-1, strings.Join(a.Matches[0].Before, "\n")+"\n"+a.Matches[0].Content) {
			note("search_text", "%+v", a.Matches)
		}
	}
	if a, err := g.e.Files(ctx, search.FilesQuery{Pattern: "shop/*.go"}); ok("search_files", err) && len(a.Files) != f.files {
		note("search_files", "%d files", len(a.Files))
	}
	line := 0
	if a, err := g.e.Symbols(ctx, search.SymbolsQuery{Path: file}); ok("get_symbols", err) {
		if len(a.Symbols) != 2 || !f.fits(i, a.Symbols[0].Line-1, "// "+a.Symbols[0].Doc) {
			note("get_symbols", "%+v", a.Symbols)
		} else {
			line = a.Symbols[0].Line
		}
	}
	if a, err := g.e.FunctionAt(ctx, search.FunctionAtQuery{FilePath: file, Line: max(line, 1)}); problem.Of(err) == nil && ok("get_function_at_line", err) {
		if a.Function != nil && !f.fits(i, a.Function.ContentAt, a.Function.Content) {
			note("get_function_at_line", "%+v", *a.Function)
		}
	}
	if a, err := g.e.Structure(ctx, search.StructureQuery{Where: search.Where{Path: file}}); ok("analyze_structure", err) {
		if len(a.Files) != 1 || len(a.Files[0].Symbols) != 2 || !f.fits(i, a.Files[0].Symbols[1].StartLine, strings.Split(f.text(i, 0), "\n")[5]) && a.Files[0].Lines < 20 {
			note("analyze_structure", "%+v", a.Files)
		}
	}
	if a, err := g.e.Semantic(ctx, search.SemanticQuery{Query: mark + " at its place"}); ok("semantic_search", err) {
		whole = a.Whole()
		found := false
		for _, h := range a.ForestHits {
			if h.File != file {
				continue
			}
			found = true
			if h.Snippet != "" && !f.fits(i, h.StartLine, h.Snippet) {
				note("semantic_search", "%d %q", h.StartLine, h.Snippet)
			}
			c, err := g.e.ChunkDetail(ctx, search.ChunkQuery{ChunkID: h.ChunkID})
			if problem.Of(err) != nil {
				continue // it has changed meanwhile, and the answer says so
			}
			if ok("fetch_chunk_detail", err) && !f.fits(i, c.ContentAt, c.Content) {
				note("fetch_chunk_detail", "%d %q", c.ContentAt, c.Content)
			}
		}
		if !found {
			note("semantic_search", "%s is not among %d hits", file, len(a.ForestHits))
		}
	}
	if a, err := g.impact.Analyze(ctx, impact.Query{Targets: search.OneOrMore{mark}}); ok("analyze_impact", err) {
		whole = a.Whole()
		caller, found := fmt.Sprintf("calls/c%d.go", i), false
		for _, m := range append(a.MustVerify, a.ShouldVerify...) {
			found = found || m.File == caller
		}
		if !found {
			note("analyze_impact", "%s is not touched: %+v", caller, a.MustVerify)
		}
	}
	if a, err := g.router.Ask(ctx, queryplan.Query{Query: "where is " + mark + " defined"}, queryplan.Setting{}); ok("query", err) {
		whole = a.Whole()
		found := false
		for _, r := range a.Results {
			found = found || r.File == file
		}
		if !found {
			note("query", "%s is not among %d results", file, len(a.Results))
		}
	}
	return wrong, failed
}

// settled fails unless all answers are right and say what the files say now.
func (f *flicker) settled(t *testing.T, g *engine) {
	t.Helper()
	for i := range f.files {
		wrong, failed := f.askAll(t.Context(), g, i)
		if len(wrong)+len(failed) > 0 {
			t.Errorf("at rest: %v %v", wrong, failed)
		}
		a, err := g.e.Definitions(t.Context(), search.DefinitionsQuery{Symbol: fmt.Sprintf("Mark%d", i), ExactMatch: true})
		if err != nil || len(a.Definitions) != 1 {
			t.Fatalf("Mark%d: %v, %v", i, a, err)
		}
		if want := 4 + 20*int(f.now[i].Load()); a.Definitions[0].Line != want {
			t.Errorf("Mark%d is at line %d, want %d", i, a.Definitions[0].Line, want)
		}
	}
}

// crowd has askers ask all tools at once, rounds times each, and hands every
// answer's faults to judge.
func (f *flicker) crowd(ctx context.Context, g *engine, askers, rounds int, judge func(wrong []string, failed []error)) {
	var wg sync.WaitGroup
	for a := range askers {
		wg.Go(func() {
			for n := range rounds {
				judge(f.askAll(ctx, g, (a*5+n)%f.files))
			}
		})
	}
	wg.Wait()
}

// TestQueriesDuringSyncs asks every tool of one server from many goroutines while
// files change, the same index is synchronised, and another process synchronises
// it too. Whatever an answer shows of a file is of one of the states it had, and
// no tool misses what was there all the time.
func TestQueriesDuringSyncs(t *testing.T) {
	f := newFlicker(t)
	g, other := openEngine(t, f.root), openEngine(t, f.root)
	g.sync(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for n, h := range []*engine{g, other} {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			for ctx.Err() == nil {
				f.toggle(t, n+2*r.IntN(f.files/2)) // each has files of its own to change
				if _, err := h.x.Sync(ctx, index.SyncOptions{}); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	f.crowd(t.Context(), g, 6, 4, func(wrong []string, failed []error) {
		for _, w := range wrong {
			t.Error(w)
		}
		for _, err := range failed {
			t.Error(err)
		}
	})
	stop()
	wg.Wait()
	f.settled(t, g)
	f.settled(t, other)
}

// TestDamageDuringQueries damages the files of the index while a server is being asked.
// Answers are right or missing, and afterwards everything works as before.
func TestDamageDuringQueries(t *testing.T) {
	f := newFlicker(t)
	dir := filepath.Join(f.root, ".code-intel/index")
	harms := map[string]func(path string, b []byte) error{
		"removed": func(path string, _ []byte) error { return os.Remove(path) },
		"emptied": func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"cut":     func(path string, b []byte) error { return os.Truncate(path, int64(len(b)/2)) },
		"replaced": func(path string, b []byte) error {
			return os.WriteFile(path, []byte(strings.Repeat("x", len(b))), 0o644)
		},
		"flipped": func(path string, b []byte) error {
			for i := 100; i < len(b); i += 1777 {
				b[i] ^= 16
			}
			return os.WriteFile(path, b, 0o644)
		},
	}
	kinds := map[string][]string{
		"removed":  {"forest.db"},
		"emptied":  {"*"},
		"cut":      {"*.seg", "latent.space", "*"},
		"replaced": {"forest.db", "*"},
		"flipped":  {"forest.db", "*.tri", "*.seg"},
	}
	for name, harm := range tier.Cases(harms, 2) {
		for _, kind := range kinds[name] {
			t.Run(kind+" "+name, func(t *testing.T) {
				g := openEngine(t, f.root)
				g.sync(t)
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan struct{})
				go func() { g.x.Serve(ctx); close(served) }()
				defer func() { stop(); <-served }()
				harmed := make(chan struct{})
				go func() {
					defer close(harmed)
					list, _ := filepath.Glob(filepath.Join(dir, kind))
					for _, path := range list {
						if b, err := os.ReadFile(path); err == nil {
							if err := harm(path, b); err != nil && !os.IsNotExist(err) {
								t.Error(err)
							}
						}
					}
					f.toggle(t, 3)
				}()
				f.crowd(t.Context(), g, 2, 2, func(wrong []string, failed []error) {
					for _, w := range wrong {
						t.Error(w)
					}
					for _, err := range failed {
						t.Log(err)
					}
				})
				<-harmed
				force := name == "flipped" && kind == "forest.db" // SQLite has no checksums
				if _, err := g.x.Sync(t.Context(), index.SyncOptions{Force: force}); err != nil {
					t.Error(err)
				}
				f.settled(t, g)
				f.settled(t, openEngine(t, f.root))
			})
		}
	}
}
