package service

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// glance is how long gh may take to say what there is.
const glance = 20 * time.Second

// errNotThere is GitHub's word that there is no such pull request or comment.
var errNotThere = errors.New("gh does not see it")

// pullRequest returns the URL of the branch's pull request, as gh sees it: one that is open, or
// was merged with the last commit there is. gh also shows those of earlier work on the branch.
func (t *turn) pullRequest(ctx context.Context) (string, error) {
	head, err := t.head(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gh", "pr", "view", t.st.Branch, "--json", "url,state,headRefOid",
		"--jq", `.url + " " + .state + " " + .headRefOid`)
	cmd.Dir = t.Repo.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said := text.OneLine(string(exit.Stderr))
		if strings.Contains(said, "no pull requests found") {
			return "", fmt.Errorf("%w: %s", errNotThere, said)
		}
		return "", msg.Err("pipeline.gh_failed", said)
	}
	if err != nil {
		return "", msg.Err("pipeline.gh_failed", err)
	}
	for line := range strings.Lines(string(out)) { // a wrapper of gh may write something in front
		words := append(strings.Fields(line), "", "", "")
		url, state, of := words[0], words[1], words[2]
		switch {
		case len(words) > 6 || url != pullURL.FindString(url) || url == "":
		case state == "CLOSED", state == "MERGED" && of != head:
			return "", fmt.Errorf("%w: %s", errNotThere, msg.New("pipeline.pull_request_of_earlier_work", url))
		default:
			return url, nil
		}
	}
	return "", msg.Err("pipeline.gh_named_no_pull_request", text.Clip(text.OneLine(string(out)), 100))
}

// pullText returns what the branch's pull request says, as gh sees it, if it says anything.
func (t *turn) pullText(ctx context.Context) (title, base, body string, known bool) {
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gh", "pr", "view", t.st.Branch, "--json", "title,baseRefName,body", "--jq", ".title, .baseRefName, .body")
	cmd.Dir = t.Repo.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	parts := strings.SplitN(string(out), "\n", 3)
	if err != nil || len(parts) < 3 || parts[1] == "" {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

var remoteURL = lazyregexp.MustCompile(`^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:@]+)(?::\d+)?[:/](.+?)(?:\.git)?/?$`)

// elsewhere reports whether a pull request is of a repository that none of the
// remotes is. Where a remote is no address, nothing tells.
func (t *turn) elsewhere(ctx context.Context, pull string) bool {
	told := remoteURL.FindStringSubmatch(pull[:strings.LastIndex(pull, "/pull/")])
	remotes, local := t.remotes(ctx)
	for _, at := range remotes {
		if told == nil || sameRepository(at, told) {
			return false
		}
	}
	return len(remotes) > 0 && !local
}

// hasOtherRemotes reports whether a remote is another repository than the one at an address.
func (t *turn) hasOtherRemotes(ctx context.Context, of []string) bool {
	remotes, _ := t.remotes(ctx)
	return slices.ContainsFunc(remotes, func(at []string) bool { return !sameRepository(at, of) })
}

func sameRepository(a, b []string) bool {
	return strings.EqualFold(a[1], b[1]) && strings.EqualFold(a[2], b[2])
}

// remotes returns host and path of the remotes, as [remoteURL] finds them, and whether there
// are some that are no address.
func (t *turn) remotes(ctx context.Context) (all [][]string, local bool) {
	out, err := t.Repo.Run(ctx, "config", "--get-regexp", `^remote\..*\.url$`)
	if err != nil {
		return nil, false
	}
	for line := range strings.Lines(out) {
		_, url, _ := strings.Cut(strings.TrimSpace(line), " ")
		at := remoteURL.FindStringSubmatch(url)
		if at == nil || strings.HasPrefix(url, "/") || strings.HasPrefix(url, ".") || strings.HasPrefix(url, "file:") {
			local = true
			continue
		}
		all = append(all, at)
	}
	return all, local
}
