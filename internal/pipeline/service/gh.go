package service

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
	cmd := searchpath.Command(ctx, t.Repo.Dir, "gh", "pr", "view", t.pullHead(ctx), "--json", "url,state,headRefOid",
		"--jq", `.url + " " + .state + " " + .headRefOid`)
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
	cmd := searchpath.Command(ctx, t.Repo.Dir, "gh", "pr", "view", t.pullHead(ctx), "--json", "title,baseRefName,body", "--jq", ".title, .baseRefName, .body")
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
	told := repositoryOf(pull)
	remotes, local := t.remotes(ctx)
	for _, at := range remotes {
		if told == nil || sameRepository(at, told) {
			return false
		}
	}
	return len(remotes) > 0 && !local
}

// seenByGit asks the remote itself for the commits of a pull request, where gh cannot be asked: GitHub has a
// ref for each. Known is false where no remote is that repository, or where it does not answer.
func (t *turn) seenByGit(ctx context.Context, pull string) (there, known bool) {
	head, err := t.head(ctx)
	if err != nil {
		return false, false
	}
	remotes, _ := t.remotes(ctx)
	for name, at := range remotes {
		if told := repositoryOf(pull); told == nil || !sameRepository(at, told) {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, glance)
		defer cancel()
		out, err := t.Repo.Do(ctx, git.Command{Args: []string{"ls-remote", "--quiet", name, "refs/pull/" + path.Base(pull) + "/head"}, Effect: git.Hooks})
		return strings.HasPrefix(out, head+"\t"), err == nil
	}
	return false, false
}

// hasOtherRemotes reports whether a remote is another repository than the one at an address.
func (t *turn) hasOtherRemotes(ctx context.Context, of []string) bool {
	remotes, _ := t.remotes(ctx)
	for _, at := range remotes {
		if !sameRepository(at, of) {
			return true
		}
	}
	return false
}

// pullHead is the branch as gh knows it: with its owner where it is pushed to a fork of the repository
// for which gh opens pull requests.
func (t *turn) pullHead(ctx context.Context) string {
	name, err := t.remote(ctx)
	if err != nil {
		return t.st.Branch
	}
	remotes, _ := t.remotes(ctx)
	fork, base := remotes[name], remotes[t.baseRemote(ctx, remotes)]
	if fork == nil || base == nil || sameRepository(fork, base) {
		return t.st.Branch
	}
	owner, _, _ := strings.Cut(fork[2], "/")
	return owner + ":" + t.st.Branch
}

// baseRemote is the remote for which gh opens pull requests where it cannot ask: the one that was chosen, or
// the first as gh orders them.
func (t *turn) baseRemote(ctx context.Context, remotes map[string][]string) string {
	names := slices.Sorted(maps.Keys(remotes))
	for _, name := range names {
		if chosen, err := t.Repo.Run(ctx, "config", "--get", "remote."+name+".gh-resolved"); err == nil && strings.TrimSpace(chosen) == "base" {
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

func repositoryOf(pull string) []string {
	return remoteURL.FindStringSubmatch(pull[:strings.LastIndex(pull, "/pull/")])
}

func sameRepository(a, b []string) bool {
	return strings.EqualFold(a[1], b[1]) && strings.EqualFold(a[2], b[2])
}

// remotes returns host and path of the remotes by their names, as [remoteURL] finds them, and whether
// there are some that are no address.
func (t *turn) remotes(ctx context.Context) (all map[string][]string, local bool) {
	out, err := t.Repo.Run(ctx, "config", "--get-regexp", `^remote\..*\.url$`)
	if err != nil {
		return nil, false
	}
	all = make(map[string][]string)
	for line := range strings.Lines(out) {
		key, url, _ := strings.Cut(strings.TrimSpace(line), " ")
		at := remoteURL.FindStringSubmatch(url)
		if at == nil || strings.HasPrefix(url, "/") || strings.HasPrefix(url, ".") || strings.HasPrefix(url, "file:") {
			local = true
			continue
		}
		all[strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url")] = at
	}
	return all, local
}
