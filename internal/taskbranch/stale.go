package taskbranch

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// A Stale branch is a task branch that belongs to no session that can go on.
type Stale struct {
	Name string `json:"name"`
	Base string `json:"base"` // the one recorded when it was made, else the branch that was checked out; "" if neither is known
	Tip  string `json:"tip"`

	CheckedOut bool `json:"checked_out,omitempty"` // HEAD is on it
}

// FindStale returns the task branches that owned does not claim, sorted by name.
func FindStale(ctx context.Context, r *git.Repo, owned func(branch string) bool) ([]Stale, error) {
	tips, err := r.Tips(ctx, branchPrefix)
	if err != nil {
		return nil, err
	}
	bases, err := allRecorded(ctx, r, "base")
	if err != nil {
		return nil, err
	}
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return nil, err
	}
	base := on
	if strings.HasPrefix(on, branchPrefix) { // a task branch is not a base: somebody must be asked
		base = ""
	}
	var stale []Stale
	for _, name := range slices.Sorted(maps.Keys(tips)) {
		if !owned(name) {
			stale = append(stale, Stale{Name: name, CheckedOut: name == on, Tip: tips[name],
				Base: cmp.Or(bases[name], base)})
		}
	}
	return stale, nil
}

// Known returns a Problem if the base of a stale branch is not known or gone.
func (s Stale) Known(ctx context.Context, r *git.Repo) error {
	if s.Base == "" {
		return problem.New(BaseUnknown, "taskbranch.origin_not_recorded", s.Name).
			Or("taskbranch.ask_which_branch")
	}
	id, err := r.Resolve(ctx, heads+s.Base)
	if err == nil && id == "" {
		return problem.New(BranchMissing, "taskbranch.came_from_branch_gone", s.Name, s.Base).
			Or("taskbranch.ask_which_branch")
	}
	return err
}

// DeleteStale removes a stale branch; its tip is kept in a trash ref. If it is
// checked out, its base is checked out first, and what is not committed there is
// carried along, with a copy in another trash ref. A branch that is gone already
// is no error.
func DeleteStale(ctx context.Context, r *git.Repo, s Stale) error {
	tip, err := r.Resolve(ctx, heads+s.Name) // perhaps another one than when it was found
	if err != nil || tip == "" {
		return err
	}
	where, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	if err := checkBranchFree(r, where, s.Name); err != nil {
		return err
	}
	if where[s.Name] == r.Dir {
		if err := s.leave(ctx, r, tip); err != nil {
			return err
		}
	} else if err := s.completeSwitch(ctx, r); err != nil {
		return err
	}
	return remove(ctx, r, s.Name, tip, "trash")
}

// leave switches to the base of a stale branch that is checked out.
func (s Stale) leave(ctx context.Context, r *git.Repo, tip string) error {
	if err := s.Known(ctx, r); err != nil {
		return err
	}
	base, err := r.Resolve(ctx, heads+s.Base)
	if err != nil {
		return err
	}
	if err := checkNoObstacle(ctx, r, base); err != nil {
		return err
	}
	k, err := keepTree(ctx, r, "trash/worktree", s.Name, "What was not committed on "+s.Name, tip)
	if err != nil {
		return err
	}
	if files, err := k.files(ctx, r, tip); err != nil {
		return err
	} else if len(files) > 0 {
		if _, err := k.commit(ctx, r); err != nil {
			return err
		}
	}
	err = switchTo(ctx, r, s.Base, base)
	return refused(err, CheckoutFailed, msg.New("taskbranch.git_could_not_switch", s.Base),
		msg.New("taskbranch.put_what_git_names_out"))
}

// completeSwitch completes a switch to the base that an earlier call could not complete.
func (s Stale) completeSwitch(ctx context.Context, r *git.Repo) error {
	base, err := r.Resolve(ctx, heads+s.Base)
	if err != nil || base == "" {
		return err
	}
	return completeMove(ctx, r, base)
}

// LeaveStale switches to the base of a stale branch, which stays as it is, if HEAD is
// on it. What is not committed there is carried along, with a copy in a trash ref.
func LeaveStale(ctx context.Context, r *git.Repo, s Stale) error {
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return err
	} else if on != s.Name {
		return s.completeSwitch(ctx, r)
	}
	tip, err := r.Head(ctx)
	if err != nil {
		return err
	}
	return s.leave(ctx, r, tip)
}

// MergeStale merges a stale branch into its base and removes it. A branch that is
// gone already is not an error; a *[Conflict] is.
func MergeStale(ctx context.Context, r *git.Repo, s Stale) error {
	tip, err := r.Resolve(ctx, heads+s.Name)
	if err != nil || tip == "" {
		return err
	}
	if err := s.Known(ctx, r); err != nil {
		return err
	}
	// The commit they share is the base commit: a branch that has nothing beyond
	// it has nothing to merge.
	from, err := r.Run(ctx, "merge-base", heads+s.Base, tip)
	if err != nil && git.ExitCode(err) != 1 {
		return err
	}
	t := Task{Name: s.Name, Base: s.Base, BaseCommit: strings.TrimSpace(from)}
	_, err = Merge(ctx, r, t, "Merge "+s.Name)
	return err
}
