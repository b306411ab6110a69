package session

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/approval"
	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
)

// atEscalation is a session that waits for the user, in a project with the
// settings.
func atEscalation(t *testing.T, demand approval.Channel) *turn {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	p, err := project.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.Config.HumanGate = demand
	s, err := New(p, Code{}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l, err := audit.Open(filepath.Join(t.TempDir(), "s.ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	x := s.newTurn(&state.State{Schema: state.Schema, ID: "s", Phase: phases.UserEscalation}, l)
	x.openGate()
	return x
}

func (t *turn) said(test *testing.T, choice string, c approval.Channel, gate string) {
	test.Helper()
	if _, err := t.Ledger.Append(decisionEntry(t.State, state.Decision{Phase: t.State.Phase, Choice: choice, Channel: c, Gate: gate})); err != nil {
		test.Fatal(err)
	}
}

// TestDecision wants the person's last word at this gate to hold, over whatever
// the model claims, and nothing else to be taken for it.
func TestDecision(t *testing.T) {
	type word struct {
		choice string
		by     approval.Channel
		gate   string // of another gate, if any
	}
	for name, c := range map[string]struct {
		demand approval.Channel
		words  []word
		want   string // "" is a refusal
		by     approval.Channel
	}{
		"relayed":                          {"relayed", nil, "accept", approval.Relayed},
		"relayed is not enough":            {"terminal", nil, "", ""},
		"their own":                        {"relayed", []word{{"retry", approval.Terminal, ""}}, "retry", approval.Terminal},
		"in the dashboard":                 {"dashboard", []word{{"retry", approval.Dashboard, ""}}, "retry", approval.Dashboard},
		"in the dashboard, not enough":     {"terminal", []word{{"retry", approval.Dashboard, ""}}, "", ""},
		"the dashboard is more":            {"relayed", []word{{"retry", approval.Dashboard, ""}}, "retry", approval.Dashboard},
		"relayed is less":                  {"dashboard", nil, "", ""},
		"the last":                         {"relayed", []word{{"retry", approval.Elicited, ""}, {"abort", approval.Terminal, ""}}, "abort", approval.Terminal},
		"stronger than asked for":          {"terminal", []word{{"retry", approval.Elicited, ""}}, "retry", approval.Elicited},
		"weaker than asked for":            {"elicited", []word{{"retry", approval.Terminal, ""}}, "", ""},
		"weaker after stronger":            {"elicited", []word{{"retry", approval.Elicited, ""}, {"abort", approval.Terminal, ""}}, "retry", approval.Elicited},
		"of an earlier gate":               {"terminal", []word{{"retry", approval.Terminal, "EARLIER"}}, "", ""},
		"no decision of this phase":        {"terminal", []word{{"delete", approval.Terminal, ""}}, "", ""},
		"a relayed one is never their own": {"terminal", []word{{"retry", approval.Relayed, ""}}, "", ""},
		"shown to them":                    {"confirmed", []word{{"retry", approval.Confirmed, ""}, {"abort", approval.Elicited, ""}}, "retry", approval.Confirmed},
		"a form is not enough":             {"confirmed", []word{{"retry", approval.Elicited, ""}}, "", ""},
		"an unknown way":                   {"terminal", []word{{"retry", "telepathy", ""}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := atEscalation(t, c.demand)
			for _, w := range c.words {
				gate := w.gate
				if gate == "" {
					gate = x.State.Gate.Nonce
				}
				x.said(t, w.choice, w.by, gate)
			}
			d, err := x.decision("user_decision", "accept", "")
			if p := problem.Of(err); c.want == "" && (p == nil || p.Code != approval.HumanGate) {
				t.Errorf("got %+v, %v; want a refusal", d, err)
			}
			if c.want != "" && (err != nil || d.Choice != c.want || d.Channel != c.by) {
				t.Errorf("got %+v, %v; want %s by %s", d, err, c.want, c.by)
			}
		})
	}
}

// TestTakes wants a person to be told at once when their way would not count.
func TestTakes(t *testing.T) {
	for demand, takes := range map[approval.Channel]bool{"": true, "relayed": true, "terminal": true, "elicited": false, "confirmed": false} {
		x := atEscalation(t, demand)
		q, err := x.s.QuestionOf(x.State)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Takes(approval.Terminal); (err == nil) != takes {
			t.Errorf("human_gate %q, by terminal: %v", demand, err)
		}
	}
}

// TestDemandOfTheStart wants a project's demand that was lowered under a session
// to hold in it still, and one that was raised to hold at once.
func TestDemandOfTheStart(t *testing.T) {
	for _, c := range []struct{ began, now, want approval.Channel }{
		{approval.Terminal, approval.Relayed, approval.Terminal}, {approval.Relayed, approval.Elicited, approval.Elicited}, {"", approval.Relayed, approval.Relayed},
	} {
		x := atEscalation(t, c.now)
		x.State.HumanGate = c.began
		if got := x.requiredChannel(); got != c.want {
			t.Errorf("began with %q, now %q: %q, want %q", c.began, c.now, got, c.want)
		}
	}
}

// TestEachGateIsAnother wants the same phase, entered again, to want another
// decision, and the same gate to stay over a restart.
func TestEachGateIsAnother(t *testing.T) {
	x := atEscalation(t, "relayed")
	first := x.State.Gate.Nonce
	x.openGate()
	if x.State.Gate.Nonce != first {
		t.Error("the gate changed although nobody passed it")
	}
	if err := x.settle(state.Decision{Phase: phases.UserEscalation, Choice: "retry", Channel: approval.Terminal, Gate: first}); err != nil {
		t.Fatal(err)
	}
	x.State.Phase = phases.ReadyPlan
	x.openGate()
	if x.State.Gate != nil {
		t.Error("READY has a gate")
	}
	x.State.Phase = phases.UserEscalation
	x.openGate()
	if x.State.Gate.Nonce == first {
		t.Error("the gate is the old one")
	}
}

// TestAskedInJapanese wants a person to be asked in their language, and what the
// model and they have said to stay as it was.
func TestAskedInJapanese(t *testing.T) {
	x := atEscalation(t, "relayed")
	x.State.Query = "Make the greeting polite.\nAsk nobody."
	x.State.Tasks = []state.Task{{ID: "t1", Status: "completed", Description: "greet politely"}, {ID: "t2", Status: "pending", Description: "test it"}}
	x.State.Verify = &state.VerifyResult{Details: "2 tests fail:\nTestGreet\nTestBye"}
	x.State.Returned = msg.Literal("the third attempt failed, too")
	q, err := x.s.QuestionOf(x.State)
	if err != nil {
		t.Fatal(err)
	}
	const want = `あなたの判断待ちで停止している。依頼: Make the greeting polite.
  Ask nobody.
タスク t1 [completed]: greet politely
タスク t2 [pending]: test it
直近の検証: 2 tests fail:
  TestGreet
  TestBye
その前: the third attempt failed, too

retry: あなたの助言に従って再試行する。accept: 作業を現状のまま受け入れる。abort: 中止する。ブランチと作業は残る。`
	if diff := cmp.Diff(want, msg.In("ja").Text(q.Text)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, want := msg.In("ja").Say("cli.to_decide_type", "retry", "abc123"), `"retry" に決めるなら abc123 と入力する: `; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
