package session

import (
	"context"
	"errors"

	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/internal/session/lessons"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
)

// learn composes the agreement of a session that completes, unless there is one already or
// nothing was learned. A failure is a warning only, because the work does not depend on it.
func (t *turn) learn(ctx context.Context) {
	if t.State.Lesson != nil || t.State.ExplorationOnly() || t.State.Flags.OnlyVerify || t.State.Frame == nil ||
		t.s.code.Declared == nil {
		return
	}
	changes, err := t.Done(ctx)
	var lesson *state.Lesson
	if err == nil {
		lesson, err = t.s.recorder().Lesson(ctx, t.State, changes,
			lessons.Code{Declared: t.s.code.Declared, Relevance: t.s.code.Relevance, IsTest: t.s.code.IsTest})
	}
	if err != nil {
		t.s.log.Warn("no agreement is written", "session", t.State.ID, "err", err)
		t.Warn("session.lesson_could_not_be_noted")
		return
	}
	t.State.Lesson = lesson
}

// mergeWith merges the task branch, with the agreement in the merge commit where
// the repository keeps agreements. If git cannot bring the file, the work is merged
// without it.
func (t *turn) mergeWith(ctx context.Context, r *git.Repo, message string) (string, error) {
	carried := make(map[string][]byte)
	if l := t.State.Lesson; l != nil {
		rel, err := t.s.project.Resolve(l.Path)
		carries := false
		if err == nil && rel == l.Path { // else a link leads elsewhere
			carries, err = taskbranch.Carries(ctx, r, l.Path)
		}
		if err != nil {
			t.s.log.Warn("the merge does not bring the agreement", "session", t.State.ID, "err", err)
		} else if carries {
			carried[l.Path] = []byte(l.Text)
		}
	}
	id, err := taskbranch.MergeWith(ctx, r, *t.State.Branch, message, carried)
	var conflict *taskbranch.Conflict
	if err != nil && len(carried) > 0 && problem.Of(err) != nil && !errors.As(err, &conflict) {
		return taskbranch.Merge(ctx, r, *t.State.Branch, message)
	}
	return id, err
}

// recorder records how sessions end.
func (s *Service) recorder() lessons.Recorder {
	return lessons.Recorder{Project: s.project, Outcomes: s.logs, Agreements: s.agreements, Texts: s.texts, Log: s.log,
		Now: s.now, PhaseName: s.wire}
}
