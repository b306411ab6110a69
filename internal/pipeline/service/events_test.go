package service

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/workflow"
)

// hook returns the service as the process of a client's hook would hold it.
func (st *stand) hook() *Service {
	st.t.Helper()
	p, err := project.Open(st.root)
	if err != nil {
		st.t.Fatal(err)
	}
	s, err := New(p, Options{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }, AgentDirs: []string{}})
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(func() { s.Close() })
	return s
}

func (st *stand) hear(e clients.Event) *workflow.HookResult {
	st.t.Helper()
	e.Dir = st.root
	h, err := st.hook().HandleEvent(st.t.Context(), e)
	if err != nil {
		st.t.Fatal(err)
	}
	return h
}

func shellOf(command, call string) clients.Event {
	return clients.Event{Client: "claude", Name: clients.Before, Kind: clients.Shell, Tool: "Bash", Command: command, Call: call}
}

// Of commands that change history the hook lets through the one that was handed
// out, and once; of files what the action asks for.
func TestHear(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	if h := r.hear(shellOf("git commit -am x", "1")); h.ID != "" || h.Denied {
		t.Errorf("before the pipeline is led: %+v", h)
	}
	a := r.walk(at("exec setup"))
	branch := a["commands"].([]any)[3].(string)
	command := "git switch -c " + branch
	for line, denied := range map[string]bool{
		"git status && go test ./...":       false,
		"git commit -am x":                  true,
		"git switch -c other":               true,
		command + " && git push":            true,
		"echo x >greet.go":                  true,
		"echo x >/tmp/scratch.txt":          false,
		"gh pr create --title x --body y":   true,
		"gh pr view 7":                      false,
		"sed -i s/a/b/ .code-intel/x":       true,
		"code-intel approve x":              true,
		"git -c core.pager=cat log -n 1 -p": false,
		"if":                                true,
	} {
		if h := r.hear(shellOf(line, "")); h.Denied != denied || denied && (h.Reason.IsZero() || len(h.Next) == 0) {
			t.Errorf("%s: %+v", line, h)
		}
	}
	if h := r.hear(shellOf("git  switch -c '"+branch+"'", "7")); h.Denied {
		t.Fatalf("the command that was handed out: %+v", h)
	}
	if h := r.hear(shellOf(command, "7")); h.Denied {
		t.Errorf("the same call, heard by the hook of another client: %+v", h)
	}
	if h := r.hear(shellOf(command, "8")); !h.Denied || !strings.Contains(strings.Join(msg.Texts(h.Next), " "), "previous_exit_code") {
		t.Errorf("a second time: %+v", h)
	}

	a = r.walkOn(a, at("spawn_agent phase-1"))
	write := func(file string) bool {
		return r.hear(clients.Event{Client: "claude", Name: clients.Before, Kind: clients.Write, Tool: "Write", Files: []clients.File{{Path: filepath.Join(r.root, file)}}}).Denied
	}
	for file, denied := range map[string]bool{r.ws + "/analysis.md": false, "greet.go": true, r.ws + "/state.json": true, "../x": true} {
		if got := write(file); got != denied {
			t.Errorf("%s: denied %v", file, got)
		}
	}

	// What the hook heard of the agent counts, and not what the orchestrator says.
	r.hear(clients.Event{Client: "claude", Name: clients.SubagentStop, Agent: "a1", Text: "done"})
	r.hear(clients.Event{Client: "claude", Name: clients.After, Kind: clients.Agent, Tool: "Agent", Tokens: 777, Duration: 4321, Model: "opus"})
	a = r.walkOn(a, at("spawn_agent phase-3 "))
	var first, second string
	for _, p := range r.state().PhaseRuns {
		switch p.Phase {
		case "phase-1":
			first = p.Model
			if p.Tokens != 777 || p.Duration != 4321 {
				t.Errorf("phase-1: %+v", p)
			}
		case "phase-2":
			second = p.Model
		}
	}
	if first != "opus" || second != "sonnet" {
		t.Errorf("models: %q, %q", first, second)
	}
	_, entries, err := r.s.Show(t.Context(), r.ws)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]string{}
	for _, e := range entries {
		if e.Event == "reported" {
			by[string(e.Phase)] = e.By
		}
	}
	if by["phase-1"] != "client_events" || by["phase-2"] != "self_reported" {
		t.Errorf("reported by %v", by)
	}

	r.walkOn(a, nil)
	if left, _ := filepath.Glob(filepath.Join(r.root, ".git", "code-intel", "forge", "*heard*")); len(left) > 0 {
		t.Errorf("left when it is over: %q", left)
	}
}
