package session

import (
	"strings"

	"codeintel/internal/platform/i18n"
	"codeintel/internal/platform/msg"
	"codeintel/internal/verify"
)

// Speak says in the language of c what the server says in the answer. What stands
// in the state, comes from the model, a user or a file, or is to be sent back as it
// is, stays. It changes no list or value that the answer shares with the state.
func (a *Answer) Speak(c *i18n.Catalog) {
	if c == nil {
		return
	}
	a.words = c
	a.Warnings = c.Says(a.Warnings)
	a.Reason, a.Returned = c.Say(a.Reason), c.Say(a.Returned)
	a.UserEscalation = strings.Join(c.Says(strings.Split(a.UserEscalation, "\n\n")), "\n\n")
	if a.Recovery != nil {
		a.Instruction = c.Say(a.Instruction)
	}
	if a.Evaluation != nil {
		e := *a.Evaluation
		e.Missing = nil
		for _, m := range a.Evaluation.Missing {
			e.Missing = append(e.Missing, c.Part(m))
		}
		a.Evaluation = &e
	}
	for i := range a.Verifiers { // made for this answer
		a.Verifiers[i].RunBy = c.Say(a.Verifiers[i].RunBy)
	}
	if a.Checks != nil {
		checks := *a.Checks
		checks.Results = speakResults(c, checks.Results)
		a.Checks = &checks
	}
	if a.Report != nil {
		r := *a.Report
		if reason, rest, more := strings.Cut(r.Summary, "\n"); more {
			r.Summary = c.Say(reason) + "\n" + rest
		} else {
			r.Summary = c.Say(r.Summary)
		}
		r.Verified, r.Warnings, r.GoOn = c.Say(r.Verified), c.Says(r.Warnings), c.Says(r.GoOn)
		r.Commands = speakResults(c, r.Commands)
		a.Report = &r
	}
}

func speakResults(c *i18n.Catalog, results []verify.Result) []verify.Result {
	var said []verify.Result
	for _, r := range results {
		r.Why, r.Skipped = msg.Literal(c.Text(r.Why)), msg.Literal(c.Text(r.Skipped))
		said = append(said, r)
	}
	return said
}

// Speak says the reasons in the language of c.
func (a *WriteAnswer) Speak(c *i18n.Catalog) {
	if c == nil {
		return
	}
	for i, f := range a.Files {
		a.Files[i].Reason = c.Say(f.Reason)
		a.Files[i].Next = strings.Join(c.Says(strings.Split(f.Next, " Or: ")), " または: ")
	}
}
