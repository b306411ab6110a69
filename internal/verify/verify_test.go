package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/problem"
	"codeintel/internal/project"
)

func TestParse(t *testing.T) {
	v, err := Parse("go", []byte("---\nglobs: [\"**/*.go\"]\ncommand: [go, test, ./...]\ntimeout: 5m\nexpect: {exit: 0, output: ok}\n---\nRun it.\n"))
	if err != nil {
		t.Fatal(err)
	}
	v.Content = nil
	want := Verifier{Name: "go", Globs: []string{"**/*.go"}, Command: []string{"go", "test", "./..."}, Timeout: 5 * time.Minute, Expect: Expect{Output: "ok"}, Body: "Run it."}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{
		"no front matter":    "Look at it.\n",
		"empty front matter": "---\n---\nLook at it.",
		"Windows line ends":  "---\r\nglobs: []\r\n---\r\nLook at it.\r\n",
		"a byte order mark":  "\ufeff---\nglobs: []\n---\nLook at it.",
	} {
		v, err := Parse("x", []byte(text))
		if err != nil || v.Body != "Look at it." {
			t.Errorf("%s: body %q, %v", name, v.Body, err)
		}
	}
	for text, want := range map[string]string{
		"---\nglob: x\n---\n":             "field glob not found",
		"---\ncommand: go test\n---\n":    "cannot unmarshal",
		"---\ntimeout: soon\n---\n":       "not a positive duration",
		"---\ntimeout: -1s\n---\n":        "not a positive duration",
		"---\nglobs: [\"[\"]\n---\n":      "malformed",
		"---\ncommand: [\"\", x]\n---\n":  "empty word",
		"---\nexpect: {output: (}\n---\n": "expect.output",
	} {
		if _, err := Parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", text, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	root := t.TempDir()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := Load(p); err != nil || len(all) != 0 {
		t.Errorf("a project without verifiers has %v, %v", all, err)
	}
	dir := filepath.Join(p.Root, ".code-intel", "verifiers")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("b.md", "---\nglobs: [\"*.css\"]\n---\nlook")
	write("a.md", "anything")
	write("notes.txt", "no verifier")
	all, err := Load(p)
	if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" {
		t.Fatalf("Load = %v, %v; want a and b", all, err)
	}
	write("c.md", "---\nglobs: 7\n---\n")
	if all, err := Load(p); len(all) != 2 || problem.Of(err) == nil || !strings.Contains(err.Error(), "c.md") {
		t.Errorf("Load with a broken file = %v, want a problem that names c.md", err)
	}
}

func TestChoose(t *testing.T) {
	all := []Verifier{{Name: "backend", Globs: []string{"**/*.go", "*.py"}}, {Name: "generic"}, {Name: "style", Globs: []string{"web/**"}}}
	got := make(map[string][]string)
	for _, c := range Choose(all, []string{"a/b.go", "deep/er/x.py", "web/a.css", "README.md", "日本語.txt"}) {
		got[c.Name] = c.Files
	}
	want := map[string][]string{"backend": {"a/b.go", "deep/er/x.py"}, "style": {"web/a.css"}, "generic": {"README.md", "日本語.txt"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Choose(all, []string{"a.go"}); len(got) != 1 || got[0].Name != "backend" {
		t.Errorf("the generic verifier was chosen though nothing is left for it: %v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nglobs: [a]\n---\nbody"))
	f.Add([]byte("---\n&a [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) { Parse("x", data) })
}
