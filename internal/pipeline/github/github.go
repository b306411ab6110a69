// Package github asks GitHub, through gh, and the remotes of a repository about pull requests, and composes what a
// pipeline posts there: title and body of its pull request, and its comments. A pipeline reads its request here, and
// looks whether a command that it handed out did what was reported.
package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// A Branch is the branch of a pipeline, as far as pull requests are concerned.
type Branch struct {
	Repo *git.Repo
	Name string
	Pull string // URL of the pull request whose comments are worked on, "" for none
}

// glance is how long gh may take to say what there is.
const glance = 20 * time.Second

// ErrNotThere is GitHub's word that there is no such pull request or comment.
var ErrNotThere = errors.New("gh does not see it")

// PullRequest returns the URL of the branch's pull request, as gh sees it: one that is open, or
// was merged with the last commit there is. gh also shows those of earlier work on the branch.
func (b Branch) PullRequest(ctx context.Context) (string, error) {
	head, err := taskbranch.HeadTree(ctx, b.Repo)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := searchpath.Command(ctx, b.Repo.Dir, "gh", "pr", "view", b.Head(ctx), "--json", "url,state,headRefOid",
		"--jq", `.url + " " + .state + " " + .headRefOid`)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said := text.OneLine(string(exit.Stderr))
		if strings.Contains(said, "no pull requests found") {
			return "", fmt.Errorf("%w: %s", ErrNotThere, said)
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
		case len(words) > 6 || url != PullURL.FindString(url) || url == "":
		case state == "CLOSED", state == "MERGED" && of != head:
			return "", fmt.Errorf("%w: %s", ErrNotThere, msg.New("pipeline.pull_request_of_earlier_work", url))
		default:
			return url, nil
		}
	}
	return "", msg.Err("pipeline.gh_named_no_pull_request", text.Clip(text.OneLine(string(out)), 100))
}

// PullText returns what the branch's pull request says, as gh sees it, if it says anything.
func (b Branch) PullText(ctx context.Context) (title, base, body string, known bool) {
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := searchpath.Command(ctx, b.Repo.Dir, "gh", "pr", "view", b.Head(ctx), "--json", "title,baseRefName,body", "--jq", ".title, .baseRefName, .body")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	parts := strings.SplitN(string(out), "\n", 3)
	if err != nil || len(parts) < 3 || parts[1] == "" {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// RemoteURL matches the URL of a remote; its groups are the host, and the path without ".git".
var RemoteURL = lazyregexp.MustCompile(`^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:@]+)(?::\d+)?[:/](.+?)(?:\.git)?/?$`)

// IsElsewhere reports whether a pull request belongs to a repository that is none of the remotes.
// It returns false if there are no remotes, or if one is not a URL: a local clone may be that repository.
func (b Branch) IsElsewhere(ctx context.Context, pullURL string) bool {
	repository := repositoryOf(pullURL)
	remotes, local := b.remotes(ctx)
	for _, remote := range remotes {
		if repository == nil || sameRepository(remote, repository) {
			return false
		}
	}
	return len(remotes) > 0 && !local
}

// SeenByGit reports whether the head of a pull request is this commit, by asking the remote itself where gh
// cannot be asked: GitHub has a ref for each pull request. Known is false if no remote is that repository,
// or if it does not answer.
func (b Branch) SeenByGit(ctx context.Context, pullURL string) (there, known bool) {
	head, err := taskbranch.HeadTree(ctx, b.Repo)
	if err != nil {
		return false, false
	}
	remotes, _ := b.remotes(ctx)
	for name, remote := range remotes {
		if repository := repositoryOf(pullURL); repository == nil || !sameRepository(remote, repository) {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, glance)
		defer cancel()
		out, err := b.Repo.Do(ctx, git.Command{Args: []string{"ls-remote", "--quiet", name, "refs/pull/" + path.Base(pullURL) + "/head"}, Effect: git.Hooks})
		return strings.HasPrefix(out, head+"\t"), err == nil
	}
	return false, false
}

// HasOtherRemotes reports whether a remote is another repository than the given one.
func (b Branch) HasOtherRemotes(ctx context.Context, repository []string) bool {
	remotes, _ := b.remotes(ctx)
	for _, remote := range remotes {
		if !sameRepository(remote, repository) {
			return true
		}
	}
	return false
}

// Head returns the name by which gh knows the branch, with the owner in front if it is pushed to a fork of
// the repository for which gh opens pull requests.
func (b Branch) Head(ctx context.Context) string {
	name, err := b.Remote(ctx)
	if err != nil {
		return b.Name
	}
	remotes, _ := b.remotes(ctx)
	fork, base := remotes[name], remotes[b.baseRemote(ctx, remotes)]
	if fork == nil || base == nil || sameRepository(fork, base) {
		return b.Name
	}
	owner, _, _ := strings.Cut(fork[2], "/")
	return owner + ":" + b.Name
}

// baseRemote returns the remote for which gh opens pull requests when it cannot ask: the one that was chosen
// with gh, or else the first in the order of gh.
func (b Branch) baseRemote(ctx context.Context, remotes map[string][]string) string {
	names := slices.Sorted(maps.Keys(remotes))
	for _, name := range names {
		if chosen, err := b.Repo.Run(ctx, "config", "--get", "remote."+name+".gh-resolved"); err == nil && strings.TrimSpace(chosen) == "base" {
			return name
		}
	}
	for _, name := range []string{"upstream", "github", "origin"} {
		if remotes[name] != nil {
			return name
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

func repositoryOf(pullURL string) []string {
	return RemoteURL.FindStringSubmatch(pullURL[:strings.LastIndex(pullURL, "/pull/")])
}

func sameRepository(a, b []string) bool {
	return strings.EqualFold(a[1], b[1]) && strings.EqualFold(a[2], b[2])
}

// remotes returns the match of [RemoteURL] for each remote by name, and whether some remote is not a URL.
func (b Branch) remotes(ctx context.Context) (all map[string][]string, local bool) {
	out, err := b.Repo.Run(ctx, "config", "--get-regexp", `^remote\..*\.url$`)
	if err != nil {
		return nil, false
	}
	all = make(map[string][]string)
	for line := range strings.Lines(out) {
		key, url, _ := strings.Cut(strings.TrimSpace(line), " ")
		match := RemoteURL.FindStringSubmatch(url)
		if match == nil || strings.HasPrefix(url, "/") || strings.HasPrefix(url, ".") || strings.HasPrefix(url, "file:") {
			local = true
			continue
		}
		all[strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url")] = match
	}
	return all, local
}
