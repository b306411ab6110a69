// Package harness lays out projects and serves them, for tests that play a model
// against the whole server, over its protocol.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	server "codeintel/internal/mcp"
)

// Environment is the environment of the person who runs the tests.
var Environment = os.Environ()

// Main runs the tests of a package. All their users share one empty home, and the given
// programs, which are scripts, come first on PATH.
func Main(m *testing.M, programs map[string]string) {
	home, err := os.MkdirTemp("", "e2e-home-*")
	if err != nil {
		panic(err)
	}
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		panic(err)
	}
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			panic(err)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state", "XDG_CACHE_HOME": home + "/cache",
		"PATH":                bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A User", "GIT_AUTHOR_EMAIL": "user@example.com",
		"GIT_COMMITTER_NAME": "A User", "GIT_COMMITTER_EMAIL": "user@example.com",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	debug.SetGCPercent(400) // many small servers in one process: a fifth of the processor time went into collecting
	m.Run()                 // its status becomes that of the process
	os.RemoveAll(home)
}

// A Project is a folder and its server, if there is one.
type Project struct {
	T      testing.TB
	Root   string
	Server *server.Server
	Client *mcp.ClientSession
	Lost   func(error) // called when the server has not answered a call; nil: that fails the test
}

// At returns the project of an existing folder.
func At(t testing.TB, root string) *Project { return &Project{T: t, Root: root} }

// Lay writes the files to a new folder.
func Lay(t testing.TB, files map[string]string) *Project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := At(t, filepath.Join(dir, "project"))
	if err := os.MkdirAll(p.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		p.Write(path, text)
	}
	return p
}

// repositories are the .git folders that Commit has made, by the files of their projects.
var repositories sync.Map

// A repository is a copy of a .git folder.
type repository struct{ dir, head string }

// Commit makes a repository of the folder and returns its first commit. Many tests begin with
// the same files: their repository is made once, by four processes of git, and then copied.
func (p *Project) Commit() string {
	p.T.Helper()
	files := p.files()
	if made, ok := repositories.Load(files); ok && p.Read(".git/HEAD") == "" {
		Copy(p.T, p.Path(".git"), made.(repository).dir)
		p.Git("add", "-A") // the index knows when the files were written
		return made.(repository).head
	}
	p.Git("init", "-q", "--template=", "-b", "main")
	p.Git("add", "-A")
	p.Git("commit", "-q", "--allow-empty", "-m", "Begin")
	made := repository{head: p.Git("rev-parse", "HEAD")}
	var err error
	if made.dir, err = os.MkdirTemp(os.Getenv("HOME"), "repository-*"); err != nil {
		p.T.Fatal(err)
	}
	Copy(p.T, made.dir, p.Path(".git"))
	repositories.Store(files, made)
	return made.head
}

// files returns the names, modes and content of all files of the folder.
func (p *Project) files() string {
	p.T.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		var text []byte
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			text, err = os.ReadFile(path)
		case !info.IsDir():
			var target string
			target, err = os.Readlink(path)
			text = []byte(target)
		}
		fmt.Fprintf(&b, "%q %v %q\n", strings.TrimPrefix(path, p.Root), info.Mode(), text)
		return err
	})
	if err != nil {
		p.T.Fatal(err)
	}
	return b.String()
}

// Copy copies the files of a folder into another.
func Copy(t testing.TB, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// Beside returns a folder next to the project's, which is created if needed.
func (p *Project) Beside(name string) string {
	p.T.Helper()
	dir := filepath.Join(filepath.Dir(p.Root), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.T.Fatal(err)
	}
	return dir
}

// Types has the person type a line such as "/code --fast Fix it", as a hook notes it.
func (p *Project) Types(line string) {
	p.T.Helper()
	data, err := json.Marshal(map[string]any{"line": line, "client": "claude", "time": time.Now()})
	if err != nil {
		p.T.Fatal(err)
	}
	p.Write(".code-intel/sessions/code-line", string(data))
}

// Serve starts a server in this process and a client of it.
func (p *Project) Serve() {
	p.T.Helper()
	var err error
	p.Server, err = server.New(server.Options{Root: p.Root, Version: "e2e", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		p.T.Fatal(err)
	}
	p.T.Cleanup(p.Stop)
	p.Client = p.Connect(nil)
}

// Connect returns another client of the server.
func (p *Project) Connect(o *mcp.ClientOptions) *mcp.ClientSession {
	p.T.Helper()
	protocol, err := p.Server.MCP()
	if err != nil {
		p.T.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := protocol.Connect(context.Background(), far, nil); err != nil {
		p.T.Fatal(err)
	}
	client, err := NewClient(o).Connect(context.Background(), near, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	p.T.Cleanup(func() { client.Close() })
	return client
}

// NewClient returns a client that is Claude Code, as far as a server can see.
func NewClient(o *mcp.ClientOptions) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2.1.329"}, o)
}

// Second starts another server of the same project.
func (p *Project) Second() *Project {
	p.T.Helper()
	other := At(p.T, p.Root)
	other.Serve()
	return other
}

// Stop ends the server as a client does that goes away.
func (p *Project) Stop() {
	if p.Server == nil {
		return
	}
	p.Client.Close()
	if err := p.Server.Close(); err != nil {
		p.T.Error(err)
	}
	p.Server = nil
}

// Restart closes the client and opens it again.
func (p *Project) Restart() {
	p.T.Helper()
	p.Stop()
	p.Serve()
}

// A Reply is the result of a call.
type Reply struct {
	Answer  map[string]any
	Raw     string // the answer, as it was sent
	Text    string // what the model reads
	Refused bool
}

// Str returns a string field of the answer, "" if it has no such field.
func (r Reply) Str(key string) string { s, _ := r.Answer[key].(string); return s }

// Code is the stable code of a refusal, "" of an answer.
func (r Reply) Code() string {
	if !r.Refused {
		return ""
	}
	return r.Str("error")
}

// List returns a list of texts.
func (r Reply) List(key string) (out []string) {
	items, _ := r.Answer[key].([]any)
	for _, i := range items {
		if s, ok := i.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Call calls a tool through the client; nil: the project's own.
func (p *Project) Call(client *mcp.ClientSession, tool string, args any) Reply {
	p.T.Helper()
	if client == nil {
		client = p.Client
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil && p.Lost != nil && ctx.Err() == nil {
		p.Lost(err)
	}
	if err != nil {
		p.T.Fatalf("%s: %v", tool, err)
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		p.T.Fatal(err)
	}
	r := Reply{Refused: result.IsError, Raw: string(data)}
	if err := json.Unmarshal(data, &r.Answer); err != nil {
		p.T.Fatalf("%s: %v in %s", tool, err, data)
	}
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			r.Text += text.Text
		}
	}
	return r
}

// Path returns the path of a file of the project.
func (p *Project) Path(rel string) string { return filepath.Join(p.Root, filepath.FromSlash(rel)) }

// Write writes a file and creates its folders.
func (p *Project) Write(rel, text string) {
	p.T.Helper()
	if err := os.MkdirAll(filepath.Dir(p.Path(rel)), 0o755); err != nil {
		p.T.Fatal(err)
	}
	if err := os.WriteFile(p.Path(rel), []byte(text), 0o644); err != nil {
		p.T.Fatal(err)
	}
}

// Remove removes a file.
func (p *Project) Remove(rel string) {
	p.T.Helper()
	if err := os.Remove(p.Path(rel)); err != nil {
		p.T.Fatal(err)
	}
}

// Read returns a file, "" if it is not there.
func (p *Project) Read(rel string) string {
	p.T.Helper()
	data, err := os.ReadFile(p.Path(rel))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.T.Fatal(err)
	}
	return string(data)
}

// Git runs git, which must succeed, and returns what it prints, without the last
// line break.
func (p *Project) Git(args ...string) string {
	p.T.Helper()
	code, out := p.Exec(append([]string{"git"}, args...)...)
	if code != 0 {
		p.T.Fatalf("git %s: exit status %d\n%s", strings.Join(args, " "), code, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// Exec runs a program in the folder, with these arguments and no shell, and returns
// its exit status and what it prints.
func (p *Project) Exec(argv ...string) (code int, out string) {
	p.T.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = p.Root
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.T.Fatalf("%s: %v", strings.Join(argv, " "), err)
	}
	return cmd.ProcessState.ExitCode(), b.String()
}
