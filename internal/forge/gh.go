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

// pullRequest returns the URL of the branch's pull request, as gh sees it.
func (t *turn) pullRequest(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gh", "pr", "view", t.st.Branch, "--json", "url", "--jq", ".url")
	cmd.Dir = t.repo.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("gh pr view: %s", oneLine(string(exit.Stderr)))
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
