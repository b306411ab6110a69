package codediff

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestWeakened plays the cases of testdata/weakened.txtar, which look like those of
// TestVerdicts. Behind the name stand the tests that can find less, each with how.
func TestWeakened(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/weakened.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		head, want, _ := strings.Cut(f.Name, " =")
		name, file, _ := strings.Cut(head, " @ ")
		t.Run(strings.ReplaceAll(name+"_"+path.Ext(file), " ", "_"), func(t *testing.T) {
			base, text, _ := strings.Cut(string(f.Data), "=====>\n")
			var got []string
			change := File{Path: file, New: []byte(text), Test: !strings.HasPrefix(file, "shop/")}
			if base != "" {
				change.Base = []byte(base)
			}
			for _, w := range Compare([]File{change}, nil).Weakened() {
				got = append(got, w.Test+":"+string(w.How))
			}
			slices.Sort(got)
			if got := strings.Join(got, " "); got != strings.TrimSpace(want) {
				t.Errorf("weakened: %q, want %q", got, strings.TrimSpace(want))
			}
		})
	}
}
