package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// maxSubject is how many characters the first line of a message takes from titles.
const maxSubject = 72

func (t *turn) commitMessage(ids []string) string {
	var titles []string
	for _, id := range ids {
		titles = append(titles, artifact.Subject(t.st.Task(id).Title))
	}
	subject, list := strings.Join(titles, "; "), ""
	if len(titles) > 1 && utf8.RuneCountInString(subject) > maxSubject {
		subject, list = text.OneLine(t.st.Title), "- "+strings.Join(titles, "\n- ")+"\n\n"
	}
	if subject == "" {
		subject = text.OneLine(t.st.Title)
	}
	if subject = artifact.Subject(subject); subject == "" {
		subject = t.st.SpecName
	}
	subject = text.Clip(subject, maxSubject)
	if !request.Conventional(subject) {
		subject = t.pullText().Kind() + ": " + subject
	}
	return fmt.Sprintf("%s\n\n%sTasks: %s\nPipeline: %s", subject, list, strings.Join(ids, ", "), t.w.Path())
}

// commitTasks commits what the tasks changed. Files that are in a commit already
// are left alone, so it may be done again.
func (t *turn) commitTasks(ctx context.Context) error {
	if err := t.save(); err != nil { // what is about to be done is known before it is
		return err
	}
	t.Repo.LookAtRefs() // the commit goes to what is checked out by now
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	c := t.st.Commit
	moved, err := t.movedSinceAsked(ctx, c)
	if err != nil {
		return err
	}
	if moved && len(c.Tasks) == 0 { // it is looked at anew
		t.st.Commit, t.dirty = nil, true
		return nil
	}
	if !c.AcceptOthers || moved {
		others, err := t.committedByOthers(ctx)
		if err != nil {
			return t.rewritten(ctx, err, c)
		}
		if others = text.Without(others, c.Files); len(others) > 0 {
			return t.unreviewed(ctx, others, &engine.Commit{Files: slices.Concat(c.Files, others),
				Tasks: c.Tasks, Message: c.Message,
				Others: others})
		}
	}
	if differ, now, err := t.redirected(ctx); err != nil {
		return err
	} else if len(differ) > 0 {
		t.askAboutSettings(differ, now)
		return nil
	}
	id, err := t.commit(ctx, c.Files, c.Message, git.Hooks)
	if why := whyRefused(err, "pipeline.git_refused_the_commit"); !why.IsZero() {
		t.st.Pause = &engine.Pause{Name: engine.CommitFailedCheckpoint, Text: textformat.Paragraphs(why, msg.New("pipeline.commit_options"))}
		t.dirty = true
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.addHookChanges(ctx, c); err != nil {
		return err
	}
	for _, k := range c.Tasks {
		if task := t.st.Task(k); task != nil {
			task.Commit = id
		}
	}
	for _, f := range c.Files { // what a person has accepted as it is
		if name, own := strings.CutPrefix(f, t.w.Path()+"/"); own && t.st.Recorded[name] != "" {
			if err := t.recordArtifacts(name); err != nil {
				return err
			}
		}
	}
	if rest := text.Without(t.st.UserFiles, c.Files); len(rest) < len(t.st.UserFiles) {
		t.Warn("pipeline.commit_also_holds_what_user", id[:min(len(id), 10)], textformat.Files(text.Without(t.st.UserFiles, rest)))
		t.st.UserFiles = rest
	}
	t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server",
		Detail: map[string]string{"step": "commit tasks", "commit": id, "files": strings.Join(c.Files, ", ")}})
	t.st.Commit, t.st.ReviewedCommit, t.dirty = nil, id, true
	return t.save()
}

// commit commits files as they are, and nothing else; with [git.Hooks] the repository's
// hooks run. It returns HEAD if they are committed.
func (t *turn) commit(ctx context.Context, files []string, message string, effect git.Effect) (string, error) {
	if _, err := t.tree(ctx); err != nil { // which says what is in the way
		return "", err
	}
	return taskbranch.CommitFiles(ctx, t.Repo, t.st.Branch, files, message, effect)
}

// addHookChanges has the first task of a commit answer for the files that hooks of the
// repository have added to it, so that its review is about them, too.
func (t *turn) addHookChanges(ctx context.Context, c *engine.Commit) error {
	if c.AcceptOthers || len(c.Tasks) == 0 {
		return nil
	}
	all, err := t.committedByOthers(ctx)
	if errors.Is(err, errRewritten) {
		return nil
	}
	added := text.Without(all, c.Files)
	if k := t.st.Task(c.Tasks[0]); k != nil && len(added) > 0 {
		k.Claimed = append(k.Claimed, added...)
		t.Warn("pipeline.commit_hook_added_files", k.ID, textformat.Files(added))
	}
	return err
}
