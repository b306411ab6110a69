package syntax

import (
	"slices"
	"strings"
	"testing"
)

// TestRecovery breaks code in several ways. What comes after the error is still read,
// and where it is.
func TestRecovery(t *testing.T) {
	sources := map[Language]string{
		Bash:       "one() {\n    echo 1\n    BREAK\n}\n\nfunction two() {\n    echo 2\n}\n\nlast() {\n    two\n}\n",
		C:          "int one(int a)\n{\n    a++;\n    BREAK\n    return a;\n}\n\nstatic int two(void) {\n    return 2;\n}\n\nstruct last {\n    int x;\n};\n",
		CPP:        "namespace n {\nclass A {\n public:\n    int one() {\n        f();\n        BREAK\n        return 1;\n    }\n    int two() { return 2; }\n};\n\nvoid A::three() {\n    two();\n}\n}\n\nint last() {\n    return 1;\n}\n",
		CSharp:     "namespace N\n{\n    public class A\n    {\n        public int One()\n        {\n            F();\n            BREAK\n            return 1;\n        }\n\n        public int two() { return 2; }\n    }\n\n    public class last\n    {\n    }\n}\n",
		Go:         "package p\n\nfunc one() {\n\tf()\n\tBREAK\n}\n\nfunc two() int {\n\treturn 2\n}\n\ntype last struct{}\n",
		Haskell:    "module M where\n\none :: Int -> Int\none x = do\n  f x\n  BREAK\n  g x\n\ntwo :: Int\ntwo = 2\n\n-- | The last.\nlast :: Int -> Int\nlast 0 = 1\nlast x = x\n",
		Java:       "class A {\n    int one() {\n        f();\n        BREAK\n        return 1;\n    }\n\n    int two() {\n        return 2;\n    }\n}\n\nclass last {\n}\n",
		JavaScript: "class A {\n  one() {\n    f()\n    BREAK\n    return 1\n  }\n\n  two() {\n    return 2\n  }\n}\n\nfunction last() {\n  return 1\n}\n",
		Kotlin:     "class A {\n    fun one(): Int {\n        f()\n        BREAK\n        return 1\n    }\n\n    fun two() = 2\n}\n\nfun last() {\n    two()\n}\n",
		Lua:        "local function one()\n  f()\n  BREAK\n  return 1\nend\n\nfunction two()\n  return 2\nend\n\nfunction last()\n  two()\nend\n",
		PHP:        "<?php\nclass A {\n    function one() {\n        f();\n        BREAK\n        return 1;\n    }\n\n    function two() {\n        return 2;\n    }\n}\n\nfunction last() {\n    two();\n}\n",
		Python:     "class A:\n    def one(self):\n        f()\n        BREAK\n        return 1\n\n    def two(self):\n        return 2\n\n\ndef last():\n    return 1\n",
		Ruby:       "class A\n  def one\n    f\n    BREAK\n    1\n  end\n\n  def two\n    2\n  end\nend\n\ndef last\n  1\nend\n",
		Rust:       "impl A {\n    fn one() -> i32 {\n        f();\n        BREAK\n        1\n    }\n\n    fn two() -> i32 {\n        2\n    }\n}\n\nfn last() {\n    two();\n}\n",
		Scala:      "class A {\n  def one: Int = {\n    f()\n    BREAK\n    1\n  }\n\n  def two: Int = {\n    2\n  }\n}\n\nobject last {\n}\n",
		SQL:        "CREATE TABLE one (\n    a integer,\n    BREAK\n    b integer\n);\n\nCREATE TABLE two (\n    c integer\n);\n\nCREATE VIEW last AS\n    SELECT c FROM two;\n",
		Swift:      "class A {\n    func one() -> Int {\n        f()\n        BREAK\n        return 1\n    }\n\n    func two() -> Int {\n        return 2\n    }\n}\n\nfunc last() {\n    two()\n}\n",
		TypeScript: "export class A {\n  one(): number {\n    f()\n    BREAK\n    return 1\n  }\n\n  two(a: string): number {\n    return 2\n  }\n}\n\nexport function last(): void {\n  return\n}\n",
		Zig:        "fn one() void {\n    f();\n    BREAK\n    g();\n}\n\nfn two() void {\n    f();\n}\n\npub fn last() void {\n    two();\n}\n",
	}
	for lang, source := range sources {
		for _, broken := range []string{"}", "{", "if (x {", "(((", "x = \"abc", "<<<<<<< HEAD", "@@ %% $$"} {
			src := []byte(strings.Replace(source, "BREAK", broken, 1))
			f := parsed(t, lang, string(src))
			checkFile(t, f, src)
			for _, want := range []string{"two", "last"} {
				i := slices.IndexFunc(f.Symbols, func(s Symbol) bool { return s.Name == want })
				if i < 0 {
					t.Errorf("%s, %q: no %s, and it says %q", lang, broken, want, f.Partial)
					continue
				}
				s := f.Symbols[i]
				if line := strings.Split(string(src), "\n")[s.NameLine-1]; !strings.HasPrefix(line[s.NameColumn-1:], want) {
					t.Errorf("%s, %q: %s is said to be at %d:%d, which is %q", lang, broken, want, s.NameLine, s.NameColumn, line)
				}
			}
		}
	}
}

// TestRecoverySays that declarations are missing where they are.
func TestRecoverySays(t *testing.T) {
	for _, c := range []struct {
		src, want string
	}{
		{"class A {\n  one() {\n    f(\n  }\n\n  two() {\n    return 2\n  }\n}\n", ""},
		{"a(;\nfunction one(a, {\n  return 1\n}\n", "not read for errors in it: 1 declaration from line 2 on"},
	} {
		if f := parsed(t, JavaScript, c.src); f.Partial != c.want {
			t.Errorf("%q: %q, want %q", c.src, f.Partial, c.want)
		}
	}
}

// TestRecoveryKeepsUses notes the calls in a function that is broken.
func TestRecoveryKeepsUses(t *testing.T) {
	f := parsed(t, Java, "class A {\n    int one() {\n        before();\n        if (x {\n    }\n\n    int two() {\n        return after();\n    }\n}\n")
	for _, want := range []string{"before", "after"} {
		if !slices.ContainsFunc(f.Occurrences, func(o Occurrence) bool { return o.Name == want }) {
			t.Errorf("the use of %s is not noted: %+v", want, f.Occurrences)
		}
	}
}

// TestRecoverySaysNoMore than is missing: macros declare nothing where they are written, and calls
// and initializers are no declarations.
func TestRecoverySaysNoMore(t *testing.T) {
	for _, c := range []struct {
		lang Language
		src  string
	}{
		{CPP, "enum {\n  A,\n#define A A\n  B\n};\n@@ %%\nint c;\n"},
		{CPP, "#define A(n) \\\n  int n(int a) \\\n  { return a; }\n@@ %%\nint c;\n"},
		{CPP, "void f() {\n#define A 1\n  g(A);\n}\n@@ %%\nint c;\n"},
		{CPP, "void f() {\n  each(a, [&](int b) {\n    g(b);\n  });\n}\n@@ %%\nint c;\n"},
		{CPP, "TEST_CASE(\"a\")\n{\n  SECTION(\"b\")\n  {\n    int c;\n  }\n}\n@@ %%\nint c;\n"},
		{CPP, "A::A()\n  : b(1),\n    c(2)\n{ }\n@@ %%\nint c;\n"},
		{CSharp, "class A {\n    public (int, B) C() { return (1, 2); }\n    void F() {\n        new G<int>(a ?? b, c).H();\n    }\n}\n@@ %%\nclass D { }\n"},
		{Bash, "a::b() {\n  echo\n}\nfunction a::c() {\n  echo\n}\nif (( ; then\n"},
		{Scala, "class A {\n  def b_~>|(c: Int): Int = 1\n}\n@@ %%\nclass F\n"},
	} {
		if f := parsed(t, c.lang, c.src); f.Partial != "" {
			t.Errorf("%s, %q: %q", c.lang, c.src, f.Partial)
		}
	}
}
