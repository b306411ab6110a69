package trigram

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

// build makes a filter of texts.
func build(t testing.TB, texts ...string) []byte {
	t.Helper()
	var s Scanner
	var b Builder
	for _, text := range texts {
		b.Add(s.Scan([]byte(text)))
	}
	raw, err := b.Build("test")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func open(t testing.TB, raw []byte) *Filter {
	t.Helper()
	f, err := Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func matching(t testing.TB, f *Filter, q Query) (numbers []int) {
	t.Helper()
	bits, err := f.Match(q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Files() {
		if bits.Has(i) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

func expression(t testing.TB, source string) Query {
	t.Helper()
	re, err := syntax.Parse(source, syntax.Perl&^syntax.OneLine)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return Expression(re.Simplify())
}

func TestMatchLeavesOut(t *testing.T) {
	f := open(t, build(t,
		"func NewReader(r io.Reader) *Reader",
		"func newWriter(w io.Writer)",
		"検索する関数",
		"errs.New and errors.New",
		"ab\ncd",
		"",
		"DISK, dis\u212A, di\u017Fk",
	))
	for _, tt := range []struct {
		name string
		q    Query
		want []int
	}{
		{"literal", Literal("NewReader"), []int{0}},
		{"case does not count", Literal("newreader"), []int{0}},
		{"Japanese", Literal("する関"), []int{2}},
		{"too short", Literal("fu"), []int{0, 1, 2, 3, 4, 5, 6}},
		{"no line holds it", Literal("abcd"), nil},
		{"half a character", Literal("\x82func"), []int{0, 1, 2, 3, 4, 5, 6}},
		{"expression", expression(t, `func\s+\w+Writer`), []int{1}},
		{"alternatives", expression(t, `Writer|関数`), []int{1, 2}},
		{"an optional part", expression(t, `err(or)?s\.New`), []int{3}},
		{"nothing to go by", expression(t, `\w+\d*`), []int{0, 1, 2, 3, 4, 5, 6}},
		{"a class", expression(t, `[Nn]ewWri`), []int{1}},
		{"letters that fold to ASCII", expression(t, `(?i)disk`), []int{6}},
		{"either", Either(Literal("Writer"), Literal("errors")), []int{1, 3}},
		{"either is both", allOf(Literal("errors"), Literal("errs")), []int{3}},
		{"one of them anything", Either(Literal("Writer"), Literal("")), []int{0, 1, 2, 3, 4, 5, 6}},
	} {
		if got := matching(t, f, tt.q); !equal(got, tt.want) {
			t.Errorf("%s: files %v, want %v", tt.name, got, tt.want)
		}
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestUnknownFilesAreNeverLeftOut(t *testing.T) {
	var s Scanner
	var b Builder
	b.Add(s.Scan([]byte("one")))
	b.AddUnknown()
	b.Add(s.Scan([]byte("two")))
	raw, err := b.Build("test")
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, raw)
	if got := matching(t, f, Literal("two")); !equal(got, []int{1, 2}) {
		t.Errorf("files %v", got)
	}
	if got := matching(t, f, Literal("nowhere")); !equal(got, []int{1}) {
		t.Errorf("files %v", got)
	}
	if f.Unknown() != 1 {
		t.Errorf("%d unknown", f.Unknown())
	}
}

// letters make texts in which patterns are likely to be found, and in which case
// matters in more than one way.
var letters = []rune("aAbBkKsS\u017F\u212A\u00e4\u00c4\u00df\u03c3\u03c2\u03a3関数 \n(.x1_")

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) {
		b.WriteRune(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// randomExpression makes an expression out of all that Go knows.
func randomExpression(r *rand.Rand, depth int) string {
	if depth == 0 {
		return regexp.QuoteMeta(strings.ReplaceAll(randomText(r, 5), "\n", ""))
	}
	sub := func() string { return randomExpression(r, depth-1) }
	switch r.IntN(12) {
	case 0:
		return "(?:" + sub() + ")?"
	case 1:
		return "(" + sub() + ")*"
	case 2:
		return "(?:" + sub() + ")+"
	case 3:
		return "(?:" + sub() + "){2,3}"
	case 4:
		return "(?i:" + sub() + ")"
	case 5, 6:
		return "(?:" + sub() + "|" + sub() + ")"
	case 7:
		return "[aBk\u017F]" + sub()
	case 8:
		return sub() + ".{0,2}" + sub()
	case 9:
		return `\b` + sub()
	}
	return sub() + sub()
}

// TestNothingIsMissed checks the filter against Go's own matching: it may pass too
// much, but nothing too little.
func TestNothingIsMissed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ruledOut, asked := 0, 0
	for range 300 {
		texts := make([]string, 1+r.IntN(80))
		for i := range texts {
			texts[i] = randomText(r, 60)
		}
		f := open(t, build(t, texts...))
		for range 20 {
			source := randomExpression(r, r.IntN(4))
			re := regexp.MustCompile(source)
			bits, err := f.Match(expression(t, source))
			if err != nil {
				t.Fatal(err)
			}
			literal := strings.ReplaceAll(randomText(r, 8), "\n", "x")
			plain, err := f.Match(Literal(literal))
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				asked++
				if !bits.Has(i) {
					ruledOut++
					for line := range strings.SplitSeq(text, "\n") {
						if re.MatchString(line) {
							t.Fatalf("%q matches %q, and was left out", source, line)
						}
					}
				}
				if !plain.Has(i) && (strings.Contains(text, literal) || strings.Contains(asciiLower(text), asciiLower(literal))) {
					t.Fatalf("%q holds %q, and was left out", text, literal)
				}
			}
		}
	}
	if ruledOut < asked/10 {
		t.Errorf("only %d of %d files were ruled out", ruledOut, asked)
	}
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func TestFileAndDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.tri")
	if _, err := OpenFile(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	var s Scanner
	var b Builder
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		b.Add(s.Scan([]byte(randomText(r, 400))))
	}
	if err := b.WriteFile(path, "label"); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Label() != "label" || f.Files() != 50 || f.Check() != nil {
		t.Errorf("%q, %d files, %v", f.Label(), f.Files(), f.Check())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Every single bit is covered by a checksum.
	for range 2000 {
		bad := bytes.Clone(raw)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		if f, err := Open(bad); err == nil && f.Check() == nil {
			t.Fatal("a flipped bit went unseen")
		}
	}
	for n := range len(raw) {
		if f, err := Open(raw[:n]); err == nil {
			t.Fatalf("%d of %d bytes were opened: %d files", n, len(raw), f.Files())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".segment-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(build(f, "func NewReader", "other text"), "NewReader")
	f.Add([]byte(format.Magic), "x")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		filter, err := Open(raw)
		if err != nil {
			return
		}
		filter.Check()
		if bits, err := filter.Match(Literal(text)); err == nil && len(bits) != (filter.Files()+63)/64 {
			t.Error("bits of another number of files")
		}
	})
}

// BenchmarkScan measures what a text costs.
func BenchmarkScan(b *testing.B) {
	text, err := os.ReadFile("filter.go")
	if err != nil {
		b.Fatal(err)
	}
	text = bytes.Repeat(text, 4)
	var s Scanner
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Scan(text)
	}
}
