package service

import (
	"context"
	"fmt"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// A Plan is the pipeline that a line would begin.
type Plan struct {
	Workspace string           `json:"workspace"` // names it for [Service.Start], which begins it once
	Effort    request.Effort   `json:"effort"`
	Efforts   []request.Effort `json:"efforts"` // to choose from, the smallest first
	Kind      string           `json:"kind"`    // of its branch
	Request   string           `json:"request"` // what the agents read
	Says      msg.Message      `json:"says"`    // why this effort, what past ones took, what is taken up
}

// Plan says what a person would begin with a line as it is typed after /forge. It changes
// nothing.
func (s *Service) Plan(ctx context.Context, line string) (*Plan, error) {
	d, initial, err := s.draftOf(ctx, line)
	if err != nil {
		return nil, err
	}
	effort, reasons, err := request.EffortOf(d.flags.EffortOverride, d.pull, *d.context, d.text)
	if err != nil {
		return nil, problem.With(problem.InvalidArgument, msg.Of(err), msg.New("pipeline.change_the_line"))
	}
	kind := request.BranchType(*d.context, d.text)
	says := textformat.Sentences(msg.New("pipeline.plan_effort", string(effort), msg.Listed("; ", reasons)), d.sourceNotice(),
		s.estimate(effort, kind, d.context.Title()+"\n"+d.text), s.whoChecks())
	p := &Plan{Workspace: initial.Path(), Effort: effort, Kind: kind, Request: request.Body(*d.context, d.text, ""), Says: says}
	for _, e := range []request.Effort{request.XS, request.S, request.M, request.L} {
		if d.flags.EffortOverride == nil || e == effort { // what was typed is chosen
			p.Efforts = append(p.Efforts, e)
		}
	}
	return p, nil
}

// Start begins the pipeline of a plan for a person. Of two calls with the same plan the
// second finds what the first has begun. An agent takes it up by its workspace.
func (s *Service) Start(ctx context.Context, line, planned string, effort request.Effort,
	by approval.Channel) (*request.Ready, error) {
	initial, err := workspace.Of(s.project.Root, planned)
	if err != nil {
		return nil, err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	unlock, err := locksOf(repo).Alone()
	if err != nil {
		return nil, err
	}
	defer unlock()
	st, err := s.existing(initial.Path())
	if st != nil || err != nil {
		return started(s.replyExisting(st, err))
	}
	d, _, err := s.draftOf(ctx, line)
	if err != nil {
		return nil, err
	}
	d.by = by
	return started(s.confirm(ctx, initial, d, &request.UserConfirmation{Effort: string(effort)}))
}

// started is the answer to a confirmation, or the Problem that it reports.
func started(r *Reply, err error) (*request.Ready, error) {
	if err != nil {
		return nil, err
	}
	switch body := r.Body.(type) {
	case request.Ready:
		return &body, nil
	case request.Errors:
		return nil, notStarted(body.Errors...)
	}
	return nil, fmt.Errorf("forge: an answer of type %T", r.Body)
}

// notStarted is why no pipeline is begun.
func notStarted(errs ...msg.Message) error {
	return problem.With(problem.InvalidArgument, textformat.Sentences(errs...), msg.New("pipeline.change_the_line"))
}

// draftOf understands a line and reads what it names, as the handshake with an agent does.
func (s *Service) draftOf(ctx context.Context, line string) (draft, *workspace.Workspace, error) {
	parsed, errs := s.parse(line)
	inAgent := func(key string, args ...any) error {
		return problem.New(problem.InvalidArgument, key, args...).Or("pipeline.type_it_in_your_agent", strings.TrimSpace(line))
	}
	switch {
	case len(errs) > 0:
		return draft{}, nil, notStarted(errs...)
	case parsed.Workspace != "":
		return draft{}, nil, inAgent("pipeline.is_there_already", parsed.Workspace)
	case parsed.Flags.Discusses(parsed.Source.Type):
		return draft{}, nil, inAgent("pipeline.questions_are_asked_there")
	}
	parsed.Flags.CurrentBranch = s.branchNow(ctx, "")
	d := draft{flags: &parsed.Flags, typed: &parsed.Flags, source: parsed.Source, text: parsed.Text,
		words: parsed.Text, context: new(request.Context)}
	if d.text == d.source.URL { // it says nothing but where the issue is
		d.text = ""
	}
	reply, err := s.takePull(ctx, &d)
	if err != nil {
		return draft{}, nil, err
	}
	if reply != nil {
		return draft{}, nil, notStarted(reply.Body.(request.Errors).Errors...)
	}
	switch {
	case d.source.Type == request.GitHubIssue && d.told == nil:
		why := d.unsure
		if why == nil {
			why = msg.Err("pipeline.gh_not_installed")
		}
		return draft{}, nil, inAgent("pipeline.issue_not_read", d.source.URL, why)
	case d.source.Type == request.GitHubIssue:
		d.context = d.told.Context()
	case d.source.Tracked():
		return draft{}, nil, inAgent("pipeline.tracker_is_read_there", d.source.URL)
	}
	name, err := s.freeName(strings.TrimPrefix(parsed.Init(s.o.Now().Format("20060102")).Workspace, workspace.Folder+"/"), "")
	if err != nil {
		return draft{}, nil, err
	}
	w, err := workspace.Of(s.project.Root, workspace.Folder+"/"+name)
	return d, w, err
}

// sourceNotice says what of the source the user should know before it is confirmed.
func (d *draft) sourceNotice() msg.Message {
	var said []msg.Message
	if d.unsure != nil {
		said = append(said, msg.New("pipeline.issue_may_be_pull_request", d.source.URL, d.unsure))
	}
	if p := d.pull; p != nil && len(p.Comments) > 0 {
		said = append(said, msg.New("pipeline.pull_request_is_taken_up", d.source.URL, p.Head, len(p.Comments)))
		if p.Answered+p.Unread > 0 {
			said = append(said, msg.New("pipeline.pull_request_comments_left_out", p.Answered, p.Unread))
		}
		if p.Partial != "" {
			said = append(said, msg.New("pipeline.pull_request_told_in_part", p.Partial))
		}
	}
	return textformat.Sentences(said...)
}
