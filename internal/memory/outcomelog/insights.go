package outcomelog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/text/requestslots"
)

// minCases is how many sessions a group must have before its failure rate is
// stated: of fewer, chance alone makes any rate.
const minCases = 5

// defaultLimit is how many sessions an analysis looks at if not told otherwise;
// seed v1.0, get_improvement_insights.
const defaultLimit = 100

// A Rate is how many sessions of a group failed.
type Rate struct {
	Sessions int      `json:"sessions"`
	Failures int      `json:"failures"`
	Rate     *float64 `json:"failure_rate,omitempty"` // nil: too few sessions
}

func (r *Rate) count(o Outcome) {
	if r.Sessions++; o.Outcome == Failure {
		r.Failures++
	}
}

func (r *Rate) finish() {
	if r.Sessions >= minCases {
		rate := float64(r.Failures) / float64(r.Sessions)
		r.Rate = &rate
	}
}

// text writes the rate beside the overall one.
func (r Rate) text(base *float64) string {
	s := fmt.Sprintf("%d of %d failed", r.Failures, r.Sessions)
	switch {
	case r.Rate == nil:
		return s + fmt.Sprintf(" (fewer than %d sessions: no rate)", minCases)
	case base == nil:
		return s + fmt.Sprintf(" (%.0f%%)", *r.Rate*100)
	}
	return s + fmt.Sprintf(" (%.0f%%; all: %.0f%%)", *r.Rate*100, *base*100)
}

// Insights are what the failed ones among the last sessions have in common. The first
// five fields are those of get_improvement_insights in seed v1.0. Each group has its
// size, and its rate next to the base rate; a group with every session in it says
// nothing, one of fewer than minCases has no rate.
type Insights struct {
	Sessions      int             `json:"total_sessions_with_outcomes"`
	Decided       int             `json:"sessions_with_decisions"`
	ByTool        map[string]Rate `json:"tool_failure_correlation"` // that was planned
	ByRisk        map[string]Rate `json:"risk_level_correlation"`
	FailurePoints map[string]int  `json:"common_failure_points"` // failures by the phase they came to light in

	Counts     map[Result]int `json:"outcome_counts"`
	Base       Rate           `json:"base_rate"`
	More       Correlations   `json:"correlations"`
	LeastCases int            `json:"least_cases"`
}

// Correlations are groups of sessions beyond those of seed v1.0.
type Correlations struct {
	Intent    map[string]Rate `json:"intent"`
	Missing   map[string]Rate `json:"missing_slot"`    // "none": every slot was filled
	Override  map[string]Rate `json:"gate_override"`   // gates whose "no" was not accepted
	ByMeaning map[string]Rate `json:"semantic_search"` // used, or not used
}

// Final returns the last outcome of each of the last limit sessions, in the order of
// these outcomes.
func Final(all []Outcome, limit int) []Outcome {
	last := make(map[string]int)
	merged := make(map[string]Outcome)
	for i, o := range all {
		if o.SessionID == "" {
			continue
		}
		if had, ok := merged[o.SessionID]; ok {
			o = o.withKnown(had)
		}
		last[o.SessionID], merged[o.SessionID] = i, o
	}
	ids := slices.SortedFunc(maps.Keys(last), func(a, b string) int { return cmp.Compare(last[a], last[b]) })
	if limit <= 0 {
		limit = defaultLimit
	}
	final := make([]Outcome, 0, min(limit, len(ids)))
	for _, id := range ids[max(0, len(ids)-limit):] {
		final = append(final, merged[id])
	}
	return final
}

// withKnown returns o with what an earlier outcome knew of the session and this
// one does not.
func (o Outcome) withKnown(had Outcome) Outcome {
	o.Intent, o.Phase = cmp.Or(o.Intent, had.Intent), cmp.Or(o.Phase, had.Phase)
	o.RiskLevel, o.SessionEnded = cmp.Or(o.RiskLevel, had.RiskLevel), cmp.Or(o.SessionEnded, had.SessionEnded)
	o.DevragUsed = o.DevragUsed || had.DevragUsed
	if !o.HasFrame {
		o.HasFrame, o.MissingSlots = had.HasFrame, had.MissingSlots
	}
	if o.Overridden == nil {
		o.Overridden = had.Overridden
	}
	return o
}

// Insights analyses the last limit sessions; 100 for 0.
func (l *Logs) Insights(limit int) (*Insights, error) {
	outcomes, err := l.Outcomes.Read()
	if err != nil {
		return nil, err
	}
	decisions, err := l.Decisions.Read()
	if err != nil {
		return nil, err
	}
	return analyse(Final(outcomes, limit), decisions), nil
}

func analyse(final []Outcome, decisions []Decision) *Insights {
	decided := make(map[string]Decision) // the first of each session: the plan it began with
	for _, d := range decisions {
		if _, ok := decided[d.SessionID]; !ok && d.SessionID != "" {
			decided[d.SessionID] = d
		}
	}
	in := &Insights{
		Sessions: len(final), FailurePoints: map[string]int{}, Counts: map[Result]int{}, LeastCases: minCases,
	}
	tools, risks, intents, missing, overrides, semantic := groups{}, groups{}, groups{}, groups{}, groups{}, groups{}
	for _, o := range final {
		in.Base.count(o)
		in.Counts[o.Outcome]++
		if o.Outcome == Failure {
			in.FailurePoints[cmp.Or(o.Phase, "unknown")]++
		}
		d, ok := decided[o.SessionID]
		if ok {
			in.Decided++
			tools.count(o, d.ToolsPlanned...)
		}
		risks.count(o, string(cmp.Or(o.RiskLevel, d.RiskLevel)))
		intents.count(o, cmp.Or(o.Intent, d.Intent))
		overrides.count(o, o.Overridden...)
		semantic.count(o, map[bool]string{true: "used", false: "not used"}[o.DevragUsed])
		if o.HasFrame {
			missing.count(o, o.MissingSlots...)
			if len(o.MissingSlots) == 0 {
				missing.count(o, "none")
			}
		} else if ok {
			missing.count(o, d.MissingSlots...)
		}
	}
	in.Base.finish()
	in.ByTool, in.ByRisk = tools.finish(), risks.finish()
	in.More = Correlations{intents.finish(), missing.finish(), overrides.finish(), semantic.finish()}
	return in
}

// groups are sessions by what they have in common.
type groups map[string]Rate

func (g groups) count(o Outcome, names ...string) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if name == "" {
			continue
		}
		r := g[name]
		r.count(o)
		g[name] = r
	}
}

func (g groups) finish() map[string]Rate {
	for name, r := range g {
		r.finish()
		g[name] = r
	}
	return g
}

// Text has a line for each group, those that fail most often first.
func (in *Insights) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sessions with outcomes, %d with decisions: %d success, %d partial, %d failure\n",
		in.Sessions, in.Decided, in.Counts[Success], in.Counts[Partial], in.Counts[Failure])
	if in.Sessions == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "all: %s\n", in.Base.text(nil))
	for _, part := range []struct {
		title string
		rates map[string]Rate
	}{
		{"risk", in.ByRisk}, {"intent", in.More.Intent}, {"slot missing", in.More.Missing},
		{"gate overridden", in.More.Override}, {"search by meaning", in.More.ByMeaning}, {"tool planned", in.ByTool},
	} {
		names := slices.SortedFunc(maps.Keys(part.rates), func(x, y string) int {
			a, c := part.rates[x], part.rates[y]
			return cmp.Or(cmp.Compare(c.Failures*a.Sessions, a.Failures*c.Sessions),
				cmp.Compare(c.Sessions, a.Sessions), cmp.Compare(x, y))
		})
		for _, name := range names {
			fmt.Fprintf(&b, "%s %s: %s\n", part.title, name, part.rates[name].text(in.Base.Rate))
		}
	}
	phases := slices.SortedFunc(maps.Keys(in.FailurePoints), func(x, y string) int {
		return cmp.Or(cmp.Compare(in.FailurePoints[y], in.FailurePoints[x]), cmp.Compare(x, y))
	})
	for _, p := range phases {
		fmt.Fprintf(&b, "failed at %s: %d of %d failures\n", p, in.FailurePoints[p], in.Counts[Failure])
	}
	return b.String()
}

// A SessionAnalysis is what the logs know of one session; seed v1.0,
// get_session_analysis.
type SessionAnalysis struct {
	SessionID string    `json:"session_id"`
	Decision  *Decision `json:"decision"` // the first; nil: none
	Outcomes  []Outcome `json:"outcomes"` // the last ones, the oldest first
	Analysis  Analysis  `json:"analysis"`
}

// An Analysis sums up a session.
type Analysis struct {
	HadDecision  bool     `json:"had_decision"`
	HadOutcome   bool     `json:"had_outcome"`
	FinalOutcome *Result  `json:"final_outcome"`
	ToolsPlanned []string `json:"tools_planned"`
	FailurePoint *string  `json:"failure_point"` // the phase of the final outcome, if it is failure
}

// Session analyses one session, with at most limit outcomes; 100 for 0.
func (l *Logs) Session(id string, limit int) (*SessionAnalysis, error) {
	decisions, err := l.Decisions.Read()
	if err != nil {
		return nil, err
	}
	outcomes, err := l.Outcomes.Read()
	if err != nil {
		return nil, err
	}
	a := &SessionAnalysis{SessionID: id, Outcomes: []Outcome{}, Analysis: Analysis{ToolsPlanned: []string{}}}
	if i := slices.IndexFunc(decisions, func(d Decision) bool { return d.SessionID == id }); i >= 0 {
		a.Decision, a.Analysis.HadDecision = &decisions[i], true
		a.Analysis.ToolsPlanned = append(a.Analysis.ToolsPlanned, decisions[i].ToolsPlanned...)
	}
	for _, o := range outcomes {
		if o.SessionID == id {
			a.Outcomes = append(a.Outcomes, o)
		}
	}
	if limit <= 0 {
		limit = defaultLimit
	}
	a.Outcomes = a.Outcomes[max(0, len(a.Outcomes)-limit):]
	if n := len(a.Outcomes); n > 0 {
		final := Final(a.Outcomes, 1)[0]
		a.Analysis.HadOutcome, a.Analysis.FinalOutcome = true, &final.Outcome
		if final.Outcome == Failure && final.Phase != "" {
			a.Analysis.FailurePoint = &final.Phase
		}
	}
	return a, nil
}

// Text is the analysis in a few lines.
func (a *SessionAnalysis) Text() string {
	var b strings.Builder
	if a.Decision == nil {
		fmt.Fprintf(&b, "session %s: no decision is logged\n", a.SessionID)
	} else {
		fmt.Fprintf(&b, "session %s: %s, risk %s: %s\nplanned: %s\n", a.SessionID,
			a.Decision.Intent, a.Decision.RiskLevel, a.Decision.Query, strings.Join(a.Decision.ToolsPlanned, ", "))
	}
	if len(a.Outcomes) == 0 {
		b.WriteString("no outcome is logged\n")
	}
	for _, o := range a.Outcomes {
		fmt.Fprintf(&b, "%s %s at %s (%s)", o.Timestamp, o.Outcome, cmp.Or(o.Phase, "an unknown phase"), o.Source)
		if o.TriggerMessage != "" {
			fmt.Fprintf(&b, ": %s", o.TriggerMessage)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Missing returns the slots that a frame does not have.
func Missing(f *requestslots.Frame) []string {
	missing := []string{}
	for _, name := range requestslots.SlotNames {
		if _, ok := f.Slots[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}
