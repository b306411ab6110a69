package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRepairC(t *testing.T) {
	for _, c := range []struct{ what, in, gone string }{
		{"a macro alone", "DEFINE_SIZE(a, b)\nint f(void) { return 1; }\n", "DEFINE_SIZE(a, b)"},
		{"over several lines", "int x;\nDEFINE(a,\n  \")\")\nint y;\n", "DEFINE(a,|\")\")"},
		{"without arguments, in a class", "class A {\n  Q_OBJECT\npublic:\n};\n", "Q_OBJECT"},
		{"before another one", "struct A {\n  Q_OBJECT\n  Q_PROPERTY(int a)\n};\n", "Q_OBJECT|Q_PROPERTY(int a)"},
		{"behind a remark", "int x; // (as in b)\nclass A {\n  A();\n  DEFINE(a)\n  NOTHING()\n};\n", "DEFINE(a)|NOTHING()"},
		{"with a path", "int x;\nDEFINE(a::b)\nint y;\n", "DEFINE(a::b)"},
		{"a label", "DEFINE(a:\nb)\nint y;\n", "DEFINE(a:|b)"},
		{"a test", "TEST(Set, Empty)\n{\n}\n", ""},
		{"a statement", "int f() {\n  FOREACH(a, b)\n    g(a);\n}\n", ""},
		{"part of a statement", "int a =\n  MAX(1, 2)\n  + 1;\n", ""},
		{"type above a function", "HRESULT\nOpen(int a) { return 0; }\nMY_TYPE\nf(int a) { return 0; }\n", ""},
		{"macro in a macro", "#define A \\\n  DEFINE(a) \\\n  int b;\nint c;\n", ""},
		{"in comments and strings", "/*\nDEFINE(a)\nint b;\n*/\nauto s = R\"x(;\nDEFINE(b)\nint c;)x\";\n", ""},
		{"attribute", "enum A { B [[deprecated(\"x\")]], C };\n", "[[deprecated(\"x\")]]"},
		{"index by a lambda", "int a = b[[x] { return x; }()];\n", ""},
		{"export of a class", "class MY_API A final : B {};\nclass MY_API C;\n", "MY_API|MY_API"},
		{"before a type", "MY_API Stream& operator>>(Stream&, Value&);\n", "MY_API"},
		{"between type and name", "bool MY_API parse(int a);\n", "MY_API"},
		{"before a constructor", "class A { MY_EXPLICIT A(int); MY_EXPLICIT operator bool() const; };\n", "MY_EXPLICIT|MY_EXPLICIT"},
		{"before a constructor elsewhere", "MY_INLINE n::A<T>::A(int b): c(b) {}\nMY_INLINE T &A::operator*() const {}\n", "MY_INLINE|MY_INLINE"},
		{"given no statement", "void f() {\n  CHECK(a == b);\n  int c = MAX(1, 2);\n}\n", ""},
		{"given a block", "void f() {\n  CHECK_DIES({ g(); }, \"why\");\n}\n", "CHECK_DIES(|, \"why\")"},
		{"behind a field", "struct A { int a GUARDED(b); };\n", "GUARDED(b)"},
		{"before a pointer's name", "const T* my_nonnull get();\n", "my_nonnull"},
		{"before a parameter", "int f(UNUSED int a, T b);\n", "UNUSED"},
		{"name in brackets", "MY_API my_int (f) (int a);\nint (g)(int a);\nint (*h) (int a);\n", "MY_API|(|)"},
		{"enumerators", "enum E : int {\n  OPT(A, LONG, 1),\n#if B\n  OPT(B, f(2)),\n#endif\n};\nenum F { LIST(X), X(A, 1) X(B, 2) };\n",
			"OPT(|, LONG, 1)|OPT(|, f(2))"},
		{"in lower case", "static my_inline void f(int a) { }\n", "my_inline"},
		{"convention", "typedef int (WINAPI *F)(int);\n", "WINAPI"},
		{"pointer to a member", "void f(int (A::*g)(int));\n", "A::"},
		{"attribute of a compiler", "int f(void) __attribute__((pure));\n", "__attribute__((pure))"},
		{"behind a comparison in a type", "enable_if<(N == 0), A>::type f() {}\nMY_API n::A g(int a);\n", "MY_API"},
		{"behind a comparison", "enable_if<N == 0, A>::type f() {}\nMY_API n::A g(int a);\n", "MY_API"},
		{"half a function", "int f(\n#ifdef A\n  int a)\n#else\n  void)\n#endif\n{ return 1; }\n", "#ifdef A|#else|  void)|#endif"},
		{"half a list", "A::A() :\n#if B\n  b(1),\n#endif\n  c(2) {}\n", "#if B|#endif"},
		{"nothing of it", "#if 0\n  if (a) {\n#endif\nint b;\n", "#if 0|if (a) {|#endif"},
		{"else in a branch", "void f() {\n  if (a) { }\n#if B\n  else if (c) { }\n#endif\n}\n", "#if B|#endif"},
		{"what follows a condition", "void f() {\n  if (a)\n#if B\n    b();\n#else\n    c();\n#endif\n}\n", "#if B|#else|#endif"},
		{"more of a condition", "void f() {\n  if (a\n#if B\n    && b\n#else\n    && c\n#endif\n  ) d();\n}\n", "#if B|#else|#endif"},
		{"whole branches", "#ifdef A\nint a;\n#else\nlong a;\n#endif\nenum E { B,\n#if C\n  D,\n#endif\n};\n", ""},
		{"comment in a macro", "#define A /* a */ 1\n", "/* a */"},
		{"behind a namespace", "namespace a MY_VISIBILITY(b) {\n  MY_BEGIN\n  class A {};\n}\ninline namespace c::d MY_API\n{\n}\n", "MY_VISIBILITY(b)|MY_BEGIN|MY_API"},
		{"namespaces alone", "namespace MY_NS {\n}  // namespace MY_NS\n\nTEST(A, B) {\n}\nnamespace a { void f() {\n  LOOP(b)\n    g();\n} }\n", ""},
		{"begins with an underscore", "__BEGIN_DECLS\n\ntypedef int a;\n_B_END(c)\nint d;\n", "__BEGIN_DECLS|_B_END(c)"},
		{"defined as itself", "enum E {\n  A, /* a */\n#define A A\n  B\n# define B  B /* b */\n};\n#define C C\n", "#define A A|# define B  B /* b */"},
		{"enumerators of a file", "typedef enum {\n  #define A(b, _) C_##b,\n  #include \"d.h\"\n  #undef A\n} E;\n#define F(g) g\n#include \"h.h\"\n",
			"#define A(b, _) C_##b,|#include \"d.h\"|#undef A"},
		{"nothing odd", "static const unsigned long a = 1; A b(int c, D d) { return E; } A::~A() {} A::operator B() const {}\n", ""},
		{"structs in capitals", "struct MY_S a = {1};\nstruct MY_S f(void) { }\n", ""},
	} {
		want := c.in
		for _, part := range strings.Split(c.gone, "|") {
			want = strings.Replace(want, part, strings.Repeat(" ", len(part)), 1)
		}
		if got := string(Of(CPP).Repaired([]byte(c.in))); got != want {
			t.Errorf("%s:\n got  %q\n want %q", c.what, got, want)
		}
	}
	if got := string(Of(CPP).Repaired([]byte("void f() {\n  DIES(A r(1));\n}\n"))); got != "void f() {\n       A r(1) ;\n}\n" {
		t.Errorf("given a declaration: %q", got)
	}
	if got := string(Of(CPP).Repaired([]byte("MY_API(long)\nopen(int a);\n"))); got != "int         \nopen(int a);\n" {
		t.Errorf("the type above a function, as an argument: %q", got)
	}
	if got := string(Of(CPP).Repaired([]byte("signals:\n  void f();\nprivate slots:\n"))); got != "public: \n  void f();\nprivate      :\n" {
		t.Errorf("Qt: %q", got)
	}
}

// What a macro alone on its line comes before is found, and so is the macro.
func TestMacroLines(t *testing.T) {
	f, err := Parse(C, []byte("DEFINE_SIZE(small, \"text\")\nDEFINE_SIZE(large, 2)\n\nstatic int after(void)\n{\n\treturn small;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Symbols) != 1 || f.Symbols[0].Name != "after" {
		t.Errorf("symbols: %+v", f.Symbols)
	}
	if got := roles(f, "DEFINE_SIZE"); got != "call call" {
		t.Errorf("DEFINE_SIZE: %s", got)
	}
	if got := roles(f, "text"); got != "" {
		t.Errorf("text: %s", got)
	}
}

// TestConventions finds the names of types of functions behind macros that hold their star.
func TestConventions(t *testing.T) {
	src := "typedef void (APIENTRYP A) (int a);\ntypedef T (EGLAPIENTRYP B)(void);\nint f(MY_TYPE a);\nCALL(MY_TYPE a)(b);\n"
	f, err := Parse(C, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range f.Symbols {
		names = append(names, string(s.Kind)+" "+s.Name)
	}
	if diff := cmp.Diff([]string{"type A", "type B", "function f"}, names[:min(3, len(names))]); diff != "" {
		t.Errorf("symbols (-want +got):\n%s", diff)
	}
}

// The names in the text of a macro are found whatever its comments, and text for an
// assembler, hold, and stand where it is said.
func TestMacroText(t *testing.T) {
	src := "#define A(x) \\\n  /* we don't */ \\\n  go(x); \\\n  asm(\"a' \\\n  b\"); \\\n  c = '\\'' + go(2) ' \\\n  go(3)\n"
	f, err := Parse(C, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, o := range f.Occurrences {
		if o.Name == "go" {
			lines = append(lines, o.Line)
		}
	}
	if diff := cmp.Diff([]int{3, 6, 7}, lines); diff != "" {
		t.Errorf("lines of go (-want +got):\n%s", diff)
	}
}
