package syntax

import (
	"strings"
	"testing"
)

func TestEmptyBodies(t *testing.T) {
	for _, tt := range []struct {
		lang  Language
		empty string // functions named e… are empty
		full  string // functions named f… are not
	}{
		{Python, "def e1():\n    pass\ndef e2():\n    ...\ndef e3():\n    \"\"\"Doc.\"\"\"\n    raise NotImplementedError\ndef e4():\n    # TODO: write\n    return None\nclass A:\n    def e5(self):\n        raise NotImplementedError('later')\n",
			"def f1():\n    try:\n        x()\n    except E:\n        pass\ndef f2():\n    return None\nclass A:\n    def __init__(self):\n        pass\n    @abstractmethod\n    def f3(self):\n        pass\ndef f4():\n    x = 1  # TODO: better\n    return x\n"},
		{Go, "package p\nfunc e1() { panic(\"not implemented\") }\nfunc e2() error {\n\t// TODO: write\n\treturn nil\n}\nfunc e3() {}\n",
			"package p\nfunc f1() error { return nil }\nfunc f2() { panic(\"bad \" + x) }\nfunc f3() int {\n\t// TODO: faster\n\treturn g()\n}\n"},
		{JavaScript, "function e1() { throw new Error('Not implemented yet'); }\nclass A { e2() {} }\n", "function f1() { return 1 }\nclass A { constructor() {} }\nconst f2 = () => null;\n"},
		{TypeScript, "function e1(): void { /* TODO */ }\n", "function f1(): number { return 2 }\ninterface I { f2(): void }\n"},
		{Rust, "fn e1() { todo!() }\nfn e2() -> i32 { unimplemented!(\"later\"); }\n", "fn f1() -> i32 { 1 }\ntrait T { fn f2(&self); }\n"},
		{Java, "class A { void e1() { throw new UnsupportedOperationException(); } int e2() { // TODO\n return 0; } }\n", "class A { int f1() { return 0; } A() {} }\ninterface I { void f2(); }\n"},
		{CSharp, "class A { void e1() { throw new NotImplementedException(); } int e2() => throw new NotImplementedException(); }\n", "class A { int f1() => 1; A() {} }\n"},
		{PHP, "<?php\nfunction e1() { throw new \\Exception('not implemented'); }\nfunction e2() {}\n", "<?php\nfunction f1() { return null; }\nclass A { function __construct(private int $x) {} }\n"},
		{Ruby, "def e1\nend\ndef e2\n  raise NotImplementedError\nend\n", "def f1\n  nil.to_s\nend\n"},
		{C, "int e1(void) { /* TODO */ return 0; }\nvoid e2(void) {}\n", "int f1(void) { return 0; }\nint f2(void);\n"},
		{C, "void e1(void) { assert(!\"not implemented\"); }\n", "int *f1(void) { return p; }\n"},
		{CPP, "void e1() {}\nstruct A { int e2() { throw std::logic_error(\"not implemented\"); } };\n", "struct A { A() {} ~A() {} };\nB::B() {}\nauto f1 = [] {};\n"},
		{Rust, "fn e1() {}\n", "impl Drop for A { fn drop(&mut self) {} }\nfn f1() { g(|| {}) }\n"},
		{CSharp, "class A { int e1() { throw new NotImplementedException(); } }\n", "class A { int F1 { get { return x; } set { } } }\n"},
		{Ruby, "def e1 = raise(NotImplementedError)\n", "def f1 = 2\n"},
		{Kotlin, "fun e1() {}\nfun e2(): Int {\n    TODO(\"later\")\n}\nfun e3(): Int = TODO()\nfun e4() {\n    // TODO: write\n}\n", "interface I {\n    fun f1()\n}\nfun f2() = 1\nfun f3() {\n    g()\n}\n"},
		{Swift, "func e1() {}\nfunc e2() -> Int {\n    fatalError(\"not implemented\")\n}\n", "protocol P { func f1() }\nfunc f2() -> Int { 1 }\nfunc f3() { g() }\nlet x = { }\n"},
		{Scala, "def e1(): Int = ???\ndef e2(): Unit = {}\n", "trait T { def f1(): Int }\ndef f2 = 1\ndef f3 = { g() }\n"},
		{Lua, "function e1() end\nlocal function e2()\n  error(\"not implemented\")\nend\n", "function f1() return 1 end\nlocal x = function() end\n"},
		{Zig, "fn e1() void {}\nfn e2() i32 {\n    @panic(\"not implemented\");\n}\n", "extern fn f1() void;\nfn f2() i32 {\n    return 1;\n}\n"},
		{Haskell, "e1 = undefined\ne2 x = error \"not implemented\"\n", "f1 = 1\nf2 x = error \"bad\"\nf3 :: Int\n"},
		{Elixir, "defmodule A do\n  def e1(a) do\n    raise \"not implemented\"\n  end\n  def e2(), do: raise \"TODO\"\n  def e3() do\n  end\nend\n", "defmodule A do\n  def f1(a), do: a\n  def f2() do\n    g()\n  end\n  def f3(a)\nend\n"},
		{Go, "package p\nfunc e1() { panic(`unimplemented`) }\n", "package p\nvar f = func() {}\n"},
		{Python, "def e1():\n    raise RuntimeError('not implemented yet')\ndef e2():\n    assert False, 'not implemented'\ndef e3(x):\n    if True:\n        pass\ndef e4(x):\n    print(x)\n    raise NotImplementedError\ndef e5(x):\n    _ = x  # TODO\ndef e6():\n    # later\n    return None\ndef e7():\n    logger.warning('e7 is not implemented')\n",
			"def f1():\n    raise ValueError('todo not found')\ndef f2(x):\n    if check(x):\n        pass\ndef f3(x):\n    # TODO: in colour\n    print(x)\ndef f4(x):\n    while x:\n        x = x.next\ndef f5(x):\n    assert x, 'TODO items must be there'\ndef f6():\n    return None  # the later one wins\n"},
		{Go, "package p\nfunc e1() error { return errors.New(\"not implemented\") }\nfunc e2() (int, error) { return 0, fmt.Errorf(\"e2: not implemented\") }\nfunc e3(x int) {\n\t_ = x // TODO\n}\nfunc e4() {\n\tif true {\n\t}\n}\nfunc e5() { panic(errors.New(\"unimplemented\")) }\n",
			"package p\nfunc f1() error { return errors.New(\"not found\") }\nfunc f2() { fmt.Println(\"done\") }\nfunc f3() {\n\tfor range n {\n\t}\n}\n"},
		{JavaScript, "function e1() { console.log('not implemented') }\nfunction e2() { return Promise.reject(new Error('Not implemented')) }\nfunction e3(a) {\n  if (a) {\n  }\n}\nfunction e4() {\n  // 未実装\n  return null;\n}\n", "function f1() { console.log('done') }\nfunction f2(a) { if (a) { g() } }\nfunction f3() { return 'todo' }\n"},
		{Rust, "fn e1() -> Result<(), String> { Err(\"not implemented\".into()) }\n", "fn f1() -> Result<(), String> { Err(\"not found\".into()) }\n"},
	} {
		t.Run(string(tt.lang), func(t *testing.T) {
			want := 0
			for _, word := range strings.FieldsFunc(tt.empty, func(r rune) bool { return strings.ContainsRune(" \n(){:", r) }) {
				if len(word) == 2 && word[0] == 'e' && word[1] >= '1' && word[1] <= '9' {
					want++
				}
			}
			got := EmptyBodies(tt.lang, []byte(tt.empty))
			if len(got) != want {
				t.Errorf("found %v, want %d", got, want)
			}
			for _, e := range got {
				if !strings.HasPrefix(e.Name, "e") || e.Why == "" || e.StartLine < 1 || e.EndLine < e.StartLine {
					t.Errorf("%+v", e)
				}
			}
			if got := EmptyBodies(tt.lang, []byte(tt.full)); len(got) > 0 {
				t.Errorf("of the full ones: %+v", got)
			}
		})
	}
}
