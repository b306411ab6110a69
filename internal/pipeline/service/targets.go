package service

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/text"
)

// A Target is the decision on one file that somebody wants to write while a
// pipeline is led.
type Target struct {
	File    string
	Allowed bool
	Reason  string
	Next    string
}

// MayWrite says which files may be written now: what the outstanding action asks
// for, and while tasks are implemented, their files. It returns nil if no pipeline
// is led in this working tree.
func (s *Service) MayWrite(ctx context.Context, files []string) ([]Target, error) {
	ws, err := s.Live(ctx)
	if err != nil || ws == "" {
		return nil, err
	}
	w, err := workspace.Of(s.project.Root, ws)
	if err != nil {
		return nil, err
	}
	st := new(engine.State)
	if err := w.Load(st, engine.Migrate); err != nil {
		return nil, err
	}
	targets := make([]Target, 0, len(files))
	for _, f := range files {
		rel, err := s.project.Resolve(f)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target(st, rel))
	}
	return targets, nil
}

func target(st *engine.State, file string) Target {
	k := st.Ticket
	deny := func(reason, next string) Target { return Target{file, false, reason, next} }
	name, inside := strings.CutPrefix(file, st.Workspace+"/")
	switch {
	case k == nil:
		return deny("The pipeline has handed out no action.", "Call pipeline_next_action.")
	case inside && (hasKey(k.FilesBefore, name) || k.Phase == engine.FinalSummary && name == "improvement.md"):
		return Target{File: file, Allowed: true}
	case ours(file) || strings.HasPrefix(file, ".git/") || path.Base(file) == ".git":
		return deny(file+" belongs to the pipeline, to code-intel or to git.", "Write only the output file of your action.")
	case k.Phase != engine.Implementation || k.Type != (engine.SpawnAgent{}).Kind():
		return deny(fmt.Sprintf("No task is being implemented: outstanding is a %s of %s.", k.Type, k.Phase), "Write only the output file of your action.")
	}
	var all []string
	for _, id := range k.Tasks {
		task := st.Task(id)
		if task == nil {
			continue
		}
		if len(task.Files) == 0 || slices.Contains(task.Files, file) {
			return Target{File: file, Allowed: true}
		}
		all = append(all, task.Files...)
	}
	return deny(fmt.Sprintf("%s belongs to no task that is being implemented; theirs are %s.", file, text.ListFirst(all, maxPresent)),
		"If it must change, say so under Notes of your report; a later task may.")
}

func hasKey(m map[string]string, name string) bool {
	_, ok := m[name]
	return ok
}
