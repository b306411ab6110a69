package syntax

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/syntax/regexpoutline"
	"codeintel/test/golden"
	"codeintel/test/tier"
)

// A suffix, a file name and a program belong to one language each.
func TestOneOwner(t *testing.T) {
	owner := make(map[string]Language)
	for _, l := range Languages() {
		s := Of(l)
		for kind, list := range map[string]string{"suffix ": s.Extensions, "file ": s.Files, "program ": s.Programs} {
			for name := range strings.FieldsSeq(list) {
				if other, taken := owner[kind+name]; taken {
					t.Errorf("%s%s belongs to %s and to %s", kind, name, other, l)
				}
				owner[kind+name] = l
			}
		}
	}
}

// TestOutlines outlines a small text in each language of the table: those in
// testdata/outlines.txtar, where <language>/want is what is found. Each must be
// there.
func TestOutlines(t *testing.T) {
	const path = "testdata/outlines.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sources, wants := make(map[Language]txtar.File), make(map[Language]string)
	for _, file := range archive.Files {
		language, name, _ := strings.Cut(file.Name, "/")
		if name == "want" {
			wants[Language(language)] = string(file.Data)
		} else {
			sources[Language(language)] = file
		}
	}
	updated := &txtar.Archive{Comment: archive.Comment}
	for _, o := range regexpoutline.Specs() {
		sample := len(updated.Files) // as it was, unless its test runs: others may be filtered out
		if source, ok := sources[o.Name]; ok {
			updated.Files = append(updated.Files, source, txtar.File{Name: string(o.Name) + "/want", Data: []byte(wants[o.Name])})
		}
		t.Run(string(o.Name), func(t *testing.T) {
			source, ok := sources[o.Name]
			if !ok {
				t.Fatal("no sample")
			}
			if got := Detect(source.Name, source.Data); got != o.Name {
				t.Errorf("%s is taken for %q", source.Name, got)
			}
			f, err := Parse(o.Name, source.Data)
			if err != nil || f.Partial != "" {
				t.Fatal(err, f.Partial)
			}
			checkFile(t, f, source.Data)
			got := brief(f)
			updated.Files[sample+1].Data = []byte(got)
			if diff := cmp.Diff(wants[o.Name], got); diff != "" && !golden.Update() {
				t.Errorf("-want +got (go test -update rewrites it):\n%s", diff)
			}
		})
	}
	if golden.Update() {
		if err := os.WriteFile(path, txtar.Format(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOutlineMutations outlines each sample with pieces cut out, doubled, moved
// and broken. What is found must lie in the file.
func TestOutlineMutations(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/outlines.txtar")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, file := range archive.Files {
		language, name, _ := strings.Cut(file.Name, "/")
		if name == "want" {
			continue
		}
		for n := range 50 {
			broken := mutate(file.Data, random)
			f, err := tryParse(Language(language), broken)
			if err != nil {
				t.Fatalf("%s, mutation %d: %v\n%s", language, n, err, keep(t, filepath.Join(t.TempDir(), "broken"), broken))
			}
			checkFile(t, f, broken)
		}
	}
}

// Time is linear in the text, for every row: a square of texts of this size
// would reach the limit on any machine.
func TestOutlineHostile(t *testing.T) {
	const size = 1 << 20
	for _, o := range regexpoutline.Specs() {
		t.Run(string(o.Name), func(t *testing.T) {
			t.Parallel()
			for _, piece := range tier.Sample([]string{"{[(", "(", "f(", "a {\n", "function f(\n", "def f\n", " (* ", "/*\n", "\"", "\x00", "x = {\n", "[a]\n", "{}\n}", "\\\n", "end\n", "sub f {\n", "q{", "s/a", "} x;\n", "{", "'''", "\"\"\"a", "{|", "enum a { b, ", "| A\n", "f(x\n"}, 8) {
				src := []byte(strings.Repeat(piece, size/8/len(piece)))
				f, err := parseTimely(t, o.Name, src)
				if err != nil {
					t.Fatalf("%q: %v", piece, err)
				}
				checkFile(t, f, src)
			}
		})
	}
	long := []byte("sub f { " + strings.Repeat("$a = f(1); ", 10*size/11))
	if f, err := Parse("perl", long); err != nil || len(f.Symbols) != 1 || f.Symbols[0].EndLine != 1 {
		t.Errorf("a line of ten million bytes: %d symbols", len(f.Symbols))
	}
}

// brief lists symbols with their lines and documentation, imports, and calls.
func brief(f *File) string {
	var b strings.Builder
	for _, s := range f.Symbols {
		depth := 0
		for p := s.Parent; p >= 0; p = f.Symbols[p].Parent {
			depth++
		}
		fmt.Fprintf(&b, "%s%s %s %d-%d", strings.Repeat("  ", depth), s.Kind, s.Name, s.StartLine, s.EndLine)
		if !s.Exported {
			b.WriteString(" private")
		}
		fmt.Fprintf(&b, " | %s", s.Signature)
		if s.Doc != "" {
			fmt.Fprintf(&b, " | %q", s.Doc)
		}
		b.WriteByte('\n')
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "import %s %s\n", i.Path, i.Alias)
	}
	var calls []string
	for _, o := range f.Occurrences {
		if o.Role == Call {
			calls = append(calls, fmt.Sprintf("%s@%d", o.Name, o.Line))
		}
	}
	fmt.Fprintf(&b, "calls %s\n", strings.Join(calls, " "))
	return b.String()
}
