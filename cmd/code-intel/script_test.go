package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"codeintel/test/golden"
)

// TestMain lets the tests run the program under its own name: testscript puts it
// on PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"code-intel": main})
}

// TestScripts runs the command line, each script in its own folder, with a git
// without user settings.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       golden.Update(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+who+"_NAME", "A. Developer")
				e.Setenv("GIT_"+who+"_EMAIL", "dev@example.com")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": checkStatus, "calls": playCalls, "screen": maskScreen},
	})
}

// checkStatus is "status N program args…": the program must end with status N.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

var (
	zoned   = regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b`)
	bytesOf = regexp.MustCompile(`\b\d+ bytes\b`)
)

// maskScreen is "screen program args…": the program's output goes into the file
// "screen", with fixed words for what differs each time.
func maskScreen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: screen program args…")
	}
	ts.Check(ts.Exec(args[0], args[1:]...))
	s := anySess.ReplaceAllString(ts.ReadFile("stdout"), "SESSION")
	s = zoned.ReplaceAllString(stamp.ReplaceAllString(s, "TIME"), "TIME")
	s = bytesOf.ReplaceAllString(hash.ReplaceAllString(s, "HASH"), "N bytes")
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(s), 0o644))
}

// playCalls is "calls FILE": a client connects to the program in the current
// folder and makes the calls of the file, one a line: the tool's name, a space,
// its arguments. What is answered goes into the file "answers".
func playCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: calls FILE")
	}
	program, err := exec.LookPath("code-intel")
	ts.Check(err)
	cmd := exec.Command(program, "mcp")
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = os.Environ()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	ts.Check(err)
	var answers strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		tool, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		r, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		ts.Check(err)
		answers.WriteString(r.Content[0].(*mcp.TextContent).Text + "\n")
	}
	ts.Check(client.Close())
	ts.Check(os.WriteFile(ts.MkAbs("answers"), []byte(answers.String()), 0o644))
}

// server starts the program as a client does and connects to it.
func server(t *testing.T, root string) (*mcp.ClientSession, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("code-intel", "mcp", "--root", root)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client, cmd
}

// TestStdio talks to the real program over pipes: it answers, and ends when its
// input is closed.
func TestStdio(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n\n// Greet says hello.\nfunc Greet() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	client, cmd := server(t, root)
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_definitions", Arguments: map[string]any{"symbol": "Greet"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; result.IsError || !strings.Contains(text, "main.go:4") {
		t.Errorf("find_definitions answers %s", text)
	}
	if err := client.Close(); err != nil {
		t.Errorf("the program did not end well: %v", err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the program ended with %d", code)
	}
}

// TestSignal ends the program as clients do that do not close its input first.
func TestSignal(t *testing.T) {
	client, cmd := server(t, t.TempDir())
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }()
	select {
	case <-ended:
	case <-ctx.Done():
		t.Error("the program does not end at an interrupt")
	}
	client.Close()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the program ended with %d", code)
	}
}
