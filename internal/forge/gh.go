package forge

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// glance is how long gh may take to say what there is.
const glance = 20 * time.Second

// errNoPull is GitHub's word that there is no pull request.
var errNoPull = errors.New("gh sees no pull request")

// pullRequest returns the URL of the branch's pull request, as gh sees it.
func (t *turn) pullRequest(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gh", "pr", "view", t.st.Branch, "--json", "url", "--jq", ".url")
	cmd.Dir = t.repo.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said := oneLine(string(exit.Stderr))
		if strings.Contains(said, "no pull requests found") {
			return "", fmt.Errorf("%w: %s", errNoPull, said)
		}
		return "", fmt.Errorf("gh pr view: %s", said)
	}
	if err != nil {
		return "", fmt.Errorf("gh pr view: %w", err)
	}
	url := strings.TrimSpace(string(out))
	if pullURL.FindString(url) == "" {
		return "", fmt.Errorf("gh pr view named no pull request (%q)", clip(url, 100))
	}
	return url, nil
}
