package memory

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func lesson(session string) Agreement {
	return Agreement{
		Phrases: []string{"discount  in\npercent"}, Symbols: []string{"Cart.total", "Cart.discount"}, Files: []string{"shop/cart.py"},
		Similarity: 0.8, Session: session, Intent: "MODIFY", LearnedAt: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		Evidence: "> Add a discount\n\n---\n\noutcome: this is no head",
	}
}

// learn writes what Learn says and returns the file, "" for none.
func (f folder) learn(a Agreement) string {
	f.t.Helper()
	file, text, err := f.Learn(f.t.Context(), a)
	if err != nil {
		f.t.Fatal(err)
	}
	if file != "" {
		if err := f.p.WriteFile(file, text); err != nil {
			f.t.Fatal(err)
		}
	}
	return file
}

func TestLearn(t *testing.T) {
	f := newFolder(t)
	file := f.learn(lesson("s1"))
	all, err := f.All(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	want := lesson("s1")
	want.Path, want.Phrases, want.Lines = file, []string{"discount in percent"}, 15
	want.Sum = all[0].Sum
	if diff := cmp.Diff(&want, all[0]); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(file, ".code-intel/agreements/discount-in-percent-") {
		t.Errorf("file %s", file)
	}
	before, err := os.ReadFile(f.p.Abs(file))
	if err != nil {
		t.Fatal(err)
	}
	before = append(before, "\nA person has added this.\n"...)
	if err := f.p.WriteFile(file, before); err != nil {
		t.Fatal(err)
	}
	if again, text, err := f.Learn(t.Context(), lesson("s1")); err != nil || again != file || string(text) != string(before) {
		t.Errorf("once more: %q, %v, %s", again, err, text)
	}
	other := lesson("s2")
	other.Symbols = []string{"Cart.discount"}
	if file2 := f.learn(other); file2 == "" || file2 == file {
		t.Errorf("other symbols: %q", file2)
	}
	japanese := lesson("s3")
	japanese.Phrases = []string{"割引の計算（税込み）: ../../" + strings.Repeat("長い", 400)}
	if name := strings.TrimPrefix(f.learn(japanese), ".code-intel/agreements/"); !strings.HasPrefix(name, "割引の計算-税込み-長い") || strings.Contains(name, "/") || len([]rune(name)) > 60 {
		t.Errorf("a long Japanese phrase: %q", name)
	}
}

// The same words of the same symbols are one agreement, in whatever file.
func TestLearnUpdates(t *testing.T) {
	f := newFolder(t)
	first := f.learn(lesson("s1"))
	later := lesson("s2")
	later.Phrases, later.Symbols = []string{"percent discount"}, []string{"Cart.discount", "Cart.total"}
	if file := f.learn(later); file != first {
		t.Errorf("updated %q, want %s", file, first)
	}
	if _, err := f.Mark(t.Context(), "s2", Success); err != nil {
		t.Fatal(err)
	}
	f.learn(lesson("s3"))
	m := f.load()
	if len(m.Agreements) != 1 || m.Agreements[0].Session != "s3" || m.Agreements[0].Outcome != Success {
		t.Errorf("after an update: %+v", m.Agreements)
	}

	f.write("hand.md", agreement("tax", "gross", "2026-01-01", ""))
	byHand := lesson("s4")
	byHand.Phrases, byHand.Symbols = []string{"tax"}, []string{"gross"}
	if file := f.learn(byHand); file != "" {
		t.Errorf("a person's own word was rewritten: %s", file)
	}
}

// What failed leaves the Map, stays on disk, and comes back when the same is
// learned anew.
func TestMark(t *testing.T) {
	f := newFolder(t)
	file := f.learn(lesson("s1"))
	weight := f.load().Agreements[0].Weight
	for _, step := range []struct {
		outcome Outcome
		weight  float64 // 0: not in the Map
	}{{Failure, 0}, {Partial, halfSuccess}, {Success, 1}, {Success, 1}, {Failure, 0}} {
		before, err := os.ReadFile(f.p.Abs(file))
		if err != nil {
			t.Fatal(err)
		}
		marked, err := f.Mark(t.Context(), "s1", step.outcome)
		if err != nil || len(marked) != 1 || marked[0] != file {
			t.Fatalf("%s: marked %v, %v", step.outcome, marked, err)
		}
		after, err := os.ReadFile(f.p.Abs(file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(after), "\noutcome: "); n != 2 || !strings.Contains(string(after), "\noutcome: "+string(step.outcome)+"\n") || !strings.Contains(string(after), "\noutcome: this is no head\n") {
			t.Errorf("%s, from:\n%s\nto:\n%s", step.outcome, before, after)
		}
		m := f.load()
		switch {
		case step.weight == 0 && len(m.Agreements) != 0:
			t.Errorf("%s: still in the Map", step.outcome)
		case step.weight > 0 && (len(m.Agreements) != 1 || m.Agreements[0].Weight != step.weight):
			t.Errorf("%s: %+v", step.outcome, m.Agreements)
		}
	}
	if weight >= 1 || weight <= halfSuccess {
		t.Errorf("unconfirmed it weighs %v", weight)
	}
	for _, session := range []string{"", "s2"} {
		if marked, err := f.Mark(t.Context(), session, Success); err != nil || len(marked) != 0 {
			t.Errorf("session %q: marked %v, %v", session, marked, err)
		}
	}
	if again := f.learn(lesson("s2")); again != file || len(f.load().Agreements) != 1 {
		t.Errorf("learned anew: %q, %+v", again, f.load().Faults)
	}
}
