package commitlog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (r *repository) lineHistory(l *Log, file string) *LineHistory {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, file))
	if err != nil {
		r.Fatal(err)
	}
	p, err := l.LineHistory(r.Context(), file, text)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

func (r *repository) write(name, text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// save writes a file and commits it with a subject.
func (r *repository) save(name, text, subject string) {
	r.Helper()
	r.write(name, text)
	r.git("add", "-A")
	r.git("commit", "-q", "-m", subject)
}

// subjects is what commits say of themselves; "" for none.
func (r *repository) subjects(l *Log, ids ...string) []string {
	r.Helper()
	list := []string{}
	for _, id := range ids {
		if id == "" {
			list = append(list, "")
			continue
		}
		d, err := l.Describe(r.Context(), []string{id})
		if err != nil {
			r.Fatal(err)
		}
		list = append(list, d[0].Subject)
	}
	return list
}

func TestOrigin(t *testing.T) {
	r := play(t)
	r.save("old", "one\ntwo\nthree\nfour\n", "Begin")
	r.save("old", "one\ntwo!\nthree\nfour\n", "Change two")
	r.git("mv", "old", "a")
	r.git("commit", "-q", "-m", "Rename")
	r.git("switch", "-q", "-c", "side")
	r.save("a", "one\ntwo!\nthree\nfour!\n", "Change four")
	r.git("switch", "-q", "main")
	r.save("a", "one!\ntwo!\nthree\nfour\n", "Change one")
	r.git("merge", "-q", "-m", "Merge", "side")
	r.write("a", "new\r\none!\r\ntwo!\r\nthree!\r\nfour!\r\n") // not committed, and other line ends
	l := r.log()
	place := r.lineHistory(l, "a")
	want := []string{"", "Change one", "Change two", "", "Change four"}
	var got []string
	for line := range want {
		o, err := place.Origin(t.Context(), line+1)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.subjects(l, o.Commit)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	o, err := place.Origin(t.Context(), 3)
	if err != nil || o.Path != "old" || o.Edge {
		t.Errorf("%+v, %v", o, err)
	}
	changed, err := place.Changed(t.Context(), 3, 5, 9)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Change four", "Change two", "Begin"}, r.subjects(l, changed...)); diff != "" {
		t.Error(diff)
	}
	for _, line := range []int{-1, 0, 6, 1 << 40} {
		if o, err := place.Origin(t.Context(), line); err != nil || o.Commit != "" {
			t.Errorf("line %d: %+v, %v", line, o, err)
		}
	}
	r.write("untracked", "one\n")
	if place := r.lineHistory(l, "untracked"); place.Tracked() {
		t.Error("a file that is not committed counts as tracked")
	}
}

// A commit that only moves a line, indents it or takes it into another file is not where
// it comes from.
func TestOriginOfMoved(t *testing.T) {
	r := play(t)
	const first, second = "const closeTimeout = thirty * thousand // then the socket is destroyed\n", "const protocolVersions = eight\n"
	r.save("a", first+"begin\n"+second, "Write both")
	r.save("a", second+"begin\n"+first, "Move both")
	r.save("a", second+"begin\n\t"+first, "Indent")
	r.write("b", "\t"+first)
	r.save("a", second+"begin\n", "Take the first into another file")
	for file, line := range map[string]int{"a": 1, "b": 1} {
		l := r.log()
		o, err := r.lineHistory(l, file).Origin(t.Context(), line)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.subjects(l, o.Commit); got[0] != "Write both" {
			t.Errorf("%s:%d: %q", file, line, got)
		}
	}
}

// Where a shallow clone ends, a line may come from further back.
func TestOriginShallow(t *testing.T) {
	r := play(t)
	r.save("a", "one\ntwo\n", "Begin")
	r.save("a", "one!\ntwo\n", "Change one")
	r.save("a", "one!!\ntwo\n", "Change one again")
	clone := &repository{T: t, dir: filepath.Join(t.TempDir(), "clone"), kept: t.TempDir()}
	r.git("clone", "-q", "--depth=2", "file://"+r.dir, clone.dir)
	l := clone.log()
	place := clone.lineHistory(l, "a")
	for line, edge := range []bool{false, true} {
		o, err := place.Origin(t.Context(), line+1)
		if err != nil || o.Edge != edge {
			t.Errorf("line %d: %+v, %v", line+1, o, err)
		}
	}
	changed, err := place.Changed(t.Context(), 1, 2, 9)
	if diff := cmp.Diff([]string{"Change one again"}, clone.subjects(l, changed...)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	// The first commit of all is no such end.
	if o, err := r.lineHistory(r.log(), "a").Origin(t.Context(), 2); err != nil || o.Edge {
		t.Errorf("%+v, %v", o, err)
	}
}

// Whatever was edited, matched lines are equal and in order, and no fewer than are
// common to both.
func TestMatched(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var before, now []string
		for range random.IntN(30) {
			before = append(before, fmt.Sprint(random.IntN(12)))
		}
		for _, l := range before {
			switch random.IntN(6) {
			case 0:
			case 1:
				now = append(now, fmt.Sprint(random.IntN(12)))
			case 2:
				now = append(now, l, fmt.Sprint(random.IntN(12)))
			default:
				now = append(now, l)
			}
		}
		to := matched(now, before)
		last := 0
		for i, l := range now {
			if n := to[i+1]; n != 0 {
				if n <= last || before[n-1] != l {
					t.Fatalf("%v of %v: %v", strings.Join(now, " "), strings.Join(before, " "), to)
				}
				last = n
			}
		}
	}
	same := slices.Repeat([]string{"}"}, 5000)
	if to := matched(same, same); to[5000] != 5000 {
		t.Error("equal texts do not match")
	}
	if to := matched(append([]string{"a"}, same...), append(slices.Clone(same), "b")); len(to) != 5002 {
		t.Error("a part without rare lines is not cut")
	}
}
