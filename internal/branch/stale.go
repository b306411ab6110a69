package branch

import (
	"context"
	"fmt"
	"strings"

	"codeintel/internal/git"
)

// A Stale branch is a task branch that belongs to no session that can go on.
type Stale struct {
	Name string `json:"name"`
	Base string `json:"base"` // the one recorded when it was made, else the branch that was checked out
	Tip  string `json:"tip"`
}

// FindStale returns the task branches that owned does not claim, sorted by name.
func FindStale(ctx context.Context, r *git.Repo, owned func(branch string) bool) ([]Stale, error) {
	names, err := r.Branches(ctx, Prefix)
	if err != nil {
		return nil, err
	}
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return nil, err
	}
	var stale []Stale
	for _, name := range names {
		if owned(name) {
			continue
		}
		s := Stale{Name: name}
		if s.Tip, err = r.Resolve(ctx, "refs/heads/"+name); err != nil {
			return nil, err
		}
		if s.Base, err = recorded(ctx, r, name, "base"); err != nil {
			return nil, err
		}
		if s.Base == "" && on != name {
			s.Base = on
		}
		stale = append(stale, s)
	}
	return stale, nil
}

// DeleteStale removes a stale branch; its tip is kept in a trash ref. A branch
// that is checked out is left for its base first.
func DeleteStale(ctx context.Context, r *git.Repo, s Stale) error {
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return err
	}
	if on == s.Name {
		if s.Base == "" {
			return fmt.Errorf("branch %s is checked out, and its base is not known", s.Name)
		}
		if _, err := r.Run(ctx, "switch", "--quiet", "--no-guess", s.Base); err != nil {
			return refused(err, CheckoutFailed, "git could not switch to "+s.Base+".", "Mend what git says and try again.")
		}
	}
	return remove(ctx, r, s.Name, s.Tip, "trash")
}

// MergeStale merges a stale branch into its base and removes it.
func MergeStale(ctx context.Context, r *git.Repo, s Stale) error {
	from, err := r.Run(ctx, "merge-base", "refs/heads/"+s.Base, s.Tip)
	if err != nil {
		return err
	}
	t := Task{Name: s.Name, Base: s.Base, BaseCommit: strings.TrimSpace(from)}
	_, err = Merge(ctx, r, t, "Merge "+s.Name)
	return err
}
