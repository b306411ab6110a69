package service

import (
	"context"
	"errors"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// reportFile takes a file that the orchestrator wrote word for word.
func (t *turn) reportFile(k engine.Ticket, a *ReportAnswer) error {
	hash, err := t.w.Hash(engine.TasksFile)
	if problem.Of(err) == nil && err != nil {
		return err
	}
	if hash != k.FilesBefore[engine.TasksFile] {
		t.notDone(a, msg.New("pipeline.does_not_hold_what_action", t.w.Path(), engine.TasksFile), engine.NotValidCheckpoint)
		return nil
	}
	sense, err := t.artifactSense(engine.TasksFile)
	if err != nil {
		return err
	}
	t.st.Accept(engine.TasksFile, sense, nil)
	t.st.Ticket = nil
	a.Updated, a.Artifact, a.Hint = true, engine.TasksFile, proceed
	return nil
}

// reportExec takes how a command ended: as it was reported, else as it can be seen.
func (t *turn) reportExec(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if k.Phase == engine.Setup {
		now, err := t.Repo.CurrentBranch(ctx)
		if err != nil {
			return err
		}
		if now != t.st.Branch {
			t.notDone(a, msg.New("pipeline.branch_not_checked_out", t.st.Branch, now), engine.NotValidCheckpoint)
			if r.output != "" {
				a.Warning = textformat.Lines(a.Warning, textformat.Verbatim(textformat.Fenced(r.output)))
				if t.st.Pause != nil {
					t.st.Pause.Text = textformat.Paragraphs(t.st.Pause.Text, textformat.Verbatim(textformat.Fenced(r.output)))
				}
			}
			if id, err := t.Repo.Resolve(ctx, "refs/heads/"+t.st.Branch); err == nil && id != "" && slices.Contains(argvOf(&k), "-c") {
				t.st.Ticket = nil // it is there by now, so another command is needed
			}
			return nil
		}
		t.st.Ticket = nil
		a.Updated, a.Hint, a.Display = true, setupContinue, msg.New("pipeline.on_branch", now)
		return nil
	}
	url, ok, said := t.commandSucceeded(ctx, k, r)
	if !ok {
		t.st.Ticket = nil
		t.st.Pause = &engine.Pause{Name: engine.CommandFailedCheckpoint, Text: textformat.Paragraphs(
			msg.New("pipeline.command_of_phase_failed", engine.Label(k.Phase)), textformat.FencedMessage(said, r.output), msg.New("pipeline.command_failed_options"))}
		a.Updated = true
		a.Warning = msg.New("pipeline.command_failed_person_decides")
		a.Findings = []artifact.Finding{{Severity: artifact.Major, Description: msg.New("pipeline.command_failed", said)}}
		return nil
	}
	a.Updated, a.Hint, a.Display = true, proceed, msg.New("pipeline.phase_is_done", engine.Label(k.Phase))
	return t.leaveCommand(&k, url)
}

// commandSucceeded reports whether the command of an action was run and did what it should,
// with the address of what it made, "" if that is not known.
func (t *turn) commandSucceeded(ctx context.Context, k engine.Ticket,
	r report) (url string, ok bool, said msg.Message) {
	look, comments := t.github().PullRequest, t.posted(&k)
	if comments != "" {
		look = func(ctx context.Context) (string, error) { return t.replied(ctx, comments) }
	}
	if r.exit != nil && *r.exit != 0 {
		if comments != "" || github.PullURL.MatchString(r.output) { // gh names the one there is
			if url, err := look(ctx); err == nil {
				return t.asHandedOut(ctx, &k, url, comments != "")
			}
			if told := github.PullURL.FindString(r.output); told != "" && comments == "" {
				if there, _ := t.github().SeenByGit(ctx, told); there {
					return told, true, msg.Message{}
				}
			}
		}
		return "", false, msg.New("pipeline.exit_code", *r.exit)
	}
	url, err := look(ctx)
	told := github.PullURL.FindString(r.output)
	switch {
	case err == nil:
		return t.asHandedOut(ctx, &k, url, comments != "")
	case errors.Is(err, github.ErrNotThere) && comments != "":
		return "", false, msg.New("pipeline.comment_not_seen", err)
	case errors.Is(err, github.ErrNotThere):
		return "", false, msg.New("pipeline.no_pull_request_can_be_seen", t.st.Branch, err)
	case k.Phase == engine.PostToSource && r.exit == nil:
		t.Warn("pipeline.how_command_ended_not_reported")
		return "", true, msg.Message{}
	case k.Phase == engine.PostToSource:
		t.Warn("pipeline.comment_not_looked_up", err)
		return "", true, msg.Message{}
	case r.exit != nil && told != "" && t.github().IsElsewhere(ctx, told):
		return "", false, msg.New("pipeline.pull_request_elsewhere", told)
	case r.exit != nil && told != "":
		if there, known := t.github().SeenByGit(ctx, told); known && !there {
			return "", false, msg.New("pipeline.pull_request_not_at_remote", told)
		} else if there {
			return told, true, msg.Message{}
		}
		t.Warn("pipeline.whether_pull_request_open_could", err)
		return told, true, msg.Message{}
	case r.exit != nil:
		t.Warn("pipeline.pull_request_url_not_known", err)
		return "", true, msg.Message{}
	}
	return "", false, msg.New("pipeline.no_exit_code_no_pull_request", t.st.Branch, err)
}

// asHandedOut takes what a command has made if it says what was handed out: of a pull request the
// title, the base branch and the text, to which others may have added.
func (t *turn) asHandedOut(ctx context.Context, k *engine.Ticket, url string,
	comment bool) (string, bool, msg.Message) {
	title, base, body, known := t.github().PullText(ctx)
	if comment || !known {
		return url, true, msg.Message{}
	}
	argv := argvOf(k)
	says := func(option, said string) bool {
		i := slices.Index(argv, option)
		return i < 0 || strings.Contains(folded(said), folded(argv[i+1]))
	}
	if says("--title", title) && says("--base", base) && says("--body", body) {
		t.st.PullToFix = ""
		return url, true, msg.Message{}
	}
	t.st.PullToFix = url
	return "", false, msg.New("pipeline.pull_request_says_other", url)
}

// folded is a text with its white space as single blanks.
func folded(content string) string { return strings.Join(strings.Fields(content), " ") }
