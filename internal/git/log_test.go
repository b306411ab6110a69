package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnreadableDate reads a history with a commit whose date is no number of 64 bits.
func TestUnreadableDate(t *testing.T) {
	p := play(t)
	who := "t <t@example.com> 99999999999999999999 +0000\n"
	commit := "tree " + p.git("rev-parse", "HEAD^{tree}") + "\nparent " + p.git("rev-parse", "HEAD") + "\nauthor " + who + "committer " + who + "\nx\n"
	p.write("commit", commit)
	id := p.git("hash-object", "-w", "-t", "commit", "--literally", "commit")
	if err := os.WriteFile(filepath.Join(p.GitDir, "refs/heads/main"), []byte(id+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := p.Newest(t.Context(), id, 10)
	if err != nil || len(list) != 2 || list[0] != (Stamp{ID: strings.TrimSpace(id)}) {
		t.Errorf("%v, %v", list, err)
	}
	about, err := p.Describe(t.Context(), []string{id})
	if err != nil || len(about) != 1 || about[0].Time != 0 {
		t.Errorf("%v, %v", about, err)
	}
}
