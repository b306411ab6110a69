package queryplan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/op"
	"codeintel/internal/text/requestslots"
)

// The tools that a plan may use.
const (
	semantic    = string(op.SemanticSearch)
	definitions = string(op.FindDefinitions)
	references  = string(op.FindReferences)
	symbols     = string(op.GetSymbols)
	textSearch  = string(op.SearchText)
	structure   = string(op.AnalyzeStructure)
)

// A Plan says which tools are asked, in which order, and why.
type Plan struct {
	Steps           []Step                       `json:"steps"`
	Reasoning       string                       `json:"reasoning"`
	NeedsBootstrap  bool                         `json:"needs_bootstrap" jsonschema:"The question contains no known name, so the code was searched by meaning first"`
	BootstrapReason string                       `json:"bootstrap_reason,omitempty"`
	Intent          string                       `json:"intent"`
	Aim             AimKind                      `json:"aim,omitempty" jsonschema:"What the question asks for outright, so that one tool answers it"`
	RiskLevel       requestslots.Risk            `json:"risk_level"`
	MissingSlots    []string                     `json:"missing_slots"`
	Slots           map[string]requestslots.Slot `json:"query_frame"`
}

// A Step is a call of one tool and what became of it.
type Step struct {
	Tool    string  `json:"tool"`
	Why     string  `json:"why"`
	Args    string  `json:"args,omitempty" jsonschema:"What it was asked"`
	Outcome Outcome `json:"outcome"`
	Found   int     `json:"found" jsonschema:"How many results it gave"`
	Reason  string  `json:"reason,omitempty" jsonschema:"Why it was skipped or failed"`
}

// An Outcome is what became of a step.
type Outcome string

// The outcomes of steps.
const (
	Done    Outcome = "done"
	Nothing Outcome = "empty"
	Skipped Outcome = "skipped"
	Failed  Outcome = "failed"
)

// forMissing says which tools find out what a slot does not say. Seed v1.0,
// Router._select_tools; its "query" is the search by meaning, for this is query.
var forMissing = map[string][]string{
	"target_feature":    {definitions, symbols},
	"trigger_condition": {textSearch},
	"observed_issue":    {textSearch, semantic},
	"desired_action":    {references, structure},
}

// order is that of tools that the intent does not put first.
var order = []string{semantic, definitions, references, textSearch, symbols, structure}

// newPlan makes the plan for an intent, the slots that are filled, and the names
// in the question that the code defines. A question with an aim is answered by the
// tools of that; the search by meaning is asked only if those find nothing.
func newPlan(intent string, slots map[string]requestslots.Slot, names []string, aim aim) *Plan {
	p := &Plan{Intent: intent, Aim: aim.Kind, RiskLevel: requestslots.Assess(intent, slots), Slots: slots,
		MissingSlots: []string{}}
	for _, s := range requestslots.SlotNames {
		if _, ok := slots[s]; !ok {
			p.MissingSlots = append(p.MissingSlots, s)
		}
	}
	if aim.Kind != NoAim {
		for _, tool := range aim.Kind.tools() {
			p.Steps = append(p.Steps, Step{Tool: tool, Why: "the question asks for it"})
		}
		p.Steps = append(p.Steps, Step{Tool: semantic, Why: unlessFound})
		p.Reasoning = p.reasoning(names)
		return p
	}
	why := make(map[string]string)
	want := func(tool, reason string) {
		if why[tool] == "" {
			why[tool] = reason
		}
	}
	var ahead []string
	switch intent {
	case Implement:
		for _, tool := range order {
			want(tool, "IMPLEMENT looks at the code from every side")
		}
	case Modify:
		ahead = []string{references, definitions}
		want(references, "MODIFY: whoever uses it first")
		want(definitions, "MODIFY: what it is now")
	case Investigate:
		ahead = []string{semantic, structure}
		want(semantic, "INVESTIGATE: what the question is about")
		want(structure, "INVESTIGATE: what stands around it")
	case Question:
		want(semantic, "QUESTION: what the question is about")
		if len(names) > 0 {
			ahead = []string{definitions}
			want(definitions, "QUESTION: what it names")
		}
	}
	if intent != Question { // which has the least
		for _, slot := range p.MissingSlots {
			for _, tool := range forMissing[slot] {
				want(tool, "the question does not say "+strings.ReplaceAll(slot, "_", " "))
			}
		}
	} else if _, ok := slots["observed_issue"]; ok {
		want(textSearch, "QUESTION: what was observed may stand in the code")
	}
	if len(names) == 0 {
		p.NeedsBootstrap, p.BootstrapReason = true, "the question names no symbol of this code"
		ahead = append([]string{semantic}, slices.DeleteFunc(ahead, func(t string) bool { return t == semantic })...)
		want(semantic, "the question names no symbol of this code: the search by meaning finds some")
	}
	for _, tool := range append(ahead, order...) {
		if why[tool] != "" && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Tool == tool }) {
			p.Steps = append(p.Steps, Step{Tool: tool, Why: why[tool]})
		}
	}
	p.Reasoning = p.reasoning(names)
	return p
}

// unlessFound is why a step comes after those of an aim.
const unlessFound = "only if the steps before find nothing"

func (p *Plan) reasoning(names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s with risk %s; ", p.Intent, p.RiskLevel)
	if p.Aim != NoAim {
		fmt.Fprintf(&b, "asks for %s; ", p.Aim)
	}
	if len(p.MissingSlots) == 0 {
		b.WriteString("every slot is filled")
	} else {
		fmt.Fprintf(&b, "not said: %s", strings.Join(p.MissingSlots, ", "))
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "; named: %s", strings.Join(names, ", "))
	}
	return b.String()
}

// tools lists the tools of the plan.
func (p *Plan) tools() []string {
	list := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		list[i] = s.Tool
	}
	return list
}

// phases are those of a session that the plan's findings call for.
func (p *Plan) phases() []string {
	if p.Intent == Question {
		return []string{"EXPLORATION"}
	}
	list := []string{"EXPLORATION"}
	if len(p.MissingSlots) > 0 {
		list = append(list, "SEMANTIC")
	}
	for _, s := range p.Slots {
		if s.Source == requestslots.Hypothesis {
			list = append(list, "VERIFICATION")
			break
		}
	}
	if p.Intent == Implement || p.Intent == Modify {
		list = append(list, "IMPACT_ANALYSIS", "READY")
	}
	return list
}

// decision is the plan as the decision log has it.
func (p *Plan) decision(query, session string, at time.Time) outcomelog.Decision {
	return outcomelog.Decision{
		Query: query, Timestamp: outcomelog.Stamp(at), Intent: p.Intent, RequiredPhases: p.phases(),
		MissingSlots: p.MissingSlots, RiskLevel: p.RiskLevel, ToolsPlanned: p.tools(),
		NeedsBootstrap: p.NeedsBootstrap, BootstrapReason: p.BootstrapReason, SessionID: session,
	}
}
