package service

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// asPull makes a pull request of a source whose number names one. Where that cannot be asked,
// it stays an issue.
func (s *Service) asPull(ctx context.Context, d *draft) {
	issue := d.source
	if issue.Type != request.GitHubIssue || d.issue == issue.URL {
		return
	}
	pull := issue.AsPull()
	if d.pull == nil || d.pull.URL != pull.URL {
		if searchpath.Command(ctx, s.project.Root, "gh").Err != nil {
			return // so it was not read with gh, either
		}
		read, err := github.ReadPull(ctx, s.project.Root, issue)
		if err != nil || read.Issue {
			d.issue, d.unsure, d.told = issue.URL, err, read
			return
		}
		d.pull = read
	}
	d.source = pull
}

// takePull reads the pull request that a draft is about: the source, or that of the pipeline
// that is gone on with. Of it, and of an issue, the words are those of GitHub, whatever the call brought.
// It returns an answer if the pull request cannot be worked on.
func (s *Service) takePull(ctx context.Context, d *draft) (*Reply, error) {
	s.asPull(ctx, d)
	source := d.source
	if source.Type == request.Workspace {
		_, before, err := s.read(source.URL)
		if err != nil || before.PullRequest == "" {
			return nil, err
		}
		if source, err = request.ParseSource(before.PullRequest, s.parseOptions()); err != nil {
			return errorReply("pipeline.pull_request_not_read", before.PullRequest, err), nil
		}
	}
	if source.Type == request.GitHubIssue && d.told != nil && d.told.Title != "" {
		d.context = d.told.Context()
	}
	if source.Type != request.GitHubPull {
		return nil, nil
	}
	if d.pull == nil {
		pull, err := github.ReadPull(ctx, s.project.Root, source)
		if err != nil {
			return errorReply("pipeline.pull_request_not_read", source.URL, err), nil
		}
		d.pull = pull
	}
	p := d.pull
	switch {
	case p.Issue:
		return errorReply("pipeline.pull_request_is_issue", source.URL, source.AsIssue().URL), nil
	case s.foreign(ctx, source.URL):
		return errorReply("pipeline.pull_request_elsewhere", source.URL), nil
	case !p.Open:
		return errorReply("pipeline.pull_request_closed", source.URL), nil
	case p.Fork:
		return errorReply("pipeline.pull_request_of_fork", source.URL, source.ID), nil
	case p.Head == p.Main || s.isMain(ctx, p.Head):
		return errorReply("pipeline.pull_request_of_main_branch", source.URL, p.Head), nil
	case d.source.Type == request.Workspace: // what was typed is the request
		p.URL, p.Comments = source.URL, nil
		return nil, nil
	case len(p.Comments) == 0:
		return errorReply("pipeline.pull_request_without_comments", source.URL, p.Answered, p.Head), nil
	}
	p.URL, d.context = source.URL, p.Context()
	return nil, nil
}

func (s *Service) foreign(ctx context.Context, url string) bool {
	repo, err := s.repository(ctx)
	if err != nil {
		return false // which is said when the pipeline is made
	}
	return github.Branch{Repo: repo}.IsElsewhere(ctx, url)
}

// toTake is what the state keeps of a pull request.
func toTake(p *request.Pull) *engine.Pull {
	pull := &engine.Pull{URL: p.URL}
	for _, c := range p.Comments {
		pull.Comments = append(pull.Comments, engine.Comment{ID: c.ID, URL: c.URL,
			Author: text.OneLine(c.Author), Place: c.Place,
			Text: text.Clip(text.OneLine(c.Text), 200)})
	}
	return pull
}

// branchToTakeUp says on which branch a pipeline goes on: that of the pull request, or that
// of the pipeline before. It returns an answer if there is none.
func (s *Service) branchToTakeUp(ctx context.Context, st *engine.State, d draft) (*Reply, error) {
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	if err := repo.Trusted(ctx, true); err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	st.UserFiles, st.TakenUp = uncommittedFiles(ctx, repo, head), true
	st.UserContent = s.contentsOf(st.UserFiles)
	if d.pull != nil {
		st.Branch, st.BaseBranch, st.Pull = d.pull.Head, d.pull.Base, toTake(d.pull)
	}
	if d.source.Type != request.Workspace {
		return nil, nil
	}
	_, before, err := s.read(d.source.URL)
	if err != nil {
		return nil, err
	}
	st.BranchType, st.Previous = before.BranchType, before.Workspace
	if st.Pull != nil {
		return nil, nil
	}
	st.Branch, st.BaseBranch = before.Branch, before.BaseBranch
	if id, err := repo.Resolve(ctx, "refs/heads/"+st.Branch); id == "" || err != nil || s.isMain(ctx, st.Branch) {
		return errorReply("pipeline.branch_to_take_up_is_gone", before.Workspace, st.Branch), err
	}
	return nil, nil
}

// takeUp brings the branch that is worked on further to where the pull request has it: it
// is made, or moved forward, and never loses a commit.
func (t *turn) takeUp(ctx context.Context) error {
	local, err := t.Repo.Resolve(ctx, "refs/heads/"+t.st.Branch)
	if err != nil {
		return err
	}
	if t.st.Pull == nil {
		t.st.FromCommit = local
		if local == "" {
			return problem.New("no_branch", "pipeline.branch_to_take_up_is_gone", t.w.Path(), t.st.Branch).
				Or("pipeline.make_the_branch_again", t.st.Branch, op.PipelineNextAction)
		}
		return nil
	}
	remote, err := t.github().Remote(ctx)
	if err != nil {
		return err
	}
	there := "refs/remotes/" + remote + "/" + t.st.Branch
	if _, err := t.Repo.Do(ctx, git.Command{Args: []string{"fetch", "--quiet", "--no-tags", remote,
		"+refs/heads/" + t.st.Branch + ":" + there}, Effect: git.Hooks}); err != nil {
		return t.notTakenUp(err)
	}
	t.Repo.LookAtRefs()
	theirs, err := t.Repo.Resolve(ctx, there)
	if err != nil {
		return err
	}
	if local != theirs {
		if err := t.moveUp(ctx, local, theirs, remote); err != nil {
			return err
		}
	}
	t.st.FromCommit = theirs
	return nil
}

// moveUp moves the local branch forward to a commit of a remote.
func (t *turn) moveUp(ctx context.Context, local, theirs, remote string) error {
	if local != "" {
		if behind, err := t.Repo.Contains(ctx, theirs, local); err != nil {
			return err
		} else if !behind {
			return problem.New("branch_diverged", "pipeline.branch_has_other_commits", t.st.Branch, remote).
				Or("pipeline.push_or_merge_them", t.st.Branch, remote, op.PipelineNextAction).Or("pipeline.or_abandon", t.w.Path())
		}
	}
	now, err := t.Repo.CurrentBranch(ctx)
	if err != nil {
		return err
	}
	if now == t.st.Branch {
		err = taskbranch.Forward(ctx, t.Repo, theirs)
	} else { // git refuses if another working tree has it
		_, err = t.Repo.Do(ctx, git.Command{Args: []string{"fetch", "--quiet", "--no-tags", ".",
			"refs/remotes/" + remote + "/" + t.st.Branch + ":refs/heads/" + t.st.Branch}, Effect: git.Hooks})
	}
	if err != nil {
		return t.notTakenUp(err)
	}
	t.Repo.LookAtRefs()
	return nil
}

func (t *turn) notTakenUp(err error) error {
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return problem.New("branch_not_taken_up", "pipeline.branch_not_taken_up", t.st.Branch, gitOutput(text.OneLine(failure.Output()), failure)).
			Or("pipeline.call_again_when_fixed", op.PipelineNextAction).Or("pipeline.or_abandon", t.w.Path())
	}
	return err
}

// previous returns the workspace of the pipeline that worked on the branch last, "" if the
// branch holds none.
func (t *turn) previous() (string, error) {
	states, err := t.s.states()
	if err != nil {
		return "", err
	}
	for _, st := range slices.Backward(states) {
		if st.Workspace != t.st.Workspace && st.Over() &&
			(st.Branch == t.st.Branch || t.st.Pull != nil && st.PullRequest == t.st.Pull.URL) {
			return st.Workspace, nil
		}
	}
	return "", nil
}

// earlierWork are the files of the pipeline before that agents read, too.
func (t *turn) earlierWork() (files []string) {
	if t.st.Previous == "" {
		return nil
	}
	for _, name := range []string{"request.md", engine.DesignFile, engine.SummaryFile} {
		if _, there := t.reviewProof().Lines(t.st.Previous + "/" + name); there {
			files = append(files, t.st.Previous+"/"+name)
		}
	}
	return files
}

// askAboutComments has a person asked about the comments of the pull request that are not
// done, before the work is summed up.
func (t *turn) askAboutComments() {
	undone := t.st.Pull.Undone()
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil ||
		!t.phaseIs(engine.FinalSummary) ||
		len(undone) == 0 || t.st.Pull.Accepted {
		return
	}
	d := new(textformat.Text)
	d.Say("pipeline.comments_not_done")
	for _, c := range undone {
		d.Quote("")
		d.Quote(textformat.Quotation(c.ID + ", " + c.Author + ": " + c.Text))
		if c.Answer == "" {
			d.Say("pipeline.comment_not_answered")
		} else {
			d.Quote(c.Answer)
		}
	}
	d.Quote("")
	d.Say("pipeline.comments_not_done_options")
	t.st.Pause = &engine.Pause{Name: engine.CommentsCheckpoint, Text: d.Message()}
	t.dirty = true
}

// posted returns where the action writes a comment, "" if it writes none.
func (t *turn) posted(k *engine.Ticket) string {
	switch {
	case k == nil || k.Type != (engine.Exec{}).Kind():
		return ""
	case k.Phase == engine.PostToSource:
		return t.st.Source.URL
	case k.Phase == engine.PRCreation && t.st.Pull != nil:
		return t.st.Pull.URL
	}
	return ""
}

// replied returns an issue or a pull request if GitHub shows the comment of the pipeline
// below it.
func (t *turn) replied(ctx context.Context, url string) (string, error) {
	source, err := request.ParseSource(url, t.s.parseOptions())
	if err != nil {
		return "", err
	}
	pull, err := github.ReadPull(ctx, t.s.project.Root, source)
	if err != nil {
		return "", err
	}
	if !slices.Contains(pull.Replies, t.w.Path()) {
		return "", fmt.Errorf("%w: %s", github.ErrNotThere, msg.New("pipeline.no_comment_there", url))
	}
	return url, nil
}

// takePosted takes the comment of an action that goes out again as written, if it is there:
// the orchestrator may have died before it could report.
func (t *turn) takePosted(ctx context.Context) (bool, error) {
	k := t.st.Ticket
	url := t.posted(k)
	if url == "" {
		return false, nil
	}
	if _, err := t.replied(ctx, url); err != nil {
		return false, nil // then it is written again
	}
	err := t.leaveCommand(k, url)
	t.st.Note(engine.Entry{Event: engine.EventReported, Phase: k.Phase, Ticket: k.ID, By: "server",
		Detail: map[string]string{"seen": url}})
	return true, err
}

// leaveCommand leaves the phase of a command that did what it should.
func (t *turn) leaveCommand(k *engine.Ticket, url string) error {
	if k.Phase == engine.PRCreation && url != "" {
		t.st.PullRequest = url
	}
	t.st.Ticket, t.dirty = nil, true
	return t.st.Leave(t.s.table)
}
