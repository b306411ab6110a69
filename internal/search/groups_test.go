package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// References to a method that implements another are distinguished by what it is reached
// through, in every language that knows which methods override which.
func TestReferenceGroups(t *testing.T) {
	e := open(t, map[string]string{
		"S.java": "interface S { void put(int n); }\nclass A implements S { public void put(int n) { } }\nclass B implements S { public void put(int n) { } }\n" +
			"class U { void f(S s, A a, B b) {\n s.put(1);\n a.put(1);\n b.put(1); } }\n",
		"s.cs": "interface S { int Size { get; } }\nclass A : S { public int Size { get; } }\nclass B : S { public int Size { get; } }\n" +
			"class U { void F(S s, A a, B b) {\n _ = s.Size;\n _ = a.Size;\n _ = b.Size; } }\n",
	})
	for _, file := range []string{"S.java", "s.cs"} {
		name := map[string]string{"S.java": "put", "s.cs": "Size"}[file]
		for line, want := range map[int][]string{
			1: {"2 implementation", "3 implementation", "5 ", "6 implementation", "7 implementation"},
			2: {"1 interface", "3 implementation", "5 interface", "6 ", "7 implementation"},
		} {
			a, err := e.References(t.Context(), ReferencesQuery{Symbol: name, FilePath: file, Line: line})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range a.References {
				got = append(got, fmt.Sprintf("%d %s", r.Line, r.Group))
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s line %d: %q, want %q", file, line, got, want)
			}
		}
	}
}

// Where what implements or overrides a method is no reference to it, a note names it.
func TestOverridesNamed(t *testing.T) {
	e := open(t, map[string]string{
		"go.mod":     "module m\n\ngo 1.24\n",
		"a.go":       "package m\n\ntype S interface{ Put(n int) }\n\ntype A struct{}\n\nfunc (A) Put(n int) {}\n\ntype B struct{}\n\nfunc (*B) Put(n int) {}\n\ntype C struct{}\n\nfunc (C) Put() {}\n",
		"b.py":       "class Base:\n    def draw(self):\n        pass\n\n\nclass Sub(Base):\n    def draw(self):\n        pass\n\n\nclass Other:\n    def draw(self):\n        pass\n",
		"Jump.swift": "protocol Jump { func hop() -> Int }\nstruct Frog: Jump { func hop() -> Int { 1 } }\n",
		"S.java":     "interface S { void set(int n); }\nclass A implements S { public void set(int n) { } }\n",
	})
	for name, want := range map[string]string{
		"S.Put":     "2 methods implement or override it: A.Put (a.go:7), B.Put (a.go:11)",
		"A.Put":     "",
		"Base.draw": "1 method implements or overrides it: Sub.draw (b.py:7)",
		"Jump.hop":  "1 method implements or overrides it: Frog.hop (Jump.swift:2)",
		"S.set":     "", // it is among the references
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: name})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range a.Notes {
			if s := n.String(); strings.Contains(s, "override") {
				got = s
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The definition that was asked for comes first, however many there are.
func TestAskedDefinitionFirst(t *testing.T) {
	e := open(t, map[string]string{
		"f.ts": "export function f(n: 1): void\nexport function f(n: 2): void\nexport function f(n: 3): void\n" +
			"export function f(n: 4): void\nexport function f(n: 5): void\nexport function f(n: 6): void\n" +
			"export function f(n: number): void {}\nf(1)\n",
	})
	for _, line := range []int{1, 6, 7} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: "f", FilePath: "f.ts", Line: line})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Definitions) == 0 || a.Definitions[0].Line != line {
			t.Errorf("asked for line %d: %v", line, a.Definitions)
		}
	}
}
