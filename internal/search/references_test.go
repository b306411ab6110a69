package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A name that nothing defines is shown by its places in the text, as possible; one that
// something defines is too where nothing is known to mean it, unless the word is a common one.
func TestReferencesByText(t *testing.T) {
	e := open(t, map[string]string{
		"a.py":      "import os.path\n\nx = 1  # see remote_call\nmissing = \"remote_call\"\n\n\ndef unused():\n    pass\n\n\ndef spare():\n    pass\n\n\ndef lonely_one():\n    pass\n",
		"docs/a.md": "`unused` and remote_call, or lib.thing. To spare is to save.\n",
	})
	for symbol, want := range map[string][]string{
		"remote_call": {"a.py", "a.py", "docs/a.md"},
		"lib.thing":   {"docs/a.md"},
		"not.thing":   {},
		"unused":      {"docs/a.md"},
		"spare":       {},
		"lonely_one":  {},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Notes) == 0 && len(a.Definitions) > 0 {
			t.Errorf("of %s nothing says where it was looked for", symbol)
		}
		files := []string{}
		for _, r := range a.References {
			files = append(files, r.File)
			if r.Confidence != Possible {
				t.Errorf("%s at %s:%d is %s", symbol, r.File, r.Line, r.Confidence)
			}
		}
		if slices.Sort(files); !slices.Equal(files, want) {
			t.Errorf("%s stands in %q, want %q", symbol, files, want)
		}
	}
}

// Where a name is at a place, but not as code that could be read, the answer shows what
// the text and the name alone tell, and says that it lacks something.
func TestReferencesByPlaceOfText(t *testing.T) {
	e := open(t, map[string]string{
		"a.py": "def load():\n    pass\n\n\ndef run():\n    load()\n    # then load it again\n    lost = 'spread'\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "load", FilePath: "a.py", Line: 7})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || len(a.Definitions) != 0 || a.Total != 3 {
		t.Errorf("complete %v, %d definitions, %d references", a.Complete, len(a.Definitions), a.Total)
	}
	for _, r := range a.References {
		if r.Confidence != Possible {
			t.Errorf("line %d is %s", r.Line, r.Confidence)
		}
	}
	if _, err := e.References(t.Context(), ReferencesQuery{Symbol: "read", FilePath: "a.py", Line: 8}); err == nil {
		t.Error("part of a word is taken for the name")
	}
}

// What is not public at the top of a file of Zig, another file does not mean by that name,
// however near it lies.
func TestFileOnly(t *testing.T) {
	e := open(t, map[string]string{
		"a.zig": "const std = @import(\"std\");\npub const limit = 1;\nconst top = std.math.max;\n",
		"b.zig": "const std = @import(\"std\");\nconst a = @import(\"a.zig\");\nconst x = std.mem;\nconst y = a.limit;\n",
	})
	for place, want := range map[int][]string{1: {"a.zig:3"}, 2: {"b.zig:4"}} {
		name := map[int]string{1: "std", 2: "limit"}[place]
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: name, FilePath: "a.zig", Line: place})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, r.File+":"+strconv.Itoa(r.Line))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is used at %q, want %q", name, got, want)
		}
	}
}

// A member that a type has from another is found by the type's name too, and the answer
// says where it is declared.
func TestInherited(t *testing.T) {
	e := open(t, map[string]string{
		"go.mod":      "module m\n",
		"a.go":        "package m\n\ntype Base struct{ Size int }\n\nfunc (Base) Grow() {}\n\ntype Box struct{ Base }\n\nfunc use(b Box) { b.Grow(); b.Size++ }\n",
		"base.py":     "class App:\n    def __init__(self):\n        self.config = 1\n\n    def run(self):\n        return self.config\n",
		"web.py":      "from base import App\n\n\nclass Flask(App):\n    pass\n",
		"b/Base.java": "package b;\n\npublic class Base { public void open() {} int width; }\n",
		"b/Shut.java": "package b;\n\nclass Shut extends Base { void go() { open(); width = 2; } }\n",
		"c.cs":        "namespace C { class Top { public int Depth; } class Low : Top { } }\n",
		"d.php":       "<?php\ntrait Speaks { public function say() {} }\nclass Dog { use Speaks; }\n",
		"e.rb":        "class Animal\n  def feed; end\nend\n\nclass Cat < Animal\nend\n",
		"f.ts":        "export class Shape { area() { return 0 } }\nexport class Round extends Shape {}\n",
		"g.hpp":       "struct Node { int weight; };\nstruct Leaf : Node {};\n",
	})
	for symbol, want := range map[string]string{
		"Box.Grow":      "a.go:5",
		"Box.Size":      "a.go:3",
		"Flask.config":  "base.py:3",
		"web.Flask.run": "base.py:5",
		"Shut.open":     "b/Base.java:3",
		"Shut.width":    "b/Base.java:3",
		"Low.Depth":     "c.cs:1",
		"Dog::say":      "d.php:2",
		"Cat#feed":      "e.rb:2",
		"Round.area":    "f.ts:1",
		"Leaf::weight":  "g.hpp:1",
		"Flask.missing": "",
	} {
		a, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: symbol, ExactMatch: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]Definition{a.Definitions, r.Definitions} {
			got := ""
			if len(list) > 0 {
				got = span(list[0].File, list[0].Line, 0)
			}
			if got != want || len(list) > 1 {
				t.Errorf("%s is declared at %s (%d places), want %s", symbol, got, len(list), want)
			}
		}
		if want != "" && (len(a.Notes) == 0 || len(r.Notes) == 0) {
			t.Errorf("nothing says where %s is from", symbol)
		}
	}
}

// A class that many files declare before they use it, and other classes of its name that
// have methods of the same name, are distinguished as well as if there were few.
func TestReferencesOfManyDefinitions(t *testing.T) {
	files := map[string]string{
		"node.h": "#include <vector>\nnamespace n {\nclass Node {\n public:\n  Node();\n  Node(int);\n  int size();\n};\n}\n",
		"use.cc": "#include \"node.h\"\nint use(n::Node *at, std::vector<int> *all) {\n  return at->size() + all->size();\n}\n",
	}
	for i := range 14 {
		n := strconv.Itoa(i)
		files["f"+n+".h"] = "namespace n {\nclass Node;\nstruct S" + n + " {\n  int size();\n};\n}\n"
	}
	e := open(t, files)
	for symbol, want := range map[string]string{"Node": "use.cc:2 certain", "size": "use.cc:3 certain"} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol, Where: Where{Path: "use.cc"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, r.File+":"+strconv.Itoa(r.Line)+" "+string(r.Confidence))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", symbol, s, want)
		}
	}
}

// A name alone means everything that is called so: what the index has no definition of,
// such as a member of an object, is possible, and so are members of what is unknown.
func TestReferencesOfNamesakes(t *testing.T) {
	e := open(t, map[string]string{
		"a.js": "export function start() {\n  return 1\n}\nexport function make() {\n  return { start, stop: start }\n}\n",
		"b.js": "import { make } from './a.js'\nmake().start()\nexport function f(unknown, start) {\n  unknown.start()\n  return start\n}\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "start", Where: Where{Path: "b.js"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.References {
		got = append(got, strconv.Itoa(r.Line)+" "+string(r.Confidence))
	}
	if s := strings.Join(got, ", "); s != "2 possible, 4 possible" {
		t.Errorf("got %s", s)
	}
}

// A class of the name that is only announced, or whose definition could not be read, is
// another thing, but of that name.
func TestReferencesOfAnnounced(t *testing.T) {
	e := open(t, map[string]string{
		"a.hpp": "class Node { int x; };\ninline int f(Node* n);\n",
		"b.hpp": "namespace N {\nclass Node;\nint g(Node* n);\n}\n",
		"c.cpp": "#include \"b.hpp\"\nint N::g(Node* n) { return 0; }\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "Node"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.References {
		got = append(got, r.File+":"+strconv.Itoa(r.Line)+" "+string(r.Confidence))
	}
	want := "a.hpp:2 certain, b.hpp:2 possible, b.hpp:3 possible, c.cpp:2 possible"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

// A type of a trait that a macro declares is possible wherever a type parameter has it.
func TestReferencesThroughMacro(t *testing.T) {
	e := open(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\n",
		"src/lib.rs": "make! {\n    pub trait Graph {\n        type Node;\n    }\n}\npub struct L;\nimpl Graph for L {\n    type Node = u32;\n}\n" +
			"fn find<G: Graph>(source: G::Node) {}\nfn more<G>(source: G::Node) where G: Graph {}\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "Node"})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]bool{}
	for _, r := range a.References {
		lines[r.Line] = true
	}
	if !lines[10] || !lines[11] {
		t.Errorf("lines %v", lines)
	}
}

// A type is found in the documentation comments of files whose code does not name it.
func TestReferencesInDocumentation(t *testing.T) {
	e := open(t, map[string]string{
		"lib/option.js":  "class Option {\n  constructor() { this.flags = 1; }\n}\nmodule.exports = { Option };\n",
		"lib/command.js": "const lib = require('./option.js');\n/**\n * @param {import('./option.js').Option} option\n */\nfunction add(option) { return option.flags; }\nmodule.exports = { add };\n",
		"lib/other.js":   "/** @param {Optional} a an Option that is none */\nfunction f(a) {}\n// Option\n",
		"src/note.ts":    "/** See {@link Shape}, @deprecated */\nexport const a = 1;\n",
		"src/shape.ts":   "export interface Shape {}\n",
	})
	for symbol, want := range map[string][]string{"Option": {"lib/option.js:4", "lib/command.js:3"}, "Shape": {}} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, r := range a.References {
			if r.Confidence == Certain {
				got = append(got, r.File+":"+strconv.Itoa(r.Line))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s is used at %q, want %q", symbol, got, want)
		}
	}
}

// A line that has the name several times is shown once, with how often: the number of
// references and what is shown agree.
func TestTimesOnALine(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n\nfunc f(n int) int { return n }\n\nvar x = f(f(1)) + f(2)\nvar y = f(3)\n"})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Text(); a.Total != 4 || !strings.Contains(got, "5: var x = f(f(1)) + f(2)  (in x)  (3 times)") || strings.Contains(got, "f(3)  (in y)  (") {
		t.Errorf("%d references:\n%s", a.Total, got)
	}
}

// A function that is declared within another is used by what is there, and not by
// what hides it or has its name elsewhere; what is only local is shown as possible.
func TestNestedFunctions(t *testing.T) {
	e := open(t, map[string]string{
		"a.lua": "local function outer()\n  local function inner(x) return x end\n  inner(1)\n  return inner(2)\nend\n" +
			"local function other(inner)\n  return inner(3)\nend\n",
		"b.lua":   "it('one', function()\n  local function check(x) return x end\n  check(1)\nend)\nit('two', function()\n  local function check(x) return x end\n  check(2)\nend)\n",
		"c.swift": "func around() {\n  func within(_ x: Int) -> Int { return x }\n  within(1)\n}\n",
		"d.scala": "object D {\n  def around(): Int = {\n    def deeper(x: Int) = x\n    deeper(1)\n  }\n}\n",
		"e.hs":    "module E where\nouterE x = innerE x + innerE 2\n  where innerE y = y\n",
		"f.go":    "package f\n\nfunc outerF() int {\n\tinnerF := func(x int) int { return x }\n\treturn innerF(1)\n}\n",
	})
	for _, c := range []struct {
		q    ReferencesQuery
		want string
	}{
		{ReferencesQuery{Symbol: "inner"}, "a.lua:3 certain, a.lua:4 certain"},
		{ReferencesQuery{Symbol: "check", FilePath: "b.lua", Line: 2}, "b.lua:3 likely"},
		{ReferencesQuery{Symbol: "check", FilePath: "b.lua", Line: 6}, "b.lua:7 likely"},
		{ReferencesQuery{Symbol: "within"}, "c.swift:3 certain"},
		{ReferencesQuery{Symbol: "deeper"}, "d.scala:4 certain"},
		{ReferencesQuery{Symbol: "innerE"}, "e.hs:2 possible, e.hs:2 possible, e.hs:3 possible"},
		{ReferencesQuery{Symbol: "innerF"}, "f.go:4 possible, f.go:5 possible"},
		{ReferencesQuery{Symbol: "some.innerF"}, ""},
	} {
		a, err := e.References(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, r.File+":"+strconv.Itoa(r.Line)+" "+string(r.Confidence))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.q.Symbol, s, c.want)
		}
	}
}

// What a library declares is possible where the project only has a block for it, however it
// is brought in, and certain where it is asked for by the name of the library.
func TestReferencesToLibrary(t *testing.T) {
	e := open(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"x\"\n",
		"src/imp.rs": "use http::{Method, Uri};\n\nimpl crate::Named for Method {}\n",
		"src/lib.rs": "use axum::http::Method;\n\nfn a(m: Method) -> bool {\n    m == Method::GET || m == http::Method::HEAD\n}\n",
		"src/own.rs": "use other::Method;\n\nfn b(m: Method) {}\n",
	})
	for symbol, want := range map[string]string{
		"Method": "src/imp.rs:1 possible, src/lib.rs:1 possible, src/lib.rs:3 possible, src/lib.rs:4 possible, " +
			"src/own.rs:1 possible, src/own.rs:3 possible",
		"http::Method": "src/imp.rs:1 likely, src/imp.rs:3 certain, src/lib.rs:1 likely, src/lib.rs:3 certain, " +
			"src/lib.rs:4 certain, src/lib.rs:4 likely, src/own.rs:1 possible",
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		slices.Sort(got)
		if got := strings.Join(slices.Compact(got), ", "); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", symbol, got, want)
		}
	}
}

// A name by itself means everything of the name: a member of what is not known too, in a
// language that is not inferred; and a function is one though its name is in brackets.
func TestReferencesToAnyMember(t *testing.T) {
	e := open(t, map[string]string{
		"a.zig":     "test \"imports\" {}\n",
		"build.zig": "pub fn build(b: *B) void {\n    b.add(.{ .imports = &.{} });\n}\n",
		"api.h":     "API num (check) (state *L);\n",
		"use.c":     "#include \"api.h\"\nnum f(state *L) { return check(L); }\n",
	})
	for symbol, want := range map[string]string{"imports": "build.zig:2 possible", "check": "use.c:2 certain"} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		if got := strings.Join(got, ", "); got != want || len(a.Definitions) != 1 {
			t.Errorf("%s: %s, %d definitions", symbol, got, len(a.Definitions))
		}
	}
}

// An argument that is passed by name to what is not known may be any parameter of that name,
// and neither a member nor a local of another function.
func TestReferencesToParameter(t *testing.T) {
	e := open(t, map[string]string{
		"made.py": "def build(frozen=False):\n    return frozen\n\n\ndef local():\n    frozen = 1\n    return frozen\n",
		"use.py":  "def run(call):\n    call(frozen=1)\n    call.frozen = 2\n",
	})
	for line, want := range map[int]string{1: "made.py:2 certain, use.py:2 possible", 6: "made.py:7 certain"} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: "frozen", FilePath: "made.py", Line: line})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("line %d: %s", line, got)
		}
	}
}

// Of a method that the language itself calls, no answer says that nothing uses it.
func TestReferencesWithoutAName(t *testing.T) {
	e := open(t, map[string]string{
		"a.php": "<?php\nclass Box implements ArrayAccess {\n    public function offsetGet($k) {}\n    public function open() {}\n}\n",
		"b.php": "<?php\nclass Bag implements ArrayAccess { public function offsetGet($k) {} public function open() {} }\necho (new Box())['a'];\n",
		"c.py":  "class Box:\n    def __getitem__(self, k):\n        pass\n\n\nBox()[1]\n",
	})
	for symbol, want := range map[string]string{
		"Box.offsetGet":   "offsetGet may also be called without its name, as in $x[…]; such places are not listed",
		"Box.__getitem__": "__getitem__ may also be called without its name, as in x[…]; such places are not listed",
		"Box.open":        "nothing in 3 files uses it; open appears in 1 other place, where it means something else",
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Notes) != 1 || a.Notes[0].String() != want {
			t.Errorf("%s: %v", symbol, a.Notes)
		}
	}
}

// Where uses lie outside of what was asked for, no answer says that there are none.
func TestReferencesOutside(t *testing.T) {
	e := open(t, map[string]string{"a.py": "def sum_up():\n    pass\n\n\nsum_up()\n", "b.ts": "export const x = 1;\n"})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "sum_up", Where: Where{Path: "b.ts"}})
	if err != nil || len(a.Notes) != 1 || a.Notes[0].String() != "1 use is outside of what was asked for" {
		t.Error(a.Notes, err)
	}
}

// What comes after a reader of Ruby is used by both of its names.
func TestReferencesBehindAReader(t *testing.T) {
	e := open(t, map[string]string{"a.rb": "class Box\n  attr_reader :size\n  def initialize(size)\n    @size = size\n  end\n" +
		"  def grow\n    @size += size\n  end\nend\nBox.new(1).size\n"})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "Box.size"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, r := range a.References {
		lines = append(lines, r.Line)
	}
	if want := []int{4, 7, 7, 10}; !slices.Equal(lines, want) {
		t.Errorf("size stands on lines %v, want %v", lines, want)
	}
}

// What one class of Ruby alone has is likely where nothing else is known of a receiver.
func TestReferencesByUniqueName(t *testing.T) {
	e := open(t, map[string]string{"a.rb": "class Box\n  def fold; end\n  def size; end\nend\n",
		"b.rb": "def go(box, list)\n  box.fold\n  box.size\n  list.size\n  Box.new.size\nend\n"})
	for symbol, want := range map[string][]string{"Box.fold": {"2 likely"}, "Box.size": {"5 certain", "3 likely", "4 possible"}} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, fmt.Sprintf("%d %s", r.Line, r.Confidence))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: references %q, want %q", symbol, got, want)
		}
	}
}

// Calls pass a parameter by its name, in Swift by the one for callers; what is called alike
// elsewhere is possible.
func TestReferencesPassedByName(t *testing.T) {
	e := open(t, map[string]string{
		"a.swift": "class Box {\n  func send(to target: Int, limit: Int) -> Int { return target }\n  init(size: Int) {}\n" +
			"  func plain(_ a: Int) -> Int { let limit = a; return limit }\n}\n",
		"b.swift": "let b = Box(size: 1)\nb.send(\n  to: f(to: 1, \"a)\"),\n  limit: 2)\nb.plain(a: 1, limit: 2)\nsend(1)\nother(to: 1)\n",
		"c.scala": "object N {\n  def fold[A](zero: A)(step: A): A = step\n}\n",
		"d.scala": "object M {\n  val a = N.fold[Int](zero = 1)(\n    step = 2)\n  val b = N.fold(step == 2)(zero)\n}\n",
		"e.rb":    "def send_to(limit:) = limit\nsend_to(limit: 1)\nsend_to({ limit: 2 })\nother(limit: 1)\n",
	})
	for _, c := range []struct {
		name, file string
		line       int
		want       string
	}{
		{"target", "a.swift", 2, "[a.swift:2 certain b.swift:3 likely]"},
		{"limit", "a.swift", 2, "[b.swift:4 likely]"},
		{"size", "a.swift", 3, "[b.swift:1 likely]"},
		{"a", "a.swift", 4, "[a.swift:4 certain]"},
		{"limit", "a.swift", 4, "[a.swift:4 certain]"},
		{"zero", "c.scala", 2, "[d.scala:2 likely]"},
		{"step", "c.scala", 2, "[c.scala:2 certain d.scala:3 likely]"},
		{"limit", "e.rb", 1, "[e.rb:1 certain e.rb:2 certain]"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: c.name, FilePath: c.file, Line: c.line})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s of %s:%d: references %v, want %s", c.name, c.file, c.line, got, c.want)
		}
	}
}

// In a language of which no classes are known, a method that is called by its bare name in
// another class may be one that this inherits; not where it has one of its own.
func TestReferencesByBareName(t *testing.T) {
	e := open(t, map[string]string{
		"lib/a.dart": "class Animal {\n  void walk() {}\n}\n\nextension More on Animal {\n  void run() {\n    walk();\n  }\n}\n",
		"lib/b.dart": "class Dog extends Animal {\n  void bark() {\n    walk();\n  }\n}\n",
		"lib/c.dart": "class Tour {\n  void walk() {}\n  void start() {\n    walk();\n  }\n}\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "Animal.walk"})
	if err != nil {
		t.Fatal(err)
	}
	got := surePlaces(a.References)
	if want := []string{"lib/a.dart:7 possible", "lib/b.dart:3 possible"}; !slices.Equal(got, want) {
		t.Errorf("references %q, want %q", got, want)
	}
}

// places says where references stand.
func places(list []Reference) (all []string) {
	for _, r := range list {
		all = append(all, fmt.Sprintf("%s:%d", r.File, r.Line))
	}
	return all
}

// surePlaces says how sure they are besides.
func surePlaces(list []Reference) (all []string) {
	for _, r := range list {
		all = append(all, fmt.Sprintf("%s:%d %s", r.File, r.Line, r.Confidence))
	}
	return all
}
