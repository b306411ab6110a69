package syntax

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/test/golden"
)

// TestDefinitionSamples reads code of the forms that make definitions found missing once,
// without the ctags that found them. Behind each file is what it declares: the line,
// the kind and the name of each symbol.
func TestDefinitionSamples(t *testing.T) {
	const path = "testdata/definitions.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	languages := map[Language]bool{}
	var again []txtar.File
	for i := 0; i < len(archive.Files); i++ {
		file := archive.Files[i]
		if strings.HasSuffix(file.Name, ".symbols") {
			continue
		}
		want := ""
		if i+1 < len(archive.Files) && archive.Files[i+1].Name == file.Name+".symbols" {
			want = string(archive.Files[i+1].Data)
		}
		lang := Detect(file.Name, file.Data)
		languages[lang] = true
		f := parsed(t, lang, string(file.Data))
		checkFile(t, f, file.Data)
		var b strings.Builder
		if f.Partial != "" {
			fmt.Fprintf(&b, "partial: %s\n", f.Partial)
		}
		for _, s := range f.Symbols {
			fmt.Fprintf(&b, "%d %s %s\n", s.NameLine, s.Kind, strings.TrimPrefix(s.Scope+"."+s.Name, "."))
		}
		again = append(again, file, txtar.File{Name: file.Name + ".symbols", Data: []byte(b.String())})
		if diff := cmp.Diff(want, b.String()); diff != "" && !golden.Update() {
			t.Errorf("%s: -want +got (go test -update rewrites it):\n%s", file.Name, diff)
		}
	}
	if len(languages) < 12 {
		t.Errorf("%d languages", len(languages))
	}
	if golden.Update() {
		archive.Files = again
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
