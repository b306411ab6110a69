//go:build linux

package robustness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// faults are what may be wrong around the program.
var faults = map[string]func(*clone){
	"no HOME": func(c *clone) {
		c.by = []string{"env", "-u", "HOME", "-u", "XDG_CACHE_HOME", "-u", "XDG_CONFIG_HOME", "-u", "XDG_STATE_HOME"}
	},
	"no TMPDIR":      func(c *clone) { c.by = []string{"env", "TMPDIR=/nowhere/at/all"} },
	"no git":         func(c *clone) { c.by = []string{"env", "PATH=/nowhere"} },
	"12 descriptors": func(c *clone) { c.by = []string{"prlimit", "--nofile=12"} },
	"20 descriptors": func(c *clone) { c.by = []string{"prlimit", "--nofile=20"} },
	"read-only project": func(c *clone) {
		c.readOnly()
	},
	"read-only home": func(c *clone) {
		c.must(os.RemoveAll(c.home))
		c.must(os.WriteFile(c.home, nil, 0o444)) // no folder can be made in it, by nobody
	},
	"256 MB of memory":             func(c *clone) { c.by = []string{"prlimit", "--data=268435456"} },
	"256 MB of memory for a group": func(c *clone) { c.group(256 << 20) },
	"too little memory":            func(c *clone) { c.by = []string{"prlimit", "--data=134217728"} },
	"1,600 MB of addresses":        func(c *clone) { c.by = []string{"prlimit", "--as=1677721600"} },
	"too little of addresses":      func(c *clone) { c.by = []string{"prlimit", "--as=1073741824"} },
	"full disk of the user":        func(c *clone) { c.fullDisk(c.home) },
	"full disk of the project":     func(c *clone) { c.fullDisk(filepath.Join(c.root, ".code-intel")) },
}

// fullDisk puts a file system without space in the place of a folder.
func (c *clone) fullDisk(at string) {
	c.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", at).CombinedOutput(); err != nil {
		c.Skipf("only root can fill a disk: %s", out)
	}
	c.Cleanup(func() { _ = exec.Command("umount", "-l", at).Run() })
	_ = os.WriteFile(filepath.Join(at, "filling"), make([]byte, 64<<10), 0o644) // as far as it goes
}

// group has commands run in a group of processes that may take so much memory together.
func (c *clone) group(bytes int) {
	c.Helper()
	at, limit := "/sys/fs/cgroup/memory/", "memory.limit_in_bytes"
	if _, err := os.Stat(at); err != nil {
		at, limit = "/sys/fs/cgroup/", "memory.max"
	}
	at, err := os.MkdirTemp(at, "code-intel-test-")
	if err != nil {
		c.Skip("only root can make a group: ", err)
	}
	c.Cleanup(func() { _ = os.Remove(at) })
	if err := os.WriteFile(filepath.Join(at, limit), fmt.Append(nil, bytes), 0o600); err != nil {
		c.Skip("groups have no limit here: ", err)
	}
	c.by = []string{"sh", "-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(at, "cgroup.procs")}
}

// reading are the commands whose answer is about the text alone.
var reading = [][]string{
	{"grep", "Greeting"}, {"def", "Greeting"}, {"refs", "Greeting"}, {"files", "*.go"}, {"outline", "main.go"}, {"search", "greeting"},
}

// answered fails the test unless the program answered, or said what is wrong and what to do.
func (c *clone) answered(what, out string, err error) {
	c.Helper()
	for _, bad := range []string{"panic:", "fatal error:", "goroutine ", "internal:", `"internal"`, "SIGBUS", "SIGSEGV"} {
		if strings.Contains(out, bad) {
			c.Errorf("%s: %s", what, out)
			return
		}
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case !errors.As(err, &exit) || exit.ExitCode() < 0 || exit.ExitCode() > 3:
		c.Errorf("%s: %v\n%s", what, err, out)
	case exit.ExitCode() == 3 && !strings.Contains(out, "\n  ") && !strings.Contains(out, `"legal_next":["`) && !strings.Contains(out, "incomplete:"):
		c.Errorf("%s says nothing of what to do:\n%s", what, out)
	}
}

// said is an answer without what is said about it.
func said(out string) string {
	lines := slices.Collect(strings.Lines(out))
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "note:") || strings.HasPrefix(l, "time=")
	}), "")
}

// TestFaults has every fault meet every command and a server: each gives the right answer,
// or says what is wrong and what to do about it, and reading goes on.
func TestFaults(t *testing.T) {
	program := build(t)
	healthy := newClone(t)
	right := map[string]string{}
	for _, args := range reading {
		out, _ := healthy.run(program, "", args...)
		right[fmt.Sprint(args)] = said(out)
	}
	for name, fault := range tier.Cases(faults, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			fault(c)
			for _, args := range slices.Concat(commands, [][]string{{"init"}, {"install", "claude"}, {"explore", "greeting"}, {"clean", "--dry-run"}}) {
				out, err := c.run(program, "{}", args...)
				c.answered(fmt.Sprint(args), out, err)
			}
			for _, args := range reading {
				out, err := c.run(program, "", args...)
				if want := right[fmt.Sprint(args)]; err == nil && said(out) != want {
					t.Errorf("%v:\n%s\nwant\n%s", args, out, want)
				} else if err != nil && args[0] == "grep" && !strings.Contains(name, "descriptors") && !strings.HasPrefix(name, "too little") {
					t.Errorf("%v, which needs nothing but the files: %v\n%s", args, err, out)
				}
			}
			c.answered("the server", c.serveCalls(program, calls), nil)
		})
	}
}

// TestLittleMemory has commands read a project for which there is too little memory, then
// ask again: what was read stays read, and no command ends without a word.
func TestLittleMemory(t *testing.T) {
	program := build(t)
	c := newClone(t)
	for i := range 400 {
		var text strings.Builder
		fmt.Fprintf(&text, "package p%d\n", i)
		for j := range 200 {
			fmt.Fprintf(&text, "\n// Greeting%d greets number %d.\nfunc Greeting%[1]d(a, b int) (int, error) { return a*%[2]d + b, nil }\n", j, i)
		}
		put(t, c.root, fmt.Sprintf("p%d/a.go", i), text.String())
	}
	for name, limit := range tier.Cases(map[string]func(*clone){
		"180 MB":             func(c *clone) { c.by = []string{"prlimit", "--data=188743680"} },
		"128 MB for a group": func(c *clone) { c.group(128 << 20) },
		"192 MB for a group": func(c *clone) { c.group(192 << 20) },
		"1,550 MB addresses": func(c *clone) { c.by = []string{"prlimit", "--as=1625292800"} },
	}, 2) {
		t.Run(name, func(t *testing.T) {
			c := *c
			c.TB = t
			limit(&c)
			for _, args := range slices.Concat([][]string{{"index"}}, reading) {
				out, err := c.run(program, "{}", args...)
				c.answered(fmt.Sprint(args), out, err)
			}
			c.answered("the server", c.serveCalls(program, calls[1:]), nil)
			c.must(os.RemoveAll(c.home))
			c.must(os.Mkdir(c.home, 0o755))
		})
	}
}

// TestDamagedBlocks damages the files of an index at every 4 KB, one after the other. Each
// question then has the right answer, or none that could be taken for one.
func TestDamagedBlocks(t *testing.T) {
	program := build(t)
	c := newClone(t)
	right := map[string]string{}
	for _, args := range reading {
		out, err := c.run(program, "", args...)
		c.answered(fmt.Sprint(args), out, err)
		right[fmt.Sprint(args)] = said(out)
	}
	files := map[string][]byte{}
	c.must(filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".lock") && strings.Contains(path, "index") {
			files[path], err = os.ReadFile(path)
		}
		return err
	}))
	type block struct {
		path string
		at   int
	}
	var blocks []block
	for path, content := range files {
		for at := 0; at < len(content); at += 4 << 10 {
			blocks = append(blocks, block{path, at})
		}
	}
	slices.SortFunc(blocks, func(a, b block) int {
		return strings.Compare(fmt.Sprintf("%s %09d", a.path, a.at), fmt.Sprintf("%s %09d", b.path, b.at))
	})
	t.Logf("%d blocks in %d files", len(blocks), len(files))
	for i, b := range tier.Sample(blocks, 10) {
		for _, path := range c.lying("index") {
			if files[path] == nil && !strings.HasSuffix(path, ".lock") {
				c.must(os.RemoveAll(path))
			}
		}
		for path, content := range files {
			c.must(os.WriteFile(path, content, 0o600))
		}
		damaged := slices.Clone(files[b.path])
		for j := b.at; j < min(b.at+4<<10, len(damaged)); j++ {
			damaged[j] ^= 0x5a
		}
		c.must(os.WriteFile(b.path, damaged, 0o600))
		args := reading[1+i%(len(reading)-1)]
		for _, when := range []string{"damaged", "and again"} {
			out, err := c.run(program, "", args...)
			what := fmt.Sprintf("%s %v, %s at %d", when, args, filepath.Base(b.path), b.at)
			c.answered(what, out, err)
			if err == nil && said(out) != right[fmt.Sprint(args)] && !strings.Contains(out, "incomplete:") {
				t.Errorf("%s:\n%s\nwant\n%s", what, out, right[fmt.Sprint(args)])
			}
		}
	}
}

// lying returns the files below the user's folder whose path holds a text.
func (c *clone) lying(text string) (paths []string) {
	_ = filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, text) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}
