//go:build stress && linux

package robustness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// run runs the program in root and logs what it took.
func run(t *testing.T, bin, root string, args ...string) string {
	t.Helper()
	began := time.Now()
	cmd := exec.Command(bin, args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%v: %.1f s, %d MB", args, time.Since(began).Seconds(), use.Maxrss>>10)
	return string(out)
}

func has(t *testing.T, out, want string) {
	t.Helper()
	if !strings.Contains(out, want) {
		t.Errorf("no %q in:\n%.2000s", want, out)
	}
}

func TestStressManyFiles(t *testing.T) {
	bin, root := build(t), t.TempDir()
	const n = 100_000
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%d/e%d", i%100, i/100%50))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("package e\n\n// F%d is number %d.\nfunc F%d() { G%d() }\n", i, i, i, i%1000)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, bin, root, "index", ".")
	has(t, run(t, bin, root, "def", "F77777"), "f77777.go:4")
	has(t, run(t, bin, root, "grep", "-F", "func F12345()"), "f12345.go")
	has(t, run(t, bin, root, "search", "F54321 number"), "f54321.go")
	put(t, root, "d7/e7/edited.go", "package e\n\nfunc JustEdited() {}\n")
	has(t, run(t, bin, root, "def", "JustEdited"), "edited.go:3")
	run(t, bin, root, "index", ".")
}

// functions is the text of a Go file of about so many bytes, whose functions are
// called by the prefix and their number.
func functions(prefix string, size int) string {
	var b strings.Builder
	b.WriteString("package large\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "\n// %[1]s%[2]d is one of many.\nfunc %[1]s%[2]d(a, b int) int {\n\tif a > b {\n\t\treturn a - b + %[2]d\n\t}\n\treturn %[1]s%[3]d(b, a)\n}\n", prefix, i, i/2)
	}
	return b.String()
}

// TestStressLargeFile has a file just below the limit for parsing, and one beyond it,
// which is text only.
func TestStressLargeFile(t *testing.T) {
	bin, root := build(t), t.TempDir()
	put(t, root, "large.go", functions("F", 6<<20))
	put(t, root, "huge.go", functions("H", 50<<20))
	put(t, root, "small.go", "package large\n\nfunc Small() {}\n")
	run(t, bin, root, "index", ".") // beyond the standard limit: left out, and said so
	has(t, run(t, bin, root, "def", "Small"), "small.go:3")
	put(t, root, ".code-intel/config.json", `{"max_file_bytes": 67108864}`)
	t.Setenv("CODE_INTEL_MAX_FILE_BYTES", "67108864")
	run(t, bin, root, "index", ".")
	has(t, run(t, bin, root, "def", "F40000"), "large.go:")
	has(t, run(t, bin, root, "grep", "-F", "func F40000("), "large.go")
	has(t, run(t, bin, root, "grep", "-F", "func H200000("), "huge.go")
	has(t, run(t, bin, root, "def", "Small"), "small.go:3")
}

func TestStressDeepNesting(t *testing.T) {
	bin, root := build(t), t.TempDir()
	const deep = 10_000
	for ext, pair := range map[string][2]string{
		"go": {"{", "}"}, "py": {"(", ")"}, "js": {"function(){", "}"}, "ts": {"[", "]"}, "java": {"{", "}"}, "c": {"{", "}"},
		"cpp": {"namespace a{", "}"}, "cs": {"{", "}"}, "rs": {"{", "}"}, "rb": {"[", "]"}, "php": {"<?php [", "]"}, "kt": {"{", "}"},
		"swift": {"{", "}"}, "scala": {"{", "}"}, "sh": {"(", ")"}, "css": {"a{", "}"}, "html": {"<div>", "</div>"}, "vue": {"<div>", "</div>"},
		"svelte": {"{#if a}", "{/if}"}, "json": {"[", "]"}, "yaml": {"[", "]"}, "sql": {"(", ")"}, "lua": {"{", "}"}, "md": {"> ", ""},
		"blade.php": {"@if(a)", "@endif"}, "tsx": {"<a>", "</a>"}, "toml": {"[", "]"}, "xml": {"<a>", "</a>"},
	} {
		put(t, root, "deep."+ext, "x = "+strings.Repeat(pair[0], deep)+strings.Repeat(pair[1], deep)+"\n")
	}
	put(t, root, "flat.go", "package flat\n\nfunc Flat() {}\n")
	run(t, bin, root, "index", ".")
	has(t, run(t, bin, root, "def", "Flat"), "flat.go:3")
}

// definition asks for the place of a name over the protocol.
func definition(ctx context.Context, c *mcp.ClientSession, name string) (text string, refused bool, err error) {
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "find_definitions", Arguments: map[string]any{"symbol": name, "exact_match": true}})
	if err != nil {
		return "", false, err
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError, nil
}

func TestStressThousandQueries(t *testing.T) {
	bin, f := build(t), newFlicker(t)
	c := served(t, bin, f.root)
	if _, _, err := definition(t.Context(), c, "Mark1"); err != nil {
		t.Fatal(err)
	}
	for i := range 3000 {
		put(t, f.root, fmt.Sprintf("new/n%d/f%d.go", i%30, i), fmt.Sprintf("package n\n\nfunc New%d() {}\n", i))
	}
	began := time.Now()
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			text, refused, err := definition(t.Context(), c, fmt.Sprintf("Mark%d", i%f.files))
			if err != nil || refused || !strings.Contains(text, f.path(i%f.files)) {
				t.Errorf("%v %v %.300s", err, refused, text)
			}
		})
	}
	wg.Wait()
	t.Logf("1000 queries at once during a synchronisation: %.1f s", time.Since(began).Seconds())
}

func TestStressDamageWhileServing(t *testing.T) {
	bin, f := build(t), newFlicker(t)
	c := served(t, bin, f.root)
	dir := filepath.Join(f.root, ".code-intel/index")
	r := rand.New(rand.NewPCG(21, 22))
	errors := 0
	for round := range 60 {
		list, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, path := range list {
			if strings.HasSuffix(path, ".lock") {
				continue
			}
			switch b, err := os.ReadFile(path); {
			case err != nil:
			case round%4 == 0:
				os.Truncate(path, int64(r.IntN(len(b)+1)))
			case round%4 == 1 && len(b) > 0:
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				os.WriteFile(path, b, 0o644)
			case round%4 == 2:
				os.Remove(path)
			}
		}
		if round%4 == 3 {
			os.RemoveAll(dir)
		}
		i := r.IntN(f.files)
		f.toggle(t, i)
		healed, last := false, ""
		for try := 0; try < 50 && !healed; try++ {
			text, refused, err := definition(t.Context(), c, fmt.Sprintf("Mark%d", i))
			if err != nil {
				t.Fatalf("round %d: the server is gone: %v", round, err)
			}
			last = text
			want := fmt.Sprintf("%s:%d", f.path(i), 4+20*int(f.now[i].Load()))
			if healed = !refused && strings.Contains(text, want); !healed {
				errors++
				if !refused && !strings.Contains(text, "incomplete:") {
					t.Errorf("round %d: wrong and silent about it: %.300s", round, text)
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		if !healed {
			t.Fatalf("round %d: does not heal: %.500s", round, last)
		}
	}
	t.Logf("60 rounds, %d answers that said they lack something", errors)
}

func TestStressKilled(t *testing.T) {
	bin, f := build(t), newFlicker(t)
	r := rand.New(rand.NewPCG(31, 32))
	for round := range 60 {
		for i := range f.files {
			if r.IntN(2) == 0 {
				f.toggle(t, i)
			}
		}
		for i := range 150 {
			put(t, f.root, fmt.Sprintf("round/f%d.go", i), fmt.Sprintf("package round\n\nfunc R%dx%d() {}\n", round, i))
		}
		cmd := exec.Command(bin, "index", ".")
		cmd.Dir = f.root
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
	}
	g := openEngine(t, f.root)
	g.sync(t)
	f.settled(t, g)
}

func TestStressDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=3m"); err != nil {
		t.Skip("a small disk needs root:", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	bin, dir := build(t), filepath.Join(disk, "project")
	for i := range 300 {
		put(t, dir, fmt.Sprintf("p/f%d.go", i), fmt.Sprintf("package p\n\n// F%d is there.\nfunc F%d() { G(%q) }\n", i, i, strings.Repeat("word ", 200)))
	}
	if err := os.MkdirAll(filepath.Join(dir, ".code-intel/index"), 0o755); err != nil { // the index lies on that disk
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast.bin")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	f.Close()
	for _, free := range []int64{1 << 20, 600 << 10, 300 << 10, 100 << 10, 0} { // of what is there
		if err := os.Truncate(ballast, max(0, sizeOf(ballast)-free)); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"index", "."}, {"def", "F7"}, {"grep", "-F", "func F7("}} {
			cmd := exec.Command(bin, args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if strings.Contains(string(out), "panic:") || strings.Contains(string(out), "SIG") {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
			if err == nil && args[0] == "def" && !strings.Contains(string(out), "f7.go") {
				t.Errorf("wrong and silent about it: %s", out)
			}
		}
	}
	os.Remove(ballast)
	has(t, run(t, bin, dir, "index", "."), "")
	has(t, run(t, bin, dir, "def", "F7"), "f7.go:4")
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
