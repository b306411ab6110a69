package service

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/workflow"
)

// branchNow is the branch that is checked out, or what the caller says if git
// cannot tell.
func (s *Service) branchNow(ctx context.Context, said string) string {
	if repo, err := s.repository(ctx); err == nil {
		if b, err := repo.CurrentBranch(ctx); err == nil {
			return b
		}
	}
	return said
}

// branchFor says on which branch the pipeline works: one that is there already, or a new one.
func (s *Service) branchFor(ctx context.Context, st *engine.State, spec string, d draft,
	useCurrent bool) (*Reply, error) {
	if d.pull != nil || d.source.Type == request.Workspace {
		return s.branchToTakeUp(ctx, st, d)
	}
	return s.chooseBranch(ctx, st, spec, useCurrent)
}

// chooseBranch says on which branch the pipeline works.
func (s *Service) chooseBranch(ctx context.Context, st *engine.State, spec string, useCurrent bool) (*Reply, error) {
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	if err := repo.Trusted(ctx, false); err != nil {
		return nil, err
	}
	current, err := repo.CurrentBranch(ctx)
	if err != nil {
		return nil, err
	}
	st.BaseBranch = current
	if st.FromCommit, err = repo.Head(ctx); err != nil {
		return nil, err
	}
	st.UserFiles = uncommittedFiles(ctx, repo, st.FromCommit)
	st.UserContent = s.contentsOf(st.UserFiles)
	if useCurrent {
		switch {
		case current == "":
			return errorReply("pipeline.use_current_branch_no_branch"), nil
		case s.isMain(ctx, current):
			return errorReply("pipeline.use_current_branch_main_branch", current), nil
		}
		st.Branch, st.BaseBranch = current, s.mainBranch(ctx)
		return nil, nil
	}
	st.CreateBranch = true
	st.Branch, err = freeBranch(ctx, repo, st.BranchType, spec)
	return nil, err
}

// freeBranch is a name for a new branch that nothing has.
func freeBranch(ctx context.Context, repo *git.Repo, kind, spec string) (string, error) {
	taken, err := branchNames(ctx, repo)
	if err != nil {
		return "", err
	}
	name := request.BranchName(kind, "", spec)
	if slices.ContainsFunc(taken, func(b string) bool { return strings.EqualFold(b, kind) }) {
		name = strings.Replace(name, "/", "-", 1) // a branch called feature leaves no room for feature/x
	}
	free := name
	for n := 2; slices.ContainsFunc(taken, func(b string) bool {
		return strings.EqualFold(b, free) || strings.HasPrefix(b, free+"/")
	}); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free, nil
}

// leaveBranch gives the pipeline another name for its branch before that is made, if it is
// checked out in another working tree by now: a pipeline there was confirmed at the same time.
func (t *turn) leaveBranch(ctx context.Context) error {
	if t.st.Over() || !t.phaseIs(engine.Setup) || !t.st.CreateBranch || t.st.TakenUp {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(t.Repo.CommonDir, "worktrees")); err != nil {
		return nil // there is one working tree
	}
	trees, err := t.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	now, err := t.Repo.CurrentBranch(ctx)
	if err != nil || now == t.st.Branch || trees[t.st.Branch] == "" {
		return err
	}
	was := t.st.Branch
	if t.st.Branch, err = freeBranch(ctx, t.Repo, t.st.BranchType, t.st.SpecName); err != nil {
		return err
	}
	t.Warn("pipeline.branch_of_another_tree", was, trees[was], t.st.Branch)
	t.st.Ticket, t.dirty = nil, true
	return nil
}

// maxUserFiles is how many of the files that the user had changed are listed in the state.
const maxUserFiles = 1000

// uncommittedFiles returns what differs from a commit in the working tree, sorted, as far
// as git can tell.
func uncommittedFiles(ctx context.Context, repo *git.Repo, commit string) []string {
	now, err := repo.Snapshot(ctx)
	if err == nil && commit == "" {
		commit, err = repo.EmptyTree(ctx)
	}
	if err != nil {
		return nil
	}
	changes, err := repo.Diff(ctx, commit, now)
	if err != nil {
		return nil
	}
	files := slices.Sorted(maps.Keys(pathsOf(changes)))
	return files[:min(len(files), maxUserFiles)]
}

// contentsOf names what files hold, of those that are not large.
func (s *Service) contentsOf(files []string) map[string]string {
	held := make(map[string]string)
	for _, f := range files {
		if info, err := os.Lstat(s.project.Abs(f)); err != nil || info.Size() <= workflow.MostCompared {
			held[f] = s.contentOf(f)
		}
	}
	return held
}

// branchNames are the names of branches here, and at the remotes as far as they are
// known: a branch of somebody else's cannot be pushed to.
func branchNames(ctx context.Context, repo *git.Repo) ([]string, error) {
	names, err := repo.Branches(ctx, "")
	if err != nil {
		return nil, err
	}
	remote, err := repo.Run(ctx, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/")
	return append(names, strings.Fields(remote)...), err
}

// mainBranch is the repository's main branch, "" if it is unknown.
func (s *Service) mainBranch(ctx context.Context) string {
	repo, err := s.repository(ctx)
	if err != nil {
		return ""
	}
	if out, err := repo.Run(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		if _, name, ok := strings.Cut(strings.TrimSpace(out), "/"); ok {
			return name
		}
	}
	for _, name := range []string{"main", "master"} {
		if id, err := repo.Resolve(ctx, "refs/heads/"+name); err == nil && id != "" {
			return name
		}
	}
	return ""
}

func (s *Service) isMain(ctx context.Context, branch string) bool {
	return request.IsMain(branch, s.mainBranch(ctx))
}
