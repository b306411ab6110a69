package treesitter

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"codeintel/test/cputime"
	"codeintel/test/tier"
)

var samples = map[string]string{
	"bash":       "f() { echo \"$1\"; }\nf x\n",
	"c":          "int add(int a, int b) { return a + b; }\n",
	"cpp":        "namespace n { class A { public: int f() const { return 1; } }; }\n",
	"csharp":     "namespace N { class A { public int F() { return 1; } } }\n",
	"css":        ".a > b { color: red; }\n",
	"elixir":     "defmodule A do\n  def f(x), do: x\nend\n",
	"go":         "package p\n\nfunc F(x int) int { return x }\n",
	"haskell":    "module A where\n\nf :: Int -> Int\nf x = x\n",
	"html":       "<div class=\"a\"><p>text</p></div>\n",
	"java":       "class A { int f() { return 1; } }\n",
	"javascript": "const f = (x) => <b>{x}</b>;\n",
	"json":       "{\"a\": [1, 2, null]}\n",
	"kotlin":     "class A {\n    fun f(x: Int): Int = x\n}\n",
	"lua":        "local function f(x) return x end\n",
	"php":        "<?php function f($x) { return $x; }\n",
	"python":     "def f(x: int) -> int:\n    return x\n",
	"ruby":       "def f(x)\n  x\nend\n",
	"rust":       "pub fn f(x: i32) -> i32 { x }\n",
	"svelte":     "<script>let x = 1</script>\n{#if x}<p on:click={f}>{x}</p>{/if}\n",
	"scala":      "class A { def f(x: Int): Int = x }\n",
	"sql":        "CREATE TABLE a (id INT);\nSELECT id FROM a;\n",
	"swift":      "class A { func f(x: Int) -> Int { return x } }\n",
	"tsx":        "const f = (x: number) => <b>{x}</b>;\n",
	"typescript": "function f<T>(x: T): T { return x; }\n",
	"zig":        "fn f(x: i32) i32 {\n    return x;\n}\n",
	"vue":        "<template><p>{{ x }}</p></template>\n<script>let x = 1</script>\n",
}

func TestGrammars(t *testing.T) {
	if got, want := int(unsafe.Sizeof(Node{})), 32; got != want {
		t.Fatalf("a Node has %d bytes, the native one %d", got, want)
	}
	for _, g := range grammars {
		name := g.name
		src, ok := samples[name]
		if !ok {
			t.Errorf("%s: no sample", name)
			continue
		}
		g, _ := Lookup(name)
		tree, err := g.Parse([]byte(src), Limit{Work: 1 << 16, Nodes: 1000})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tree.HasError || tree.Truncated || len(tree.Nodes) < 5 {
			t.Errorf("%s: error %v, truncated %v, %d nodes", name, tree.HasError, tree.Truncated, len(tree.Nodes))
		}
		checkShape(t, name, tree, len(src))
	}
	if _, ok := Lookup("cobol"); ok {
		t.Error("a grammar that is not there was found")
	}
}

// checkShape checks the indexes of a tree against what they promise.
func checkShape(t *testing.T, name string, tree *Tree, size int) {
	t.Helper()
	for i, n := range tree.Nodes {
		if n.End < n.Start || int(n.End) > size || n.EndRow < n.StartRow {
			t.Fatalf("%s: node %d has the range %d-%d of %d", name, i, n.Start, n.End, size)
		}
		if int(n.Next) <= i || int(n.Next) > len(tree.Nodes) {
			t.Fatalf("%s: node %d of %d ends at %d", name, i, len(tree.Nodes), n.Next)
		}
		if i == 0 {
			if n.Parent != -1 || int(n.Next) != len(tree.Nodes) {
				t.Fatalf("%s: root %+v of %d nodes", name, n, len(tree.Nodes))
			}
			continue
		}
		p := tree.Nodes[n.Parent]
		if int(n.Parent) >= i || n.Start < p.Start || n.End > p.End || n.Next > p.Next {
			t.Fatalf("%s: node %d %+v is not within its parent %+v", name, i, n, p)
		}
	}
}

func TestNamesOfKinds(t *testing.T) {
	g, _ := Lookup("go")
	tree, err := g.Parse([]byte("package p\n\nfunc F() {}\n"), Limit{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range tree.Nodes {
		s := g.KindName(n.Kind)
		if n.Field != 0 {
			s = g.FieldName(n.Field) + ":" + s
		}
		got = append(got, s)
	}
	want := "source_file package_clause package_identifier function_declaration name:identifier parameters:parameter_list body:block"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	for _, id := range g.KindIDs("block") {
		if g.KindName(id) != "block" {
			t.Errorf("block has the id %d, which is %s", id, g.KindName(id))
		}
	}
	if g.KindIDs("no such") != nil || g.FieldID("no such") != 0 || g.FieldName(g.FieldID("body")) != "body" {
		t.Error("ids of kinds and fields are wrong")
	}
}

// TestLoweredCalls checks trees whose nodes were put in another order against what trees
// promise, and operators to stand around what they are of.
func TestLoweredCalls(t *testing.T) {
	g, _ := Lookup("typescript")
	deep := strings.Repeat("await f<T>(!", 500) + "x" + strings.Repeat(")", 500)
	for _, src := range []string{
		"await f<T>(1);", "!o.f<T>().a[0]!.b;", "a + b * await o.f<T>(await g<U>()).h<V>(-k<W>());", "a || !await f<T>();", deep,
	} {
		tree, err := g.Parse([]byte(src), Limit{})
		if err != nil || tree.HasError {
			t.Fatalf("%s: %v, error %v", src, err, tree.HasError)
		}
		checkShape(t, src, tree, len(src))
		for i, n := range tree.Nodes {
			if g.FieldName(n.Field) == "function" && strings.HasSuffix(g.KindName(n.Kind), "ary_expression") {
				t.Errorf("%s: node %d, an operator, is called", src, i)
			}
			if p := n.Parent; p >= 0 && (n.Start < tree.Nodes[p].Start || n.End > tree.Nodes[p].End) {
				t.Errorf("%s: node %d stands outside of its parent", src, i)
			}
		}
	}
}

func TestKeep(t *testing.T) {
	g, _ := Lookup("go")
	keep := g.NewKeep()
	set := func(name string, k Keep) {
		for _, id := range g.KindIDs(name) {
			keep[id] = k
		}
	}
	set("parameter_list", KeepNothing)
	set("package_clause", KeepChildren)
	set("call_expression", KeepLeaf)
	set(":=", KeepNode)
	set("expression_list", KeepChildren)
	src := []byte("package p\n\nfunc F(a int) { x := f(1) }\n")
	tree, err := g.Parse(src, Limit{Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	checkShape(t, "go", tree, len(src))
	var got []string
	for _, n := range tree.Nodes {
		got = append(got, g.FieldName(n.Field)+":"+g.KindName(n.Kind))
	}
	want := ":source_file :package_identifier :function_declaration name:identifier body:block :statement_list " +
		":short_var_declaration left:identifier ::= right:call_expression"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if _, err := g.Parse(src, Limit{Keep: keep[1:]}); err == nil {
		t.Error("a keep table of the wrong size was taken")
	}
}

func TestBrokenSource(t *testing.T) {
	g, _ := Lookup("go")
	for _, src := range []string{"", "\x00\xff\xfe", "func (", "package p; func F() { return ]]] }"} {
		tree, err := g.Parse([]byte(src), Limit{})
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		checkShape(t, src, tree, len(src))
		if src != "" && !tree.HasError {
			t.Errorf("%q: no error was seen", src)
		}
	}
}

// A hostile file may nest as deep, or have lines as long, as it likes; every
// grammar returns within its limits and can be used again.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("{[(", 10_000)
	long := bytes.Repeat([]byte("a+b(c)"), tier.Number(1<<16, 10<<20)/6)
	texts := []struct {
		what string
		src  []byte
	}{
		{"deep", []byte(deep)},
		{"deep closed", []byte(strings.Repeat("(", 10_000) + "x" + strings.Repeat(")", 10_000))},
		{"long line", long},
	}
	for i, name := range slices.Sorted(maps.Keys(samples)) {
		g, _ := Lookup(name)
		for k, text := range texts {
			if !tier.Whole() && (i+k)%len(texts) > 0 {
				continue // one of them for each grammar
			}
			what, src := text.what, text.src
			const limit = 300 * time.Millisecond
			var tree *Tree
			var err error
			// One step may scan the whole text.
			cputime.Limit(t, 20*limit, name+": "+what, func() {
				tree, err = g.Parse(src, Limit{Work: 1 << 13, Nodes: 50_000, Bytes: 32 << 20})
			})
			if err != nil {
				t.Errorf("%s: %s: %v", name, what, err)
				continue
			}
			if len(tree.Nodes) > 50_000 {
				t.Errorf("%s: %s: %d nodes", name, what, len(tree.Nodes))
			}
			if tree.Truncated != (tree.Why != "") {
				t.Errorf("%s: %s: truncated %v, why %q", name, what, tree.Truncated, tree.Why)
			}
			checkShape(t, name+" "+what, tree, len(src))
			tree.Release()
		}
		tree, err := g.Parse([]byte(samples[name]), Limit{})
		if err != nil || tree.HasError || tree.Truncated {
			t.Errorf("%s: after hostile files: %v %+v", name, err, tree)
		}
	}
}

func TestLimits(t *testing.T) {
	g, _ := Lookup("json")
	src := []byte("[" + strings.Repeat("1,", 100_000) + "1]")
	tree, err := g.Parse(src, Limit{Nodes: 100})
	if err != nil || !tree.Truncated || len(tree.Nodes) != 100 {
		t.Errorf("nodes: %v, truncated %v, %d nodes", err, tree.Truncated, len(tree.Nodes))
	}
	checkShape(t, "nodes", tree, len(src))
	tree, err = g.Parse(src, Limit{Work: 1})
	if err != nil || !tree.Truncated || len(tree.Nodes) != 0 {
		t.Errorf("work: %v, truncated %v, %d nodes", err, tree.Truncated, len(tree.Nodes))
	}
	tree, err = g.Parse(src, Limit{Bytes: 10})
	if err != nil || !tree.Truncated || len(tree.Nodes) != 0 {
		t.Errorf("bytes: %v, truncated %v, %d nodes", err, tree.Truncated, len(tree.Nodes))
	}
}

// Each text that its processor time ends halves what the next may take, so that many of them
// in one project do not take as long each.
func TestManySlow(t *testing.T) {
	tier.Full(t)
	g, _ := Lookup("bash")
	src := []byte(strings.Repeat("cat <<'A' ", 60_000))
	for range 5 {
		tree, err := g.Parse(src, Limit{Work: 1 << 40})
		if err != nil || !tree.Truncated {
			t.Skipf("the text is no longer slow: %v", err)
		}
		tree.Release()
	}
	cputime.Limit(t, 2*time.Second, "the sixth", func() {
		if _, err := g.Parse(src, Limit{Work: 1 << 40}); err != nil {
			t.Error(err)
		}
	})
}

// Open brackets take 540 bytes each: the parse ends before they take all memory there is.
func TestSpace(t *testing.T) {
	for name, src := range map[string]string{
		"c": strings.Repeat("(", 4<<20), "javascript": strings.Repeat("(", 4<<20),
		// One step of the core copies its stack for each of these.
		"java": "int x = " + strings.Repeat("a<", 60_000), "csharp": "var x = " + strings.Repeat("a<", 60_000),
	} {
		g, _ := Lookup(name)
		tree, err := g.Parse([]byte(src), Limit{})
		if err != nil || !tree.Truncated || tree.Space < maxSpace/2 || tree.Space > maxSpace*5/4 {
			t.Errorf("%s: %v, truncated %v, %d bytes", name, err, tree.Truncated, tree.Space)
		}
		if tree, err := g.Parse([]byte(samples[name]), Limit{}); err != nil || tree.Truncated || tree.HasError {
			t.Errorf("%s: afterwards: %v, truncated %v", name, err, tree.Truncated)
		}
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 * maxIdle {
		wg.Go(func() {
			for name := range samples {
				g, _ := Lookup(name)
				tree, err := g.Parse([]byte(samples[name]), Limit{Work: 1 << 16})
				if err != nil || tree.HasError || tree.Truncated {
					t.Errorf("%s: %v", name, err)
					return
				}
				tree.Release()
			}
		})
	}
	wg.Wait()
	if n := len(workers.idle); n > maxIdle {
		t.Errorf("%d idle workers", n)
	}
}

func FuzzParse(f *testing.F) {
	for name, src := range samples {
		f.Add(name, []byte(src))
	}
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		g, ok := Lookup(name)
		if !ok {
			return
		}
		tree, err := g.Parse(src, Limit{Work: 1 << 14, Nodes: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		checkShape(t, name, tree, len(src))
	})
}
