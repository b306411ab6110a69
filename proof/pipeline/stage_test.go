package pipeline

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

// gh is what stands in for GitHub's client: it notes what it is asked, in the git
// directory, and says what GitHub would.
const gh = `#!/bin/sh
dir=$(git rev-parse --absolute-git-dir) || exit 1
printf '%s\0' "$@" >> "$dir/gh.log"
printf '\n\0' >> "$dir/gh.log"
case "$1 $2" in
"pr create")
	if test -e "$dir/gh-fails"; then echo "HTTP 502: bad gateway" >&2; exit 1; fi
	echo open > "$dir/gh-pull"
	echo https://github.com/owner/repo/pull/7 ;;
"pr view")
	if test ! -e "$dir/gh-pull"; then echo "no pull requests found" >&2; exit 1; fi
	echo https://github.com/owner/repo/pull/7 ;;
"issue comment")
	echo https://github.com/owner/repo/issues/42#issuecomment-1 ;;
*)	exit 1 ;;
esac
`

// TestMain gives all of this package's users one home, which is nobody's, and
// puts gh before the one that they may have.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "proof-home-*")
	if err != nil {
		panic(err)
	}
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(gh), 0o755); err != nil {
		panic(err)
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
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// A stage is a project with a server over it, and the repository it is pushed to.
type stage struct {
	t      testing.TB
	root   string
	origin string
	server *mcpserver.Server
	client *mcp.ClientSession
}

// newStage lays out the files, commits them, and serves the folder.
func newStage(t testing.TB, files map[string]string) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{t: t, root: filepath.Join(dir, "project"), origin: filepath.Join(dir, "origin.git")}
	for path, text := range files {
		st.write(path, text)
	}
	st.git("init", "-q", "-b", "main")
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "Begin")
	st.git("init", "-q", "--bare", "-b", "main", st.origin)
	st.git("remote", "add", "origin", st.origin)
	st.git("push", "-q", "origin", "main")
	st.serve()
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
	st.t.Cleanup(st.stop)
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

// second starts another server of the same project.
func (st *stage) second() *stage {
	st.t.Helper()
	other := &stage{t: st.t, root: st.root}
	other.serve()
	return other
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

// A reply is what a call came back with.
type reply struct {
	answer  object
	raw     string
	refused bool
}

type object = map[string]any

func (r reply) str(key string) string { s, _ := r.answer[key].(string); return s }

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
func (st *stage) call(client *mcp.ClientSession, tool string, args object) reply {
	st.t.Helper()
	if client == nil {
		client = st.client
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		st.t.Fatalf("%s: %v", tool, err)
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		st.t.Fatal(err)
	}
	r := reply{refused: result.IsError, raw: string(data)}
	if err := json.Unmarshal(data, &r.answer); err != nil {
		st.t.Fatalf("%s: %v in %s", tool, err, data)
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
	code, out := st.run(append([]string{"git"}, args...)...)
	if code != 0 {
		st.t.Fatalf("git %s: %s", strings.Join(args, " "), out)
	}
	return strings.TrimSuffix(out, "\n")
}

// run runs a command in the repository: just these arguments, no shell.
func (st *stage) run(argv ...string) (code int, out string) {
	st.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = st.root
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		st.t.Fatalf("%s: %v", strings.Join(argv, " "), err)
	}
	return cmd.ProcessState.ExitCode(), b.String()
}

// asked returns the argument vectors that gh got, those that only look left out.
func (st *stage) asked() (all [][]string) {
	for call := range strings.SplitSeq(st.read(".git/gh.log"), "\n\x00") {
		if argv := strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"); len(argv) > 1 && argv[1] != "view" {
			all = append(all, argv)
		}
	}
	return all
}
