package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
	"codeintel/test/tier"
)

// A disk is all that a pipeline keeps, as a process may find it: "" is a file that
// is not there.
type disk struct {
	State, Copy, Next, Journal string
	Told                       int  // the last revision whose save has returned
	Anew                       bool // a person has taken the journal away
}

// A keeper saves the revisions of one pipeline, and knows each that it has made.
type keeper struct {
	*testing.T
	s     *Service
	w     *workspace.Workspace
	locks workspace.Locks
	files [4]string       // those of a disk
	made  map[string]bool // what state.json ever was
	told  int
}

// lastRevision is enough for every file to be of any age beside any other.
const lastRevision = 3

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	home, root := t.TempDir(), t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	t.Cleanup(func() { failpoint.Install(func(string) {}) })
	w, err := workspace.Of(root, ".specs/20260401-x")
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{T: t, w: w, locks: workspace.Locks{Dir: t.TempDir()}, made: make(map[string]bool)}
	k.s = &Service{o: Options{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }}}
	k.live(0, 1)
	copies, err := filepath.Glob(filepath.Join(home, "code-intel", "pipelines", "*", "*.json"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies: %q, %v", copies, err)
	}
	k.files = [4]string{filepath.Join(w.Dir(), workspace.StateFile), copies[0], copies[0] + ".next", filepath.Join(w.Dir(), workspace.JournalFile)}
	return k
}

// seen returns what is on disk.
func (k *keeper) seen() (d disk) {
	k.Helper()
	for i, into := range []*string{&d.State, &d.Copy, &d.Next, &d.Journal} {
		data, err := os.ReadFile(k.files[i])
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			k.Fatal(err)
		}
		*into = string(data)
	}
	d.Told = k.told
	return d
}

// put makes the disk so.
func (k *keeper) put(d disk) {
	k.Helper()
	for i, text := range []string{d.State, d.Copy, d.Next, d.Journal} {
		err := os.Remove(k.files[i])
		if text != "" {
			err = os.WriteFile(k.files[i], []byte(text), 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			k.Fatal(err)
		}
	}
	k.told = d.Told
}

// live is what a process does that dies at its n-th fault point: it takes the
// pipeline up, or begins it, and saves so many revisions, but none after the last.
func (k *keeper) live(n, saves int) (t *turn, died bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			died = true
		}
		if data, err := os.ReadFile(filepath.Join(k.w.Dir(), workspace.StateFile)); err == nil {
			k.made[string(data)] = true
		}
	}()
	dieAt(n)
	t = &turn{s: k.s, w: k.w, locks: k.locks}
	if !k.w.Exists() {
		st := &engine.State{Schema: engine.Schema, Revision: 1, Workspace: k.w.Path(), Status: engine.StatusActive}
		k.says(st, 1)
		if err := k.w.Save(k.locks, 0, st); err != nil {
			return t, false, err
		}
		k.told = 1
	}
	if t.st, err = t.load(); err != nil {
		return t, false, err
	}
	if err := t.journal(); err != nil {
		return t, false, err
	}
	for range min(saves, lastRevision-t.st.Revision) {
		k.says(t.st, t.st.Revision+1)
		if err := t.save(); err != nil {
			return t, false, err
		}
		k.told = t.st.Revision
	}
	return t, false, nil
}

// says notes two entries.
func (k *keeper) says(st *engine.State, revision int) {
	for i := range 2 {
		st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server", Time: noon.Format(time.RFC3339), Revision: revision, Detail: map[string]string{"step": fmt.Sprint(revision, ".", i)}})
	}
}

// judge wants the life of a process that did not die to have come to the end.
func (k *keeper) judge(t *turn) error {
	d := k.seen()
	switch {
	case t.st.Revision < lastRevision || !strings.Contains(d.State, fmt.Sprintf("\"revision\": %d,", t.st.Revision)):
		return fmt.Errorf("the state is revision %d:\n%s", t.st.Revision, d.State)
	case d.Copy != d.State:
		return fmt.Errorf("the copy is not the state:\n%s", d.Copy)
	case d.Next != "":
		return errors.New("the next copy is still there")
	}
	n := t.st.JournalFrom
	for line := range strings.Lines(d.Journal) {
		var e engine.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Sequence != n+1 {
			return fmt.Errorf("entry %d comes after %d, %v:\n%s", e.Sequence, n, err, d.Journal)
		}
		n++
	}
	if n != t.st.Sequence {
		return fmt.Errorf("the journal ends with %d of %d entries:\n%s", n, t.st.Sequence, d.Journal)
	}
	return nil
}

// reached returns every disk to which deaths can lead: at any points, any number of
// times. Once, at any time, a person may take the journal away.
func (k *keeper) reached() map[disk]string {
	k.Helper()
	how := map[disk]string{{}: "nothing"}
	for todo := []disk{{}}; len(todo) > 0 && !(!tier.Whole() && len(how) > 60); todo = todo[1:] {
		from := todo[0]
		found := func(d disk, by string) {
			d.Anew = d.Anew || from.Anew
			if _, known := how[d]; !known {
				how[d] = how[from] + "; " + by
				todo = append(todo, d)
			}
		}
		if from.Journal != "" && !from.Anew {
			d := from
			d.Journal, d.Anew = "", true
			found(d, "no journal")
		}
		for n := 1; ; n++ {
			k.put(from)
			_, died, err := k.live(n, 1)
			if err != nil {
				k.Fatalf("%s: %v", how[from], err)
			}
			if !died {
				found(k.seen(), "saved")
				break
			}
			found(k.seen(), fmt.Sprint(n))
		}
	}
	return how
}

// TestSaving kills who saves a pipeline, at every fault point and as often as it
// makes a difference. Whatever is left, the next process comes to the end, with
// every entry of the journal once; no revision is lost whose save has returned, and
// none counts that nobody saved.
func TestSaving(t *testing.T) {
	k := newKeeper(t)
	all := k.reached()
	if len(all) < 50 {
		t.Errorf("deaths lead to %d disks only", len(all))
	}
	tries := 0
	refused := func(err error) bool {
		p := problem.Of(err)
		return p != nil && p.Code == workspace.JournalDamaged
	}
	for d, how := range all {
		k.put(d)
		last, _, err := k.live(0, lastRevision)
		if err == nil {
			err = k.judge(last)
		}
		if err != nil || len(last.Warnings) > 0 != (d.Anew && d.Journal == "" && len(last.Warnings) == 1) {
			t.Errorf("%s: %v, %q", how, err, last.Warnings)
		}
		if tries++; d.State == "" || !tier.Whole() && tries%9 != 0 {
			continue
		}
		forgeries := []string{"{", strings.Replace(d.State, `"active"`, `"completed"`, 1)}
		for old := range k.made {
			if old != d.State {
				forgeries = append(forgeries, old)
			}
		}
		for _, text := range forgeries {
			forged := d
			forged.State = text
			k.put(forged)
			turn := &turn{s: k.s, w: k.w, locks: k.locks}
			var err error
			if turn.st, err = turn.load(); err == nil {
				err = turn.journal()
			}
			now := k.seen()
			began := d.Anew && d.Journal == "" // which is a revision of its own
			if err != nil || turn.st.Revision < d.Told || turn.st.Status != engine.StatusActive || !began && now.State != d.Copy && now.State != d.Next {
				t.Fatalf("%s: over state.json was written\n%s\nand it is revision %d, told %d, %v:\n%s", how, text, turn.st.Revision, d.Told, err, now.State)
			}
		}
		lines := strings.SplitAfter(strings.TrimSuffix(d.Journal, "\n"), "\n")
		if len(lines) < 3 || !strings.HasSuffix(d.Journal, "\n") {
			continue
		}
		for _, text := range []string{strings.Join(lines[1:], "") + "\n", lines[0] + strings.Join(lines[2:], "") + "\n", d.Journal + lines[len(lines)-1] + "\n", d.Journal + lines[0], "\n"} {
			forged := d
			forged.Journal = text
			k.put(forged)
			if _, _, err := k.live(0, lastRevision); !refused(err) {
				t.Fatalf("%s: the journal was made\n%s\nand %v", how, text, err)
			}
		}
	}
}

// TestSavingBeside has a second process come while the first is at work, before it
// looks at the journal or before it writes there: it only looks, or saves a revision
// of its own. Each entry is in the journal once; whoever saves over what they have not seen
// is told so.
func TestSavingBeside(t *testing.T) {
	for _, tt := range []struct {
		early    bool
		saves    int
		conflict bool
	}{{true, 0, false}, {true, 1, true}, {false, 0, false}, {false, 1, false}} {
		k := newKeeper(t)
		k.put(disk{})
		if _, _, err := k.live(0, 0); err != nil {
			t.Fatal(err)
		}
		times := 0
		beside := func() {
			times++
			if _, _, err := k.live(0, tt.saves); err != nil {
				t.Errorf("%+v: %v", tt, err)
			}
		}
		first := &turn{s: k.s, w: k.w, locks: k.locks}
		var err error
		if first.st, err = first.load(); err != nil {
			t.Fatal(err)
		}
		if tt.early {
			beside()
		}
		if err := first.journal(); err != nil {
			t.Errorf("%+v: %v", tt, err)
		}
		failpoint.Install(func(name string) {
			if !tt.early && name == "saved active: journal behind" {
				beside() // it has points of its own, and takes this away
			}
		})
		k.says(first.st, first.st.Revision+1)
		err = first.save()
		if p := problem.Of(err); !tt.conflict && err != nil || tt.conflict && (p == nil || p.Code != workspace.Conflict) {
			t.Errorf("%+v: %v", tt, err)
		}
		if times != 1 {
			t.Errorf("%+v: it came %d times", tt, times)
		}
		last, _, err := k.live(0, lastRevision)
		if err == nil {
			err = k.judge(last)
		}
		if err != nil || len(last.Warnings) > 0 {
			t.Errorf("%+v: %v, %q", tt, err, last.Warnings)
		}
	}
}
