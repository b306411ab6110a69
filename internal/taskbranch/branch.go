// Package taskbranch manages the git branch on which a session or pipeline works: it creates it, reports what
// changed on it, commits and merges it.
//
// Nothing is ever lost. What the user had not committed is kept in a backup ref before the
// branch is made; what a review discards, and what a stale branch held, in trash refs; the tip
// of a merged branch in a done ref. All are under refs/code-intel/, and none is ever
// overwritten. The user's working tree is changed only by git itself, which refuses to
// overwrite changes, and by [Discard], which saves them first.
//
// Each action may be repeated: if it was interrupted between two git commands, calling it
// again finishes it.
package taskbranch

import (
	"context"
	"errors"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/text/quote"
)

// Codes of repositories in which no task branch can be made or used.
const (
	DetachedHead   problem.Code = "detached_head"
	UnbornHead     problem.Code = "unborn_head"
	InProgress     problem.Code = "operation_in_progress"
	OnTaskBranch   problem.Code = "on_task_branch"
	WrongBranch    problem.Code = "wrong_branch"
	BranchExists   problem.Code = "branch_exists"
	BranchMissing  problem.Code = "branch_missing"
	BranchInUse    problem.Code = "branch_in_use"
	BaseUnknown    problem.Code = "base_unknown"
	CommitFailed   problem.Code = "commit_failed"
	MergeFailed    problem.Code = "merge_failed"
	MergeConflict  problem.Code = "merge_conflict"
	CheckoutFailed problem.Code = "checkout_failed"
	KeepFailed     problem.Code = "keep_failed" // then nothing has been done to what was to be kept
	DiscardBlocked problem.Code = "discard_blocked"
	OtherRoot      problem.Code = "other_repository"
)

// RefuseFolder returns a Problem if a project is only a folder of its repository: git names files from the root of
// that.
func RefuseFolder(r *git.Repo, project string) *problem.Problem {
	if r.Dir == project {
		return nil
	}
	return problem.New(OtherRoot, "taskbranch.project_lies_inside_git_repository", project, r.Dir).
		Or("taskbranch.init_and_serve_that", op.Init, r.Dir, op.Serve)
}

// branchPrefix begins the name of every task branch.
const branchPrefix = "llm_task_"

const heads = "refs/heads/"

// A Task is the branch of one session. It is kept in the session's state;
// nothing is read back out of a branch's name.
type Task struct {
	Name       string    `json:"name"`
	Base       string    `json:"base"`                 // the branch it came from and goes back to
	BaseCommit string    `json:"base_commit"`          // where it came from
	UserFiles  git.Names `json:"user_files,omitempty"` // files that differed from the base commit before, staged or not
	Backup     string    `json:"backup,omitempty"`     // ref that keeps them as they were
}

// Name returns the name of a session's task branch.
func Name(session, base string) string {
	return branchPrefix + session + "_from_" + base
}

// checkIdle returns a Problem if a merge, rebase or the like is under way: a commit would end it,
// and git would not switch branches.
func checkIdle(r *git.Repo) error {
	op := r.InProgress()
	if op == "" {
		return nil
	}
	end := "git " + op + " --abort"
	if op == "bisect" {
		end = "git bisect reset"
	}
	return problem.New(InProgress, "taskbranch.repository_middle", op).
		Or("taskbranch.finish_start_again", end)
}

// Ready returns a Problem if no task branch can be made now.
func Ready(ctx context.Context, r *git.Repo) error {
	if err := checkIdle(r); err != nil {
		return err
	}
	unmerged, err := r.Unmerged(ctx)
	if err != nil {
		return err
	}
	if len(unmerged) > 0 { // as a stash leaves them that did not apply
		return problem.New(InProgress, "taskbranch.these_files_conflict",
			strings.Join(unmerged[:min(len(unmerged), 20)], ", ")).
			Or("taskbranch.solve_conflicts_git_add_files")
	}
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return err
	}
	if on == "" {
		return problem.New(DetachedHead, "taskbranch.head_detached_no_branch_merge").
			Or("taskbranch.git_switch_branch_git_switch")
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return problem.New(UnbornHead, "taskbranch.branch_no_commit_yet", on).
			Or("taskbranch.git_commit_allow_empty_m")
	}
	if strings.HasPrefix(on, branchPrefix) {
		return problem.New(OnTaskBranch, "taskbranch.head_which_belongs_no_session", on).
			Or("taskbranch.ask_user_which_branch_work")
	}
	return nil
}

// Create makes the session's task branch where HEAD is and switches to it. What
// the user has not committed stays in the working tree and the index as it is,
// and a copy of it is kept under refs/code-intel/backup/. Called again for the
// same session, it returns the branch that exists.
func Create(ctx context.Context, r *git.Repo, session string) (Task, error) {
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return Task{}, err
	}
	if strings.HasPrefix(on, branchPrefix+session+"_from_") { // made before a crash
		return resume(ctx, r, on)
	}
	if err := Ready(ctx, r); err != nil {
		return Task{}, err
	}
	t := Task{Name: Name(session, on), Base: on}
	if t.BaseCommit, err = r.Head(ctx); err != nil {
		return Task{}, err
	}
	there, err := r.Resolve(ctx, heads+t.Name)
	if err != nil {
		return Task{}, err
	}
	if there != "" && there != t.BaseCommit {
		return Task{}, problem.New(BranchExists, "taskbranch.branch_already_work", t.Name).
			Or("taskbranch.switch_to_look_at_it", quote.Shell(t.Name))
	}
	if err := save(ctx, r, session, &t); err != nil {
		return Task{}, err
	}
	for _, s := range []struct{ key, value string }{{"base", t.Base}, {"basecommit", t.BaseCommit}, {"backup", t.Backup}} {
		if s.value == "" {
			continue
		}
		if _, err := r.Do(ctx, git.Command{Args: []string{"config", "--local", setting(t.Name, s.key), s.value},
			Effect: git.Writes}); err != nil {
			return Task{}, err
		}
	}
	args := []string{"switch", "--quiet", "--no-guess", t.Name}
	if there == "" { // else a crash came between the branch and HEAD
		args = []string{"switch", "--quiet", "-c", t.Name}
	}
	if err := checkout(ctx, r, t.Name, args...); err != nil {
		return Task{}, refused(err, CheckoutFailed, msg.New("taskbranch.git_could_not_make_branch", t.Name),
			msg.New("taskbranch.fix_what_git_says_submit"))
	}
	return t, nil
}

// save keeps what the user has not committed, if there is anything, and notes in
// t which files that are and where they are kept.
func save(ctx context.Context, r *git.Repo, session string, t *Task) error {
	k, err := keepTree(ctx, r, "backup", session, "What the user had not committed when "+t.Name+" was made", t.BaseCommit)
	if err != nil {
		return err
	}
	if t.UserFiles, err = k.files(ctx, r, t.BaseCommit); err != nil || len(t.UserFiles) == 0 {
		return err
	}
	t.Backup, err = k.commit(ctx, r)
	return err
}

// setting names what is kept of a task branch in the repository's configuration,
// so that a branch whose checkpoint is gone still knows its base.
func setting(branch, key string) string { return "branch." + branch + ".codeintel" + key }

// recorded returns a setting of a task branch; "" if there is none.
func recorded(ctx context.Context, r *git.Repo, branch, key string) (string, error) {
	out, err := r.Run(ctx, "config", "--local", "--null", "--get", setting(branch, key))
	if git.ExitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSuffix(out, "\x00"), err
}

// allRecorded returns a setting of all branches that have it, by branch.
func allRecorded(ctx context.Context, r *git.Repo, key string) (map[string]string, error) {
	out, err := r.Run(ctx, "config", "--local", "--null", "--get-regexp", `^branch\..*\.codeintel`+key+"$")
	if err != nil && git.ExitCode(err) != 1 { // 1: none has it
		return nil, err
	}
	before, after, _ := strings.Cut(setting("\x00", key), "\x00")
	all := make(map[string]string)
	for entry := range strings.SplitSeq(out, "\x00") {
		name, value, _ := strings.Cut(entry, "\n")
		all[strings.TrimSuffix(strings.TrimPrefix(name, before), after)] = value
	}
	return all, nil
}

// resume reads back a branch that was made just before the process died.
func resume(ctx context.Context, r *git.Repo, name string) (t Task, err error) {
	t.Name = name
	if t.Base, err = recorded(ctx, r, name, "base"); err != nil {
		return t, err
	}
	if t.BaseCommit, err = recorded(ctx, r, name, "basecommit"); err != nil {
		return t, err
	}
	if t.Base == "" || t.BaseCommit == "" {
		return t, problem.New(BaseUnknown, "taskbranch.head_where_branch_came_from", name).
			Or("taskbranch.ask_user_which_branch_work")
	}
	if t.Backup, err = recorded(ctx, r, name, "backup"); err != nil || t.Backup == "" {
		return t, err
	}
	k, err := readKept(ctx, r, t.Backup)
	if err != nil {
		return t, err
	}
	t.UserFiles, err = k.files(ctx, r, t.BaseCommit)
	return t, err
}

// checkout runs a git command that points HEAD to a branch, or detaches it if branch is "".
// Whether it succeeded is read from HEAD, because git also fails if a hook fails after the
// checkout.
func checkout(ctx context.Context, r *git.Repo, branch string, args ...string) error {
	_, err := r.Do(ctx, git.Command{Args: args, Effect: git.Hooks})
	if failed := (*git.Error)(nil); errors.As(err, &failed) {
		if on, err := r.CurrentBranch(ctx); err == nil && on == branch {
			return nil
		}
	}
	return err
}

// refused makes a Problem of a git command that failed, with git's own words;
// any other error, and nil, stays what it is.
func refused(err error, code problem.Code, what msg.Message, next ...msg.Message) error {
	var failed *git.Error
	if !errors.As(err, &failed) {
		return err
	}
	if lock := failed.Lock(); lock != "" {
		next = append([]msg.Message{msg.New("taskbranch.if_no_git_runs_repository", lock)}, next...)
	}
	return problem.With(code, msg.New("taskbranch.git_says", what, msg.Block(failed.Output())), next...)
}

// HeadTree is the commit that is checked out, or the empty tree if there is none yet.
func HeadTree(ctx context.Context, r *git.Repo) (string, error) {
	head, err := r.Head(ctx)
	if err == nil && head == "" {
		return r.EmptyTree(ctx)
	}
	return head, err
}
