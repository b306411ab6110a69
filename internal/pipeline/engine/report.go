package engine

import (
	"slices"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// Accept records that an artifact passed its checks, with the notes on it.
func (st *State) Accept(name, sense string, notes []artifact.Finding) {
	st.accept(name, sense)
	st.Notes = notes
	switch name { // the review was about other content
	case DesignFile:
		delete(st.Reviews, DesignReview)
	case TasksFile:
		delete(st.Reviews, TasksReview)
	}
}

// Keep records the findings of a phase that gives no verdict.
func (st *State) Keep(id phase.ID, j Judgement) {
	if st.Reviews == nil {
		st.Reviews = make(map[phase.ID]Judgement)
	}
	st.Reviews[id] = j
	st.addFindings(id, j.Findings)
}

func (st *State) addFindings(id phase.ID, all []artifact.Finding) {
	for _, f := range all {
		st.ReviewFindings = append(st.ReviewFindings, PhaseFinding{id, f})
	}
}

// Judge takes the verdict of a phase and goes where it leads. The caller has made
// sure that what was reviewed has not changed since.
func (st *State) Judge(t *Table, j Judgement) error {
	st.Keep(st.Phase, j)
	switch {
	case j.Verdict == "REVISE":
		return st.Leave(t, revise)
	case j.Verdict == "FAIL":
		return st.Leave(t, failed)
	}
	return st.Leave(t)
}

// Implement takes a task's implementation. What it changed in earlier rounds stays its own.
func (st *State) Implement(id string, claimed []string) {
	k := st.Task(id)
	if len(claimed) == 0 { // nothing was to be changed any more
		claimed = k.Claimed
	}
	all := slices.Clone(claimed)
	for _, f := range k.Claimed {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	k.Status, k.Claimed, k.Review, k.CheckFindings, k.Round = TaskImplemented, all, nil, nil, ""
	if k.Fix {
		return
	}
	for i := range st.Tasks { // their reviewers saw other content
		o := &st.Tasks[i]
		if o.ID != id && o.Status == TaskPassed && o.Review != nil &&
			slices.ContainsFunc(o.Claimed, func(f string) bool { return slices.Contains(claimed, f) }) {
			o.Status, o.Review = TaskImplemented, nil
		}
	}
}

// JudgeTask takes the verdict on a task.
func (st *State) JudgeTask(id string, j Judgement) {
	k := st.Task(id)
	k.Review, k.CheckFindings = &j, nil
	st.addFindings(CodeReview, j.Findings)
	k.Status = TaskPassed
	if j.Verdict == "FAIL" {
		k.Status = TaskFailed
	}
}

// LeaveTasks goes on from a phase that has no task left.
func (st *State) LeaveTasks(t *Table) error {
	if len(st.withStatus(TaskFailed)) > 0 {
		return st.Leave(t, failed)
	}
	return st.Leave(t)
}

// SetTasks sets the tasks that were read from a tasks.md. Unchanged ones keep their
// status.
func (st *State) SetTasks(tasks []Task, of string) {
	for i, k := range tasks {
		if was := st.Task(k.ID); was != nil && was.Sense == k.Sense {
			tasks[i].Status, tasks[i].Retries, tasks[i].Base, tasks[i].Round = was.Status, was.Retries, was.Base, was.Round
			tasks[i].Claimed, tasks[i].Commit, tasks[i].Review = was.Claimed, was.Commit, was.Review
		}
	}
	st.Tasks, st.TasksSense = tasks, of
}

// TaskOf returns the one task that an action is about, "" if there is none or several.
func TaskOf(a Action) string {
	switch a := a.(type) {
	case SpawnAgent:
		return a.task
	case HumanGate:
		return a.task
	}
	return ""
}

// Finish makes the pipeline completed.
func (st *State) Finish() {
	if st.Phase != Completed {
		st.Go(Completed, msg.Message{})
	}
	st.end(StatusCompleted)
}
