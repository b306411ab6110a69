package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"codeintel/test/cputime"
	"codeintel/test/tier"
)

// TestHostileLanguages gives languages text that nests ten thousand deep, in ways
// of their own, a long line, and NUL bytes. Nothing may stall,
// panic or lie outside of the file. Lines of ten million bytes are the parser's
// concern; see TestHostile of package treesitter.
func TestHostileLanguages(t *testing.T) {
	const deep = 10_000
	const slow = deep / 20 // where the parser needs all of its time, which its own tests look at
	own := map[Language][]string{
		Kotlin: {strings.Repeat("class A { fun f() { ", deep/2), "val x: " + strings.Repeat("A.", deep) + "B = 1", strings.Repeat("when (x) { else -> ", deep),
			"class A(" + strings.Repeat("a: Int, ", deep) + ") {\n" + strings.Repeat("val b = 1\n", deep) + "}", "val x = \"" + strings.Repeat("${\"", deep)},
		Swift: {strings.Repeat("struct A { func f() { ", deep/2), "let x = " + strings.Repeat("a.b { ", deep), strings.Repeat("if let x = x { ", deep), "enum A {\n" + strings.Repeat("case a, b(Int)\n", deep) + "}"},
		Scala: {strings.Repeat("object A { def f = { ", slow), "val x = " + strings.Repeat("a + ", slow) + "b", strings.Repeat("x match { case A(", slow), "import " + strings.Repeat("a.", deep) + "b"},
		Lua:   {strings.Repeat("function f() local x = ", slow), "x = " + strings.Repeat("{", deep), strings.Repeat("a.b.c = function() end\nx = 1\n", deep), "x = " + strings.Repeat("a.", deep) + "b"},
		SQL: {"SELECT " + strings.Repeat("(SELECT ", deep), "CREATE TABLE a (" + strings.Repeat("b INT, ", deep) + "c INT)", strings.Repeat("SELECT a FROM b;\n", deep),
			"SELECT " + strings.Repeat("a AND ", deep) + "b", strings.Repeat("{{ ref(", deep) + "}}", strings.Repeat("{% \"", deep),
			strings.Repeat("{% macro a() %}SELECT 1;\n", deep)},
		Haskell: {"f = " + strings.Repeat("(\\x -> ", deep), strings.Repeat("f 0 = 1\n", deep), "f (" + strings.Repeat("Just (", deep), "x = " + strings.Repeat("do { ", slow), "f :: " + strings.Repeat("a -> ", deep) + "a"},
		Elixir: {strings.Repeat("defmodule A do\n", deep), "def f(" + strings.Repeat("a = ", deep) + "b), do: 1", "defmodule A do\n" + strings.Repeat("@doc \"x\"\ndef f(a), do: a\n", deep) + "end",
			strings.Repeat("defmodule A do\ndef f, do: 1\nend\n", deep), strings.Repeat("fn a -> ", deep)},
		Zig: {strings.Repeat("const A = struct { ", deep), "const x = " + strings.Repeat("a.", deep) + "b;", "fn f() void {" + strings.Repeat("if (a) { ", deep)},
	}
	long := strings.Repeat("a1 = b(c) + \"d\" ; ", 1<<18/18)
	for lang := range own {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			sources := append(own[lang], strings.Repeat("(", slow)+"x"+strings.Repeat(")", slow), strings.Repeat("\x00", deep), "a\x00b {\x00}\n\xff\xfe", long)
			for _, src := range tier.Sample(sources, 4) {
				f, err := parseTimely(t, lang, []byte(src))
				if err != nil {
					t.Fatalf("%.40q: %v", src, err)
				}
				checkFile(t, f, []byte(src))
			}
		})
	}
}

// parseTimely parses text that nobody would write, which must not take long.
func parseTimely(t *testing.T, lang Language, src []byte) (f *File, err error) {
	t.Helper()
	cputime.Limit(t, 20*time.Second, fmt.Sprintf("%s: %.40q", lang, src), func() { f, err = tryParse(lang, src) })
	return f, err
}

// TestLongNames keeps no name, scope or use of one that is longer than anyone would write, and says so.
func TestLongNames(t *testing.T) {
	long := "A" + strings.Repeat("x", 100_000)
	for lang, src := range map[Language]string{
		TypeScript: "class " + long + " { m() { return " + long + " } }",
		Ruby:       "module " + long + "\n  def m; end\nend", CPP: "namespace " + long + " { void m() {} }", Go: "package a\n\nfunc " + long + "() {}",
	} {
		f, err := Parse(lang, []byte(src))
		if err != nil {
			t.Fatal(lang, err)
		}
		kept := 0
		for _, s := range f.Symbols {
			kept += len(s.Name) + len(s.Scope)
		}
		for _, o := range f.Occurrences {
			kept += len(o.Name) + len(o.Qualifier)
		}
		if kept > 10*LongestName || f.Partial == "" || len(f.Symbols) == 0 {
			t.Errorf("%s: %d bytes of names in %d symbols; partial: %q", lang, kept, len(f.Symbols), f.Partial)
		}
	}
}

// TestManyMembers reads a module of very many members in one pass.
func TestManyMembers(t *testing.T) {
	src := "module A\n" + strings.Repeat("  def m; end\n", 60_000) + "end\n"
	cputime.Limit(t, 3*time.Second, "60,000 methods", func() {
		if f, err := Parse(Ruby, []byte(src)); err != nil || len(f.Symbols) < 60_000 {
			t.Error(err)
		}
	})
}
