package syntax

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/syntax/engine"
)

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		path, head string
		want       Language
	}{
		{"a/b.go", "", Go},
		{"A.PY", "", Python},
		{"x.test.tsx", "", TSX},
		{"x.mjs", "", JavaScript},
		{"x.jsx", "", JavaScript},
		{"views/teas.blade.php", "", Blade},
		{"src/App.svelte", "", Svelte},
		{"x.d.ts", "", TypeScript},
		{"tr/app_de.ts", "<?xml version=\"1.0\"?><TS>", Unknown},
		{"x.h", "int f(void);\n", C},
		{"x.h", "#pragma once\nnamespace a {\nclass B;\n}", CPP},
		{"x.h", "// " + strings.Repeat("licence ", 1000) + "\n/* and */ template <class T>\nT f();\n", CPP},
		{"x.h", "#ifdef X\n# include <vector>\n#endif\n  std::vector<int> v; /* a\n b */\n", CPP},
		{"x.h", "/*\nusing this\nclass of std:: things\n*/ int a; // std::b\n/* private: */\nint c /* d", C},
		{"x.h", "int a = b / c; /", C},
		{"x.h", "#include <cstddef>\nint f(void);\n", CPP},
		{"x.h", "#ifdef __cplusplus\n#include <cstddef>\nextern \"C\" {\n#endif\nint f(void);\nint g(void);\n", C},
		{"x.h", "#if defined(__cplusplus)\n#if A\nclass B;\n#endif\nnamespace c {\nint d;\n}\n#endif\nint f(void);\n", CPP},
		{"x.h", "#import <A/B.h>\n// @interface\nint f(void);\n", C},
		{"x.h", "#import <A/B.h>\n\n@class B;\n", "objective-c"},
		{"x.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n/* @end */\n@interface A : B\n@end\n", "objective-c"},
		{"Gemfile", "", Ruby},
		{"bin/run", "#!/bin/sh\n", Bash},
		{"bin/run", "#!/usr/bin/env -S python3.12 -u\n", Python},
		{"bin/run", "#!/usr/bin/env node\n", JavaScript},
		{"bin/run", "#!/usr/bin/perl\n", "perl"},
		{"bin/run", "#!/usr/bin/env tclsh8.6\n", "tcl"},
		{"Dockerfile.dev", "", "dockerfile"},
		{"x.m", "function y = f(x)\n% comment\nend\n", "matlab"},
		{"x.m", "#import <A/B.h>\n", "objective-c"},
		{"x.d", "a.o: a.c a.h\n", Unknown},
		{"bin/run", "\xef\xbb\xbf#!/usr/bin/env LANG=C ruby\n", Ruby},
		{"bin/run", "plain", Unknown},
		{"lib.inc", "<?php\n", PHP},
		{"lib.inc", "mov ax, 1", Unknown},
		{".bashrc", "", Bash},
		{"x.unknown", "", Unknown},
		{"", "", Unknown},
	} {
		if got := Detect(tt.path, []byte(tt.head)); got != tt.want {
			t.Errorf("Detect(%q, %q) = %q, want %q", tt.path, tt.head, got, tt.want)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	f, err := Parse("whitespace", []byte(" \t\n"))
	if err != nil || f.Partial == "" || len(f.Symbols) > 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestTooLarge(t *testing.T) {
	f, err := Parse(Go, make([]byte, engine.MaxBytes+1))
	if err != nil || f.Partial == "" {
		t.Errorf("partial %q, %v", f.Partial, err)
	}
}

func TestFunctionAt(t *testing.T) {
	src := `package p

type T struct{}

func (t T) Outer() {
	x := 1
	_ = x
}

var v = 1

func Second() { Third() }
`
	f, err := Parse(Go, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{1: "", 3: "", 5: "Outer", 6: "Outer", 8: "Outer", 9: "", 10: "", 12: "Second", 99: "", 0: "", -1: ""} {
		s, ok := f.FunctionAt(line)
		if s.Name != want || ok != (want != "") {
			t.Errorf("line %d: %q %v, want %q", line, s.Name, ok, want)
		}
	}
	src = "def outer():\n    x = 1\n    def inner():\n        return x\n    return inner\n"
	f, err = Parse(Python, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{2: "outer", 3: "inner", 4: "inner", 5: "outer"} {
		if s, _ := f.FunctionAt(line); s.Name != want {
			t.Errorf("line %d: %q, want %q", line, s.Name, want)
		}
	}
}

// roles lists the occurrences of one name: "line role" with a star for locals.
func roles(f *File, name string) string {
	var all []string
	for _, o := range f.Occurrences {
		if o.Name != name {
			continue
		}
		s := string(o.Role)
		if o.Local {
			s += "*"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

// Names that are bound inside a function do not leak, and those that are not
// bound there are not treated as locals.
func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		what string
		lang Language
		src  string
		want string // roles of the name n
	}{
		{"declared after use in the same statement", Go, "package p\nfunc f() { n := n.Get(); n() }", "definition* read call*"},
		{"block ends", Go, "package p\nfunc f() { if n := 1; n > 0 { n++ }; n() }", "definition* read* write* call"},
		{"second short declaration", Go, "package p\nfunc f() { n, a := 1, 2; n, b := 3, 4 }", "definition* write*"},
		{"parameter hides package", Go, "package p\nvar n int\nfunc f(n int) { n = 1 }\nfunc g() { n = 2 }", "definition definition* write* write"},
		{"closure sees the outer", Go, "package p\nfunc f() { n := 1; func() { n = 2 }() }", "definition* write*"},
		{"after a dot it is a member", Go, "package p\nfunc f(n T) { n.n(); x.n = n }", "definition* read* call write read*"},
		{"key of a struct", Go, "package p\nfunc f(n int) { _ = T{n: n}; _ = map[int]int{n: n} }", "definition* write read* read* read*"},
		{"case", Go, "package p\nfunc f(x any) { switch n := x.(type) { case int: n() }; n() }", "definition* call* call"},
		{"label", Go, "package p\nfunc f() { n: for { break n } }", ""},
		{"function-wide", Python, "def f():\n    print(n)\n    if a:\n        n = 1\n", "read* definition*"},
		{"global", Python, "n = 0\ndef f():\n    global n\n    n = 1\n", "definition read write"},
		{"comprehension", Python, "def f():\n    [n for n in n]\n    n()\n", "read* definition* read* call"},
		{"class body is not seen by methods", Python, "class A:\n    n = 1\n    def f(self):\n        return n + self.n\n", "definition read read"},
		{"keyword argument", Python, "def f(n):\n    g(n=n)\n", "definition* write* read*"},
		{"lambda", Python, "g(lambda n: n)\nn()\n", "definition* read* call"},
		{"item assignment is no binding", Python, "n = {}\ndef f():\n    n[0] = 1\n", "definition write"},
		{"var is function-wide", JavaScript, "function f() { n(); if (a) { var n = 1 } return n }", "call* definition* read*"},
		{"let is not", JavaScript, "function f() { if (a) { let n = 1; n() } return n }", "definition* call* read"},
		{"parameter patterns", JavaScript, "function f({ a: { n } }, [m = n]) { n = 1 }", "definition* read* write*"},
		{"catch", JavaScript, "try {} catch (n) { n() }\nn()", "definition* call* call"},
		{"arrow", TypeScript, "const g = (n: number) => n + this.n", "definition* read* read"},
		{"type parameter", TypeScript, "function f<n>(x: n): n {}\nlet y: n", "definition* type* type* type"},
		{"loop", TypeScript, "for (const n of n2) { n }\nn", "definition* read* read"},
	} {
		f, err := Parse(tt.lang, []byte(tt.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := roles(f, "n"); got != tt.want {
			t.Errorf("%s: %s\n got  %s\n want %s", tt.lang, tt.what, got, tt.want)
		}
	}
}

func TestExported(t *testing.T) {
	for _, tt := range []struct {
		lang Language
		src  string
		want string
	}{
		{Go, "package p\nfunc A() { type B int }\nfunc c() {}\ntype D struct { E, f int }\nfunc (d D) G() {}", "A D E G"},
		{Python, "A = 1\n_b = 2\nclass C:\n    d = 1\n    _e = 2\n    def __len__(self): pass\nclass _F:\n    g = 1\n", "A C d __len__"},
		{JavaScript, "export const a = 1, b = 2\nconst c = 3\nclass D { e() {} #f() {} }\nexport { c, D }\n", "a b c D e"},
		{JavaScript, "function a() {}\nfunction b() {}\nmodule.exports = { a }\n", "a"},
		{TypeScript, "export class A { private b = 1; c = 2; constructor(protected d: X, public e: Y) {} }\nexport default F\nfunction F() {}", "A c constructor e F"},
	} {
		f, err := Parse(tt.lang, []byte(tt.src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range f.Symbols {
			if s.Exported {
				got = append(got, s.Name)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s\n%s", tt.lang, tt.src, diff)
		}
	}
}

// Text that nobody would write must not take long, and must not break what a
// File promises.
func TestHostile(t *testing.T) {
	const deep = 20_000
	hostile := map[Language][]string{
		Go: {
			"package p\nfunc f() { " + strings.Repeat("{", deep),
			"package p\nvar x = " + strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep),
			"package p\nconst (\n" + strings.Repeat("\tA = 1 // a\n", deep) + ")\n",
			"package p\nvar x = " + strings.Repeat("func() { x := 1; ", deep/4),
		},
		JavaScript: {
			"let " + strings.Repeat("[", deep) + "a" + strings.Repeat("]", deep) + " = b",
			strings.Repeat("function f(a) { a; ", deep/4),
			strings.Repeat("a => ", deep) + "a",
			strings.Repeat("a.", deep) + "a",
		},
		Python: {
			strings.Repeat("a = ", deep) + "1",
			strings.Repeat("(", deep),
			strings.Repeat("lambda x: ", deep/4) + "x",
		},
		TypeScript: {"type A = " + strings.Repeat("B<", deep), strings.Repeat("namespace A { ", deep/4)},
	}
	for lang, sources := range hostile {
		for _, src := range sources {
			f, err := parseTimely(t, lang, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			checkFile(t, f, []byte(src))
		}
	}
}

func FuzzParse(f *testing.F) {
	sources, err := filepath.Glob("testdata/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, source := range sources {
		src, err := os.ReadFile(source)
		if err != nil || strings.HasSuffix(source, ".golden") {
			continue
		}
		f.Add(string(Detect(source, src)), src)
	}
	if archive, err := txtar.ParseFile("testdata/outlines.txtar"); err == nil {
		for _, file := range archive.Files {
			language, _, _ := strings.Cut(file.Name, "/")
			f.Add(language, file.Data)
		}
	}
	f.Add("go", []byte("package p\n\xff\xfe func (\x00"))
	f.Add("python", []byte("def \n\tclass x:\n  a = b = "))
	f.Fuzz(func(t *testing.T, lang string, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		file, err := Parse(Language(lang), src)
		if err != nil {
			t.Fatal(err)
		}
		checkFile(t, file, src)
		EmptyBodies(Language(lang), src)
		file.FunctionAt(1)
	})
}

// TestKotlinImports finds the classes around what is imported.
func TestKotlinImports(t *testing.T) {
	f := parsed(t, Kotlin, "import a.b.Outer.Companion.one\nimport a.b.Outer.Inner as Mine\nimport a.Whole.*\nimport a.b.*\n")
	var names []string
	for _, o := range f.Occurrences {
		names = append(names, o.Name)
	}
	if want := []string{"Outer", "Companion", "one", "Outer", "Inner", "Mine", "Whole"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
