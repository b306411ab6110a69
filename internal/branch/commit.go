package branch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/problem"
)

// Commit commits the files as they are, and nothing else, on the task branch;
// the repository's hooks run. What the user had staged or changed elsewhere stays
// as it is, and so does a file among these that is as the user had left it. It
// returns the commit's id: the last one, if the files are committed already, and
// "" if nothing has been committed at all.
func Commit(ctx context.Context, r *git.Repo, t Task, files []string, message string) (string, error) {
	if err := onTask(ctx, r, t); err != nil {
		return "", err
	}
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	open, err := uncommitted(ctx, r, t, head)
	if err != nil {
		return "", err
	}
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !slices.Contains(open, f) })
	if len(files) == 0 {
		if head == t.BaseCommit {
			head = ""
		}
		return head, nil
	}
	// A path given to "git commit" must be known to git: new ones are staged first.
	if err := stage(ctx, r, files); err != nil {
		return "", refused(err, CommitFailed, "The files could not be staged.", "Mend what git says and submit again.")
	}
	var specs []string
	for _, f := range files {
		// A file that has become a folder goes by itself when what is in the folder
		// comes; by name git would look for a submodule there.
		if !slices.ContainsFunc(files, func(o string) bool { return strings.HasPrefix(o, f+"/") }) || lies(r, f) {
			specs = append(specs, ":(top,literal)"+f)
		}
	}
	_, err = r.Do(ctx, git.Command{
		Args:   []string{"commit", "--quiet", "--only", "--cleanup=whitespace", "-m", message, "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin:  strings.NewReader(strings.Join(specs, "\x00")),
		Effect: git.Hooks,
	})
	if err != nil {
		return "", refused(err, CommitFailed, "The commit was refused.",
			`If a hook of the repository found fault with the change: submit_phase(data={"back_to": "READY", "reason": …}) and mend it.`,
			"If only the message is wrong, submit again with another one.")
	}
	return r.Head(ctx)
}

// onTask returns a Problem unless the task branch is checked out.
func onTask(ctx context.Context, r *git.Repo, t Task) error {
	on, err := r.CurrentBranch(ctx)
	if err != nil || on == t.Name {
		return err
	}
	if on == "" {
		on = "a detached HEAD"
	}
	return problem.New(WrongBranch, fmt.Sprintf("The repository is on %s, not on the task branch %s.", on, t.Name), "git switch "+t.Name)
}

// uncommitted returns the files that differ from a commit, without those that are
// just as the user had left them.
func uncommitted(ctx context.Context, r *git.Repo, t Task, commit string) ([]string, error) {
	now, err := Snapshot(ctx, r)
	if err != nil {
		return nil, err
	}
	open, err := between(ctx, r, commit, now)
	if err != nil || t.Backup == "" {
		return paths(open), err
	}
	since, err := between(ctx, r, t.Backup, now)
	if err != nil {
		return nil, err
	}
	touched := paths(since)
	return slices.DeleteFunc(paths(open), func(f string) bool {
		return slices.Contains(t.UserFiles, f) && !slices.Contains(touched, f)
	}), nil
}

// stage puts the files into the index as they are, those that are gone included.
func stage(ctx context.Context, r *git.Repo, files []string) error {
	var there, gone []string
	for _, f := range files {
		if lies(r, f) {
			there = append(there, f)
		} else {
			gone = append(gone, f)
		}
	}
	for _, s := range []struct {
		how   string
		files []string
	}{{"--force-remove", gone}, {"--add", there}} { // in this order: a file may have become a folder
		if len(s.files) == 0 {
			continue
		}
		list := strings.NewReader(strings.Join(s.files, "\x00"))
		if _, err := r.Do(ctx, git.Command{Args: []string{"update-index", s.how, "-z", "--stdin"}, Stdin: list, Effect: git.Writes}); err != nil {
			return err
		}
	}
	return nil
}

// lies reports whether a file, or a submodule, lies in the working tree at that
// very path: it has not become a folder, and is not beyond one that has become a
// symbolic link.
func lies(r *git.Repo, file string) bool {
	name := filepath.Join(r.Dir, filepath.FromSlash(file))
	info, err := os.Lstat(name)
	if err == nil && info.IsDir() {
		_, err = os.Lstat(filepath.Join(name, ".git"))
	}
	if err != nil {
		return false
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(dir))); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// Discard takes the files back to what they were before the task, after keeping
// the working tree in a trash ref, which it returns. A file that the user had
// changed goes back to the user's own version, any other to the base commit; one
// that was not there is removed.
func Discard(ctx context.Context, r *git.Repo, t Task, files []string) (ref string, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	k, err := keep(ctx, r, "trash/discarded", t.Name, "Before "+strings.Join(files, ", ")+" was discarded", head)
	if err != nil {
		return "", err
	}
	if ref, err = k.commit(ctx, r); err != nil {
		return "", err
	}
	var users, others []string
	for _, f := range files {
		if t.Backup != "" && slices.Contains(t.UserFiles, f) {
			users = append(users, f)
		} else {
			others = append(others, f)
		}
	}
	if err := unstage(ctx, r, t.BaseCommit, files); err != nil {
		return ref, err
	}
	if err := restore(ctx, r, t.Backup, users); err != nil {
		return ref, err
	}
	return ref, restore(ctx, r, t.BaseCommit, others)
}

// inTree returns the entries of a tree at the paths given, as ls-tree prints
// them, by path.
func inTree(ctx context.Context, r *git.Repo, tree string, files []string) (map[string]string, error) {
	found := make(map[string]string)
	for some := range slices.Chunk(files, 100) { // what fits into the arguments of any system
		out, err := r.Run(ctx, append([]string{"ls-tree", "-z", "--full-tree", tree, "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		for entry := range strings.SplitSeq(out, "\x00") {
			if head, name, ok := strings.Cut(entry, "\t"); ok && !strings.Contains(head, " tree ") {
				found[name] = head
			}
		}
	}
	return found, nil
}

// unstage makes the index hold the files as a commit does.
func unstage(ctx context.Context, r *git.Repo, commit string, files []string) error {
	there, err := inTree(ctx, r, commit, files)
	if err != nil {
		return err
	}
	var gone, set strings.Builder
	for _, f := range files {
		if head, ok := there[f]; ok {
			fmt.Fprintf(&set, "%s\t%s\x00", head, f)
		} else {
			gone.WriteString(f + "\x00")
		}
	}
	if gone.Len() > 0 {
		c := git.Command{Args: []string{"update-index", "--force-remove", "-z", "--stdin"}, Stdin: strings.NewReader(gone.String()), Effect: git.Writes}
		if _, err := r.Do(ctx, c); err != nil {
			return err
		}
	}
	if set.Len() == 0 {
		return nil
	}
	_, err = r.Do(ctx, git.Command{Args: []string{"update-index", "-z", "--index-info"}, Stdin: strings.NewReader(set.String()), Effect: git.Writes})
	return err
}

// restore makes the working tree hold the files as a commit does.
func restore(ctx context.Context, r *git.Repo, commit string, files []string) error {
	if len(files) == 0 {
		return nil
	}
	there, err := inTree(ctx, r, commit, files)
	if err != nil {
		return err
	}
	var back []string
	for _, f := range files {
		if _, ok := there[f]; ok {
			back = append(back, f)
		} else if err := removeFile(r, f); err != nil {
			return err
		}
	}
	if len(back) == 0 {
		return nil
	}
	_, err = r.Do(ctx, git.Command{
		Args:   []string{"restore", "--source=" + commit, "--worktree", "--ignore-skip-worktree-bits", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin:  strings.NewReader(strings.Join(back, "\x00")),
		Effect: git.Writes,
	})
	return err
}

// removeFile removes a file and the folders that it leaves empty. A folder in its
// place, as of a submodule, stays: its content is not ours to keep or remove.
func removeFile(r *git.Repo, file string) error {
	name := filepath.Join(r.Dir, filepath.FromSlash(file))
	if info, err := os.Lstat(name); err != nil || info.IsDir() || !lies(r, file) {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("branch: discard: %w", err)
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(r.Dir, filepath.FromSlash(dir))) != nil {
			break
		}
	}
	return nil
}
