package vectorindex_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"codeintel/internal/embedding"
	"codeintel/internal/embedding/vectorindex"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/text/terms"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// A bag is a model that is honest about words and knows nothing else: each term of
// a text counts in one of its numbers.
type bag struct {
	mu     sync.Mutex
	texts  []string // passages embedded so far
	before func(role embedding.Role, texts []string) error
}

const bagDimension = 256

func (b *bag) ID() string     { return "test:bag" }
func (b *bag) Dimension() int { return bagDimension }
func (b *bag) Close() error   { return nil }

func (b *bag) Embed(ctx context.Context, role embedding.Role, texts []string) ([][]float32, error) {
	b.mu.Lock()
	before := b.before
	b.mu.Unlock()
	if before != nil {
		if err := before(role, texts); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([][]float32, len(texts))
	for i, text := range texts {
		v, sum := make([]float32, bagDimension), 0.0
		for _, term := range terms.Query(text) {
			h := fnv.New32a()
			h.Write([]byte(term))
			v[h.Sum32()%bagDimension]++
		}
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for j := range v {
			v[j] = float32(float64(v[j]) / math.Sqrt(max(sum, 1e-9)))
		}
		all[i] = v
		if role == embedding.Passage {
			b.texts = append(b.texts, text)
		}
	}
	return all, nil
}

// embedded is how many passages were embedded since it was last asked.
func (b *bag) embedded() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.texts)
	b.texts = nil
	return n
}

// hook has f run before each call from now on.
func (b *bag) hook(f func(role embedding.Role, texts []string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = f
}

// A world is a project with its index, a model and a folder for vectors.
type world struct {
	*testing.T
	root string
	x    *index.Index
	m    *bag
	dir  string
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, root: t.TempDir(), m: new(bag), dir: t.TempDir()}
	w.write("shop/cart.go", goFile("shop",
		"// AddItem puts a product into the shopping cart.\nfunc AddItem(cart *Cart, product Product) { cart.items = append(cart.items, product) }",
		"// Checkout charges the customer's credit card for everything in the basket.\nfunc Checkout(cart *Cart, payment Card) error { return payment.Charge(cart.Total()) }"))
	w.write("net/socket.go", goFile("net", dial, listen))
	w.write("parse/lexer.go", goFile("parse",
		"// Tokenize splits source text into tokens, skipping white space and comments.\nfunc Tokenize(source string) []Token { return scan(source) }"))
	p, err := project.OpenRoot(w.root)
	if err != nil {
		t.Fatal(err)
	}
	if w.x, err = index.Open(t.Context(), p, quiet); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.x.Close() })
	w.index()
	return w
}

// Functions that are long enough to be chunks of their own.
const (
	dial   = "// Dial connects to a server at an address, with a deadline, and returns the stream of bytes to it and from it.\nfunc Dial(address string, deadline Time) (*Stream, error) { return connect(address, deadline) }"
	listen = "// Listen binds a socket to an address and waits for connections of clients, one after the other, until it is closed.\nfunc Listen(address string) (*Socket, error) { return bind(address, maximum, queue) }"
)

// goFile is a file of functions.
func goFile(name string, functions ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", name)
	for _, f := range functions {
		b.WriteString("\n" + f + "\n")
	}
	return b.String()
}

func (w *world) write(path, text string) {
	w.Helper()
	full := filepath.Join(w.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) index() {
	w.Helper()
	if _, err := w.x.Sync(w.Context(), index.SyncOptions{}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) chunks() int {
	w.Helper()
	n := 0
	err := w.x.EachFileChunks(w.Context(), func(_ string, chunks []index.ChunkInfo) error {
		n += len(chunks)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) store() *vectorstore.Embedded {
	w.Helper()
	s, err := vectorstore.Open(w.Context(), w.dir, vectorstore.Collection{Name: "forest", Model: w.m.ID(), Dimension: w.m.Dimension()}, quiet)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { s.Close() })
	return s
}

func (w *world) open(s vectorstore.Store) *vectorindex.Space {
	w.Helper()
	space, err := vectorindex.Open(w.Context(), w.x, w.m, s, quiet)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { space.Close() })
	return space
}

func (w *world) sync(s *vectorindex.Space) {
	w.Helper()
	if err := s.Sync(w.Context(), nil); err != nil {
		w.Fatal(err)
	}
}

// best is the symbol of the chunk nearest to a text.
func (w *world) best(s *vectorindex.Space, text string) string {
	w.Helper()
	a, err := s.Query(w.Context(), text, 1)
	if err != nil {
		w.Fatal(err)
	}
	if len(a.Hits) == 0 {
		return ""
	}
	return a.Hits[0].Chunk.Symbol
}

func TestSync(t *testing.T) {
	w := newWorld(t)
	s := w.open(w.store())
	total := w.chunks()
	var last vectorindex.Coverage
	if err := s.Sync(t.Context(), func(c vectorindex.Coverage) { last = c }); err != nil {
		t.Fatal(err)
	}
	if want := (vectorindex.Coverage{Embedded: total, Total: total}); last != want || s.Coverage() != want || !last.Complete() {
		t.Errorf("coverage %+v, %+v, want %+v", last, s.Coverage(), want)
	}
	if n := w.m.embedded(); n != total {
		t.Errorf("%d texts embedded, want %d", n, total)
	}
	for text, want := range map[string]string{
		"charge a credit card for the basket":                 "Checkout",
		"binds a socket and waits for connections of clients": "Listen",
		"split source into tokens":                            "Tokenize",
	} {
		if got := w.best(s, text); got != want {
			t.Errorf("%q finds %s, want %s", text, got, want)
		}
	}
	w.sync(s)
	if n := w.m.embedded(); n != 0 {
		t.Errorf("%d texts embedded although nothing changed", n)
	}

	// What moves is not embedded again, what changes is, what goes goes.
	w.write("net/socket.go", goFile("net", "var first = 1", dial, listen))
	w.write("parse/lexer.go", goFile("parse",
		"// Translate compiles grammar rules into tables of a pushdown automaton.\nfunc Translate(grammar []Rule) Table { return build(grammar) }"))
	if err := os.Remove(filepath.Join(w.root, "shop/cart.go")); err != nil {
		t.Fatal(err)
	}
	w.index()
	w.sync(s)
	if got := w.best(s, "charge a credit card for the basket"); got == "Checkout" {
		t.Error("a deleted file answers")
	}
	if got := w.best(s, "compile grammar rules into tables"); got != "Translate" {
		t.Errorf("the new function is not found, but %s", got)
	}
	a, err := s.Query(t.Context(), "binds a socket and waits for connections of clients", 1)
	if err != nil || len(a.Hits) != 1 || a.Hits[0].Chunk.Symbol != "Listen" || a.Hits[0].Chunk.StartLine < 8 || a.Stale != 0 {
		t.Errorf("the function that moved: %+v, %v", a, err)
	}
	w.m.mu.Lock()
	for _, text := range w.m.texts {
		if strings.Contains(text, "func Listen") {
			t.Errorf("a function that only moved was embedded again:\n%s", text)
		}
	}
	w.m.mu.Unlock()
	if n, err := w.store().Count(t.Context()); err != nil || n != w.chunks() {
		t.Errorf("%d vectors for %d chunks, %v", n, w.chunks(), err)
	}
}

// many writes files with enough chunks for several batches.
func (w *world) many(files int) {
	w.Helper()
	for i := range files {
		var functions []string
		for j := range 8 {
			functions = append(functions, fmt.Sprintf("// F%dx%d does thing number %d of the kind %d, with words enough that it stands alone as one chunk of this file and of no other one.\nfunc F%dx%d(input%d int) int { return input%d * %d }", i, j, j, i, i, j, j, j, i*j))
		}
		w.write(fmt.Sprintf("many/f%02d.go", i), goFile("many", functions...))
	}
	w.index()
}

func TestResume(t *testing.T) {
	w := newWorld(t)
	w.many(20)
	total := w.chunks()
	var embedded int
	broken := errors.New("the model broke")
	for try := 0; ; try++ {
		store := w.store()
		s := w.open(store)
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		w.m.hook(func(embedding.Role, []string) error {
			if calls++; calls < 3 {
				return nil
			}
			if try%2 == 0 {
				return broken
			}
			stop()
			return nil
		})
		err := s.Sync(ctx, nil)
		stop()
		embedded += w.m.embedded()
		if err == nil {
			break
		}
		if !errors.Is(err, broken) && !errors.Is(err, context.Canceled) {
			t.Fatalf("sync: %v", err)
		}
		if c := s.Coverage(); c.Embedded != embedded || c.Total != total || c.Complete() || c.Syncing {
			t.Errorf("after %d texts, coverage %+v of %d", embedded, c, total)
		}
		if n, err := store.Count(t.Context()); err != nil || n != embedded {
			t.Errorf("%d texts embedded, %d kept, %v", embedded, n, err)
		}
		s.Close()
		store.Close()
		if try > 100 {
			t.Fatal("no end")
		}
	}
	if embedded != total {
		t.Errorf("%d texts embedded for %d chunks", embedded, total)
	}
}

func TestQueryDoesNotWait(t *testing.T) {
	w := newWorld(t)
	w.many(12)
	s := w.open(w.store())
	entered, leave := make(chan bool, 100), make(chan bool)
	calls := 0
	w.m.hook(func(role embedding.Role, _ []string) error {
		if role == embedding.Query {
			return nil
		}
		if calls++; calls > 1 {
			entered <- true
			<-leave
		}
		return nil
	})
	done := make(chan error)
	go func() { done <- s.Sync(t.Context(), nil) }()
	<-entered // the model is at work on the second batch
	a, err := s.Query(t.Context(), "thing number three", 3)
	if err != nil || !a.Coverage.Syncing || a.Coverage.Complete() || a.Coverage.Total != w.chunks() {
		t.Errorf("an answer beside a slow model: %+v, %v", a, err)
	}
	// Somebody else who would embed goes away at once.
	other := w.open(w.store())
	if err := other.Sync(t.Context(), nil); err != nil || !other.Coverage().Syncing {
		t.Errorf("the second: %v, %+v", err, other.Coverage())
	}
	close(leave)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := w.m.embedded(); n != w.chunks() {
		t.Errorf("%d texts embedded for %d chunks", n, w.chunks())
	}
	w.sync(other)
	if !other.Coverage().Complete() || other.Coverage().Syncing {
		t.Errorf("the second, later: %+v", other.Coverage())
	}
}

func TestStart(t *testing.T) {
	w := newWorld(t)
	s := w.open(w.store())
	seen := make(chan string, 1000)
	w.m.hook(func(role embedding.Role, texts []string) error {
		for _, text := range texts {
			seen <- text
		}
		return nil
	})
	s.Start()
	s.Start() // once is enough
	for range w.chunks() {
		<-seen
	}
	w.write("late.go", goFile("late", "// Late comes after all others have been embedded already.\nfunc Late() {}"))
	w.index()
	s.Nudge()
	for text := range seen {
		if strings.Contains(text, "func Late") {
			break
		}
	}
	s.Close()
	s.Close() // closing it again does nothing
	s.Start()
	s.Nudge()
}

func TestHeals(t *testing.T) {
	w := newWorld(t)
	store := w.store()
	s := w.open(store)
	w.sync(s)
	w.m.embedded()
	found, err := filepath.Glob(filepath.Join(w.dir, "*", "*.vec"))
	if err != nil || len(found) == 0 {
		t.Fatalf("segments %v, %v", found, err)
	}
	for _, path := range found {
		if err := os.Truncate(path, 4000); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.best(s, "charge a credit card"); got != "" {
		t.Errorf("%s is found in a file that was cut", got)
	}
	if a, err := s.Query(t.Context(), "charge a credit card", 1); err != nil || a.Coverage.Complete() {
		t.Errorf("all is embedded, although vectors were lost: %+v, %v", a.Coverage, err)
	}
	w.sync(s)
	if n := w.m.embedded(); n != w.chunks() {
		t.Errorf("%d texts embedded again, want %d", n, w.chunks())
	}
	if got := w.best(s, "charge a credit card for the basket"); got != "Checkout" {
		t.Errorf("found %s after healing", got)
	}
}

func TestStale(t *testing.T) {
	w := newWorld(t)
	s := w.open(w.store())
	w.sync(s)
	w.write("shop/cart.go", goFile("shop", "// Nothing is left of the shop.\nfunc Nothing() {}"))
	w.index()
	a, err := s.Query(t.Context(), "charge a credit card for the basket", 10)
	if err != nil || a.Stale == 0 || a.Coverage.Complete() {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, h := range a.Hits {
		if h.Chunk.Symbol == "Checkout" || h.Chunk.Symbol == "AddItem" {
			t.Errorf("a chunk that is gone: %+v", h)
		}
	}
}

// TestUnbuilt: what an index does not hold while it is built anew, after damage, keeps its
// vector, and nobody is told meanwhile that all is embedded.
func TestUnbuilt(t *testing.T) {
	w := newWorld(t)
	store := w.store()
	w.sync(w.open(store))
	before, err := store.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.OpenRoot(w.root)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if w.x, err = index.Open(t.Context(), p, quiet); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.x.Close() })
	s := w.open(store)
	w.sync(s)
	if n, err := store.Count(t.Context()); err != nil || n != before {
		t.Errorf("%d of %d vectors are left, %v", n, before, err)
	}
	if a, err := s.Query(t.Context(), "socket", 1); err != nil || a.Coverage.Complete() {
		t.Errorf("%+v, %v", a, err)
	}
	w.m.embedded()
	w.index()
	w.sync(s)
	if a, err := s.Query(t.Context(), "socket", 1); err != nil || !a.Coverage.Complete() || w.m.embedded() > 1 {
		t.Errorf("built anew: %+v, %v", a, err)
	}
}

// A lent store is shared with others.
type lent struct{ *vectorstore.Embedded }

func (lent) Shared() bool { return true }

func TestShared(t *testing.T) {
	w := newWorld(t)
	store := w.store()
	theirs := vectorstore.Item{ID: strings.Repeat("ab", 20), Vector: make([]float32, bagDimension), Meta: map[string]string{"path": "theirs.go"}}
	theirs.Vector[3] = 1
	if err := store.Upsert(t.Context(), []vectorstore.Item{theirs}); err != nil {
		t.Fatal(err)
	}
	s := w.open(lent{store})
	w.sync(s)
	before := w.chunks()
	count := func(want int) {
		t.Helper()
		if n, err := store.Count(t.Context()); err != nil || n != want {
			t.Errorf("%d vectors, %v, want %d", n, err, want)
		}
	}
	count(before + 1)
	if err := os.Remove(filepath.Join(w.root, "net/socket.go")); err != nil {
		t.Fatal(err)
	}
	w.index()
	w.sync(s)
	count(w.chunks() + 1) // ours went, theirs stays
}

func TestCoverage(t *testing.T) {
	for want, c := range map[string]vectorindex.Coverage{
		"31,200 of 211,000 chunks embedded": {Embedded: 31200, Total: 211000},
		"7 of 1,234,567 chunks embedded":    {Embedded: 7, Total: 1234567},
		"999 chunks embedded":               {Embedded: 999},
	} {
		if got := c.AsMessage().String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOpenStore(t *testing.T) {
	c := vectorstore.Collection{Name: "forest", Model: "m", Dimension: 4}
	getenv := func(string) string { return "" }
	s, err := vectorindex.OpenStore(t.Context(), "embedded", t.TempDir(), c, getenv, quiet)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := vectorindex.OpenStore(t.Context(), "chroma:https://elsewhere.example.org", "", c, getenv, quiet); err == nil {
		t.Error("a server that nobody named was opened")
	}
}

// TestRemember: a process that only asks knows that all is embedded, as long as it
// is true.
func TestRemember(t *testing.T) {
	w := newWorld(t)
	store, file := w.store(), filepath.Join(t.TempDir(), "embedded.json")
	later := func() vectorindex.Coverage {
		s := w.open(store)
		s.Remember(file)
		a, err := s.Query(t.Context(), "socket", 1)
		if err != nil {
			t.Fatal(err)
		}
		return a.Coverage
	}
	if c := later(); c.Complete() {
		t.Errorf("before anything is embedded: %+v", c)
	}
	s := w.open(store)
	s.Remember(file)
	w.sync(s)
	total := w.chunks()
	if c, want := later(), (vectorindex.Coverage{Embedded: total, Total: total}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	lexer := "// Tokenize splits source text into tokens, skipping white space and comments.\nfunc Tokenize(source string) []Token { return scan(source) }"
	w.write("parse/lexer.go", goFile("parse", strings.ReplaceAll(lexer, "comments", "commands"))) // of the same figures
	w.index()
	if c := later(); c.Complete() {
		t.Errorf("after a change of some letters: %+v", c)
	}
	w.write("parse/lexer.go", goFile("parse", lexer))
	w.index()
	if c := later(); !c.Complete() {
		t.Errorf("as it was: %+v", c)
	}
	w.write("net/more.go", goFile("net", strings.ReplaceAll(dial, "Dial", "Redial")))
	w.index()
	if c := later(); c.Complete() {
		t.Errorf("after a change: %+v", c)
	}
	w.sync(s)
	if c := later(); !c.Complete() || c.Total != w.chunks() {
		t.Errorf("embedded again: %+v", c)
	}
	// A store that lost something is not whole, whatever the file says.
	for id, err := range store.IDs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), []string{id}); err != nil {
			t.Fatal(err)
		}
		break
	}
	if c := later(); c.Complete() {
		t.Errorf("after a loss: %+v", c)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := later(); c.Complete() {
		t.Errorf("of a broken file: %+v", c)
	}
}
