package taskbranch

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
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
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
	open, now, err := uncommitted(ctx, r, t, head)
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
	err = pick(ctx, r, picked{t.Name, t.Backup, head, now, git.Hooks}, files, message)
	if errors.Is(err, errUnstaged) {
		return "", refused(err, CommitFailed, msg.New("taskbranch.files_could_not_staged"),
			msg.New("taskbranch.fix_what_git_says_submit"))
	}
	if err != nil {
		if id, err := byOrphan(ctx, r, t, head, files); id != "" || err != nil {
			return id, err
		}
		return "", refused(err, CommitFailed, msg.New("taskbranch.commit_refused"),
			msg.New("taskbranch.if_hook_repository_found_fault", msg.CallOf(op.SubmitPhase, "data",
				msg.FieldsOf("back_to", "READY", "reason", msg.Blank))),
			msg.New("taskbranch.if_only_message_wrong_submit"))
	}
	return settle(ctx, r, head, files)
}

// CommitFiles commits those of the files that differ from HEAD, and nothing else, on
// whatever branch is checked out. The repository's hooks run if the effect is [git.Hooks],
// and not if it is [git.Writes]. Other staged files stay staged. If one of the files is staged
// with a content that exists nowhere else, the index is kept in a trash ref of that name.
// CommitFiles returns HEAD if all of the files are committed already; an error of git is
// returned unchanged.
func CommitFiles(ctx context.Context, r *git.Repo, name string, files []string, message string,
	effect git.Effect) (string, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	now, open, err := openFiles(ctx, r, head, files)
	if err != nil {
		return "", err
	}
	if len(open) == 0 {
		return head, nil
	}
	if err := pick(ctx, r, picked{name, "", head, now, effect}, open, message); err != nil {
		if _, left, again := openFiles(ctx, r, head, files); again != nil || len(left) > 0 {
			return "", err
		} // else a git whose parent was killed has finished it
	}
	failpoint.Point("commit: made")
	return settle(ctx, r, head, open)
}

// openFiles returns those of the files that a commit does not have as they are, and the
// tree that is the working tree now.
func openFiles(ctx context.Context, r *git.Repo, head string, files []string) (now string, open []string, err error) {
	if head == "" {
		if head, err = r.EmptyTree(ctx); err != nil {
			return "", nil, err
		}
	}
	if now, err = r.Snapshot(ctx); err != nil {
		return "", nil, err
	}
	changes, err := r.Diff(ctx, head, now)
	return now, slices.DeleteFunc(git.Paths(changes), func(f string) bool { return !slices.Contains(files, f) }), err
}

// picked says how files are picked for a commit: from a tree of the working tree as it is now,
// on top of a head. Staged contents that the commit replaces are kept under a name, unless the
// backup has them. The effect of the commit says whether hooks run.
type picked struct {
	name, backup, head, now string
	effect                  git.Effect
}

var errUnstaged = errors.New("the files could not be staged")

// pick commits the files as they are now, and nothing else.
func pick(ctx context.Context, r *git.Repo, p picked, files []string, message string) error {
	if err := p.keepStaged(ctx, r, files); err != nil {
		return err
	}
	entries, err := inTree(ctx, r, p.now, files)
	if err != nil {
		return err
	}
	// and ignored: it is not in the index
	forgotten := func(f string) bool { _, ok := entries[f]; return !ok && existsAt(r, f) }
	// A path given to "git commit" must be known to git: new ones are staged first.
	if err := stage(ctx, r, slices.DeleteFunc(slices.Clone(files), forgotten)); err != nil {
		return fmt.Errorf("%w: %w", errUnstaged, err)
	}
	if slices.ContainsFunc(files, forgotten) {
		return commitAside(ctx, r, entries, files, message, p.effect)
	}
	return commitOnly(ctx, r, files, message, p.effect)
}

// settle updates the index to what was committed, and returns the commit. Git leaves there
// what it was given to commit, not what the repository's hooks made of it. Other files stay
// staged as they are.
func settle(ctx context.Context, r *git.Repo, before string, files []string) (id string, err error) {
	if before == "" {
		if before, err = r.EmptyTree(ctx); err != nil {
			return "", err
		}
	}
	if id, err = r.Head(ctx); err != nil {
		return "", err
	}
	behind, err := r.Run(ctx, "diff-index", "--cached", "--name-only", "-z", id)
	if err != nil || behind == "" {
		return id, err
	}
	made, err := r.Diff(ctx, before, id)
	if err != nil {
		return "", err
	}
	index, err := r.IndexTree(ctx)
	if err != nil {
		return "", err
	}
	staged, err := r.Diff(ctx, before, index)
	if err != nil {
		return "", err
	}
	others, late := git.Paths(staged), strings.Split(strings.TrimSuffix(behind, "\x00"), "\x00")
	late = slices.DeleteFunc(late, func(f string) bool {
		return !slices.Contains(git.Paths(made), f) || !slices.Contains(files, f) && slices.Contains(others, f)
	})
	if len(late) == 0 {
		return id, nil
	}
	_, err = r.Do(ctx, git.Command{
		Args:   []string{"reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin:  strings.NewReader(strings.Join(late, "\x00")),
		Effect: git.Writes,
	})
	return id, err
}

// commitOnly commits the files as they are there, and nothing else.
func commitOnly(ctx context.Context, r *git.Repo, files []string, message string, effect git.Effect) error {
	var specs []string
	for _, f := range files {
		// A file that has become a folder goes by itself when what is in the folder
		// comes; by name git would look for a submodule there.
		if !slices.ContainsFunc(files, func(o string) bool { return strings.HasPrefix(o, f+"/") }) || existsAt(r, f) {
			specs = append(specs, ":(top,literal)"+f)
		}
	}
	var env []string
	if effect != git.Hooks { // whose paths would be taken as they stand
		env = []string{"GIT_LITERAL_PATHSPECS=0"}
	}
	_, err := r.Do(ctx, git.Command{
		Env: env,
		Args: []string{"commit", "--quiet", "--only", "--cleanup=whitespace", "-m", message, "--pathspec-from-file=-",
			"--pathspec-file-nul"},
		Stdin:  strings.NewReader(strings.Join(specs, "\x00")),
		Effect: effect,
	})
	return err
}

// commitAside commits the files as the entries say, and nothing else. Given their paths, git
// would add files again that were removed from the index but still exist.
func commitAside(ctx context.Context, r *git.Repo, entries map[string]string, files []string, message string,
	effect git.Effect) error {
	if err := checkIdle(r); err != nil {
		return err
	}
	return r.WithIndex(ctx, "HEAD", func(env []string) error {
		if err := setIndex(ctx, r, env, entries, files); err != nil {
			return err
		}
		_, err := r.Do(ctx, git.Command{Args: []string{"commit", "--quiet", "--cleanup=whitespace", "-m", message},
			Env: env, Effect: effect})
		return err
	})
}

// byOrphan returns the commit that holds the files if one was made meanwhile: a
// git whose parent was killed finishes what it was told.
func byOrphan(ctx context.Context, r *git.Repo, t Task, before string, files []string) (string, error) {
	head, err := r.Head(ctx)
	if err != nil || head == before {
		return "", err
	}
	if parent, err := r.Parent(ctx, head); err != nil || parent != before {
		return "", err
	}
	open, _, err := uncommitted(ctx, r, t, head)
	if err != nil || slices.ContainsFunc(files, func(f string) bool { return slices.Contains(open, f) }) {
		return "", err
	}
	return head, nil
}

// keepStaged keeps the index in a trash ref, if one of the files is staged with a
// content that it has neither in a commit nor in the working tree: the commit
// takes the file as it is now.
func (p picked) keepStaged(ctx context.Context, r *git.Repo, files []string) error {
	if same, err := r.StagesNothing(ctx, p.head); same || err != nil { // as mostly
		return err
	}
	k, err := keepTree(ctx, r, "trash/staged", p.name, "Before "+p.name+" was committed", p.head)
	if err != nil || k.index == "" {
		return err
	}
	since := []string{p.head, k.tree}
	if p.backup != "" { // keeps what the user had staged
		since = append(since, p.backup+"^2")
	}
	only := slices.Clone(files)
	for _, commit := range since {
		if tree, err := r.Tree(ctx, commit); err != nil {
			return err
		} else if tree == "" || len(only) == 0 {
			continue
		}
		changes, err := r.Diff(ctx, commit, k.index)
		if err != nil {
			return err
		}
		staged := git.Paths(slices.DeleteFunc(changes, func(c git.Change) bool { return c.Status == git.Deleted }))
		only = slices.DeleteFunc(only, func(f string) bool { return !slices.Contains(staged, f) })
	}
	if len(only) == 0 {
		return nil
	}
	_, err = k.commit(ctx, r)
	return err
}

// Fold resets the task branch to tip, and so undoes commits that somebody else made on it. The
// files stay as they are, so that all of it is part of the change that is reviewed and
// committed. The commits are kept in a trash ref, which Fold returns; it is "" if there were
// none. A single commit of nothing but the given files is left alone: it is our own, made right
// before a crash, or as good.
func Fold(ctx context.Context, r *git.Repo, t Task, tip string, files []string) (ref string, err error) {
	if err := onTask(ctx, r, t); err != nil {
		return "", err
	}
	head, err := r.Head(ctx)
	if err != nil || head == tip {
		return "", err
	}
	if parent, err := r.Parent(ctx, head); err == nil && parent == tip {
		made, err := r.Diff(ctx, tip, head)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(git.Paths(made), func(f string) bool { return !slices.Contains(files, f) }) {
			return "", nil
		}
	}
	if ref, err = pin(ctx, r, "trash/commits", t.Name, head); err != nil {
		return "", err
	}
	_, err = r.Do(ctx, git.Command{Args: []string{"reset", "--quiet", "--soft", tip}, Effect: git.Writes})
	return ref, refused(err, CommitFailed, msg.New("taskbranch.commits_another_hand_made_task", ref),
		msg.New("taskbranch.fix_what_git_says_submit"))
}

// onTask returns a Problem unless the task branch is checked out.
func onTask(ctx context.Context, r *git.Repo, t Task) error {
	at, err := Elsewhere(ctx, r, t.Name)
	if err != nil || at.IsZero() {
		return err
	}
	return problem.New(WrongBranch, "taskbranch.repository_not_task_branch", at, t.Name).
		Or("session.git_switch", t.Name)
}

// Elsewhere returns what is checked out if that is not the branch; the zero message
// if it is.
func Elsewhere(ctx context.Context, r *git.Repo, branch string) (at msg.Message, err error) {
	on, err := r.CurrentBranch(ctx)
	switch {
	case err != nil || on == branch:
		return at, err
	case on == "":
		return msg.New("session.detached_head"), nil
	}
	return msg.Literal(on), nil
}

// uncommitted returns the files that differ from a commit, without those that are
// just as the user had left them, and the tree that is the working tree now.
func uncommitted(ctx context.Context, r *git.Repo, t Task, commit string) (files []string, now string, err error) {
	if now, err = Snapshot(ctx, r); err != nil {
		return nil, "", err
	}
	open, err := changesBetween(ctx, r, commit, now)
	if err != nil || t.Backup == "" {
		return git.Paths(open), now, err
	}
	since, err := changesBetween(ctx, r, t.Backup, now)
	differ := git.Paths(since)
	return slices.DeleteFunc(git.Paths(open), func(f string) bool {
		return slices.Contains(t.UserFiles, f) && !slices.Contains(differ, f)
	}), now, err
}

// stage puts the files into the index as they are, those that are gone included.
func stage(ctx context.Context, r *git.Repo, files []string) error {
	var there, gone []string
	for _, f := range files {
		if existsAt(r, f) {
			there = append(there, f)
		} else {
			gone = append(gone, f)
		}
	}
	skipped, err := r.Skipped(ctx, there) // whose entries git leaves alone
	if err != nil {
		return err
	}
	for _, s := range []struct {
		how   string
		files []string
		// in this order: a file may have become a folder
	}{{"--no-skip-worktree", skipped}, {"--force-remove", gone}, {"--add", there}} {
		if len(s.files) == 0 {
			continue
		}
		list := strings.NewReader(strings.Join(s.files, "\x00"))
		if _, err := r.Do(ctx, git.Command{Args: []string{"update-index", s.how, "-z", "--stdin"}, Stdin: list,
			Effect: git.Writes}); err != nil {
			return err
		}
	}
	return nil
}

// existsAt reports whether the working tree has a file, or a submodule, at exactly that path: it
// has not become a folder, and no folder on the way has become a symbolic link.
func existsAt(r *git.Repo, file string) bool {
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
	users := func(f string) bool { return t.Backup != "" && slices.Contains(t.UserFiles, f) }
	others := slices.DeleteFunc(slices.Clone(files), users)
	own := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !users(f) })
	back, err := filesIn(ctx, r, t.BaseCommit, others)
	if err != nil {
		return "", err
	}
	backOwn, err := filesIn(ctx, r, t.Backup, own)
	if err != nil {
		return "", err
	}
	if err := unblocked(r, append(slices.Clone(back), backOwn...), files); err != nil {
		return "", err
	}
	k, err := keepTree(ctx, r, "trash/discarded", t.Name, "Before "+strings.Join(files, ", ")+" was discarded", head)
	if err != nil {
		return "", err
	}
	if err := allKept(ctx, r, k.tree, files); err != nil {
		return "", err
	}
	if ref, err = k.commit(ctx, r); err != nil {
		return "", err
	}
	if err := unstage(ctx, r, t.BaseCommit, files); err != nil {
		return ref, err
	}
	for _, f := range files { // all of them first: a file may have become a folder
		if !slices.Contains(back, f) && !slices.Contains(backOwn, f) {
			if err := removeFile(r, f); err != nil {
				return ref, err
			}
		}
	}
	if backOwn, err = differing(ctx, r, t.Backup, k.tree, backOwn); err != nil {
		return ref, err
	}
	if err := restore(ctx, r, t.Backup, backOwn); err != nil {
		return ref, err
	}
	return ref, restore(ctx, r, t.BaseCommit, back)
}

// differing returns those of the files that differ between a commit and a tree. A
// file that is as the user left it is not written again: with other attributes than
// when it was kept, git would write other bytes.
func differing(ctx context.Context, r *git.Repo, commit, tree string, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	changes, err := r.Diff(ctx, commit, tree)
	differ := git.Paths(changes)
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !slices.Contains(differ, f) }), err
}

// filesIn returns those of the files that a commit holds.
func filesIn(ctx context.Context, r *git.Repo, commit string, files []string) (names []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	held, err := inTree(ctx, r, commit, files)
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { _, ok := held[f]; return !ok }), err
}

// unblocked returns a Problem if something is in the way of a file that is to be put back and
// is not itself among the discarded files, which are kept. Git would remove it, even a folder
// of ignored files.
func unblocked(r *git.Repo, back, files []string) error {
	blocks := noFolders(r, back, files)
	for _, f := range back {
		top := filepath.Join(r.Dir, filepath.FromSlash(f))
		if info, err := os.Lstat(top); err != nil || !info.IsDir() || existsAt(r, f) {
			continue
		}
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(r.Dir, name)
			if err == nil && !slices.Contains(files, filepath.ToSlash(rel)) {
				blocks = append(blocks, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("taskbranch: discard: %w", err)
		}
	}
	return blocked(blocks)
}

// allKept returns a Problem if one of the files exists but is missing from the tree that is to
// keep it: it was removed from the index and is ignored.
func allKept(ctx context.Context, r *git.Repo, tree string, files []string) error {
	held, err := inTree(ctx, r, tree, files)
	if err != nil {
		return err
	}
	var blocks []string
	for _, f := range files {
		if _, ok := held[f]; !ok && existsAt(r, f) {
			blocks = append(blocks, f)
		}
	}
	return blocked(blocks)
}

// blocked is the Problem of what is in the way of a discard; nil if nothing is.
func blocked(blocks []string) error {
	if len(blocks) == 0 {
		return nil
	}
	return problem.New(DiscardBlocked, "taskbranch.what_discarded_cannot_put_back",
		strings.Join(blocks[:min(len(blocks), 20)], ", ")).
		Or("taskbranch.move_or_discard_them")
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
	return setIndex(ctx, r, nil, there, files)
}

// indexed returns the entries of the index at the paths given, as ls-files prints
// them, by path.
func indexed(ctx context.Context, r *git.Repo, files []string) (map[string]string, error) {
	found := make(map[string]string)
	for some := range slices.Chunk(files, 100) {
		out, err := r.Run(ctx, append([]string{"ls-files", "-z", "--stage", "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		for entry := range strings.SplitSeq(out, "\x00") {
			if head, name, ok := strings.Cut(entry, "\t"); ok {
				found[name] = head
			}
		}
	}
	return found, nil
}

// setIndex makes the index hold the files as the entries say, and not those that
// have none. The environment may name another index than the real one.
func setIndex(ctx context.Context, r *git.Repo, env []string, entries map[string]string, files []string) error {
	var gone, set strings.Builder
	for _, f := range files {
		if head, ok := entries[f]; ok {
			fmt.Fprintf(&set, "%s\t%s\x00", head, f)
		} else {
			gone.WriteString(f + "\x00")
		}
	}
	if gone.Len() > 0 {
		c := git.Command{Args: []string{"update-index", "--force-remove", "-z", "--stdin"},
			Stdin: strings.NewReader(gone.String()), Env: env, Effect: git.Writes}
		if _, err := r.Do(ctx, c); err != nil {
			return err
		}
	}
	if set.Len() == 0 {
		return nil
	}
	_, err := r.Do(ctx, git.Command{Args: []string{"update-index", "-z", "--index-info"},
		Stdin: strings.NewReader(set.String()), Env: env, Effect: git.Writes})
	return err
}

// noFolders returns the files and links, sorted, that stand where the given files need a
// folder. It leaves out those in known.
func noFolders(r *git.Repo, files, known []string) (names []string) {
	for _, f := range files {
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			info, err := os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(dir)))
			if err == nil && !info.IsDir() && !slices.Contains(known, dir) {
				names = append(names, dir)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// restore writes files to the working tree as a commit has them; it must have all of them. No
// hook runs, because git would fail after its work if a hook fails.
func restore(ctx context.Context, r *git.Repo, commit string, files []string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := r.Do(ctx, git.Command{
		Args: []string{"-c", "core.hooksPath=/dev/null", "restore", "--source=" + commit, "--worktree",
			"--ignore-skip-worktree-bits", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin:  strings.NewReader(strings.Join(files, "\x00")),
		Effect: git.Writes,
	})
	return err
}

// removeFile removes a file and the folders that it leaves empty. A folder in its
// place, as of a submodule, stays: its content is not ours to keep or remove.
func removeFile(r *git.Repo, file string) error {
	name := filepath.Join(r.Dir, filepath.FromSlash(file))
	if info, err := os.Lstat(name); err != nil || info.IsDir() || !existsAt(r, file) {
		return nil
	}
	failpoint.Point("discard: not removed")
	if err := repofile.In(r.Dir, file).Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("taskbranch: discard: %w", err)
	}
	failpoint.Point("discard: removed")
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if repofile.In(r.Dir, dir).Remove() != nil {
			break
		}
	}
	return nil
}
