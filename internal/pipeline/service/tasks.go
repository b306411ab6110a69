package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// leaveTasks goes on from a phase that works task by task. A review whose report
// has changed since is made again.
func (t *turn) leaveTasks() error {
	if t.st.Phase == engine.CodeReview {
		again := false
		for i := range t.st.Tasks {
			k := &t.st.Tasks[i]
			if k.Review == nil || k.Review.Of == "" || k.Status != engine.TaskPassed && k.Status != engine.TaskFailed {
				continue
			}
			hash, err := t.w.Hash("impl-" + k.ID + ".md")
			if err != nil {
				return err
			}
			if hash != k.Review.Of {
				k.Status, k.Review, again = engine.TaskImplemented, nil, true
				t.Warn("pipeline.impl_changed_since_its_review", k.ID)
			}
		}
		if again {
			return nil
		}
	}
	return t.st.LeaveTasks(t.s.table)
}

// readTasks takes tasks.md into the state. A task is a fix if the server has appended
// it, before or just now, and not because a plan calls it so.
func (t *turn) readTasks(appended string) error {
	if t.st.Unplanned() {
		t.st.SetTasks(taskStates([]artifact.Task{{ID: "1", Title: t.st.OnlyTitle(), Mode: artifact.Sequential}}), "")
		return nil
	}
	text, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return err
	}
	tasks, found := artifact.ParseTasks(text)
	made := t.st.Effort == "S" && len(tasks) > 0 // by the server, from a design that need not name files
	if blocking := slices.DeleteFunc(slices.Clone(found),
		func(d artifact.Diagnostic) bool { return d.Severity != artifact.Critical }); len(blocking) > 0 && !made {
		var d textformat.Text
		d.Say("pipeline.tasks_md_cannot_be_worked_on")
		for _, f := range artifact.Findings(engine.TasksFile, blocking) {
			d.Add(msg.Join("", "- ", f.Description))
		}
		t.st.Pause = &engine.Pause{Name: engine.TasksBlockedCheckpoint, Text: d.Message()}
		return nil
	}
	sense, err := t.artifactSense(engine.TasksFile)
	if err != nil {
		return err
	}
	list := taskStates(tasks)
	for i := range list {
		was := t.st.Task(list[i].ID)
		list[i].Fix = list[i].ID == appended || was != nil && was.Fix
	}
	t.st.SetTasks(list, sense)
	return nil
}

func taskStates(tasks []artifact.Task) []engine.Task {
	list := make([]engine.Task, len(tasks))
	for i, k := range tasks {
		list[i] = engine.Task{
			ID: k.ID, Title: k.Title, Mode: k.Mode, DependsOn: k.DependsOn, Gate: k.Gate, Status: engine.TaskPending,
			Sense: workspace.HashOf(engine.Sense(artifact.WriteTasks([]artifact.Task{k}))),
			Text:  k.Text,
		}
		for _, f := range k.Files {
			list[i].Files = append(list[i].Files, f.Path)
		}
	}
	return list
}

// appendFix makes a task of what the final verification found, unless a killed
// process has appended it already.
func (t *turn) appendFix(ctx context.Context) error {
	n := 1
	for t.st.Task(fmt.Sprintf("fix-%d", n)) != nil {
		n++
	}
	id := fmt.Sprintf("fix-%d", n)
	text, err := t.w.Read(engine.TasksFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && problem.Of(err) == nil {
		return err
	}
	tasks, _ := artifact.ParseTasks(text)
	appended := slices.ContainsFunc(tasks, func(k artifact.Task) bool { return k.ID == id })
	l, err := t.observe(ctx)
	if err != nil {
		return err
	}
	if before, _, ok := strings.Cut(text, "\n\n## Task "+id+":"); ok && appended &&
		workspace.HashOf(engine.Sense(before)) == t.st.Accepted[engine.TasksFile] {
		l.Sense[engine.TasksFile] = t.st.Accepted[engine.TasksFile]
	}
	if d, stale := engine.Stale(t.s.table, t.st, l); stale {
		return t.goBack(ctx, d)
	}
	if !appended {
		task := artifact.Task{ID: id, Title: "Fix what the final verification found", Mode: artifact.Sequential}
		var said []string
		for _, f := range t.st.Reviews[engine.FinalVerification].Findings {
			task.Acceptance = append(task.Acceptance, f.Description.String())
			said = append(said, f.Description.String())
		}
		said = append(said, t.st.Feedback...)
		if len(task.Acceptance) == 0 {
			task.Acceptance = []string{"final-verification.md says PASS"}
		}
		task.Files = t.filesFor(strings.Join(said, "\n"))
		section := strings.TrimPrefix(artifact.WriteTasks([]artifact.Task{task}), "# Tasks\n")
		if err := t.w.Write(engine.TasksFile, strings.TrimRight(text, "\n")+"\n"+section); err != nil {
			return err
		}
		failpoint.Point("fix: written")
	}
	sense, err := t.artifactSense(engine.TasksFile)
	if err != nil {
		return err
	}
	t.st.FixDue = false
	t.st.Accepted[engine.TasksFile] = sense
	if err := t.recordArtifacts(engine.TasksFile); err != nil {
		return err
	}
	return t.readTasks(id)
}

// filesFor are the files that a text names and the pipeline has changed; all that
// it has changed if the text names none.
func (t *turn) filesFor(text string) (files []artifact.File) {
	var changed []string
	for _, k := range t.st.Tasks {
		changed = append(changed, k.Claimed...)
	}
	slices.Sort(changed)
	changed = slices.Compact(changed)
	for _, f := range changed {
		if strings.Contains(text, f) {
			files = append(files, artifact.File{Path: f})
		}
	}
	if len(files) == 0 {
		for _, f := range changed {
			files = append(files, artifact.File{Path: f})
		}
	}
	return files
}
