package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/text"
)

func TestRepair(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"interface A<in out T, out U> {}", "interface A<       T,     U> {}"},
		{"interface A<\n  in\n  T> {}", "interface A<\n    \n  T> {}"},
		{"interface A {\n  a(): B\n  <T>(): C\n}", "interface A {\n  a(): B\n ;<T>(): C\n}"},
		{"type A = {\n  a: B\n\n  // why\n\t(): C\n}", "type A = {\n  a: B\n\n  // why\n;(): C\n}"},
		{"interface A {\na: B\n(): C\n}", "interface A {\na: B\n(): C\n}"},
		{"function f() {\n  a\n  (b)\n}", "function f() {\n  a\n  (b)\n}"},
		{"interface A { f: (\n  x: T) =>\n  (y: U) => V }", "interface A { f: (\n  x: T) =>\n  (y: U) => V }"},
	} {
		got := string(Of(TypeScript).Repaired([]byte(c.in)))
		if got != c.want {
			t.Errorf("Repair(%q) = %q, want %q", c.in, got, c.want)
		}
		if len(got) != len(c.in) || strings.Count(got, "\n") != strings.Count(c.in, "\n") {
			t.Errorf("Repair(%q) moves places", c.in)
		}
		if src := []byte(c.in); len(src) > 0 && &Of(JavaScript).Repaired(src)[0] != &src[0] {
			t.Errorf("Repair rewrites JavaScript")
		}
	}
}

// TestRepairKotlin reads classes whose constructors have annotations and visibility of
// their own, on lines of their own: what follows is still read.
func TestRepairKotlin(t *testing.T) {
	for _, head := range []string{
		"@Inject internal constructor(val a: A)", "@Inject constructor(val a: A)", "@A @Inject\nprivate\nconstructor(val a: A)",
		"@Named(\"a b\") internal constructor(val a: A)", "@A(1) @B(2) constructor(val a: A)", "internal constructor(val a: A)",
		"internal actual constructor(val a: A)", "@Inject\n    internal actual constructor(val a: A)",
	} {
		src := "class First<T : Any>\n    " + head + " : Base() {\n    fun one() = a.two()\n}\n\nfun after() {}\n\nclass Last\n"
		f := parsed(t, Kotlin, src)
		var names []string
		for _, s := range f.Symbols {
			names = append(names, s.Name)
		}
		for _, want := range []string{"First", "a", "one", "after", "Last"} {
			if !slices.Contains(names, want) {
				t.Errorf("%q: %q is not among %q", head, want, names)
			}
		}
		if !strings.Contains(head, "@B") && strings.Contains(head, "Inject") && !slices.ContainsFunc(f.Occurrences, func(o Occurrence) bool { return o.Name == "Inject" }) {
			t.Errorf("%q: the annotation is lost", head)
		}
	}
}

// TestRepairKotlinAnnotations reads what follows a class that is nothing but annotations and a name.
func TestRepairKotlinAnnotations(t *testing.T) {
	for _, head := range []string{
		"@Mark\n@Note(Kind.ONE, text = f(2))\nclass One\n", "@Mark @Note(1) @Last(\"a b\")\npublic annotation class One // x\n",
		"@Mark\n@Note(1) interface One\n",
	} {
		for _, next := range []string{"sealed class Two {\n    fun go() {}\n}\n", "/** a */\n@Mark @Note(1) class Two\nprivate fun go() {}\n"} {
			f := parsed(t, Kotlin, head+"\n"+next)
			var names []string
			for _, s := range f.Symbols {
				names = append(names, s.Name)
			}
			if !slices.Equal(names, []string{"One", "Two", "go"}) {
				t.Errorf("%q: %q", head+next, names)
			}
			for _, want := range []string{"Mark", "Note"} {
				if !slices.ContainsFunc(f.Occurrences, func(o Occurrence) bool { return o.Name == want && o.Line <= 2 }) {
					t.Errorf("%q: %s is lost", head+next, want)
				}
			}
		}
	}
	f := parsed(t, Kotlin, "class Out {\n    @Mark\n    @Note(1)\n    class One\n\n    class Two {\n        fun go() {}\n    }\n}\n")
	if len(f.Symbols) != 4 || f.Symbols[3].Scope != "Out.Two" {
		t.Errorf("within a class: %v", f.Symbols)
	}
}

// TestRepairKotlinDelegates reads the members of a class that hands others on to what a name stands for: the body is
// no function that this is called with. Properties that do keep theirs.
func TestRepairKotlinDelegates(t *testing.T) {
	for _, head := range []string{
		"class A(val u: L = l(1)) : Log, L by u", "object A : L by u", "internal class A<T>(private val m: Map<String, T>) :\n    Map<String, T> by m",
		"class A : L by u, M by v ",
	} {
		f := parsed(t, Kotlin, head+" {\n    fun one() { four(\"a $five\", \"${six}\") }\n    val two: L by lazy { it.three() }\n}\n")
		got := map[string]string{}
		for _, s := range f.Symbols {
			got[s.Name] = string(s.Kind) + " " + s.Scope
		}
		if got["one"] != "method A" || got["two"] != "property A" || got["three"] != "" {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// TestRepairKotlinNames reads what is named as an accessor or a modifier on a line behind a property, and
// leaves accessors alone.
func TestRepairKotlinNames(t *testing.T) {
	for _, line := range []string{"set = set or b", "set(1, b)", "get(f(2)).g()", "get()", "set.add(b)", "set[0] = b", "set += b", "get() == b",
		"open = b", "open.add(b)", "inline?.add(b)", "sealed[0] = b", "open += b", "final++", "open && b.c()"} {
		f := parsed(t, Kotlin, "class A {\n    fun one() {\n        val b = 1\n        "+line+"\n        two(b)\n    }\n}\n\nfun after() {}\n")
		name := strings.FieldsFunc(line, func(c rune) bool { return c < 'a' })[0]
		i := slices.IndexFunc(f.Occurrences, func(o Occurrence) bool { return o.Name == name && o.Line == 4 })
		if i < 0 || len(f.Symbols) != 3 || f.Symbols[1].Scope != "A" {
			t.Errorf("%q: %v, %v", line, f.Symbols, f.Occurrences)
		}
	}
	f := parsed(t, Kotlin, "class A {\n    var b: Int\n        get() = c\n        set(value) { d(value) }\n    var e = 1\n        private set\n}\n")
	for _, o := range f.Occurrences {
		if o.Name == "get" || o.Name == "set" {
			t.Errorf("an accessor is taken for a name: %v", o)
		}
	}
}

// TestRepairKotlinNot reads names behind a negation that begin as the words is and in do.
func TestRepairKotlinNot(t *testing.T) {
	f := parsed(t, Kotlin, "fun f(a: A) {\n    if (a.b &&\n        !isOpen(a) || !inner.c) return\n    if (a !is B) return\n}\n")
	for _, want := range []string{"isOpen", "inner", "c", "B"} {
		if !slices.ContainsFunc(f.Occurrences, func(o Occurrence) bool { return o.Name == want }) {
			t.Errorf("%s is lost", want)
		}
	}
}

// TestRepairKotlinModifiers reads classes behind an annotation whose modifiers could be
// names: they keep their kinds, their signatures and who may see them.
func TestRepairKotlinModifiers(t *testing.T) {
	for head, want := range map[string]Symbol{
		"annotation class B":                         {Kind: Interface, Exported: true},
		"expect object B {\n    fun one()\n}":        {Kind: Class, Exported: true},
		"actual class B {\n    fun one() = 1\n}":     {Kind: Class, Exported: true},
		"private abstract class B { fun one() = 1 }": {Kind: Class},
		"open class B protected constructor() {\n}":  {Kind: Class, Exported: true},
		"internal data class B(val a: Int)":          {Kind: Class, Exported: true},
		"sealed interface B {\n    fun one()\n}":     {Kind: Interface, Exported: true},
		"enum class B { ONE, TWO }":                  {Kind: Enum, Exported: true},
	} {
		for _, before := range []string{"@A\n", "@A(x = [1, 2])\n", "@A(\n    C(D.ONE),\n)\n", "val a = f()\n@A "} {
			f := parsed(t, Kotlin, "package p\n\n"+before+head+"\n\nfun after() {}\n")
			i := slices.IndexFunc(f.Symbols, func(s Symbol) bool { return s.Name == "B" })
			if i < 0 || !slices.ContainsFunc(f.Symbols, func(s Symbol) bool { return s.Name == "after" }) {
				t.Errorf("%q: %v", before+head, f.Symbols)
				continue
			}
			s := f.Symbols[i]
			if s.Kind != want.Kind || s.Exported != want.Exported || !strings.HasPrefix(head, s.Signature) || s.Signature == "" {
				t.Errorf("%q: %s %q, exported %v", before+head, s.Kind, s.Signature, s.Exported)
			}
			if !slices.ContainsFunc(f.Occurrences, func(o Occurrence) bool { return o.Name == "A" }) {
				t.Errorf("%q: the annotation is lost", before+head)
			}
		}
	}
}

// TestRepairedParts reads what is repaired in the scripts of components too.
func TestRepairedParts(t *testing.T) {
	const code = "type Maker<out T> = {\n  label: string\n\n  (n: number): T\n}\ninterface Pool<in out T> {\n  size: number\n  <U>(make: () => U): U\n}\nexport class After { close() {} }\n"
	for lang, src := range map[Language]string{
		TypeScript: code,
		TSX:        code,
		Vue:        "<script lang=\"ts\">\n" + code + "</script>\n<template><p/></template>\n",
		Svelte:     "<script lang=\"ts\">\n" + code + "</script>\n<p/>\n",
	} {
		f, err := Parse(lang, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Maker", "label", "Pool", "size", "After", "close"} {
			i := slices.IndexFunc(f.Symbols, func(s Symbol) bool { return s.Name == want })
			if i < 0 {
				t.Errorf("%s: no symbol %s", lang, want)
				continue
			}
			s := f.Symbols[i]
			if line := strings.Split(src, "\n")[s.NameLine-1]; !strings.HasPrefix(line[s.NameColumn-1:], want) {
				t.Errorf("%s: %s is said to be at %d:%d, which is %q", lang, want, s.NameLine, s.NameColumn, line)
			}
			if want == "Pool" && !strings.Contains(s.Signature, "in out T") {
				t.Errorf("%s: the signature %q is not the source's", lang, s.Signature)
			}
		}
	}
}

// TestRepairHostile: what opens and never closes takes no longer than its length.
func TestRepairHostile(t *testing.T) {
	for _, part := range []string{"{", "interface A ", "type A = {", "<in ", "`", "`\\", "'\\", "/*", "< /*", "interface A {((({}{}", "interface A {\n a: B\n <"} {
		src := bytes.Repeat([]byte(part), (1<<20)/len(part))
		if got := Of(TypeScript).Repaired(src); len(got) != len(src) {
			t.Errorf("%q repeated: %d bytes of %d", part, len(got), len(src))
		}
	}
}

// TestRepairKotlinWhere reads a value that is called where, behind a lambda.
func TestRepairKotlinWhere(t *testing.T) {
	f := parsed(t, Kotlin, "class A {\n    fun f() {\n        b { }\n        where?.let { }\n        c?.let { +\"d\" }\n    }\n    fun g() {}\n}\n")
	var got []string
	for _, s := range f.Symbols {
		got = append(got, s.Name)
	}
	if want := []string{"A", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("symbols %q, want %q", got, want)
	}
}

// TestRepairKotlinModifier reads calls of functions that have the name of a modifier.
func TestRepairKotlinModifier(t *testing.T) {
	f := parsed(t, Kotlin, "fun f() {\n    open(\"a\").now()\n    val x = 1\n    if (x) final(2)\n}\nopen class A {\n    internal constructor(a: Int)\n    private fun g() {}\n}\n")
	var calls []string
	for _, o := range f.Occurrences {
		if o.Role == Call {
			calls = append(calls, o.Name)
		}
	}
	if want := []string{"open", "now", "final"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

// TestRepairKotlinExpected reads functions of several platforms behind an annotation.
func TestRepairKotlinExpected(t *testing.T) {
	f := parsed(t, Kotlin, "@A\nactual fun one() { two() }\n\n@A(b(1))\nexpect fun two()\n\n@A\nactual inline fun three() = 3")
	var got []string
	for _, s := range f.Symbols {
		got = append(got, s.Name)
	}
	if want := []string{"one", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("functions %q, want %q", got, want)
	}
	f = parsed(t, Kotlin, "actual open class Jar\ninternal actual constructor(\n    @JvmName(\"of\")\n    actual fun Tea.jar(cups: Int): Jar =\n"+
		"      commonJar(cups)\n     * is not Kotlin [at all].\n")
	if !slices.ContainsFunc(f.Symbols, func(s Symbol) bool { return s.Name == "Jar" && s.Kind == Class }) {
		t.Errorf("an error behind an annotated function hides the class: %v", f.Symbols)
	}
}

// TestRepairCSharp reads heads in two forms before one body, and what follows them.
func TestRepairCSharp(t *testing.T) {
	const src = "namespace N {\n#if A\npublic sealed class Shop : I {\n#else\npublic class Shop {\n#endif\n" +
		"  string path = @\"c:\\\";\n  string text = \"\"\"{ \"a\" \"\"\";\n  char quote = '\"';\n" +
		"#if A\n  public Task Close(int hour)\n#else\n  public void Close(int hour, string why)\n#endif\n  { Open(hour); }\n" +
		"  public int Open(int hour) => hour;\n#if B\n  public int Both() { return 1; }\n#else\n  public int Both2() { return 2; }\n#endif\n}\n" +
		"class After { void Last() {} }\n}\n"
	f, err := Parse(CSharp, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range f.Symbols {
		got = append(got, text.Dotted(s.Scope, s.Name))
	}
	want := "N N.Shop N.Shop.path N.Shop.text N.Shop.quote N.Shop.Close N.Shop.Open N.Shop.Both N.Shop.Both2 N.After N.After.Last"
	if strings.Join(got, " ") != want {
		t.Errorf("symbols %s\nwant    %s", strings.Join(got, " "), want)
	}
	for _, part := range []string{"#if A\n{", "@\"", "\"\"\"", "#if a\n#else\n(", "'\"", "@\"\"\""} {
		hostile := append([]byte("#if\n"), bytes.Repeat([]byte(part), (1<<19)/len(part))...)
		if got := Of(CSharp).Repaired(hostile); len(got) != len(hostile) {
			t.Errorf("%q repeated: %d bytes of %d", part, len(got), len(hostile))
		}
	}
}

// TestRepairHaskell reads what only one branch of conditional compilation declares, and
// leaves branches that would not be code one behind the other as they are.
func TestRepairHaskell(t *testing.T) {
	src := "module M where\n\n#if A\nimport X (one)\n\n#  if B\ntype T = Int\n#  else\ntype T = Word\n\ntwo :: T\ntwo = 2\n#  endif\n#else\nimport Y\n\n" +
		"one :: Int -> Int\none x = x\n\n-- | The third.\nthree :: T\n#ifdef C\nthree = 3\n#elif D\nthree = 4\n#else\nthree = 5\n#endif\n#endif\n\n" +
		"four :: Int -> Int\nfour x\n#if A\n  = x\n#else\n  = x + 1\n#endif\n\nfive :: Int\nfive =\n#if A\n  one (\n#else\n  two (\n#endif\n    1)\n\nlast :: Int\nlast = 6\n"
	f := parsed(t, Haskell, src)
	var names []string
	for _, s := range f.Symbols {
		names = append(names, fmt.Sprintf("%s %d-%d", s.Name, s.StartLine, s.EndLine))
	}
	want := []string{"M 1-1", "T 7-7", "T 9-9", "two 11-12", "one 17-18", "three 21-27", "four 31-34", "five 39-46", "last 48-49"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
	if f.Partial != "" {
		t.Errorf("said to be partial: %s", f.Partial)
	}
}

// TestRepairSwift reads what says something about ownership, lifetimes and memory: what is around it is still
// read, with its own words.
func TestRepairSwift(t *testing.T) {
	for _, odd := range []string{
		"struct Odd<E: ~Copyable>: ~Copyable {}", "struct Odd<E>: P, ~Copyable, ~Escapable where E: Q & ~Copyable {}",
		"@_lifetime(&self)\n  mutating func odd() -> Int { 1 }", "@lifetime(borrow self)\n  func odd() -> Int { 1 }",
		"func odd(a: borrowing A, _ b: consuming B, c: __owned C) {}",
		"consuming func odd() { let a = consume self; use(a) }", "public consuming func odd() -> Int { 1 }",
		"package func odd() {}", "package static let odd = 1", "func odd() throws(E) { throw E() }",
		"func odd() -> Int { return unsafe p.pointee }", "func odd() { let a = copy b; f(copy a, unsafe p[1]) }",
		"consuming func odd() { discard self }",
	} {
		src := "struct First {\n  " + odd + "\n  func after() { next() }\n}\n\nfinal class Last {\n  func end() {}\n}\n"
		f := parsed(t, Swift, src)
		scopes := map[string]string{}
		for _, s := range f.Symbols {
			scopes[strings.ToLower(s.Name)] = s.Scope
			if strings.ToLower(s.Name) == "odd" && !strings.Contains(odd, s.Signature) && !strings.HasPrefix(odd, "@") {
				t.Errorf("%q: its signature is %q", odd, s.Signature)
			}
		}
		for name, scope := range map[string]string{"first": "", "odd": "First", "after": "First", "last": "", "end": "Last"} {
			if got, ok := scopes[name]; !ok || got != scope {
				t.Errorf("%q: %s is in %q (%v), want %q", odd, name, got, ok, scope)
			}
		}
		if f.Partial != "" {
			t.Errorf("%q: %s", odd, f.Partial)
		}
	}
	if src := "let a = flags & ~Mask.all\nlet package = 1\nlet unsafe = package\nfunc copy(a: Int) {}\n"; len(parsed(t, Swift, src).Symbols) != 4 {
		t.Errorf("plain words are read otherwise: %v", parsed(t, Swift, src).Symbols)
	}
}

// TestRemarkOnAnnotation reads the head of a class behind a remark on its annotation.
func TestRemarkOnAnnotation(t *testing.T) {
	for language, tt := range map[Language][2]string{
		Kotlin: {"@Mark(\"a:b\") // why\ninternal class One : Base {\n  fun a() {}\n}\n", "internal class One : Base"},
		Java:   {"@Mark // why\nclass One extends Base {\n  void a() {}\n}\n", "class One extends Base"},
	} {
		if f := parsed(t, language, tt[0]); len(f.Symbols) != 2 || f.Symbols[0].Signature != tt[1] {
			t.Errorf("%s: %+v", language, f.Symbols)
		}
	}
}
