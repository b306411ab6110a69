package session

import (
	"context"
	"errors"
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writescope"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
)

// A change that was made since the start of a session, and that no layer of the write guard
// let through, is unclaimed until a person says whose it is.
const (
	Mine      = "mine"    // the person's: kept in the tree, never committed by the session
	OfSession = "session" // the session's: reviewed and committed with the rest
	TakenBack = "undo"    // nobody's: saved, then as it was at the start
)

// whoseGate marks the decisions of people on changes in the ledger.
const whoseGate = "changes"

// Changed is a question to a person about files that changed in a session.
type Changed struct {
	s     *Service
	st    *state.State
	Files []string // that nobody has answered for, sorted
	late  []string // those of them that changed after the implementation
	Saved string   // where the contents are that were taken back; set by Decide
}

// Unclaimed returns the question to whom the unclaimed changes of a session belong; a Problem
// if there are none.
func (s *Service) Unclaimed(ctx context.Context, id string) (*workflow.Question, *Changed, error) {
	st, err := s.load(id)
	if err != nil {
		return nil, nil, err
	}
	l, err := audit.Open(s.folder().Ledger(st.ID))
	if err != nil {
		return nil, nil, err
	}
	t := &turn{s: s, st: st, ledger: l}
	files, err := t.unapproved(ctx)
	var late []string
	if entries, missing := l.Since(0); err == nil {
		if err = missing; err == nil {
			late, err = t.late(ctx, entries)
		}
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, problem.New(problem.InvalidArgument, "session.no_change_to_answer_for", st.ID).
			Or("session.show_says_where_it_is", st.ID)
	}
	slices.Sort(files)
	return &workflow.Question{
		ID: st.ID, Name: s.wire(st.Phase), Phase: s.wire(st.Phase), Options: []string{Mine, OfSession, TakenBack},
		Text: msg.New("session.whose_are_these_changes", msg.Listed("\n  ", files)),
	}, &Changed{s: s, st: st, Files: files, late: late}, nil
}

// Decide records to whom the changes belong, and undoes them if they belong to nobody.
func (c *Changed) Decide(ctx context.Context, q *workflow.Question, choice workflow.Choice) error {
	if err := q.Check(choice); err != nil {
		return err
	}
	if choice.Option == TakenBack {
		if err := c.takeBack(ctx); err != nil {
			return err
		}
	}
	l, err := audit.Open(c.s.folder().Ledger(c.st.ID))
	if err != nil {
		return err
	}
	_, err = l.Append(audit.Entry{
		Kind: audit.Decision, Session: c.st.ID, Phase: string(c.st.Phase), Name: choice.Option, Outcome: audit.OK,
		Files: c.Files, Hashes: c.s.hashes(c.Files),
		Detail: audit.Details("gate", whoseGate, "channel", string(choice.Channel), "saved", c.Saved),
	})
	return errors.Join(err, l.Close())
}

// takeBack restores the files as they were when the session began, and keeps their present
// contents under a ref.
func (c *Changed) takeBack(ctx context.Context) error {
	if !c.st.Git {
		return problem.New(problem.InvalidArgument, "session.without_git_nothing_is_saved").
			Or("session.undo_by_hand")
	}
	r, err := git.Open(ctx, c.s.project.Root)
	if err != nil {
		return err
	}
	task := taskbranch.Task{Name: taskbranch.Name(c.st.ID, "start"), BaseCommit: c.st.Start.Tree}
	if c.st.Branch != nil {
		task.Name = c.st.Branch.Name
	}
	early := slices.DeleteFunc(slices.Clone(c.Files), func(f string) bool { return slices.Contains(c.late, f) })
	if len(c.late) > 0 { // back to what the task made of them
		done := task
		done.BaseCommit = c.st.Implemented.Tree
		if c.Saved, err = taskbranch.Discard(ctx, r, done, c.late); err != nil || len(early) == 0 {
			return err
		}
	}
	c.Saved, err = taskbranch.Discard(ctx, r, task, early)
	return err
}

// answeredFor returns, for [OfSession] and [Mine], the files that people decided on so, and
// whether the decision still holds. A file is the person's only as long as its content is the
// one that they decided on.
func (s *Service) answeredFor(entries []audit.Entry) map[string]map[string]bool {
	answered := map[string]map[string]bool{OfSession: make(map[string]bool), Mine: make(map[string]bool)}
	for f, e := range decidedOn(entries) {
		switch e.Name {
		case OfSession:
			answered[OfSession][f] = true
		case Mine:
			answered[Mine][f] = s.hashes([]string{f})[f] == e.Hashes[f]
		}
	}
	return answered
}

// decidedOn returns the last decision of a person on each changed file.
func decidedOn(entries []audit.Entry) map[string]audit.Entry {
	last := make(map[string]audit.Entry)
	for _, e := range entries {
		if e.Kind == audit.Decision && e.Detail["gate"] == whoseGate && e.Outcome == audit.OK {
			for _, f := range e.Files {
				last[f] = e
			}
		}
	}
	return last
}

// auditStart refuses a first plan while files differ both from the start and from what is
// committed: they would be taken for the user's, or for the session's.
func (t *turn) auditStart(ctx context.Context) error {
	files, err := t.unapproved(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	own, err := t.own(ctx)
	if err != nil {
		return err
	}
	changed := git.Paths(own)
	return t.hold(ctx, slices.DeleteFunc(files, func(f string) bool { return !slices.Contains(changed, f) }))
}

// audit refuses changes to files that no layer of the write guard let through.
func (t *turn) audit(ctx context.Context) error {
	files, err := t.unapproved(ctx)
	if err != nil {
		return err
	}
	return t.hold(ctx, files)
}

// hold refuses these changes, of which there may be none.
func (t *turn) hold(ctx context.Context, files []string) error {
	if len(files) == 0 {
		return t.gitUnchanged(ctx)
	}
	approve := msg.New("session.if_change_belongs_to_the_task",
		msg.CallOf(op.CheckWriteTarget, "files", files[:min(5, len(files))]))
	what := "session.these_files_changed_without_check"
	switch t.st.Phase { // where nothing may be written, there is nothing to approve
	case phases.ReadyComplete:
		approve = msg.New("session.if_change_belongs_work_take", refusal.BackToReady())
	case phases.PostImplVerify, phases.PreCommit:
		what = "session.these_files_changed_without_check_or_late"
		approve = msg.New("session.if_change_belongs_work_submit", refusal.BackToReady(), op.CheckWriteTarget)
	case phases.ReadyPlan:
		approve = msg.New("session.if_change_belongs_undo_and_plan")
	}
	return problem.New(unapprovedChanges, what,
		refusal.Some(files, 20), op.CheckWriteTarget).
		OrSay(approve).
		Or("session.if_does_not_take_change").
		Or("session.if_user_made_it_user_says_whose", t.st.ID)
}

// unapproved returns the files that changed since the session began and that no
// layer of the write guard let through.
func (t *turn) unapproved(ctx context.Context) (files []string, err error) {
	changes, err := t.changesSince(ctx, t.st.Start)
	if err != nil {
		return nil, err
	}
	entries, err := t.ledger.Since(0)
	if err != nil {
		return nil, err
	}
	approved := writescope.Approved(t.st, entries)
	for _, answered := range t.s.answeredFor(entries) {
		for f, holds := range answered {
			approved[git.Shown(f)] = approved[git.Shown(f)] || holds
		}
	}
	late, err := t.late(ctx, entries)
	if err != nil {
		return nil, err
	}
	for _, f := range git.Paths(changes) { // what was undone, by whomever, is no change
		if !approved[git.Shown(f)] || slices.Contains(late, f) {
			files = append(files, f)
		}
	}
	if len(t.st.Unapproved) == 0 {
		return files, nil
	}
	own, err := t.own(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range text.Intersect(t.st.Unapproved, git.Paths(own)) {
		if !approved[git.Shown(f)] && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, nil
}

// late returns the files of the tasks that changed after the implementation had ended, and
// that nobody has answered for as they are now.
func (t *turn) late(ctx context.Context, entries []audit.Entry) ([]string, error) {
	done := t.st.Implemented
	if t.st.Phase != phases.PostImplVerify && t.st.Phase != phases.PreCommit || done.Tree == "" && done.Manifest == nil {
		return nil, nil
	}
	changes, err := t.changesSince(ctx, done)
	if err != nil {
		return nil, err
	}
	files, said := git.Paths(changes), decidedOn(entries)
	if len(t.st.Commits) > 0 { // what the server has committed stands
		since, err := t.changesSince(ctx, state.Mark{Tree: t.st.Tip})
		if err != nil {
			return nil, err
		}
		open := git.Paths(since)
		files = slices.DeleteFunc(files, func(f string) bool { return !slices.Contains(open, f) })
	}
	approved := writescope.Approved(t.st, entries)
	return slices.DeleteFunc(files, func(f string) bool {
		e, ok := said[f]
		return !approved[git.Shown(f)] || ok && e.Name != TakenBack && t.s.hashes([]string{f})[f] == e.Hashes[f]
	}), nil
}
