package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/plainjson"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// An InitRequest is what was typed after /forge.
type InitRequest struct {
	Arguments     string `json:"arguments" jsonschema:"what follows /forge, word for word"`
	CurrentBranch string `json:"current_branch,omitempty"`
}

// A Reply is an answer whose form depends on what was asked: its JSON is that of
// the body.
type Reply struct {
	Body any `json:"-"`
}

// MarshalJSON writes the body.
func (r *Reply) MarshalJSON() ([]byte, error) { return plainjson.Encode(r.Body) }

// Text is the answer for clients that read only text.
func (r *Reply) Text() string { return jsonText(r.Body) }

// jsonText returns the answer of a pipeline tool in JSON, for clients that read only text.
func jsonText(v any) string {
	data, err := plainjson.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func errorReply(key string, args ...any) *Reply { return errorsReply(msg.New(key, args...)) }

func errorsReply(errs ...msg.Message) *Reply {
	return &Reply{Body: request.Errors{Errors: errs}}
}

// A draft is what a call of the handshake brought, for a later one that leaves it
// out. It is lost with the process, and nothing depends on it that a call may not
// bring again.
type draft struct {
	flags    *request.Flags
	context  *request.Context
	source   request.Source
	text     string
	typed    *request.Flags // those that pipeline_init parsed; nil if it was not called
	words    string         // the text that it was given
	body     string
	detected request.Effort
	min      request.Effort // that the request needs; "" if nothing decides that
	pull     *request.Pull  // of a source that is one, once it was read
	issue    string         // the source, once it is known to be no pull request, or cannot be known
	unsure   error          // why it cannot be known
	told     *request.Pull  // what GitHub says of the issue, where it was asked
	by       approval.Channel
}

func (s *Service) parseOptions() request.Options {
	known, unknown := github.Hosts(s.project.Config.GitHubHosts)
	return request.Options{GitHubHosts: known, StrangeHosts: unknown, Phases: engine.UntilPhases(s.table)}
}

// parse understands a line. One that begins with a workspace that has ended, and says more,
// is a request to go on there.
func (s *Service) parse(line string) (request.Request, []msg.Message) {
	r, errs := request.Parse(line, s.parseOptions())
	if len(errs) > 0 || r.Goes == "" {
		return r, errs
	}
	w, err := workspace.Of(s.project.Root, r.Workspace)
	if err != nil || !w.Exists() && !w.Lost() {
		return r.Plain(), nil
	}
	if _, st, err := s.read(r.Workspace); err != nil || !st.Over() {
		return r, []msg.Message{msg.New("pipeline.workspace_goes_on", r.Workspace)}
	}
	return r.Reopening(), nil
}

// Init understands what was typed. It changes nothing.
func (s *Service) Init(ctx context.Context, r InitRequest) (*Reply, error) {
	parsed, errs := s.parse(r.Arguments)
	if len(errs) > 0 {
		return errorsReply(errs...), nil
	}
	if err := s.asked(ctx, parsed); err != nil {
		return nil, err
	}
	if parsed.Workspace != "" {
		return s.resume(ctx, parsed)
	}
	parsed.Flags.CurrentBranch = s.branchNow(ctx, r.CurrentBranch)
	init := parsed.Init(s.o.Now().Format("20060102"))
	name, err := s.freeName(strings.TrimPrefix(init.Workspace, workspace.Folder+"/"), "")
	if err != nil {
		return nil, err
	}
	init.Workspace = workspace.Folder + "/" + name
	s.mu.Lock()
	s.drafts[init.Workspace] = draft{flags: &parsed.Flags, typed: &parsed.Flags, source: parsed.Source,
		text: parsed.Text, words: parsed.Text}
	s.mu.Unlock()
	return &Reply{init}, nil
}

func (s *Service) resume(ctx context.Context, r request.Request) (*Reply, error) {
	w, err := workspace.Of(s.project.Root, r.Workspace)
	if p := problem.Of(err); p != nil {
		return errorsReply(p.Message), nil
	}
	if err != nil {
		return nil, err
	}
	if !w.Exists() && w.Lost() {
		repo, err := s.repository(ctx)
		if err == nil {
			_, err = w.PutBack(locksOf(repo))
		}
		if err != nil {
			return nil, err
		}
	}
	if !w.Exists() {
		return errorReply("pipeline.workspace_not_found", w.Path()), nil
	}
	st := new(engine.State)
	if err := w.Load(st); err != nil {
		if p := problem.Of(err); p != nil {
			return errorsReply(p.Message), nil
		}
		return nil, err
	}
	if st.Over() {
		if st.PullRequest != "" {
			return errorReply("pipeline.workspace_over_has_pull_request", w.Path(), st.Status, st.PullRequest), nil
		}
		return errorReply("pipeline.workspace_cannot_resumed_start_new", w.Path(), st.Status), nil
	}
	answer := request.ResumeOf(w.Path())
	if r.Flags != (request.Flags{}) {
		answer.Warning = msg.New("pipeline.pipeline_keeps_its_flags")
	}
	return &Reply{answer}, s.noteUsed(ctx, w.Path())
}

// freeName returns the name, or the name with -2, -3, …, that no workspace has, and
// none has had in pipeline_init.
func (s *Service) freeName(name, mine string) (string, error) {
	states, err := s.states()
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		path := workspace.Folder + "/" + try
		taken := slices.ContainsFunc(states, func(st *engine.State) bool {
			return st.Workspace == path || mine == "" && st.InitWorkspace == path
		})
		w, err := workspace.Of(s.project.Root, path)
		if err != nil {
			return "", err
		}
		if !taken && !isOccupied(w) {
			return try, nil
		}
	}
}

// isOccupied reports whether a folder holds more than a confirm call that was killed
// has left.
func isOccupied(w *workspace.Workspace) bool {
	entries, err := repofile.At(w.Dir()).List()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Name() != workspace.RequestFile && !strings.Contains(e.Name(), ".tmp-")
	})
}

// states returns the states of all workspaces that can be read.
func (s *Service) states() ([]*engine.State, error) {
	all, err := workspace.List(s.project.Root)
	if err != nil {
		return nil, err
	}
	var states []*engine.State
	for _, w := range all {
		st := new(engine.State)
		if err := w.Load(st); err != nil {
			s.o.Log.Warn("a pipeline's state cannot be read", "workspace", w.Path(), "err", err)
			continue
		}
		states = append(states, st)
	}
	return states, nil
}
