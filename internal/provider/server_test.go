package provider

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/project"
	"codeintel/internal/provider/lsp"
	"codeintel/internal/resolve"
	"codeintel/internal/trust"
)

// TestMain makes the test program a language server, if it was started as one.
func TestMain(m *testing.M) {
	if how := os.Getenv("TEST_LANGUAGE_SERVER"); how != "" && len(os.Args) > 1 && os.Args[1] == "serve" {
		serve(how)
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "helper" { // started by a server, it stays until the connection ends
		if c, err := net.Dial("tcp", os.Args[2]); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// serve is a language server that takes every word in the files of a folder for a
// reference to the same word elsewhere. It reads the project after it was asked for the
// first time, and says so. Asked how, it falls silent, dies, or writes nonsense.
func serve(how string) {
	in := bufio.NewReader(os.Stdin)
	send := func(m map[string]any) {
		m["jsonrpc"] = "2.0"
		body, _ := json.Marshal(m)
		fmt.Printf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	progress := func(kind string) {
		send(map[string]any{"method": "$/progress", "params": map[string]any{"token": "reading", "value": map[string]any{"kind": kind}}})
	}
	if at, ok := strings.CutPrefix(how, "helped "); ok {
		program, _ := os.Executable()
		_ = exec.Command(program, "helper", at).Start()
		how = "silent"
	}
	version, asked := "1", 0
	if built, ok := strings.CutPrefix(how, "version "); ok {
		version = built
	}
	for {
		body, err := lsp.Read(in)
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				TextDocument struct{ URI string }
				Position     lsp.Position
			}
		}
		if json.Unmarshal(body, &m) != nil {
			return
		}
		switch m.Method {
		case "initialize":
			send(map[string]any{"id": m.ID, "result": map[string]any{"serverInfo": map[string]any{"name": "words", "version": version}}})
			send(map[string]any{"id": 77, "method": "workspace/configuration", "params": map[string]any{"items": []any{map[string]any{}}}})
		case "textDocument/references":
			asked++
			switch {
			case how == "silent":
				continue
			case how == "dies":
				os.Exit(3)
			case how == "nonsense":
				fmt.Print("hello\r\n\r\n")
				continue
			case asked == 1:
				progress("begin")
				send(map[string]any{"id": m.ID, "result": nil})
				progress("end")
				continue
			}
			send(map[string]any{"id": m.ID, "result": words(lsp.File(m.Params.TextDocument.URI), m.Params.Position)})
		case "exit":
			return
		}
	}
}

// words returns the places of the word that is at a position, in the files beside.
func words(file string, at lsp.Position) (list []any) {
	text, _ := os.ReadFile(file)
	line := utf16.Encode([]rune(strings.Split(string(text), "\n")[at.Line]))
	word, _, _ := strings.Cut(string(utf16.Decode(line[at.Character:])), " ")
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.py"))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		for n, line := range strings.Split(string(text), "\n") {
			for from := 0; ; {
				i := strings.Index(line[from:], word)
				if i < 0 {
					break
				}
				column := len(utf16.Encode([]rune(line[:from+i])))
				list = append(list, map[string]any{"uri": lsp.URI(f), "range": map[string]any{
					"start": lsp.Position{Line: n, Character: column}, "end": lsp.Position{Line: n, Character: column + len(word)}}})
				from += i + len(word)
			}
		}
	}
	return list
}

// served makes a project whose language server for Python is this program.
func served(t *testing.T, how string, trusted bool) (*project.Project, *Providers) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TEST_LANGUAGE_SERVER", how)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"language_servers": map[string]any{"python": []string{program, "serve"}}})
	if err != nil {
		t.Fatal(err)
	}
	p := write(t, map[string]string{
		"a.py": "run x\n𝄞 run y", "b.py": "日本 run z", ".code-intel/config.json": string(config),
	})
	if trusted {
		store, err := trust.Open()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range servers(p) {
			if slices.Contains(s.Command, "serve") {
				if err := store.Trust(p.Root, trust.LanguageServer, s.Name, s.Content()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	o := Open(p)
	t.Cleanup(o.Stop)
	return p, o
}

// question asks for the word run, with the files as they are.
func question(t *testing.T, p *project.Project) Question {
	return Question{
		Targets: []resolve.Position{{File: "a.py", Line: 2, Column: 6}}, Name: "run", Language: "python",
		Holding: []string{"a.py", "b.py"},
		Files: func(yield func(resolve.FileVersion) bool) {
			for _, name := range []string{"a.py", "b.py"} {
				info, err := os.Stat(p.Abs(name))
				if err != nil {
					t.Fatal(err)
				}
				if !yield(resolve.FileVersion{Path: name, Version: uint64(info.Size())}) {
					return
				}
			}
		},
	}
}

func TestServer(t *testing.T) {
	p, o := served(t, "well", true)
	want := []string{"a.py:1:1 same", "a.py:2:6 same", "b.py:1:8 same"}
	x, err := o.Uses(t.Context(), question(t, p))
	if got := places(x); err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %v, %v\nwant %v", got, err, want)
	}
	if o.None("python") || !o.None("go") {
		t.Error("what is known is not Python alone")
	}
	// What was answered holds until a file changes.
	again, err := o.Uses(t.Context(), question(t, p))
	if err != nil || len(again.Uses) != 3 {
		t.Errorf("asked again: got %v, %v", places(again), err)
	}
	if err := os.WriteFile(p.Abs("b.py"), []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	x, err = o.Uses(t.Context(), question(t, p))
	if got := places(x); err != nil || !slices.Equal(got, want[:2]) {
		t.Errorf("after a change: got %v, %v", got, err)
	}
	o.Stop()
	x, err = o.Uses(t.Context(), question(t, p))
	if got := places(x); err != nil || !slices.Equal(got, want[:2]) {
		t.Errorf("after it was stopped: got %v, %v", got, err)
	}
}

// TestServerUntrusted sees that nothing is started that nobody trusts.
func TestServerUntrusted(t *testing.T) {
	p, o := served(t, "dies", false)
	if x, err := o.Uses(t.Context(), question(t, p)); x != nil || err != nil || !o.None("python") {
		t.Errorf("got %v, %v", places(x), err)
	}
}

// TestServerOfTheProject sees that trust in a server ends where a file of the project that
// its command names becomes another one, whatever puts it in the place.
func TestServerOfTheProject(t *testing.T) {
	for name, change := range map[string]func(at string) error{
		"written":  func(at string) error { return os.WriteFile(at, []byte("#!/bin/sh\nother\n"), 0o755) },
		"moved":    func(at string) error { return os.Rename(filepath.Join(filepath.Dir(at), "other"), at) },
		"a link":   func(at string) error { return errors.Join(os.Remove(at), os.Symlink("other", at)) },
		"its mode": func(at string) error { return os.Chmod(at, 0o700) }, // the same bytes
	} {
		for _, command := range [][]string{{"tools/serve"}, {"sh", "tools/serve"}} {
			config, err := json.Marshal(map[string]any{"language_servers": map[string]any{"python": command}})
			if err != nil {
				t.Fatal(err)
			}
			p := write(t, map[string]string{"a.py": "run", "tools/serve": "#!/bin/sh\n", "tools/other": "#!/bin/sh\ntouch ran\n", ".code-intel/config.json": string(config)})
			at := p.Abs("tools/serve")
			if err := os.Chmod(at, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Chdir(p.Root)
			before := servers(p)[0].Content()
			if err := change(at); err != nil {
				t.Fatal(err)
			}
			if same := string(before) == string(servers(p)[0].Content()); same != (name == "its mode") {
				t.Errorf("%s, %v: what is trusted stays the same: %v", name, command, same)
			}
		}
	}
}

// TestServerFails sees that a server that fails is said to have failed, and that its
// caller waits no longer than they want to.
func TestServerFails(t *testing.T) {
	for _, how := range []string{"dies", "nonsense", "silent"} {
		p, o := served(t, how, true)
		ctx, stop := t.Context(), func() {}
		if how == "silent" {
			ctx, stop = softdeadline.With(ctx, 2*time.Second, nil)
		}
		x, err := o.Uses(ctx, question(t, p))
		stop()
		if x != nil || problemCode(err) != noAnswer {
			t.Errorf("%s: got %v, %v", how, places(x), err)
		}
	}
}

// TestServerVersion sees what is shown of a version, however much a server says.
func TestServerVersion(t *testing.T) {
	for said, want := range map[string]string{
		"1.2": "words 1.2", `{"GoVersion":"go1.26","Deps":[{"Version":"v3"}],"Version":"v0.20.0"}`: "words v0.20.0",
		"1.2\nand more": "words 1.2", "": "words", "{}": "words",
	} {
		p, o := served(t, "version "+said, true)
		if got, err := o.find()[0].Version(t.Context(), p); err != nil || got != want {
			t.Errorf("%s: got %q, %v", said, got, err)
		}
	}
}

// TestServerStuck sees that a server that was late twice in a row is given a small part of the time, until it answers.
func TestServerStuck(t *testing.T) {
	p, o := served(t, "silent", true)
	given := func(want string) {
		t.Helper()
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Nanosecond, errLate{time.Minute})
		if want != "1m0s" {
			ctx, stop = t.Context(), func() {}
		}
		defer stop()
		if _, err := o.find()[0].Uses(ctx, question(t, p)); err == nil || !strings.Contains(err.Error(), "within "+want) {
			t.Errorf("got %v, want it to say %s", err, want)
		}
	}
	t.Setenv(waitVar, "20s")
	given("1m0s")
	given("1m0s")
	given("1s")
	o.Stop()
	t.Setenv("TEST_LANGUAGE_SERVER", "words")
	t.Setenv(waitVar, "1h")
	if x, err := o.Uses(t.Context(), question(t, p)); err != nil || len(x.Uses) == 0 || o.find()[0].late.Load() != 0 {
		t.Errorf("got %v, %v", places(x), err)
	}
}

// TestServerWaits sees that nobody waits longer for a silent server than its user lets it
// take, however many ask, and that all it has started ends with it.
func TestServerWaits(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, o := served(t, "helped "+l.Addr().String(), true)
	helper := make(chan net.Conn, 1)
	go func() {
		c, _ := l.Accept()
		helper <- c
	}()
	t.Setenv(waitVar, "1s")
	var all sync.WaitGroup
	var late atomic.Bool
	for range 50 { // one after the other, they would wait for a minute
		all.Go(func() {
			ctx, stop := context.WithTimeout(t.Context(), 45*time.Second)
			defer stop()
			x, err := o.Uses(ctx, question(t, p))
			if x != nil || problemCode(err) != noAnswer || ctx.Err() != nil {
				t.Errorf("got %v, %v", places(x), err)
			} else if strings.Contains(err.Error(), "within 1s") { // others may find the server ended
				late.Store(true)
			}
		})
	}
	all.Wait()
	if !late.Load() {
		t.Error("nobody is told that the server is late")
	}
	t.Setenv(waitVar, "1000h")
	if d := wait(); d != time.Minute {
		t.Errorf("a wait of %s", d)
	}
	c := <-helper
	o.Stop()
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("read %d, %v", n, err)
	}
}

func TestURI(t *testing.T) {
	for _, file := range []string{"/a b/ü#?.py", "/x/%41.go"} {
		if got := lsp.File(lsp.URI(file)); got != file {
			t.Errorf("%s became %s", file, got)
		}
	}
	if got := lsp.File("untitled:1"); got != "" {
		t.Errorf("got %q", got)
	}
}
