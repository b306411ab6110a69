package branch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"codeintel/internal/git"
)

// Commit commits the files as they are, and nothing else, on the task branch;
// the repository's hooks run. What the user had staged or changed elsewhere stays
// as it is. It returns the commit's id.
func Commit(ctx context.Context, r *git.Repo, t Task, files []string, message string) (string, error) {
	// A path given to "git commit" must be known to git: new files are added
	// first, by name, with nothing but the intent.
	list := strings.NewReader(strings.Join(files, "\x00"))
	if _, err := r.Do(ctx, git.Command{Args: []string{"add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"}, Stdin: list}); err != nil {
		return "", refused(err, CommitFailed, "The files could not be added.", "Mend what git says and submit again.")
	}
	list.Reset(strings.Join(files, "\x00"))
	_, err := r.Do(ctx, git.Command{
		Args:  []string{"commit", "--quiet", "--only", "--cleanup=whitespace", "-m", message, "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: list,
	})
	if err != nil {
		return "", refused(err, CommitFailed, "The commit was refused.",
			`If a hook of the repository found fault with the change: submit_phase(data={"back_to": "READY", "reason": …}) and mend it.`,
			"If only the message is wrong, submit again with another one.")
	}
	return r.Head(ctx)
}

// Discard takes the files back to what they were at the base commit, after
// keeping the working tree in a trash ref, which it returns.
func Discard(ctx context.Context, r *git.Repo, t Task, files []string) (ref string, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("trash/%s/%d", t.Name, time.Now().UnixNano())
	if ref, err = backup(ctx, r, name, "Before "+strings.Join(files, ", ")+" was discarded", head); err != nil {
		return "", err
	}
	var restore, remove []string
	for _, f := range files {
		at, err := r.Run(ctx, "ls-tree", "--name-only", "-z", t.BaseCommit, "--", f)
		if err != nil {
			return ref, err
		}
		if at == "" {
			remove = append(remove, f)
		} else {
			restore = append(restore, f)
		}
	}
	if len(restore) > 0 {
		if _, err := r.Run(ctx, append([]string{"restore", "--source=" + t.BaseCommit, "--worktree", "--staged", "--"}, restore...)...); err != nil {
			return ref, err
		}
	}
	if len(remove) > 0 {
		if _, err := r.Run(ctx, append([]string{"rm", "--quiet", "--cached", "--ignore-unmatch", "--"}, remove...)...); err != nil {
			return ref, err
		}
		if _, err := r.Run(ctx, append([]string{"clean", "--quiet", "--force", "-d", "--"}, remove...)...); err != nil {
			return ref, err
		}
	}
	return ref, nil
}
