package index

import (
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/index/ctags"
)

// TestTagged indexes a file of a language that only ctags knows. The ctags here
// is a script that says what a real one would; without it the file is text.
func TestTagged(t *testing.T) {
	const script = `#!/bin/sh
case "$*" in
*--version*) echo 'Universal Ctags: +interactive +json'; exit ;;
*--list-map-extensions*) echo 'REXX rexx'; exit ;;
*--list-map-patterns*) exit ;;
esac
while IFS= read -r line; do
	size=${line##*size\":}; size=${size%\}}
	dd bs=1 count="$size" >/dev/null 2>&1
	echo '{"_type": "tag", "name": "total", "line": 2, "kind": "subroutine", "end": 3}'
	echo '{"_type": "completed"}'
done
`
	program := filepath.Join(t.TempDir(), "ctags")
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, installed := range []bool{true, false} {
		look := func(string) (string, error) {
			if installed {
				return program, nil
			}
			return "", os.ErrNotExist
		}
		x := newTree(t, map[string]string{"a.rexx": "/* adds up */\ntotal: procedure\n  return 1\n", "b.txt": "total\n"}).open()
		x.tagger = ctags.New(x.p.Root, look, x.log)
		if _, err := x.Sync(t.Context(), SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		found, err := x.Symbols(t.Context(), SymbolQuery{Name: "total"})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(found) == 1 && found[0].Language == "rexx" && found[0].StartLine == 2 && found[0].EndLine == 3; got != installed {
			t.Errorf("installed %v: %+v", installed, found)
		}
	}
}
