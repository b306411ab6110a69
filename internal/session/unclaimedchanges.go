package session

import (
	"context"
	"errors"
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/workflow"
)

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
	t := s.newTurn(st, l)
	files, err := t.Unapproved(ctx)
	var late []string
	if entries, missing := l.Since(0); err == nil {
		if err = missing; err == nil {
			late, err = t.Late(ctx, entries)
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
		ID: st.ID, Name: s.wire(st.Phase), Phase: s.wire(st.Phase), Options: []string{changes.Mine, changes.OfSession, changes.Undo},
		Text: msg.New("session.whose_are_these_changes", msg.Listed("\n  ", files)),
	}, &Changed{s: s, st: st, Files: files, late: late}, nil
}

// Decide records to whom the changes belong, and undoes them if they belong to nobody.
func (c *Changed) Decide(ctx context.Context, q *workflow.Question, choice workflow.Choice) error {
	if err := q.Check(choice); err != nil {
		return err
	}
	if choice.Option == changes.Undo {
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
		Detail: audit.Details("gate", changes.Gate, "channel", string(choice.Channel), "saved", c.Saved),
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
