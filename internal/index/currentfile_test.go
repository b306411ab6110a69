package index

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/problem"
)

// TestFileNow looks at a file before it is in the index, when it is, and when it has
// changed since: the answer is of the text on disk each time.
func TestFileNow(t *testing.T) {
	tr := newTree(t, map[string]string{"a.go": "package a\n\nfunc A() {}\n", "b.go": "package a\n", "x.bin": "\x00\x01\x02"})
	x := tr.open()
	look := func(path string) (FileInfo, []Symbol, error) {
		l, err := x.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.File(t.Context(), path)
	}
	info, symbols, err := look("a.go")
	if err != nil || len(symbols) != 1 || symbols[0].Name != "A" || info.Lines != 3 {
		t.Fatalf("before the index is built: %v %v %v", info, symbols, err)
	}
	if all, _ := x.Files(t.Context()); len(all) != 0 {
		t.Errorf("looking at a file indexed %d", len(all))
	}
	if _, err := x.Sync(t.Context(), SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	if built, same, err := look("a.go"); err != nil || !cmp.Equal(info, built) || !cmp.Equal(symbols, same) {
		t.Errorf("when it is built: %v %v %v", built, same, err)
	}
	tr.write("a.go", "package a\n\n// B is longer.\nfunc B() {}\n")
	if _, symbols, err := look("a.go"); err != nil || len(symbols) != 1 || symbols[0].Name != "B" {
		t.Errorf("when it is edited: %v %v", symbols, err)
	}
	tr.remove("a.go")
	for _, path := range []string{"a.go", "x.bin", "no.go", "."} {
		if _, _, err := look(path); problem.Of(err) == nil {
			t.Errorf("%s: %v, want a Problem", path, err)
		}
	}
}

// TestPreferred has a file read before others, and ends the synchronisation as soon as
// what was read is shown: it is there, and most others are not.
func TestPreferred(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one reader, which cannot be overtaken
	const files = 4 * batchFiles                    // more than wait to be written at one time
	tr := newTree(t, map[string]string{"last.go": "package a\n\nfunc Last() {}\n"})
	for i := range files {
		tr.write(fmt.Sprintf("a%04d.go", i), fmt.Sprintf("package a\n\nfunc F%d() {}\n", i))
	}
	x := tr.open()
	x.work.prefer([]string{"gone.go", "last.go", "last.go"})
	ctx, stop := context.WithCancel(t.Context())
	_, err := x.Sync(ctx, SyncOptions{Progress: func(p Progress) {
		if p.Stage == StageInvert {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the synchronisation ended with %v: nothing was shown before the end", err)
	}
	if _, err := x.File(t.Context(), "last.go"); err != nil {
		t.Error(err)
	}
	var paths []string
	for i := range files {
		paths = append(paths, fmt.Sprintf("a%04d.go", i))
	}
	unseen, err := x.Unseen(t.Context(), append(paths, "last.go"))
	if err != nil || len(unseen) == 0 || unseen["last.go"] != "" {
		t.Errorf("%d files are not read, %v", len(unseen), err)
	}
}

// TestImpatient asks while an index is being built, and waits no longer than until
// something of it is read: that much is shown.
func TestImpatient(t *testing.T) {
	tr := newTree(t, nil)
	for i := range 1500 {
		tr.write(fmt.Sprintf("a%04d.go", i), fmt.Sprintf("package a\n\nfunc F%d() {}\n", i))
	}
	x := tr.open()
	asked, stop := context.WithCancel(t.Context())
	defer stop()
	shown, shows := 0, make(<-chan struct{})
	_, err := x.Sync(asked, SyncOptions{Progress: func(p Progress) {
		switch {
		case p.Stage == StageRead && shown == 0:
			if shows = x.work.show(); shows == nil {
				t.Error("nobody would show what is read")
			}
			shown++
		case p.Stage == StageInvert:
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the synchronisation ended with %v: nothing was shown before the end", err)
	}
	<-shows
	if all, err := x.Files(t.Context()); err != nil || len(all) == 0 {
		t.Errorf("%d files are shown, %v", len(all), err)
	}
}
