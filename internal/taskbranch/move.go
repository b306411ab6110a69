package taskbranch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
)

// moving is the commit that HEAD was on when git began to bring the working tree to another
// commit. It is there until all files have arrived. Each working tree has its own.
const moving = "refs/worktree/code-intel/moving"

// largestCompleted is the size of the largest file that is recognized as written in part.
const largestCompleted = 64 << 20

// switchTo switches to a branch that is at a commit, or to the commit itself if the
// branch is "".
func switchTo(ctx context.Context, r *git.Repo, branch, commit string) error {
	args := []string{"switch", "--quiet", "--no-guess", "--no-overwrite-ignore"}
	if branch == "" {
		args = append(args, "--detach", commit)
	} else {
		args = append(args, branch)
	}
	return moveTo(ctx, r, commit, func() error { return checkout(ctx, r, branch, args...) })
}

// moveTo runs a git command that brings HEAD and the working tree to a commit, and completes what
// git leaves half done. If git cannot write a file, for want of space or because it is killed, it
// leaves the file cut short; then it stops there, or even succeeds. Called again after a failure,
// move goes on where git stopped.
func moveTo(ctx context.Context, r *git.Repo, commit string, run func() error) error {
	from, err := beginMove(ctx, r, commit)
	if err != nil {
		return err
	}
	err = run()
	if failed := (*git.Error)(nil); from != "" && (err == nil || errors.As(err, &failed)) {
		if short := completeFiles(ctx, r, from, commit); short != nil {
			return errors.Join(err, short)
		}
	}
	if failed := (*git.Error)(nil); errors.As(err, &failed) {
		err = runAgain(ctx, r, commit, err, run)
	}
	late := context.WithoutCancel(ctx)
	if from != "" && (err == nil || switchable(late, r, commit) == nil) { // all has arrived, or nothing has
		err = errors.Join(err, r.DeleteRef(late, moving, from))
	}
	return err
}

// beginMove returns where the working tree comes from on its way to a commit, and notes it. It
// returns "" if git would refuse the move because of what is not committed: then whatever
// differs is the user's.
func beginMove(ctx context.Context, r *git.Repo, commit string) (from string, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	before, err := r.Resolve(ctx, moving)
	if err != nil || before == head {
		return before, err
	}
	if switchable(ctx, r, commit) != nil {
		return "", nil
	}
	return head, r.MoveRef(ctx, moving, head, before, "code-intel")
}

// completeMove completes the files of a move to a commit that HEAD has reached.
func completeMove(ctx context.Context, r *git.Repo, commit string) error {
	from, err := r.Resolve(ctx, moving)
	if err != nil || from == "" {
		return err
	}
	if head, err := r.Head(ctx); err != nil || head != commit {
		return err
	}
	if err := completeFiles(ctx, r, from, commit); err != nil {
		return err
	}
	return r.DeleteRef(ctx, moving, from)
}

// completeFiles writes the files again that are cut short on the way from one commit to another.
// Files that hold anything else than the beginning of what they are to be are left alone.
func completeFiles(ctx context.Context, r *git.Repo, from, commit string) error {
	changes, err := r.Diff(ctx, from, commit)
	if err != nil || len(changes) == 0 {
		return err
	}
	texts, err := r.Contents(ctx, commit, git.Paths(changes), largestCompleted)
	if err != nil {
		return err
	}
	var short []string
	for f, text := range texts {
		name := filepath.Join(r.Dir, filepath.FromSlash(f))
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() >= int64(len(text)) || !existsAt(r, f) {
			continue
		}
		if part, err := repofile.In(r.Dir, f).Read(largestCompleted); err == nil && bytes.HasPrefix(text, part) {
			short = append(short, f)
		}
	}
	slices.Sort(short)
	return restore(ctx, r, commit, short)
}

// runAgain repeats a move that git refused. If git was stopped half-way, some files are as in
// the commit already, and git takes them for changes that it would overwrite. They would not
// change, so they are staged first.
func runAgain(ctx context.Context, r *git.Repo, commit string, first error, run func() error) error {
	now, err := Snapshot(ctx, r)
	if err != nil {
		return errors.Join(first, err)
	}
	ahead, err := r.Diff(ctx, "HEAD", commit)
	if err != nil {
		return errors.Join(first, err)
	}
	left, err := r.Diff(ctx, now, commit)
	if err != nil {
		return errors.Join(first, err)
	}
	differ := git.Paths(left)
	arrived := slices.DeleteFunc(git.Paths(ahead), func(f string) bool { return slices.Contains(differ, f) })
	if len(arrived) == 0 {
		return first
	}
	entries, err := indexed(ctx, r, arrived)
	if err != nil {
		return errors.Join(first, err)
	}
	if err := stage(ctx, r, arrived); err != nil {
		return errors.Join(first, err)
	}
	second := run()
	if failed := (*git.Error)(nil); errors.As(second, &failed) {
		late := context.WithoutCancel(ctx)
		return errors.Join(second, setIndex(late, r, nil, entries, arrived))
	}
	return second
}
