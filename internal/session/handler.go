package session

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/workflow/phase"
)

// AlreadyTaken is the code of a payload that already ended the last phase.
const AlreadyTaken problem.Code = "already_taken"

// A handler is what ends one phase: the fields of its payload, and what the
// payload must live up to. What is wrong before it is asked, if anything, it tells
// together with what it finds itself.
type handler struct {
	fields func() []lenientjson.Field // made when they are first asked for: a hook never does
	run    func(ctx context.Context, t *turn, data payload.Payload, before error) (answers, error)
}

// answers are the facts that a payload decides.
type answers map[phase.Fact]bool

// newHandlers returns the handler of every phase. A table that has a phase
// without one, or a handler without a phase, is a mistake of ours.
func newHandlers(table *phase.Table[phases.Contract]) (map[phase.ID]handler, error) {
	all := map[phase.ID]handler{}
	handlerFor(all, phases.BranchIntervention, (*turn).branchIntervention)
	judging(all, phases.DocumentResearch, (*turn).documentResearch)
	judging(all, phases.QueryFrame, (*turn).queryFrame)
	judging(all, phases.Exploration, (*turn).exploration)
	judging(all, phases.Q1, (*turn).q1)
	judging(all, phases.Semantic, (*turn).semantic)
	judging(all, phases.Q2, (*turn).q2)
	judging(all, phases.Verification, (*turn).verification)
	judging(all, phases.Q3, (*turn).q3)
	judging(all, phases.ImpactAnalysis, (*turn).impactAnalysis)
	handlerFor(all, phases.ReadyPlan, (*turn).readyPlan)
	handlerFor(all, phases.ReadyImplement, (*turn).readyImplement)
	handlerFor(all, phases.ReadyComplete, (*turn).readyComplete)
	handlerFor(all, phases.PostImplVerify, (*turn).postImplVerify)
	judging(all, phases.VerifyIntervention, (*turn).verifyIntervention)
	handlerFor(all, phases.UserEscalation, (*turn).userEscalation)
	handlerFor(all, phases.PreCommit, (*turn).preCommit)
	handlerFor(all, phases.QualityReview, (*turn).qualityReview)
	handlerFor(all, phases.Merge, (*turn).merge)
	for _, id := range table.IDs() {
		if _, ok := all[id]; !ok {
			return nil, fmt.Errorf("phase %s has no handler", id)
		}
	}
	return all, nil
}

// handlerFor makes a handler of a method: its payload is decoded, and what every payload
// must have is checked, before the method sees it.
func handlerFor[P payload.OfPhase](all map[phase.ID]handler, id phase.ID, do func(*turn, context.Context, P) (answers, error)) {
	handle(all, id, do, false)
}

// judging is on for a method that changes nothing but the state. The method is called even if
// a check has failed already, so that all problems are reported at once.
func judging[P payload.OfPhase](all map[phase.ID]handler, id phase.ID,
	do func(*turn, context.Context, P) (answers, error)) {
	handle(all, id, do, true)
}

func handle[P payload.OfPhase](all map[phase.ID]handler, id phase.ID,
	do func(*turn, context.Context, P) (answers, error), judges bool) {
	fields := func() []lenientjson.Field { return lenientjson.Fields(reflect.TypeFor[P]()) }
	all[id] = handler{sync.OnceValue(fields), func(ctx context.Context, t *turn, data payload.Payload, before error) (answers, error) {
		var p P
		result, err := data.Document.Into(&p)
		if err != nil {
			return nil, err
		}
		if len(result.Mismatches) > 0 {
			return nil, refusal.Join(before, mismatch(t.wire(), result))
		}
		if err := t.sentAgain(data, result.Unknown); err != nil {
			return nil, err
		}
		for _, field := range result.Unknown {
			t.Warn("session.is_no_field_of_the_payload", field)
		}
		wrong := []error{before}
		summary, tools, required := p.SummaryAndTools()
		if t.summary = strings.TrimSpace(summary); required && vaguetext.Silent(t.summary) {
			wrong = append(wrong, problem.New(refusal.PayloadMismatch, "session.summary_empty", t.wire()).
				Or("session.say_what_came_of_the_phase"))
		}
		wrong = append(wrong, t.explored().CheckTools(tools))
		if err := refusal.Join(wrong...); err != nil && !judges {
			return nil, err
		}
		given, err := do(t, ctx, p)
		return given, refusal.Join(append(wrong, err)...)
	}}
}

// sentAgain returns a Problem for the payload of the phase that was left last: its
// answer was lost, perhaps, and so it came again. It has every field that phase
// requires, and among them one that this phase does not know. A phase that wants
// no more than a summary would take it for its own.
func (t *turn) sentAgain(p payload.Payload, unknown []string) error {
	given := p.Document.Object()
	left, ok := t.s.handlers[t.State.Left]
	if !ok || t.State.Left == t.State.Phase || given == nil {
		return nil
	}
	foreign := false
	for _, f := range left.fields() {
		if _, has := given[f.Name]; f.Required && !has {
			return nil
		}
		foreign = foreign || f.Required && slices.Contains(unknown, f.Name)
	}
	if !foreign {
		return nil
	}
	return problem.New(AlreadyTaken, "session.payload_which_over_session_now", t.s.step(t.State.Left), t.s.step(t.State.Phase)).
		Or("session.send_the_expected_fields_only").
		Or("session.status_says_what_the_phase_is", op.GetSessionStatus)
}

func mismatch(phase string, r lenientjson.Result) error {
	wrong := msg.New("session.payload_does_not_fit", phase, msg.Listed("; ", r.Mismatches))
	if len(r.Unknown) > 0 {
		wrong = msg.Join("", wrong, msg.New("session.these_fields_belong_no_payload", r.Unknown))
	}
	return problem.With(refusal.PayloadMismatch, wrong, msg.New("session.send_fields_expected_payload_submit", op.SubmitPhase))
}

// wire is the current phase as answers name it.
func (t *turn) wire() string { return t.s.wire(t.State.Phase) }

// step is a phase as answers name it, with its step where that tells it apart.
func (s *Service) step(id phase.ID) msg.Message {
	if c, _ := s.table.Contract(id); c.ReadyStep != "" {
		return msg.New("session.phase_and_step", s.wire(id), c.ReadyStep)
	}
	return msg.Literal(s.wire(id))
}
