package index

import (
	"errors"
	"strings"
	"testing"

	"codeintel/internal/problem"
)

func TestEachFileChunks(t *testing.T) {
	body := strings.Repeat("\tprintln(\"one of many lines that make a chunk\")\n", 6)
	twice := "\nfunc init() {\n" + body + "}\n"
	tr := newTree(t, map[string]string{
		"a.go": "package a\n\nfunc F() {\n" + body + "}\n\nfunc G() {\n" + body + body + "}\n",
		"b.go": "package a\n" + strings.Repeat("\nvar filler = `"+strings.Repeat("x", 200)+"`\n", 1) + twice + twice,
	})
	x := tr.synced()
	var paths []string
	seen := make(map[string]ChunkInfo)
	err := x.EachFileChunks(t.Context(), func(path string, chunks []ChunkInfo) error {
		paths = append(paths, path)
		for _, c := range chunks {
			seen[c.ID] = c
			found, err := x.ChunksByText(t.Context(), path, c.Fingerprint)
			if err != nil {
				return err
			}
			if len(found) == 0 || found[0].Fingerprint != c.Fingerprint || found[0].Symbol != c.Symbol {
				t.Errorf("%s is not found by its text: %+v", c.ID, found)
			}
		}
		return nil
	})
	if err != nil || strings.Join(paths, " ") != "a.go b.go" || len(seen) < 5 {
		t.Fatalf("%v, %v, %d chunks", paths, err, len(seen))
	}
	for _, path := range paths {
		texts, err := x.ChunkTexts(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range texts {
			if c.Text == "" || seen[c.ID].Symbol != c.Symbol {
				t.Errorf("%s: %q", c.ID, c.Text)
			}
			delete(seen, c.ID)
		}
	}
	if len(seen) != 0 {
		t.Errorf("chunks without text: %v", seen)
	}

	stop := errors.New("enough")
	n := 0
	if err := x.EachFileChunks(t.Context(), func(string, []ChunkInfo) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("an error does not end it: %v after %d", err, n)
	}
	// Texts are those of now: a chunk whose text has changed is left out.
	tr.write("a.go", "package a\n\nfunc F() {\n"+strings.Replace(body, "one", "two", 1)+"}\n\nfunc G() {\n"+body+body+"}\n")
	texts, err := x.ChunkTexts(t.Context(), "a.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range texts {
		if c.Symbol == "F" {
			t.Errorf("a text that is no longer the chunk's: %q", c.Text)
		}
	}
	if _, err := x.ChunkTexts(t.Context(), "none.go"); problem.Of(err) == nil {
		t.Errorf("no such file: %v", err)
	}
	if _, err := x.ChunksByText(t.Context(), "a.go", "zz"); problem.Of(err) == nil {
		t.Errorf("no fingerprint: %v", err)
	}
	if found, err := x.ChunksByText(t.Context(), "a.go", "0000000000000000"); err != nil || len(found) != 0 {
		t.Errorf("a text that is not there: %v, %v", found, err)
	}
}
