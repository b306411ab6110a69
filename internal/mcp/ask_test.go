package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/approval"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow"
)

// A gate is a session that has come to BRANCH_INTERVENTION, and a client whose
// person answers as the test says.
type gate struct {
	*testing.T
	root   string
	server *Server
	client *mcp.ClientSession
	asked  chan *mcp.ElicitParams
}

const stale = "llm_task_20250101-000000000-aaaaa_from_main"

// newGate lays out a repository with a stale branch and starts a session in it.
// A nil answer is a client that shows no forms.
func newGate(t *testing.T, revision, config string, answer func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *gate {
	t.Helper()
	return gateOf(t, &mcp.Implementation{Name: "claude-code", Version: "1"}, revision, config, answer)
}

// gateOf is newGate for a client that calls itself so.
func gateOf(t *testing.T, client *mcp.Implementation, revision, config string, answer func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *gate {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{T: t, root: root, asked: make(chan *mcp.ElicitParams, 10)}
	write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"))
	write(t, filepath.Join(root, ".code-intel", "config.json"), []byte(config))
	g.git("init", "-q", "-b", "main")
	g.git("add", "main.go")
	g.git("commit", "-q", "-m", "first")
	g.git("branch", stale)
	g.server = open(t, root, slog.New(slog.DiscardHandler))
	var o mcp.ClientOptions
	if answer != nil {
		o.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			g.asked <- r.Params
			return answer(ctx, r.Params)
		}
	}
	server, err := g.server.MCP()
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	g.client, err = mcp.NewClient(client, &o).
		Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.client.Close() })
	r := g.call("start_session", `{"intent":"MODIFY","query":"say goodbye","flags":["--no-doc"]}`)
	if a := g.answer(r); a.Phase != "BRANCH_INTERVENTION" {
		t.Fatalf("the session begins in %+v", r)
	}
	return g
}

func (g *gate) git(args ...string) string {
	g.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (g *gate) call(tool, args string) *mcp.CallToolResult {
	g.Helper()
	r, err := g.client.CallTool(g.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		g.Fatal(err)
	}
	return r
}

// submit sends what the model would: it says that the user chose.
func (g *gate) submit(choice string) *mcp.CallToolResult {
	g.Helper()
	return g.call("submit_phase", `{"data":{"choice":"`+choice+`","summary":"the user chose"}}`)
}

func (g *gate) answer(r *mcp.CallToolResult) (a answer.Answer) {
	g.Helper()
	data, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil || r.IsError {
		g.Fatalf("%v: %s", err, data)
	}
	return a
}

// state is what the checkpoint says.
func (g *gate) state() state.State {
	g.Helper()
	files, err := filepath.Glob(filepath.Join(g.root, ".code-intel", "sessions", "*.json"))
	if err != nil || len(files) != 1 {
		g.Fatal(files, err)
	}
	var st state.State
	if err := atomicfile.Read(files[0], &st); err != nil {
		g.Fatal(err)
	}
	return st
}

// decided wants the gate open, by one decision that came by the channel.
func (g *gate) decided(choice string, by approval.Channel, guidance string) {
	g.Helper()
	st := g.state()
	if len(st.Decisions) != 1 || st.Decisions[0].Choice != choice || st.Decisions[0].Channel != by || st.Decisions[0].Guidance != guidance || st.Gate != nil {
		g.Errorf("decisions %+v, gate %+v; want %s by %s", st.Decisions, st.Gate, choice, by)
	}
	if gone := !strings.Contains(g.git("branch"), stale); gone != (choice == "delete") {
		g.Errorf("after %s the stale branch is gone: %t", choice, gone)
	}
}

func (g *gate) refused(r *mcp.CallToolResult, says string) {
	g.Helper()
	if p := refused(g.T, r); p.Error != approval.HumanGate || !strings.Contains(p.Message, says) || !strings.Contains(strings.Join(p.LegalNext, "\n"), `"abort": true`) {
		g.Errorf("got %+v, want a refusal that says %q and leaves a way out", p, says)
	}
	if !strings.Contains(g.git("branch"), stale) {
		g.Error("the branch is gone although nobody decided so")
	}
}

func says(decision, guidance string) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": decision, "guidance": guidance}}, nil
	}
}

func does(action string) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action}, nil
	}
}

var eras = map[string]string{"requests": "2025-11-25", "round trips": "2026-07-28"}

// TestThePersonDecides wants what the person answered to hold, and what the
// model says that they answered to count for nothing.
func TestThePersonDecides(t *testing.T) {
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			g := newGate(t, revision, "{}", says("continue", "leave it"))
			a := g.answer(g.submit("delete"))
			if !a.Overridden || !strings.Contains(a.Reason.String(), "continue") || a.Phase != "QUERY_FRAME" {
				t.Errorf("got %+v", a)
			}
			g.decided("continue", approval.Elicited, "leave it")
			if p := <-g.asked; !strings.Contains(p.Message, stale) || len(g.asked) > 0 {
				t.Errorf("asked %q and %d times more", p.Message, len(g.asked))
			}
		})
	}
}

// TestAskedInTheLanguage wants the question to be put in the language of the
// project, and the names and decisions in it to stay what they are.
func TestAskedInTheLanguage(t *testing.T) {
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			g := newGate(t, revision, `{"lang": "ja"}`, says("delete", ""))
			g.answer(g.submit("continue"))
			g.decided("delete", approval.Elicited, "")
			p := <-g.asked
			for _, want := range []string{"エージェントではなく、あなたに", "以前のセッションのタスクブランチが残っている", stale, "delete: 削除する", "continue: そのまま残す"} {
				if !strings.Contains(p.Message, want) {
					t.Errorf("no %q in the question: %s", want, p.Message)
				}
			}
			schema, err := json.Marshal(p.RequestedSchema)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"あなたの決定", "あなたの助言", "空でもよい", `"delete","merge","continue"`} {
				if !strings.Contains(string(schema), want) {
					t.Errorf("no %q in the form: %s", want, schema)
				}
			}
			if english := regexp.MustCompile(`\b[a-z]+ [a-z]+ [a-z]+\b`).FindString(p.Message + string(schema)); english != "" {
				t.Errorf("%q is left in English: %s %s", english, p.Message, schema)
			}
		})
	}
}

// TestThePersonWouldNot wants a closed form to be told, and the next way to be
// open: their word as the model relays it, marked as such.
func TestThePersonWouldNot(t *testing.T) {
	for era, revision := range eras {
		for _, action := range []string{"decline", "cancel"} {
			t.Run(era+" "+action, func(t *testing.T) {
				g := newGate(t, revision, "{}", does(action))
				g.refused(g.submit("delete"), "did not decide")
				g.answer(g.submit("delete"))
				g.decided("delete", approval.Relayed, "")
				if len(g.asked) != 1 {
					t.Errorf("asked %d times", len(g.asked))
				}
			})
		}
	}
}

// TestNoRelay wants the model's word not to count where the project says so,
// cleanup_stale_branches not to be a way round, and giving up to be open.
func TestNoRelay(t *testing.T) {
	for _, demand := range []string{"terminal", "elicited"} {
		for name, answer := range map[string]func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error){"no forms": nil, "declined": does("decline")} {
			t.Run(demand+" "+name, func(t *testing.T) {
				g := newGate(t, "2025-11-25", `{"human_gate": "`+demand+`"}`, answer)
				for range 3 {
					g.refused(g.submit("delete"), "")
					g.refused(g.call("cleanup_stale_branches", `{"action":"delete"}`), "")
				}
				if a := g.answer(g.call("submit_phase", `{"data":{"abort":true,"reason":"nobody decides here"}}`)); a.Outcome != state.Aborted {
					t.Errorf("got %+v", a)
				}
			})
		}
	}
}

// TestConfirm wants a call of the model's to count as the person's word where
// the client shows the user each such call, above all other ways, and nowhere else.
func TestConfirm(t *testing.T) {
	sure := &mcp.Implementation{Name: "claude-code", Version: "2.1.199"}
	for era, revision := range eras {
		for _, demand := range []string{"relayed", "terminal", "elicited", "confirmed"} {
			t.Run(era+" "+demand, func(t *testing.T) {
				g := gateOf(t, sure, revision, `{"human_gate": "`+demand+`"}`, nil)
				if p := refused(t, g.call("confirm_decision", `{"choice":"accept"}`)); p.Error != approval.HumanGate {
					t.Errorf("a choice that is none here: %+v", p)
				}
				if r := g.call("confirm_decision", `{"choice":"continue","guidance":"leave it"}`); r.IsError {
					t.Fatalf("got %+v", r)
				}
				g.answer(g.submit("delete"))
				g.decided("continue", approval.Confirmed, "leave it")
				if p := refused(t, g.call("confirm_decision", `{"choice":"delete"}`)); p.Error != approval.GateClosed {
					t.Errorf("behind the gate: %+v", p)
				}
			})
		}
	}
	for name, client := range map[string]*mcp.Implementation{
		"older":         {Name: "claude-code", Version: "2.1.198"},
		"another":       {Name: "codex-mcp-client", Version: "9.9.9"},
		"no version":    {Name: "claude-code", Version: "newest"},
		"of that build": {Name: "claude-code", Version: "2.1.199-beta"},
	} {
		t.Run(name, func(t *testing.T) {
			g := gateOf(t, client, "2025-11-25", `{"human_gate": "confirmed"}`, says("delete", ""))
			g.refused(g.call("confirm_decision", `{"choice":"delete"}`), "not known whether this client shows the user")
			g.refused(g.submit("delete"), "")
			if len(g.asked) > 0 {
				t.Error("asked by a form, which would not count")
			}
			if a := g.answer(g.call("submit_phase", `{"data":{"abort":true,"reason":"nobody decides here"}}`)); a.Outcome != state.Aborted {
				t.Errorf("got %+v", a)
			}
		})
	}
}

// TestCleanupAsks wants the tool for stale branches to be bound by the decision.
func TestCleanupAsks(t *testing.T) {
	g := newGate(t, "2025-11-25", "{}", says("continue", ""))
	g.refused(g.call("cleanup_stale_branches", `{"action":"delete"}`), "continue")
	g.answer(g.submit("delete"))
	g.decided("continue", approval.Elicited, "")
}

// TestThePersonThinks wants other calls to be answered while the form is open, a
// second submission to be told so, and the end of the call to end the question:
// it counts as never asked.
func TestThePersonThinks(t *testing.T) {
	let := make(chan bool)
	g := newGate(t, "2025-11-25", "{}", func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		select {
		case <-let:
			return says("continue", "")(ctx, p)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := g.client.CallTool(ctx, &mcp.CallToolParams{Name: "submit_phase", Arguments: json.RawMessage(`{"data":{"choice":"delete","summary":"he chose"}}`)})
		ended <- err
	}()
	<-g.asked
	if a := g.answer(g.call("get_session_status", `{}`)); a.Phase != "BRANCH_INTERVENTION" {
		t.Errorf("got %+v", a)
	}
	g.refused(g.submit("delete"), "Another call is asking the user")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	close(let)
	// The server hears of the end a moment later than the client; until then a
	// submission is told that the person is being asked.
	for {
		r := g.submit("delete")
		if !r.IsError {
			break
		}
		g.refused(r, "Another call is asking the user")
	}
	g.decided("continue", approval.Elicited, "")
}

// TestDecidedElsewhere wants a decision from a terminal to end a question that
// nobody answers at the client.
func TestDecidedElsewhere(t *testing.T) {
	g := newGate(t, "2025-11-25", "{}", func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	go func() {
		<-g.asked
		st := g.state()
		h, err := g.server.work.open(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Error(err)
			return
		}
		q, err := h.session.QuestionOf(&st)
		if err == nil {
			err = h.session.Decide(t.Context(), q, workflow.Choice{Option: "delete", Guidance: "from outside", Channel: approval.Terminal})
		}
		if err != nil {
			t.Error(err)
		}
	}()
	g.answer(g.submit("continue"))
	g.decided("delete", approval.Terminal, "from outside")
}

// TestAskAtCheckpoint has the person decide a checkpoint of a pipeline at the
// client, whatever the model says they said.
func TestAskAtCheckpoint(t *testing.T) {
	for _, tt := range []struct {
		name     string
		revision string
		answer   *mcp.ElicitResult
		by       string
	}{
		{"by a request of the server's", "2025-11-25", &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "reject", "guidance": "name the file"}}, "elicited"},
		{"by a second round", "2026-07-28", &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "reject", "guidance": "name the file"}}, "elicited"},
		{"the form is closed", "2025-11-25", &mcp.ElicitResult{Action: "cancel"}, "relayed"},
		{"the form is closed, and nothing else counts", "2025-11-25", &mcp.ElicitResult{Action: "cancel"}, "elicited"},
		{"by a call that the client shows", "2025-11-25", nil, "confirmed"},
		{"in a terminal, while the form is open", "2025-11-25", nil, "terminal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			g := &gate{T: t, root: root}
			write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"))
			g.git("init", "-q", "-b", "main")
			g.git("add", "main.go")
			g.git("commit", "-q", "-m", "first")
			if tt.by == "confirmed" || strings.HasSuffix(tt.name, "nothing else counts") {
				write(t, filepath.Join(root, ".code-intel", "config.json"), []byte(`{"human_gate": "`+tt.by+`"}`))
			}
			s := open(t, root, slog.New(slog.DiscardHandler))
			server, err := s.MCP()
			if err != nil {
				t.Fatal(err)
			}
			near, far := mcp.NewInMemoryTransports()
			if _, err := server.Connect(t.Context(), far, nil); err != nil {
				t.Fatal(err)
			}
			o := mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if asked++; !strings.Contains(r.Params.Message, "design.md") {
					t.Errorf("the form does not say what it is about: %s", r.Params.Message)
				}
				if tt.answer == nil {
					decideInTerminal(t, s)
					<-ctx.Done()
					return nil, ctx.Err()
				}
				if tt.by == "elicited" && asked > 2 {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "reject", "guidance": "name the file"}}, nil
				}
				return tt.answer, nil
			}}
			version := map[string]string{"confirmed": "2.1.199"}[tt.by]
			g.client, err = mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: cmp.Or(version, "1")}, &o).
				Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: tt.revision})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { g.client.Close() })
			call := func(tool string, args map[string]any) map[string]any {
				t.Helper()
				data, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				r := g.call(tool, string(data))
				m, ok := r.StructuredContent.(map[string]any)
				if r.IsError || !ok {
					t.Fatalf("%s: %v", tool, r.StructuredContent)
				}
				return m
			}
			init := call("pipeline_init", map[string]any{"arguments": "--nopr say goodbye"})
			ws := call("pipeline_init_with_context", map[string]any{"workspace": init["workspace"], "flags": init["flags"], "task_text": "say goodbye",
				"user_confirmation": map[string]any{"effort": "S"}})["workspace"].(string)
			next := func(more map[string]any) map[string]any {
				t.Helper()
				more["workspace"] = ws
				return call("pipeline_next_action", more)
			}
			done := map[string]any{"previous_action_complete": true}
			next(map[string]any{})
			g.git("switch", "-q", "-c", "feature/say-goodbye")
			next(done)
			write(t, filepath.Join(root, ws, "analysis.md"), []byte("# Analysis\n\nIt is so.\n"))
			next(done)
			write(t, filepath.Join(root, ws, "design.md"), []byte("# Design\n\n## Changes\n\n- `main.go`: say it.\n"))
			a := next(done)
			if tt.by == "confirmed" {
				if a["type"] != "checkpoint" || asked > 0 {
					t.Fatalf("asked %d times by a form, which does not count: %v", asked, a)
				}
				if a = next(map[string]any{"user_response": "approve"}); a["type"] != "checkpoint" || !strings.Contains(a["warning"].(string), "confirm_decision") {
					t.Fatalf("the word of the model counts: %v", a)
				}
				call("confirm_decision", map[string]any{"choice": "reject", "guidance": "name the file"})
				a = next(map[string]any{"user_response": "approve"})
			} else if asked != 1 {
				t.Errorf("the person was asked %d times", asked)
			}
			if tt.answer != nil && tt.answer.Action == "cancel" && tt.by == "elicited" {
				if a["type"] != "checkpoint" || a["warning"] == "" {
					t.Fatalf("%v", a)
				}
				if a = next(map[string]any{"user_response": "approve"}); a["type"] != "checkpoint" || asked != 2 {
					t.Fatalf("asked %d times, and the word of the model counts: %v", asked, a)
				}
				a = next(map[string]any{"user_response": "approve"})
			}
			if tt.by == "relayed" {
				if a["type"] != "checkpoint" || a["warning"] == "" {
					t.Fatalf("%v", a)
				}
				if a = next(map[string]any{"user_response": "reject: name the file"}); asked != 1 {
					t.Error("the person was asked again")
				}
			}
			if a["agent"] != "architect" || !strings.Contains(a["prompt"].(string), "name the file") {
				t.Errorf("%v", a)
			}
			info := call("state_resume_info", map[string]any{"workspace": ws})
			d := info["decisions"].([]any)[0].(map[string]any)
			if d["by"] != tt.by || d["choice"] != "reject" {
				t.Errorf("decision: %v", d)
			}
		})
	}
}

// decideInTerminal rejects what the one pipeline of the project asks.
func decideInTerminal(t *testing.T, server *Server) {
	h, err := server.work.open(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Error(err)
		return
	}
	desks, err := h.forge.Waiting(t.Context())
	if err != nil || len(desks) != 1 {
		t.Error(desks, err)
		return
	}
	if err := h.forge.Decide(t.Context(), desks[0], workflow.Choice{Option: "reject", Guidance: "name the file", Channel: approval.Terminal}); err != nil {
		t.Error(err)
	}
}
