package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/pastruns"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/plainjson"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow/phase"
)

// indexFile is the history of all pipelines.
const indexFile = pastruns.File

// A ResumeRequest asks where a pipeline is.
type ResumeRequest struct {
	Workspace string `json:"workspace"`
}

// Outstanding is an action that was handed out and not reported.
type Outstanding struct {
	Ticket string   `json:"ticket"`
	Type   string   `json:"type"`
	Phase  phase.ID `json:"phase"`
	Name   string   `json:"name,omitempty"`
	Tasks  []string `json:"tasks,omitempty"`
	Since  string   `json:"since"`

	Options []string `json:"options,omitempty"` // if a person is asked
}

// A TaskInfo says how far a task is.
type TaskInfo struct {
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	Status  engine.TaskStatus `json:"status"`
	Verdict string            `json:"verdict,omitempty"`
	Retries int               `json:"retries,omitempty"`
	Commit  string            `json:"commit,omitempty"`
}

// ResumeInfo is where a pipeline is, what is outstanding, and what was decided.
type ResumeInfo struct {
	Workspace   string                `json:"workspace"`
	SpecName    string                `json:"spec_name"`
	Title       string                `json:"title"`
	Status      engine.Status         `json:"status"`
	Phase       phase.ID              `json:"phase"`
	Label       msg.Message           `json:"label"`
	Effort      string                `json:"effort"`
	Template    string                `json:"flow_template"`
	Branch      string                `json:"branch"`
	PullRequest string                `json:"pull_request,omitempty"`
	Paused      string                `json:"paused,omitempty"`
	Passed      []phase.ID            `json:"completed_phases"`
	Skipped     []phase.ID            `json:"skipped_phases"`
	Tasks       []TaskInfo            `json:"tasks"`
	Decisions   []engine.Decision     `json:"decisions"`
	Revisions   map[phase.Counter]int `json:"revisions"`
	Created     string                `json:"created"`
	Updated     string                `json:"updated"`
	Revision    int                   `json:"revision"`
	Stats       Stats                 `json:"stats"`
	Instruction msg.Message           `json:"instruction"`
	Outstanding *Outstanding          `json:"outstanding"` // null: nothing is

	Printer msg.Printer `json:"-"` // of the text form
}

// Text is the same, for people.
func (i *ResumeInfo) Text() string {
	var b strings.Builder
	say := func(key string, args ...any) { b.WriteString(i.Printer.Say(key, args...) + "\n") }
	say("pipeline.info_head", i.Workspace, i.Status, i.Effort, i.Branch)
	b.WriteString(i.Title + "\n\n")
	say("pipeline.info_phase", i.Phase, i.Label)
	if o := i.Outstanding; o != nil {
		say("pipeline.info_outstanding", o.Ticket, o.Type, o.Name, o.Phase, o.Since)
		if o.Options != nil {
			say("pipeline.info_you_decide", quote.Shell(path.Base(i.Workspace)), o.Options)
		}
	}
	if i.Paused != "" {
		say("pipeline.info_paused", i.Paused)
	}
	say("pipeline.info_completed", phaseList(i.Passed))
	say("pipeline.info_skipped", phaseList(i.Skipped))
	for _, k := range i.Tasks {
		say("pipeline.info_task", k.ID, k.Status, k.Verdict, k.Title)
	}
	for _, d := range i.Decisions {
		say("pipeline.info_decided", d.By, d.Name, d.Choice, d.Text)
	}
	if i.PullRequest != "" {
		say("pipeline.info_pull_request", i.PullRequest)
	}
	say("pipeline.info_totals", i.Stats.Tokens, i.Stats.DurationMS/1000)
	if !i.Instruction.IsZero() {
		b.WriteString("\n" + i.Printer.Text(i.Instruction) + "\n")
	}
	return b.String()
}

func phaseList(ids []phase.ID) msg.Message {
	if len(ids) == 0 {
		return msg.New("pipeline.none")
	}
	return msg.Join("", ids)
}

// ResumeInfo reports where a pipeline is. It changes nothing, and is told to
// anybody.
func (s *Service) ResumeInfo(_ context.Context, r ResumeRequest) (*ResumeInfo, error) {
	_, st, err := s.read(r.Workspace)
	if err != nil {
		return nil, err
	}
	return s.info(st), nil
}

func (s *Service) info(st *engine.State) *ResumeInfo {
	i := &ResumeInfo{
		Workspace: st.Workspace, SpecName: st.SpecName, Title: text.OneLine(st.Title), Status: st.Status, Phase: st.Phase,
		Label:  engine.Label(st.Phase),
		Effort: st.Effort, Template: st.FlowTemplate, Branch: st.Branch, PullRequest: st.PullRequest,
		Passed: orEmpty(st.CompletedPhases), Skipped: orEmpty(st.SkippedPhases), Tasks: []TaskInfo{},
		Decisions: orEmpty(st.Decisions),
		Revisions: map[phase.Counter]int{}, Created: st.Created, Updated: st.Updated, Revision: st.Revision,
	}
	for c, n := range st.Counters {
		i.Revisions[c] = n
	}
	i.Stats.Phases = len(st.CompletedPhases)
	i.Stats.Tokens, i.Stats.DurationMS = st.Totals()
	if k := st.Ticket; k != nil {
		i.Outstanding = &Outstanding{Ticket: k.ID, Type: k.Type, Phase: k.Phase, Name: k.Name, Tasks: k.Tasks,
			Since: k.At}
		if k.Asks() {
			i.Outstanding.Options = engine.Choices(k)
		}
	}
	if st.Pause != nil {
		i.Paused = st.Pause.Name
	}
	for _, k := range st.Tasks {
		info := TaskInfo{ID: k.ID, Title: text.OneLine(k.Title), Status: k.Status, Retries: k.Retries, Commit: k.Commit}
		if k.Review != nil {
			info.Verdict = k.Review.Verdict
		}
		i.Tasks = append(i.Tasks, info)
	}
	if !st.Over() {
		i.Instruction = msg.New("pipeline.ask_for_next_action_of_workspace", st.Workspace, op.PipelineNextAction)
	}
	return i
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// List describes all pipelines, the newest first.
func (s *Service) List() ([]*ResumeInfo, error) {
	states, err := s.states()
	if err != nil {
		return nil, err
	}
	list := []*ResumeInfo{}
	for _, st := range slices.Backward(states) {
		list = append(list, s.info(st))
	}
	return list, nil
}

// Find returns the pipeline that a person names: by its path, its folder, or so
// much of its beginning or end as no other has.
func (s *Service) Find(name string) (string, error) {
	states, err := s.states()
	if err != nil {
		return "", err
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	var found []string
	for _, st := range states {
		folder := strings.TrimPrefix(st.Workspace, workspace.Folder+"/")
		if name == folder || name == st.Workspace {
			return st.Workspace, nil
		}
		if name != "" && (strings.HasPrefix(folder, name) || strings.HasSuffix(folder, name)) {
			found = append(found, st.Workspace)
		}
	}
	switch len(found) {
	case 0:
		return "", problem.New(workspace.NoWorkspace, "pipeline.no_pipeline_called", name).
			Or("pipeline.code_intel_pipeline_show_lists")
	case 1:
		return found[0], nil
	}
	return "", problem.New(problem.InvalidArgument, "pipeline.may_any", name, strings.Join(found, ", ")).
		Or("pipeline.give_more_name")
}

// Show describes a pipeline, and its journal.
func (s *Service) Show(_ context.Context, path string) (*ResumeInfo, []engine.Entry, error) {
	w, st, err := s.read(path)
	if err != nil {
		return nil, nil, err
	}
	entries, err := workspace.Journal[engine.Entry](w)
	return s.info(st), entries, err
}

// Reindexed is what the history was made of.
type Reindexed struct {
	pastruns.Rebuilt
}

// Reindex makes .specs/index.json anew from the workspaces that have ended.
func (s *Service) Reindex(ctx context.Context) (*Reindexed, error) {
	if _, err := os.Stat(filepath.Join(s.project.Root, ".specs")); errors.Is(err, fs.ErrNotExist) {
		return &Reindexed{}, nil // no pipeline was ever here, and none begins now
	}
	_, rebuilt, err := pastruns.Rebuild(s.project.Root, func() ([]pastruns.Entry, error) {
		states, err := s.states()
		if err != nil {
			return nil, err
		}
		var entries []pastruns.Entry
		for _, st := range states {
			if !st.Over() {
				continue
			}
			w, err := workspace.Of(s.project.Root, st.Workspace)
			if err != nil {
				return nil, err
			}
			entries = append(entries, (&turn{s: s, w: w, st: st}).entry(ctx, st.Status))
		}
		return entries, nil
	})
	if err != nil {
		return nil, err
	}
	return &Reindexed{rebuilt}, nil
}

// remember adds the pipeline to the history.
func (t *turn) remember(ctx context.Context, as engine.Status) error {
	past, err := pastruns.Open(t.s.project.Root)
	if err != nil {
		return err
	}
	if t.st.History != nil { // from here on the server writes it; a process that dies here has not edited it
		t.st.History = nil
		if err := t.save(); err != nil {
			return err
		}
		failpoint.Point("history: not written")
	}
	return past.Put(t.entry(ctx, as))
}

// entry is the pipeline as the history keeps it.
func (t *turn) entry(_ context.Context, as engine.Status) pastruns.Entry {
	st := t.st
	e := pastruns.Entry{
		SpecName: st.SpecName, Workspace: st.Workspace, Title: st.Title, Status: pastruns.Status(as), Effort: st.Effort,
		SourceType: st.Source.Type, SourceURL: st.Source.URL, Branch: st.Branch, PullRequest: st.PullRequest,
		Started: st.Created, Ended: st.Updated, Request: st.Request,
	}
	if as == engine.StatusAbandoned {
		e.Phase = string(st.Phase)
	}
	if content, err := t.w.Read(engine.SummaryFile); err == nil {
		e.Summary = text.Clip(text.OneLine(textformat.Section(content)), 400)
	}
	for _, id := range st.SkippedPhases {
		e.Skipped = append(e.Skipped, string(id))
	}
	for _, f := range st.ReviewFindings {
		e.Findings = append(e.Findings, pastruns.Finding{Phase: string(f.Phase), Severity: f.Severity,
			Description: f.Description.String()})
	}
	for _, k := range st.Tasks {
		e.Files = append(e.Files, k.Claimed...)
	}
	slices.Sort(e.Files)
	e.Files = slices.Compact(e.Files)
	if content, err := t.w.Read("improvement.md"); err == nil {
		for _, f := range artifact.Frictions(content) {
			e.Frictions = append(e.Frictions, pastruns.Friction{Text: f.Friction, Suggestion: f.Suggestion})
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.s.o.Log.Warn("improvement.md cannot be read", "workspace", t.w.Path(), "err", err)
	}
	for _, p := range st.PhaseRuns {
		e.Phases = append(e.Phases, pastruns.PhaseLog{
			Phase: string(p.Phase), Task: p.Task, Tokens: int64(p.Tokens), DurationMS: int64(p.Duration), Model: p.Model,
			Verdict: p.Verdict, Revision: p.Revision,
		})
	}
	return e
}

// debug logs requests, and actions with their prompts.
func (t *turn) debug(r NextRequest, a *NextAnswer) {
	if t.st.Over() {
		return // nothing in the workspace changes any more
	}
	data, err := plainjson.Encode(struct {
		Request NextRequest `json:"request"`
		Answer  *NextAnswer `json:"answer"`
	}{r, msg.Bind(a, msg.Printer{})})
	if err == nil {
		err = t.w.Write(fmt.Sprintf("debug/%04d-%s.json", t.st.Revision, a.Type), string(data)+"\n")
	}
	if err != nil {
		t.s.o.Log.Warn("the debug folder is not written", "workspace", t.w.Path(), "err", err)
	}
}
