package session

import (
	"context"
	"errors"
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
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
		return nil, nil, problem.New(problem.InvalidArgument, "session.no_change_to_answer_for", st.ID)
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
		return problem.New(problem.InvalidArgument, "session.without_git_undo_by_hand")
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
