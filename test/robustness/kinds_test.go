//go:build linux

package robustness

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPathsOfEveryKind names things that are no files of the project, by the name of one, to everything that takes
// a path: each says what is there, and none that there is nothing.
func TestPathsOfEveryKind(t *testing.T) {
	program := build(t)
	c := newClone(t)
	c.git("config", "core.excludesFile", "/dev/null")
	put(t, c.root, ".gitignore", "ignored.go\n")
	put(t, c.root, "ignored.go", "package main\n")
	put(t, c.root, "large.go", "package main\n\n"+strings.Repeat("// Greeting\n", 400_000))
	c.fifo("pipe.go")
	c.must(syscall.Mknod(filepath.Join(c.root, "socket.go"), syscall.S_IFSOCK|0o644, 0))
	c.link("device.go", "/dev/zero")
	c.link("outside.go", "secret")
	c.link("folder.go", ".")
	c.must(syscall.Symlink("loop.go", filepath.Join(c.root, "loop.go")))
	r := &runner{clone: c}
	const read = "ignored.go has 1 line" // its history may be asked for
	for name, wants := range map[string]string{"pipe.go": "is not a regular file", "socket.go": "is not a regular file", "device.go": "leads outside",
		"outside.go": "leads outside", "folder.go": "leads outside", "loop.go": "form a loop", "ignored.go": "on disk, but is not a file of this project"} {
		for _, args := range [][]string{
			{"outline", name}, {"impact", name}, {"impact", name + "#Greeting"}, {"impact", name + ":4"}, {"explore", name}, {"explore", name + ":4"}, {"deps", name},
			{"why", name + ":4"}, {"grep", "Greeting", name}, {"grep", "Greeting", "--path", name}, {"search", "greeting", "--path", name}, {"def", "Greeting", "--path", name},
			{"refs", "Greeting", "--path", name}, {"dead", name},
		} {
			out := r.does(args)
			if !strings.Contains(out, wants) && (name != "loop.go" || !strings.Contains(out, "no file or folder")) && !strings.Contains(out, read) {
				t.Errorf("%q says\n%s", args, out)
			}
		}
		var calls []string
		for _, call := range []string{
			tool("get_symbols", `{"path":%q}`), tool("analyze_impact", `{"targets":[%q]}`), tool("explore", `{"query":%q}`), tool("file_dependencies", `{"file_path":%q}`),
			tool("file_history", `{"file_path":%q,"line":4}`), tool("search_text", `{"pattern":"Greeting","path":%q}`), tool("semantic_search", `{"query":"greet","path":%q}`),
			tool("find_definitions", `{"symbol":"Greeting","path":%q}`), tool("find_references", `{"symbol":"Greeting","path":%q}`), tool("find_dead_code", `{"path":%q}`),
			tool("get_function_at_line", `{"file_path":%q,"line":4}`), tool("analyze_structure", `{"path":%q}`),
		} {
			calls = append(calls, fmt.Sprintf(call, name))
		}
		for line := range strings.Lines(c.talk(program, calls)) {
			var answer struct{ ID int }
			if json.Unmarshal([]byte(line), &answer) == nil && answer.ID > 0 && !strings.Contains(line, wants) && !strings.Contains(line, read) {
				t.Errorf("%s does not say that it %q: %s", calls[answer.ID-1], wants, line)
			}
		}
	}
	for _, args := range [][]string{{"outline", "large.go"}, {"explore", "large.go"}, {"explore", "large.go:4"}, {"impact", "large.go#Greeting"}, {"impact", "large.go"}, {"why", "large.go:4"}} {
		if out := r.does(args); !strings.Contains(out, "too_large") && !strings.Contains(out, "the limit is") && !strings.Contains(out, "incomplete:") {
			t.Errorf("%q says\n%s", args, out)
		}
	}
	r.end()
}
