package index

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codeintel/internal/index/chunk"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	"codeintel/internal/text/question"
)

func TestSymbols(t *testing.T) {
	tr := newTree(t, map[string]string{
		"a/z.go":       "package a\n\nfunc HTTPReader() {}\n\ntype Reader struct{ n int }\n\nfunc (r *Reader) ReadAll() {}\n",
		"a/a_test.go":  "package a\n\nfunc Reader() {}\n",
		"b/b.go":       "package b\n\nfunc reader() {}\n\nvar READER = 1\n",
		"b/reader.py":  "def reader():\n    pass\n\n\nclass Reader:\n    pass\n",
		"c/d/deep.go":  "package d\n\nfunc read_all_lines() {}\n",
		"c/d/other.go": "package d\n\nfunc unrelated() {}\n",
	})
	x := tr.synced()
	for _, c := range []struct {
		what string
		q    SymbolQuery
		want string
	}{
		{"exact: not in tests first", SymbolQuery{Name: "Reader"}, "a/z.go:5 b/reader.py:5 a/a_test.go:3"},
		{"fold: as written, then exported", SymbolQuery{Name: "reader", Match: Fold},
			"b/reader.py:1 b/b.go:3 a/z.go:5 b/b.go:5 b/reader.py:5 a/a_test.go:3"},
		{"prefix", SymbolQuery{Name: "read", Match: Prefix, Language: syntax.Go, Path: "c"}, "c/d/deep.go:3"},
		{"subword", SymbolQuery{Name: "readAll", Match: Subword}, "a/z.go:7 c/d/deep.go:3"},
		{"subword in capitals", SymbolQuery{Name: "http", Match: Subword}, "a/z.go:3"},
		{"language", SymbolQuery{Name: "Reader", Language: syntax.Python}, "b/reader.py:5"},
		{"kind", SymbolQuery{Name: "Reader", Kind: syntax.Struct}, "a/z.go:5"},
		{"folder", SymbolQuery{Name: "Reader", Path: "./b/"}, "b/reader.py:5"},
		{"file", SymbolQuery{Name: "Reader", Path: "a/a_test.go"}, "a/a_test.go:3"},
		{"glob", SymbolQuery{Name: "Reader", Path: "**/*.py"}, "b/reader.py:5"},
		{"glob of a name", SymbolQuery{Name: "Reader", Path: "*_test.go"}, "a/a_test.go:3"},
		{"limit", SymbolQuery{Name: "Reader", Limit: 1}, "a/z.go:5"},
		{"all", SymbolQuery{Path: "c/**", Kind: syntax.Function}, "c/d/deep.go:3 c/d/other.go:3"},
		{"none", SymbolQuery{Name: "Nowhere", Match: Subword}, ""},
	} {
		if got := names(t, x, c.q); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if _, err := x.Symbols(t.Context(), SymbolQuery{Name: "x", Path: "[a"}); problem.Of(err) == nil {
		t.Errorf("a bad glob: %v", err)
	}
	s, err := x.Symbols(t.Context(), SymbolQuery{Name: "ReadAll"})
	if err != nil || len(s) != 1 || s[0].ID() != "a/z.go#Reader.ReadAll:7" || !s[0].Exported || s[0].Language != syntax.Go {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOccurrencesAndImports(t *testing.T) {
	tr := newTree(t, map[string]string{
		"a.go": "package a\n\nimport (\n\t\"fmt\"\n\tweb \"net/http\"\n)\n\nfunc Use() {\n\tweb.Get(\"x\")\n\tfmt.Println(Other)\n}\n",
		"b.go": "package a\n\nvar Other = 1\n\nfunc Get() {}\n",
	})
	x := tr.synced()
	ctx := t.Context()
	list, err := x.Occurrences(ctx, "Get")
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	call, def := list[0], list[1]
	want := Occurrence{File: "a.go", Language: syntax.Go, Name: "Get", Line: 9, Column: 6, Role: syntax.Call, Qualifier: "web",
		Enclosing: Enclosing{Name: "Use", Kind: syntax.Function, StartLine: 8, EndLine: 11}}
	if d := cmp.Diff(want, call); d != "" {
		t.Errorf("call (-want +got):\n%s", d)
	}
	if def.File != "b.go" || def.Line != 5 || def.Role != syntax.Definition {
		t.Errorf("definition %+v", def)
	}
	inFile, err := x.FileOccurrences(ctx, "a.go")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, o := range inFile {
		found = found || cmp.Equal(o, call)
	}
	if !found {
		t.Errorf("FileOccurrences lacks %+v:\n%+v", call, inFile)
	}
	imports, err := x.Imports(ctx, "a.go")
	if err != nil || len(imports) != 2 || imports[1].Path != "net/http" || imports[1].Alias != "web" || imports[1].File != "a.go" {
		t.Errorf("imports %+v, %v", imports, err)
	}
	some, err := x.ImportsWhere(ctx, func(m Import) bool { return strings.HasPrefix(m.Path, "net/") })
	if err != nil || len(some) != 1 || some[0].Line != 5 {
		t.Errorf("imports of net: %+v, %v", some, err)
	}
	for _, f := range []func(string) error{
		func(p string) error { _, err := x.Imports(ctx, p); return err },
		func(p string) error { _, err := x.FileSymbols(ctx, p); return err },
		func(p string) error { _, err := x.FileChunks(ctx, p); return err },
		func(p string) error { _, err := x.FileOccurrences(ctx, p); return err },
		func(p string) error { _, err := x.File(ctx, p); return err },
	} {
		if p := problem.Of(f("none.go")); p == nil || p.Code != problem.NotFound {
			t.Errorf("a file that is not there: %v", p)
		}
	}
}

func TestChunkIDs(t *testing.T) {
	tr := sampleTree(t)
	x := tr.synced()
	all, err := x.FileChunks(t.Context(), "a/alpha.go")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	last := all[len(all)-1]
	tr.write("a/alpha.go", "// A line above.\n"+goFile("a", "Alpha", "Shared"))
	mustRefresh(t, x)
	c, err := x.Chunk(t.Context(), last.ID)
	if err != nil || c.StartLine != last.StartLine+1 || !strings.Contains(c.Text, "Shared") {
		t.Errorf("the ID does not follow its text: %+v, %v", c, err)
	}
	for _, place := range []string{fmt.Sprintf("a/alpha.go:%d", c.StartLine), fmt.Sprintf("a/alpha.go:%d-%d", c.StartLine, c.EndLine)} {
		if at, err := x.Chunk(t.Context(), place); err != nil || at.ID != c.ID {
			t.Errorf("at %s is %+v, not %s: %v", place, at, c.ID, err)
		}
	}
	tr.write("a/alpha.go", goFile("a", "Gone"))
	mustRefresh(t, x)
	for _, id := range []string{last.ID, "a/alpha.go", "none:1#00", "", "#", ":#", "a/alpha.go:x", "a/alpha.go:1-", "a/alpha.go:999"} {
		if _, err := x.Chunk(t.Context(), id); problem.Of(err) == nil {
			t.Errorf("chunk %q: %v", id, err)
		}
	}
}

// A random history of edits, seen by two handles, ends where a new index begins.
func TestRandomHistory(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		tr := manyFiles(t, 30)
		handles := []*Index{tr.synced(), tr.open()}
		held := func() {}
		for step := range 25 {
			path := fmt.Sprintf("p%d/f%d.go", r.IntN(3), r.IntN(12))
			switch r.IntN(7) {
			case 0, 1, 2:
				tr.write(path, goFile("p", fmt.Sprintf("S%d", step), "Common"))
			case 3:
				tr.write(path, "package p\n")
				tr.remove(path)
			case 4:
				held()
				unlock, err := handles[0].lockWriting()
				if err != nil {
					t.Fatal(err)
				}
				held = unlock
			case 5:
				held()
				held = func() {}
				mustSync(t, handles[r.IntN(2)])
			case 6:
				tr.write(path, "text\x00binary\x00")
			}
			mustRefresh(t, handles[r.IntN(2)])
		}
		held()
		for _, x := range handles {
			mustRefresh(t, x)
			same(t, tr, x)
		}
	}
}

// Questions, edits, refreshes and synchronisations at once.
func TestConcurrentUse(t *testing.T) {
	tr := manyFiles(t, 150)
	x := tr.synced()
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 15 {
				var err error
				switch worker {
				case 0:
					tr.write(fmt.Sprintf("p0/f%d.go", i), goFile("p", fmt.Sprintf("W%d", i), "Common"))
					err = x.Refresh(t.Context())
				case 1:
					_, err = x.Rank(t.Context(), RankQuery{Question: question.Analyse("common helper"), K: 10})
				case 2:
					var list []Symbol
					if list, err = x.Symbols(t.Context(), SymbolQuery{Name: "Common"}); err == nil && len(list) < 100 {
						err = fmt.Errorf("%d symbols", len(list))
					}
				case 3:
					if i%5 == 0 {
						_, err = x.Sync(t.Context(), SyncOptions{Force: i == 5})
					} else {
						_, err = x.Occurrences(t.Context(), "helper")
					}
				}
				if err != nil {
					t.Errorf("worker %d: %v", worker, err)
					return
				}
			}
		})
	}
	wg.Wait()
	mustRefresh(t, x)
	same(t, tr, x)
}

func TestNothingIsWrittenOutside(t *testing.T) {
	tr := sampleTree(t)
	tr.git("init", "-q")
	tr.synced().Close()
	out, _ := filepath.Glob(filepath.Join(tr.root, ".code-intel/*"))
	if len(out) != 1 || filepath.Base(out[0]) != "index" {
		t.Errorf("written: %v", out)
	}
	tr.git("add", "-A")
	list, _ := filepath.Glob(filepath.Join(tr.root, "*"))
	if len(list) != 6 { // with .git, .gitignore and .code-intel
		t.Errorf("in the root: %v", list)
	}
}

func TestOutlineRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		num := rapid.IntRange(0, 1<<20)
		kind := rapid.SampledFrom(append([]syntax.Kind{"unheard_of"}, kinds...))
		f := &syntax.File{Partial: text.Draw(t, "partial")}
		for range rapid.IntRange(0, 5).Draw(t, "symbols") {
			s := syntax.Symbol{Name: text.Draw(t, "s"), Kind: kind.Draw(t, "k"), Parent: rapid.IntRange(-1, 5).Draw(t, "p"),
				Scope: text.Draw(t, "s"), Signature: text.Draw(t, "s"), Doc: text.Draw(t, "s"),
				Start: num.Draw(t, "n"), End: num.Draw(t, "n"), DocStart: num.Draw(t, "n"), StartLine: num.Draw(t, "n"),
				EndLine: num.Draw(t, "n"), NameLine: num.Draw(t, "n"), NameColumn: num.Draw(t, "n"), Exported: rapid.Bool().Draw(t, "e")}
			f.Symbols = append(f.Symbols, s)
		}
		var chunks []chunk.Chunk
		for range rapid.IntRange(0, 4).Draw(t, "chunks") {
			c := chunk.Chunk{Start: num.Draw(t, "n"), End: num.Draw(t, "n"), StartLine: num.Draw(t, "n"), EndLine: num.Draw(t, "n"),
				Fingerprint: "0123456789abcdef0123", Symbol: text.Draw(t, "s")}
			if len(f.Symbols) > 0 && rapid.Bool().Draw(t, "of a symbol") {
				s := f.Symbols[0]
				c.Start, c.End = s.Start, s.Start+1
				c.Symbol, c.Scope, c.Kind, c.Signature, c.Doc = s.Name, s.Scope, s.Kind, s.Signature, s.Doc
			}
			chunks = append(chunks, c)
		}
		for range rapid.IntRange(0, 3).Draw(t, "imports") {
			f.Imports = append(f.Imports, syntax.Import{Path: text.Draw(t, "s"), Alias: text.Draw(t, "s"),
				Names: rapid.SliceOfN(text, 1, 3).Draw(t, "names"), Line: num.Draw(t, "n")})
		}
		b := appendOutline(nil, f, chunks, 77)
		if !intactOutline(b) {
			t.Fatal("not intact")
		}
		o, err := decodeOutline(b)
		if err != nil || o.lines != 77 || o.partial != f.Partial || o.symbols.n != len(f.Symbols) || o.chunks.n != len(chunks) || o.imports.n != len(f.Imports) {
			t.Fatalf("%+v, %v", o, err)
		}
		for i, want := range f.Symbols {
			if got, ok := o.symbol(i); !ok || got != want {
				t.Fatalf("symbol %d: %+v, want %+v", i, got, want)
			}
		}
		for i, c := range chunks {
			want := ChunkInfo{Start: c.Start, End: c.End, StartLine: c.StartLine, EndLine: c.EndLine, Symbol: c.Symbol,
				Scope: c.Scope, Kind: c.Kind, Signature: c.Signature, Doc: c.Doc, Fingerprint: "0123456789abcdef"}
			if got, ok := o.chunk(i); !ok || got != want {
				t.Fatalf("chunk %d: %+v, want %+v", i, got, want)
			}
		}
		for i, want := range f.Imports {
			if got, ok := o.imported(i); !ok || !cmp.Equal(got, want) {
				t.Fatalf("import %d: %+v, want %+v", i, got, want)
			}
		}
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 4
		if intactOutline(b) {
			t.Fatal("a changed bit is not seen")
		}
	})
}

func FuzzOutline(f *testing.F) {
	f.Add(appendOutline(nil, &syntax.File{Symbols: []syntax.Symbol{{Name: "a"}}, Imports: []syntax.Import{{Path: "b", Names: []string{"c"}}}},
		[]chunk.Chunk{{End: 5, Symbol: "x"}}, 3))
	f.Add([]byte{outlineVersion, 2, 2, 0, 255, 255, 255, 255, 15, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeAttributes(b)
		o, err := decodeOutline(b)
		if err != nil {
			return
		}
		for i := range min(o.symbols.n, 100) {
			o.symbol(i)
			o.enclosing(i)
		}
		for i := range min(o.chunks.n, 100) {
			o.chunk(i)
		}
		for i := range min(o.imports.n, 100) {
			o.imported(i)
		}
		o.chunkAt(7)
		o.symbol(-1)
		o.symbol(1 << 30)
	})
}
