package github

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// maxPull is how much GitHub may say of a pull request, in bytes.
const maxPull = 16 << 20

// ReadPull asks GitHub for a pull request and its review comments.
func ReadPull(ctx context.Context, dir string, of request.Source) (*request.Pull, error) {
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	cmd := searchpath.Command(ctx, dir, "gh", "api", "graphql", "--hostname", of.Host, "-f", "query="+request.PullQuery,
		"-f", "owner="+of.Owner, "-f", "name="+of.Repo, "-F", "number="+of.ID)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, msg.Err("pipeline.gh_failed", err)
	}
	data, err := io.ReadAll(io.LimitReader(out, maxPull))
	waited := cmd.Wait()
	pull, unread := request.ParsePull(data)
	switch {
	case err == nil && unread == nil && (waited == nil || pull.Partial != ""): // gh fails where GitHub tells only a part
		return pull, nil
	case waited != nil:
		return nil, msg.Err("pipeline.gh_failed", textformat.FirstText(text.Clip(text.OneLine(said.String()), 300), waited.Error()))
	}
	return nil, msg.Err("pipeline.gh_failed", cmp.Or(err, unread))
}

// Remote is the remote that the branch is pushed to: that of the pull request's repository, else the
// one that git pushes to, else origin, else the first.
func (b Branch) Remote(ctx context.Context) (string, error) {
	out, err := b.Repo.Run(ctx, "remote")
	if err != nil {
		return "", err
	}
	names := strings.Fields(out)
	if len(names) == 0 {
		return "", problem.New("no_remote", "pipeline.repository_no_remote_push").
			Or("pipeline.call_again_when_fixed", op.PipelineNextAction)
	}
	if b.Pull != "" {
		of := repositoryOf(b.Pull)
		for _, name := range names {
			url, err := b.Repo.Run(ctx, "remote", "get-url", "--push", name)
			if at := RemoteURL.FindStringSubmatch(strings.TrimSpace(url)); err == nil && at != nil && of != nil &&
				sameRepository(at, of) {
				return name, nil
			}
		}
	}
	for _, key := range []string{"branch." + b.Name + ".pushRemote", "remote.pushDefault"} {
		if name, err := b.Repo.Run(ctx, "config", "--get", key); err == nil && slices.Contains(names, strings.TrimSpace(name)) {
			return strings.TrimSpace(name), nil
		}
	}
	if slices.Contains(names, "origin") {
		return "origin", nil
	}
	return names[0], nil
}

var PullURL = lazyregexp.MustCompile(`https?://[^\s"'<>]+/pull/\d+`)
