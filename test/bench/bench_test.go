//go:build bench

package bench

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/project"
)

var (
	benchRuns    = flag.Int("runs", 5, "how often each command is timed")
	benchProfile = flag.Bool("profile", false, "add to the page where the time of the rows goes")
)

// TestBench measures every target of the product, each beside its peer in the same
// run, and writes docs/design/benchmarks.md. Absolute times depend on the machine and on
// who shares it; the ratios less so.
//
// With -short it leaves out the tree of a million chunks. With -run TestBench/edit
// and the like it measures one part, and leaves the page as it is.
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
		{"vectors", (*bench).vectorStore},
		{"quality", (*bench).quality},
		{"curves", (*bench).curves},
	} {
		t.Run(part.name, func(t *testing.T) { part.do(b, t) })
		b.save(t)
	}
	t.Log("\n" + b.page())
}

// A bench is the program, what it is measured on, and what was measured.
type bench struct {
	dir string // of everything, gone afterwards
	bin string // the program
	src string // a copy of the source tree of Go; see indexed

	rows     []target
	sections []section
	profiles []section
	asked    string // the part of the page on the quality of search
}

const page = "docs/design/benchmarks.md"

// save writes the page. It is called after each part, so that a run that is cut
// short leaves what it measured by then.
func (b *bench) save(t *testing.T) {
	t.Helper()
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return
	}
	if err := os.WriteFile(page, []byte(b.page()), 0o644); err != nil {
		t.Fatal(err)
	}
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

// indexed has the source tree of Go indexed, which the first part does, and
// returns it.
func (b *bench) indexed(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(b.src, project.Dir)); err != nil {
		measure(t, b.src, b.bin, "index", ".")
	}
	return b.src
}
