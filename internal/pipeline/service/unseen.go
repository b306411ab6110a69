package service

import (
	"context"
	"errors"
	"maps"
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

// askAboutUnseen has a person asked, before the work is summed up, before it is pushed and at the end, about what
// nobody should merge unread (see [workflow.MustBeSeen]) and about other branches and tags that hold the work.
func (t *turn) askAboutUnseen(ctx context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || t.st.BaseCommit == "" ||
		!t.phaseIs(engine.FinalSummary, engine.PRCreation, engine.PostToSource, engine.FinalCommit) {
		return nil
	}
	u := mustSeeItems{holds: maps.Clone(t.st.Seen), why: make(map[string]msg.Message)}
	if u.holds == nil {
		u.holds = make(map[string]string)
	}
	if t.phaseIs(engine.FinalSummary, engine.PRCreation) { // later nothing changes that is not asked about
		if err := t.unseenFiles(ctx, u); err != nil {
			return err
		}
	}
	if !t.phaseIs(engine.FinalSummary) {
		if err := t.leakedRefs(ctx, u); err != nil {
			return err
		}
	}
	var fresh []msg.Message
	for _, what := range git.Differing(t.st.Seen, u.holds) {
		if why, there := u.why[what]; there {
			fresh = append(fresh, why)
		}
	}
	if len(fresh) > 0 {
		t.st.Pause = &engine.Pause{Name: engine.MustSeeCheckpoint, Seen: u.holds, Text: textformat.Paragraphs(
			msg.New("pipeline.must_be_seen"), items(fresh), msg.New("pipeline.must_be_seen_options"))}
		t.dirty = true
	}
	return nil
}

// A mustSeeItems is what a person must see: what files and references hold, by name, and why.
type mustSeeItems struct {
	holds map[string]string
	why   map[string]msg.Message
}

func (u mustSeeItems) add(name, holds string, why msg.Message) {
	u.holds[name], u.why[name] = holds, why
}

// unseenFiles adds the changed files that a person must see. Those that the request asks for are wanted.
func (t *turn) unseenFiles(ctx context.Context, u mustSeeItems) error {
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
	texts := make(map[string][]byte)
	var changed []string
	why := func(c string, had []byte) msg.Message {
		info, err := os.Lstat(t.s.project.Abs(c))
		if err != nil || !info.Mode().IsRegular() {
			return msg.Message{}
		}
		return workflow.MustBeSeen(c, t.st.Request, texts[c], had, info.Size())
	}
	for _, f := range changes {
		c := f.Path
		if f.Status == git.Deleted || workspace.IsOwnFile(c) {
			continue
		}
		texts[c] = t.textNow(c)
		switch why := why(c, nil); {
		case why.IsZero():
		case f.Status == git.Added:
			u.add(c, t.s.contentOf(c), why)
		default:
			changed = append(changed, c)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	had, err := t.Repo.Contents(ctx, t.st.BaseCommit, changed, workflow.MostCompared)
	for _, c := range changed {
		if why := why(c, had[c]); !why.IsZero() {
			u.add(c, t.s.contentOf(c), why)
		}
	}
	return err
}

// leakedRefs adds the base branch and tags, and where nothing is pushed remote branches, that hold commits of the
// pipeline, and a base branch that lost the commit with which the work began.
func (t *turn) leakedRefs(ctx context.Context, u mustSeeItems) error {
	base := t.st.BaseBranch
	if t.st.TakenUp || t.st.Pull != nil || base == "" || base == t.st.Branch {
		return nil
	}
	branch := "refs/heads/" + base
	among := []string{branch, "refs/remotes/*/" + base, "refs/tags"}
	if t.st.Flags.SkipPR { // nothing is pushed
		among = append(among, "refs/remotes")
	}
	there, err := t.refsWith(ctx, []string{t.st.BaseCommit}, among)
	if err != nil {
		return err
	}
	var made []string
	for _, k := range t.st.Tasks {
		if k.Commit != "" {
			made = append(made, k.Commit)
		}
	}
	moved := maps.Clone(there)
	maps.DeleteFunc(moved, func(_, tip string) bool { return tip == t.st.BaseCommit })
	if len(moved) > 0 && len(made) > 0 {
		leaked, err := t.refsWith(ctx, made, among)
		if err != nil {
			return err
		}
		for ref := range leaked {
			u.add(ref, "there", msg.New("pipeline.seen_elsewhere", ref))
		}
	}
	if there[branch] != "" {
		return nil
	}
	holds, err := t.Repo.Contains(ctx, branch, t.st.BaseCommit)
	if failure := (*git.Error)(nil); errors.As(err, &failure) { // there is no such branch
		return nil
	}
	if err == nil && !holds {
		u.add(branch, "gone", msg.New("pipeline.seen_base_lost", branch))
	}
	return err
}

// refsWith returns the references of some patterns that hold one of the commits, and what they lead to; none
// if a commit is not there.
func (t *turn) refsWith(ctx context.Context, commits, among []string) (map[string]string, error) {
	args := []string{"for-each-ref", "--format=%(refname) %(objectname)"}
	for _, c := range commits {
		args = append(args, "--contains="+c)
	}
	out, err := t.Repo.Run(ctx, append(args, among...)...)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, nil
	}
	refs := make(map[string]string)
	for line := range strings.Lines(out) {
		ref, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[ref] = id
	}
	return refs, err
}
