package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/workflow"
)

const (
	maxPipelines = 40
	maxJournal   = 200
)

// A pipelineSummary is a pipeline in a list.
type pipelineSummary struct {
	Workspace  string        `json:"workspace"`
	Title      string        `json:"title"`
	Status     engine.Status `json:"status"`
	Phase      string        `json:"phase"`
	Label      msg.Message   `json:"label"`
	Effort     string        `json:"effort"`
	Branch     string        `json:"branch"`
	Tokens     int           `json:"tokens"`
	DurationMS int           `json:"duration_ms"`
	Tasks      int           `json:"tasks"`
	TasksDone  int           `json:"tasks_done"`
	Created    string        `json:"created"`
	Updated    string        `json:"updated"`
	Waits      bool          `json:"waits,omitempty"`
}

// pipelineSection is the pipelines of a project, and the one to look at.
type pipelineSection struct {
	Total     int               `json:"total"`
	Pipelines []pipelineSummary `json:"pipelines"`            // the active ones first, and what went on last; at most maxPipelines
	Damaged   []string          `json:"damaged,omitempty"`    // workspaces whose state cannot be read
	Current   *pipelineView     `json:"current"`              // the last that went on and is active, else the last
	Unread    *problemView      `json:"unreadable,omitempty"` // why that cannot be shown
	MayStart  bool              `json:"may_start"`            // one may be begun here
}

// A pipelineView is all that the page shows of one pipeline.
type pipelineView struct {
	*service.Overview
	Desk    *pendingDecision `json:"desk,omitempty"` // what a person is asked now
	Stop    *stop            `json:"stop,omitempty"` // of one that is active
	Total   int              `json:"journal_total"`
	Journal []engine.Entry   `json:"journal"` // the last ones first; at most maxJournal
	Damaged *problemView     `json:"journal_problem,omitempty"`
}

// A stop says whether a person may abandon a pipeline on the page.
type stop struct {
	Open bool         `json:"open"`
	Why  *problemView `json:"why,omitempty"`
}

// A pendingDecision is what a person has to decide in a pipeline now.
type pendingDecision struct {
	Workspace string           `json:"workspace"`
	Ticket    string           `json:"ticket"`
	Name      string           `json:"name"`
	Since     string           `json:"since"`
	Text      string           `json:"text"`
	Options   []string         `json:"options"`
	Unlisted  []string         `json:"unlisted"` // understood, and not recommended
	Demand    approval.Channel `json:"demand"`
	Open      bool             `json:"open"` // it may be answered here
	Why       *problemView     `json:"why,omitempty"`
}

// pipelinesMark looks at the state and the journal of every workspace.
func (s *Server) pipelinesMark() string {
	at := filepath.Join(s.o.Root, workspace.Folder)
	var files []string
	entries, _ := repofile.At(at).List() // none, if there is no folder
	for _, e := range entries {
		if e.IsDir() {
			files = append(files, filepath.Join(at, e.Name(), workspace.StateFile),
				filepath.Join(at, e.Name(), workspace.JournalFile))
		}
	}
	return fingerprint(append(files, filepath.Join(s.o.Root, project.Dir, "config.json"))...)
}

func (s *Server) pipelines() (*service.Service, error) {
	p, err := s.project()
	if err != nil {
		return nil, err
	}
	return service.New(p, service.Options{Log: s.o.Log, Now: s.o.Now})
}

func (s *Server) readPipelines(ctx context.Context) (view, error) {
	forge, err := s.pipelines()
	if err != nil {
		return nil, err
	}
	list, err := forge.List()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b *service.ResumeInfo) int {
		if (a.Status == engine.StatusActive) != (b.Status == engine.StatusActive) {
			return map[bool]int{true: -1, false: 1}[a.Status == engine.StatusActive]
		}
		return cmp.Compare(b.Updated, a.Updated)
	})
	section := &pipelineSection{Total: len(list), Pipelines: []pipelineSummary{}, MayStart: s.o.Person != nil && s.o.Person("") == nil}
	readable := make(map[string]bool)
	current := ""
	for _, i := range list {
		readable[i.Workspace] = true
		if len(section.Pipelines) < maxPipelines {
			section.Pipelines = append(section.Pipelines, pipelineLine(i))
		}
		if current == "" && i.Status == engine.StatusActive {
			current = i.Workspace
		}
	}
	if all, err := workspace.List(s.o.Root); err == nil {
		for _, w := range all {
			if !readable[w.Path()] {
				section.Damaged = append(section.Damaged, w.Path())
			}
		}
	}
	if current == "" && len(list) > 0 {
		current = list[0].Workspace
	}
	var shown view
	var unread error
	if current != "" {
		shown, unread = s.pipeline(ctx, forge, current)
	}
	return func(words msg.Printer) any {
		said := *section
		switch {
		case unread != nil:
			said.Unread = fault(words, unread)
		case shown != nil:
			said.Current = shown(words).(*pipelineView)
		}
		return said
	}, nil
}

func pipelineLine(i *service.ResumeInfo) pipelineSummary {
	l := pipelineSummary{
		Workspace: i.Workspace, Title: i.Title, Status: i.Status, Phase: string(i.Phase), Label: i.Label,
		Effort: i.Effort, Branch: i.Branch,
		Tokens: i.Stats.Tokens, DurationMS: i.Stats.DurationMS, Tasks: len(i.Tasks), Created: i.Created, Updated: i.Updated,
	}
	for _, k := range i.Tasks {
		if k.Status == engine.TaskPassed || k.Status == engine.TaskDone || k.Status == engine.TaskSkipped {
			l.TasksDone++
		}
	}
	l.Waits = waitsForPerson(i)
	return l
}

// waitsForPerson reports whether a pipeline waits for a person.
func waitsForPerson(i *service.ResumeInfo) bool {
	o := i.Outstanding
	return o != nil && i.Status == engine.StatusActive &&
		(o.Type == engine.Checkpoint{}.Kind() || o.Type == engine.HumanGate{}.Kind())
}

// pipeline reads one pipeline. A journal that cannot be read is left out, and said
// to be so; so is a question.
func (s *Server) pipeline(ctx context.Context, forge *service.Service, path string) (view, error) {
	o, err := forge.Overview(path)
	if err != nil {
		return nil, err
	}
	_, journal, journalErr := forge.Show(ctx, path)
	var asked *workflow.Question
	var askedErr error
	if waitsForPerson(o.Info) {
		asked, askedErr = forge.QuestionOf(ctx, path)
	}
	var mayStop error
	if o.Info.Status == engine.StatusActive {
		mayStop = s.mayStop(ctx, forge, path)
	}
	return func(words msg.Printer) any {
		v := &pipelineView{Overview: o, Total: len(journal), Journal: []engine.Entry{}}
		if o.Info.Status == engine.StatusActive {
			v.Stop = &stop{Open: mayStop == nil}
			if mayStop != nil {
				v.Stop.Why = fault(words, mayStop)
			}
		}
		if journalErr != nil {
			v.Damaged = fault(words, journalErr)
		}
		for i := len(journal) - 1; i >= 0 && len(v.Journal) < maxJournal; i-- {
			e := journal[i]
			detail := make(map[string]string)
			for name, text := range e.Detail {
				detail[name] = clip(text)
			}
			e.Detail = detail
			v.Journal = append(v.Journal, e)
		}
		switch {
		case askedErr != nil:
			v.Desk = &pendingDecision{Workspace: o.Info.Workspace, Name: o.Info.Outstanding.Name, Why: fault(words, askedErr),
				Options: []string{}, Unlisted: []string{}}
		case asked != nil:
			v.Desk = s.decisionView(asked, o.Info.Outstanding.Since, words)
		}
		return v
	}, nil
}

func (s *Server) decisionView(asked *workflow.Question, since string, words msg.Printer) *pendingDecision {
	q := *asked
	v := &pendingDecision{Workspace: q.ID, Ticket: q.Ticket, Name: q.Name, Since: since, Text: words.Text(q.Text),
		Options: q.Options, Unlisted: orNone(q.Unlisted), Demand: q.Demand}
	if err := s.mayDecide(&q); err != nil {
		v.Why = fault(words, err)
	} else {
		v.Open = true
	}
	return v
}

// mayStop returns a Problem unless a person may give a pipeline up on the page.
func (s *Server) mayStop(ctx context.Context, forge *service.Service, path string) error {
	holder, err := forge.Owner(ctx, path)
	if err == nil {
		err = s.checkPersonPresent(strings.TrimPrefix(path, workspace.Folder+"/"), holder)
	}
	if err == nil {
		err = forge.MayStop(path, approval.Dashboard)
	}
	return err
}

// serveStop gives a pipeline up for a person, as code-intel pipeline abandon does.
func (s *Server) serveStop(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Workspace string `json:"workspace"`
		Reason    string `json:"reason"`
	}
	if !s.decode(w, r, &said) {
		return
	}
	forge, err := s.pipelines()
	if err == nil {
		err = s.mayStop(r.Context(), forge, said.Workspace)
	}
	var info *service.ResumeInfo
	if err == nil {
		info, err = forge.Abandon(r.Context(), said.Workspace, strings.TrimSpace(said.Reason), approval.Dashboard)
	}
	if err != nil {
		s.refuse(w, r, refusedAs(err, http.StatusConflict), err)
		return
	}
	s.refresh(r.Context())
	s.answer(w, http.StatusOK, map[string]any{"data": map[string]any{"status": info.Status}})
}

// serveText answers with what an agent of a pipeline wrote, or changed.
func (s *Server) serveText(read func(forge *service.Service, path string, r *http.Request) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		forge, err := s.pipelines()
		var path, text string
		if err == nil {
			path, err = forge.Find(r.URL.Query().Get("id"))
		}
		if err == nil {
			text, err = read(forge, path, r)
		}
		if err != nil {
			s.refuse(w, r, refusedAs(err, http.StatusNotFound), err)
			return
		}
		s.answer(w, http.StatusOK, map[string]any{"data": map[string]any{"text": text}})
	}
}

func artifactOf(forge *service.Service, path string, r *http.Request) (string, error) {
	return forge.Artifact(path, r.URL.Query().Get("name"))
}

func diffOf(forge *service.Service, path string, r *http.Request) (string, error) {
	return forge.TaskDiff(r.Context(), path, r.URL.Query().Get("task"))
}

// servePipeline answers with one pipeline, whichever is named.
func (s *Server) servePipeline(w http.ResponseWriter, r *http.Request) {
	forge, err := s.pipelines()
	var path string
	if err == nil {
		path, err = forge.Find(r.URL.Query().Get("id"))
	}
	var v view
	if err == nil {
		v, err = s.pipeline(r.Context(), forge, path)
	}
	if err != nil {
		s.refuse(w, r, refusedAs(err, http.StatusNotFound), err)
		return
	}
	s.answer(w, http.StatusOK, map[string]any{"data": v(msg.In(s.language(r)))})
}
