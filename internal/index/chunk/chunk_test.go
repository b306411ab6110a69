package chunk

import (
	"bytes"
	"strings"
	"testing"

	"codeintel/internal/syntax"
)

// holds fails unless the chunks are in order, do not overlap, hold all text that
// is not white space, and know their lines.
func holds(t *testing.T, src []byte, chunks []Chunk, max int) {
	t.Helper()
	at := 0
	for i, c := range chunks {
		if c.Start < at || c.End <= c.Start || c.End > len(src) {
			t.Fatalf("chunk %d is %d-%d behind %d of %d", i, c.Start, c.End, at, len(src))
		}
		if lost := bytes.TrimSpace(src[at:c.Start]); len(bytes.Trim(lost, "\f\v")) > 0 {
			t.Fatalf("before chunk %d %q is lost", i, lost)
		}
		if want := 1 + bytes.Count(src[:c.Start], []byte("\n")); c.StartLine != want {
			t.Errorf("chunk %d starts at line %d, want %d", i, c.StartLine, want)
		}
		if want := 1 + bytes.Count(src[:c.End], []byte("\n")); c.EndLine != want {
			t.Errorf("chunk %d ends at line %d, want %d", i, c.EndLine, want)
		}
		if c.End-c.Start > max {
			t.Errorf("chunk %d has %d bytes, more than %d", i, c.End-c.Start, max)
		}
		at = c.End
	}
	if lost := bytes.TrimSpace(src[at:]); len(lost) > 0 {
		t.Fatalf("at the end %q is lost", lost)
	}
}

const source = `// Package p is small.
package p

import "fmt"

const a = 1

const b = 2

// Double doubles.
func Double(x int) int {
	y := x
	return y + x
}

// T holds things.
type T struct {
	name string
}

func (t T) Print() {
	fmt.Println(t.name)
	fmt.Println(t.name)
}
`

func TestSplitFollowsDeclarations(t *testing.T) {
	f, err := syntax.Parse(syntax.Go, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	chunks := Split(f, []byte(source), 0)
	holds(t, []byte(source), chunks, 2048)
	var got []string
	for _, c := range chunks {
		first, _, _ := strings.Cut(source[c.Start:c.End], "\n")
		got = append(got, c.Symbol+"|"+first)
	}
	want := []string{"a|// Package p is small.", "Double|// Double doubles.", "T|// T holds things.", "Print|func (t T) Print() {"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("chunks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := chunks[1]; c.Doc != "Double doubles." || c.Kind != syntax.Function || c.Signature != "func Double(x int) int" || len(c.Fingerprint) != 64 {
		t.Errorf("the chunk of Double is %+v", c)
	}
}

func TestLongOnesAreSplit(t *testing.T) {
	long := "package p\n\nfunc Long() {\n" + strings.Repeat("\tprintln(\"日本語のとても長い行\")\n", 400) + "}\n"
	f, err := syntax.Parse(syntax.Go, []byte(long))
	if err != nil {
		t.Fatal(err)
	}
	chunks := Split(f, []byte(long), 100)
	holds(t, []byte(long), chunks, 400)
	if len(chunks) < 10 || chunks[5].Symbol != "Long" {
		t.Errorf("%d chunks, the sixth of %q", len(chunks), chunks[5].Symbol)
	}
	one := []byte(strings.Repeat("語", 10000)) // one line without a border
	holds(t, one, Lines(one, 100), 400)
	for _, c := range Lines(one, 100) {
		if !bytes.Equal(bytes.ToValidUTF8(one[c.Start:c.End], nil), one[c.Start:c.End]) {
			t.Fatal("a character was cut in two")
		}
	}
}

func TestNothing(t *testing.T) {
	for _, src := range []string{"", " \n\t\n"} {
		if got := Split(&syntax.File{}, []byte(src), 0); len(got) != 0 {
			t.Errorf("Split(%q) = %v", src, got)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte(source), 50, "go")
	f.Add([]byte("class A { void f() {} int x, y; }"), 16, "java")
	f.Add([]byte("a = 1\n\n\ndef f():\n  pass\n"), 1, "python")
	f.Add([]byte("\xff\xfe\n\n# h\n## i\n"), 20, "markdown")
	f.Fuzz(func(t *testing.T, src []byte, tokens int, lang string) {
		if len(src) > 1<<16 {
			return
		}
		file, err := syntax.Parse(syntax.Language(lang), src)
		if err != nil {
			t.Fatal(err)
		}
		max := 1 << 30
		if tokens > 0 && tokens < 1<<20 {
			max = 64 + 4*tokens
		}
		holds(t, src, Split(file, src, tokens), max)
		holds(t, src, Lines(src, tokens), max)
	})
}
