package service

import (
	"strings"
	"testing"

	"codeintel/internal/approval"
	"codeintel/internal/problem"
	"codeintel/internal/text/question"
	"codeintel/internal/workflow"
)

// protect has the project take decisions by no weaker way.
func (st *stand) protect(demand string) {
	st.t.Helper()
	st.write(".code-intel/config.json", `{"human_gate": "`+demand+`"}`)
	st.write(".git/info/exclude", ".code-intel/\n")
	st.open()
}

// desk is what a person sees in another process; nil if nothing waits for them.
func (st *stand) desk() (*Service, *workflow.Question) {
	st.t.Helper()
	other := st.hook()
	desks, err := other.Waiting(st.t.Context())
	if err != nil || len(desks) > 1 {
		st.t.Fatal(desks, err)
	}
	if len(desks) == 0 {
		return other, nil
	}
	return other, desks[0]
}

// says has the person at the desk of another process say a word about a ticket.
func (st *stand) says(ticket, option, text string, by approval.Channel) error {
	st.t.Helper()
	q := &workflow.Question{ID: st.ws, Ticket: ticket}
	return st.hook().Decide(st.t.Context(), q, workflow.Choice{Option: option, Guidance: text, Channel: by})
}

func (st *stand) refusedAs(err error, code problem.Code, what string) {
	st.t.Helper()
	if p := problem.Of(err); p == nil || p.Code != code {
		st.t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// What a person decides in another process holds, whatever the orchestrator says
// that they said, and for the question that they were shown, once.
func TestPersonDecides(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.walk(at("spawn_agent phase-3 "))
	if _, d := r.desk(); d != nil {
		t.Errorf("nothing is asked, and there waits %+v", d)
	}
	_, err := r.hook().QuestionOf(t.Context(), r.ws)
	r.refusedAs(err, approval.GateClosed, "no checkpoint was shown")
	r.refusedAs(r.says(r.state().Ticket.ID, "approve", "", approval.Terminal), approval.GateClosed, "an approval of what is no checkpoint")

	a := r.walk(at("checkpoint"))
	_, d := r.desk()
	if d == nil || d.Name != "checkpoint-a" || d.Ticket != a["ticket"] || !strings.Contains(d.Text.String(), "design.md") || strings.Join(d.Unlisted, " ") != "abandon" || !strings.HasPrefix(d.Holder, "pid ") {
		t.Fatalf("the desk: %+v", d)
	}
	r.refusedAs(r.says("t1", "approve", "", approval.Terminal), approval.GateClosed, "an answer to another question")
	r.refusedAs(r.says(d.Ticket, "skip", "", approval.Terminal), problem.InvalidArgument, "an option that there is not")
	if err := r.says(d.Ticket, "reject", "name the file", approval.Terminal); err != nil {
		t.Fatal(err)
	}
	r.refusedAs(r.says(d.Ticket, "approve", "", approval.Terminal), approval.GateClosed, "the same question a second time")
	if _, d := r.desk(); d != nil {
		t.Errorf("decided, and there waits %+v", d)
	}

	a = r.next(NextRequest{Response: "approve", Ticket: d.Ticket})
	if line(a) != "spawn_agent phase-3 architect design.md" || !strings.Contains(a["prompt"].(string), "name the file") {
		t.Errorf("the orchestrator goes on with %s:\n%s", line(a), a["prompt"])
	}
	if w := a["warning"].(string); !strings.Contains(w, "decided checkpoint-a directly (terminal): reject") {
		t.Errorf("the orchestrator is told %q", w)
	}
	a = r.walkOn(a, at("checkpoint"))
	if _, next := r.desk(); next == nil || next.Ticket == d.Ticket {
		t.Fatalf("the next question has the ticket of the last: %+v", next)
	}
	r.refusedAs(r.says(d.Ticket, "approve", "", approval.Terminal), approval.GateClosed, "the answer to the question before")

	if err := r.says(a["ticket"].(string), "approve", "and be brief", approval.Dashboard); err != nil {
		t.Fatal(err)
	}
	_, err = r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "checkpoint-a"})
	r.refusedAs(err, NoTicket, "a report of the checkpoint")
	a = r.next(NextRequest{})
	if a["phase"] != "phase-4" || !strings.Contains(a["prompt"].(string), "and be brief") || !strings.Contains(a["warning"].(string), "(dashboard): approve") {
		t.Errorf("after the approval: %v", a)
	}
	if a := r.next(NextRequest{}); a["warning"] != "" {
		t.Errorf("it is said twice: %v", a["warning"])
	}
	r.walkOn(a, nil)
	r.clean()
	var by []string
	for _, d := range r.state().Decisions {
		by = append(by, d.Name+" "+d.Choice+" "+d.By+" "+d.Ticket)
	}
	if got := strings.Join(by, ", "); got != "checkpoint-a reject terminal t6, checkpoint-a approve dashboard t9" {
		t.Errorf("decisions %s", got)
	}
}

// A pipeline that a person gives up in another process is over for the one that
// leads it, and in the history.
func TestPersonAbandons(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("checkpoint"))
	if err := r.says(a["ticket"].(string), "abandon", "not needed", approval.Terminal); err != nil {
		t.Fatal(err)
	}
	if a := r.next(NextRequest{Response: "approve"}); a["type"] != "done" || a["summary"] != "Pipeline abandoned at checkpoint-a: not needed" {
		t.Errorf("the orchestrator is told %v", a)
	}
	index, err := r.s.history()
	if err != nil {
		t.Fatal(err)
	}
	if hits := index.Similar(question.Analyse("greet people by name"), 1); len(hits) != 1 {
		t.Errorf("the history has %v", hits)
	}
	r.refusedAs(r.says(a["ticket"].(string), "approve", "", approval.Terminal), PipelineOver, "an answer after the end")
}

// A person decides about what they were asked.
func TestPersonWasShownAnother(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	a := r.walk(at("checkpoint"))
	r.write(r.ws+"/design.md", designText+"\nAnd goodbye.\n")
	r.refusedAs(r.says(a["ticket"].(string), "approve", "", approval.Terminal), approval.GateClosed, "an approval of a design that has changed")
	if a := r.next(NextRequest{}); a["name"] != "checkpoint-a" {
		t.Errorf("nobody has answered, and there is %v", line(a))
	}
	a = r.next(NextRequest{Response: "approve"})
	if line(a) != "spawn_agent phase-3b design-reviewer review-design.md" {
		t.Errorf("the design is not looked at again, but %s", line(a))
	}
}

// A project may want more than the orchestrator's word. What it wanted when the
// pipeline began holds, should it be weakened meanwhile; --auto is such a word, too.
func TestProtectedGates(t *testing.T) {
	for _, demand := range []string{"terminal", "elicited", "confirmed"} {
		for _, arguments := range []string{"--nopr greet people by name", "--auto --nopr greet people by name"} {
			t.Run(demand+" "+arguments, func(t *testing.T) {
				r := newRobotAt(t, demand, arguments)
				a := r.walk(at("checkpoint"))
				ticket := a["ticket"].(string)
				relayed := func(when string) {
					t.Helper()
					for _, word := range []string{"approve", "reject", "abandon"} {
						a := r.next(NextRequest{Response: word})
						if a["ticket"] != ticket || !strings.Contains(a["warning"].(string), "was not taken") {
							t.Errorf("%s %s counts: %s %v", when, word, line(a), a["warning"])
						}
					}
				}
				relayed("relayed,")
				r.write(".code-intel/config.json", `{"human_gate": "relayed"}`)
				r.open()
				relayed("with a configuration that was weakened,")
				if demand != "terminal" {
					r.refusedAs(r.says(ticket, "approve", "", approval.Terminal), approval.HumanGate, "a terminal")
				}
				if demand == "elicited" {
					a = r.next(NextRequest{Response: "approve", Ticket: ticket, Channel: approval.Elicited})
				} else {
					if err := r.says(ticket, "approve", "", approval.Channel(demand)); err != nil {
						t.Fatal(err)
					}
					a = r.next(NextRequest{})
				}
				if a["phase"] != "phase-4" {
					t.Errorf("the person has approved, and there is %s", line(a))
				}
			})
		}
	}
}

func newRobotAt(t *testing.T, demand, arguments string) *robot {
	t.Helper()
	r := &robot{stand: newStand(t), artifacts: map[string]func(int) string{}, answers: map[string]string{}, work: map[string]func(){}, written: map[string]int{}}
	r.protect(demand)
	r.begin(arguments, "M")
	return r
}
