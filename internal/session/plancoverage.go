package session

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/exploration"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/workflow/requirements"
)

// checkCoverage checks the tasks against the requirements of the request. Where they speak of a part of a
// short one, they speak of the rest, be it as an item that is skipped with a reason. Where words
// cannot tell, answers and report name what no task says a word of.
func (t *turn) checkCoverage(tasks []state.Task) error {
	if !t.State.Returned.IsZero() || t.State.Verify != nil { // the plan repairs what was found
		return nil
	}
	t.State.Forget("session.wish_without_task")
	plan := make([]requirements.Task, len(tasks))
	for i, k := range tasks {
		plan[i] = requirements.Task{ID: k.ID, Description: k.Description}
		for _, item := range k.Checklist {
			plan[i].Items = append(plan[i].Items, item.Item)
		}
	}
	unmet, sure := requirements.Uncovered(t.State.Query, plan, func(f string) bool { return exploration.Exists(t.s.project, f) == nil })
	switch {
	case len(unmet) == 0:
	case sure:
		return problem.New(refusal.ValidationFailed, "session.wish_without_task", refusal.Quoted(unmet)).Or("session.plan_each_wish")
	default:
		t.State.Warn("session.wish_without_task", refusal.Quoted(unmet))
	}
	return nil
}

// wordsOf returns the texts of tasks.
func wordsOf(tasks []state.Task) (texts []string) {
	for _, task := range tasks {
		texts = append(texts, task.ID, task.Description)
		for _, item := range task.Checklist {
			texts = append(texts, item.Item)
		}
	}
	return texts
}

// dropMetRequirements withdraws the warnings about requirements that the change turns out to mention.
func (t *turn) dropMetRequirements(diff string) {
	if !slices.ContainsFunc(t.State.Warnings, func(w msg.Message) bool { return w.Is("session.wish_without_task") }) {
		return
	}
	t.State.Forget("session.wish_without_task")
	texts := wordsOf(t.State.Tasks)
	unmet := requirements.Undone(requirements.Unmet(requirements.Split(t.State.Query), texts), diff+strings.Join(texts, "\n"))
	if len(unmet) > 0 {
		t.State.Warn("session.wish_without_task", refusal.Quoted(unmet))
	}
}

// plansAgain reports whether a payload that comes while tasks are done is a plan: sent
// again, or with a task that was found on the way.
func (t *turn) plansAgain(p payload.Payload) bool {
	o := p.Document.Object()
	return (t.State.Phase == phases.ReadyImplement || t.State.Phase == phases.ReadyComplete) && o["tasks"] != nil && o["task_id"] == nil
}

// replan takes such a plan. What was changed since the last report stays the work of
// the task that is reported next.
func (t *turn) replan(ctx context.Context, p payload.Payload, lacking error) (answers, error) {
	start, returned := t.State.TaskStart, t.State.Returned
	given, err := t.s.handlers[phases.ReadyPlan].run(ctx, t, p, lacking)
	if err != nil {
		return nil, err
	}
	if t.stay = t.State.Phase == phases.ReadyImplement; t.stay {
		t.State.TaskStart, t.State.Returned, t.summary = start, returned, ""
		return given, nil
	}
	return answers{"more_tasks": true}, nil
}

// droppedItems returns what a plan drops or words anew of what was registered and is not done: an item
// leaves the list when its task reports why it was skipped. Of a task that failed, which a plan
// repairs, answers and report show the old beside the new.
func droppedItems(s *state.State, tasks []state.Task) (open []any) {
	for _, old := range s.Tasks {
		if old.Status == state.TaskCompleted || old.ID == s.ConflictTask {
			continue
		}
		what := msg.New("session.task_dropped", old.ID, old.Description, items(old.Checklist, nil))
		if i := slices.IndexFunc(tasks, func(k state.Task) bool { return k.ID == old.ID }); i >= 0 {
			gone := items(old.Checklist, tasks[i].Checklist)
			if gone == "[]" {
				continue
			}
			what = msg.New("session.items_changed", old.ID, gone, items(tasks[i].Checklist, old.Checklist))
		}
		if old.FailureCount == 0 {
			open = append(open, what)
		} else if !slices.ContainsFunc(s.Warnings, what.Equal) {
			s.Warnings = append(s.Warnings, what)
		}
	}
	return open
}

// items lists the items of a checklist that are not in another.
func items(list, other []state.Item) string {
	var texts []string
	for _, item := range list {
		if !slices.ContainsFunc(other, func(o state.Item) bool { return o.Item == item.Item }) {
			texts = append(texts, item.Item)
		}
	}
	return refusal.Quoted(texts)
}

// targetsInChange warns of target symbols that the change does not mention.
func (t *turn) targetsInChange(ctx context.Context) error {
	if t.State.Frame == nil || !t.State.Git {
		return nil
	}
	changes, err := t.Own(ctx)
	if err != nil || len(changes) == 0 {
		return err
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return err
	}
	var diff bytes.Buffer
	if err := taskbranch.Patch(ctx, r, t.State.Base, git.Paths(changes), &diff); err != nil {
		return err
	}
	t.dropMetRequirements(diff.String())
	compared, _, err := t.weakened(ctx, changes)
	if err != nil {
		return err
	}
	touched := compared.Touched() // a line of a long function does not name it
	var unmet []string
	for _, symbol := range t.State.Frame.TargetSymbols {
		name := symbol[strings.LastIndexAny(symbol, ".:#/\\")+1:]
		if exploration.Exists(t.s.project, symbol) == nil || strings.ContainsAny(symbol, "/") {
			name = symbol
		}
		if name != "" && !strings.Contains(diff.String(), name) && !slices.Contains(touched, name) {
			unmet = append(unmet, symbol)
		}
	}
	left := requirements.LeftAlone(t.State.Query, git.Paths(changes), func(file string) bool {
		return exploration.Exists(t.s.project, file) == nil
	})
	if t.State.Forget("session.files_not_in_change"); len(left) > 0 {
		t.State.Warn("session.files_not_in_change", refusal.Some(left, 10))
	}
	t.State.Forget("session.targets_not_in_change")
	if len(unmet) > 0 {
		t.State.Warn("session.targets_not_in_change", refusal.Some(unmet, 10))
	}
	return nil
}
