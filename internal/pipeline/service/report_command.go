package service

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/problem"
)

// reportFile takes a file that the orchestrator wrote word for word.
func (t *turn) reportFile(k engine.Ticket, a *ReportAnswer) error {
	hash, err := t.w.Hash(engine.TasksFile)
	if problem.Of(err) == nil && err != nil {
		return err
	}
	if hash != k.FilesBefore[engine.TasksFile] {
		t.notDone(a, t.w.Path()+"/"+engine.TasksFile+" does not hold what the action said.", engine.NotValidCheckpoint)
		return nil
	}
	sense, err := t.sense(engine.TasksFile)
	if err != nil {
		return err
	}
	t.st.Accept(engine.TasksFile, sense, nil)
	t.st.Ticket = nil
	a.Updated, a.Artifact, a.Hint = true, engine.TasksFile, Proceed
	return nil
}

var pullURL = regexp.MustCompile(`https?://[^\s"'<>]+/pull/\d+`)

// reportExec takes how a command ended: as it was reported, else as it can be seen.
func (t *turn) reportExec(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if k.Phase == engine.Setup {
		now, err := t.repo.CurrentBranch(ctx)
		if err != nil {
			return err
		}
		if now != t.st.Branch {
			t.notDone(a, fmt.Sprintf("The branch %s is not checked out (%q is).", t.st.Branch, now), engine.NotValidCheckpoint)
			if r.output != "" {
				a.Warning += "\n" + fenced(r.output)
				if t.st.Pause != nil {
					t.st.Pause.Text += "\n\n" + fenced(r.output)
				}
			}
			if id, err := t.repo.Resolve(ctx, "refs/heads/"+t.st.Branch); err == nil && id != "" && slices.Contains(argvOf(&k), "-c") {
				t.st.Ticket = nil // it is there by now, so another command is needed
			}
			return nil
		}
		t.st.Ticket = nil
		a.Updated, a.Hint, a.Display = true, SetupContinue, "On branch "+now+"."
		return nil
	}
	ok, said := t.commandSucceeded(ctx, k, r)
	if !ok {
		t.st.Ticket = nil
		t.st.Pause = &engine.Pause{Name: engine.CommandFailedCheckpoint, Text: fmt.Sprintf("The command of %s failed.\n\n%s\n\nretry hands it out again, when what is in the way is mended. skip goes on without it.", engine.Label(t.s.table, k.Phase), fenced(said))}
		a.Updated = true
		a.Warning = "The command failed; a person decides what comes of it."
		a.Findings = []engine.Finding{{Severity: engine.Major, Description: "The command failed: " + firstLine(said, "it said nothing")}}
		return nil
	}
	t.st.Ticket = nil
	a.Updated, a.Hint, a.Display = true, Proceed, engine.Label(t.s.table, k.Phase)+" is done."
	return t.st.Leave(t.s.table)
}

// commandSucceeded reports whether the command of an action was run and did what it should.
func (t *turn) commandSucceeded(ctx context.Context, k engine.Ticket, r report) (ok bool, said string) {
	if r.exit != nil && *r.exit != 0 {
		if k.Phase == engine.PRCreation && pullURL.MatchString(r.output) { // gh names the one there is
			if url, err := t.pullRequest(ctx); err == nil {
				t.st.PullRequest = url
				return true, ""
			}
		}
		return false, fmt.Sprintf("exit code %d\n%s", *r.exit, r.output)
	}
	if k.Phase != engine.PRCreation {
		if r.exit == nil {
			t.warn("How the command ended was not reported (previous_exit_code), and cannot be seen.")
		}
		return true, ""
	}
	url, err := t.pullRequest(ctx)
	told := pullURL.FindString(r.output)
	switch {
	case err == nil:
		t.st.PullRequest = url
		return true, ""
	case errors.Is(err, errNoPull):
		return false, fmt.Sprintf("No pull request of %s can be seen: %v\n%s", t.st.Branch, err, r.output)
	case r.exit != nil && told != "" && t.elsewhere(ctx, told):
		return false, fmt.Sprintf("%s is no pull request of this repository: its remotes are others.\n%s", told, r.output)
	case r.exit != nil && told != "":
		t.st.PullRequest = told
		t.warn("Whether the pull request is open could not be seen: %v", err)
		return true, ""
	case r.exit != nil:
		t.warn("The pull request's URL is not known: %v", err)
		return true, ""
	}
	return false, fmt.Sprintf("The exit code was not reported, and no pull request of %s can be seen: %v\n%s", t.st.Branch, err, r.output)
}
