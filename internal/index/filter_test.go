package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"codeintel/internal/index/trigram"
	"codeintel/test/tier"
)

func (tr *tree) filters() []string {
	list, _ := filepath.Glob(filepath.Join(tr.root, ".code-intel/index", segmentPrefix+"*"+filterSuffix))
	return list
}

// oldFiles is manyFiles made a while ago: a file just written may change again
// without its time telling, and is a candidate therefore.
func oldFiles(t *testing.T, n int) *tree {
	t.Helper()
	tr := manyFiles(t, n)
	then := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(tr.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// candidates returns the files that may hold a text, and whether any were left out.
func candidates(t *testing.T, x *Index, text string) (paths []string, known bool) {
	t.Helper()
	look, err := x.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	_, known = look.filterCandidates(trigram.Literal(text))
	for _, n := range look.Candidates(trigram.Literal(text)) {
		paths = append(paths, look.Files.Entries[n].Path)
	}
	return paths, known
}

// checkFiltered fails unless the candidates for a text that one of manyFiles has are
// that one and few others.
func checkFiltered(t *testing.T, tr *tree, x *Index) {
	t.Helper()
	paths, known := candidates(t, x, "func G77(")
	if !known || !slices.Contains(paths, "p0/f77.go") || len(paths) > 10 {
		t.Errorf("candidates: %v, %d files", known, len(paths))
	}
}

// holding checks that no file that contains a text is left out.
func holding(t *testing.T, tr *tree, x *Index, text string) {
	t.Helper()
	paths, known := candidates(t, x, text)
	look, err := x.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	for _, e := range look.Files.Entries {
		b, err := os.ReadFile(filepath.Join(tr.root, e.Path))
		if err != nil {
			t.Fatal(err)
		}
		if known && bytes.Contains(b, []byte(text)) && !slices.Contains(paths, e.Path) {
			t.Errorf("%s holds %q and is no candidate", e.Path, text)
		}
	}
}

func TestCandidates(t *testing.T) {
	tr := oldFiles(t, 300)
	x := tr.open()
	if paths, known := candidates(t, x, "func G77("); known {
		t.Errorf("without an index %d files are candidates", len(paths))
	}
	mustSync(t, x)
	checkFiltered(t, tr, x)
	if _, known := candidates(t, x, "G7"); known {
		t.Error("a text too short for trigrams leaves something out")
	}
	// Whatever has changed is a candidate, read or not.
	tr.write("p0/f1.go", "package p0\n\nfunc G77() {}\n")
	tr.write("new.go", "package new\n\nfunc G77() {}\n")
	for _, when := range []string{"before", "after"} {
		paths, _ := candidates(t, x, "func G77(")
		for _, want := range []string{"p0/f77.go", "p0/f1.go", "new.go"} {
			if !slices.Contains(paths, want) {
				t.Errorf("%s the refresh %s is no candidate", when, want)
			}
		}
		mustRefresh(t, x)
	}
	tr.remove("p0/f77.go")
	if paths, _ := candidates(t, x, "func G77("); slices.Contains(paths, "p0/f77.go") {
		t.Error("a file that is gone is a candidate")
	}
}

// TestFiltersHeal spoils the filters in all ways that come to mind. Answers lack
// nothing meanwhile, and the next synchronisation makes them again.
func TestFiltersHeal(t *testing.T) {
	each := func(f func([]byte) []byte) func(*testing.T, *tree) {
		return func(t *testing.T, tr *tree) {
			for _, path := range tr.filters() {
				spoil(t, path, f)
			}
		}
	}
	cases := map[string]func(*testing.T, *tree){
		"removed": func(t *testing.T, tr *tree) { removeAll(t, tr.filters()...) },
		"cut":     each(func(b []byte) []byte { return b[:len(b)/2] }),
		"empty":   each(func([]byte) []byte { return nil }),
		"garbage": each(func(b []byte) []byte { return []byte(strings.Repeat("x", len(b))) }),
		"of another segment": each(func(b []byte) []byte {
			var o trigram.Builder
			o.Add(nil)
			path := filepath.Join(t.TempDir(), "another")
			if err := o.WriteFile(path, "another"); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}),
	}
	for seed := range 4 {
		cases[fmt.Sprint("flipped ", seed)] = each(func(b []byte) []byte {
			for i := 97 * (seed + 1); i < len(b); i += 503 {
				b[i] ^= 1 << seed
			}
			return b
		})
	}
	for name, spoilAll := range tier.Cases(cases, 3) {
		for _, when := range []string{"closed", "open"} {
			t.Run(name+" while "+when, func(t *testing.T) {
				tr := oldFiles(t, 150)
				x := tr.synced()
				checkFiltered(t, tr, x)
				if when == "closed" {
					x.Close()
				}
				spoilAll(t, tr)
				if when == "closed" {
					x = tr.open()
				}
				holding(t, tr, x, "func G77(")
				mustSync(t, x)
				checkFiltered(t, tr, x)
				holding(t, tr, x, "func G77(")
				other := tr.open() // and another process finds them well
				checkFiltered(t, tr, other)
			})
		}
	}
}

// TestFilterCutWhileMapped takes a mapped filter away from under a reader.
func TestFilterCutWhileMapped(t *testing.T) {
	tr := oldFiles(t, 150)
	x := tr.synced()
	checkFiltered(t, tr, x)
	for _, s := range tr.filters() {
		if err := os.Truncate(s, 0); err != nil {
			t.Fatal(err)
		}
	}
	holding(t, tr, x, "func G77(")
	mustSync(t, x)
	checkFiltered(t, tr, x)
}

func TestOrphansAreSwept(t *testing.T) {
	tr := oldFiles(t, 150)
	x := tr.synced()
	dir := filepath.Join(tr.root, ".code-intel/index")
	for _, name := range []string{segmentPrefix + "orphan" + filterSuffix, segmentPrefix + "orphan" + segmentSuffix, ".segment-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, x)
	if left, _ := filepath.Glob(filepath.Join(dir, "*orphan*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".segment-1")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	checkFiltered(t, tr, x)
}

// TestKilledAnywhere kills a child at random moments of its synchronisation,
// again and again over the same index: answers are right after each.
func TestKilledAnywhere(t *testing.T) {
	if root := os.Getenv("INDEX_TEST_RANDOM_VICTIM"); root != "" {
		x := (&tree{t, root}).open()
		x.Sync(t.Context(), SyncOptions{})
		return
	}
	tr := manyFiles(t, 300)
	r := rand.New(rand.NewPCG(11, 12))
	for round := range tier.Number(2, 6) {
		for i := range 200 { // more than stays in no segment
			tr.write(fmt.Sprintf("round/f%d.go", i), fmt.Sprintf("package round\n\nfunc R%dx%d() {}\n", round, i))
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAnywhere$")
		cmd.Env = append(os.Environ(), "INDEX_TEST_RANDOM_VICTIM="+tr.root)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(r.IntN(250))*time.Millisecond, func() { cmd.Process.Kill() })
		cmd.Wait() // it was killed, or it was done first
		kill.Stop()
		x := tr.open()
		holding(t, tr, x, fmt.Sprintf("func R%dx7(", round))
		mustRefresh(t, x)
		expect(t, x, fmt.Sprintf("R%dx7", round), "round/f7.go:3")
		holding(t, tr, x, fmt.Sprintf("func R%dx7(", round))
		x.Close()
	}
	x := tr.open()
	mustSync(t, x)
	same(t, tr, x)
}

// TestDiskFull lets a child write files up to a size and no further, as a disk
// that is full does. It says so and ends well; with space again all is made good.
func TestDiskFull(t *testing.T) {
	if root := os.Getenv("INDEX_TEST_FULL"); root != "" {
		var limit uint64
		fmt.Sscan(os.Getenv("INDEX_TEST_LIMIT"), &limit)
		signal.Ignore(syscall.SIGXFSZ)
		x := (&tree{t, root}).open()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Skip(err)
		}
		if _, err := x.Sync(t.Context(), SyncOptions{}); err == nil {
			fmt.Println("it fitted")
		}
		holding(t, &tree{t, root}, x, "func G77(")
		return
	}
	failed := 0
	for _, limit := range []int{70_000, 300_000, 1_200_000} {
		tr := oldFiles(t, 400)
		cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$")
		cmd.Env = append(os.Environ(), "INDEX_TEST_FULL="+tr.root, fmt.Sprint("INDEX_TEST_LIMIT=", limit))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("limit %d: %v\n%s", limit, err, out)
		}
		if !bytes.Contains(out, []byte("it fitted")) {
			failed++
		}
		x := tr.open()
		mustSync(t, x)
		same(t, tr, x)
		checkFiltered(t, tr, x)
	}
	if failed == 0 {
		t.Error("no disk was full")
	}
}

// TestForceVerifies damages segments as a failing disk does, with nothing to
// show for it: whoever asks for all to be read again has them found out.
func TestForceVerifies(t *testing.T) {
	tr := oldFiles(t, 150)
	tr.synced().Close()
	for _, path := range tr.segments() {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		spoil(t, path, func(b []byte) []byte {
			for i := len(b) / 4; i < len(b); i += 211 {
				b[i] ^= 4
			}
			return b
		})
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	x := tr.open()
	if _, err := x.Sync(t.Context(), SyncOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	same(t, tr, x)
}
