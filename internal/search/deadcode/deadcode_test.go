package deadcode

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// TestFind holds what is found against the comment of each archive in testdata, whose lines
// are "FILE NAME CONFIDENCE USERS".
func TestFind(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			find := open(t, a)
			answer, err := find.Find(t.Context(), Query{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range answer.Symbols {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", s.File, s.Name, s.Confidence, strings.Join(s.UsedBy, " "))))
			}
			want := strings.Split(strings.TrimSpace(string(a.Comment)), "\n")
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if !answer.Complete {
				t.Errorf("incomplete: %v", answer.Missing)
			}
		})
	}
}

// open lays out the files of an archive and returns what answers about them.
func open(t *testing.T, a *txtar.Archive) *Finder {
	t.Helper()
	root := t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(p, x, search.New(p, x))
}
