package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
)

// pseudo opens a pseudo-terminal and returns the person's end and the program's end.
func pseudo(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { person.Close() })
	var number, unlock int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

var typeThis = regexp.MustCompile(`(?:To decide "\w+", type (\w+)|"\w+" に決めるなら (\w+) と入力する): $`)

// approve runs the command at a terminal of its own and types the lines; WORD is
// the word that it shows. It returns what was on the screen, and the status.
func (st *stage) approve(args []string, lines ...string) (screen string, status int) {
	st.t.Helper()
	person, program := pseudo(st.t)
	cmd := exec.CommandContext(st.t.Context(), "code-intel", append([]string{"approve"}, args...)...)
	cmd.Dir, cmd.Env = st.root, st.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		st.t.Fatal(err)
	}
	program.Close()
	var seen bytes.Buffer
	for in := bufio.NewReader(person); ; {
		b, err := in.ReadByte()
		if err != nil {
			break // the program closed the terminal
		}
		seen.WriteByte(b)
		if b != ' ' || len(lines) == 0 || in.Buffered() > 0 {
			continue
		}
		line := lines[0]
		if m := typeThis.FindSubmatch(seen.Bytes()); m != nil {
			line = strings.ReplaceAll(line, "WORD", string(m[1])+string(m[2]))
		} else if !bytes.HasSuffix(seen.Bytes(), []byte("? ")) {
			continue
		}
		lines = lines[1:]
		if _, err := person.WriteString(line + "\n"); err != nil {
			st.t.Fatal(err)
		}
	}
	_ = cmd.Wait() // the status says it
	return seen.String(), cmd.ProcessState.ExitCode()
}

// connect starts a server as the child of an agent's program, and connects to it.
func (st *stage) connect(command ...string) {
	st.t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = st.root, st.env
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, nil).
		Connect(st.t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(func() { client.Close() })
	st.client = client
}

// object calls a tool that answers with an object.
func (st *stage) object(tool, args string) (answer map[string]any) {
	st.t.Helper()
	if err := json.Unmarshal(st.call(tool, []byte(args)), &answer); err != nil {
		st.t.Fatal(err)
	}
	return answer
}

// TestApprove accepts decisions from a person at a terminal, and from nobody else.
func TestApprove(t *testing.T) {
	st := newStage(t, txtar.Parse([]byte("-- repo main.go --\npackage main\n\nfunc main() {}\n-- repo .gitignore --\n.code-intel/\n")))
	st.write(".code-intel/config.json", []byte(`{"human_gate": "terminal"}`))
	st.env = append(st.env, "CLAUDECODE=")
	st.git("branch", "llm_task_20250101-000000000-aaaaa_from_main")

	// The agent's program is a shell here: what the test starts is not its child.
	connect, call := st.connect, st.object
	const submit = `{"data":{"choice":"delete","summary":"he chose so"}}`
	refused := func(when string) {
		t.Helper()
		if a := call("submit_phase", submit); a["error"] != "human_gate" {
			t.Fatalf("%s the model's word counts: %v", when, a)
		}
	}

	if screen, status := st.approve(nil); status != 1 || !strings.Contains(screen, "No session") {
		t.Errorf("without a session: status %d\n%s", status, screen)
	}
	connect("code-intel", "mcp")
	if a := call("start_session", `{"intent":"MODIFY","query":"say goodbye","flags":["--no-doc"]}`); a["phase"] != "BRANCH_INTERVENTION" {
		t.Fatalf("the session begins so: %v", a)
	}
	refused("At first")
	if screen, status := st.approve([]string{"continue"}, "WORD"); status != 1 || !strings.Contains(screen, "opened by the program that runs the agent") {
		t.Errorf("from the agent's own terminal: status %d\n%s", status, screen)
	}
	st.client.Close()
	connect("sh", "-c", "code-intel mcp; exit $?")
	if a := call("start_session", `{"flags":["--resume"]}`); a["phase"] != "BRANCH_INTERVENTION" {
		t.Fatalf("the session goes on so: %v", a)
	}

	piped := exec.Command("code-intel", "approve", "continue")
	piped.Dir, piped.Env, piped.Stdin = st.root, st.env, strings.NewReader("continue\n")
	if out, _ := piped.CombinedOutput(); piped.ProcessState.ExitCode() != 1 || !bytes.Contains(out, []byte("must be a terminal")) {
		t.Errorf("without a terminal: status %d\n%s", piped.ProcessState.ExitCode(), out)
	}
	if screen, status := st.approve([]string{"continue"}, "guess"); status != 1 || !strings.Contains(screen, "Nothing was decided") {
		t.Errorf("with a guessed word: status %d\n%s", status, screen)
	}
	if screen, status := st.approve([]string{"retry"}); status != 2 || !strings.Contains(screen, "delete, merge, continue") {
		t.Errorf("with the decision of another gate: status %d\n%s", status, screen)
	}
	st.env = append(st.env, "CLAUDECODE=1")
	if screen, status := st.approve([]string{"continue"}, "WORD"); status != 1 || !strings.Contains(screen, "shell of Claude Code") {
		t.Errorf("from a shell of the agent: status %d\n%s", status, screen)
	}
	st.env = append(st.env, "CLAUDECODE=")
	refused("After all that")

	st.write(".code-intel/config.json", []byte(`{"human_gate": "terminal", "lang": "ja"}`))
	screen, status := st.approve([]string{"--guidance", "leave them"}, "continue", "WORD")
	if status != 0 || !strings.Contains(screen, "llm_task_20250101") || !strings.Contains(screen, "タスクブランチが残っている") || !strings.Contains(screen, "と入力する") {
		t.Fatalf("status %d\n%s", status, screen)
	}
	a := call("submit_phase", submit)
	if a["phase"] != "QUERY_FRAME" || a["overridden"] != true {
		t.Errorf("the model goes on with %v", a)
	}
	if !strings.Contains(string(st.git("branch")), "llm_task_2025") {
		t.Error("the model's choice was carried out")
	}
	if screen, status := st.approve([]string{"delete"}, "WORD"); status != 1 {
		t.Errorf("with nothing to decide: status %d\n%s", status, screen)
	}
	files, err := filepath.Glob(filepath.Join(st.root, ".code-intel/sessions/*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	checkpoint, err := os.ReadFile(files[0])
	if err != nil || !bytes.Contains(checkpoint, []byte(`"channel": "terminal"`)) || !bytes.Contains(checkpoint, []byte("leave them")) {
		t.Errorf("the checkpoint does not say how the decision came: %s, %v", checkpoint, err)
	}
}

// TestApprovePipeline accepts a person's answer at a terminal to a checkpoint, whatever
// the orchestrator says, and the orchestrator is given that answer.
func TestApprovePipeline(t *testing.T) {
	st := newStage(t, txtar.Parse([]byte("-- repo main.go --\npackage main\n\nfunc main() {}\n-- repo .gitignore --\n.code-intel/\n")))
	st.write(".code-intel/config.json", []byte(`{"human_gate": "terminal"}`))
	st.env = append(st.env, "CLAUDECODE=")
	const flags = `"flags": {"skip_pr": true}, "task_text": "say goodbye"`
	st.connect("sh", "-c", "code-intel mcp; exit $?")
	name := st.object("pipeline_init", `{"arguments": "--nopr say goodbye"}`)["workspace"].(string)
	ws := st.object("pipeline_init_with_context", `{"workspace": "`+name+`", `+flags+`, "user_confirmation": {"effort": "S", "use_current_branch": false}}`)["workspace"].(string)
	next := func(more string) map[string]any {
		t.Helper()
		return st.object("pipeline_next_action", `{"workspace": "`+ws+`"`+more+`}`)
	}
	const done = `, "previous_action_complete": true`
	next("")
	st.git("switch", "-q", "-c", "feature/say-goodbye")
	next(done)
	st.write(ws+"/analysis.md", []byte("# Analysis\n\nIt is so.\n"))
	next(done)
	if screen, status := st.approve(nil); status != 1 || !strings.Contains(screen, "no pipeline of this project is waiting") {
		t.Errorf("before a checkpoint: status %d\n%s", status, screen)
	}
	st.write(ws+"/design.md", []byte("# Design\n\n## Changes\n\n- `main.go`: say it.\n"))
	if a := next(done); a["name"] != "checkpoint-a" {
		t.Fatalf("the pipeline comes to %v", a)
	}
	relayed := func(when string) {
		t.Helper()
		if a := next(`, "user_response": "approve"`); a["name"] != "checkpoint-a" || !strings.Contains(fmt.Sprint(a["warning"]), "code-intel approve ") {
			t.Fatalf("%s the model's word counts: %v", when, a)
		}
	}
	relayed("At first")
	short := path.Base(ws)

	piped := exec.Command("code-intel", "approve", short, "approve")
	piped.Dir, piped.Env, piped.Stdin = st.root, st.env, strings.NewReader("approve\n")
	if out, _ := piped.CombinedOutput(); piped.ProcessState.ExitCode() != 1 || !bytes.Contains(out, []byte("must be a terminal")) {
		t.Errorf("without a terminal: status %d\n%s", piped.ProcessState.ExitCode(), out)
	}
	if screen, status := st.approve([]string{"approve"}, "guess"); status != 1 || !strings.Contains(screen, "Nothing was decided") {
		t.Errorf("with a guessed word: status %d\n%s", status, screen)
	}
	if screen, status := st.approve([]string{"retry"}); status != 2 || !strings.Contains(screen, "approve, reject") {
		t.Errorf("with the decision of another gate: status %d\n%s", status, screen)
	}
	st.client.Close()
	st.connect("code-intel", "mcp")
	next("")
	if screen, status := st.approve([]string{"approve"}, "WORD"); status != 1 || !strings.Contains(screen, "opened by the program that runs the agent") {
		t.Errorf("from the agent's own terminal: status %d\n%s", status, screen)
	}
	st.client.Close()
	st.connect("sh", "-c", "code-intel mcp; exit $?")
	relayed("After all that")

	screen, status := st.approve(nil, "reject", "Name the file.", "WORD")
	if status != 0 || !strings.Contains(screen, "is the design in "+ws+"/design.md what you want?") || !strings.Contains(screen, ws+" at checkpoint-a: reject.") {
		t.Fatalf("status %d\n%s", status, screen)
	}
	a := next(`, "user_response": "approve"`)
	if a["agent"] != "architect" || !strings.Contains(fmt.Sprint(a["prompt"]), "## Human Feedback") || !strings.Contains(fmt.Sprint(a["warning"]), "directly (terminal): reject") {
		t.Errorf("the orchestrator goes on with %v", a)
	}
	st.write(ws+"/design.md", []byte("# Design\n\n## Changes\n\n- `main.go`: say it aloud.\n"))
	next(done)
	if screen, status := st.approve([]string{short, "approve", "--guidance", "And be brief."}, "WORD"); status != 0 {
		t.Fatalf("status %d\n%s", status, screen)
	}
	if a := next(""); a["type"] != "write_file" {
		t.Errorf("the orchestrator goes on with %v", a)
	}
	if screen, status := st.approve([]string{short}); status != 1 || !strings.Contains(screen, "is not waiting for a decision") {
		t.Errorf("with nothing to decide: status %d\n%s", status, screen)
	}
	journal, err := os.ReadFile(filepath.Join(st.root, ws, "journal.jsonl"))
	if err != nil || strings.Count(string(journal), `"by":"terminal"`) != 2 || strings.Contains(string(journal), `"event":"decided","phase":"checkpoint-a","by":"relayed"`) {
		t.Errorf("the journal does not say how the decisions came: %s, %v", journal, err)
	}
}
