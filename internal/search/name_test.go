package search

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
)

func TestParseName(t *testing.T) {
	for _, tt := range []struct{ in, base, scope string }{
		{"Read", "Read", ""},
		{"Reader.Read", "Read", "Reader"},
		{"(*bytes.Buffer).Write", "Write", "bytes Buffer"},
		{"*Server.Handle", "Handle", "Server"},
		{"func NewReader", "NewReader", ""},
		{"class Foo", "Foo", ""},
		{"Foo::bar()", "bar", "Foo"},
		{`App\Models\User::find`, "find", "App Models User"},
		{"std::vector<int>::push_back", "push_back", "std vector<int>"},
		{"Foo#bar", "bar", "Foo"},
		{"$this->name", "name", "$this"},
		{"http.Get(url)", "Get", "http"},
		{"#nav", "#nav", ""},
		{"Getting started", "Getting started", ""},
		{"operator==", "operator==", ""},
		{"net/http.Get", "Get", "net http"},
	} {
		n := parseName(tt.in)
		if n.base != tt.base || strings.Join(n.scope, " ") != tt.scope {
			t.Errorf("%q: %q in %q, want %q in %q", tt.in, n.base, n.scope, tt.base, tt.scope)
		}
	}
}

// FuzzParseName asks for what makes no sense as a name: each part still holds
// something to look for.
func FuzzParseName(f *testing.F) {
	for _, s := range []string{".*", "**/*", "*", "()", "(*)", "::", "->", `\`, "#", "$", "@", ".", "/", "func ", "func *", "a.*.b", "*.*", "(*a).*", "_-", "-", "A-", "é.*", "\xff.\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := parseName(s)
		if strings.TrimSpace(s) == "" {
			return
		}
		if n.whole != "" && n.base == "" || slices.Contains(n.scope, "") {
			t.Errorf("%q: %q in %q", s, n.base, n.scope)
		}
		if slices.Contains(n.forms(), "") {
			t.Errorf("%q: an empty form in %q", s, n.forms())
		}
	})
}

func TestNameFits(t *testing.T) {
	symbol := func(file, scope, name string) *index.Symbol {
		return &index.Symbol{Symbol: syntax.Symbol{Name: name, Scope: scope}, File: file}
	}
	for _, tt := range []struct {
		ask  string
		s    *index.Symbol
		want bool
	}{
		{"Reader.Read", symbol("io/io.go", "Reader", "Read"), true},
		{"Reader.Read", symbol("io/io.go", "Writer", "Read"), false},
		{"Reader.Read", symbol("io/io.go", "Reader[T]", "Read"), true},
		{"io.Reader.Read", symbol("io/io.go", "Reader", "Read"), true},
		{"os.Reader.Read", symbol("io/io.go", "Reader", "Read"), false},
		{"http.Get", symbol("net/http/client.go", "", "Get"), true},
		{"client.Get", symbol("net/http/client.go", "", "Get"), true},
		{"net.Get", symbol("net/http/client.go", "", "Get"), false},
		{"net/http.Get", symbol("net/http/client.go", "", "Get"), true},
		{"a.b.Outer.Inner.f", symbol("src/a/b.py", "Outer.Inner", "f"), true},
		{"Outer.f", symbol("src/a/b.py", "Outer.Inner", "f"), false},
	} {
		if got := parseName(tt.ask).fits(tt.s); got != tt.want {
			t.Errorf("%s fits %s %s in %s: %v", tt.ask, tt.s.Scope, tt.s.Name, tt.s.File, got)
		}
	}
}

func TestForms(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"my-button", "MyButton"},
		{"MyButton", "my-button"},
		{"card", ".card"},
		{"$name", "name"},
	} {
		if got := strings.Join(parseName(tt.in).forms(), " "); !strings.Contains(" "+got+" ", " "+tt.want+" ") {
			t.Errorf("%s: forms %s lack %s", tt.in, got, tt.want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"NewReader", "NewWriter", "newReader", "Read", "ReadAll", "Handler", "ServeHTTP"}
	for _, tt := range []struct{ in, want string }{
		{"NewRaeder", "NewReader newReader"},
		{"readall", "ReadAll Read"},
		{"ServeHttp", "ServeHTTP"},
		{"Zzzz", ""},
	} {
		if got := strings.Join(near(tt.in, names, 2), " "); got != tt.want {
			t.Errorf("near %s: %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestTestFile(t *testing.T) {
	for file, want := range map[string]bool{
		"a/b_test.go": true, "a/b.go": false, "test_x.py": true, "x_test.py": true, "tests/helpers.py": true, "latest.py": false,
		"src/x.test.ts": true, "src/x.spec.tsx": true, "src/__tests__/x.js": true, "src/contest.js": false,
		"src/test/java/FooTest.java": true, "src/main/java/Foo.java": false, "src/main/Latest.java": false, "FooTests.cs": true,
		"spec/foo_spec.rb": true, "testing.go": false, "src/KettleSpec.kt": true, "PriceSuite.scala": true, "inspec.kt": false, "pkg/testdata/a.go": true,
	} {
		if TestFile(file) != want {
			t.Errorf("TestFile(%q) = %v", file, !want)
		}
	}
}
