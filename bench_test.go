//go:build bench

package codeintel_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	benchRuns    = flag.Int("runs", 5, "how often each command is timed")
	benchProfile = flag.Bool("profile", false, "add to the page where the time of rows that are not met goes")
)

// TestBench measures every target of the product, each beside its peer in the same
// run, and writes docs/benchmarks.md. Absolute times depend on the machine and on
// who shares it; the ratios less so.
//
// With -short it leaves out the tree of a million chunks.
func TestBench(t *testing.T) {
	b := newBench(t)
	for _, part := range []struct {
		name string
		do   func(*bench, *testing.T)
	}{
		{"index", (*bench).fullIndex},
		{"cpp", (*bench).cppIndex},
		{"warm", (*bench).warmQueries},
		{"edit", (*bench).editedFile},
		{"text", (*bench).literalText},
		{"commands", (*bench).commands},
		{"clients", (*bench).clients},
		{"curves", (*bench).curves},
		{"vectors", (*bench).vectorStore},
		{"quality", (*bench).quality},
	} {
		t.Run(part.name, func(t *testing.T) { part.do(b, t) })
	}
	const page = "docs/benchmarks.md"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := b.page(string(old))
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + text)
}

// A bench is the program, what it is measured on, and what was measured.
type bench struct {
	dir string // of everything, gone afterwards
	bin string // the program
	src string // a copy of the source tree of Go, indexed by the first part

	rows     []target
	sections []section
}

// newBench builds the program and lays out the source tree of Go.
func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{dir: dir, bin: filepath.Join(dir, "code-intel"), src: filepath.Join(dir, "src")}
	measure(t, ".", "go", "build", "-o", b.bin, "./cmd/code-intel")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(b.src, os.DirFS(filepath.Join(strings.TrimSpace(string(goroot)), "src"))); err != nil {
		t.Fatal(err)
	}
	return b
}
