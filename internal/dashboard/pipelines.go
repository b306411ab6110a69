package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"codeintel/internal/forge"
	"codeintel/internal/messages"
	"codeintel/internal/pipeline"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/workspace"
)

const (
	maxPipelines = 40
	maxJournal   = 200
)

// A PipelineLine is a pipeline in a list.
type PipelineLine struct {
	Workspace  string          `json:"workspace"`
	Title      string          `json:"title"`
	Status     pipeline.Status `json:"status"`
	Phase      string          `json:"phase"`
	Label      string          `json:"label"`
	Effort     string          `json:"effort"`
	Branch     string          `json:"branch"`
	Tokens     int             `json:"tokens"`
	DurationMS int             `json:"duration_ms"`
	Tasks      int             `json:"tasks"`
	TasksDone  int             `json:"tasks_done"`
	Created    string          `json:"created"`
	Updated    string          `json:"updated"`
	Waits      bool            `json:"waits,omitempty"`
}

// PipelineSection is the pipelines of a project, and the one to look at.
type PipelineSection struct {
	Total     int            `json:"total"`
	Pipelines []PipelineLine `json:"pipelines"`            // the last that went on first; at most maxPipelines
	Damaged   []string       `json:"damaged,omitempty"`    // workspaces whose state cannot be read
	Current   *Pipeline      `json:"current"`              // the last that went on and is active, else the last
	Unread    *Fault         `json:"unreadable,omitempty"` // why that cannot be shown
}

// A Pipeline is one pipeline, whole.
type Pipeline struct {
	*forge.Overview
	Command string           `json:"command,omitempty"` // with which a person answers what waits
	Total   int              `json:"journal_total"`
	Journal []pipeline.Entry `json:"journal"` // the last ones first; at most maxJournal
	Damaged *Fault           `json:"journal_problem,omitempty"`
}

// pipelinesMark looks at the state and the journal of every workspace.
func (s *Server) pipelinesMark() string {
	at := filepath.Join(s.o.Root, workspace.Folder)
	var files []string
	entries, _ := os.ReadDir(at) // none, if there is no folder
	for _, e := range entries {
		if e.IsDir() {
			files = append(files, filepath.Join(at, e.Name(), workspace.StateFile), filepath.Join(at, e.Name(), workspace.JournalFile))
		}
	}
	return fingerprint(append(files, filepath.Join(s.o.Root, project.Dir, "config.json"))...)
}

func (s *Server) pipelines() (*forge.Service, error) {
	p, err := s.project()
	if err != nil {
		return nil, err
	}
	return forge.New(p, forge.Options{Log: s.o.Log, Now: s.o.Now})
}

func (s *Server) readPipelines(ctx context.Context) (view, error) {
	service, err := s.pipelines()
	if err != nil {
		return nil, err
	}
	list, err := service.List()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b *forge.ResumeInfo) int { return cmp.Compare(b.Updated, a.Updated) })
	section := &PipelineSection{Total: len(list), Pipelines: []PipelineLine{}}
	readable := make(map[string]bool)
	current := ""
	for _, i := range list {
		readable[i.Workspace] = true
		if len(section.Pipelines) < maxPipelines {
			section.Pipelines = append(section.Pipelines, pipelineLine(i))
		}
		if current == "" && i.Status == pipeline.Active {
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
	var shown *Pipeline
	var unread error
	if current != "" {
		shown, unread = s.pipeline(ctx, service, current)
	}
	return func(words *messages.Catalog) any {
		said := *section
		if said.Current = shown; unread != nil {
			said.Unread = fault(words, unread)
		}
		return said
	}, nil
}

func pipelineLine(i *forge.ResumeInfo) PipelineLine {
	l := PipelineLine{
		Workspace: i.Workspace, Title: i.Title, Status: i.Status, Phase: string(i.Phase), Label: i.Label, Effort: i.Effort, Branch: i.Branch,
		Tokens: i.Stats.Tokens, DurationMS: i.Stats.DurationMS, Tasks: len(i.Tasks), Created: i.Created, Updated: i.Updated,
	}
	for _, k := range i.Tasks {
		if k.Status == pipeline.Passing || k.Status == pipeline.Gone || k.Status == pipeline.Passed {
			l.TasksDone++
		}
	}
	if o := i.Outstanding; o != nil {
		l.Waits = o.Type == (pipeline.Checkpoint{}).Kind() || o.Type == (pipeline.HumanGate{}).Kind()
	}
	return l
}

// pipeline reads one pipeline. A journal that cannot be read is left out, and said
// to be so.
func (s *Server) pipeline(ctx context.Context, service *forge.Service, path string) (*Pipeline, error) {
	o, err := service.Overview(path)
	if err != nil {
		return nil, err
	}
	v := &Pipeline{Overview: o, Journal: []pipeline.Entry{}}
	_, journal, err := service.Show(ctx, path)
	if err != nil {
		v.Damaged = fault(nil, err)
	}
	v.Total = len(journal)
	for i := len(journal) - 1; i >= 0 && len(v.Journal) < maxJournal; i-- {
		e := journal[i]
		for name, text := range e.Detail {
			e.Detail[name] = clip(text)
		}
		v.Journal = append(v.Journal, e)
	}
	return v, nil
}

// servePipeline answers with one pipeline, whichever is named.
func (s *Server) servePipeline(w http.ResponseWriter, r *http.Request) {
	service, err := s.pipelines()
	var path string
	if err == nil {
		path, err = service.Find(r.URL.Query().Get("id"))
	}
	var v *Pipeline
	if err == nil {
		v, err = s.pipeline(r.Context(), service, path)
	}
	if err != nil {
		status := http.StatusInternalServerError
		if problem.Of(err) != nil {
			status = http.StatusNotFound
		}
		s.refuse(w, r, status, err)
		return
	}
	s.answer(w, http.StatusOK, map[string]any{"data": v})
}
