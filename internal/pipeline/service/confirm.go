package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
)

// A ContextRequest is a call of the handshake. The objects are those of the data
// contract.
type ContextRequest struct {
	Workspace         string          `json:"workspace"`
	SourceID          string          `json:"source_id,omitempty"`
	SourceURL         string          `json:"source_url,omitempty"`
	ExternalContext   json.RawMessage `json:"external_context,omitempty"`
	Flags             json.RawMessage `json:"flags,omitempty"`
	TaskText          string          `json:"task_text,omitempty"`
	UserConfirmation  json.RawMessage `json:"user_confirmation,omitempty" jsonschema:"{effort} as the user chose; also workspace_slug, use_current_branch, enriched_request_body if wanted"`
	DiscussionAnswers string          `json:"discussion_answers,omitempty"`
}

// object reads an argument that is an object, or one written as a string. It
// returns nil if there is none.
func object[T any](name string, raw json.RawMessage) (*T, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err == nil {
			raw = []byte(text)
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	v := new(T)
	if raw[0] != '{' {
		return nil, problem.New(problem.InvalidArgument, "pipeline.must_object", name).Or("pipeline.send_answer_before_named")
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, problem.New(problem.InvalidArgument, "pipeline.not_must", name, err).
			Or("pipeline.send_answer_before_named")
	}
	return v, nil
}

// InitWithContext is the handshake: it detects, asks, and when the user has
// confirmed makes the workspace.
func (s *Service) InitWithContext(ctx context.Context, r ContextRequest) (*Reply, error) {
	confirmed, err := object[request.UserConfirmation]("user_confirmation", r.UserConfirmation)
	if err != nil {
		return nil, err
	}
	call, err := request.CallOf(r.DiscussionAnswers, confirmed)
	if err != nil {
		return errorsReply(msg.Join("", err)), nil
	}
	initial, err := workspace.Of(s.project.Root, r.Workspace)
	if err != nil {
		return nil, err
	}
	repo, none := s.repository(ctx)
	if none == nil {
		if p := taskbranch.RefuseFolder(repo, s.project.Root); p != nil {
			return nil, p
		}
	}
	if call == request.ConfirmCall {
		if none != nil {
			return nil, none
		}
		unlock, err := locksOf(repo).Alone() // of two calls for one workspace the second finds what the first has made
		if err != nil {
			return nil, err
		}
		defer unlock()
		if st, err := s.existing(initial.Path()); st != nil || err != nil {
			return s.replyExisting(st, err)
		}
	}
	d, err := s.buildDraft(ctx, initial.Path(), r)
	if err != nil {
		return nil, err
	}
	if err := s.asked(ctx, request.Request{Flags: *d.flags, Source: d.source, Text: d.text}); err != nil {
		return nil, err
	}
	d.keepTyped()
	if reply, err := s.takePull(ctx, &d); reply != nil || err != nil {
		return reply, err
	}
	if call == request.DetectCall && d.flags.Discusses(d.source.Type) {
		return &Reply{request.Discuss()}, nil
	}
	if call == request.ConfirmCall {
		reply, err := s.confirm(ctx, initial, d, confirmed)
		if err != nil {
			return nil, err
		}
		if made, ok := reply.Body.(request.Ready); ok {
			err = s.noteUsed(ctx, made.Workspace)
		}
		return reply, err
	}
	effort, reasons, err := request.EffortOf(d.flags.EffortOverride, d.pull, *d.context, d.text)
	if err != nil {
		return errorsReply(msg.Join("", err)), nil
	}
	d.min = d.leastEffort()
	if d.body = request.Body(*d.context, d.text, r.DiscussionAnswers); d.body == "" {
		d.body = d.source.URL
	}
	d.detected = effort
	s.mu.Lock()
	s.drafts[initial.Path()] = d
	s.mu.Unlock()
	skips := make(map[request.Effort][]request.Skip)
	for _, e := range []request.Effort{request.XS, request.S, request.M, request.L} {
		skips[e] = []request.Skip{}
		for _, id := range engine.Skipped(s.table, string(e)) {
			skips[e] = append(skips[e], request.Skip{PhaseID: string(id), Label: engine.Label(id)})
		}
	}
	asks := request.Confirm(effort, reasons, skips, *d.flags, s.isMain(ctx, d.flags.CurrentBranch), d.body)
	if d.source.Tracked() && strings.TrimSpace(d.context.Title()+d.context.Body()) == "" {
		asks.NeedsUserConfirmation.Message = textformat.Sentences(asks.NeedsUserConfirmation.Message,
			msg.New("pipeline.nothing_issue_came_external_context"))
	}
	asks.NeedsUserConfirmation.Message = textformat.Sentences(asks.NeedsUserConfirmation.Message, d.sourceNotice(),
		s.estimate(effort, request.BranchType(*d.context, d.text), d.context.Title()+"\n"+d.text), s.whoChecks())
	return &Reply{asks}, nil
}

// keepTyped takes from a call what a person did not type: that nobody is asked, and that the
// pipeline does not stop where they said.
func (d *draft) keepTyped() {
	if d.typed == nil {
		return
	}
	flags := *d.flags
	flags.Auto = flags.Auto && d.typed.Auto
	if d.typed.Until != "" {
		flags.Until = d.typed.Until
	}
	if d.typed.Budget != "" {
		flags.Budget = d.typed.Budget
	}
	d.flags = &flags
}

// leastEffort is what the request needs at least by its own words, where they decide that; "" where
// they do not. It never falls from one call to the next.
func (d *draft) leastEffort() request.Effort {
	least, why, err := request.EffortOf(d.flags.EffortOverride, d.pull, *d.context, textformat.FirstText(d.words, d.text))
	if err != nil || request.Undecided(why) || d.min.Exceeds(least) {
		return d.min
	}
	return least
}

// buildDraft puts together what this call brings and what earlier ones brought.
func (s *Service) buildDraft(ctx context.Context, initial string, r ContextRequest) (draft, error) {
	s.mu.Lock()
	d := s.drafts[initial]
	s.mu.Unlock()
	flags, err := object[request.Flags]("flags", r.Flags)
	if err != nil {
		return d, err
	}
	if flags != nil {
		d.flags = flags
	}
	if d.flags == nil {
		d.flags = new(request.Flags)
	}
	d.flags.CurrentBranch = s.branchNow(ctx, d.flags.CurrentBranch)
	external, err := object[request.Context]("external_context", r.ExternalContext)
	if err != nil {
		return d, err
	}
	if external != nil {
		d.context = external
	}
	if d.context == nil {
		d.context = new(request.Context)
	}
	if r.SourceURL != "" {
		if d.source, err = request.ParseSource(r.SourceURL, s.parseOptions()); err != nil {
			return d, problem.New(problem.InvalidArgument, "pipeline.source_url", err).
				Or("pipeline.send_the_returned_source_url", op.PipelineInit)
		}
	}
	switch d.source.Type {
	case "":
		d.source.Type = request.Text
	case request.Workspace: // one that has ended
		d.source.URL, d.source.ID = cmp.Or(d.source.ID, d.source.URL), ""
	}
	if r.SourceID != "" && d.source.ID == "" && d.source.Type != request.Text && d.source.Type != request.Workspace {
		d.source.ID = r.SourceID
	}
	if r.TaskText != "" {
		d.text = r.TaskText
	}
	if strings.TrimSpace(d.text) == d.source.URL { // it says nothing but where the issue is
		d.text = ""
	}
	return d, nil
}

// existing returns the state that was confirmed for a workspace of pipeline_init.
func (s *Service) existing(initial string) (*engine.State, error) {
	states, err := s.states()
	if err != nil {
		return nil, err
	}
	for _, st := range states {
		if st.InitWorkspace == initial || st.Workspace == initial {
			return st, nil
		}
	}
	return nil, nil
}

// replyExisting answers a confirm call that is repeated.
func (s *Service) replyExisting(st *engine.State, err error) (*Reply, error) {
	if err != nil {
		return nil, err
	}
	if st.Over() {
		return errorReply("pipeline.workspace_cannot_begun_again_call", st.Workspace, st.Status, op.PipelineInit), nil
	}
	w, err := workspace.Of(s.project.Root, st.Workspace)
	if err != nil {
		return nil, err
	}
	text, err := w.Read(workspace.RequestFile)
	if err != nil {
		return nil, fmt.Errorf("forge: %w", err)
	}
	return readyReply(st, text), nil
}

func readyReply(st *engine.State, text string) *Reply {
	skipped := make([]string, len(st.SkippedPhases))
	for i, id := range st.SkippedPhases {
		skipped[i] = string(id)
	}
	return &Reply{request.Ready{
		Ready: true, Workspace: st.Workspace, Effort: request.Effort(st.Effort), FlowTemplate: st.FlowTemplate,
		SkippedPhases: skipped, RequestMDContent: text, Branch: st.Branch, CreateBranch: st.CreateBranch,
	}}
}

var dayOf = lazyregexp.MustCompile(`^(\d{8})-(.+)$`)

// confirm makes the workspace: request.md and then state.json, which makes it one.
func (s *Service) confirm(ctx context.Context, initial *workspace.Workspace, d draft,
	c *request.UserConfirmation) (*Reply, error) {
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	effort := d.detected
	if c.Effort != "" {
		if effort, err = request.ParseEffort(c.Effort); err != nil {
			return errorsReply(msg.Join("", err)), nil
		}
	} else if effort == "" {
		if effort, _, err = request.EffortOf(d.flags.EffortOverride, d.pull, *d.context, d.text); err != nil {
			return errorsReply(msg.Join("", err)), nil
		}
	}
	if typed := d.flags.EffortOverride; d.flags.Auto && typed != nil {
		if asked, err := request.ParseEffort(*typed); err == nil && asked != effort {
			return errorReply("pipeline.auto_nobody_asked_effort_typed", asked, asked, effort), nil
		}
	} else if least := d.leastEffort(); d.flags.Auto && least.Exceeds(effort) {
		return errorReply("pipeline.auto_request_needs_effort", least, least, effort), nil
	}
	if until := d.flags.Until; until != "" && !slices.Contains(engine.UntilPhases(s.table), until) {
		return errorReply("pipeline.no_phase_stop_after_phases", until, strings.Join(engine.UntilPhases(s.table), ", ")), nil
	}
	budget, err := budgetOf(d.flags.Budget)
	if err != nil {
		return errorsReply(msg.Join("", err)), nil
	}
	body := textformat.FirstText(c.EnrichedRequestBody, d.body, request.Body(*d.context, d.text, ""), d.source.URL)
	title := text.OneLine(d.context.Title())
	if title == "" {
		title = request.Headline(textformat.FirstLine(d.text, body, d.source.URL, initial.Name()))
	}
	day, rest := s.o.Now().Format("20060102"), initial.Name()
	if m := dayOf.FindStringSubmatch(initial.Name()); m != nil {
		day, rest = m[1], m[2]
	}
	slug := request.Slug(c.WorkspaceSlug)
	if strings.TrimSpace(c.WorkspaceSlug) == "" {
		slug = rest
		if d.context.Title() != "" {
			slug = request.Slug(d.context.Title())
		}
	}
	name, err := s.freeName(request.WorkspaceName(day, d.source.ID, slug), initial.Path())
	if err != nil {
		return nil, err
	}
	w, err := workspace.Of(s.project.Root, workspace.Folder+"/"+name)
	if err != nil {
		return nil, err
	}
	now := s.o.Now().UTC().Format(time.RFC3339)
	spec := strings.TrimPrefix(name, day+"-")
	st := &engine.State{
		Schema: engine.Schema, Revision: 1, Workspace: w.Path(), InitWorkspace: initial.Path(), SpecName: spec, Title: title,
		Request: title + "\n" + body, Created: now, Updated: now, Status: engine.StatusActive,
		Source: engine.Source{Type: d.source.Type, ID: d.source.ID, URL: d.source.URL},
		Flags: engine.Flags{Auto: d.flags.Auto, SkipPR: d.flags.SkipPR, Debug: d.flags.Debug, Discuss: d.flags.Discuss,
			Until: phase.ID(d.flags.Until)},
		Plan: engine.Plan{
			Effort: string(effort), FlowTemplate: effort.Template(), SkippedPhases: engine.Skipped(s.table,
				string(effort)),
			MaxParallel: s.project.Config.ParallelAgents,
		},
		HumanGate: s.project.Config.HumanGate, Budget: budget,
		Untitled: d.context.Title() == "", GitBranch: engine.GitBranch{BranchType: request.BranchType(*d.context, d.text)},
		Progress: engine.Progress{Phase: engine.Setup},
	}
	if st.Instructions, err = s.approved(); err != nil {
		return nil, err
	}
	reply, err := s.branchFor(ctx, st, spec, d, c.UseCurrentBranch)
	if reply != nil || err != nil {
		return reply, err
	}
	settings, err := repo.Settings(ctx)
	if err != nil {
		return nil, err
	}
	st.GitSettings = settings.All()
	history := s.contentOf(indexFile)
	st.History = &history
	st.Note(engine.Entry{Event: engine.EventCreated, By: string(cmp.Or(d.by, approval.Relayed)), Time: now, Revision: 1,
		Detail: map[string]string{"effort": st.Effort, "branch": st.Branch}})
	text := request.Markdown(request.Document{SourceType: d.source.Type, SourceURL: d.source.URL, SourceID: d.source.ID,
		Title: d.context.Title(), Original: request.Body(*d.context, textformat.FirstText(d.words, d.text), ""), Body: body})
	st.RequestFile = text
	if err := w.Write(workspace.RequestFile, text); err != nil {
		return nil, err
	}
	if err := w.Save(locksOf(repo), 0, st); err != nil {
		return nil, err
	}
	s.mu.Lock()
	delete(s.drafts, initial.Path())
	s.mu.Unlock()
	return readyReply(st, text), nil
}
