package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
)

// reviewed are the phases after the reviews of code, in which nobody changes any.
var reviewed = []phase.ID{engine.FinalVerification, engine.CheckpointVerify, engine.PRCreation, engine.FinalSummary,
	engine.PostToSource, engine.FinalCommit}

// askAboutUnreviewed has a person asked if there is what no review sees: a file of a task
// that was edited after its review, or commits that are not the pipeline's.
func (t *turn) askAboutUnreviewed(ctx context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || t.lastKnownCommit() == "" {
		return nil
	}
	look := t.unreviewedChanges
	if t.phaseIs(engine.Implementation) {
		if slices.ContainsFunc(t.st.Tasks, func(k engine.Task) bool { return k.Round != "" }) {
			return nil // what was changed since is told by the report, or is not accepted
		}
		if t.onBranch(ctx) != nil {
			return nil // no task is handed out there
		}
		look = t.committedByOthers
	} else if !t.phaseIs(reviewed...) {
		return nil
	}
	files, err := look(ctx)
	if err == nil && len(files) == 0 {
		return t.askAboutCommits(ctx)
	}
	return t.askAbout(ctx, files, err)
}

// maxCommits is how many commits of others a person is shown.
const maxCommits = 20

// askAboutCommits has a person asked about commits that are not the pipeline's, or not as it made
// them, although no file differs: messages, authors and merged histories go out with the branch.
func (t *turn) askAboutCommits(ctx context.Context) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil || head == t.lastKnownCommit() {
		return err
	}
	out, err := t.Repo.Run(ctx, "log", "-z", "--format=%h %an <%ae>: %B", fmt.Sprintf("--max-count=%d", maxCommits), t.lastKnownCommit()+".."+head, "--")
	if err != nil {
		return err
	}
	var commits []string
	for said := range strings.SplitSeq(strings.Trim(out, "\x00"), "\x00") {
		if said = text.Clip(text.OneLine(said), 300); said != "" {
			commits = append(commits, said)
		}
	}
	t.st.Pause = &engine.Pause{Name: engine.ChangedAfterReviewCheckpoint,
		Text:   textformat.Paragraphs(msg.New("pipeline.commits_of_others"), items(commits), msg.New("pipeline.commits_of_others_options")),
		Commit: &engine.Commit{Message: t.commitMessage(nil), AcceptOthers: true}}
	t.dirty = true
	return t.show(ctx, t.st.Pause.Commit)
}

// askAbout has a person asked about files that no review has seen, or about history if err says
// that it was rewritten.
func (t *turn) askAbout(ctx context.Context, files []string, err error) error {
	if err == nil && len(files) > 0 {
		var others []string
		if others, err = t.committedByOthers(ctx); err == nil {
			err = t.unreviewed(ctx, files, &engine.Commit{Files: files, Message: t.commitMessage(nil), Others: others})
		}
	}
	return t.rewritten(ctx, err, &engine.Commit{Message: t.commitMessage(nil)})
}

// usersOwn reports whether the user had changed a file before the work began, and nobody has
// since, or whether they have called it theirs.
func (t *turn) usersOwn(file string) bool {
	was, known := t.st.UserContent[file]
	return slices.Contains(t.st.UserFiles, file) && (!known || was == t.s.contentOf(file))
}

// askAboutNothing has a person asked, before the work is summed up, if there is none: every
// report and review says that all was there.
func (t *turn) askAboutNothing(ctx context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || t.st.Unchanged || t.st.Pull != nil ||
		!t.phaseIs(engine.FinalSummary) || len(t.st.ClaimedFiles()) > 0 {
		return nil
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return err
	}
	all, err := t.Repo.Diff(ctx, t.st.BaseCommit, head)
	if failure := (*git.Error)(nil); errors.As(err, &failure) || len(pathsOf(all)) > 0 {
		return nil
	}
	if err == nil {
		t.st.Pause = &engine.Pause{Name: engine.NothingChangedCheckpoint,
			Text: textformat.Paragraphs(msg.New("pipeline.nothing_changed"), msg.New("pipeline.nothing_changed_options"))}
		t.dirty = true
	}
	return err
}

// askAboutGitSettings has a person asked, before the work is summed up, before it is
// pushed and before the last commit, if git goes by other settings than when it began, or ignores what changed code
// names: a file that git does not see is in no diff and no commit, and the verification may
// have needed it; and a push may go to somebody else, also by a remote that is new (see remote).
func (t *turn) askAboutGitSettings(ctx context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || t.st.GitSettings == nil {
		return nil
	}
	var differ []string
	var now map[string]string
	var err error
	switch {
	case t.phaseIs(engine.FinalSummary, engine.PRCreation):
		differ, now, err = t.settingsChanged(ctx)
	case t.phaseIs(engine.PostToSource, engine.FinalCommit): // what is left to commit are artifacts
		differ, now, err = t.redirected(ctx)
	}
	if err == nil && len(differ) > 0 {
		t.askAboutSettings(differ, now)
	}
	return err
}

// settingsChanged returns the settings of git that are not as when the work began, and all settings as they are now.
func (t *turn) settingsChanged(ctx context.Context) (differ []string, now map[string]string, err error) {
	settings, err := t.Repo.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	needed, err := t.neededAndIgnored(ctx)
	if err != nil {
		return nil, nil, err
	}
	now = settings.All()
	maps.Copy(now, needed)
	return git.Differing(t.st.GitSettings, now), now, nil
}

func (t *turn) askAboutSettings(differ []string, now map[string]string) {
	t.st.Pause = &engine.Pause{Name: engine.GitSettingsCheckpoint, GitSettings: now, Text: textformat.Paragraphs(
		msg.New("pipeline.git_settings_changed"), items(differ), msg.New("pipeline.git_settings_changed_options"))}
	t.dirty = true
}

// redirected returns the settings that decide otherwise than when the work began whose commits
// these are and where a push goes to, and all settings with them as they are now: between the questions of
// [turn.askAboutGitSettings] they may be changed and put back.
func (t *turn) redirected(ctx context.Context) (differ []string, now map[string]string, err error) {
	if t.st.GitSettings == nil {
		return nil, nil, nil
	}
	differ, values, err := t.Repo.Redirected(ctx, t.st.GitSettings)
	now = maps.Clone(t.st.GitSettings)
	for _, key := range differ {
		delete(now, key)
	}
	maps.Copy(now, values)
	return differ, now, err
}

// asItBegan returns a Problem if git would make a commit of somebody else, or push to somewhere
// else, than when the work began.
func (t *turn) asItBegan(ctx context.Context) error {
	differ, _, err := t.redirected(ctx)
	if err != nil || len(differ) == 0 {
		return err
	}
	return problem.New("git_settings_changed", "pipeline.git_goes_elsewhere", msg.Listed(", ", differ)).
		Or("pipeline.call_again_when_fixed", op.PipelineNextAction)
}

// unreviewed has a person asked about files that no review has seen. If they approve,
// c is committed.
func (t *turn) unreviewed(ctx context.Context, files []string, c *engine.Commit) error {
	brought, err := t.broughtByBase(ctx)
	if err != nil {
		return err
	}
	var note msg.Message
	if all := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !brought[f] }); len(all) > 0 {
		note = msg.New("pipeline.brought_by_base", t.st.BaseBranch, textformat.Files(all))
	}
	t.st.Pause = &engine.Pause{
		Name: engine.ChangedAfterReviewCheckpoint,
		Text: textformat.Paragraphs(msg.New("pipeline.changed_after_reviews"), items(files), note,
			msg.New("pipeline.changed_after_reviews_options")),
		Commit: c,
	}
	t.dirty = true
	return t.show(ctx, c)
}

// show notes what a person is shown of a commit that they are asked about.
func (t *turn) show(ctx context.Context, c *engine.Commit) (err error) {
	c.Shown = make(map[string]string)
	for _, f := range c.Files {
		c.Shown[f] = t.s.contentOf(f)
	}
	c.Head, err = taskbranch.HeadTree(ctx, t.Repo)
	return err
}

// movedSinceAsked reports whether a commit would hold, or accept, what the person was not shown
// who was asked about it.
func (t *turn) movedSinceAsked(ctx context.Context, c *engine.Commit) (bool, error) {
	if c == nil || c.Head == "" {
		return false, nil
	}
	for f, was := range c.Shown {
		if t.s.contentOf(f) != was {
			return true, nil
		}
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return false, err
	}
	if len(c.Files) == 0 && head != c.Head { // they were asked about commits
		return true, nil
	}
	later, err := t.Repo.Diff(ctx, c.Head, head)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return true, nil
	}
	return len(text.Without(git.Paths(later), c.Files)) > 0, err // its files are in it if a process was killed then
}

// askAnew withdraws a question about files that have changed since it was asked.
func (t *turn) askAnew(ctx context.Context) error {
	if t.st.Over() || t.st.Pause == nil {
		return nil
	}
	moved, err := t.movedSinceAsked(ctx, t.st.Pause.Commit)
	if moved {
		t.st.Ticket, t.st.Pause, t.st.Held, t.dirty = nil, t.st.Held, nil, true
	}
	return err
}

// items lists names, each on a line of its own.
func items[T any](names []T) msg.Message { return msg.Join("", "- ", msg.Listed("\n- ", names)) }

// broughtByBase returns the files that commits since the last known one have changed to what
// they are in the base branch: by a merge of it, say. It is for texts and for whose change it
// is not; a person is asked all the same, because who writes here can move every branch.
func (t *turn) broughtByBase(ctx context.Context) (map[string]bool, error) {
	brought, known := make(map[string]bool), t.lastKnownCommit()
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil || head == known || known == "" || t.st.BaseBranch == "" || t.st.BaseBranch == t.st.Branch {
		return brought, err
	}
	refs, err := t.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads/"+t.st.BaseBranch, "refs/remotes/*/"+t.st.BaseBranch)
	if err != nil {
		return nil, err
	}
	refused := new(*git.Error) // what cannot be compared was brought by nobody
	for _, base := range strings.Fields(refs) {
		from, err := t.Repo.Run(ctx, "merge-base", head, base)
		if from = strings.TrimSpace(from); errors.As(err, refused) || from == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		if had, err := t.Repo.Contains(ctx, known, from); had || errors.As(err, refused) {
			continue
		} else if err != nil {
			return nil, err
		}
		since, err := t.Repo.Diff(ctx, known, head)
		if err != nil {
			return nil, err
		}
		own, err := t.Repo.Diff(ctx, from, head)
		if err != nil {
			return nil, err
		}
		for _, f := range text.Without(git.Paths(since), git.Paths(own)) {
			brought[f] = true
		}
	}
	return brought, nil
}

// rewritten has a person asked if err says that the last known commit is gone. If
// they approve, c is committed.
func (t *turn) rewritten(ctx context.Context, err error, c *engine.Commit) error {
	if !errors.Is(err, errRewritten) {
		return err
	}
	t.st.Pause = &engine.Pause{
		Name: engine.ChangedAfterReviewCheckpoint,
		Text: textformat.Paragraphs(msg.New("pipeline.history_rewritten", t.lastKnownCommit()),
			msg.New("pipeline.history_rewritten_options")),
		Commit: &engine.Commit{Files: c.Files, Tasks: c.Tasks, Message: c.Message, AcceptOthers: true},
	}
	t.dirty = true
	return t.show(ctx, t.st.Pause.Commit)
}

var errRewritten = errors.New("the last known commit is gone")

// lastKnownCommit is the last commit of which every change was told: the last one of ours, or
// the one where the work began; "" before that.
func (t *turn) lastKnownCommit() string { return cmp.Or(t.st.ReviewedCommit, t.st.BaseCommit) }

// committedByOthers returns the files that differ between the last known commit and the
// one that is checked out.
func (t *turn) committedByOthers(ctx context.Context) ([]string, error) {
	if err := t.onBranch(ctx); err != nil {
		return nil, err
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil || head == t.lastKnownCommit() {
		return nil, err
	}
	commits, err := t.Repo.Diff(ctx, t.lastKnownCommit(), head)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, errRewritten
	}
	files := git.Paths(commits)
	files = slices.DeleteFunc(files, t.isArtifact)
	slices.Sort(files)
	return slices.Compact(files), err
}

// unreviewedChanges returns the files that are not as they were committed, but for those
// that the user had changed before, those of the workspace that no agent was asked for,
// and those that [turn.committedByOthers] returns. What no commit holds, the branch goes
// out without, although it may have been what the verification saw.
func (t *turn) unreviewedChanges(ctx context.Context) ([]string, error) {
	files, err := t.committedByOthers(ctx)
	if err != nil {
		return nil, err
	}
	now, err := t.changedSince(ctx, t.lastKnownCommit())
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, errRewritten
	}
	for f := range now {
		if !t.usersOwn(f) {
			files = append(files, f)
		}
	}
	own, err := t.workspaceChanges(ctx)
	if err != nil {
		return nil, err
	}
	rewritten, err := t.rewrittenArtifacts()
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(own, rewritten) {
		if (!t.isArtifact(f) || slices.Contains(rewritten, f)) && !slices.Contains(t.st.UserFiles, f) {
			files = append(files, f)
		}
	}
	history, err := t.historyChanged(ctx)
	files = append(files, history...)
	slices.Sort(files)
	return slices.Compact(files), err
}

// workspaceChanges returns the files of the workspace, and of more, that are not in git as
// they are.
func (t *turn) workspaceChanges(ctx context.Context, more ...string) (files []string, err error) {
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return nil, err
	}
	now, err := t.tree(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := t.Repo.Diff(ctx, head, now)
	for _, f := range git.Paths(changes) {
		if strings.HasPrefix(f, t.w.Path()+"/") || slices.Contains(more, f) {
			files = append(files, f)
		}
	}
	return files, err
}

// isArtifact reports whether a file is one that the server or an agent of the pipeline
// writes: nothing else of the workspace is committed at the end without a person's word.
func (t *turn) isArtifact(file string) bool {
	name, own := strings.CutPrefix(file, t.w.Path()+"/")
	switch {
	case !own:
		return file == indexFile
	case strings.HasPrefix(name, "debug/"):
		return t.st.Flags.Debug
	}
	return name == workspace.StateFile || strings.HasPrefix(name, strings.TrimSuffix(workspace.JournalFile, ".jsonl")) ||
		hasKey(t.st.Recorded, name) || t.written(name)
}

// artifacts are the texts of the workspace that agents may be given to read.
func (t *turn) artifacts() ([]string, error) {
	names, err := t.w.Artifacts()
	return slices.DeleteFunc(names, func(name string) bool { return !t.isArtifact(t.w.Path() + "/" + name) }), err
}

// written reports whether a file of the workspace is one that is written in a pipeline of this effort
// with these tasks.
func (t *turn) written(name string) bool {
	if name == workspace.RequestFile || name == engine.TasksFile || name == "improvement.md" {
		return true
	}
	for _, id := range t.s.table.IDs() {
		w, _ := t.s.table.Contract(id)
		for _, form := range w.Writes {
			before, after, each := strings.Cut(form, "{task}")
			of, is := strings.CutPrefix(name, before)
			of, ends := strings.CutSuffix(of, after)
			if (!each && name == form || each && is && ends && t.st.Task(of) != nil) && !slices.Contains(t.st.SkippedPhases, id) {
				return true
			}
		}
	}
	return false
}
