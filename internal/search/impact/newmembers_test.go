package impact

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/search"
)

// TestAddedMembers holds what a member that is still to be written touches.
func TestAddedMembers(t *testing.T) {
	a := open(t, map[string]string{
		"go.mod":     "module example.com/m\n\ngo 1.24\n",
		"box.go":     "package m\n\ntype Box struct{ n int }\n\nfunc (b *Box) Put() {}\n\ntype Keeper interface{ Put() }\n",
		"use.go":     "package m\n\nfunc use(b *Box, k Keeper) { b.Put(); k.Put() }\n",
		"py/base.py": "class Base:\n    def run(self):\n        pass\n",
		"py/sub.py":  "from py.base import Base\n\n\nclass Sub(Base):\n    def stop(self):\n        pass\n",
		"py/user.py": "from py.base import Base\n\n\ndef go(b: Base):\n    b.run()\n",
	})
	for _, c := range []struct {
		target string
		kind   string // of the target
		must   string
	}{
		{"Box.Take", newMember, ""},
		{"Box.Take()", newMember, ""},
		{"box.go:Box.Take", newMember, ""},
		{"box.go#Box.Take", newMember, ""},
		{"Box.Put", symbolTarget, "use.go box.go"},
		{"Keeper.Take", symbolTarget, "use.go box.go"}, // who implements it must follow
		{"Base.wait", newMember, ""},
		{"Base.stop", newMember, "py/sub.py"}, // which has one of the name
		{"Nobody.wait", "", ""},
		{"use.wait", "", ""},
		{"Box.go", "", ""},
	} {
		got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{c.target}})
		if c.kind == "" {
			if err == nil {
				t.Errorf("%s: %s", c.target, got.Text())
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		facts := got.Observed()
		if got.Targets[0].Kind != c.kind || strings.Join(facts.MustVerify, " ") != c.must {
			t.Errorf("%s: %s, must %q", c.target, got.Text(), facts.MustVerify)
		}
		if (c.kind == newMember) != (len(facts.Adds) == 1) {
			t.Errorf("%s: observed %+v", c.target, facts)
		}
	}
}

// TestMisspelledMembers holds that a misspelled member is not treated as a new one without a word,
// and one of an enumeration inside not at all.
func TestMisspelledMembers(t *testing.T) {
	a := open(t, map[string]string{
		"a/Combo.java": "class Combo {\n  enum Move { FURY, SLAM }\n  int hits(Move m) { return m == Move.FURY ? 1 : 0; }\n}\n",
		"a/Other.java": "class Other {\n  enum Move { RAGE }\n  int hits() { return 0; }\n}\n",
	})
	for _, c := range []struct{ target, kind, note string }{
		{"Combo.FURY", symbolTarget, ""},
		{"a/Combo.java#Combo.FURY", symbolTarget, ""},
		{"Combo.hit", newMember, "did you mean Combo.hits (method, a/Combo.java:3)?"},
		{"Combo.RAGE", newMember, ""},
	} {
		got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		if text := got.Text(); got.Targets[0].Kind != c.kind || c.note != "" && !strings.Contains(text, c.note) ||
			c.note == "" && strings.Contains(text, "did you mean") {
			t.Errorf("%s: %s", c.target, text)
		}
	}
}

// TestDoubles holds that what a double in a test stands for does not depend on it.
func TestDoubles(t *testing.T) {
	a := open(t, map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"box.go":      "package m\n\ntype Keeper interface{ Put() }\n",
		"use_test.go": "package m\n\ntype fake struct{}\n\nfunc (fake) Put() {}\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"use_test.go"}})
	if err != nil {
		t.Fatal(err)
	}
	if facts := got.Observed(); len(facts.MustVerify) > 0 || !slices.Equal(facts.Should, []string{"box.go"}) {
		t.Errorf("must %v, should %v", facts.MustVerify, facts.Should)
	}
}

// TestTouched holds that a diff that only adds touches nothing, and what another does.
func TestTouched(t *testing.T) {
	before := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"box.go": "package m\n\ntype Box struct {\n\tn int\n\tm int\n}\n\nfunc (b *Box) Put() {}\n",
		"use.go": "package m\n\nfunc use(b *Box) { b.Put() }\n",
	}
	for now, want := range map[string]string{
		"package m\n\ntype Box struct {\n\tn      int\n\tm      int\n\tlonger int\n}\n\nfunc (b *Box) Put() {}\n\nfunc (b *Box) Take() {}\n": "",
		"package m\n\ntype Box struct {\n\tn int\n\tm int\n}\n\nfunc (b *Box) Put() { b.n++ }\n\nfunc (b *Box) Take() {}\n":                  "Box.Put in use.go",
	} {
		a := openChanged(t, before, map[string]string{"box.go": now, "box_test.go": "package m\n\nfunc helper() {}\n"})
		got, err := a.Analyze(t.Context(), Query{Diff: "HEAD"})
		if err != nil {
			t.Fatal(err)
		}
		symbols, files := got.Touched()
		lines := strings.Join(symbols, " ")
		if len(files) > 0 {
			lines += " in " + strings.Join(files, " ")
		}
		if lines != want {
			t.Errorf("touched %q, want %q:\n%s", lines, want, got.Text())
		}
	}
}
