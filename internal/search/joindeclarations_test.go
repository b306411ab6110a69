package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
)

// What C and C++ declare apart from its definition is one result with it; what nothing
// here defines, and what is another overload, stays.
func TestJoinedDeclarations(t *testing.T) {
	e := open(t, map[string]string{
		"include/shelf.h": "#pragma once\nnamespace lib {\nextern int limit;\nint only(int);\n" +
			"// Shelf holds books.\nclass Shelf {\n public:\n  Shelf();\n  int count(int floor, bool all = true) const;\n" +
			"  int count(const char* name) const;\n  int room() const { return 1; }\n  virtual void move(int by) = 0;\n};\n}\n",
		"src/shelf.cc": "#include \"shelf.h\"\nnamespace lib {\nint limit = 3;\nShelf::Shelf() {}\n" +
			"int Shelf::count(int f, bool a) const {\n  return f;\n}\n}\n",
		"c/a.c":      "static int tidy(int n);\nint use(void) { return tidy(1); }\nstatic int tidy(int n) { return n; }\nint start(void) { return 1; }\n",
		"c/b.c":      "int start(void);\nstatic int tidy(int n) { return -n; }\nint other(void) { return tidy(2) + start(); }\n",
		"c/a.h":      "/* start begins. */\nint start(void);\n",
		"old/c/a.h":  "int start(void);\n",
		"old/c/a.c":  "int start(void)\n{\n  return 2;\n}\n",
		"old/c/kr.c": "int sum(a, b)\n  int a, b;\n{\n  return a + b;\n}\nint sum();\n",
	})
	for name, want := range map[string][]string{
		"limit":       {"src/shelf.cc:3 < include/shelf.h:3"},
		"only":        {"include/shelf.h:4"},
		"Shelf.count": {"src/shelf.cc:5 < include/shelf.h:9", "include/shelf.h:10"},
		"Shelf.room":  {"include/shelf.h:11"},
		"Shelf.move":  {"include/shelf.h:12"},
		"tidy":        {"c/a.c:3 < c/a.c:1", "c/b.c:2"},
		"start":       {"c/a.c:4 < c/a.h:2", "c/b.c:1", "old/c/a.c:1 < old/c/a.h:1"},
		"sum":         {"old/c/kr.c:1 < old/c/kr.c:6"},
	} {
		a, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: name, ExactMatch: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range a.Definitions {
			line := fmt.Sprintf("%s:%d", d.File, d.Line)
			for _, at := range d.Declared {
				line += fmt.Sprintf(" < %s:%d", at.File, at.Line)
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") || a.Total != len(want) {
			t.Errorf("%s: %q of %d, want %q", name, got, a.Total, want)
		}
		if name == "start" && a.Definitions[0].Doc != "start begins." {
			t.Errorf("documentation %q", a.Definitions[0].Doc)
		}
	}
}

// A declaration with its definition is one thing, of which references say nothing.
func TestThingsThatShareAName(t *testing.T) {
	e := open(t, map[string]string{
		"a.h": "int open_shop(int n);\n",
		"a.c": "#include \"a.h\"\nint open_shop(int n) { return n; }\nstatic int tidy(void) { return open_shop(1); }\n",
		"b.c": "static int tidy(void) { return 2; }\nint use(void) { return tidy(); }\n",
	})
	for name, want := range map[string]bool{"open_shop": false, "tidy": true} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: name})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(a.Notes, func(m msg.Message) bool { return m.Is("search.things_share_the_name") })
		if len(a.Definitions) != 2 || told != want {
			t.Errorf("%s: %d definitions, told that several share the name: %t", name, len(a.Definitions), told)
		}
	}
}

func TestSameParameters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"int f(const std::string& a, int n = g(1, 2))", "int C::f(const string &b, int) const", true},
		{"void f(std::map<K, V> m, int)", "void f(map<K, V>, int n)", true},
		{"void f(int (*call)(int, char), void*)", "void f(int (*call)(int, char), void *data)", true},
		{"void f()", "void f(int)", false},
		{"void f(unsigned int)", "void f(unsigned long n)", false},
		{"void f(const Slice& key)", "void f(Slice& key)", false},
		{"f", "f", true},
		{"void f(int a, ", "void f(int a, int b)", false},
		{"void f(", "void f(", true},
	} {
		if got := sameParameters(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
