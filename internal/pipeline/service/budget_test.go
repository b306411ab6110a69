package service

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/pipeline/pastruns"
)

// The next agent waits for a person once the budget is spent, or where nothing tells how
// much of it is.
func TestBudget(t *testing.T) {
	for answer, want := range map[string]string{"more": "spawn_agent phase-6 impl-reviewer review-1.md",
		"finish": "spawn_agent phase-6 impl-reviewer review-1.md", "stop": "done"} {
		r := newRobot(t, "--nopr --budget=5k greet people by name", "XS")
		a := r.walk(at("spawn_agent phase-5"))
		req := r.do(a)
		req.Tokens = new(float64)
		*req.Tokens = 6000
		a = r.next(req)
		if line(a) != "checkpoint budget-spent" || fmt.Sprint(a["options"]) != "[more finish stop]" ||
			!strings.Contains(a["present_to_user"].(string), "6000 tokens; 5000 were granted") {
			t.Fatalf("%s: %v", line(a), a["present_to_user"])
		}
		if a = r.next(NextRequest{Response: answer}); line(a) != want {
			t.Fatalf("%s: %s", answer, line(a))
		}
		st := r.state()
		switch answer {
		case "more":
			if st.Budget.Granted != 11_000 {
				t.Errorf("granted: %+v", st.Budget)
			}
		case "finish":
			if st.Budget != nil {
				t.Errorf("still %+v", st.Budget)
			}
		}
	}
	r := newRobot(t, "--nopr --budget=2h greet people by name", "XS")
	req := r.do(r.walk(at("spawn_agent phase-5")))
	req.DurationMS = nil
	a := r.next(req)
	if line(a) != "checkpoint budget-spent" || !strings.Contains(a["present_to_user"].(string), "has not reported what") {
		t.Fatalf("%s: %v", line(a), a["present_to_user"])
	}
	a = r.next(NextRequest{Response: "more"})
	req = r.do(a)
	req.DurationMS = nil
	if a = r.next(req); line(a) != "spawn_agent final-summary verifier summary.md" {
		t.Errorf("asked again: %s", line(a))
	}
}

// A later call neither takes the typed budget away nor raises it.
func TestBudgetIsTyped(t *testing.T) {
	st := newStand(t)
	init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "--nopr --budget=5k greet people"}))
	ws := init["workspace"].(string)
	for _, flags := range []string{`{"skip_pr": true}`, `{"skip_pr": true, "budget": "900k"}`} {
		st.reply(st.s.InitWithContext(t.Context(), ContextRequest{Workspace: ws, Flags: json.RawMessage(flags), TaskText: "greet people"}))
	}
	st.ws = st.reply(st.s.InitWithContext(t.Context(), ContextRequest{Workspace: ws, Flags: json.RawMessage(`{"budget": "900k"}`), TaskText: "greet people",
		UserConfirmation: json.RawMessage(`{"effort": "S"}`)}))["workspace"].(string)
	if b := st.state().Budget; b == nil || b.Tokens != 5000 {
		t.Errorf("%+v", b)
	}
}

// Before a pipeline begins it is said what those of its size and kind took.
func TestEstimateBeforeTheStart(t *testing.T) {
	st := newStand(t)
	said := func() string {
		init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "--effort=S add a greeting"}))
		flags, err := json.Marshal(init["flags"])
		if err != nil {
			t.Fatal(err)
		}
		a := st.reply(st.s.InitWithContext(t.Context(), ContextRequest{Workspace: init["workspace"].(string), Flags: flags, TaskText: "add a greeting"}))
		return a["needs_user_confirmation"].(map[string]any)["message"].(string)
	}
	if got := said(); !strings.Contains(got, "No estimate: no history yet (completed pipelines of effort S: 0; 3 are needed).") {
		t.Errorf("%s", got)
	}
	past, err := pastruns.Open(st.root)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		name := fmt.Sprintf("greeting-%d", i)
		e := pastruns.Entry{SpecName: name, Workspace: ".specs/20260301-" + name, Title: "Add a greeting", Status: pastruns.Completed, Effort: "S", Branch: "feature/" + name,
			Ended:    "2026-03-01T00:00:00Z",
			Findings: []pastruns.Finding{{Phase: "phase-6", Severity: "CRITICAL", Description: "the greeting is never printed"}}}
		for n := range 7 + i {
			e.Phases = append(e.Phases, pastruns.PhaseLog{Phase: fmt.Sprint("phase-", n), Agent: "a", Tokens: 1000, DurationMS: 60_000})
		}
		e.Phases[0].Verdict = "FAIL"
		if err := past.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	got := said()
	for _, want := range []string{"from 3 completed pipelines of effort S and kind feature: 8 (7–9) agent runs, 8,000 (7,000–9,000) tokens, 8 (7–9) minutes of work.",
		"What went wrong in similar pipelines: ", "phase-0 said FAIL, the greeting is never printed"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
}
