package taskbranch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"codeintel/test/tier"
)

var (
	histories = flag.Int("histories", 0, "play that many histories beyond those played before, and add them to testdata/histories.json")
	most      = flag.Int("failures", 3, "stop after so many histories that go wrong")
	replay    = flag.String("history", "", "play one history: a seed, or a seed and its steps as a failure prints them")
)

// slice is how many histories every run of the tests plays, from seed 0.
const slice = 100

// A step is what happens next. What exactly is chosen by its own number from what
// is there then, so that the steps before it can be left out.
type step struct {
	what string
	n    uint32
}

// A history is a repository and what happens in it.
type history struct {
	seed  uint64
	steps []step
}

func (h history) String() string {
	out := strconv.FormatUint(h.seed, 10)
	for _, s := range h.steps {
		out += fmt.Sprintf("; %s %d", s.what, s.n)
	}
	return out
}

// parse reads what String wrote, or a seed alone.
func parse(text string) (h history, err error) {
	parts := strings.Split(text, "; ")
	if h.seed, err = strconv.ParseUint(parts[0], 10, 64); err != nil || len(parts) == 1 {
		return invent(h.seed), err
	}
	for _, p := range parts[1:] {
		i := strings.LastIndexByte(p, ' ')
		n, err := strconv.ParseUint(p[i+1:], 10, 32)
		if err != nil {
			return h, err
		}
		h.steps = append(h.steps, step{p[:i], uint32(n)})
	}
	return h, nil
}

// invent makes the history of a seed: the user does something, the session does
// something, and so on.
func invent(seed uint64) history {
	rnd := rand.New(rand.NewPCG(seed, 1))
	h := history{seed: seed}
	user, act := lots(len(userDoes), func(i int) int { return userDoes[i].weight }), lots(len(sessionDoes), func(i int) int { return sessionDoes[i].weight })
	for i := range 3 + rnd.IntN(4) {
		for range rnd.IntN(5) {
			h.steps = append(h.steps, step{userDoes[user[rnd.IntN(len(user))]].name, rnd.Uint32()})
		}
		what := sessionDoes[act[rnd.IntN(len(act))]].name
		if i == 0 {
			what = "Create"
		}
		h.steps = append(h.steps, step{what, rnd.Uint32()})
	}
	return h
}

// lots holds each number as often as its weight says.
func lots(n int, weight func(i int) int) (all []int) {
	for i := range n {
		all = append(all, slices.Repeat([]int{i}, weight(i))...)
	}
	return all
}

// counts are what histories consisted of.
type counts struct {
	Steps   int `json:"steps"`
	Actions int `json:"actions"`
	Cuts    int `json:"cut_short"`
	Refused int `json:"refused"`
	Failed  int `json:"failed"` // because a hook forbids git to move any ref
}

func (c *counts) add(d counts) {
	c.Steps += d.Steps
	c.Actions += d.Actions
	c.Cuts += d.Cuts
	c.Refused += d.Refused
	c.Failed += d.Failed
}

// play plays a history in the folder and returns what went wrong, if anything.
func (h history) play(ctx context.Context, templates, root string) (bad []string, count counts) {
	w, err := newWorld(ctx, templates, root, h.seed)
	if err != nil {
		return []string{err.Error()}, count
	}
	defer os.RemoveAll(root)
	for _, s := range h.steps {
		w.count.Steps++
		rnd := rand.New(rand.NewPCG(uint64(s.n), 2))
		if i := slices.IndexFunc(userDoes, func(d doing) bool { return d.name == s.what }); i >= 0 {
			userDoes[i].do(w, rnd)
			continue
		}
		for _, a := range sessionDoes {
			if a.name == s.what {
				bad = w.act(a.plan, rnd)
			}
		}
		if len(bad) > 0 {
			return bad, w.count
		}
	}
	return w.recoverable(), w.count
}

// shrink leaves out steps while the history still goes wrong.
func (h history) shrink(ctx context.Context, templates, root string) history {
	for shorter := true; shorter; {
		shorter = false
		for i := len(h.steps) - 1; i >= 0; i-- {
			try := history{h.seed, slices.Delete(slices.Clone(h.steps), i, i+1)}
			if bad, _ := try.play(ctx, templates, root); len(bad) > 0 {
				h, shorter = try, true
			}
		}
	}
	return h
}

// figures are what all runs with -histories have found.
type figures struct {
	Program string `json:"program"` // hash of the package and of what plays the histories
	Passed  uint64 `json:"passed"`  // by this program
	Next    uint64 `json:"next"`    // seed
	counts
	Ever uint64 `json:"ever"` // passed, by any program
}

const figuresFile = "testdata/histories.json"

// TestHistories plays random histories: a user edits, stages, commits, breaks
// hooks; sessions branch, commit, discard, merge, and are cut short. Whatever was
// in a working tree, an index or a commit before an action of a session must be
// there, in a ref or in a reflog after it.
func TestHistories(t *testing.T) {
	if _, err := exec.LookPath("tr"); err != nil {
		t.Skip("the filter of these repositories needs a Unix")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "no such file"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	dir := t.TempDir()
	templates := filepath.Join(dir, "template")
	template(t, templates)
	if *replay != "" {
		h, err := parse(*replay)
		if err != nil {
			t.Fatal(err)
		}
		bad, _ := h.play(t.Context(), templates, filepath.Join(dir, "w"))
		for _, b := range bad {
			t.Error(b)
		}
		return
	}
	if *histories == 0 {
		passed, count := playAll(t, templates, dir, 0, tier.Number(slice/10, slice))
		t.Logf("%d histories passed: %+v", passed, count)
		return
	}
	f := load(t)
	for left := *histories; left > 0 && !t.Failed(); {
		n := min(left, 200) // and then they are written down
		passed, count := playAll(t, templates, dir, f.Next, n)
		if t.Failed() {
			break
		}
		left -= n
		f.Passed, f.Ever, f.Next = f.Passed+uint64(passed), f.Ever+uint64(passed), f.Next+uint64(n)
		f.add(count)
		f.save(t)
	}
	t.Logf("%+v", f)
}

// playAll plays n histories on two processors.
func playAll(t *testing.T, templates, dir string, from uint64, n int) (passed int, count counts) {
	var next atomic.Uint64
	next.Store(from)
	var mu sync.Mutex
	var all sync.WaitGroup
	failures := 0
	for i := range 2 {
		root := filepath.Join(dir, fmt.Sprint("w", i))
		all.Go(func() {
			for {
				seed := next.Add(1) - 1
				mu.Lock()
				enough := failures >= *most
				mu.Unlock()
				if seed >= from+uint64(n) || enough {
					return
				}
				h := invent(seed)
				bad, c := h.play(t.Context(), templates, root)
				if len(bad) > 0 {
					h = h.shrink(t.Context(), templates, root)
					if again, _ := h.play(t.Context(), templates, root); len(again) > 0 {
						bad = again
					}
				}
				mu.Lock()
				count.add(c)
				if len(bad) == 0 {
					passed++
				} else {
					failures++
					t.Errorf("seed %d: %s\nplay it again: go test ./internal/taskbranch -run TestHistories -history '%s'", seed, strings.Join(bad, "\n"), h)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return passed, count
}

// load reads the figures. Those of another program begin anew, with seeds that
// none has seen.
func load(t *testing.T) (f figures) {
	t.Helper()
	if data, err := os.ReadFile(figuresFile); err == nil {
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
	}
	h := sha256.New()
	for _, name := range append(append(glob(".", "*.go"), glob("../git", "*.go")...), glob("../problem", "*.go")...) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") && !bytes.Contains([]byte(name), []byte("histories")) {
			continue
		}
		h.Write(data)
	}
	if program := hex.EncodeToString(h.Sum(nil))[:16]; program != f.Program {
		f = figures{Program: program, Next: max(f.Next, slice), Ever: f.Ever}
	}
	return f
}

func (f figures) save(t *testing.T) {
	t.Helper()
	data, err := json.MarshalIndent(f, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(figuresFile), 0o755)
	}
	if err == nil {
		err = os.WriteFile(figuresFile+".new", append(data, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(figuresFile+".new", figuresFile)
	}
	if err != nil {
		t.Fatal(err)
	}
}
