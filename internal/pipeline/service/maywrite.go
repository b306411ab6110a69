package service

import (
	"context"
	"path"
	"slices"
	"strings"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// A Target is the decision on one file that somebody wants to write while a
// pipeline is led.
type Target struct {
	File    string
	Allowed bool
	Reason  msg.Message
	Next    msg.Message
}

// MayWrite says which files may be written now: what the outstanding action asks
// for, and while tasks are implemented, their files. It returns nil if no pipeline
// is open in this working tree.
func (s *Service) MayWrite(ctx context.Context, files []string) ([]Target, error) {
	ws, err := s.Live(ctx)
	if err != nil || ws == "" {
		return nil, err
	}
	_, st, err := s.read(ws)
	if err != nil {
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
	deny := func(reason, next msg.Message) Target { return Target{file, false, reason, next} }
	name, inside := strings.CutPrefix(file, st.Workspace+"/")
	switch {
	case k == nil:
		return deny(msg.New("pipeline.pipeline_handed_out_no_action"),
			msg.New("pipeline.ask_for_next_action", op.PipelineNextAction))
	case inside && (hasKey(k.FilesBefore, name) || k.Phase == engine.FinalSummary && name == "improvement.md"):
		return Target{File: file, Allowed: true}
	case workspace.IsOwnFile(file) || strings.HasPrefix(file, ".git/") || path.Base(file) == ".git":
		return deny(msg.New("pipeline.belongs_pipeline_code_intel_git", file),
			msg.New("pipeline.write_only_output_file_your"))
	case k.Phase != engine.Implementation || k.Type != (engine.SpawnAgent{}).Kind():
		return deny(msg.New("pipeline.no_task_being_implemented_outstanding", k.Type, k.Phase),
			msg.New("pipeline.write_only_output_file_your"))
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
	return deny(msg.New("pipeline.belongs_no_task_being_implemented", file, textformat.FirstNames(all)),
		msg.New("pipeline.say_under_notes_what_must_change"))
}

func hasKey(m map[string]string, name string) bool {
	_, ok := m[name]
	return ok
}
