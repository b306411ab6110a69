package outcomelog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/text/requestslots"
)

// record writes 12 sessions: of the 6 with risk HIGH 3 failed, two of them as the
// user said later; the 6 others, of which 4 were LOW, came out well, one in part.
func record(t *testing.T) *Logs {
	t.Helper()
	logs, _ := openLogs(t)
	add := func(o Outcome) {
		t.Helper()
		if err := logs.Outcomes.Append(o); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		id := fmt.Sprintf("s%02d", i)
		o := Outcome{SessionID: id, Outcome: Success, Phase: "MERGE", Intent: "MODIFY", Source: SessionEnd, HasFrame: true, RiskLevel: requestslots.Low}
		switch {
		case i < 6:
			o.RiskLevel, o.MissingSlots, o.Overridden = requestslots.High, []string{"observed_issue", "trigger_condition"}, []string{"Q1"}
		case i < 8:
			o.RiskLevel = requestslots.Medium
		}
		switch i {
		case 2:
			o.Outcome, o.Phase = Failure, "READY"
		case 11:
			o.Outcome, o.DevragUsed = Partial, true
		}
		if i < 10 {
			d := Decision{SessionID: id, Intent: "MODIFY", RiskLevel: o.RiskLevel, ToolsPlanned: []string{"find_references", "search_text"}[:1+i%2]}
			if err := logs.Decisions.Append(d); err != nil {
				t.Fatal(err)
			}
		}
		add(o)
	}
	add(Outcome{SessionID: "s00", Outcome: Failure, Source: NextRequest, TriggerMessage: "まだ動かない"})
	add(Outcome{SessionID: "s01", Outcome: Partial, Source: Recorded})
	add(Outcome{SessionID: "s01", Outcome: Failure, Phase: "READY", Source: Recorded})
	add(Outcome{Outcome: Failure, Source: Recorded}) // of no session
	if err := logs.Decisions.Append(Decision{Query: "no session", ToolsPlanned: []string{"find_definitions"}}); err != nil {
		t.Fatal(err)
	}
	return logs
}

func TestInsights(t *testing.T) {
	in, err := record(t).Insights(0)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(sessions, failures int) Rate {
		r := Rate{Sessions: sessions, Failures: failures}
		if sessions >= 5 {
			f := float64(failures) / float64(sessions)
			r.Rate = &f
		}
		return r
	}
	want := &Insights{
		Sessions: 12, Decided: 10, Base: rate(12, 3), LeastCases: 5,
		Counts: map[Result]int{Success: 8, Partial: 1, Failure: 3},
		ByTool: map[string]Rate{"find_references": rate(10, 3), "search_text": rate(5, 1)},
		ByRisk: map[string]Rate{"HIGH": rate(6, 3), "MEDIUM": rate(2, 0), "LOW": rate(4, 0)},
		More: Correlations{
			Intent:    map[string]Rate{"MODIFY": rate(12, 3)},
			Missing:   map[string]Rate{"observed_issue": rate(6, 3), "trigger_condition": rate(6, 3), "none": rate(6, 0)},
			Override:  map[string]Rate{"Q1": rate(6, 3)},
			ByMeaning: map[string]Rate{"used": rate(1, 0), "not used": rate(11, 3)},
		},
		FailurePoints: map[string]int{"MERGE": 1, "READY": 2},
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("insights (-want +got):\n%s", diff)
	}
	text := in.Text()
	for _, line := range []string{
		"12 sessions with outcomes, 10 with decisions: 8 success, 1 partial, 3 failure\n",
		"all: 3 of 12 failed (25%)\n",
		"risk HIGH: 3 of 6 failed (50%; all: 25%)\n",
		"risk LOW: 0 of 4 failed (fewer than 5 sessions: no rate)\n",
		"failed at READY: 2 of 3 failures\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the text lacks %q:\n%s", line, text)
		}
	}
	if data, err := json.Marshal(in); err != nil || !strings.Contains(string(data), `"LOW":{"sessions":4,"failures":0}`) {
		t.Errorf("a rate of too few is claimed: %s, %v", data, err)
	}
}

func TestInsightsOfTheLast(t *testing.T) {
	in, err := record(t).Insights(2) // those spoken of last: s00 and s01
	if err != nil {
		t.Fatal(err)
	}
	if in.Sessions != 2 || in.Base.Failures != 2 || in.Base.Rate != nil {
		t.Errorf("got %+v", in)
	}
	logs, _ := openLogs(t)
	if in, err = logs.Insights(0); err != nil || in.Sessions != 0 || in.Base.Rate != nil || !strings.HasPrefix(in.Text(), "0 sessions") {
		t.Errorf("of nothing: %+v, %v", in, err)
	}
}

func TestSession(t *testing.T) {
	logs := record(t)
	a, err := logs.Session("s01", 0)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Analysis.HadDecision || !a.Analysis.HadOutcome || *a.Analysis.FinalOutcome != Failure || *a.Analysis.FailurePoint != "READY" ||
		len(a.Outcomes) != 3 || len(a.Analysis.ToolsPlanned) != 2 {
		t.Errorf("s01: %+v", a)
	}
	if a, err = logs.Session("s01", 2); err != nil || len(a.Outcomes) != 2 || a.Outcomes[0].Source != Recorded {
		t.Errorf("the last two of s01: %+v, %v", a.Outcomes, err)
	}
	if a, err = logs.Session("s05", 0); err != nil || *a.Analysis.FinalOutcome != Success || a.Analysis.FailurePoint != nil {
		t.Errorf("s05: %+v, %v", a, err)
	}
	if a, err = logs.Session("nobody", 0); err != nil || a.Analysis.HadDecision || a.Analysis.HadOutcome || a.Analysis.FinalOutcome != nil {
		t.Errorf("nobody: %+v, %v", a, err)
	}
	if data, err := json.Marshal(a); err != nil ||
		string(data) != `{"session_id":"nobody","decision":null,"outcomes":[],"analysis":{"had_decision":false,"had_outcome":false,"final_outcome":null,"tools_planned":[],"failure_point":null}}` {
		t.Errorf("%s, %v", data, err)
	}
}
