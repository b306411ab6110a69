package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/golang"
	"codeintel/internal/syntax/treesitter"
)

// goBoth reads a Go text by the grammar and by Go's parser; the second is nil if
// it leaves the text to the grammar.
func goBoth(t *testing.T, src string) (grammar, parser *File) {
	t.Helper()
	slow := engine.Spec{Name: Go, Rules: registered().languages[Go].Rules}
	var err error
	grammar, err = slow.Parse([]byte(src), new(File), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !registered().languages[Go].Faster([]byte(src), func([]treesitter.Node) {}) {
		return grammar, nil
	}
	f, err := Parse(Go, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	checkFile(t, f, []byte(src))
	return grammar, f
}

// Who parses makes no difference to what is found, whatever the line ends.
func TestGoParserIsGrammar(t *testing.T) {
	sources, err := filepath.Glob("testdata/go/*.go")
	if err != nil || len(sources) < 2 {
		t.Fatal(sources, err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for name, src := range map[string]string{
			"as it is":         string(text),
			"carriage returns": strings.ReplaceAll(string(text), "\n", "\r\n"),
			"byte order mark":  "\ufeff" + string(text),
			"cut short":        strings.TrimRight(string(text), "\n"),
		} {
			grammar, parser := goBoth(t, src)
			if parser == nil {
				t.Errorf("%s, %s: left to the grammar", source, name)
				continue
			}
			if diff := cmp.Diff(grammar, parser); diff != "" {
				t.Errorf("%s, %s: -grammar +parser\n%s", source, name, diff)
			}
		}
	}
}

// Where they differ the parser is right.
func TestGoParserIsBetter(t *testing.T) {
	for _, tt := range []struct {
		what, src string
		name      string
		want      string // roles of the name
	}{
		{"type argument of a call", "func f() { n[T](1); n[[]int](2); p.n[T](3) }", "n", "call call call"},
		{"a built-in type is no occurrence", "func f() { g[int]() }", "int", ""},
		{"type argument", "func f() { g[n](1); g[*n](1) }", "n", "type type"},
		{"one of many functions", "func f(n int) { g[n](1) }", "n", "definition* read*"},
		{"element of an element", "func f(n int) { g[h[n]][n] = g[a.b[n]] }", "n", "definition* read* read* read*"},
		{"field of an element", "func f(p T) { g[p.n](1); _ = g[p.n][p.n] }", "n", "read read read"},
		{"nil is no type", "func f(x any) { switch x.(type) { case nil: } }", "nil", ""},
		{"conversion", "func f() { _ = (*n[int])(nil) }", "n", "type"},
		{"parameters over several lines", "func f(a,\n\tn T) { n() }", "n", "definition* call*"},
		{"value to point to", "func f(n int) { _ = new(n + 1) }", "n", "definition* read*"},
	} {
		_, f := goBoth(t, "package p\n"+tt.src)
		if f == nil {
			t.Errorf("%s: left to the grammar", tt.what)
			continue
		}
		if got := roles(f, tt.name); got != tt.want {
			t.Errorf("%s: %s\n got  %s\n want %s", tt.what, tt.src, got, tt.want)
		}
	}
}

// What Go's parser refuses or could drown in is still read.
func TestGoLeftToGrammar(t *testing.T) {
	deep := 3 * golang.MaxDepth
	for what, src := range map[string]string{
		"no package clause": "func F() { g() }",
		"error in a body":   "package p\nfunc f() { x := := }\nfunc F() {}\n",
		"under way":         "package p\nfunc F() {}\nfunc g() {\n\tif x.",
		"brackets":          "package p\nfunc F() {}\nvar x = " + strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep),
		"operators":         "package p\nfunc F() {}\nvar x = " + strings.Repeat("-", deep) + "1",
		"types":             "package p\nfunc F() {}\nvar x " + strings.Repeat("[]", deep) + "int",
		"selectors":         "package p\nfunc F() {}\nvar x = a" + strings.Repeat(".a", deep),
		"conditions":        "package p\nfunc F() {}\nfunc g() { " + strings.Repeat("if a {} else ", deep) + "{} }",
	} {
		grammar, parser := goBoth(t, src)
		if parser != nil {
			t.Errorf("%s: not left to the grammar", what)
		}
		f, err := Parse(Go, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(grammar, f); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		found := false
		for _, s := range f.Symbols {
			found = found || s.Name == "F" && s.Exported
		}
		if !found {
			t.Errorf("%s: F is not found in %+v", what, f.Symbols)
		}
	}
	long := "package p\nvar x = \"a\"" + strings.Repeat(" + y", 10*golang.MaxDepth)
	if _, parser := goBoth(t, long); parser == nil || len(parser.Occurrences) != 10*golang.MaxDepth+1 {
		t.Error("a long row of operators is left to the grammar")
	}
}

// A Parser that has read other files answers as a new one.
func TestParser(t *testing.T) {
	sources, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	var p Parser
	for range 2 {
		for _, source := range sources {
			src, err := os.ReadFile(source)
			if err != nil {
				continue // a folder
			}
			lang := Detect(source, src)
			want, err := Parse(lang, src)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Parse(lang, src)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(goldenText(want, src), goldenText(got, src)); diff != "" {
				t.Errorf("%s: -new +used\n%s", source, diff)
			}
		}
	}
}
