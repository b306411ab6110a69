package impact

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/commitlog"
	"codeintel/internal/index"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/test/golden"
	"codeintel/test/searchtest"
)

func open(t testing.TB, tree map[string]string) *Analyzer {
	t.Helper()
	p, x, e := searchtest.Open(t, searchtest.Files(t, tree))
	return New(p, x, e, commitlog.New(p.Root, x.Dir(), commitlog.Window))
}

func shop(t testing.TB) *Analyzer {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "shop.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]string{}
	for _, f := range a.Files {
		tree[f.Name] = string(f.Data)
	}
	return open(t, tree)
}

// passing is what differs from run to run.
var passing = regexp.MustCompile(`\(index verified [^)]*\)\n|cursor \S+`)

// TestAnswers checks analyses against golden files: testdata/answers.txtar has
// the arguments as the name of each part.
func TestAnswers(t *testing.T) {
	a := shop(t)
	file := filepath.Join("testdata", "answers.txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		g := &archive.Files[i]
		var q Query
		if err := json.Unmarshal([]byte(g.Name), &q); err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		got := ""
		answer, err := a.Analyze(context.Background(), q)
		if p := problem.Of(err); p != nil {
			got = "problem: " + p.Error() + "\n"
		} else if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		} else {
			facts, err := json.Marshal(answer.Observed())
			if err != nil {
				t.Fatal(err)
			}
			got = passing.ReplaceAllString(answer.Text(), "") + "observed " + string(facts) + "\n"
		}
		g.Data = []byte(got)
	}
	golden.Hold(t, file, string(txtar.Format(archive)))
}

// TestTemplates: templates of Blade, Svelte and Vue are found by what they
// extend and by the classes and ids that their elements have.
func TestTemplates(t *testing.T) {
	a := open(t, map[string]string{
		"public/css/shop.css":                           ".tea-card { color: red }\n.tea-card--hot { color: blue }\n#cart { top: 0 }\n",
		"resources/views/layouts/app.blade.php":         "<html><body>@yield('content')</body></html>\n",
		"resources/views/teas.blade.php":                "@extends('layouts.app')\n@section('content')\n<p @class(['tea-card', 'tea-card--hot' => $hot('tea-x')])></p>\n@endsection\n",
		"resources/views/order.blade.php":               "@extends('layouts.order')\n<x-tea-card />\n<div {{ $attributes->merge(['id' => 'cart']) }}></div>\n",
		"resources/views/components/tea-card.blade.php": "<b>{{ $slot }}</b>\n",
		"src/Card.svelte":                               "<script>let hot = false</script>\n<p class:tea-card--hot={hot}></p>\n",
		"src/Card.vue":                                  "<template><p :class=\"{ 'tea-card': on }\"></p></template>\n",
		"src/Plain.vue":                                 "<template><p class=\"tea\"></p></template>\n",
	})
	for _, c := range []struct{ target, must, should string }{
		{"public/css/shop.css", "", "resources/views/order.blade.php:3 resources/views/teas.blade.php:3 src/Card.svelte:2 src/Card.vue:1"},
		{"resources/views/layouts/app.blade.php", "resources/views/teas.blade.php:1", ""},
		{"resources/views/components/tea-card.blade.php", "resources/views/order.blade.php:2", ""},
	} {
		answer, err := a.Analyze(context.Background(), Query{Targets: []string{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		if must, should := places(answer.MustVerify), places(answer.ShouldVerify); must != c.must || should != c.should {
			t.Errorf("%s: must %q, want %q; should %q, want %q", c.target, must, c.must, should, c.should)
		}
	}
}

// places lists files with their first lines.
func places(list []Affected) string {
	var all []string
	for _, a := range list {
		at := a.File
		if len(a.Lines) > 0 {
			at += fmt.Sprintf(":%d", a.Lines[0])
		}
		all = append(all, at)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestRefuses(t *testing.T) {
	a := shop(t)
	if err := os.MkdirAll(a.p.Abs("empty/folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		q    Query
		code problem.Code
		say  string
	}{
		{Query{}, problem.InvalidArgument, "targets"},
		{Query{Targets: search.OneOrMore{" "}}, problem.InvalidArgument, "empty"},
		{Query{Targets: make(search.OneOrMore, 51)}, problem.InvalidArgument, "at most 50"},
		{Query{Targets: search.OneOrMore{"store.Open"}, Depth: 9}, problem.InvalidArgument, "depth"},
		{Query{Targets: search.OneOrMore{"../x.go"}}, problem.OutsideRoot, ""},
		{Query{Targets: search.OneOrMore{"Opne"}}, problem.NotFound, "Open"},
		{Query{Targets: search.OneOrMore{"empty"}}, problem.NotFound, "folder"},
		{Query{Targets: search.OneOrMore{"store/disc.go"}}, problem.NotFound, "store/disk.go"},
		{Query{Targets: search.OneOrMore{"store.Open"}, Page: search.Page{Cursor: "x"}}, search.InvalidCursor, "cursor"},
	} {
		_, err := a.Analyze(context.Background(), tt.q)
		p := problem.Of(err)
		if p == nil || p.Code != tt.code || !strings.Contains(p.Error(), tt.say) || len(p.Next) == 0 {
			t.Errorf("%+v: %v, want %s saying %q with a next step", tt.q, err, tt.code, tt.say)
		}
	}
}

// TestPages walks through a long analysis and sees every file once; the facts
// name all of them at once.
func TestPages(t *testing.T) {
	tree := map[string]string{"go.mod": "module example.com/m\n", "lib/lib.go": "package lib\n\nfunc Shared() {}\n"}
	for i := range 60 {
		tree[fmt.Sprintf("use%02d/u.go", i)] = "package u\n\nimport \"example.com/m/lib\"\n\nfunc f() { lib.Shared() }\n"
	}
	a := open(t, tree)
	q := Query{Targets: search.OneOrMore{"lib/lib.go"}, Page: search.Page{MaxTokens: 800}}
	seen := map[string]bool{}
	for page := 0; ; page++ {
		answer, err := a.Analyze(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if answer.TotalMust != 60 || len(answer.Observed().MustVerify) != 60 {
			t.Fatalf("page %d: %d must, %d observed", page, answer.TotalMust, len(answer.Observed().MustVerify))
		}
		for _, f := range answer.MustVerify {
			if seen[f.File] {
				t.Errorf("%s again", f.File)
			}
			seen[f.File] = true
		}
		if b, err := json.Marshal(answer); err != nil || len(b) > 3200 {
			t.Errorf("page %d has %d characters (%v)", page, len(b), err)
		}
		if q.Cursor = answer.NextCursor; q.Cursor == "" {
			break
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d files seen", len(seen))
	}
}

func TestDocumentSearchOfContext(t *testing.T) {
	a := open(t, map[string]string{
		"lib/parse.py": "def parse_header(x):\n    return x\n", "docs/a.md": "parse_header\n", "notes/b.txt": "parse_header\n", "docs/old/c.md": "parse_header\n",
		".code-intel/context.yml": "document_search:\n  include_patterns:\n    - \"docs/**\"\n    - \"notes/*.txt\"\n  exclude_patterns:\n    - \"docs/old/**\"\n",
	})
	answer, err := a.Analyze(context.Background(), Query{Targets: search.OneOrMore{"parse_header"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"docs/a.md", "notes/b.txt"}, answer.Observed().Should); diff != "" {
		t.Errorf("should verify (-want +got):\n%s", diff)
	}
}

// TestUsualDocuments finds documents in the usual markups, and in them no name that every type
// of a language has.
func TestUsualDocuments(t *testing.T) {
	a := open(t, map[string]string{
		"lib/cart.py":   "class GiftCart:\n    def __call__(self):\n        return 1\n    def gift_total(self):\n        return 2\n",
		"doc/index.rst": "Give a ``GiftCart`` away.\n", "docs/ref/carts.txt": "gift_total of a cart\n", "notes.txt": "gift_total\n",
		"doc/other.rst": "An object with ``__call__`` can be called.\n", "CHANGES.rst": "GiftCart is new\n",
	})
	answer, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"GiftCart"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"doc/index.rst", "docs/ref/carts.txt"}, answer.Observed().Should); diff != "" {
		t.Errorf("should verify (-want +got):\n%s", diff)
	}
}

// TestForeign wants what mentions a target in a language that is not read to be verified,
// in a test too, and prose and data not.
func TestForeign(t *testing.T) {
	a := open(t, map[string]string{
		"lib/cart.rb": "def total_price\n  1\nend\n", "views/cart.html.erb": "<%= total_price %>\n",
		"spec/cart.liquid": "{{ total_price }}\n", "NEWS.rst": "total_price\n", "releasenotes/notes/a.yaml": "total_price\n", "data.csv": "total_price\n", "LICENSE": "total_price\n",
	})
	answer, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"total_price"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"spec/cart.liquid", "views/cart.html.erb"}, answer.Observed().Should); diff != "" {
		t.Errorf("should verify (-want +got):\n%s", diff)
	}
}

func TestSchemas(t *testing.T) {
	for _, v := range []any{Query{}, Answer{}} {
		if _, err := jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{TypeSchemas: search.Schemas()}); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
}

// TestTelling wants an analysis to say how far it is, symbol by symbol.
func TestTelling(t *testing.T) {
	var reported []string
	a := open(t, map[string]string{"a.go": "package a\n\nfunc One() {}\n\nfunc Two() { One() }\n"}).
		WithProgress(func(done, total int) { reported = append(reported, fmt.Sprintf("%d/%d", done, total)) }).Within(10_000)
	if _, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"a.go"}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0/2", "1/2"}; !slices.Equal(reported, want) {
		t.Errorf("told %v", reported)
	}
}

// TestEarly wants a symbol that is not found while the index is being built not to
// be treated as one that is not there.
func TestEarly(t *testing.T) {
	a := open(t, map[string]string{"a.go": "package a\n\nfunc One() {}\n"})
	writer, err := index.Open(t.Context(), a.p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan bool)
	go func() { a.x.Serve(ctx); close(served) }()
	defer func() { stop(); <-served }()
	var early error
	hasty, end := softdeadline.With(t.Context(), time.Millisecond, nil)
	defer end()
	_, err = writer.Sync(t.Context(), index.SyncOptions{Progress: func(index.Progress) {
		for early == nil || !a.x.Freshness().Building { // until it is left to the background
			_, early = a.Analyze(hasty, Query{Targets: search.OneOrMore{"Later"}})
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if p := problem.Of(early); p == nil || p.Code != problem.NotFound || !strings.Contains(p.Next[0].String(), "0 % built") || !strings.Contains(p.Next[0].String(), "sync_index") {
		t.Errorf("while it is built: %v", early)
	}
	if _, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"One"}}); err != nil {
		t.Errorf("when it is built: %v", err)
	}
	if _, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Later"}}); problem.Of(err) == nil || strings.Contains(err.Error(), "built") {
		t.Errorf("what there is not: %v", err)
	}
}

// TestNamedOnce lists what a file imports by its path only where it names it in no other way.
func TestNamedOnce(t *testing.T) {
	list := []string{"Second", "crate::units::Second", "Unit.Second", "self::units", `Slim\App`, "App", "pkg/path"}
	want := []string{"Second", "Unit.Second", "self::units", "App", "pkg/path"}
	if got := namedOnce(list); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
