package search

import (
	"context"
	"fmt"
	"go/build"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/resolve/golang"
)

// meant says where the names at marks "/*n*/" in a tree are defined.
func meant(t *testing.T, e *Engine, tree map[string]string) map[string]string {
	t.Helper()
	ctx := t.Context()
	r := e.resolver(ctx, &subject{}, e.sources())
	if err := r.ReadTypes(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for file, text := range tree {
		dir := "."
		if i := strings.LastIndexByte(file, '/'); i >= 0 {
			dir = file[:i]
		}
		u, err := e.types.UsesIn(ctx, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(text, "\n") {
			before, after, ok := strings.Cut(line, "/*")
			if !ok {
				continue
			}
			mark, _, _ := strings.Cut(after, "*/")
			place := golang.Position{File: file, Line: n + 1, Column: len(before) + len(mark) + 5}
			if u == nil {
				got[mark] = "not checked"
				continue
			}
			m := u.At(place)
			got[mark] = map[golang.Answer]string{golang.Unknown: "unknown", golang.Unresolved: "lost", golang.Outside: "outside", golang.Builtin: "builtin"}[m.Known]
			if m.Known == golang.Resolved {
				got[mark] = fmt.Sprintf("%s:%d", m.Position.File, m.Position.Line)
			}
		}
	}
	return got
}

func TestGoTypes(t *testing.T) {
	tree := map[string]string{
		"go.mod": "module example.com/m\n",
		"a/a.go": `package a

import "sync"

type Base struct{ mu sync.Mutex }

func (b *Base) Run() {}

type Box[T any] struct{ V T }

func (b Box[T]) Get() T { return b.V }

type Runner interface{ Run() }

type Job struct {
	Base
	Name string
}
`,
		"b/b.go": `package b

import (
	"net/http"
	x "example.com/m/a"
	"example.com/missing/dep"
)

func F(w http.ResponseWriter, j *x.Job, r x.Runner) {
	j./*promoted*/Run()
	r./*iface*/Run()
	box := x.Box[int]{V: 1}
	_ = box./*generic*/Get()
	_ = x.Job{/*key*/Name: "n"}
	dep.Run()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_ = j./*closure*/Name
	})
	Name := 1
	{
		Name := 2
		_ = /*inner*/Name
	}
	_ = /*outer*/Name
	dep.Thing()./*lost*/Name()
	/*bad*/undefined()
	var err error
	_ = err./*error*/Error()
	_ = /*len*/len("")
}

func broken( {
`,
		"b/b_windows.go": "package b\n\nfunc F() { /*other system*/F() }\n",
		"b/gen.go":       "// Copyright\n\n//go:build ignore\n\npackage main\n\nfunc F() { /*ignored*/F() }\n",
		"b/b_test.go":    "package b_test\n\nimport \"example.com/m/b\"\n\nfunc g() { b./*external*/F(nil, nil, nil) }\n",
	}
	if build.Default.GOOS == "windows" {
		delete(tree, "b/b_windows.go")
	}
	e := textEngine(t, tree)
	want := map[string]string{
		"promoted": "a/a.go:7", "iface": "a/a.go:13", "generic": "a/a.go:11", "key": "a/a.go:17", "closure": "a/a.go:17",
		"inner": "b/b.go:21", "outer": "b/b.go:19", "lost": "lost", "bad": "lost", "error": "outside", "len": "builtin", "external": "b/b.go:9",
		"other system": "unknown", "ignored": "b/gen.go:7",
	}
	want["ignored"] = "unknown"
	if diff := cmp.Diff(want, meant(t, e, tree)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// A change is seen in the package and in those that import it.
	tree["a/a.go"] = strings.Replace(tree["a/a.go"], "func (b *Base) Run() {}", "\nfunc (b *Base) Run() {}", 1)
	write(t, e.p.Root, map[string]string{"a/a.go": tree["a/a.go"]})
	if got := meant(t, e, tree); got["promoted"] != "a/a.go:8" || got["iface"] != "a/a.go:14" {
		t.Errorf("after a change: %v", got)
	}
}

// A brief context ends when it has been asked so many times whether it has.
type brief struct {
	context.Context
	left int
}

func (b *brief) Err() error {
	if b.left--; b.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestGoTypesInPieces has questions end long before the types are checked: nothing half
// done is kept, and each question gets further than the one before.
func TestGoTypesInPieces(t *testing.T) {
	const wide = 5
	tree := map[string]string{"go.mod": "module example.com/m\n", "deep/deep.go": "package deep\n\ntype T struct{}\n\nfunc (T) Run() {}\n"}
	imports, fields, calls := "", "", ""
	for i := range wide {
		tree[fmt.Sprintf("p%d/p.go", i)] = fmt.Sprintf("package p%d\n\nimport \"example.com/m/deep\"\n\ntype T struct{ deep.T }\n", i)
		imports += fmt.Sprintf("\t\"example.com/m/p%d\"\n", i)
		fields += fmt.Sprintf(", v%d p%d.T", i, i)
		calls += fmt.Sprintf("\tv%d./*%d*/Run()\n", i, i)
	}
	tree["a/a.go"] = "package a\n\nimport (\n" + imports + ")\n\nfunc f(" + fields[2:] + ") {\n" + calls + "}\n"
	e := textEngine(t, tree)
	if err := e.resolver(t.Context(), &subject{}, e.sources()).ReadTypes(); err != nil {
		t.Fatal(err)
	}
	questions := 1
	for ; ; questions++ {
		u, err := e.types.UsesIn(&brief{t.Context(), 4}, "a", "")
		if err == nil {
			break
		}
		if u != nil || questions > 4*wide {
			t.Fatalf("after %d questions: %v, %v", questions, u, err)
		}
	}
	if questions == 1 {
		t.Error("one question did all the work")
	}
	for i := range wide {
		if got := meant(t, e, tree)[fmt.Sprint(i)]; got != "deep/deep.go:5" {
			t.Errorf("call %d: %s", i, got)
		}
	}
}

// Where no Go is installed, what depends on its library is possible, and the answer says so.
func TestWithoutStandard(t *testing.T) {
	old := build.Default.GOROOT
	build.Default.GOROOT = ""
	t.Cleanup(func() { build.Default.GOROOT = old })
	t.Setenv("GOROOT", "")
	t.Setenv("PATH", "")
	e := open(t, map[string]string{
		"go.mod":    "module example.com/m\n",
		"a/a.go":    "package a\n\nimport \"sync\"\n\ntype Engine struct{}\n\nfunc (e *Engine) Serve() {}\n\nvar engine = sync.OnceValue(func() *Engine { return &Engine{} })\n",
		"a/use.go":  "package a\n\nfunc use(e *Engine) {\n\te.Serve()\n}\n",
		"a/once.go": "package a\n\nfunc once() {\n\tengine().Serve()\n}\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "Engine.Serve"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Confidence{}
	for _, r := range a.References {
		got[r.File] = r.Confidence
	}
	want := map[string]Confidence{"a/use.go": Certain, "a/once.go": Possible}
	if diff := cmp.Diff(want, got); diff != "" || a.Complete {
		t.Errorf("complete %v, references (-want +got):\n%s", a.Complete, diff)
	}
}

// What hangs on a module that is not there is possible where the package knows of the
// definition, and so is what goes through a package whose folder has another name.
func TestGoLost(t *testing.T) {
	e := open(t, map[string]string{
		"go.mod":         "module example.com/m\n",
		"a/a.go":         "package a\n\ntype Issuer struct{ Email string }\n\nfunc (i *Issuer) Issue() {}\n\nconst Key = 1\n",
		"a/own.go":       "package a\n\nimport \"example.com/missing\"\n\nfunc own() {\n\tx := missing.Get()\n\tx.Email = \"a\"\n\tx.Issue()\n\t_ = missing.T{Email: \"\", Key: 2}\n\tmissing.Issue()\n}\n",
		"b/b.go":         "package b\n\nimport (\n\t\"example.com/m/a\"\n\t\"example.com/missing\"\n)\n\nvar _ a.Issuer\n\nfunc use() {\n\tmissing.Get().Email = \"b\"\n\tmissing.Get().Issue()\n}\n",
		"c/c.go":         "package c\n\nimport \"example.com/missing\"\n\nfunc use() {\n\tmissing.Get().Email = \"c\"\n\tmissing.Get().Issue()\n}\n",
		"named-x/x.go":   "package other\n\nfunc Call() {}\n",
		"named-x/use.go": "package other\n\nfunc use(x T) { x.Call() }\n\ntype T struct{}\n\nfunc (T) Call() {}\n",
		"d/d.go":         "package d\n\nimport \"example.com/m/named-x\"\n\nfunc use() {\n\tother.Call()\n\tvar t other.T\n\tt.Call()\n}\n",
	})
	for symbol, want := range map[string]string{
		"Issuer.Email": "a/own.go:7 possible, a/own.go:9 possible, b/b.go:11 possible",
		"Issuer.Issue": "a/own.go:8 possible, b/b.go:12 possible",
		"Key":          "a/own.go:9 possible",
		"other.Call":   "d/d.go:6 certain",
	} {
		q := ReferencesQuery{Symbol: symbol}
		if symbol == "other.Call" {
			q = ReferencesQuery{Symbol: "Call", FilePath: "named-x/x.go", Line: 3}
		}
		a, err := e.References(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", symbol, diff)
		}
	}
}
