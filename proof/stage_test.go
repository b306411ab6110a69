package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/mcpserver"
)

// environment is that of whoever runs the tests.
var environment = os.Environ()

// TestMain gives all of this package's users one home, which is nobody's.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "proof-home-*")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state", "XDG_CACHE_HOME": home + "/cache",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A User", "GIT_AUTHOR_EMAIL": "user@example.com",
		"GIT_COMMITTER_NAME": "A User", "GIT_COMMITTER_EMAIL": "user@example.com",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// A stage is a project with a server over it.
type stage struct {
	t      testing.TB
	root   string
	base   string // the commit that all began with; "" without git
	trunk  string // the branch that it is on
	server *mcpserver.Server
	client *mcp.ClientSession
	env    []string // that the program has besides
	mortal bool     // the server may die: a call that it does not answer panics with [death]
}

// A death is what a call of a server that died in it panics with.
type death struct{ error }

// newStage lays out the files, commits them and serves the folder.
func newStage(t testing.TB, files map[string]string) *stage {
	t.Helper()
	st := gitStage(t, files)
	st.serve()
	return st
}

// gitStage lays out the files and commits them.
func gitStage(t testing.TB, files map[string]string) *stage {
	t.Helper()
	st := bareStage(t, files)
	st.git("init", "-q", "-b", "main")
	st.git("add", "-A")
	st.git("commit", "-q", "--allow-empty", "-m", "Begin")
	st.base = st.git("rev-parse", "HEAD")
	return st
}

// bareStage only lays out the files.
func bareStage(t testing.TB, files map[string]string) *stage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{t: t, root: filepath.Join(root, "project"), trunk: "main"}
	if err := os.MkdirAll(st.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		st.write(path, text)
	}
	return st
}

// serve starts a server in this process and a client of it.
func (st *stage) serve() {
	st.t.Helper()
	var err error
	st.server, err = mcpserver.New(mcpserver.Options{Root: st.root, Version: "proof", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(func() { st.stop() })
	st.client = st.connect(nil)
}

// connect returns another client of the server.
func (st *stage) connect(o *mcp.ClientOptions) *mcp.ClientSession {
	st.t.Helper()
	protocol, err := st.server.MCP()
	if err != nil {
		st.t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := protocol.Connect(context.Background(), far, nil); err != nil {
		st.t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2.1.329"}, o).Connect(context.Background(), near, nil)
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(func() { client.Close() })
	return client
}

// stop ends the server as a client does that goes away.
func (st *stage) stop() {
	if st.server == nil {
		return
	}
	st.client.Close()
	if err := st.server.Close(); err != nil {
		st.t.Error(err)
	}
	st.server = nil
}

// restart is what happens when a client is closed and opened again.
func (st *stage) restart() {
	st.t.Helper()
	st.stop()
	st.serve()
}

// A reply is what a call came back with.
type reply struct {
	answer  map[string]any
	text    string
	refused bool
}

func (r reply) str(key string) string { s, _ := r.answer[key].(string); return s }

// code is the stable code of a refusal, "" of an answer.
func (r reply) code() string {
	if !r.refused {
		return ""
	}
	return r.str("error")
}

// list returns a list of strings.
func (r reply) list(key string) (out []string) {
	items, _ := r.answer[key].([]any)
	for _, i := range items {
		if s, ok := i.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// call calls a tool through the client; nil: the stage's own.
func (st *stage) call(client *mcp.ClientSession, tool string, args any) reply {
	st.t.Helper()
	if client == nil {
		client = st.client
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil && st.mortal && ctx.Err() == nil {
		panic(death{err})
	}
	if err != nil {
		st.t.Fatalf("%s: %v", tool, err)
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		st.t.Fatal(err)
	}
	r := reply{refused: result.IsError}
	if err := json.Unmarshal(data, &r.answer); err != nil {
		st.t.Fatalf("%s: %v in %s", tool, err, data)
	}
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			r.text += text.Text
		}
	}
	return r
}

func (st *stage) path(rel string) string { return filepath.Join(st.root, filepath.FromSlash(rel)) }

func (st *stage) write(rel, text string) {
	st.t.Helper()
	if err := os.MkdirAll(filepath.Dir(st.path(rel)), 0o755); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(st.path(rel), []byte(text), 0o644); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) remove(rel string) {
	st.t.Helper()
	if err := os.Remove(st.path(rel)); err != nil {
		st.t.Fatal(err)
	}
}

// read returns a file, "" if it is not there.
func (st *stage) read(rel string) string {
	st.t.Helper()
	data, err := os.ReadFile(st.path(rel))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		st.t.Fatal(err)
	}
	return string(data)
}

// git runs git and returns what it prints, without the last line break.
func (st *stage) git(args ...string) string {
	st.t.Helper()
	out, err := st.tryGit(args...)
	if err != nil {
		st.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (st *stage) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = st.root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSuffix(out.String(), "\n"), err
}

// checkpoint is a session on disk.
type checkpoint struct {
	ID       string
	file     string
	Archived bool
	Phase    string
	Outcome  string
	Commits  []string
	Tasks    []struct{ ID, Status string }
}

// checkpoints returns all sessions of the project, ended ones included.
func (st *stage) checkpoints() (all []checkpoint) {
	st.t.Helper()
	for _, dir := range []string{".code-intel/sessions", ".code-intel/sessions/archive"} {
		files, err := filepath.Glob(filepath.Join(st.path(dir), "*.json"))
		if err != nil {
			st.t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				st.t.Fatal(err)
			}
			c := checkpoint{file: f, Archived: strings.HasSuffix(dir, "archive"), ID: strings.TrimSuffix(filepath.Base(f), ".json")}
			if err := json.Unmarshal(data, &c); err != nil {
				st.t.Fatalf("%s: %v", f, err)
			}
			all = append(all, c)
		}
	}
	return all
}
