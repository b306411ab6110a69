package search

import (
	"slices"
	"testing"

	"codeintel/internal/text"
)

// TestPastedDeclarations asks for what people copy out of the code: the declaration, not the name.
func TestPastedDeclarations(t *testing.T) {
	e := open(t, map[string]string{
		"go.mod": "module a\n",
		"a.go": "package a\n\n// Manager has users.\ntype Manager struct{ n int }\n\n" +
			"func (m *Manager) RemoveUser(id string) error { return nil }\n\nfunc NewManager[T any](x T) *Manager { return &Manager{} }\n" +
			"\nfunc (m *Manager) Other(id string) error { return m.RemoveUser(id) }\n",
		"b.cs":    "public record Point(int X, int Y);\nclass Cup {\n  [Test]\n  public int\n    Fill(int a,\n      int b) { return 1; }\n}\n",
		"c.py":    "class Cup:\n    def fill(self): pass\n",
		"d.ts":    "export class Svc { fetchOne() { return 1 } }\nexport const obj = { run() {} };\n",
		"e.c":     "#define TWICE(n) n n\nstatic int fill(enum color c) { return 1; }\n",
		"f.pl":    "sub add_all { my ($x) = @_; return $x; }\n",
		"g.swift": "class Mover {\n  func move(to target: Int) -> Int { return target }\n}\n",
	})
	for asked, want := range map[string]string{
		"func (m *Manager) RemoveUser":                    "Manager.RemoveUser",
		"func (m *Manager) RemoveUser(id string) error {": "Manager.RemoveUser",
		"func (*Manager) RemoveUser":                      "Manager.RemoveUser",
		"func NewManager[T any](x T) *Manager":            "NewManager",
		"type Manager struct {":                           "Manager",
		"public record Point(int X, int Y);":              "Point",
		"public int Fill(int a, int b)":                   "Cup.Fill",
		"def fill(self):":                                 "Cup.fill",
		"export class Svc {":                              "Svc",
		"export const obj = {":                            "obj",
		"#define TWICE(n)":                                "TWICE",
		"static int fill(enum color c) {":                 "fill",
		"sub add_all { my ($x) = @_;":                     "add_all",
		"func move(to target: Int) -> Int {":              "Mover.move",
		"return m.RemoveUser(id)":                         "",
		"x := NewManager(1)":                              "",
		"the user manager":                                "",
	} {
		a, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: asked})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range a.Definitions {
			got = append(got, text.Dotted(d.Scope, d.Name))
		}
		if want == "" && got != nil || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
	}
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "func (m *Manager) RemoveUser(id string) error {"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.References) != 1 || a.References[0].Line != 10 || a.References[0].Confidence != Certain {
		t.Errorf("references by a declaration: %s", a.Text())
	}
}
