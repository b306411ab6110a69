package service

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
)

// The files of testdata/contract are the examples of the data contract, as they
// stand there. An answer must have every key of its example, nested as there and of
// the same type; it may have more. Values must be the same, too, but for those that
// a test names, and for texts that the contract itself breaks off with "...".
func example(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "contract", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// like reports where got is not like the example.
func like(t *testing.T, path string, want, got any, free ...string) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is %v, want an object", path, got)
			return
		}
		for k, v := range want {
			gv, ok := g[k]
			if !ok {
				t.Errorf("%s has no %q", path, k)
				continue
			}
			like(t, path+"."+k, v, gv, free...)
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			t.Errorf("%s is %v, want a list", path, got)
			return
		}
		if slices.Contains(free, path) {
			for i := range min(len(want), len(g), 1) {
				like(t, path+"[]", want[i], g[i], path+"[].phase_id", path+"[].label", path+"[].severity", path+"[].description")
			}
			return
		}
		if len(g) != len(want) {
			t.Errorf("%s is %v, want %v", path, got, want)
			return
		}
		for i := range want {
			like(t, fmt.Sprintf("%s[%d]", path, i), want[i], g[i], free...)
		}
	case string:
		g, ok := got.(string)
		begin, _, open := strings.Cut(want, "...")
		if !ok || !slices.Contains(free, path) && (open && !strings.HasPrefix(g, begin) || !open && g != want) {
			t.Errorf("%s is %v, want %q", path, got, want)
		}
	default:
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) || !slices.Contains(free, path) && got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

const issueURL = "https://github.com/owner/repo/issues/42"

func TestContractOfInit(t *testing.T) {
	st := newStand(t)
	like(t, "init", example(t, "init"), st.reply(st.s.Init(t.Context(), InitRequest{Arguments: issueURL})))
	like(t, "errors", example(t, "errors"), st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "ab"})))
	text := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "implement login feature"}))
	if v, ok := text["fetch_needed"]; !ok || v != nil {
		t.Errorf("fetch_needed of a text is %v, %v", v, ok)
	}
	st.begin("greet people", "S")
	want := example(t, "resume")
	want["workspace"] = st.ws
	like(t, "resume", want, st.reply(st.s.Init(t.Context(), InitRequest{Arguments: st.ws})))
	if got := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: ".specs/20200101-none"})); fmt.Sprint(got["errors"]) != "[workspace not found: .specs/20200101-none]" {
		t.Errorf("%v", got)
	}
}

func TestContractOfHandshake(t *testing.T) {
	st := newStand(t)
	ctx := t.Context()
	init := st.reply(st.s.Init(ctx, InitRequest{Arguments: "implement login feature"}))
	r := ContextRequest{Workspace: init["workspace"].(string), TaskText: "implement login feature"}
	like(t, "first", example(t, "needs_user_confirmation"), st.reply(st.s.InitWithContext(ctx, r)),
		"first.needs_user_confirmation.effort_options.S.skipped_phases")

	r.Flags = json.RawMessage(`{"discuss": true, "effort_override": null}`)
	like(t, "discuss", example(t, "needs_discussion"), st.reply(st.s.InitWithContext(ctx, r)))
	r.DiscussionAnswers = "The goal is login."
	got := st.reply(st.s.InitWithContext(ctx, r))
	if body := fmt.Sprint(got["needs_user_confirmation"]); !strings.Contains(body, "The goal is login.") {
		t.Errorf("the answers are lost: %s", body)
	}
	r.UserConfirmation = json.RawMessage(`{"effort": "M"}`)
	if got = st.reply(st.s.InitWithContext(ctx, r)); !strings.HasPrefix(fmt.Sprint(got["errors"]), "[ambiguous: ") {
		t.Errorf("both: %v", got)
	}
	if _, err := os.Stat(filepath.Join(st.root, ".specs")); err == nil {
		t.Error("something was written before the confirmation")
	}

	st.s.Init(ctx, InitRequest{Arguments: issueURL})
	raw := func(name string) json.RawMessage {
		data, err := json.Marshal(example(t, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	issue := ContextRequest{Workspace: ".specs/20260401-https-github-com-owner-repo-issues-42", SourceURL: issueURL, SourceID: "42", ExternalContext: raw("external_context")}
	st.reply(st.s.InitWithContext(ctx, issue))
	issue.UserConfirmation = raw("user_confirmation")
	first := st.reply(st.s.InitWithContext(ctx, issue))
	want := example(t, "ready")
	want["branch"] = "fix/42-fix-auth-timeout" // the label is bug
	like(t, "ready", want, first)
	if names := ls(t, filepath.Join(st.root, ".specs/20260401-42-fix-auth-timeout")); names != "request.md state.json" {
		t.Errorf("the workspace holds %s", names)
	}
	data, err := os.ReadFile(filepath.Join(st.root, ".specs/20260401-42-fix-auth-timeout/request.md"))
	if err != nil || string(data) != first["request_md_content"] {
		t.Errorf("request.md is not request_md_content: %v\n%s", err, data)
	}
	st.open() // another process, and the call once more
	if again := st.reply(st.s.InitWithContext(ctx, issue)); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("confirmed again: %v", again)
	}
	if names := ls(t, filepath.Join(st.root, ".specs")); names != "20260401-42-fix-auth-timeout" {
		t.Errorf(".specs holds %s", names)
	}
}

func ls(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestContractOfActions checks each action against its example, field for field.
func TestContractOfActions(t *testing.T) {
	for _, a := range []engine.Action{
		engine.SpawnAgent{Agent: "situation-analyst", Prompt: "...", Model: "sonnet", Phase: "phase-1", Inputs: []string{"request.md"}, Output: "analysis.md"},
		engine.Checkpoint{Name: "checkpoint-a", PresentToUser: msg.Literal("## Design Review\n\n..."), Options: []string{"approve", "reject"}},
		engine.Exec{Phase: "pr-creation", Commands: []string{"gh", "pr", "create", "--title", "feat: ...", "--body", "..."}},
		engine.WriteFile{Phase: "phase-5", Path: ".specs/20260401-fix-auth/tasks.md", Content: "# Tasks\n\n..."},
		engine.HumanGate{Phase: "phase-5", Name: "merge-external-pr", PresentToUser: msg.Literal("タスク3はrepo-bのPR #456のマージが必要です..."), Options: []string{"done", "skip", "abandon"}},
		engine.Done{Summary: msg.Literal("Pipeline completed: 10 phases, 2 skipped"), SummaryPath: ".specs/20260401-fix-auth/summary.md"},
	} {
		raw, err := engine.Encode(a)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		want := example(t, a.Kind())
		like(t, a.Kind(), want, got)
		for k := range got {
			if _, ok := want[k]; !ok {
				t.Errorf("%s has a field %q", a.Kind(), k)
			}
		}
	}
}

// TestContractOfAnswers checks whole answers against the examples: the fields that
// every answer has, and the action's own.
func TestContractOfAnswers(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	a := r.walk(at("spawn_agent phase-1"))
	like(t, "spawn_agent", example(t, "spawn_agent"), a)
	b := r.next(NextRequest{})
	like(t, "response", example(t, "response"), b)
	r.artifacts["review-design.md"] = func(int) string {
		return review("APPROVE_WITH_NOTES", "**[MINOR]** Consider adding error context to the greeting.")
	}
	a = r.walkOn(a, at("spawn_agent phase-3b"))
	r.do(a)
	got, err := r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "phase-3b"})
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(msg.Bind(got, msg.Printer{}).Text()), &m); err != nil {
		t.Fatal(err)
	}
	like(t, "report_result", example(t, "report_result"), m, "report_result.display_message")
	a = r.next(NextRequest{})
	like(t, "checkpoint", example(t, "checkpoint"), a, "checkpoint.present_to_user")
	for _, key := range []string{"type", "warning", "display_message", "report_result", "ticket", "stats"} {
		if _, ok := a[key]; !ok {
			t.Errorf("the answer has no %q", key)
		}
	}
	if !strings.Contains(a["present_to_user"].(string), "Consider adding error context") {
		t.Errorf("digest: %s", a["present_to_user"])
	}
}
