package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/session/codecommand"
	"codeintel/test/golden"
)

// TestConversations plays each archive of testdata/conversation: a session over
// standard input and output, with the real program and a real git repository.
//
// The archive first lays out the repository and then continues step by step. The
// first word of a section's name says what it contains:
//
//	repo PATH      a file of the repository, committed before the session begins
//	env            variables of the server, one NAME=value a line
//	call TOOL      arguments of a call; "answer" after it is what comes back
//	write PATH     a file that the agent, or the user, writes now
//	obey           the file that the last answer told the agent to write
//	delete PATH    a file that is deleted now
//	chmod PATH     a file that becomes executable now
//	git ARG...     a git command; the section is what it prints
//	user ARG...    code-intel, on the command line; the section is what it prints
//	files          every file on disk outside .git, and those of git that differ
//	checkpoint     what is in .code-intel/sessions
//	decisions      what is in the decision log; outcomes, in that of outcomes
//	kill           the server is killed and restarted
//
// Answers are compared with the archive without long constant parts (instruction,
// schema); values that change from run to run have names: SESSION, HASH, TIME, ROOT. -update rewrites them.
func TestConversations(t *testing.T) {
	archives, err := filepath.Glob("testdata/conversation/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			want, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden.Hold(t, file, string(txtar.Format(play(t, want))))
		})
	}
}

// A stage is where one conversation takes place.
type stage struct {
	t       *testing.T
	root    string
	env     []string
	server  *exec.Cmd
	client  *mcp.ClientSession
	session string // id of the session, once an answer names it
	file    struct{ path, content string }
}

func play(t *testing.T, script *txtar.Archive) *txtar.Archive {
	t.Helper()
	st := newStage(t, script)
	st.start()
	t.Cleanup(func() { st.client.Close() })
	out := &txtar.Archive{Comment: script.Comment}
	for _, f := range script.Files {
		kind, arg, _ := strings.Cut(f.Name, " ")
		switch kind {
		case "answer":
			continue // rewritten after each call
		case "call":
			out.Files = append(out.Files, f, txtar.File{Name: "answer", Data: st.call(arg, f.Data)})
			continue
		case "obey":
			st.write(st.file.path, []byte(st.file.content))
		case "write":
			st.write(arg, f.Data)
		case "delete":
			if err := os.Remove(filepath.Join(st.root, arg)); err != nil {
				t.Fatal(err)
			}
		case "chmod":
			if err := os.Chmod(filepath.Join(st.root, arg), 0o755); err != nil {
				t.Fatal(err)
			}
		case "git":
			f.Data = st.normalize(st.git(strings.Fields(arg)...))
		case "user":
			cmd := exec.Command("code-intel", strings.Fields(arg)...)
			cmd.Dir, cmd.Env = st.root, st.env
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", f.Name, err, said)
			}
			f.Data = st.normalize(said)
		case "files":
			f.Data = st.files()
		case "checkpoint":
			f.Data = st.checkpoint()
		case "decisions", "outcomes":
			data, err := os.ReadFile(filepath.Join(st.root, ".code-intel", "logs", kind+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			f.Data = st.normalize(data)
		case "kill":
			st.kill()
			st.start()
		case "repo", "env":
		default:
			t.Fatalf("section %q: no such kind", f.Name)
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// gh stands in for GitHub's client and knows the pull request of the conversations.
const gh = "#!/bin/sh\necho https://github.com/owner/shop/pull/7\n"

// newStage lays out and commits the repository of the script.
func newStage(t *testing.T, script *txtar.Archive) *stage {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, tools := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	st := &stage{t: t, root: filepath.Join(root, "project"), env: append(os.Environ(),
		"PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A User", "GIT_AUTHOR_EMAIL=user@example.com",
		"GIT_COMMITTER_NAME=A User", "GIT_COMMITTER_EMAIL=user@example.com",
		"GOGC=400")} // a tenth of the processor time went into collecting
	if err := os.MkdirAll(st.root, 0o755); err != nil {
		t.Fatal(err)
	}
	isRepo := true
	for _, f := range script.Files {
		switch kind, arg, _ := strings.Cut(f.Name, " "); kind {
		case "repo":
			st.write(arg, f.Data)
		case "env":
			for v := range strings.Lines(string(f.Data)) {
				if v = strings.TrimSpace(v); v == "NOGIT=1" {
					isRepo = false
				} else if v != "" {
					st.env = append(st.env, v)
				}
			}
		}
	}
	if isRepo {
		st.git("init", "-q", "-b", "main")
		st.git("add", "-A")
		st.git("commit", "-q", "--allow-empty", "-m", "Begin")
	}
	return st
}

func (st *stage) write(path string, data []byte) {
	st.t.Helper()
	file := filepath.Join(st.root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) git(args ...string) []byte {
	st.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = st.root, st.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		st.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (st *stage) start() {
	st.t.Helper()
	st.server = exec.Command("code-intel", "mcp")
	st.server.Dir, st.server.Env = st.root, st.env
	var log bytes.Buffer
	st.server.Stderr = &log
	st.t.Cleanup(func() {
		if st.t.Failed() && log.Len() > 0 {
			st.t.Logf("the server said:\n%s", log.String())
		}
	})
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2.1.329"}, nil).
		Connect(st.t.Context(), &mcp.CommandTransport{Command: st.server}, nil)
	if err != nil {
		st.t.Fatalf("connect: %v\n%s", err, log.String())
	}
	st.client = client
}

// kill ends the server as a crash would.
func (st *stage) kill() {
	st.t.Helper()
	if err := st.server.Process.Kill(); err != nil {
		st.t.Fatal(err)
	}
	st.client.Close() // reports the death; what matters is that the process has been waited for
}

// types has the person type the options that a session is asked for, as a hook notes it.
func (st *stage) types(start []byte) {
	st.t.Helper()
	var asked struct {
		Query string
		Flags []string
	}
	if json.Unmarshal(start, &asked) != nil {
		return // the call will be refused
	}
	if weak, _ := codecommand.Weakening(asked.Flags); len(weak) == 0 {
		return
	}
	line, err := json.Marshal(map[string]any{"line": "/code " + strings.Join(asked.Flags, " ") + " " + asked.Query, "time": time.Now()})
	if err != nil {
		st.t.Fatal(err)
	}
	st.write(".code-intel/sessions/code-line", line)
}

// call calls a tool. $1 in the arguments is the last answer's next_cursor.
func (st *stage) call(tool string, args []byte) []byte {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(st.t.Context(), time.Minute)
	defer cancel()
	if tool == "start_session" {
		st.types(args)
	}
	r, err := st.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(bytes.ReplaceAll(args, []byte("SESSION"), []byte(st.session)))})
	if err != nil {
		st.t.Fatalf("%s: %v", tool, err)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		st.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(data, &answer); err != nil {
		st.t.Fatalf("%s: %v in %s", tool, err, data)
	}
	if id, ok := answer["session_id"].(string); ok && id != "" {
		st.session = id
	}
	for _, long := range []string{"instruction", "payload_schema", "expected_payload", "freshness", "generation"} {
		delete(answer, long)
	}
	shortenPrompts(answer)
	if answer["type"] == "write_file" {
		st.file.path, _ = answer["path"].(string)
		st.file.content, _ = answer["content"].(string)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		st.t.Fatal(err)
	}
	return st.normalize(b.Bytes())
}

// shortenPrompts keeps only the headings of a pipeline's prompts: their contents are
// tested elsewhere.
func shortenPrompts(answer map[string]any) {
	if text, ok := answer["prompt"].(string); ok {
		var headings []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				headings = append(headings, strings.TrimSpace(line))
			}
		}
		answer["prompt"] = strings.Join(headings, " … ")
	}
	tasks, _ := answer["parallel_tasks"].([]any)
	for _, task := range tasks {
		if m, ok := task.(map[string]any); ok {
			shortenPrompts(m)
		}
	}
}

var (
	hash    = regexp.MustCompile(`\b[0-9a-f]{10}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b`)
	stamp   = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	anySess = regexp.MustCompile(`\b20\d{6}-\d{9}-[a-z2-7]{5}\b`)
	age     = regexp.MustCompile(`"age": "[^"]*"`)
	token   = regexp.MustCompile(`"next_cursor": "[^"]*"`)
	took    = regexp.MustCompile(`"duration_ms": \d+`)
	score   = regexp.MustCompile(`"score": [\d.e-]+`)
)

// normalize replaces values that change from run to run with names.
func (st *stage) normalize(data []byte) []byte {
	s := strings.ReplaceAll(string(data), st.root, "ROOT")
	s = strings.ReplaceAll(s, filepath.Dir(st.root), "OUTSIDE")
	if st.session != "" {
		s = strings.ReplaceAll(s, st.session, "SESSION")
	}
	s = anySess.ReplaceAllString(s, "OTHER_SESSION")
	s = hash.ReplaceAllString(s, "HASH")
	s = stamp.ReplaceAllString(s, "TIME")
	s = age.ReplaceAllString(s, `"age": "AGE"`)
	s = took.ReplaceAllString(s, `"duration_ms": 0`)
	s = score.ReplaceAllString(s, `"score": 0`)
	s = token.ReplaceAllString(s, `"next_cursor": "CURSOR"`)
	return []byte(s)
}

// files lists what is on disk, outside the folders of git and the index.
func (st *stage) files() []byte {
	st.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(st.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(st.root, path)
		switch {
		case rel == ".git" || rel == ".code-intel":
			return fs.SkipDir
		case !d.IsDir():
			fmt.Fprintln(&b, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		st.t.Fatal(err)
	}
	return []byte(b.String())
}

// checkpoint lists the sessions folder, with the phase of each state.
func (st *stage) checkpoint() []byte {
	st.t.Helper()
	var lines []string
	dir := filepath.Join(st.root, ".code-intel", "sessions")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".lock" || d.Name() == ".gitignore" {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		line := filepath.ToSlash(rel)
		if strings.HasSuffix(rel, ".json") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += " " + describeState(st.t, data)
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		st.t.Fatal(err)
	}
	slices.Sort(lines)
	return st.normalize([]byte(strings.Join(lines, "\n") + "\n"))
}

func describeState(t *testing.T, data []byte) string {
	t.Helper()
	var s struct {
		Phase   string
		Outcome string
		Tasks   []struct{ ID, Status string }
		Commits []string
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("phase=%s outcome=%q commits=%d", s.Phase, s.Outcome, len(s.Commits))
	for _, task := range s.Tasks {
		line += fmt.Sprintf(" %s=%s", task.ID, task.Status)
	}
	return line
}
