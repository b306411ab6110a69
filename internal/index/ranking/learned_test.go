package ranking

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"codeintel/internal/text/question"
)

// The trees of the program say of a sample of rows what the program that trained them says.
func TestTrees(t *testing.T) {
	raw, err := os.ReadFile("testdata/scores.bin") // written by script/rank/train.py
	if err != nil {
		t.Fatal(err)
	}
	type sample struct {
		Row           Row
		Files, Pieces float64
	}
	all := make([]sample, len(raw)/binary.Size(sample{}))
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("%d rows", len(all))
	}
	h, err := readHeads(trained)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		s := &all[i]
		files, pieces := h.files.score(&s.Row), h.pieces.score(&s.Row)
		if math.Abs(files-s.Files) > 1e-6 || math.Abs(pieces-s.Pieces) > 1e-6 {
			t.Fatalf("row %d: %v, %v, want %v, %v", i, files, pieces, s.Files, s.Pieces)
		}
	}
}

func TestColumnNames(t *testing.T) {
	names := ColumnNames()
	slices.Sort(names)
	if len(names) != columns || len(slices.Compact(names)) != columns {
		t.Errorf("%d names of %d columns: %q", len(names), columns, names)
	}
}

// Trees that were trained on other columns, and such as lead out of themselves, are refused.
func TestReadHeads(t *testing.T) {
	if _, err := readHeads(append([]byte("other columns"), trained[8:]...)); err != errColumns {
		t.Errorf("other columns: %v", err)
	}
	for _, b := range [][]byte{trained[:len(trained)-1], append(slices.Clone(trained), 0), trained[:8]} {
		if _, err := readHeads(b); err != errTrees {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := slices.Clone(trained)
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			b[rapid.IntRange(8, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "to")
		}
		if h, err := readHeads(b); err == nil {
			h.files.score(&Row{})
			h.pieces.score(&Row{})
		}
	})
}

// by is a head of one tree, which gives what is above most in a column one and others none.
func by(column uint8, most float64) head {
	return head{{splits: []split{{column, most, -1, -2}}, leaves: []float64{0, 1}}}
}

func list(kind question.Kind, files ...int) *List {
	l := &List{Kind: kind, Tested: make([]float64, 10), Rarity: []float64{1, 3}}
	for i, f := range files {
		l.All = append(l.All, Candidate{File: f})
		l.Order = append(l.Order, Ranked{Candidate: i, Score: float64(len(files) - i), Reasons: []string{fmt.Sprint(i)}})
		l.Pieces = append(l.Pieces, Piece{Path: fmt.Sprintf("%d.go", f), Lines: 10, FileLines: 100})
	}
	return l
}

func orderOf(all []Ranked) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprint(&b, r.Candidate)
	}
	return b.String()
}

// What the heads say makes one order: files by theirs, pieces of a file by the other, and
// further pieces of a file come after the first ones of others.
func TestMixes(t *testing.T) {
	h := &heads{files: by(colTested, 0.5), pieces: by(colWords, 0.5)}
	l := list(question.Prose, 0, 0, 1, 1)
	l.Tested[1] = 1
	if got := orderOf(l.reorder(h)); got != "2031" {
		t.Errorf("the file with tests: %s", got)
	}
	l = list(question.Prose, 0, 0)
	l.All[1].Has = 2
	got := l.reorder(h)
	if orderOf(got) != "10" {
		t.Errorf("the piece with the rarer word: %s", orderOf(got))
	}
	if got[0].Score != 2 || got[0].Reasons[0] != "1" {
		t.Errorf("%+v: scores belong to places, reasons to candidates", got[0])
	}
	for kind, learned := range map[question.Kind]bool{question.Symbolic: false, question.Report: false, question.Prose: true} {
		if Learns(kind) != learned {
			t.Errorf("kind %v: learned %v", kind, !learned)
		}
	}
}

// Nothing is lost or added, and the same list gives the same order.
func TestReorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := question.Prose
		l := list(kind, rapid.SliceOfN(rapid.IntRange(0, 9), 0, Listed).Draw(t, "files")...)
		for i := range l.All {
			l.All[i].Has = rapid.Uint32().Draw(t, "has")
			l.All[i].Signals[Text] = rapid.Float64Range(0, 9).Draw(t, "text")
			l.All[i].Definition = rapid.SampledFrom([]float64{0, 0.9, 1.5}).Draw(t, "definition")
		}
		got := l.Reorder()
		if again := l.Reorder(); orderOf(again) != orderOf(got) {
			t.Fatal("another order")
		}
		seen := make(map[int]bool)
		for i, r := range got {
			seen[r.Candidate] = true
			if r.Score != l.Order[i].Score {
				t.Fatalf("place %d: score %v", i, r.Score)
			}
		}
		if len(seen) != len(l.Order) {
			t.Fatalf("%d of %d", len(seen), len(l.Order))
		}
	})
}

func TestTestedBy(t *testing.T) {
	files := []string{"src/session.py", "tests/test_session.py", "src/user_name.ts", "src/user-name.spec.ts", "a/mod.rs", "latest_test.go"}
	var all []Candidate
	for i, text := range []float64{1, 4, 1, 2, 1, 1} {
		c := Candidate{File: i}
		c.Signals[Text] = text
		all = append(all, c)
	}
	if got, want := TestedBy(all, files), []float64{1, 0, 0.5, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func BenchmarkReorder(b *testing.B) {
	l := list(question.Prose)
	for i := range 400 {
		c := Candidate{File: i % 70, Has: uint32(i)}
		for s := range c.Signals {
			c.Signals[s] = float64((i*7 + int(s)) % 13)
		}
		l.All = append(l.All, c)
	}
	l.Tested = make([]float64, 70)
	l.Order = Rank(l.Kind, &Standard, l.All, Listed)
	for range l.Order {
		l.Pieces = append(l.Pieces, Piece{Path: "internal/index/rank.go", Lines: 10, FileLines: 100})
	}
	for b.Loop() {
		l.Reorder()
	}
}
