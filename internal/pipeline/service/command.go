package service

import (
	"context"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow/phase"
)

// command is the argument vector of a phase that runs one.
func (t *turn) command(ctx context.Context, id phase.ID) ([]string, error) {
	if id == engine.PostToSource {
		body, err := t.pullText().Comment()
		return []string{"gh", "issue", "comment", t.st.Source.URL, "--body", quote.Text(body)}, err
	}
	if t.st.Pull != nil {
		body, err := t.pullText().Reply()
		return []string{"gh", "pr", "comment", t.st.Pull.URL, "--body", quote.Text(body)}, err
	}
	body, err := t.pullText().Body(ctx)
	body = quote.Text(body)
	argv := []string{"gh", "pr", "create", "--title", t.pullText().Title(), "--body", body, "--head", t.github().Head(ctx)}
	if t.st.PullToFix != "" {
		argv = []string{"gh", "pr", "edit", t.st.PullToFix, "--title", t.pullText().Title(), "--body", body}
	}
	if t.st.BaseBranch != "" && t.st.BaseBranch != t.st.Branch {
		argv = append(argv, "--base", t.st.BaseBranch)
	}
	return argv, err
}
