package vectorstore_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gofrs/flock"

	"codeintel/internal/embedding/vectorstore"
	"codeintel/test/tier"
)

// hold takes the writer's lock of the collection under dir, as another process.
func hold(t *testing.T, dir string) (release func()) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(dir, "forest-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %v, %v", folders, err)
	}
	l := flock.New(filepath.Join(folders[0], "write.lock"))
	if err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	return func() { l.Unlock() }
}

// The test program is also the writer that others are tested against.
const writerEnv = "CODEINTEL_VECTORS_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		if err := write(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// generation is the same rows each time, with the number of the writer and the
// round in all of them.
func generation(writer, round int) []vectorstore.Item {
	items := sample(60)
	for i := range items {
		items[i].Meta = map[string]string{"by": fmt.Sprint(writer, "/", round)}
	}
	return items
}

// write puts in one generation after the other and says so, for as long as
// somebody listens.
func write(dir string) error {
	writer := os.Getpid()
	e, err := vectorstore.Open(context.Background(), dir, small, quiet)
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		if err := e.Upsert(context.Background(), generation(writer, round)); err != nil {
			return err
		}
		if _, err := fmt.Println(round); err != nil {
			return nil
		}
	}
}

// TestProcesses has two processes write while this one reads and one after the
// other is killed: every answer is one generation, whole.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, small)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Upsert(t.Context(), generation(0, 0)); err != nil {
		t.Fatal(err)
	}
	query := sample(60)[0].Vector
	seen := make(map[string]bool)
	for round := range tier.Number(2, 6) {
		var writers []*exec.Cmd
		var lines []*bufio.Scanner
		for range 2 {
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Env = append(os.Environ(), writerEnv+"="+dir)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			writers, lines = append(writers, cmd), append(lines, bufio.NewScanner(out))
		}
		read := func() {
			t.Helper()
			hits, err := e.Query(t.Context(), query, 100)
			if err != nil || len(hits) != 60 {
				t.Fatalf("round %d: %d hits, %v", round, len(hits), err)
			}
			for _, h := range hits {
				if h.Meta["by"] != hits[0].Meta["by"] {
					t.Fatalf("round %d: two generations in one answer: %s, %s", round, h.Meta["by"], hits[0].Meta["by"])
				}
			}
			seen[hits[0].Meta["by"]] = true
		}
		for _, l := range lines { // both write
			// A writer may be many generations ahead of its lines.
			for lines, enough := 0, len(seen)+5+round; len(seen) < enough; lines++ {
				if lines == 10_000 {
					t.Fatalf("only %d generations were seen", len(seen))
				}
				if !l.Scan() {
					t.Fatalf("a writer ended: %v", l.Err())
				}
				if _, err := strconv.Atoi(l.Text()); err != nil {
					t.Fatal(err)
				}
				read()
			}
		}
		for _, w := range writers {
			if err := w.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			read()
			w.Wait()
		}
		if err := e.Upsert(t.Context(), generation(0, round)); err != nil {
			t.Fatalf("after a writer was killed: %v", err)
		}
		read()
	}
	if n := len(filesOf(t, dir, "*.vec")); n > 20 {
		t.Errorf("%d segments: what killed writers left was not removed", n)
	}
}
