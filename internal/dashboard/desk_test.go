package dashboard

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

const design = "# Design\n\n## Goal\n\nGreet people.\n\n## Changes\n\n- `greet.go`: `Greet` says hello.\n"

// person gives git somebody who commits.
func (d *desk) person() {
	d.t.Helper()
	home := d.t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A User", "GIT_AUTHOR_EMAIL": "user@example.com", "GIT_COMMITTER_NAME": "A User", "GIT_COMMITTER_EMAIL": "user@example.com",
	} {
		d.t.Setenv(name, value)
	}
}

// run runs a command in the project.
func (d *desk) run(argv ...string) {
	d.t.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = d.p.Root
	if out, err := c.CombinedOutput(); err != nil {
		d.t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

// repository makes the project a repository with a commit.
func (d *desk) repository() {
	d.t.Helper()
	d.person()
	d.write("greet.go", "package main\n\n// Greet greets.\nfunc Greet() {}\n")
	d.run("git", "init", "-q", "-b", "main")
	d.run("git", "add", "-A")
	d.run("git", "commit", "-q", "-m", "Begin")
}

// pipeline leads a pipeline of size S to the checkpoint at which the design is looked
// at. Whoever led it has gone.
func (d *desk) pipeline() (path string) {
	d.t.Helper()
	d.repository()
	p, err := project.OpenRoot(d.p.Root)
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := service.New(p, service.Options{Log: d.s.o.Log, Now: time.Now, AgentDirs: []string{}})
	if err != nil {
		d.t.Fatal(err)
	}
	defer s.Close()
	decode := func(v json.Marshaler, err error, into any) {
		d.t.Helper()
		if err == nil {
			var data []byte
			if data, err = v.MarshalJSON(); err == nil {
				err = json.Unmarshal(data, into)
			}
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
	var begun struct {
		Workspace string          `json:"workspace"`
		Flags     json.RawMessage `json:"flags"`
		Text      string          `json:"core_text"`
	}
	init, err := s.Init(d.t.Context(), service.InitRequest{Arguments: "--nopr greet people"})
	decode(init, err, &begun)
	r := service.ContextRequest{Workspace: begun.Workspace, Flags: begun.Flags, TaskText: begun.Text}
	asked, err := s.InitWithContext(d.t.Context(), r)
	decode(asked, err, new(any))
	r.UserConfirmation = json.RawMessage(`{"effort": "S", "workspace_slug": "greet people"}`)
	ready, err := s.InitWithContext(d.t.Context(), r)
	decode(ready, err, &begun)

	done, zero := true, 0
	request := service.NextRequest{Workspace: begun.Workspace}
	for range 10 {
		var action struct {
			Type     string   `json:"type"`
			Commands []string `json:"commands"`
			Output   string   `json:"output_file"`
		}
		a, err := s.NextAction(d.t.Context(), request)
		decode(a, err, &action)
		request = service.NextRequest{Workspace: begun.Workspace, Complete: &done}
		switch action.Type {
		case "exec":
			d.run(action.Commands...)
			request.SetupOnly, request.ExitCode = &done, &zero
		case "spawn_agent":
			text := design
			if action.Output != "design.md" {
				text = "# Analysis\n\n## What was found\n\nNothing greets.\n"
			}
			d.write(begun.Workspace+"/"+action.Output, text)
			tokens, ms := 1200.0, 3400.0
			request.Tokens, request.DurationMS, request.Model = &tokens, &ms, "sonnet"
		case "checkpoint":
			return begun.Workspace
		default:
			d.t.Fatalf("an action of type %s", action.Type)
		}
	}
	d.t.Fatal("no checkpoint is come to")
	return ""
}

// TestDesk wants a pipeline to be shown phase by phase, and its checkpoint to be
// answered by the person who was shown it, and by nobody else.
func TestDesk(t *testing.T) {
	refused := func(string) error { return problem.New("not_a_person", "Nobody is there.").Or("Go to a terminal.") }
	for name, c := range map[string]struct {
		demand         string
		person         func(string) error
		choice, ticket string // "" is the one that is shown
		status         int
		want           string // the phase afterwards
	}{
		"approve":          {"relayed", nil, "approve", "", 200, "phase-5"},
		"reject":           {"dashboard", nil, "reject", "", 200, "phase-3"},
		"abandon":          {"relayed", nil, "abandon", "", 200, "checkpoint-a"},
		"no option":        {"relayed", nil, "retry", "", 409, "checkpoint-a"},
		"an old question":  {"relayed", nil, "approve", "t1", 409, "checkpoint-a"},
		"by nobody":        {"relayed", refused, "approve", "", 409, "checkpoint-a"},
		"where it is less": {"terminal", nil, "approve", "", 409, "checkpoint-a"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(o *Options) {
				if c.person != nil {
					o.Person = c.person
				}
			})
			d.write(".code-intel/config.json", fmt.Sprintf(`{"human_gate": %q}`, c.demand))
			path := d.pipeline()
			before, p := readSection[pipelineSection](d, "pipelines", "en")
			if p != nil || before.Current == nil || before.Current.Desk == nil || !before.Pipelines[0].Waits {
				t.Fatalf("%+v %+v", p, before)
			}
			q := before.Current.Desk
			if q.Open != (c.person == nil && c.demand != "terminal") || q.Open != (q.Why == nil) || !slices.Equal(q.Options, []string{"approve", "reject"}) || !strings.Contains(q.Text, "Greet people") {
				t.Errorf("the question: %+v, %+v", q, q.Why)
			}
			stages := make(map[string]string)
			for _, s := range before.Current.Steps {
				stages[string(s.Phase)] = fmt.Sprintf("%s %d %d", s.Stage, s.Tokens, s.DurationMS)
			}
			for phase, want := range map[string]string{"setup": "done 0 0", "phase-1": "done 1200 3400", "phase-2": "skipped 0 0", "phase-3": "done 1200 3400", "checkpoint-a": "current 0 0", "phase-5": "ahead 0 0", "completed": "ahead 0 0"} {
				if stages[phase] != want {
					t.Errorf("%s is %s, want %s", phase, stages[phase], want)
				}
			}
			ticket := q.Ticket
			if c.ticket != "" {
				ticket = c.ticket
			}
			w := d.post("/api/gate", fmt.Sprintf(`{"workspace": %q, "ticket": %q, "choice": %q, "guidance": "say hello"}`, path, ticket, c.choice))
			if w.Code != c.status {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			after, _ := body[pipelineView](t, d.get("/api/pipeline?id="+strings.TrimPrefix(path, ".specs/")))
			info := after.Info
			if string(info.Phase) != c.want {
				t.Errorf("the pipeline is in %s, want %s", info.Phase, c.want)
			}
			if c.status != 200 {
				if len(info.Decisions) > 0 || after.Desk == nil {
					t.Errorf("it was refused and noted: %+v", info.Decisions)
				}
				return
			}
			if len(info.Decisions) != 1 || info.Decisions[0].By != "dashboard" || info.Decisions[0].Choice != c.choice || info.Decisions[0].Text != "say hello" || after.Desk != nil {
				t.Errorf("noted: %+v", info.Decisions)
			}
			if c.choice == "abandon" && info.Status != engine.StatusAbandoned {
				t.Errorf("the pipeline is %s", info.Status)
			}
		})
	}
	d := open(t, nil)
	if w := d.get("/api/pipeline?id=nothing"); w.Code != 404 {
		t.Errorf("of no pipeline: %d %s", w.Code, w.Body)
	}
}
