package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/resolve"
	"codeintel/internal/resolve/cpp"
	"codeintel/internal/resolve/nominal"
	"codeintel/internal/resolve/php"
	"codeintel/internal/resolve/python"
	"codeintel/internal/resolve/ruby"
	"codeintel/internal/resolve/rust"
	"codeintel/internal/resolve/typescript"
	"codeintel/internal/syntax"
	"codeintel/test/cputime"
	"codeintel/test/tier"
)

// A project is a set of texts whose places are marked: ⟦asked⟧ where the thing asked for is declared, ⟨same⟩
// where something means it, ⟪related⟫ where a member related to it is, «likely» where names make it likely,
// ‹unknown› where it may be: that must not be treated as another.
type project struct {
	texts map[string]string
	marks map[resolve.Position]resolve.Relation
	asked resolve.Position
	name  string
}

var relations = map[rune]resolve.Relation{'⟦': resolve.Same, '⟨': resolve.Same, '⟪': resolve.Related, '‹': resolve.Unknown, '«': resolve.Likely}

// add takes the marks out of a text.
func (p *project) add(file, marked string) {
	var b strings.Builder
	line, column := 1, 1
	var at resolve.Position
	var name strings.Builder
	for _, c := range marked {
		switch {
		case relations[c] != "":
			at = resolve.Position{File: file, Line: line, Column: column}
			p.marks[at] = relations[c]
			name.Reset()
			if c == '⟦' {
				p.asked = at
			}
			continue
		case c == '⟧':
			p.name = name.String()
			continue
		case c == '⟩' || c == '⟫' || c == '›' || c == '»':
			continue
		}
		b.WriteRune(c)
		name.WriteRune(c)
		column += len(string(c))
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	p.texts[file] = b.String()
}

// resolver returns a Resolver over the texts.
func (p *project) resolver(t *testing.T) *resolve.Resolver {
	t.Helper()
	r := resolve.New(func(file string) ([]byte, error) {
		text, ok := p.texts[file]
		if !ok {
			return nil, errors.New("no such file")
		}
		return []byte(text), nil
	}, languages...)
	r.Defines = p.containing
	p.update(t, r, 1)
	return r
}

func (p *project) update(t *testing.T, r *resolve.Resolver, version uint64) {
	t.Helper()
	var list []resolve.FileVersion
	for f := range p.texts {
		list = append(list, resolve.FileVersion{Path: f, Version: version})
	}
	if err := r.Update(t.Context(), slices.Values(list)); err != nil {
		t.Fatal(err)
	}
}

var languages = []resolve.Language{cpp.Language{}, python.Language{}, rust.Language{}, typescript.Language{}, nominal.JVM, nominal.CSharp, php.Language{}, ruby.Language{}}

// containing lists the files that the resolver reads and that hold a name.
func (p *project) containing(name string) []string {
	var all []string
	for f, text := range p.texts {
		if strings.Contains(text, name) && understood(f) {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return all
}

// understood reports whether a file is of a language that is resolved.
func understood(file string) bool {
	l := syntax.Detect(file, nil)
	return slices.ContainsFunc(languages, func(o resolve.Language) bool { return slices.Contains(o.Languages(), l) })
}

// question asks for what is marked.
func (p *project) question() resolve.Question {
	return resolve.Question{Targets: []resolve.Position{p.asked}, Name: p.name, FilesContaining: func(name string) ([]string, error) {
		return p.containing(name), nil
	}, Importing: func(string) ([]string, error) { return p.containing(""), nil }}
}

// found lists the places that an answer relates to the question, and of those that it
// says are unknown the marked ones.
func (p *project) found(a *resolve.Answer) map[resolve.Position]resolve.Relation {
	all := map[resolve.Position]resolve.Relation{}
	for _, u := range a.Uses {
		unknown := u.Relation == resolve.Unknown && p.marks[u.Position] == resolve.Unknown
		if u.Relation == resolve.Same || u.Relation == resolve.Related || u.Relation == resolve.Likely || unknown {
			all[u.Position] = u.Relation
		}
	}
	return all
}

// projects splits an archive by the first folder of its files.
func projects(t *testing.T, archive string) map[string]*project {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*project{}
	for _, f := range a.Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		if all[name] == nil {
			all[name] = &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
		}
		all[name].add(rest, string(f.Data))
	}
	return all
}

func TestUses(t *testing.T) {
	for _, archive := range []string{"testdata/cpp.txtar", "testdata/python.txtar", "testdata/rust.txtar", "testdata/script.txtar", "testdata/java.txtar", "testdata/kotlin.txtar", "testdata/csharp.txtar", "testdata/php.txtar", "testdata/ruby.txtar"} {
		for name, p := range projects(t, archive) {
			t.Run(strings.TrimSuffix(path.Base(archive), ".txtar")+"/"+name, func(t *testing.T) {
				a, err := p.resolver(t).Uses(t.Context(), p.question())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(p.marks, p.found(a)); diff != "" {
					t.Errorf("places of %s (-want +got):\n%s", p.name, diff)
				}
			})
		}
	}
}

// A name that nothing in its file declares may be one that a build imports unasked: it is
// not said to mean something else.
func TestImportedUnasked(t *testing.T) {
	unknownAt(t, map[string]string{
		"composables/a.ts": "export const ⟦counter⟧ = { total: 1 };\n",
		"pages/b.ts":       "export const c = counter.total;\n",
	}, resolve.Position{File: "pages/b.ts", Line: 1, Column: 18})
	unknownAt(t, map[string]string{
		"composables/a.ts": "export const counter = { ⟦total⟧: 1 };\n",
		"pages/b.ts":       "export const c = counter.total;\n",
	}, resolve.Position{File: "pages/b.ts", Line: 1, Column: 26})
}

// What a script puts where all can see it, without a declaration, may have any member.
func TestPutThere(t *testing.T) {
	unknownAt(t, map[string]string{
		"a.js": "window.app = { pages: { ⟦start⟧() {} } };\n",
		"b.js": "app.pages.first.start();\n",
	}, resolve.Position{File: "b.js", Line: 1, Column: 17})
	unknownAt(t, map[string]string{
		"a.js": "class Page { ⟦start⟧() {} }\nmodule.exports = Page;\n",
		"b.js": "window.pages.first().start();\n",
	}, resolve.Position{File: "b.js", Line: 1, Column: 22})
}

// What a library gives may be what it was given.
func TestHandedOn(t *testing.T) {
	lib := "class Fault(Exception):\n    def ⟦text⟧(self):\n        pass\n"
	for code, column := range map[string]int{
		"import pytest\nwith pytest.raises(Fault) as info: info.value.text()\n": 47,
		"from web.db import Model\nModel.objects.first().text()\n":              23,
		"import web\nfor x in web.Query(Fault): x.text()\n":                     30,
		"x = 1\ngetattr(x, 'a').text()\n":                                       17,
	} {
		at := resolve.Position{File: "a.py", Line: 2, Column: column}
		unknownAt(t, map[string]string{"lib.py": lib, "a.py": code}, at)
	}
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("lib.py", lib)
	p.add("a.py", "import json, web, os.path\njson.loads('a').text()\nweb.Client().text()\nos.path.join('a').text()\nopen('a').text()\n")
	a, err := p.resolver(t).Uses(t.Context(), p.question())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range a.Uses {
		if u.File == "a.py" && u.Relation != resolve.Other {
			t.Errorf("%v: %s", u.Position, u.Relation)
		}
	}
}

// unknownAt asks for what is marked in some files, and fails unless another place may mean it.
func unknownAt(t *testing.T, files map[string]string, at resolve.Position) {
	t.Helper()
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	for name, marked := range files {
		p.add(name, marked)
	}
	a, err := p.resolver(t).Uses(t.Context(), p.question())
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(a.Uses, func(u resolve.Reference) bool { return u.Position == at }); i < 0 || a.Uses[i].Relation != resolve.Unknown {
		t.Errorf("%v is not unknown: %v", at, a.Uses)
	}
}

// Whatever of the places is asked about, the same places answer.
func TestUsesFromEverywhere(t *testing.T) {
	p := projects(t, "testdata/python.txtar")["members"]
	r := p.resolver(t)
	for at := range p.marks {
		q := p.question()
		q.Targets = []resolve.Position{at}
		a, err := r.Uses(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.marks, p.found(a)); diff != "" {
			t.Errorf("asked at %v (-want +got):\n%s", at, diff)
		}
	}
}

func TestUpdate(t *testing.T) {
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("a.py", "def ⟦f⟧():\n    pass\n")
	p.add("b.py", "from a import ⟨f⟩\n⟨f⟩()\n")
	r := p.resolver(t)
	ask := func() map[resolve.Position]resolve.Relation {
		a, err := r.Uses(t.Context(), p.question())
		if err != nil {
			t.Fatal(err)
		}
		return p.found(a)
	}
	if diff := cmp.Diff(p.marks, ask()); diff != "" {
		t.Fatal(diff)
	}
	p.marks = map[resolve.Position]resolve.Relation{}
	p.add("a.py", "\ndef ⟦f⟧():\n    pass\n")
	p.add("b.py", "from a import ⟨f⟩\ndef g(f):\n    f()\n")
	p.update(t, r, 2)
	if diff := cmp.Diff(p.marks, ask()); diff != "" {
		t.Errorf("after a change (-want +got):\n%s", diff)
	}
	delete(p.texts, "b.py")
	p.update(t, r, 3)
	for at := range ask() {
		if at.File == "b.py" {
			t.Errorf("%v is of a file that has gone", at)
		}
	}
}

func TestBounds(t *testing.T) {
	p := projects(t, "testdata/python.txtar")["members"]
	q := p.question()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	r := p.resolver(t)
	if a, err := r.Uses(over, q); err == nil && (a.Found || !a.Cut || len(a.Uses) > 0) {
		t.Errorf("a question that is over has an answer: %+v", a)
	}
	if a, err := r.Uses(t.Context(), q); err != nil || !a.Found || a.Cut || len(a.Unread) > 0 {
		t.Errorf("after that: %+v, %v", a, err)
	}
	q.Targets = []resolve.Position{{File: "nowhere.py", Line: 1, Column: 1}, {File: "base.py", Line: 900, Column: 1}, {File: "base.py", Line: 1, Column: 900}}
	if a, err := p.resolver(t).Uses(t.Context(), q); err != nil || a.Found {
		t.Errorf("places that are not there: %+v, %v", a, err)
	}
}

// hostile are texts that have no bottom, or only look like code.
func hostile() map[string]string {
	deep := 20000
	return map[string]string{
		"deep.py":     "x = " + strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep),
		"attr.py":     "x = x" + strings.Repeat(".x", deep),
		"call.py":     "def x(): return x()\n" + "x" + strings.Repeat("()", deep),
		"circle.py":   "class x(x): pass\nclass y(z): pass\nclass z(y): pass\nx = y().x.x = z().x",
		"star.py":     "from star import *\nfrom . import *\nfrom .star import x\nx",
		"torn.py":     "class x(:\n  def (self x:\n \"\"\"",
		"deep.ts":     "const x = " + strings.Repeat("[", deep) + "x" + strings.Repeat("]", deep),
		"arrow.ts":    "const x = " + strings.Repeat("(x) => ", deep) + "x",
		"type.ts":     "type x<T> = x<x<T>>; interface y extends z { x: y } interface z extends y {} let x: x<y>; x.x.x",
		"circle.ts":   "export * from './circle'; export { x as x } from './circle'; import { x } from './circle'; x.x",
		"this.ts":     "class x extends x { x = this.x; y() { return this.y().x } }",
		"generic.ts":  "function x<T extends T, U = T>(x: T): U { return x(x(x)) } x(x)(x)",
		"deep.java":   "class x { x y = " + strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep) + "; }",
		"chain.java":  "class x { x x() { return x" + strings.Repeat(".x()", 500) + "; } }",
		"circle.java": "class x extends x { x x = x.x(); x x() { return y().x; } }\nclass y extends z<y> {}\nclass z<x extends x> extends y { x z; }",
		"lambda.java": "class x<x> { var x = x -> y -> x(x, y -> x::x); x x(x x) { return x(x -> x(x)); } }",
		"deep.kt":     "val x = " + strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep),
		"chain.kt":    "fun x() = x" + strings.Repeat(".x { it.x }", 500),
		"circle.kt":   "class x(x: x) : x(x) { val x = x.x; companion object : x { fun x.x() = x(x) } }\ntypealias y = z; typealias z = y; fun <T : T> T.x(x: T.() -> T) = x { x { x { this.x } } }",
		"lambda.kt":   "fun x(x: x.(x) -> x) = x { x -> x { it.x { x(it) } } }\nval x by x { x }\nval x.x get() = if (x is x && x.x !is x) x.x else x as x",
		"torn.kt":     "class x : { fun x( = x?.x { x: x -> x\nenum class x { x, x { x",
		"deep.cs":     "class x { x y = " + strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep) + "; }",
		"circle.cs":   "partial class x : x { x x => x.x(); } partial class x : y<x> {} class y<x> : x where x : x {}",
		"torn.cs":     "namespace x { class x : { x x( => x?.x(x: y => x",
		"torn.java":   "class x extends { x(x x, ) { x.x( -> x }\nenum x { x { x",
		"deep.cc":     "int x = " + strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep),
		"arrow.cc":    "x x(x x) { return x" + strings.Repeat("->x", deep) + "; }",
		"circle.cc":   "class x : y { x x; }; class y : x {}; typedef z z; using z = z; namespace x = x; using x::x; auto q = q.x + x::x::x;",
		"include.cc":  "#include \"include.cc\"\n#include \"x.h\"\n#define x x x(x)\nusing namespace x; x::x x::x() { return x; }",
		"generic.cc":  "template <class T = x<T>> struct x : x<x<T>>, T { x<x<T>> x; T* operator->(); }; x<x<int>> y = y->x->x;",
		"torn.cc":     "class x { void x( { struct x { #if x\nx->",
		"torn.c":      "struct x { struct x { int (*x)(x x; } x; x.x = {.x = {.x",
		"torn.ts":     "interface x { <T>(\nconst x = { ...x, x: { x, [x]: `${x",
		"deep.rb":     "x = " + strings.Repeat("[", deep) + "x" + strings.Repeat("]", deep),
		"circle.rb":   "class X < Y; include X; def x; @x = x; x.x; end; end\nclass Y < X; extend X; include Z; extend Z::X; end\nx = X.new; x = x; x.x",
		"torn.rb":     "class X < ; def x(x, ; x.x do |x x",
		"deep.php":    "<?php $x = " + strings.Repeat("[", deep) + "$x" + strings.Repeat("]", deep) + ";",
		"chain.php":   "<?php $x = $x" + strings.Repeat("->x()", deep) + ";",
		"not.php":     "<?php if (" + strings.Repeat("!", deep) + "$x instanceof x) $x->x();",
		"circle.php":  "<?php class x extends y { use x; function x() { return $this->x()->x; } } class y extends x {} (new x)->x();",
		"doc.php":     "<?php /** @return x<x<x|(x&x)[], array{x: x}> */ function x(x $x = x): x { return x(x(...), x: $x); } x()->x();",
		"arrow.php":   "<?php $x = " + strings.Repeat("fn ($x) => ", deep) + "$x;",
		"torn.php":    "<?php class x { /** @var x<(x */ function x(x { $this->x( use x\\{x as",
	}
}

func TestHostile(t *testing.T) {
	for file, text := range tier.Cases(hostile(), 4) {
		p := &project{texts: map[string]string{file: text}, name: "x"}
		r := p.resolver(t)
		for column := 1; column < 40; column++ {
			p.asked = resolve.Position{File: file, Line: 1, Column: column}
			q := p.question()
			if _, err := r.Uses(t.Context(), q); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
	}
}

func FuzzUses(f *testing.F) {
	for file, text := range hostile() {
		if len(text) < 1000 {
			f.Add(file, text)
		}
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		if !understood(file) || len(text) > 4000 {
			return
		}
		p := &project{texts: map[string]string{file: text}}
		r := p.resolver(t)
		u := r.Unit(file)
		if u == nil {
			return
		}
		for n := range u.Nodes {
			if resolve.IsName(u.Kind(int32(n))) {
				p.asked, p.name = resolve.Spot{Unit: u, Node: int32(n)}.Position(), u.Text(int32(n))
				if _, err := r.Uses(t.Context(), p.question()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func ExampleResolver_Uses() {
	texts := map[string]string{"a.py": "def f(): pass\n", "b.py": "from a import f\nf()\n"}
	r := resolve.New(func(p string) ([]byte, error) { return []byte(texts[p]), nil }, python.Language{}, rust.Language{}, typescript.Language{})
	ctx := context.Background()
	_ = r.Update(ctx, slices.Values([]resolve.FileVersion{{Path: "a.py", Version: 1}, {Path: "b.py", Version: 1}}))
	a, _ := r.Uses(ctx, resolve.Question{Targets: []resolve.Position{{File: "a.py", Line: 1, Column: 5}}, Name: "f", FilesContaining: func(string) ([]string, error) { return []string{"a.py", "b.py"}, nil }})
	for _, u := range a.Uses {
		fmt.Println(u.File, u.Line, u.Column, u.Relation)
	}
	// Output:
	// a.py 1 5 same
	// b.py 1 15 same
	// b.py 2 1 same
}

// Of several things of one name, a type and a value, both are found.
func TestTypeAndValueTogether(t *testing.T) {
	p := &project{texts: map[string]string{
		"types.d.ts": "export interface Tool { next(): Tool }\n",
		"client.ts":  "const Tool = 1;\nuse(Tool);\n",
	}, marks: map[resolve.Position]resolve.Relation{}}
	q := p.question()
	q.Name = "Tool"
	q.Targets = []resolve.Position{{File: "types.d.ts", Line: 1, Column: 18}, {File: "client.ts", Line: 1, Column: 7}}
	a, err := p.resolver(t).Uses(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.found(a)); n != 4 {
		t.Errorf("%d places of an interface and a constant, want 4", n)
	}
}

// What may reach a parameter through ** is among what is possible.
func TestPassedOn(t *testing.T) {
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("a.py", `def paint(⟦color⟧, width=1):
    return color

def other(**kwargs):
    return paint(**kwargs)

def kept(**kwargs):
    return kwargs

class Pen:
    def __init__(self, **kwargs: int):
        paint(**kwargs)

other(color=1)
Pen(color=2)
paint(**{"color": 3})
paint(**dict(color=4))
options = {"color": 5}
options["color"] = 6
paint(**options)
kept(color=7)
kept(**{"color": 8})
{"color": 9}
`)
	a, err := p.resolver(t).Uses(t.Context(), p.question())
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, u := range a.Uses {
		if u.Relation == resolve.Perhaps {
			lines = append(lines, u.Line)
		}
	}
	slices.Sort(lines)
	if want := []int{14, 15, 16, 17, 18, 19}; !slices.Equal(lines, want) {
		t.Errorf("possible on lines %v, want %v", lines, want)
	}
}

// Where an argument itself decides what a type parameter is, it is asked for a form alone: its
// members are its own, and those of the form are possible. What another argument decides, or
// what is written, is meant.
func TestForms(t *testing.T) {
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("a.ts", `interface Box { ⟦size⟧: number; inner?: Box; open?(n: number): void }
declare function limited<T extends Box>(x: T): T;
declare function frozen<T>(x: T): Readonly<T>;
declare function either<T extends Box>(x: T & Box): T;
declare function chosen<T>(x: boolean extends T ? Box : T): void;
declare function pair<T>(x: T, y: T): T;
declare function called<T extends Box>(x: () => T, y: T[]): T;
limited({ size: 1,
  inner: { size: 2 } });
const a: Box = frozen({ size: 3 });
either({ ⟪size⟫: 4 });
chosen({ size: 5 });
pair({ ⟪size⟫: 6 }, a);
limited<Box>({ ⟪size⟫: 7 });
frozen<Box>({ ⟪size⟫: 8,
  inner: { ⟪size⟫: 9 } });
called(() => ({ size: 10 }), []);
const b: Box = { ⟪size⟫: 11 };
limited({ size: 1, open(n) { this.⟨size⟩ } });
`)
	a, err := p.resolver(t).Uses(t.Context(), p.question())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.marks, p.found(a)); diff != "" {
		t.Errorf("places of %s (-want +got):\n%s", p.name, diff)
	}
	var lines []int
	for _, u := range a.Uses {
		if u.Relation == resolve.Perhaps {
			lines = append(lines, u.Line)
		}
	}
	slices.Sort(lines)
	if want := []int{8, 9, 10, 12, 17, 19}; !slices.Equal(lines, want) {
		t.Errorf("possible on lines %v, want %v", lines, want)
	}
}

// TestLongNames resolves nothing in a file whose names, or the paths of names around its members, are longer than
// anyone would write.
func TestLongNames(t *testing.T) {
	members := func(f string) string { return strings.Repeat(f, 2000) }
	for lang, form := range map[syntax.Language]string{
		syntax.PHP: "<?php\nnamespace NAME;\n" + members("function m() {}\n"), syntax.CPP: "namespace NAME {" + members("void m() {}\n") + "}",
		syntax.Ruby: "module NAME\n" + members("def m; end\n") + "end", syntax.CSharp: "namespace NAME;\nclass B {" + members("void m() {}\n") + "}",
		syntax.Kotlin: "package NAME\n" + members("fun m() {}\n"), syntax.Rust: "mod NAME {" + members("fn m() {}\n") + "}",
	} {
		for name, read := range map[string]bool{"Alpha": true, "A" + strings.Repeat("x", 200_000): false} {
			if p := resolve.ParseText(strings.Replace(form, "NAME", name, 1), lang); (p != nil) != read {
				t.Errorf("%s in %.10s: read is %v", lang, name, p != nil)
			}
		}
	}
	names := make([]string, 3000) // as the packages of generated clients import them
	for i := range names {
		names[i] = fmt.Sprintf("ApplicationGatewaySettings%d", i)
	}
	if resolve.ParseText("from .models import (\n    "+strings.Join(names, ",\n    ")+",\n)\n", syntax.Python) == nil {
		t.Error("an import of many names is not read")
	}
	nested := func(n int) string {
		name := "class A" + strings.Repeat("x", n) + " { "
		return strings.Repeat(name, 100) + members("void m() {}\n") + strings.Repeat("}", 100)
	}
	for n, read := range map[int]bool{10: true, 800: false} {
		if p := resolve.ParseText(nested(n), syntax.Java); (p != nil) != read {
			t.Errorf("classes in classes of %d letters: read is %v", n, p != nil)
		}
	}
}

// TestSpecializationsAsBases asks for a method of a specialization whose base is the template itself, with what it is
// given: which specialization that is, is not known, and it may be the same one.
func TestSpecializationsAsBases(t *testing.T) {
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("a.cpp", `template <typename T> struct Group { T t; };
template <typename T> struct formatter { int parse() { return 0; } };
template <typename T> struct formatter<Group<T>> : formatter<T> {
  int ⟦parse⟧() { return 1; }
};
template <typename T> struct formatter<T*> : formatter<T> {
  int parse() { return 2; }
};
int show(formatter<Group<int>> *f, formatter<char*> *g) {
  return f->parse() + g->parse();
}
`)
	a, err := p.resolver(t).Uses(t.Context(), p.question())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.marks, p.found(a)); diff != "" {
		t.Errorf("places of %s (-want +got):\n%s", p.name, diff)
	}
	for _, u := range a.Uses {
		if u.Line == 10 && u.Relation != resolve.Perhaps {
			t.Errorf("line %d: %v", u.Line, u.Relation)
		}
	}
}

// TestThrownIsNoValue asks for a method of a class of which no value can be where another one's method is called:
// what is thrown instead is no value, and neither is a comment.
func TestThrownIsNoValue(t *testing.T) {
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("a.php", `<?php
class Motor { function start() {} }
class Engine { function ⟦start⟧() {} }
function a(?Motor $x) { ($x ?? throw new Fault())->start(); }
function b(int $x) {
    $y = match ($x) {
        1 => new Motor(),
        // nothing else
        default => throw new Fault(),
    };
    $y->start();
}
`)
	a, err := p.resolver(t).Uses(t.Context(), p.question())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range a.Uses {
		if u.Line != 3 && u.Relation != resolve.Other {
			t.Errorf("line %d: %s", u.Line, u.Relation)
		}
	}
}

// TestManyOverloads does not choose between more overloads of a method than anyone would write: each call may be of any.
func TestManyOverloads(t *testing.T) {
	for n, want := range map[int]resolve.Relation{50: resolve.Same, 500: resolve.Unknown} {
		p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
		text := "class A {\n  void ⟦m⟧(T0 a) {}\n"
		for i := range n {
			text += fmt.Sprintf("  void m(T%d a) {}\n", i+1)
		}
		p.add("A.java", text+"  void f(T0 a) { ‹m›(a); }\n}\nclass T0 {}\n")
		a, err := p.resolver(t).Uses(t.Context(), p.question())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(a.Uses, func(u resolve.Reference) bool { return p.marks[u.Position] == resolve.Unknown })
		if i < 0 || a.Uses[i].Relation != want {
			t.Errorf("a call of one of %d: %+v", n, a.Uses)
		}
	}
}

// TestDeepFamily relates a method of a class to that of a class which is derived from it by thousands of steps.
func TestDeepFamily(t *testing.T) {
	var text strings.Builder
	text.WriteString("class C0 { ⟦m⟧() {} }\n")
	for i := 1; i < 3000; i++ {
		fmt.Fprintf(&text, "class C%d extends C%d { m() {} }\n", i, i-1)
	}
	p := &project{texts: map[string]string{}, marks: map[resolve.Position]resolve.Relation{}}
	p.add("a.ts", text.String())
	cputime.Limit(t, 5*time.Second, "3,000 classes, each derived from the one before", func() {
		a, err := p.resolver(t).Uses(t.Context(), p.question())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range a.Uses {
			if u.Line > 1 && u.Relation != resolve.Related {
				t.Fatalf("line %d: %s", u.Line, u.Relation)
			}
		}
		if len(a.Uses) != 3000 {
			t.Errorf("%d places", len(a.Uses))
		}
	})
}
