package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// push sends the branch to where it is pushed to.
func (t *turn) push(ctx context.Context) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	err := t.pushBranch(ctx)
	var failure *git.Error
	switch {
	case errors.As(err, &failure):
		t.st.Pause = &engine.Pause{Name: engine.PushFailedCheckpoint, Text: paragraphs(
			msg.New("pipeline.git_push_failed"), verbatim(fenced(failure.Said())), blockingNote(failure), msg.New("pipeline.push_options"))}
	case problem.Of(err) != nil:
		t.st.Pause = &engine.Pause{Name: engine.PushFailedCheckpoint,
			Text: paragraphs(problem.Of(err).Message, msg.New("pipeline.push_options"))}
	case err != nil:
		return err
	default:
		t.st.Pushed = true
		t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server",
			Detail: map[string]string{"step": "push", "branch": t.st.Branch}})
	}
	t.dirty = true
	return nil
}

func (t *turn) pushBranch(ctx context.Context) error {
	remote := "origin"
	out, err := t.Repo.Run(ctx, "remote")
	if err != nil {
		return err
	}
	names := strings.Fields(out)
	if len(names) == 0 {
		return problem.New("no_remote", "pipeline.repository_no_remote_push")
	}
	if !slices.Contains(names, remote) {
		remote = names[0]
	}
	_, err = t.Repo.Do(ctx, git.Command{Args: []string{"push", "--quiet", "--set-upstream", remote,
		"refs/heads/" + t.st.Branch + ":refs/heads/" + t.st.Branch}, Effect: git.Hooks})
	return err
}

// finish writes the history, then makes the state completed: nothing in the
// workspace changes after that.
func (t *turn) finish(ctx context.Context) error {
	t.st.Updated = t.s.o.Now().UTC().Format(time.RFC3339)
	if err := t.remember(ctx, engine.StatusCompleted); err != nil {
		t.Warn("pipeline.pipeline_could_not_added_specs", errorText(err))
	}
	if t.st.Pushed && !t.st.Flags.SkipPR {
		if err := t.locks.Owe(t.w); err != nil {
			return err
		}
	}
	t.st.Finish()
	return t.save()
}

// commitState commits the workspace of a completed pipeline, and pushes if the
// branch was pushed.
func (t *turn) commitState(ctx context.Context) (*NextAnswer, error) {
	if err := t.onBranch(ctx); err != nil {
		t.Warn("pipeline.workspace_not_committed", errorText(err))
		return t.finalAnswer()
	}
	t.Repo.Hold() // anew: state and history have just been written
	files, err := t.workspaceChanges(ctx, indexFile)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !t.artefact(f) })
	if _, err := t.commit(ctx, files, "chore: record the pipeline "+t.st.SpecName+"\n\nPipeline: "+t.w.Path()); err != nil {
		t.Warn("pipeline.workspace_could_not_committed", errorText(err))
		return t.finalAnswer()
	}
	if !t.locks.Owes(t.w) {
		return nil, nil
	}
	failpoint.Point("last push: before")
	failed := t.pushBranch(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := t.locks.Settle(t.w); err != nil {
		return nil, err
	}
	if failed != nil {
		t.Warn("pipeline.last_commit_could_not_pushed", errorText(failed))
		return t.finalAnswer()
	}
	return nil, nil
}

// finalAnswer is the end as it is, though something could not be done.
func (t *turn) finalAnswer() (*NextAnswer, error) {
	h, ok := engine.Next(t.s.table, t.st, t.finalObservation()).(engine.HandOut)
	if !ok {
		return nil, errors.New("forge: a completed pipeline has more to do")
	}
	return t.answer(h.Action), nil
}

func (t *turn) finalObservation() engine.Observation {
	names, _ := t.w.Artifacts() // without them only the path of the summary is missing
	return engine.Observation{Artifacts: names}
}

// uncommitted reports whether an artefact of the pipeline is not in git.
func (t *turn) uncommitted(ctx context.Context) (bool, error) {
	files, err := t.workspaceChanges(ctx)
	return slices.ContainsFunc(files, t.artefact), err
}

// errorText is an error in words for the user.
func errorText(err error) msg.Message {
	if p := problem.Of(err); p != nil {
		return p.Message
	}
	if e := (*git.Error)(nil); errors.As(err, &e) {
		return gitSaid(e.Said(), e)
	}
	return msg.Literal(err.Error())
}

// gitSaid is what git said, and what to do about a lock that was in its way.
func gitSaid(said string, e *git.Error) msg.Message {
	return paragraphs(verbatim(said), blockingNote(e))
}

// blockingNote says what to do about a lock that git has waited for in vain; it says
// nothing if none was in the way.
func blockingNote(e *git.Error) msg.Message {
	lock := e.Lock()
	if lock == "" {
		return msg.Message{}
	}
	return msg.New("pipeline.lock_file_in_the_way", lock)
}
