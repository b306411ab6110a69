package taskbranch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
)

// TakeBase merges the base, which has moved on, into the task branch, so that a
// conflict can be solved there as part of the work. It returns the task measured
// from where the base is now, and the files that hold conflict markers: they are
// committed as they are, for the task to resolve. Nothing happens if the branch
// holds the base already, unless that is by a merge that an earlier call made and did
// not live to tell of.
func TakeBase(ctx context.Context, r *git.Repo, t Task) (Task, []string, error) {
	base, err := r.Resolve(ctx, heads+t.Base)
	if err != nil || base == "" || base == t.BaseCommit {
		return t, nil, err
	}
	if err := onTask(ctx, r, t); err != nil {
		return t, nil, err
	}
	tip, err := r.Resolve(ctx, heads+t.Name)
	if err != nil || tip == "" {
		return t, nil, err
	}
	in, err := r.Contains(ctx, tip, base)
	if err != nil {
		return t, nil, err
	}
	if in {
		if err := completeMove(ctx, r, tip); err != nil {
			return t, nil, refused(err, CheckoutFailed, msg.New("taskbranch.files_could_not_follow_merge", t.Base),
				msg.New("taskbranch.put_what_git_names_out"))
		}
		return alreadyMerged(ctx, r, t, base, tip)
	}
	tree, conflicts, err := tryMerge(ctx, r, tip, base)
	if err != nil {
		return t, nil, refused(err, MergeFailed, msg.New("taskbranch.cannot_be_merged_into", t.Base, t.Name),
			msg.New("taskbranch.fix_what_git_says_try"))
	}
	merge, err := r.CommitTree(ctx, tree, fmt.Sprintf("Merge %s into %s", t.Base, t.Name), tip, base)
	if err != nil {
		return t, nil, refused(err, MergeFailed, msg.New("taskbranch.merge_could_not_committed"),
			msg.New("taskbranch.fix_what_git_says_try"))
	}
	if err := Forward(ctx, r, merge); err != nil {
		return t, nil, refused(err, CheckoutFailed, msg.New("taskbranch.files_could_not_follow_merge", t.Base),
			msg.New("taskbranch.put_what_git_names_out"))
	}
	t.BaseCommit = base
	return t, conflicts, nil
}

// alreadyMerged answers for a branch that holds the base: its merge, if a crash came right
// behind it.
func alreadyMerged(ctx context.Context, r *git.Repo, t Task, base, tip string) (Task, []string, error) {
	merge, err := mergeOf(ctx, r, tip, base)
	if err != nil || merge == tip && tip == base {
		return t, nil, err
	}
	before, err := r.Parent(ctx, merge)
	if err != nil || before == "" {
		return t, nil, err
	}
	second, err := r.Resolve(ctx, merge+"^2")
	if err != nil || second != base {
		return t, nil, err
	}
	made, err := r.Tree(ctx, merge)
	if err != nil {
		return t, nil, err
	}
	t.BaseCommit = base
	tree, conflicts, err := tryMerge(ctx, r, before, base)
	if err != nil || tree != made { // somebody has merged by hand, and solved them
		return t, nil, err
	}
	return t, conflicts, nil
}

// tryMerge merges two commits in memory. It returns the tree, and the files in it
// that hold conflict markers, sorted.
func tryMerge(ctx context.Context, r *git.Repo, into, from string) (tree string, conflicts []string, err error) {
	out, err := r.Do(ctx, git.Command{Args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages",
		into, from}, Effect: git.Writes})
	failed := (*git.Error)(nil)
	if err != nil && (!errors.As(err, &failed) || failed.Exit != 1) {
		return "", nil, err
	}
	fields := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	conflicts = fields[1:]
	slices.Sort(conflicts)
	return strings.TrimSpace(fields[0]), slices.Compact(conflicts), nil
}
