package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestIndexWatch runs the verb as a user does who lets it run: one line each
// time something changed, and a good end when it is interrupted.
func TestIndexWatch(t *testing.T) {
	root := t.TempDir()
	file := func(name string) string { return filepath.Join(root, name) }
	for name, text := range map[string]string{"a.py": "def one():\n    return 1\n", ".code-intel/config.json": "{}\n"} {
		if err := os.MkdirAll(filepath.Dir(file(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	outReader, out := io.Pipe()
	errReader, errWriter := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		status := Main(ctx, []string{"index", "--watch", root}, strings.NewReader(""), out, errWriter)
		out.Close()
		errWriter.Close()
		ended <- status
	}()
	first := bufio.NewScanner(outReader)
	if !first.Scan() || !strings.Contains(first.Text(), "1 file indexed") {
		t.Fatalf("first %q, %v", first.Text(), first.Err())
	}
	go io.Copy(io.Discard, outReader)
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(errReader); s.Scan(); {
			lines <- s.Text()
		}
	}()
	if err := os.WriteFile(file("b.py"), []byte("def two():\n    return 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	late := time.After(time.Minute)
	for told := false; !told; {
		select {
		case line := <-lines:
			told = strings.Contains(line, "2 files: 1 added, 0 changed, 0 removed")
		case <-late:
			t.Fatal("nothing was said of the new file")
		}
	}
	interrupt()
	for range lines {
	}
	if status := <-ended; status != exitDone {
		t.Errorf("exit status %d", status)
	}
}
