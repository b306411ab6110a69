package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/taskbranch"
	"codeintel/internal/workflow"
)

// askAboutUnseen has a person asked, before the work is summed up and before it is pushed, about what
// nobody should merge unread (see [workflow.MustBeSeen]) and about other branches and tags that hold the work.
func (t *turn) askAboutUnseen(ctx context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || t.st.BaseCommit == "" ||
		!t.phaseIs(engine.FinalSummary, engine.PRCreation) {
		return nil
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return err
	}
	changes, err := t.Repo.Diff(ctx, t.st.BaseCommit, head)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil // history was rewritten, which a person is asked about
	} else if err != nil {
		return err
	}
	all, err := t.unseenFiles(ctx, changes)
	if err != nil {
		return err
	}
	if t.phaseIs(engine.PRCreation) && !t.st.Flags.SkipPR {
		if err := t.leakedRefs(ctx, all); err != nil {
			return err
		}
	}
	var fresh []string
	for _, what := range git.Differing(t.st.Seen, all) {
		if all[what] != "" {
			fresh = append(fresh, what)
		}
	}
	if len(fresh) > 0 {
		t.st.Pause = &engine.Pause{Name: engine.MustSeeCheckpoint, Seen: all, Text: textformat.Paragraphs(
			msg.New("pipeline.must_be_seen"), items(fresh), msg.New("pipeline.must_be_seen_options"))}
		t.dirty = true
	}
	return nil
}

// unseenFiles returns the changed files that a person must see, with why, and what they hold. Those that the
// request names are wanted.
func (t *turn) unseenFiles(ctx context.Context, changes []git.Change) (map[string]string, error) {
	all, texts := make(map[string]string), make(map[string][]byte)
	var changed []string
	why := func(c string, had []byte) string {
		info, err := os.Lstat(t.s.project.Abs(c))
		if err != nil || !info.Mode().IsRegular() {
			return ""
		}
		return workflow.MustBeSeen(c, texts[c], had, info.Size())
	}
	for _, f := range changes {
		c := f.Path
		if f.Status == git.Deleted || workspace.IsOwnFile(c) || strings.Contains(t.st.Request, c) {
			continue
		}
		if texts[c] = t.textNow(c); why(c, nil) == "" {
			continue
		} else if f.Status != git.Added {
			changed = append(changed, c)
			continue
		}
		all[c+", "+why(c, nil)] = t.s.contentOf(c)
	}
	if len(changed) == 0 {
		return all, nil
	}
	had, err := t.Repo.Contents(ctx, t.st.BaseCommit, changed, workflow.MostCompared)
	for _, c := range changed {
		if why := why(c, had[c]); why != "" {
			all[c+", "+why] = t.s.contentOf(c)
		}
	}
	return all, err
}

// leakedRefs adds the base branch and tags to all that hold commits of the pipeline, and a base branch that lost
// the commit with which the work began.
func (t *turn) leakedRefs(ctx context.Context, all map[string]string) error {
	base := t.st.BaseBranch
	if t.st.TakenUp || t.st.Pull != nil || base == "" || base == t.st.Branch {
		return nil
	}
	args := []string{"for-each-ref", "--format=%(refname)"}
	for _, k := range t.st.Tasks {
		if k.Commit != "" {
			args = append(args, "--contains="+k.Commit)
		}
	}
	failure := (*git.Error)(nil)
	if len(args) > 2 {
		out, err := t.Repo.Run(ctx, append(args, "refs/heads/"+base, "refs/remotes/*/"+base, "refs/tags")...)
		if err != nil && !errors.As(err, &failure) {
			return err
		}
		for ref := range strings.FieldsSeq(out) {
			all[fmt.Sprintf("%s, which holds commits of this work", ref)] = "there"
		}
	}
	holds, err := t.Repo.Contains(ctx, "refs/heads/"+base, t.st.BaseCommit)
	if err == nil && !holds {
		all[fmt.Sprintf("refs/heads/%s, which no longer holds the commit with which this work began", base)] = "gone"
	}
	if err != nil && !errors.As(err, &failure) {
		return err
	}
	return nil
}
