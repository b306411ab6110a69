package session

import (
	"context"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/session/exploration"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow"
)

// checkImpact checks what the impact analysis said of files against the change. A different
// decision must be reported with its reason.
func (t *turn) checkImpact(ctx context.Context, said []state.FileImpact) error {
	if len(t.State.Impact) == 0 {
		return nil
	}
	own, err := t.Own(ctx)
	if err != nil {
		return err
	}
	changed := git.Paths(own)
	var wrong []string
	for i, f := range t.State.Impact {
		touched := slices.ContainsFunc(changed, func(c string) bool { return c == f.File || globs(f.File, c) })
		if touched == (f.Status == "will_modify") {
			continue
		}
		j := slices.IndexFunc(said, func(o state.FileImpact) bool { return o.File == f.File })
		if j < 0 || refusal.RequireReason("reason", said[j].Reason) != nil {
			wrong = append(wrong, f.File+" ("+f.Status+")")
			continue
		}
		t.State.Impact[i].Status, t.State.Impact[i].Reason = "no_change_needed", said[j].Reason
		if touched {
			t.State.Impact[i].Status = "will_modify"
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return problem.New(refusal.ValidationFailed, "session.impact_does_not_hold", refusal.Some(wrong, 20)).
		OrSay(msg.New("session.say_why_it_turned_out_otherwise", refusal.Submit("impact_changes", msg.Blank))).
		Or("session.else_change_or_take_back")
}

// onlyAdded checks a claim that the change only adds code. If it also changes something that
// existed, the places that use it must have been looked at.
func (t *turn) onlyAdded(ctx context.Context) error {
	if !t.State.OnlyAdds || t.State.Base == "" {
		return nil
	}
	symbols, files, err := t.s.code.Changed(ctx, t.State.Base)
	if p := problem.Of(err); p != nil { // such as a history that cannot be read: nobody is stuck by it
		t.State.Warn("session.additions_not_compared", p.Message)
		return nil
	}
	if err != nil {
		return err
	}
	explored, err := t.explored().Explored()
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return explored[f] })
	if len(files) == 0 {
		return nil
	}
	var ways []msg.Call
	for _, f := range files[:min(5, len(files))] {
		ways = append(ways, exploration.Cheapest(f))
	}
	return problem.New(refusal.ValidationFailed, "session.change_does_not_only_add", refusal.Some(symbols, 10), refusal.Some(files, 20)).
		Or("session.look_at_them", msg.Listed(", ", ways)).
		Or("session.else_change_or_take_back")
}

// clean refuses files with conflict markers or secrets that were not there before,
// unless the review keeps them with a reason.
func (t *turn) clean(ctx context.Context, keep []string, reviewed []payload.ReviewedFile) error {
	for _, f := range keep {
		data, err := repofile.In(t.s.project.Root, f).Read(repofile.Records)
		if err != nil {
			continue // it is gone, or no file
		}
		before, err := t.Before(ctx, f)
		if err != nil {
			return err
		}
		what := ""
		switch {
		case workflow.BringsConflict(data, before):
			what = "session.holds_conflict_markers"
		case workflow.BringsSecret(data, before):
			what = "session.holds_a_secret"
		case workflow.BringsHidden(data, before):
			what = "session.holds_hidden_order"
		default:
			continue
		}
		i := slices.IndexFunc(reviewed, func(r payload.ReviewedFile) bool {
			return r.Path == f && refusal.RequireReason("reason", r.Reason) == nil
		})
		if i >= 0 {
			t.State.Warn("session.kept_in_spite_of_it", f, msg.New(what, f), reviewed[i].Reason)
			continue
		}
		return problem.New(refusal.ValidationFailed, what, f).
			Or("session.if_the_edit_is_meant", refusal.BackToReady()).
			Or("session.keep_it_with_a_reason", f)
	}
	return nil
}
