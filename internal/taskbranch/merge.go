package taskbranch

import (
	"context"
	"errors"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/text/quote"
)

// A Conflict says that the task branch and its base change the same lines. It
// wraps a Problem.
type Conflict struct{ Files []string }

func (c *Conflict) Error() string { return "merge conflict in " + strings.Join(c.Files, ", ") }

// Unwrap returns the Problem that tells a client so.
func (c *Conflict) Unwrap() error {
	return problem.New(MergeConflict, "taskbranch.both_sides_change_same_lines", strings.Join(c.Files, ", ")).
		Or("taskbranch.leave_branch_as_it_is").
		Or("taskbranch.ask_user_merge_hand")
}

// Merge brings the task branch into its base with a merge commit, whose id it
// returns, and removes the branch; its tip is kept in a done ref. The merge is
// made in memory first: with a *[Conflict], and wherever git would have to
// overwrite what is not committed, neither tree nor branches have been touched. A
// branch without commits of its own is only removed, and the id is "".
//
// HEAD is on the base then; or, if another working tree has the base checked
// out, on the merge itself, and that other tree has followed.
func Merge(ctx context.Context, r *git.Repo, t Task, message string) (string, error) {
	return MergeWith(ctx, r, t, message, nil)
}

// MergeWith is [Merge] with files, by path, that the merge commit holds beside the
// work; see [Carries]. They come to the working tree with the base. A merge that was
// made before a crash is not made again for them.
func MergeWith(ctx context.Context, r *git.Repo, t Task, message string, files map[string][]byte) (string, error) {
	base, err := r.Resolve(ctx, heads+t.Base)
	if err != nil {
		return "", err
	}
	if base == "" {
		return "", problem.New(BranchMissing, "taskbranch.base_branch_gone", t.Base).
			Or("taskbranch.make_branch_again", quote.Shell(t.Base), t.BaseCommit)
	}
	tip, err := r.Resolve(ctx, heads+t.Name)
	if err != nil {
		return "", err
	}
	if tip == "" {
		return merged(ctx, r, t, base)
	}
	where, err := r.Worktrees(ctx)
	if err != nil {
		return "", err
	}
	if err := checkBranchFree(r, where, t.Name); err != nil {
		return "", err
	}
	id, target := "", base // target is what the base is to be
	if tip != t.BaseCommit {
		if id, target, err = mergeCommit(ctx, r, t, base, tip, message, files); err != nil {
			return "", err
		}
	}
	if err := leave(ctx, r, t, where[t.Base], base, target); err != nil {
		return "", err
	}
	return id, remove(ctx, r, t.Name, tip, "done")
}

// checkBranchFree returns a Problem if a working tree other than this one is on the branch,
// which then cannot be removed.
func checkBranchFree(r *git.Repo, where map[string]string, branch string) error {
	if dir, ok := where[branch]; ok && dir != r.Dir {
		return problem.New(BranchInUse, "taskbranch.branch_checked_out_another_working", branch, dir).
			Or("taskbranch.git_switch_another_branch").
			Or("taskbranch.if_folder_gone_git_worktree")
	}
	return nil
}

// merged returns the merge commit of a branch that is gone, if the process died right after
// the merge.
func merged(ctx context.Context, r *git.Repo, t Task, base string) (string, error) {
	tip, err := r.Resolve(ctx, namespace+"done/"+t.Name)
	if err != nil {
		return "", err
	}
	in := false
	if tip != "" {
		if in, err = r.Contains(ctx, base, tip); err != nil {
			return "", err
		}
	}
	if !in {
		return "", problem.New(BranchMissing, "taskbranch.task_branch_gone", t.Name).
			Or("session.give_up", msg.CallOf(op.SubmitPhase, "data",
				msg.FieldsOf("abort", true, "reason", msg.Blank)))
	}
	if err := forget(ctx, r, t.Name); err != nil || tip == t.BaseCommit {
		return "", err
	}
	return mergeOf(ctx, r, base, tip)
}

// mergeOf returns the commit that merged a tip into the base that holds it, or
// the base itself if that went without one.
func mergeOf(ctx context.Context, r *git.Repo, base, tip string) (string, error) {
	out, err := r.Run(ctx, "rev-list", "--merges", "--parents", tip+".."+base)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if ids := strings.Fields(line); len(ids) > 2 && slices.Contains(ids[2:], tip) {
			return ids[0], nil
		}
	}
	return base, nil
}

// mergeCommit makes the merge commit in memory. A base that holds the tip already
// was merged before a crash, or by hand; it is to stay as it is.
func mergeCommit(ctx context.Context, r *git.Repo, t Task, base, tip, message string,
	files map[string][]byte) (id, target string, err error) {
	in, err := r.Contains(ctx, base, tip)
	if err != nil {
		return "", "", err
	}
	if in {
		id, err = mergeOf(ctx, r, base, tip)
		return id, base, err
	}
	again := msg.New("taskbranch.fix_what_git_says_submit")
	tree, conflicts, err := tryMerge(ctx, r, base, tip)
	if err != nil {
		return "", "", refused(err, MergeFailed, msg.New("taskbranch.cannot_be_merged_into", t.Name, t.Base), again)
	}
	if len(conflicts) > 0 {
		return "", "", &Conflict{conflicts}
	}
	if len(files) > 0 {
		if tree, err = r.WithFiles(ctx, tree, files); err != nil {
			return "", "", refused(err, MergeFailed, msg.New("taskbranch.cannot_be_merged_into", t.Name, t.Base), again)
		}
	}
	id, err = r.CommitTree(ctx, tree, message, base, tip)
	return id, id, refused(err, MergeFailed, msg.New("taskbranch.merge_commit_could_not_made"), again)
}

// leave moves the base from where it is to the target, and the working trees
// with it: the one that has the base checked out, dir, and this one, if it is on the
// task branch. Git refuses that if it would overwrite what is not committed.
func leave(ctx context.Context, r *git.Repo, t Task, dir, base, target string) error {
	on, err := r.CurrentBranch(ctx)
	switch {
	case err != nil:
		return err
	case dir != "":
		return leaveTo(ctx, r, t, dir, on == t.Name, base, target)
	case on == t.Name:
		if err := checkNoObstacle(ctx, r, target); err != nil {
			return err
		}
	}
	if err := r.MoveRef(ctx, heads+t.Base, target, base, "merge "+t.Name+": code-intel"); err != nil {
		return refused(err, CheckoutFailed, msg.New("taskbranch.branch_moved_meantime", t.Base, mergeReady(target)),
			msg.New("taskbranch.submit_again"))
	}
	if on != t.Name {
		return completeMove(ctx, r, target)
	}
	err = switchTo(ctx, r, t.Base, target)
	if err != nil {
		// Also when the caller has given up waiting: half a merge is none.
		late := context.WithoutCancel(ctx)
		if on, onErr := r.CurrentBranch(late); onErr == nil && on == t.Name {
			if undo := r.MoveRef(late, heads+t.Base, base, target, "merge "+t.Name+" undone: code-intel"); undo != nil {
				return errors.Join(err, undo)
			}
		}
	}
	what := msg.New("taskbranch.git_could_not_switch_nothing", t.Base)
	if target == base { // a crash came behind the merge
		what = msg.New("taskbranch.merged_but_not_switched", t.Base)
	}
	return refused(err, CheckoutFailed, what, putAside())
}

// leaveTo is leave where a working tree in dir has the base checked out: that tree
// follows the base. If this one is on the task branch, it comes to the target itself,
// because git lets no two trees be on one branch.
func leaveTo(ctx context.Context, r *git.Repo, t Task, dir string, onTask bool, base, target string) error {
	at := r
	if dir != r.Dir {
		var err error
		if at, err = git.Open(ctx, dir); err != nil {
			return problem.New(BranchInUse, "taskbranch.base_checked_out_another_working", t.Base, dir).
				Or("taskbranch.if_folder_gone_git_worktree")
		}
		at.Before = r.Before
	}
	if onTask && target != base { // before anything moves that could not be taken back
		if err := checkNoObstacle(ctx, r, target); err != nil {
			return err
		}
		if err := switchable(ctx, r, target); err != nil {
			return refused(err, CheckoutFailed, msg.New("taskbranch.working_tree_could_not_leave"), putAside())
		}
	}
	if err := Forward(ctx, at, target); err != nil {
		return refused(err, CheckoutFailed, msg.New("taskbranch.branch_could_not_be_moved", t.Base, dir,
			mergeReady(target)), putAside())
	}
	if !onTask {
		return nil
	}
	err := checkNoObstacle(ctx, r, target)
	if err == nil {
		err = switchTo(ctx, r, "", target)
	}
	return refused(err, CheckoutFailed, msg.New("taskbranch.base_merge_but_working_tree"), putAside())
}

func mergeReady(target string) msg.Message { return msg.New("taskbranch.merge_ready", target) }
func putAside() msg.Message                { return msg.New("taskbranch.put_out_of_the_way_submit") }

// switchable returns a refusal if git would not switch to a commit because of what is
// not committed, or not finished. Nothing is touched.
func switchable(ctx context.Context, r *git.Repo, commit string) error {
	if err := checkIdle(r); err != nil {
		return err
	}
	changes, err := r.Diff(ctx, "HEAD", commit)
	if err != nil {
		return err
	}
	var arriving []string
	for _, c := range changes {
		if c.Status != git.Deleted && c.Status != git.Modified && existsAt(r, c.Path) {
			arriving = append(arriving, c.Path)
		}
	}
	known, err := indexed(ctx, r, arriving)
	if err != nil {
		return err
	}
	// ignored ones, too
	if arriving = slices.DeleteFunc(arriving, func(f string) bool { _, ok := known[f]; return ok }); len(arriving) > 0 {
		return problem.New(CheckoutFailed, "taskbranch.these_files_base_something_else",
			strings.Join(arriving[:min(len(arriving), 20)], ", ")).
			Or("taskbranch.put_them_out_way_commit")
	}
	refresh := git.Command{Args: []string{"update-index", "-q", "--refresh", "--ignore-submodules"}, Effect: git.Writes}
	if _, err := r.Do(ctx, refresh); err != nil && git.ExitCode(err) != 1 { // 1: there are changes
		return err
	}
	_, err = r.Do(ctx, git.Command{Args: []string{"read-tree", "--dry-run", "-m", "-u", "HEAD", commit},
		Effect: git.Writes})
	return err
}

// checkNoObstacle returns a Problem if an uncommitted link or file is where the commit has a
// folder: git would replace it silently on the way from HEAD to the commit.
func checkNoObstacle(ctx context.Context, r *git.Repo, target string) error {
	changes, err := r.Diff(ctx, "HEAD", target)
	if err != nil {
		return err
	}
	arriving := slices.DeleteFunc(slices.Clone(changes), func(c git.Change) bool { return c.Status == git.Deleted })
	blocks := noFolders(r, git.Paths(arriving), git.Paths(changes))
	if len(blocks) == 0 {
		return nil
	}
	return problem.New(CheckoutFailed, "taskbranch.these_folders_something_else_here",
		strings.Join(blocks[:min(len(blocks), 20)], ", ")).
		Or("taskbranch.put_them_out_way_commit")
}

// Forward moves the branch that is checked out, and its files, to a descendant.
func Forward(ctx context.Context, r *git.Repo, target string) error {
	if head, err := r.Head(ctx); err != nil {
		return err
	} else if head == target {
		return completeMove(ctx, r, target)
	}
	if err := checkNoObstacle(ctx, r, target); err != nil {
		return err
	}
	return moveTo(ctx, r, target, func() error {
		_, err := r.Do(ctx, git.Command{Args: []string{"merge", "--quiet", "--ff-only", "--no-overwrite-ignore",
			"--no-autostash", target}, Effect: git.Hooks})
		if err != nil {
			if head, headErr := r.Head(ctx); headErr == nil && head == target { // only a hook failed
				return nil
			}
		}
		return err
	})
}

// remove deletes a task branch after its tip was kept under
// refs/code-intel/<kind>/.
func remove(ctx context.Context, r *git.Repo, name, tip, kind string) error {
	if _, err := pin(ctx, r, kind, name, tip); err != nil {
		return err
	}
	if err := r.DeleteRef(ctx, heads+name, tip); err != nil {
		if there, goneErr := r.Resolve(ctx, heads+name); goneErr != nil || there != "" { // else it has gone meanwhile
			return err
		}
	}
	return forget(ctx, r, name)
}

// forget takes what is recorded of a branch out of the configuration.
func forget(ctx context.Context, r *git.Repo, name string) error {
	_, err := r.Do(ctx, git.Command{Args: []string{"config", "--local", "--remove-section", "branch." + name},
		Effect: git.Writes})
	if failed := (*git.Error)(nil); errors.As(err, &failed) && !failed.Locked() { // there is none
		return nil
	}
	return err
}
