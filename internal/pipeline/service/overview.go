package service

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow/phase"
)

// A Stage says where a phase is in a run.
type Stage string

// The stages.
const (
	Past     Stage = "done"
	Present  Stage = "current"
	PassedBy Stage = "skipped"
	Ahead    Stage = "ahead"
)

// A Step is one phase of a run, with every time that it was worked at.
type Step struct {
	Phase      phase.ID          `json:"phase"`
	Label      msg.Message       `json:"label"`
	Kind       engine.Kind       `json:"kind"`
	Stage      Stage             `json:"stage"`
	Began      string            `json:"began,omitempty"` // when it was last entered
	Tokens     int               `json:"tokens"`
	DurationMS int               `json:"duration_ms"` // of agents, as they were reported
	Revisions  int               `json:"revisions"`   // runs after the first one of each task
	Runs       []engine.PhaseRun `json:"runs"`
	Writes     string            `json:"writes,omitempty"` // the artifact of its agents; "{task}" stands for a task
}

// An Overview is a pipeline for somebody who looks on: where it is, and
// every phase in order.
type Overview struct {
	Info  *ResumeInfo `json:"pipeline"`
	Steps []Step      `json:"steps"`
}

// Overview describes a pipeline phase by phase. It changes nothing.
func (s *Service) Overview(path string) (*Overview, error) {
	w, st, err := s.read(path)
	if err != nil {
		return nil, err
	}
	began := make(map[phase.ID]string)
	entries, err := workspace.Journal[engine.Entry](w)
	if err != nil {
		entries = st.Entries // the times of the last revision are better than none
	}
	for _, e := range entries {
		if e.Event == engine.EventPhase || e.Event == engine.EventCreated {
			began[e.Phase] = e.Time
		}
	}
	return &Overview{Info: s.info(st), Steps: s.steps(st, began)}, nil
}

func (s *Service) steps(st *engine.State, began map[phase.ID]string) []Step {
	ids := s.table.IDs()
	at := slices.Index(ids, st.Phase)
	steps := []Step{}
	for i, id := range ids {
		w, _ := s.table.Contract(id)
		step := Step{Phase: id, Label: engine.Label(id), Kind: w.Kind, Stage: Ahead, Began: began[id],
			Runs: []engine.PhaseRun{}}
		if len(w.Writes) > 0 {
			step.Writes = w.Writes[0]
		}
		for _, run := range st.PhaseRuns {
			if run.Phase != id {
				continue
			}
			step.Runs = append(step.Runs, run)
			step.Tokens += run.Tokens
			step.DurationMS += run.Duration
			if run.Revision > 0 {
				step.Revisions++
			}
		}
		visited := began[id] != "" || len(step.Runs) > 0 || id == engine.Setup
		switch {
		case id == st.Phase && st.Status != engine.StatusCompleted:
			step.Stage = Present
		case visited && (i < at || st.Over()):
			step.Stage = Past
		case slices.Contains(st.SkippedPhases, id), i < at:
			step.Stage = PassedBy
		case st.Status == engine.StatusCompleted:
			step.Stage = PassedBy
			if id == st.Phase {
				step.Stage = Past
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// maxLook is how much of a text is shown to somebody who looks on, in characters.
const maxLook = 200_000

// Artifact returns a text that an agent or the server wrote in a pipeline.
func (s *Service) Artifact(path, name string) (string, error) {
	w, _, err := s.read(path)
	if err != nil {
		return "", err
	}
	names, err := w.Artifacts()
	if err != nil {
		return "", err
	}
	if !slices.Contains(names, name) {
		return "", problem.New(problem.InvalidArgument, "pipeline.no_such_artifact", w.Path(), name).
			Or("pipeline.pipeline_show_says_where_it_is", quote.Shell(w.Name()))
	}
	content, err := w.Read(name)
	return text.Clip(content, maxLook), err
}

// TaskDiff returns what the commit of a task changed; "" if the task has none.
func (s *Service) TaskDiff(ctx context.Context, path, id string) (string, error) {
	w, st, err := s.read(path)
	if err != nil {
		return "", err
	}
	k := st.Task(id)
	if k == nil {
		return "", problem.New(problem.InvalidArgument, "pipeline.no_such_task_in_pipeline", w.Path(), id).
			Or("pipeline.pipeline_show_says_where_it_is", quote.Shell(w.Name()))
	}
	repo, err := s.repository(ctx)
	if err != nil || k.Commit == "" {
		return "", err
	}
	commit, err := repo.Resolve(ctx, k.Commit) // the state may be anybody's
	if commit == "" || err != nil {
		return "", err
	}
	diff := &headWriter{max: maxLook}
	_, err = repo.Do(ctx, git.Command{Args: []string{"show", "--format=", "--patch", "--no-color", commit}, Out: diff})
	return strings.ToValidUTF8(diff.String(), "\ufffd"), err
}

// A headWriter keeps the beginning of what is written to it.
type headWriter struct {
	strings.Builder
	max int
}

func (h *headWriter) Write(p []byte) (int, error) {
	_, _ = h.Builder.Write(p[:min(len(p), max(0, h.max-h.Len()))])
	return len(p), nil
}
