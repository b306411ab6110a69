//go:build linux

package robustness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	"256 MB of memory":              func(c *clone) { c.by = []string{"prlimit", "--data=268435456"} },
	"256 MB of memory for a group":  func(c *clone) { c.group(256 << 20) },
	"too little memory":             func(c *clone) { c.by = []string{"prlimit", "--data=134217728"} },
	"1,600 MB of addresses":         func(c *clone) { c.by = []string{"prlimit", "--as=1677721600"} },
	"too little of addresses":       func(c *clone) { c.by = []string{"prlimit", "--as=1073741824"} },
	"too little in a file: nothing": func(c *clone) { c.by = []string{"prlimit", "--fsize=0"} },
	"too little in a file: 20 kB":   func(c *clone) { c.by = []string{"prlimit", "--fsize=20000"} },
	"full disk of the user":         func(c *clone) { c.fullDisk(c.home) },
	"full disk of the project":      func(c *clone) { c.fullDisk(filepath.Join(c.root, ".code-intel")) },
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
	}, 4) {
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

// facts are the commands and tools whose answer is about the project alone, whatever state
// the index was in.
var facts = regexp.MustCompile(`^(grep|def|refs|files|outline|search|explore|impact|why|deps|dead|search_text|find_definitions|find_references|search_files|` +
	`get_symbols|semantic_search|get_function_at_line|analyze_structure|query|analyze_impact|validate_symbol_relevance|fetch_chunk_detail|file_dependencies|find_dead_code)$`)

// embedder is an embedding server that counts the letters of each text.
func (c *clone) embedder() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		var answer struct {
			Data []struct {
				Embedding [26]float32 `json:"embedding"`
			} `json:"data"`
		}
		answer.Data = slices.Grow(answer.Data, len(asked.Input))[:len(asked.Input)]
		for i, text := range asked.Input {
			for _, letter := range strings.ToLower(text) {
				if 'a' <= letter && letter <= 'z' {
					answer.Data[i].Embedding[letter-'a']++
				}
			}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	c.Cleanup(s.Close)
	put(c, c.root, ".code-intel/config.json", fmt.Sprintf(`{"embedding_model":"%s/v1/embeddings|model=x"}`, s.URL))
	c.env = append(c.env, "CODE_INTEL_EMBEDDING_URL="+s.URL)
}

// index returns the files of the index, wherever it lies.
func (c *clone) index() []string {
	all := slices.Concat(c.lying("index"), lying(filepath.Join(c.root, ".code-intel"), "index"))
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, ".lock") })
}

// indexed fills the project until its index has every kind of file, and returns all of them.
func (c *clone) indexed(program string) map[string][]byte {
	c.Helper()
	put(c, c.root, "go.mod", "module example.com/clone\n\ngo 1.26\n")
	put(c, c.root, "twice.go", "package main\n\nimport \"example.com/clone/still\"\n\nfunc twice() string { still.Stand0(); return Greeting() + Greeting() }\n")
	for i := range 130 {
		put(c, c.root, fmt.Sprintf("still/s%d.go", i), fmt.Sprintf("package still\n\n// Stand%d stands beside others.\nfunc Stand%[1]d() { Stand%d(); word%d(); other%d() }\n", i, i/2, i%40, i%30))
	}
	c.git("add", "-A")
	c.git("commit", "-qm", "two")
	put(c, c.root, "main.go", "package main\n\n// Greeting greets.\nfunc Greeting() string { return \"hello, hello\" }\n\nfunc main() { println(Greeting()) }\n")
	c.embedder()
	for range 2 { // what the first finds missing, the second makes
		for _, args := range [][]string{{"index"}, {"search", "stands beside"}} {
			out, err := c.run(program, "", args...)
			c.answered(fmt.Sprint(args), out, err)
		}
	}
	files := map[string][]byte{}
	for _, path := range c.index() {
		content, err := os.ReadFile(path)
		c.must(err)
		files[path] = content
	}
	for _, kind := range []string{".db", ".seg", ".tri", ".space", ".vec", "manifest"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(path string) bool { return strings.HasSuffix(path, kind) }) {
			c.Fatalf("the index has no %s: %q", kind, slices.Collect(maps.Keys(files)))
		}
	}
	return files
}

// questions are the commands, and one that stands for a server and its calls that only look.
func questions() (all [][]string) {
	for _, args := range slices.Concat(commands, reading, [][]string{{"impact", "still"}, {"impact", "Stand0"}, {"deps", "twice.go"}, {"search", "stands beside"}}) {
		if !slices.ContainsFunc(all, func(q []string) bool { return slices.Equal(q, args) }) {
			all = append(all, args)
		}
	}
	return append(all, []string{"mcp"})
}

// dated is what an answer in JSON says of the index and of the time.
var dated = regexp.MustCompile(`(?m)^\s*"(generation|freshness|cursor)": .*\n`)

// differs reports whether an answer differs from the right one without a word about it.
func differs(got, right string) bool {
	words := func(line string) bool {
		line = strings.TrimSpace(line)
		return (strings.HasPrefix(line, "note:") || strings.HasPrefix(line, "time=") || strings.HasPrefix(line, `"notes":`)) && !strings.Contains(right, line)
	}
	return said(dated.ReplaceAllString(got, "")) != said(dated.ReplaceAllString(right, "")) &&
		!strings.Contains(got, "incomplete:") && !strings.Contains(got, "not_indexed_yet") && !strings.Contains(got, `"complete": false`) && !slices.ContainsFunc(slices.Collect(strings.Lines(got)), words)
}

// asked returns the answers to a question by what was asked.
func (c *clone) asked(program string, q []string) map[string]string {
	c.Helper()
	if q[0] != "mcp" {
		out, err := c.run(program, "{}", q...)
		c.answered(strings.Join(q, " "), out, err)
		return map[string]string{strings.Join(q, " "): out}
	}
	answers := make(map[string]string)
	calls := looking()
	out := c.talk(program, calls)
	c.answered("the server", out, nil)
	for line := range strings.Lines(out) {
		var answer struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal([]byte(line), &answer) == nil && answer.ID > 0 && len(answer.Result.Content) > 0 {
			_, call, _ := strings.Cut(calls[answer.ID-1], `"name":"`)
			answers[strings.Replace(call, `"`, " ", 1)] = answer.Result.Content[0].Text
		}
	}
	return answers
}

// TestDamagedBlocks damages the files of an index at every 4 KB, one after the other, and has
// each damage meet every command and a server, with CODE_INTEL_TESTS=all. Each question then has the right answer, or
// one that says what is wrong and cannot be taken for the right one.
func TestDamagedBlocks(t *testing.T) {
	program := build(t)
	c := newClone(t)
	files := c.indexed(program)
	type try struct {
		path     string
		at       int
		question []string
	}
	lay := func(b try) {
		for _, path := range c.index() {
			if files[path] == nil {
				c.must(os.RemoveAll(path))
			}
		}
		for path, content := range files {
			if path == b.path {
				content = slices.Clone(content)
				for j := b.at; j < min(b.at+4<<10, len(content)); j++ {
					content[j] ^= 0x5a
				}
			}
			c.must(os.MkdirAll(filepath.Dir(path), 0o755))
			c.must(os.WriteFile(path, content, 0o600))
		}
	}
	// whole asks until every answer is made with the embedding model, which is still
	// being loaded at the first questions where the machine is busy.
	whole := func(q []string) map[string]string {
		for {
			lay(try{})
			answers := c.asked(program, q)
			if !slices.ContainsFunc(slices.Collect(maps.Values(answers)), func(text string) bool { return strings.Contains(text, "is being loaded") }) {
				return answers
			}
		}
	}
	right := make(map[string]string)
	var tries []try
	for _, q := range questions() {
		maps.Copy(right, whole(q))
		for _, path := range slices.Sorted(maps.Keys(files)) {
			for at := 0; at < len(files[path]); at += 4 << 10 {
				tries = append(tries, try{path, at, q})
			}
		}
	}
	rand.New(rand.NewPCG(16, 1)).Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
	if os.Getenv("CODE_INTEL_TESTS") != "all" { // a third of them, which make long has time for
		tries = tries[:len(tries)/3]
	}
	for _, b := range tier.Sample(tries, 28) {
		lay(b)
		for again := range 2 { // an answer that met the damage may have healed it, or not
			met := false
			for what, got := range c.asked(program, b.question) {
				name, _, _ := strings.Cut(what, " ")
				if !facts.MatchString(name) {
					continue
				}
				met = met || got != right[what]
				if differs(got, right[what]) {
					t.Errorf("time %d, %s at %d: %s:\n%s\nwant\n%s", again+1, filepath.Base(b.path), b.at, what, got, right[what])
				}
			}
			if !met {
				break
			}
		}
	}
}

// lying returns the files below the user's folder whose path holds a text.
func (c *clone) lying(text string) []string { return lying(c.home, text) }

func lying(top, text string) (paths []string) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, text) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}
