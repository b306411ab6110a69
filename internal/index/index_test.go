package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/japanese"

	"codeintel/internal/git"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/sqlite"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
	"codeintel/internal/text/question"
	"codeintel/test/tier"
)

// A tree is a project on disk for one test.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T, files map[string]string) *tree {
	t.Helper()
	tr := &tree{t, t.TempDir()}
	for path, text := range files {
		tr.write(path, text)
	}
	return tr
}

func (tr *tree) write(path, text string) {
	tr.t.Helper()
	full := filepath.Join(tr.root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// TestLongQualifier indexes an import from a very long path, which is not kept: a list of
// imports would have it once for each name.
func TestLongQualifier(t *testing.T) {
	tr := newTree(t, map[string]string{"a.rs": "use " + strings.Repeat("a", 3000) + "::{first, second};\nuse b::third;\n"})
	x := tr.open()
	mustSync(t, x)
	for name, want := range map[string]string{"first": "", "third": "b"} {
		list, err := x.Occurrences(t.Context(), name)
		if err != nil || len(list) != 1 || list[0].Qualifier != want {
			t.Errorf("%s: %.100v %v", name, list, err)
		}
	}
}

// TestHeavyFile indexes a file as heavy as all that may be read at once, among
// light ones before and after it.
func TestHeavyFile(t *testing.T) {
	tr := newTree(t, map[string]string{
		"a.go":     "package a\n\nfunc A() {}\n",
		"heavy.py": strings.Repeat("x = 1\n", underWayBytes/6+1000),
		"z.go":     "package a\n\nfunc Z() {}\n",
	})
	p := tr.project()
	p.Config.MaxFileBytes = 64 << 20
	x, err := Open(t.Context(), p, discard)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it would wait forever
	defer cancel()
	report, err := x.Sync(ctx, SyncOptions{})
	if err != nil || report.Added != 3 {
		t.Errorf("%d files added, want 3; %v", report.Added, err)
	}
}

func (tr *tree) remove(path string) {
	tr.t.Helper()
	if err := os.Remove(filepath.Join(tr.root, path)); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) git(args ...string) {
	tr.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = tr.root
	if out, err := cmd.CombinedOutput(); err != nil {
		tr.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

var discard = slog.New(slog.DiscardHandler)

// project returns the project, which keeps its index with it.
func (tr *tree) project() *project.Project {
	tr.t.Helper()
	if err := os.MkdirAll(filepath.Join(tr.root, ".code-intel/index"), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	p, err := project.OpenRoot(tr.root)
	if err != nil {
		tr.t.Fatal(err)
	}
	return p
}

func (tr *tree) open() *Index {
	tr.t.Helper()
	x, err := Open(tr.t.Context(), tr.project(), discard)
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.t.Cleanup(func() { x.Close() })
	return x
}

func (tr *tree) synced() *Index {
	tr.t.Helper()
	x := tr.open()
	mustSync(tr.t, x)
	return x
}

func (tr *tree) segments() []string {
	list, _ := filepath.Glob(filepath.Join(tr.root, ".code-intel/index", segmentPrefix+"*"+segmentSuffix))
	return list
}

func (tr *tree) database() string { return filepath.Join(tr.root, ".code-intel/index/forest.db") }

func mustSync(t *testing.T, x *Index) SyncReport {
	t.Helper()
	r, err := x.Sync(t.Context(), SyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustRefresh(t *testing.T, x *Index) {
	t.Helper()
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// names returns where a symbol is declared, "path:line".
func names(t *testing.T, x *Index, q SymbolQuery) string {
	t.Helper()
	list, err := x.Symbols(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s:%d", s.File, s.StartLine))
	}
	return strings.Join(out, " ")
}

func expect(t *testing.T, x *Index, name, want string) {
	t.Helper()
	if got := names(t, x, SymbolQuery{Name: name}); got != want {
		t.Errorf("%s is declared at %q, want %q", name, got, want)
	}
}

// state is all that can be asked of an index, for comparison.
func state(t *testing.T, x *Index) []string {
	t.Helper()
	ctx := t.Context()
	var out []string
	infos, err := x.Files(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, f := range infos {
		out = append(out, fmt.Sprint(f))
		symbols, err := x.FileSymbols(ctx, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			out = append(out, fmt.Sprint(s))
		}
		chunks, err := x.FileChunks(ctx, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunks {
			out = append(out, fmt.Sprint(c))
		}
		occurrences, err := x.FileOccurrences(ctx, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range occurrences {
			seen[o.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		list, err := x.Occurrences(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			out = append(out, fmt.Sprint(o))
		}
		found := names(t, x, SymbolQuery{Name: name, Match: Fold})
		out = append(out, name+" folded: "+found)
		hits, err := x.Rank(ctx, RankQuery{Question: question.Analyse(name), K: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range hits {
			ids = append(ids, h.Chunk.ID)
		}
		slices.Sort(ids) // scores depend on how many dead files there are
		out = append(out, fmt.Sprint("rank ", name, ids))
	}
	return out
}

// same fails unless x answers as an index made from nothing does.
func same(t *testing.T, tr *tree, x *Index) {
	t.Helper()
	other := &tree{t, t.TempDir()}
	if err := os.CopyFS(other.root, os.DirFS(tr.root)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(other.root, ".code-intel/index")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(state(t, other.synced()), state(t, x)); d != "" {
		t.Errorf("not as an index made from nothing (-fresh +this):\n%s", d)
	}
}

func goFile(pkg string, funcs ...string) string {
	text := "package " + pkg + "\n"
	for _, f := range funcs {
		text += fmt.Sprintf("\n// %s does what its name says.\nfunc %s() { helper(%q) }\n", f, f, f)
	}
	return text
}

func sampleTree(t *testing.T) *tree {
	return newTree(t, map[string]string{
		"a/alpha.go":      goFile("a", "Alpha", "Shared"),
		"a/alpha_test.go": goFile("a", "TestAlpha", "Shared"),
		"b/beta.go":       goFile("b", "Beta", "ReadAllLines"),
		"README.md":       "# Title\n\nSome words about penguins.\n",
		".gitignore":      "ignored/\n",
	})
}

func TestSyncIsIncremental(t *testing.T) {
	tr := sampleTree(t)
	x := tr.open()
	r := mustSync(t, x)
	if r.Added != 5 || r.Changed+r.Removed+r.Unchanged+r.Failed != 0 || r.Files != 5 {
		t.Errorf("first: %+v", r)
	}
	expect(t, x, "Alpha", "a/alpha.go:4")
	if r = mustSync(t, x); r.Added+r.Changed+r.Removed != 0 || r.Unchanged != 5 {
		t.Errorf("second: %+v", r)
	}
	tr.write("a/alpha.go", goFile("a", "Other", "Alpha"))
	tr.write("c/gamma.go", goFile("c", "Gamma"))
	tr.remove("README.md")
	if err := os.Rename(filepath.Join(tr.root, "b"), filepath.Join(tr.root, "d")); err != nil {
		t.Fatal(err)
	}
	r = mustSync(t, x)
	if r.Added != 2 || r.Changed != 1 || r.Removed != 2 || r.Unchanged != 2 {
		t.Errorf("after changes: %+v", r)
	}
	expect(t, x, "Alpha", "a/alpha.go:7")
	expect(t, x, "Gamma", "c/gamma.go:4")
	expect(t, x, "Beta", "d/beta.go:4")
	same(t, tr, x)
	if r, err := x.Sync(t.Context(), SyncOptions{Force: true}); err != nil || r.Changed != 5 {
		t.Errorf("forced: %+v, %v", r, err)
	}
	same(t, tr, x)
	x.Close()
	same(t, tr, tr.open())
}

func TestRefreshSeesEveryEdit(t *testing.T) {
	tr := sampleTree(t)
	x := tr.open()
	mustRefresh(t, x) // the first one indexes
	expect(t, x, "Alpha", "a/alpha.go:4")
	for i := range 20 { // faster than the clock of the file system, and of one size
		name := fmt.Sprintf("Edit%02d", i)
		tr.write("a/alpha.go", goFile("a", name))
		mustRefresh(t, x)
		expect(t, x, name, "a/alpha.go:4")
	}
	expect(t, x, "Edit18", "")
	tr.remove("b/beta.go")
	mustRefresh(t, x)
	expect(t, x, "Beta", "")
	if f := x.Freshness(); f.VerifiedAt.IsZero() || f.Pending != 0 || f.Writer {
		t.Errorf("freshness %+v", f)
	}
	same(t, tr, x)
}

func TestBranchSwitch(t *testing.T) {
	tr := sampleTree(t)
	tr.git("init", "-q", "-b", "main")
	tr.git("add", "-A")
	tr.git("commit", "-qm", "one")
	x := tr.synced()
	tr.git("switch", "-qc", "side")
	tr.write("a/alpha.go", goFile("a", "OnSide"))
	tr.remove("b/beta.go")
	tr.git("add", "-A")
	tr.git("commit", "-qm", "two")
	mustRefresh(t, x)
	expect(t, x, "OnSide", "a/alpha.go:4")
	expect(t, x, "Beta", "")
	count := func() (n int) {
		if err := x.db.Reader().QueryRow("SELECT count(*) FROM contents").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	for _, branch := range []string{"main", "side", "main"} {
		tr.git("switch", "-q", branch)
		mustRefresh(t, x)
	}
	expect(t, x, "Alpha", "a/alpha.go:4")
	expect(t, x, "Beta", "b/beta.go:4")
	expect(t, x, "OnSide", "")
	if n := count(); n != before {
		t.Errorf("switching back and forth made %d contents of %d: something was parsed twice", n, before)
	}
	same(t, tr, x)
}

func TestLinkedWorktreeLearnsFromTheMainOne(t *testing.T) {
	tr := sampleTree(t)
	tr.git("init", "-q", "-b", "main")
	tr.git("add", "-A")
	tr.git("commit", "-qm", "one")
	tr.synced()
	linked := &tree{t, filepath.Join(t.TempDir(), "linked")}
	tr.git("worktree", "add", "-q", linked.root, "-b", "side")
	if git.MainWorktree(linked.root) == "" || git.MainWorktree(tr.root) != "" {
		t.Fatalf("main worktree of the linked one %q, of the main one %q", git.MainWorktree(linked.root), git.MainWorktree(tr.root))
	}
	mark := func(query string) {
		db, err := sqlite.Open(t.Context(), tr.database(), schema, schemaVersion)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Write(t.Context(), func(tx *sql.Tx) error { _, err := tx.Exec(query); return err }); err != nil {
			t.Fatal(err)
		}
	}
	// What only the main index can say shows where a record came from.
	donated := record{appendOutline(nil, &syntax.File{Partial: "donated"}, nil, 1), new(postings.Forward).Encode(nil, nil)}
	mark(fmt.Sprintf("UPDATE contents SET record = x'%x'", donated.pack()))
	x := linked.synced()
	f, err := x.File(t.Context(), "a/alpha.go")
	if err != nil || f.Partial != "donated" {
		t.Errorf("%+v, %v", f, err)
	}
	mark("UPDATE contents SET record = x'00'") // a damaged main index is passed over
	other := &tree{t, filepath.Join(t.TempDir(), "other")}
	tr.git("worktree", "add", "-q", other.root, "-b", "third")
	same(t, other, other.synced())
}

func TestSettingsChange(t *testing.T) {
	tr := sampleTree(t)
	tr.write("a/alpha.go", goFile("a", "Alpha")+"\n"+strings.Repeat("var _ = 1 + 2 + 3 + 4 + 5\n", 100))
	x := tr.synced()
	before, _ := x.FileChunks(t.Context(), "a/alpha.go")
	x.Close()
	tr.write(".code-intel/config.json", `{"chunk_strategy": "lines", "chunk_max_tokens": 64}`)
	x = tr.open()
	mustRefresh(t, x)
	after, err := x.FileChunks(t.Context(), "a/alpha.go")
	if err != nil || len(after) <= len(before) {
		t.Errorf("%d chunks before, %d after, %v", len(before), len(after), err)
	}
	same(t, tr, x)
}

func TestJapaneseInShiftJIS(t *testing.T) {
	text, err := japanese.ShiftJIS.NewEncoder().String("package a\n\n// Retry は接続を再試行する。\nfunc Retry() {}\n")
	if err != nil {
		t.Fatal(err)
	}
	tr := sampleTree(t)
	tr.write("a/retry.go", text)
	x := tr.synced()
	hits, err := x.Rank(t.Context(), RankQuery{Question: question.Analyse("接続の再試行"), K: 5})
	if err != nil || len(hits) == 0 || hits[0].Chunk.File != "a/retry.go" {
		t.Fatalf("hits %v, %v", hits, err)
	}
	c, err := x.Chunk(t.Context(), hits[0].Chunk.ID)
	if err != nil || !strings.Contains(c.Text, "接続を再試行する") {
		t.Errorf("chunk %q, %v", c.Text, err)
	}
}

// spoil changes a file by f.
func spoil(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", f(b), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func manyFiles(t *testing.T, n int) *tree {
	tr := newTree(t, nil)
	for i := range n {
		tr.write(fmt.Sprintf("p%d/f%d.go", i%7, i), goFile("p", fmt.Sprintf("F%d", i), fmt.Sprintf("G%d", i), "Common"))
	}
	return tr
}

func TestDamageHeals(t *testing.T) {
	cut := func(b []byte) []byte { return b[:len(b)/2] }
	flips := func(seed int) func([]byte) []byte {
		return func(b []byte) []byte {
			for i := seed % 997; i < len(b); i += 4999 {
				b[i] ^= 1 << (seed % 8)
			}
			return b
		}
	}
	all := func(list func(*tree) []string, f func([]byte) []byte) func(*testing.T, *tree) {
		return func(t *testing.T, tr *tree) {
			for _, path := range list(tr) {
				spoil(t, path, f)
			}
		}
	}
	database := func(tr *tree) []string { return []string{tr.database()} }
	cases := map[string]func(*testing.T, *tree){
		"database cut":      all(database, cut),
		"database empty":    all(database, func([]byte) []byte { return nil }),
		"database garbage":  all(database, func(b []byte) []byte { return []byte(strings.Repeat("x", len(b))) }),
		"segments cut":      all((*tree).segments, cut),
		"segments flipped":  all((*tree).segments, flips(5)),
		"segments empty":    all((*tree).segments, func([]byte) []byte { return nil }),
		"segments swapped":  func(t *testing.T, tr *tree) { swap(t, tr) },
		"segments removed":  func(t *testing.T, tr *tree) { removeAll(t, tr.segments()...) },
		"database removed":  func(t *testing.T, tr *tree) { removeAll(t, tr.database()) },
		"everything at all": func(t *testing.T, tr *tree) { removeAll(t, append(tr.segments(), tr.database())...) },
	}
	for name, sql := range map[string]string{ // as a flipped bit may leave it
		"column":  "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'bytes', 'bites')",
		"row":     "DELETE FROM contents",
		"setting": "UPDATE meta SET value = '{' WHERE key = 'skipped'",
		"number":  "UPDATE meta SET value = 'many' WHERE key = 'generation'",
	} {
		cases["database contradicts itself: "+name] = func(t *testing.T, tr *tree) { rewrite(t, tr, sql) }
	}
	for seed := range 6 {
		cases[fmt.Sprintf("database flipped %d", seed)] = all(database, flips(seed*83+1))
	}
	for name, f := range tier.Cases(cases, 5) {
		t.Run(name, func(t *testing.T) {
			tr := manyFiles(t, 150)
			x := tr.synced()
			if len(tr.segments()) == 0 {
				t.Fatal("no segments")
			}
			x.Close()
			f(t, tr)
			x = tr.open()
			if strings.HasPrefix(name, "segments") { // nothing is lost, not even before a refresh
				expect(t, x, "G77", "p0/f77.go:7")
			}
			mustRefresh(t, x)
			if strings.HasPrefix(name, "database flipped") {
				// A flipped bit that SQLite does not see may stay until all is read again.
				if _, err := x.Sync(t.Context(), SyncOptions{Force: true}); err != nil {
					t.Fatal(err)
				}
			}
			same(t, tr, x)
			if len(tr.segments()) == 0 {
				t.Error("no segment was made again")
			}
			x.Close()
			x = tr.open()
			expect(t, x, "G77", "p0/f77.go:7")
		})
	}
}

// rewrite changes what the database says.
func rewrite(t *testing.T, tr *tree, statements string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), tr.database(), schema, schemaVersion)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(statements)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
}

// swap puts an intact segment of another index in the place of this one's.
func swap(t *testing.T, tr *tree) {
	t.Helper()
	other := manyFiles(t, 300)
	other.synced().Close()
	b, err := os.ReadFile(other.segments()[0])
	if err != nil {
		t.Fatal(err)
	}
	spoil(t, tr.segments()[0], func([]byte) []byte { return b })
}

// A record that is damaged where SQLite cannot see it is read again.
func TestDamagedRecord(t *testing.T) {
	tr := sampleTree(t)
	x := tr.synced()
	x.Close()
	db, err := sqlite.Open(t.Context(), tr.database(), schema, schemaVersion)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE contents SET record = zeroblob(length(record))")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	x = tr.open()
	mustRefresh(t, x)
	same(t, tr, x)
}

func TestDamageWhileOpen(t *testing.T) {
	tr := manyFiles(t, 150)
	x := tr.synced()
	for _, s := range tr.segments() {
		if err := os.Truncate(s, 0); err != nil { // under the mapping
			t.Fatal(err)
		}
	}
	expect(t, x, "G77", "p0/f77.go:7")
	removeAll(t, tr.database())
	mustRefresh(t, x)
	same(t, tr, x)
}

// TestFlipWhileOpen flips a bit of a segment under an open index, at many places,
// and nothing but its checksum tells. Once a question has come upon it, the next
// synchronisation makes the segment again.
func TestFlipWhileOpen(t *testing.T) {
	flips := tier.Number(8, 40)
	tr := manyFiles(t, 150)
	long := time.Now().Add(-time.Hour) // so that nobody looks at the file for its being young
	tr.synced().Close()
	for n := range flips {
		path := tr.segments()[0]
		age := func() {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
		age()
		x := tr.open()
		spoil(t, path, func(b []byte) []byte { b[n*len(b)/flips] ^= 4; return b })
		age()
		if err := x.withDB(t.Context(), func(db *sqlite.DB) error { return x.reloadAll(t.Context(), db) }); err != nil {
			t.Fatal(err)
		}
		expect(t, x, "G77", "p0/f77.go:7")
		mustSync(t, x)
		s := x.acquire(base)
		for _, p := range s.parts {
			if err := p.seg.Verify(); err != nil {
				t.Errorf("flip %d: the segment is used again: %v", n, err)
			}
		}
		x.release(s)
		expect(t, x, "G77", "p0/f77.go:7")
		x.Close()
	}
}

// TestCountDamaged counts the files of a segment that was cut short: each who asks for what that
// comes to meets the damage, also where another goroutine came upon it first.
func TestCountDamaged(t *testing.T) {
	tr := manyFiles(t, 150)
	tr.synced().Close()
	path := tr.segments()[0]
	seg, err := postings.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer seg.Close()
	s := new(snapshot)
	s.add(&part{id: 1, seg: seg})
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	s.countAhead()()
	for range 2 {
		if err := segment.Guard(func() error { s.rankingShape(); return nil }); !errors.Is(err, segment.ErrCorrupt) {
			t.Errorf("counted in a damaged segment: %v", err)
		}
	}
}

// TestAllCutWhileOpen cuts segments and database at once under an open index, the
// database at many places: the first pages may still say enough for a segment to
// be read before the pages that are gone are asked for.
func TestAllCutWhileOpen(t *testing.T) {
	const page = 4096
	cuts := tier.Number(4, 16)
	tr := manyFiles(t, 150)
	x := tr.synced()
	for n := range cuts {
		for _, s := range tr.segments() {
			if err := os.Truncate(s, 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Truncate(tr.database(), int64(n*page)); err != nil {
			t.Fatal(err)
		}
		tr.write("p0/f77.go", goFile("p", fmt.Sprintf("Edit%d", n)))
		if err := x.Refresh(t.Context()); err != nil {
			t.Fatalf("%d pages left: %v", n, err)
		}
		expect(t, x, fmt.Sprintf("Edit%d", n), "p0/f77.go:4")
		mustSync(t, x) // so that there are segments to cut
	}
	same(t, tr, x)
}

func TestTwoHandles(t *testing.T) {
	tr := sampleTree(t)
	a, b := tr.open(), tr.open()
	mustSync(t, a)
	mustRefresh(t, b)
	expect(t, b, "Alpha", "a/alpha.go:4")

	unlock, err := a.lockWriting() // as if a were in the middle of a synchronisation
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	tr.write("a/alpha.go", goFile("a", "New", "Alpha"))
	tr.remove("b/beta.go")
	mustRefresh(t, b)
	expect(t, b, "New", "a/alpha.go:4")
	expect(t, b, "Alpha", "a/alpha.go:7")
	expect(t, b, "Beta", "")
	expect(t, a, "New", "")
	if f := b.Freshness(); !f.Writer || f.Pending != 0 {
		t.Errorf("freshness beside a writer: %+v", f)
	}
	same(t, tr, b)
	mustRefresh(t, b) // the same again
	expect(t, b, "New", "a/alpha.go:4")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Sync(ctx, SyncOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync beside a writer: %v", err)
	}
	unlock()

	mustRefresh(t, a)
	expect(t, a, "New", "a/alpha.go:4")
	mustRefresh(t, b)
	if f := b.Freshness(); f.Writer {
		t.Errorf("freshness without a writer: %+v", f)
	}
	expect(t, b, "New", "a/alpha.go:4")
	tr.write("a/alpha.go", goFile("a", "Newer"))
	mustRefresh(t, b)
	mustRefresh(t, a)
	expect(t, a, "Newer", "a/alpha.go:4")
	same(t, tr, a)
	same(t, tr, b)
}

// TestLockedByOthers has a program that is none of ours hold the database: what changed is in the
// answers all the same, and a synchronisation names what is in the way.
func TestLockedByOthers(t *testing.T) {
	t.Parallel() // it waits for SQLite
	tr := sampleTree(t)
	x := tr.open()
	mustSync(t, x)
	other, err := sql.Open("sqlite3", "file:"+filepath.Join(x.folder(), databaseName)+"?_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	tr.write("a/alpha.go", goFile("a", "New", "Alpha"))
	mustRefresh(t, x)
	expect(t, x, "New", "a/alpha.go:4")
	same(t, tr, x)
	if _, err := x.Sync(t.Context(), SyncOptions{}); !sqlite.IsLocked(err) || systemerror.Of(err) == nil {
		t.Errorf("a synchronisation: %v", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	mustSync(t, x)
	same(t, tr, x)
}

// TestVersion has files read again, merged and covered: the version is another one if
// and only if something of the files is.
func TestVersion(t *testing.T) {
	tr := manyFiles(t, settleFiles/2)
	x := tr.open()
	written, age := time.Now(), time.Duration(0)
	for i := range settleFiles / 2 {
		if err := os.Chtimes(filepath.Join(tr.root, fmt.Sprintf("p%d/f%d.go", i%7, i)), written, written); err != nil {
			t.Fatal(err)
		}
	}
	x.now = func() time.Time { return written.Add(age) }
	mustSync(t, x)
	generation := func() int64 { return x.Freshness().Generation }
	before, first := x.Version(), generation()
	look := func(what string, another bool) {
		t.Helper()
		mustRefresh(t, x)
		if now := x.Version(); (now != before) != another {
			t.Errorf("%s: version %v, before %v", what, now, before)
		}
		before = x.Version()
	}
	age = time.Hour
	look("no file is young any more", false)
	if generation() == first {
		t.Error("that was not noted")
	}
	tr.write("p0/f0.go", goFile("p", "F0", "G0", "Common"))
	look("a file was written with the text that it had", false)
	tr.write("p0/f0.go", goFile("p", "F0", "G0", "Commons"))
	look("a file has another text", true)
	mustSync(t, x)
	look("all was synchronised", false)
	for i := range settleFiles {
		tr.write(fmt.Sprintf("q/f%d.go", i), goFile("q", fmt.Sprint("Q", i)))
	}
	look("files came", true)
	mustSync(t, x)
	if len(tr.segments()) == 0 {
		t.Error("no segment was written")
	}
	look("segments were written", false)
	tr.remove("p1/f1.go")
	look("a file went", true)
	unlock, err := x.lockWriting()
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	tr.write("p2/f2.go", goFile("p", "Covered"))
	look("a file is covered", true)
	look("it is covered once more", false)
	unlock()
	look("the database has caught up", false)
	tr.write(".gitignore", "p3/\n")
	look("files are ignored now", true)
	if err := os.Rename(filepath.Join(tr.root, "p4/f4.go"), filepath.Join(tr.root, "p4/g4.go")); err != nil {
		t.Fatal(err)
	}
	look("a file has another name", true)
}

func TestTooMuchForTheOverlay(t *testing.T) {
	tr := manyFiles(t, 10)
	x := tr.synced()
	unlock, err := x.lockWriting()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for i := range overlayFiles + 1 {
		tr.write(fmt.Sprintf("q/f%d.go", i), goFile("q", "Many"))
	}
	mustRefresh(t, x)
	if f := x.Freshness(); f.Pending <= overlayFiles || !f.Writer {
		t.Errorf("freshness %+v", f)
	}
	expect(t, x, "G7", "p0/f7.go:7")
}

func TestCancel(t *testing.T) {
	for _, stop := range []Stage{StageList, StageRead, StageCompact} {
		t.Run(string(stop), func(t *testing.T) {
			tr := manyFiles(t, 700)
			x := tr.open()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := x.Sync(ctx, SyncOptions{Progress: func(p Progress) {
				if p.Stage == stop && (stop != StageRead || p.Done > 0) {
					cancel()
				}
			}})
			if stop != StageCompact && !errors.Is(err, context.Canceled) {
				t.Fatalf("err %v", err)
			}
			if stop == StageRead {
				if st, _ := x.Stats(t.Context()); st.Files == 0 {
					t.Error("nothing of what was done is kept")
				}
			}
			x.Close()
			x = tr.open()
			mustSync(t, x)
			same(t, tr, x)
		})
	}
}

// TestKilled is run again as its own child, which is killed while it writes.
func TestKilled(t *testing.T) {
	if root := os.Getenv("INDEX_TEST_VICTIM"); root != "" {
		x := (&tree{t, root}).open()
		x.Sync(t.Context(), SyncOptions{Progress: func(p Progress) {
			if p.Stage == StageRead && p.Done > 0 {
				fmt.Fprintln(os.Stderr, "reading")
			}
		}})
		return
	}
	tr := manyFiles(t, 1500)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "INDEX_TEST_VICTIM="+tr.root)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait() // it was killed
	x := tr.open()
	if st, err := x.Stats(t.Context()); err != nil || st.Files == 0 {
		t.Errorf("after the kill: %+v, %v", st, err)
	}
	mustSync(t, x)
	same(t, tr, x)
}

func TestSegmentsAreMerged(t *testing.T) {
	tr := newTree(t, nil)
	x := tr.open()
	for round := range manySegments + 3 {
		for i := range settleFiles + 1 {
			tr.write(fmt.Sprintf("r%d/f%d.go", round, i), fmt.Sprintf("package r\n\nfunc R%dF%d() {}\n", round, i))
		}
		mustRefresh(t, x)
		if n := len(tr.segments()); n == 0 || n > manySegments+1 {
			t.Fatalf("round %d: %d segments", round, n)
		}
	}
	for i := range settleFiles + 1 { // half of a segment dies
		if i%2 == 0 {
			tr.remove(fmt.Sprintf("r3/f%d.go", i))
		}
	}
	mustSync(t, x)
	var stale int
	if err := x.db.Reader().QueryRow(`SELECT count(*) FROM segments WHERE ? * files <
		(SELECT count(*) FROM dead WHERE segment = segments.id)`, staleSegment).Scan(&stale); err != nil || stale != 0 {
		t.Errorf("%d stale segments, %v", stale, err)
	}
	expect(t, x, "R3F1", "r3/f1.go:3")
	expect(t, x, "R3F2", "")
	same(t, tr, x)
}

// Whoever opens the index puts together in memory what is in no segment, so only a little is
// left there, of a project however small and by edits however many.
func TestLittleLeftOutOfSegments(t *testing.T) {
	tr := manyFiles(t, settleFiles+1)
	x := tr.open()
	mustSync(t, x)
	left := func(most int) {
		t.Helper()
		n := 0
		if p := x.base.parts[len(x.base.parts)-1]; p.id == 0 {
			n = p.seg.Files()
		}
		if n > most {
			t.Errorf("%d files are in no segment", n)
		}
	}
	left(0)
	for i := range 2 * settleFiles {
		tr.write(fmt.Sprintf("late/f%d.go", i), goFile("late", fmt.Sprint("Late", i)))
		mustRefresh(t, x)
		left(settleFiles)
	}
	same(t, tr, x)
}

// Whoever opens the index puts together in memory what is in no segment, so a synchronisation
// that wrote one leaves nothing there.
func TestNothingLeftOutOfSegments(t *testing.T) {
	tr := sampleTree(t)
	x := tr.open()
	x.work.prefer([]string{"b/beta.go"}) // which has a segment written before all is read
	mustSync(t, x)
	var left int
	if err := x.db.Reader().QueryRow("SELECT count(*) FROM files WHERE content IS NOT NULL AND segment IS NULL").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d files are in no segment, %v", left, err)
	}
	same(t, tr, x)
}

func TestSkippedFiles(t *testing.T) {
	tr := sampleTree(t)
	tr.write("data.txt", "text\x00\x01\x02 not text\x00")
	tr.write(".env", "SECRET=1\n")
	x := tr.open()
	r := mustSync(t, x)
	if r.Files != 5 || r.Skipped["binary"] != 1 || r.Skipped["secret"] != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := x.File(t.Context(), "data.txt"); problem.Of(err) == nil {
		t.Errorf("a binary file: %v", err)
	}
	st, err := x.Stats(t.Context())
	if err != nil || st.Files != 5 || st.Languages[syntax.Go] != 3 || st.Symbols == 0 || st.Chunks == 0 || st.Skipped["secret"] != 1 {
		t.Errorf("%+v, %v", st, err)
	}
	tr.write("data.txt", "text now\n")
	mustRefresh(t, x)
	if _, err := x.File(t.Context(), "data.txt"); err != nil {
		t.Error(err)
	}
}
