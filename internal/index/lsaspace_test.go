package index

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/index/lsa"
	"codeintel/internal/text/question"
	"codeintel/test/tier"
)

func (tr *tree) space() string { return filepath.Join(tr.root, ".code-intel/index", spaceName) }

// topics writes n files about 20 topics with words of their own, so that there is
// something to be learnt from which words are together.
func (tr *tree) topics(dir string, n int) {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	for i := range n {
		topic := i % 20
		text := fmt.Sprintf("package %s\n\n// Do%s%d is common.\nfunc Do%s%d() {\n", dir, dir, i, dir, i)
		for range 12 {
			text += fmt.Sprintf("\tt%dw%02d()\n", topic, r.IntN(8))
		}
		tr.write(fmt.Sprintf("%s/f%d.go", dir, i), text+"}\n")
	}
}

func topical(t *testing.T, n int) *tree {
	t.Helper()
	tr := newTree(t, nil)
	tr.topics("p", n)
	return tr
}

// topicQuestions have answers that the space puts in another order.
var topicQuestions = []string{"common t3w01", "common t7w02 t7w05", "t11w03 t4w01"}

// rankings is what an index answers to the questions, with scores, or only which
// chunks, in order of their names, where the space does not matter.
func rankings(t *testing.T, x *Index, scores bool) (out []string) {
	t.Helper()
	for _, q := range topicQuestions {
		hits, err := x.Rank(t.Context(), RankQuery{Question: question.Analyse(q), K: 500})
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		var list []string
		for _, h := range hits {
			if scores {
				list = append(list, fmt.Sprint(q, " ", h.Chunk.ID, " ", h.Score))
			} else {
				list = append(list, fmt.Sprint(q, " ", h.Chunk.ID))
			}
		}
		if !scores {
			slices.Sort(list)
		}
		out = append(out, list...)
	}
	if len(out) < 30 {
		t.Fatalf("only %d hits", len(out))
	}
	return out
}

// placedAll fails unless the file of the space is intact and has a place for
// nearly every chunk of x.
func placedAll(t *testing.T, tr *tree, x *Index) {
	t.Helper()
	s, err := lsa.Open(tr.space())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := x.acquire(base)
	defer x.release(now)
	chunks, known := 0, 0
	for _, p := range now.parts {
		if p.id != 0 {
			chunks += p.seg.Chunks()
			if b, ok := s.Places(p.seg.Label()); ok {
				known += len(b) / lsa.Dim
			}
		}
	}
	if known < chunks*9/10 {
		t.Errorf("%d of %d chunks have a place", known, chunks)
	}
	if f := float64(s.Fitted()); float64(chunks) > 1.3*f || float64(chunks) < 0.7*f {
		t.Errorf("fitted to %d chunks, there are %d", s.Fitted(), chunks)
	}
}

// TestSpaceHeals spoils the LSA space in all ways that come to mind, before an
// index is opened and while it is asked. The next answer makes a damaged one again, and is
// what it was; without one, answers name the same chunks until the next synchronisation.
func TestSpaceHeals(t *testing.T) {
	tr := topical(t, 300)
	x := tr.synced()
	placedAll(t, tr, x)
	whole := rankings(t, x, true)
	if err := os.Remove(tr.space()); err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(whole, rankings(t, x, true)) {
		t.Fatal("the space changes nothing: this test cannot fail")
	}
	mustSync(t, x)
	names := rankings(t, x, false)
	x.Close()

	in := func(f func([]byte) []byte) func(*testing.T) {
		return func(t *testing.T) { spoil(t, tr.space(), f) }
	}
	cases := map[string]func(*testing.T){
		"removed": func(t *testing.T) { removeAll(t, tr.space()) },
		"empty":   in(func([]byte) []byte { return nil }),
		"cut":     in(func(b []byte) []byte { return b[:len(b)/2] }),
		"one byte short": in(func(b []byte) []byte {
			return b[:len(b)-1]
		}),
		"garbage":         in(func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }),
		"cut in place":    func(t *testing.T) { truncate(t, tr.space(), 5000) },
		"emptied":         func(t *testing.T) { truncate(t, tr.space(), 0) },
		"a folder":        func(t *testing.T) { removeAll(t, tr.space()); mustMkdir(t, tr.space()) },
		"of other places": func(t *testing.T) { otherPlaces(t, tr) },
	}
	for seed := range 6 {
		cases[fmt.Sprint("flipped ", seed)] = in(func(b []byte) []byte {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			for range 1 + seed*3 {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			return b
		})
	}
	for name, spoil := range tier.Cases(cases, 4) {
		for _, when := range []string{"closed", "open"} {
			t.Run(name+" while "+when, func(t *testing.T) {
				var x *Index
				if when == "open" {
					x = tr.open()
					rankings(t, x, true) // it is mapped now
				}
				spoil(t)
				if when == "closed" {
					x = tr.open()
				}
				if slices.Contains([]string{"removed", "a folder", "of other places"}, name) {
					if d := cmp.Diff(names, rankings(t, x, false)); d != "" {
						t.Errorf("without (-whole +now):\n%s", d)
					}
				} else if d := cmp.Diff(whole, rankings(t, x, true)); d != "" {
					t.Errorf("at once (-before +after):\n%s", d)
				}
				mustSync(t, x)
				if name != "a folder" { // which may be somebody's; it says so and does without
					placedAll(t, tr, x)
					if d := cmp.Diff(whole, rankings(t, x, true)); d != "" {
						t.Errorf("when healed (-before +after):\n%s", d)
					}
				} else if err := os.RemoveAll(tr.space()); err != nil {
					t.Fatal(err)
				}
				mustSync(t, x)
				x.Close()
			})
		}
	}
}

func truncate(t *testing.T, path string, n int64) {
	t.Helper()
	if err := os.Truncate(path, n); err != nil {
		t.Fatal(err)
	}
}

func mustMkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// otherPlaces puts an intact space there that knows no segment of this index.
func otherPlaces(t *testing.T, tr *tree) {
	t.Helper()
	s, err := lsa.Open(tr.space())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.WriteFile(tr.space(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestSpaceDamagedUnseen flips bits as a failing disk does, size and time as they
// were: whoever asks for all to be read again has it found out.
func TestSpaceDamagedUnseen(t *testing.T) {
	tr := topical(t, 300)
	x := tr.synced()
	whole := rankings(t, x, true)
	info, err := os.Stat(tr.space())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(tr.space(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for at := info.Size() / 5; at < info.Size(); at += 3 {
		if _, err := f.WriteAt([]byte{0x55}, at); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	if err := os.Chtimes(tr.space(), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	rankings(t, x, true) // of whatever worth, it answers
	if _, err := x.Sync(t.Context(), SyncOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	placedAll(t, tr, x)
	if d := cmp.Diff(whole, rankings(t, x, true)); d != "" {
		t.Errorf("when healed (-before +after):\n%s", d)
	}
}

// TestMissingSpaceIsAskedFor takes the space from a server: it need not be told.
func TestMissingSpaceIsAskedFor(t *testing.T) {
	tr := topical(t, 300)
	x := tr.synced()
	whole := rankings(t, x, true)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { x.Serve(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	for !x.serving() {
		runtime.Gosched()
	}
	for _, spoil := range []func(){
		func() { removeAll(t, tr.space()) },
		func() { spoil(t, tr.space(), func(b []byte) []byte { return b[:len(b)-9] }) },
	} {
		spoil()
		rankings(t, x, true)
		x.work.mu.Lock()
		done := x.work.done
		x.work.mu.Unlock()
		if done != nil {
			<-done
		}
		if d := cmp.Diff(whole, rankings(t, x, true)); d != "" {
			t.Errorf("(-before +after):\n%s", d)
		}
		placedAll(t, tr, x)
	}
}

// TestSpaceOfAnotherProcess has the space fitted anew by one handle while another
// has it open: the other takes the new one, with the places of the new segments.
func TestSpaceOfAnotherProcess(t *testing.T) {
	tr := topical(t, 300)
	a, b := tr.synced(), tr.open()
	rankings(t, b, true)
	first := b.space(t.Context())
	tr.topics("q", 300) // twice as many
	mustSync(t, a)
	if got := rankings(t, b, false); len(got) < 30 { // old segments, new space
		t.Errorf("%d hits between", len(got))
	}
	mustRefresh(t, b)
	if b.space(t.Context()) == first || b.space(t.Context()).Fitted() <= first.Fitted() {
		t.Errorf("fitted to %d chunks before, %d now", first.Fitted(), b.space(t.Context()).Fitted())
	}
	placedAll(t, tr, a)
	if d := cmp.Diff(rankings(t, a, true), rankings(t, b, true)); d != "" {
		t.Errorf("two handles differ (-writer +reader):\n%s", d)
	}
}

// TestSpaceGrows lets a project grow and shrink, and asks for what is learnt.
func TestSpaceGrows(t *testing.T) {
	tr := topical(t, 300)
	x := tr.synced()
	fitted := x.space(t.Context()).Fitted()
	tr.topics("few", 40) // less than a quarter more, and in no segment: placed when asked
	mustRefresh(t, x)
	if x.space(t.Context()).Fitted() != fitted {
		t.Error("fitted anew for a few chunks")
	}
	if d := cmp.Diff(rankings(t, x, true), rankings(t, x, true)); d != "" {
		t.Errorf("asked twice:\n%s", d)
	}
	tr.topics("many", 200)
	mustSync(t, x)
	if got := x.space(t.Context()).Fitted(); got <= fitted*5/4 {
		t.Errorf("still fitted to %d chunks", got)
	}
	placedAll(t, tr, x)
	for _, dir := range []string{"p", "many"} { // what is left is too little for a space
		if err := os.RemoveAll(filepath.Join(tr.root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, x)
	if _, err := os.Stat(tr.space()); err == nil {
		placedAll(t, tr, x)
	}
	expect(t, x, "Dofew7", "few/f7.go:4")
}

// TestSpaceOnAFullDisk lets a child write everything but the space.
func TestSpaceOnAFullDisk(t *testing.T) {
	if root := os.Getenv("INDEX_TEST_SPACE_FULL"); root != "" {
		signal.Ignore(syscall.SIGXFSZ)
		x := (&tree{t, root}).open()
		if err := os.Remove(filepath.Join(root, ".code-intel/index", spaceName)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 30_000, Max: 30_000}); err != nil {
			t.Skip(err)
		}
		x.learn(t.Context(), x.db, x.base)
		rankings(t, x, true)
		return
	}
	tr := topical(t, 300)
	x := tr.synced()
	whole := rankings(t, x, true)
	if info, err := os.Stat(tr.space()); err != nil || info.Size() < 30_000 {
		t.Fatalf("%v, %v", info, err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSpaceOnAFullDisk$")
	cmd.Env = append(os.Environ(), "INDEX_TEST_SPACE_FULL="+tr.root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(tr.space()); err == nil {
		t.Error("half a space has the name of one")
	}
	if left, _ := filepath.Glob(filepath.Join(tr.root, ".code-intel/index/.segment-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	mustSync(t, x)
	if d := cmp.Diff(whole, rankings(t, x, true)); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}

// TestSpaceKilled kills a child while it writes spaces one after another.
func TestSpaceKilled(t *testing.T) {
	if root := os.Getenv("INDEX_TEST_SPACE_VICTIM"); root != "" {
		x := (&tree{t, root}).open()
		fmt.Fprintln(os.Stderr, "began")
		for {
			os.Remove(filepath.Join(root, ".code-intel/index", spaceName))
			x.learn(t.Context(), x.db, x.base)
		}
	}
	tr := topical(t, 300)
	x := tr.synced()
	whole := rankings(t, x, true)
	r := rand.New(rand.NewPCG(5, 6))
	for range 6 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSpaceKilled$")
		cmd.Env = append(os.Environ(), "INDEX_TEST_SPACE_VICTIM="+tr.root)
		said, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := said.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		rankings(t, x, true)
		mustSync(t, x)
		if d := cmp.Diff(whole, rankings(t, x, true)); d != "" {
			t.Fatalf("(-before +after):\n%s", d)
		}
		if left, _ := filepath.Glob(filepath.Join(tr.root, ".code-intel/index/.segment-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

// Nothing is learnt from a project that is small, though its files lie in a segment.
func TestNoSpaceOfASmallProject(t *testing.T) {
	for n, want := range map[int]bool{smallProjectFiles: false, smallProjectFiles + 1: true} {
		tr := topical(t, n)
		tr.synced()
		if _, err := os.Stat(tr.space()); (err == nil) != want {
			t.Errorf("%d files: a space %v, wanted %v", n, err == nil, want)
		}
		if len(tr.segments()) == 0 {
			t.Errorf("%d files: no segment", n)
		}
	}
}

// What a question finds does not depend on the order in which files were read, nor on
// the segments that they came to lie in.
func TestOrderOfReadingDoesNotMatter(t *testing.T) {
	const n = 2 * (settleFiles + 20)
	whole := topical(t, n)
	want := rankings(t, whole.synced(), true)
	for seed := range uint64(3) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(n)
		parted := newTree(t, nil)
		var x *Index
		for _, half := range [][]int{order[:n/2], order[n/2:]} {
			for _, i := range half {
				path := fmt.Sprintf("p/f%d.go", i)
				text, err := os.ReadFile(filepath.Join(whole.root, path))
				if err != nil {
					t.Fatal(err)
				}
				parted.write(path, string(text))
			}
			x = parted.synced()
		}
		if diff := cmp.Diff(want, rankings(t, x, true)); diff != "" {
			t.Errorf("seed %d (-at once +in halves):\n%s", seed, diff)
		}
	}
}
