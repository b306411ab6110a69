package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codeintel/internal/platform/softdeadline"
)

// watched opens an index whose changes are reported.
func (tr *tree) watched() *Index {
	tr.t.Helper()
	x := tr.synced()
	x.Watch()
	mustRefresh(tr.t, x)
	if (x.sight.watcher == nil) == (runtime.GOOS == "linux") {
		tr.t.Fatal("changes are not reported")
	}
	return x
}

// TestWatchedEqualsFresh does random things to a project and asks an index that
// is told of them: each is in the very next answer.
func TestWatchedEqualsFresh(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			tr := manyFiles(t, 40)
			x := tr.watched()
			at := func(rel string) string { return filepath.Join(tr.root, rel) }
			dir := func() string { return []string{"p0", "p1", "p0/sub", "q", "q/r/s"}[r.IntN(5)] }
			file := func() string { return fmt.Sprintf("%s/f%d.go", dir(), r.IntN(8)) }
			for i := range 40 {
				switch r.IntN(8) {
				case 0, 1, 2, 3:
					tr.write(file(), fmt.Sprintf("package p\n\nfunc W%d() {}\n", i))
				case 4:
					os.Remove(at(file()))
				case 5:
					os.Rename(at(dir()), at(dir()))
				case 6:
					os.RemoveAll(at(dir()))
				case 7:
					tr.write(".gitignore", []string{"", "q/\n", "f3.go\n"}[r.IntN(3)])
				}
				name := fmt.Sprintf("Now%d", i)
				tr.write("now.go", "package now\n\nfunc "+name+"() {}\n")
				mustRefresh(t, x)
				expect(t, x, name, "now.go:3")
			}
			same(t, tr, x)
		})
	}
}

// TestLostReportsAreNoticed takes the watcher away: the files are swept instead.
func TestLostReportsAreNoticed(t *testing.T) {
	tr := manyFiles(t, 20)
	x := tr.watched()
	if w := x.sight.watcher; w != nil {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	tr.write("p0/f1.go", "package p0\n\nfunc AfterTheLoss() {}\n")
	mustRefresh(t, x)
	expect(t, x, "AfterTheLoss", "p0/f1.go:3")
	if x.sight.watcher != nil {
		t.Error("the watcher is still trusted")
	}
}

// TestSafetyNet changes what no report tells of, as a write through a memory map
// does: the sweep that comes now and then finds it.
func TestSafetyNet(t *testing.T) {
	tr := manyFiles(t, 20)
	x := tr.watched()
	if x.sight.watcher == nil {
		t.Skip("changes are not reported here")
	}
	x.sight.watcher.Unfollow(filepath.Join(tr.root, "p0"))
	tr.write("p0/f1.go", "package p0\n\nfunc BehindItsBack() {}\n")
	mustRefresh(t, x)
	expect(t, x, "BehindItsBack", "")
	x.safetyNet(t.Context())
	mustRefresh(t, x)
	expect(t, x, "BehindItsBack", "p0/f1.go:3")
}

// TestServe leaves the first synchronisation to the background, and the answer
// says how much there is.
func TestServe(t *testing.T) {
	tr := manyFiles(t, 300)
	x := tr.open()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { x.Serve(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	for !x.serving() {
		runtime.Gosched()
	}
	unlock, err := x.lockWriting() // somebody else is writing, for a long time
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	hasty, end := softdeadline.With(t.Context(), time.Millisecond, nil)
	defer end()
	if err := x.Refresh(hasty); err != nil {
		t.Fatal(err)
	}
	f := x.Freshness()
	if !f.Building || f.Pending != 300 || f.Files != 300 || f.Built() != 0 {
		t.Errorf("while it is built: %+v", f)
	}
	unlock()
	patient, end := softdeadline.With(t.Context(), time.Hour, nil)
	defer end()
	if err := x.Refresh(patient); err != nil { // waits until it is built
		t.Fatal(err)
	}
	if f = x.Freshness(); f.Building || f.Pending != 0 || f.VerifiedAt.IsZero() {
		t.Errorf("when it is built: %+v", f)
	}
	expect(t, x, "G77", "p0/f77.go:7")
}

func TestFollow(t *testing.T) {
	tr := manyFiles(t, 20)
	x := tr.synced()
	ctx, stop := context.WithCancel(t.Context())
	reports := make(chan SyncReport)
	ended := make(chan error)
	go func() { ended <- x.Follow(ctx, func(r SyncReport) { reports <- r }) }()
	tr.write("p1/f1.go", "package p0\n\nfunc Followed() {}\n")
	tr.write("p0/new.go", "package p0\n")
	var sum SyncReport
	late := time.After(2 * time.Minute)
	for sum.Added < 1 || sum.Changed < 1 {
		select {
		case r := <-reports:
			sum.Added += r.Added
			sum.Changed += r.Changed
		case <-late:
			t.Fatalf("not told: %+v", sum)
		}
	}
	stop()
	go func() {
		for range reports {
		}
	}()
	if err := <-ended; !strings.Contains(err.Error(), "canceled") {
		t.Error(err)
	}
	close(reports)
	expect(t, x, "Followed", "p1/f1.go:3")
}

// TestOpenAsked takes the sweep that ran while the index was opened.
func TestOpenAsked(t *testing.T) {
	tr := manyFiles(t, 20)
	tr.synced().Close()
	tr.write("p0/f1.go", "package p0\n\nfunc Early() {}\n")
	x, err := OpenForQuestion(t.Context(), tr.project(), discard)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	mustRefresh(t, x)
	expect(t, x, "Early", "p0/f1.go:3")
	tr.write("p0/f1.go", "package p0\n\nfunc Later() {}\n") // the second look is one of its own
	mustRefresh(t, x)
	expect(t, x, "Later", "p0/f1.go:3")
}

// TestAnswerLooksOnce wants all of an answer to be about the files of one look, and the next
// answer about those of its own.
func TestAnswerLooksOnce(t *testing.T) {
	for name, open := range map[string]func(*tree) *Index{"watched": (*tree).watched, "swept": (*tree).synced} {
		t.Run(name, func(t *testing.T) {
			tr := manyFiles(t, 3)
			x := open(tr)
			sees := func(ctx context.Context) bool {
				l, err := x.Look(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				_, ok := numberOf(l.Files.Entries, "new.go")
				return ok
			}
			answer := WithQuestionTime(t.Context())
			if err := x.Refresh(answer); err != nil {
				t.Fatal(err)
			}
			tr.write("new.go", "package p\n\nfunc New() {}\n")
			if sees(WithQuestionTime(answer)) {
				t.Error("the answer looked again")
			}
			if !sees(WithQuestionTime(t.Context())) || !sees(RestartQuestion(answer)) || !sees(t.Context()) {
				t.Error("another answer did not look")
			}
		})
	}
}
