package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
)

// push sends the branch to where it is pushed to.
func (t *turn) push(ctx context.Context) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	err := t.stillOpen(ctx)
	if err == nil {
		err = t.pushBranch(ctx)
	}
	why := whyRefused(err, "pipeline.git_push_failed")
	if p := problem.Of(err); why.IsZero() && p != nil {
		why = p.Message
	}
	switch {
	case !why.IsZero():
		t.st.Pause = &engine.Pause{Name: engine.PushFailedCheckpoint, Text: textformat.Paragraphs(why, msg.New("pipeline.push_options"))}
	case err != nil:
		return err
	default:
		t.lookAtBase(ctx)
		t.st.Pushed = true
		t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server",
			Detail: map[string]string{"step": "push", "branch": t.st.Branch}})
	}
	t.dirty = true
	return nil
}

// stillOpen returns a Problem if the pull request that is worked on was closed or merged meanwhile:
// what is pushed to its branch then reaches nobody. Where that cannot be asked, it is taken to be open.
func (t *turn) stillOpen(ctx context.Context) error {
	if t.st.Pull == nil {
		return nil
	}
	source, err := request.ParseSource(t.st.Pull.URL, t.s.parseOptions())
	if err != nil {
		return nil
	}
	if pull, err := github.ReadPull(ctx, t.s.project.Root, source); err == nil && !pull.Open && !pull.Issue {
		return problem.New("pull_request_closed", "pipeline.pull_request_closed_meanwhile", t.st.Pull.URL, t.st.Branch).
			Or("pipeline.open_it_again_or_skip")
	}
	return nil
}

// lookAtBase warns if the base branch was rewritten on its remote since it was last fetched, so that it
// holds no longer what the work began with. Where that cannot be asked, nothing is said.
func (t *turn) lookAtBase(ctx context.Context) {
	remote, err := t.github().Remote(ctx)
	if err != nil || t.st.Pull != nil || t.st.BaseBranch == "" || t.st.BaseBranch == t.st.Branch {
		return
	}
	there := "refs/remotes/" + remote + "/" + t.st.BaseBranch
	was, err := t.Repo.Resolve(ctx, there)
	if err != nil {
		return
	}
	from, err := t.Repo.Fork(ctx, t.st.BaseCommit, was)
	if err != nil || from == "" {
		return
	}
	if _, err := t.Repo.Do(ctx, git.Command{Args: []string{"fetch", "--quiet", "--no-tags", remote,
		"+refs/heads/" + t.st.BaseBranch + ":" + there}, Effect: git.Hooks}); err != nil {
		return
	}
	t.Repo.LookAtRefs()
	if is, err := t.Repo.Resolve(ctx, there); err == nil && is != was {
		if holds, err := t.Repo.Contains(ctx, is, from); err == nil && !holds {
			t.Warn("pipeline.base_was_rewritten", t.st.BaseBranch, remote, from[:min(len(from), 10)])
		}
	}
}

func (t *turn) pushBranch(ctx context.Context) error {
	if err := t.asItBegan(ctx); err != nil {
		return err
	}
	remote, err := t.github().Remote(ctx)
	if err != nil {
		return err
	}
	_, err = t.Repo.Do(ctx, git.Command{Args: []string{"push", "--quiet", "--no-follow-tags", "--set-upstream", remote,
		"refs/heads/" + t.st.Branch + ":refs/heads/" + t.st.Branch}, Effect: git.Hooks})
	return err
}

// finish writes the history, then makes the state completed: nothing in the
// workspace changes after that. It is noted together with the end: the history saves the
// state, and a process that dies in between finishes again.
func (t *turn) finish(ctx context.Context, note func()) error {
	t.st.Updated = t.s.o.Now().UTC().Format(time.RFC3339)
	if err := t.remember(ctx, engine.StatusCompleted); err != nil {
		t.Warn("pipeline.pipeline_could_not_added_specs", errorText(err))
	}
	if tests := t.st.WeakenedTests(); len(tests) > 0 {
		t.Warn("pipeline.tests_were_weakened", textformat.Verbatim(strings.Join(tests, "; ")))
	}
	if said := t.pullText().NotRun(); said != "" {
		t.Warn("pipeline.not_run_by_anybody", said)
	}
	if open := t.pullText().OpenFindings(); len(open) > 0 {
		t.Warn("pipeline.findings_not_fixed", textformat.Verbatim(strings.Join(open, "; ")))
	}
	if err := t.locks.NotePush(t.w); err != nil {
		return err
	}
	note()
	t.st.Finish()
	return t.save()
}

// commitState commits the workspace of a completed pipeline, and pushes if the branch was
// pushed. What could not be done stays owed: the next call tries again.
func (t *turn) commitState(ctx context.Context) (*NextAnswer, error) {
	if err := t.onBranch(ctx); err != nil {
		t.Warn("pipeline.workspace_not_committed", errorText(err))
		return t.finalAnswer()
	}
	t.Repo.Hold() // anew: state and history have just been written
	added, err := t.commitArtifacts(ctx)
	if failure := (*git.Error)(nil); errors.As(err, &failure) && failure.Locked() {
		return nil, problem.New(GitLocked, "pipeline.last_commit_still_to_make", errorText(err)).
			Or("pipeline.ask_for_next_action_when_git_is_free", op.PipelineNextAction)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		t.Warn("pipeline.workspace_could_not_committed", errorText(err))
		return t.finalAnswer()
	}
	if len(added) > 0 {
		t.Warn("pipeline.not_pushed_unreviewed_commits", textformat.Files(added))
		return t.finalAnswer()
	}
	if !t.locks.HasPushNote(t.w) {
		return nil, nil
	}
	if t.st.Pushed && !t.st.Flags.SkipPR {
		failpoint.Point("last push: before")
		failed := t.pushBranch(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if failed != nil {
			t.Warn("pipeline.last_commit_could_not_pushed", errorText(failed), op.PipelineNextAction)
			return t.finalAnswer()
		}
	}
	return nil, t.locks.RemovePushNote(t.w)
}

// commitArtifacts makes the last commit: it holds the artifacts of the pipeline and nothing
// else. Where hooks of the repository add to it, it is made again without them; what they
// had added stays in the working tree. It returns the files that commits of others have
// brought since the last one that was reviewed.
func (t *turn) commitArtifacts(ctx context.Context) (added []string, err error) {
	if err := t.asItBegan(ctx); err != nil {
		return nil, err
	}
	files, err := t.workspaceChanges(ctx, indexFile)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !t.isArtifact(f) })
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return nil, err
	}
	if added, err = t.committedByOthers(ctx); err != nil {
		return nil, err
	}
	message := "chore: record the pipeline " + t.st.SpecName + "\n\nPipeline: " + t.w.Path()
	before := head
	if len(added) > 0 { // by the hooks of a last commit that was made by a process that was killed
		said, err := t.Repo.Run(ctx, "log", "-1", "--format=%B", head)
		if err != nil {
			return nil, err
		}
		before, err = t.Repo.Parent(ctx, head)
		if err != nil || before != t.lastKnownCommit() || !strings.HasPrefix(said, message) {
			return added, err
		}
	} else {
		if _, err := t.commit(ctx, files, message, git.Hooks); err != nil {
			return nil, err
		}
		failpoint.Point("last commit: hooks")
		if added, err = t.committedByOthers(ctx); err != nil || len(added) == 0 {
			return nil, err
		}
	}
	return nil, t.commitWithoutHooks(ctx, before, added, message)
}

// commitWithoutHooks makes the last commit again, on top of a commit and without the files
// that hooks have added to it.
func (t *turn) commitWithoutHooks(ctx context.Context, on string, added []string, message string) error {
	for _, c := range []git.Command{
		{Args: []string{"reset", "--quiet", "--soft", on}, Effect: git.Writes},
		{Args: []string{"reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"}, Effect: git.Writes,
			Stdin: strings.NewReader(strings.Join(added, "\x00"))},
	} {
		if _, err := t.Repo.Do(ctx, c); err != nil {
			return err
		}
	}
	t.Repo.Hold() // anew: there is more to commit
	files, err := t.workspaceChanges(ctx, indexFile)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !t.isArtifact(f) })
	if _, err := t.commit(ctx, files, message, git.Writes); err != nil {
		return err
	}
	t.Warn("pipeline.last_commit_without_hooks", textformat.Files(added))
	return nil
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
	names, _ := t.artifacts() // without them only the path of the summary is missing
	return engine.Observation{Artifacts: names}
}

// uncommitted reports whether an artifact of the pipeline is not in git.
func (t *turn) uncommitted(ctx context.Context) (bool, error) {
	out, err := t.Repo.Run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--", t.w.Path())
	return slices.ContainsFunc(strings.Split(out, "\x00"), func(f string) bool { return len(f) > 3 && t.isArtifact(f[3:]) }), err
}

// errorText is an error in words for the user.
func errorText(err error) msg.Message {
	if p := problem.Of(err); p != nil {
		return p.Message
	}
	if e := (*git.Error)(nil); errors.As(err, &e) {
		return gitOutput(e.Output(), e)
	}
	return msg.Literal(err.Error())
}

// gitOutput is what git printed, and what to do about a lock that was in its way.
func gitOutput(said string, e *git.Error) msg.Message {
	return textformat.Paragraphs(textformat.Verbatim(said), blockingNote(e))
}

// blockingNote says what to do about a lock for which git waited without success; it says
// nothing if none was in the way.
func blockingNote(e *git.Error) msg.Message {
	lock := e.Lock()
	if lock == "" {
		return msg.Message{}
	}
	return msg.New("pipeline.lock_file_in_the_way", lock)
}

// whyRefused is why git, or a program that the user does not trust, kept a command from being
// done; key introduces what git said. It is empty for other errors.
func whyRefused(err error, key string) msg.Message {
	if p := problem.Of(err); p != nil && p.Code == git.Untrusted {
		return textformat.Paragraphs(append([]msg.Message{p.Message}, p.Next...)...)
	}
	if e := (*git.Error)(nil); errors.As(err, &e) {
		return textformat.Paragraphs(msg.New(key), textformat.Verbatim(textformat.Fenced(e.Output())), blockingNote(e))
	}
	return msg.Message{}
}
