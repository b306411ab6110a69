package impact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/search"
)

// closers is a module in which everything is closed, mostly through io.Closer.
func closers(t *testing.T) *Analyzer {
	t.Helper()
	tree := map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.24\n",
		"db/db.go":     "package db\n\ntype DB struct{}\n\nfunc (d *DB) Flush() {}\n\nfunc (d *DB) Close() error {\n\td.Flush()\n\treturn nil\n}\n",
		"near/near.go": "package near\n\nimport \"example.com/m/db\"\n\nfunc Shut(d *db.DB) { d.Close() }\n",
	}
	for i := range 20 {
		tree[fmt.Sprintf("far%02d/far.go", i)] = "package far\n\nimport (\n\t\"io\"\n\n\t\"example.com/m/db\"\n)\n\nvar D db.DB\n\nfunc End(c io.Closer) { c.Close() }\n"
	}
	return open(t, tree)
}

// A caller of a caller goes through no interface that everybody calls: what closes an
// io.Closer is not touched by what one Close calls.
func TestInterfacesDoNotSpread(t *testing.T) {
	a := closers(t)
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"DB.Flush"}, Depth: 3})
	if err != nil {
		t.Fatal(err)
	}
	facts := got.Observed()
	if !slices.Equal(facts.MustVerify, []string{"db/db.go"}) || !slices.Equal(facts.Should, []string{"near/near.go"}) {
		t.Errorf("must %v, should %v", facts.MustVerify, facts.Should)
	}
	if text := got.Text(); !strings.Contains(text, "not followed further") || !strings.Contains(text, "DB.Close") {
		t.Errorf("nothing says what was not followed:\n%s", text)
	}
	// Asked for itself, they should be looked at, but they need no answer.
	if got, err = a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"DB.Close"}}); err != nil {
		t.Fatal(err)
	}
	if facts := got.Observed(); !slices.Equal(facts.MustVerify, []string{"near/near.go"}) || len(facts.Should) != 20 {
		t.Errorf("must %v, should %v", facts.MustVerify, facts.Should)
	}
}

// An analysis has a line a file, and 2,000 tokens unless more is asked for; details
// have every line.
func TestCompact(t *testing.T) {
	tree := map[string]string{"go.mod": "module example.com/m\n", "lib/lib.go": "package lib\n\nfunc Shared() {}\n"}
	for i := range 300 {
		tree[fmt.Sprintf("use%03d/u.go", i)] = "package u\n\nimport \"example.com/m/lib\"\n\nfunc f() {\n" + strings.Repeat("\tlib.Shared()\n", 9) + "}\n"
	}
	a := open(t, tree)
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Shared"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Text(); len(text) > 8000 || got.Shown < 50 || !strings.Contains(text, "calls it (9); lines 6, 7, 8, 9, 10 and 4 more\n") {
		t.Errorf("%d characters, %d files:\n%.600s", len(text), got.Shown, text)
	}
	if got, err = a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Shared"}, Details: true}); err != nil {
		t.Fatal(err)
	}
	if len(got.MustVerify[0].Lines) != 9 {
		t.Errorf("details have lines %v", got.MustVerify[0].Lines)
	}
}

// Where a symbol was asked for and few lines have to do with it, they are shown with what
// is around them, each counted once.
func TestFewLines(t *testing.T) {
	a := open(t, map[string]string{
		"go.mod":   "module example.com/m\n",
		"store.go": "package m\n\ntype Store interface{ Load() int }\n\ntype Disk struct{}\n\nfunc (Disk) Load() int { return 1 }\n",
		"use.go":   "package m\n\nfunc sum(d Disk) int {\n\treturn d.Load() +\n\t\td.Load()\n}\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Load"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "  use.go: calls it (2) [Store.Load, Disk.Load]\n    4: return d.Load() +  (in sum)\n    5: d.Load()  (in sum)\n"
	if text := got.Text(); !strings.Contains(text, want) {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

// Of a name that many things have, each is followed, and the file comes before the lines of
// each that are shown.
func TestManyOfOneName(t *testing.T) {
	files := map[string]string{"go.mod": "module example.com/m\n"}
	for i := range 60 {
		files[fmt.Sprintf("p%d/shut.go", i)] = fmt.Sprintf("package p%d\n\nfunc Shut() {}\n", i)
		files[fmt.Sprintf("u%d/use.go", i)] = fmt.Sprintf(
			"package u%d\n\nimport \"example.com/m/p%d\"\n\nfunc use() { p%d.Shut() }\n", i, i, i)
	}
	a := open(t, files)
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Shut"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Text(); got.TotalMust != 60 || !strings.Contains(text, "and 50 more\n") ||
		!strings.Contains(text, "Shut names 60 things; all were followed") {
		t.Errorf("%d files:\n%.900s", got.TotalMust, text)
	}

	a = open(t, map[string]string{"go.mod": "module example.com/m\n", "a/a.go": "package a\n\nfunc Shut() {}\n",
		"b/b.go": "package b\n\nfunc Shut() {}\n"})
	if got, err = a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Shut"}}); err != nil {
		t.Fatal(err)
	}
	if text := got.Text(); !strings.Contains(text, "  a/a.go\n  3: func Shut() {}\n  b/b.go\n  3: func Shut() {}\n") {
		t.Errorf("got\n%s", text)
	}
}

// Many lines of tests do not hide the lines that must be verified, and behind a mere
// declaration nothing is shown.
func TestManyTestLines(t *testing.T) {
	a := open(t, map[string]string{
		"disk.h":    "class Disk {\n  int Remove(int n);\n  int other;\n};\n",
		"disk.cc":   "#include \"disk.h\"\nint Disk::Remove(int n) { return n; }\n",
		"clean.cc":  "#include \"disk.h\"\nint clean(Disk *d) {\n  if (d->Remove(1) < 0) {\n    return 1;\n  }\n  return 2;\n}\nint last;\n",
		"a_test.cc": "#include \"disk.h\"\nvoid f(Disk *d) {\n" + strings.Repeat("  d->Remove(2);\n", 60) + "}\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Disk.Remove"}})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Text()
	for _, want := range []string{
		"    3: if (d->Remove(1) < 0) {  (in clean)\n    4:   return 1;\n    5: }\n    6: return 2;\n",
		"    2: int Remove(int n);  (in Disk.Remove)\n", "a_test.cc: test that calls it (60)", "lines 3, 4, 5, 6, 7 and 55 more\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"int last", "int other"} {
		if strings.Contains(text, not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
}

// Lines of code give way before files do: where all files fit into an answer, it has all.
func TestAllFilesBeforeLines(t *testing.T) {
	long := strings.Repeat("x", 190)
	files := map[string]string{
		"disk.py":      "class Disk:\n    def remove(self, n):\n        return self.size - n\n",
		"test_disk.py": "from disk import Disk\n\ndef test_" + long + "():\n" + strings.Repeat("    Disk().remove('"+long+"')\n", 24),
	}
	for i := range 5 {
		files[fmt.Sprintf("use%d.py", i)] = "from disk import Disk\n\ndef use():\n    Disk().remove(1)\n"
	}
	a := open(t, files)
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Disk"}})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Text()
	if got.Shown != got.TotalMust+got.TotalShould || strings.Contains(text, "('"+long) || !strings.Contains(text, "    4: Disk().remove(1)  (in use)\n") {
		t.Errorf("%d of %d files:\n%s", got.Shown, got.TotalMust+got.TotalShould, text)
	}
	if n := strings.Count(text, "self.size"); n != 1 {
		t.Errorf("a line of the definition is shown %d times:\n%s", n, text)
	}
}

// A test is of the file that it is called after: the nearest of those of the name, and
// none if two are as near.
func TestTestsByName(t *testing.T) {
	for _, c := range []struct{ test, files, want string }{
		{"tests/test_utils.py", "pkg/utils.py", "pkg/utils.py"},
		{"tests/test_utils.py", "pkg/a/utils.py pkg/b/utils.py", ""},
		{"tests/a/test_utils.py", "pkg/a/utils.py pkg/b/utils.py", "pkg/a/utils.py"},
		{"src/a/index.test.ts", "src/index.ts src/a/index.ts src/b/index.ts", "src/a/index.ts"},
		{"src/a/__tests__/index.test.ts", "src/index.ts src/a/index.ts", "src/a/index.ts"},
		{"src/test/java/org/x/FooTest.java", "src/main/java/org/x/Foo.java src/main/java/org/y/Foo.java", "src/main/java/org/x/Foo.java"},
		{"a/foo_test.go", "a/foo.go b/foo.go", "a/foo.go"},
		{"a/foo_test.go", "b/foo.go", ""},
		{"b/tests/test_x.py", "a/x.py", ""},
	} {
		if got := testedBy(c.test, strings.Fields(c.files)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.test, c.files, got, c.want)
		}
	}
}

// What uses a namespace does not use each file that has a part of it.
func TestFileInNamespace(t *testing.T) {
	a := open(t, map[string]string{
		"cord.h":   "namespace lib {\nclass Cord {\n public:\n  int size();\n};\n}\n",
		"text.h":   "namespace lib {\nint Length(const char *s);\n}\n",
		"user.cc":  "#include \"cord.h\"\nint f(lib::Cord *c) { return c->size(); }\n",
		"other.cc": "#include \"text.h\"\nint g() { return lib::Length(\"x\"); }\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"cord.h"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Text(); !strings.Contains(text, "user.cc") || strings.Contains(text, "other.cc") {
		t.Errorf("got\n%s", text)
	}
}

// What overrides a method through a type between is no mere mention of it, and every line of a
// file that must be verified is told, those that are only possible too.
func TestOverridesThroughOthers(t *testing.T) {
	a := open(t, map[string]string{
		"Item.java":  "class Item {\n  String keys() { return \"\"; }\n}\n",
		"Video.java": "class Video extends Item {\n}\n",
		"Clip.java":  "class Clip extends Video {\n  @Override\n  String keys() { return super.keys(); }\n}\n",
		"Use.java":   "class Use {\n  void one(Item i) { i.keys(); }\n  void two(Unseen u) { u.next().keys(); }\n}\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Item.keys"}})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Text()
	for _, want := range []string{
		"Clip.java: calls it, declares it for a related type\n", "    3: String keys() { return super.keys(); }",
		"Use.java: calls it, may refer to it\n", "    2: void one(Item i)", "    3: void two(Unseen u)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A module whose whole name is in one piece is mentioned by it.
func TestModulesOfPerl(t *testing.T) {
	a := open(t, map[string]string{
		"lib/Shop/Role/Priced.pm": "package Shop::Role::Priced;\nuse Moo::Role;\nsub price { 1 }\n1;\n",
		"lib/Shop/Item.pm":        "package Shop::Item;\nuse Moo;\nwith qw(\n    Shop::Role::Priced\n);\n1;\n",
		"lib/Other/Priced.pm":     "package Other::Priced;\nsub new { 1 }\n1;\n",
		"lib/Other/Item.pm":       "package Other::Item;\nuse Other::Priced;\nmy $p = Other::Priced->new;\n1;\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"Shop::Role::Priced"}})
	if err != nil {
		t.Fatal(err)
	}
	if must := got.Observed().MustVerify; !slices.Equal(must, []string{"lib/Shop/Item.pm"}) {
		t.Errorf("must %v\n%s", must, got.Text())
	}
}
