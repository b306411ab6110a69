package changes

import (
	"context"
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writablefiles"
	"codeintel/internal/text"
)

// A change that was made since the start of a session, and that no layer of the write guard
// let through, is unclaimed until a person says whose it is.
const (
	Mine      = "mine"    // the person's: kept in the tree, never committed by the session
	OfSession = "session" // the session's: reviewed and committed with the rest
	Undo      = "undo"    // nobody's: saved, then as it was at the start
)

// UnapprovedChanges is the code of changes that no layer of the write guard let through.
const UnapprovedChanges problem.Code = "unapproved_changes"

// Gate marks the decisions of people on changes in the ledger.
const Gate = "changes"

// answeredFor returns, for [OfSession] and [Mine], the files that people decided on so, and
// whether the decision still holds. A file is the person's only as long as its content is the
// one that they decided on.
func (t *Tree) answeredFor(entries []audit.Entry) map[string]map[string]bool {
	answered := map[string]map[string]bool{OfSession: make(map[string]bool), Mine: make(map[string]bool)}
	for f, e := range decidedOn(entries) {
		switch e.Name {
		case OfSession:
			answered[OfSession][f] = true
		case Mine:
			answered[Mine][f] = writablefiles.Hashes(t.Project, []string{f})[f] == e.Hashes[f]
		}
	}
	return answered
}

// decidedOn returns the last decision of a person on each changed file.
func decidedOn(entries []audit.Entry) map[string]audit.Entry {
	last := make(map[string]audit.Entry)
	for _, e := range entries {
		if e.Kind == audit.Decision && e.Detail["gate"] == Gate && e.Outcome == audit.OK {
			for _, f := range e.Files {
				last[f] = e
			}
		}
	}
	return last
}

// AuditStart refuses a first plan while files differ both from the start and from what is
// committed: they would be taken for the user's, or for the session's.
func (t *Tree) AuditStart(ctx context.Context) error {
	files, err := t.Unapproved(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	own, err := t.Own(ctx)
	if err != nil {
		return err
	}
	changed := git.Paths(own)
	return t.refuse(ctx, slices.DeleteFunc(files, func(f string) bool { return !slices.Contains(changed, f) }))
}

// Audit refuses changes to files that no layer of the write guard let through.
func (t *Tree) Audit(ctx context.Context) error {
	files, err := t.Unapproved(ctx)
	if err != nil {
		return err
	}
	return t.refuse(ctx, files)
}

// refuse refuses these changes, of which there may be none.
func (t *Tree) refuse(ctx context.Context, files []string) error {
	if len(files) == 0 {
		return t.CheckGit(ctx)
	}
	approve := msg.New("session.if_change_belongs_to_the_task",
		msg.CallOf(op.CheckWriteTarget, "files", files[:min(5, len(files))]))
	what := "session.these_files_changed_without_check"
	switch t.State.Phase { // where nothing may be written, there is nothing to approve
	case phases.ReadyComplete:
		approve = msg.New("session.if_change_belongs_work_take", refusal.BackToReady())
	case phases.PostImplVerify, phases.PreCommit:
		what = "session.these_files_changed_without_check_or_late"
		approve = msg.New("session.if_change_belongs_work_submit", refusal.BackToReady(), op.CheckWriteTarget)
	case phases.ReadyPlan:
		approve = msg.New("session.if_change_belongs_undo_and_plan")
	}
	return problem.New(UnapprovedChanges, what,
		refusal.Some(files, 20), op.CheckWriteTarget).
		OrSay(approve).
		Or("session.if_does_not_take_change").
		Or("session.if_user_made_it_user_says_whose", t.State.ID)
}

// Unapproved returns the files that changed since the session began and that no
// layer of the write guard let through.
func (t *Tree) Unapproved(ctx context.Context) (files []string, err error) {
	changes, err := t.Since(ctx, t.State.Start)
	if err != nil {
		return nil, err
	}
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return nil, err
	}
	approved := writablefiles.Approved(t.State, entries)
	for _, answered := range t.answeredFor(entries) {
		for f, holds := range answered {
			approved[git.Shown(f)] = approved[git.Shown(f)] || holds
		}
	}
	late, err := t.Late(ctx, entries)
	if err != nil {
		return nil, err
	}
	for _, f := range git.Paths(changes) { // what was undone, by whomever, is not a change
		if !approved[git.Shown(f)] || slices.Contains(late, f) {
			files = append(files, f)
		}
	}
	if len(t.State.Unapproved) == 0 {
		return files, nil
	}
	own, err := t.Own(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range text.Intersect(t.State.Unapproved, git.Paths(own)) {
		if !approved[git.Shown(f)] && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, nil
}

// Late returns the files of the tasks that changed after the implementation had ended, and
// that nobody has answered for as they are now.
func (t *Tree) Late(ctx context.Context, entries []audit.Entry) ([]string, error) {
	done := t.State.Implemented
	if t.State.Phase != phases.PostImplVerify && t.State.Phase != phases.PreCommit || done.Tree == "" && done.Manifest == nil {
		return nil, nil
	}
	changes, err := t.Since(ctx, done)
	if err != nil {
		return nil, err
	}
	files, said := git.Paths(changes), decidedOn(entries)
	if len(t.State.Commits) > 0 { // what the server has committed remains
		since, err := t.Since(ctx, state.Mark{Tree: t.State.Tip})
		if err != nil {
			return nil, err
		}
		open := git.Paths(since)
		files = slices.DeleteFunc(files, func(f string) bool { return !slices.Contains(open, f) })
	}
	approved := writablefiles.Approved(t.State, entries)
	return slices.DeleteFunc(files, func(f string) bool {
		e, ok := said[f]
		return !approved[git.Shown(f)] || ok && e.Name != Undo && writablefiles.Hashes(t.Project, []string{f})[f] == e.Hashes[f]
	}), nil
}
