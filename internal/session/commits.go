package session

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// commitAction names the ledger's entry of a commit on the task branch.
const commitAction = "commit"

// noteCommit takes a commit of ours into the state, and into the ledger: if the
// process dies before its checkpoint, [turn.recoverCommits] finds it there.
func (t *turn) noteCommit(id string) error {
	_, err := t.Ledger.Append(audit.Entry{
		Kind: audit.Git, Session: t.State.ID, Phase: string(t.State.Phase), Name: commitAction, Outcome: audit.OK,
		Detail: map[string]string{"commit": id, "parent": t.State.Tip},
	})
	if err != nil {
		return err
	}
	t.tookCommit(id)
	return nil
}

func (t *turn) tookCommit(id string) {
	t.commit, t.State.Tip = id, id
	if !slices.Contains(t.State.Commits, id) {
		t.State.Commits = append(t.State.Commits, id)
	}
}

// recoverCommits takes into a restored state the commits that were made after its
// checkpoint: the call that made them was cut short, and they are ours.
func (t *turn) recoverCommits() error {
	since, err := t.Ledger.Since(t.State.LedgerSeq)
	if err != nil {
		return err
	}
	for _, e := range since {
		if e.Kind == audit.Git && e.Name == commitAction && e.Detail["parent"] == t.State.Tip {
			t.tookCommit(e.Detail["commit"])
		}
	}
	return nil
}

// takeBack commits what an earlier commit of the session holds and the change no
// longer does, whether the review threw it out or the work was undone.
func (t *turn) takeBack(ctx context.Context, r *git.Repo) error {
	open, err := taskbranch.Changes(ctx, r, t.State.Tip)
	if err != nil {
		return err
	}
	theirs, err := t.UsersFiles(ctx)
	if err != nil {
		return err
	}
	change, err := t.Own(ctx)
	if err != nil {
		return err
	}
	changed := git.Paths(change)
	back := slices.DeleteFunc(git.Paths(open), func(f string) bool { return theirs[f] || slices.Contains(changed, f) })
	return t.commitFiles(ctx, r, back, msg.New("session.take_back", refusal.Some(back, 3)).String())
}

// arrived leaves out of the files those that are as the base has them, if the
// base holds the task already: a merge was cut short while its files were coming.
func (t *turn) arrived(ctx context.Context, r *git.Repo, tip string, files []string) ([]string, error) {
	base, err := r.Resolve(ctx, "refs/heads/"+t.State.Branch.Base)
	if err != nil || base == "" || tip == "" || len(files) == 0 {
		return files, err
	}
	if in, err := r.Contains(ctx, base, tip); err != nil || !in {
		return files, err
	}
	left, err := taskbranch.Changes(ctx, r, base)
	if err != nil {
		return nil, err
	}
	differ := git.Paths(left)
	return slices.DeleteFunc(files, func(f string) bool { return !slices.Contains(differ, f) }), nil
}

// noneOpen is noSession for a caller who wants to continue a session. The session may have
// ended in a call whose answer was lost, so the Problem names the last one.
func (s *Service) noneOpen() error {
	err := s.noSession()
	files := repofile.At(s.folder().Path("archive")).Match("*.json") // ids sort by time
	last := new(state.State)
	p := problem.Of(err)
	if len(files) == 0 || p == nil || atomicfile.Read(files[len(files)-1], last) != nil {
		return err
	}
	p.Message = msg.Join("", p.Message, msg.New("session.last_one_ended", last.ID, last.Outcome,
		text.Clip(strings.TrimSpace(last.Query), 200)))
	return p.Or("session.if_yours_over_code_intel", last.ID)
}
