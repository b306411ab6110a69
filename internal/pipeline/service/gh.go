package service

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
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
	cmd.Dir = t.Repo.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said := text.OneLine(string(exit.Stderr))
		if strings.Contains(said, "no pull requests found") {
			return "", fmt.Errorf("%w: %s", errNoPull, said)
		}
		return "", msg.Err("pipeline.gh_failed", said)
	}
	if err != nil {
		return "", msg.Err("pipeline.gh_failed", err)
	}
	url := strings.TrimSpace(string(out))
	if pullURL.FindString(url) == "" {
		return "", msg.Err("pipeline.gh_named_no_pull_request", text.Clip(url, 100))
	}
	return url, nil
}

var remoteURL = lazyregexp.MustCompile(`^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:@]+)(?::\d+)?[:/](.+?)(?:\.git)?/?$`)

// elsewhere reports whether a pull request is of a repository that none of the
// remotes is. Where a remote is no address, nothing tells.
func (t *turn) elsewhere(ctx context.Context, pull string) bool {
	out, err := t.Repo.Run(ctx, "config", "--get-regexp", `^remote\..*\.url$`)
	if err != nil {
		return false
	}
	told := remoteURL.FindStringSubmatch(pull[:strings.LastIndex(pull, "/pull/")])
	for line := range strings.Lines(out) {
		_, url, _ := strings.Cut(strings.TrimSpace(line), " ")
		at := remoteURL.FindStringSubmatch(url)
		if at == nil || told == nil || strings.HasPrefix(url, "/") || strings.HasPrefix(url, ".") || strings.HasPrefix(url, "file:") {
			return false
		}
		if strings.EqualFold(at[1], told[1]) && strings.EqualFold(at[2], told[2]) {
			return false
		}
	}
	return out != ""
}
