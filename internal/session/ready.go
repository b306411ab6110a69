package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/evidence"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// Codes of plans and reports that do not hold.
const (
	TaskOutOfOrder    problem.Code = "task_out_of_order"
	UnknownTask       problem.Code = "unknown_task"
	ChecklistMismatch problem.Code = "checklist_mismatch"
	TasksPending      problem.Code = "tasks_pending"
	UnapprovedChanges problem.Code = "unapproved_changes"
	ConflictMarkers   problem.Code = "conflict_markers"
)

// readyPlan registers the tasks. What the server knows of a task (that it is
// completed, how often it failed) stands whatever a plan says.
func (t *turn) readyPlan(ctx context.Context, p planPayload) (answers, error) {
	tasks, err := mergePlan(t.st.Tasks, p.Tasks, len(t.st.Conflicts) > 0)
	if err != nil {
		return nil, err
	}
	if err := t.createBranch(ctx); err != nil {
		return nil, err
	}
	if len(t.st.Conflicts) > 0 && !slices.ContainsFunc(tasks, func(k Task) bool { return k.ID == t.st.ConflictTask }) {
		task := t.conflictTask(tasks)
		t.st.ConflictTask, tasks = task.ID, append(tasks, task)
	}
	t.st.Tasks, t.st.Returned = tasks, ""
	return nil, t.beginTask(ctx)
}

// mergePlan lays a plan over the tasks that there are. Completed tasks stay as they
// were, also those that the plan leaves out. The plan must hold work, unless the
// server has some to add.
func mergePlan(had []Task, plan []taskPlan, more bool) ([]Task, error) {
	var tasks []Task
	for _, old := range had {
		if old.Status == TaskCompleted {
			tasks = append(tasks, old)
		}
	}
	pending := 0
	for i, p := range plan {
		at := fmt.Sprintf("tasks[%d]", i)
		if silent(p.ID) || silent(p.Description) {
			return nil, problem.New(PayloadMismatch, at+" lacks an id or a description.", "Give each task an id of its own and say what it does.")
		}
		if slices.ContainsFunc(plan[:i], func(o taskPlan) bool { return o.ID == p.ID }) {
			return nil, problem.New(PayloadMismatch, fmt.Sprintf("%s: the id %q is there twice.", at, p.ID), "Give each task an id of its own.")
		}
		old := slices.IndexFunc(had, func(o Task) bool { return o.ID == p.ID })
		if old >= 0 && had[old].Status == TaskCompleted {
			k := slices.IndexFunc(tasks, func(o Task) bool { return o.ID == p.ID })
			tasks[k].RevertReason = p.RevertReason
			continue
		}
		task := Task{ID: p.ID, Description: p.Description, Status: Pending, RevertReason: p.RevertReason}
		if old >= 0 {
			task.FailureCount = had[old].FailureCount
		}
		var err error
		if task.Checklist, err = planned(at, p.Checklist); err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
		pending++
	}
	if pending == 0 && !more {
		return nil, problem.New(PayloadMismatch, "The plan holds no task that is still to be done.",
			"Add at least one task with a new id; finished ones stay finished.")
	}
	return tasks, nil
}

// planned checks a checklist as it is registered. Every item begins as pending.
func planned(at string, items []Item) ([]Item, error) {
	if len(items) == 0 {
		return nil, problem.New(PayloadMismatch, at+" has no checklist.", "List what will be there when the task is done, one item for each thing that can be shown at a place in the code.")
	}
	var list []Item
	for j, item := range items {
		text := strings.TrimSpace(item.Item)
		if silent(text) {
			return nil, problem.New(PayloadMismatch, fmt.Sprintf("%s.checklist[%d] says nothing.", at, j), "Say what will be there.")
		}
		if slices.ContainsFunc(list, func(o Item) bool { return o.Item == text }) {
			return nil, problem.New(PayloadMismatch, fmt.Sprintf("%s.checklist holds %q twice.", at, text), "List each item once.")
		}
		if err := oneOf(fmt.Sprintf("%s.checklist[%d].status", at, j), string(orPending(item.Status)), string(Pending), string(Done), string(Skipped)); err != nil {
			return nil, err
		}
		list = append(list, Item{Item: text, Status: Pending})
	}
	return list, nil
}

func orPending(s Status) Status {
	if s == "" {
		return Pending
	}
	return s
}

// createBranch makes the task branch at the first plan. --quick works without.
func (t *turn) createBranch(ctx context.Context) error {
	if t.st.Branch != nil || !t.st.Git || t.st.Flags.Quick {
		return nil
	}
	r, err := t.repo(ctx)
	if err != nil {
		return err
	}
	b, err := taskbranch.Create(ctx, r, t.st.ID)
	if err != nil {
		return err
	}
	t.st.Branch, t.st.Base, t.st.Tip = &b, b.BaseCommit, b.BaseCommit
	return nil
}

// beginTask notes the files that the next task starts from.
func (t *turn) beginTask(ctx context.Context) (err error) {
	t.st.TaskStart, err = t.mark(ctx)
	return err
}

// readyImplement takes the report of one task. It is the phase's end only if no
// task is left.
func (t *turn) readyImplement(ctx context.Context, p implementPayload) (answers, error) {
	task := t.st.next()
	if task == nil {
		return nil, fmt.Errorf("session %s: in READY_IMPLEMENT without a task", t.st.ID)
	}
	if err := t.inOrder(p.TaskID, task); err != nil {
		return nil, err
	}
	items, err := reported(task, p.Checklist)
	if err != nil {
		return nil, err
	}
	changes, err := t.changesSince(ctx, t.st.TaskStart)
	if err != nil {
		return nil, err
	}
	if err := t.evident(items, changes); err != nil {
		return nil, err
	}
	if err := t.audit(ctx); err != nil {
		return nil, err
	}
	if task.ID == t.st.ConflictTask {
		if err := t.unmended(); err != nil {
			return nil, err
		}
	}
	task.Checklist, task.Status, task.Summary = items, TaskCompleted, t.summary
	task.Files, task.Round = changedFiles(changes), t.st.rounds()
	t.summary = task.ID + ": " + t.summary
	t.stay = t.st.next() != nil
	if t.stay {
		t.summarize(ReadyImplement)
	}
	return nil, t.beginTask(ctx)
}

// inOrder refuses the report of any task but the next one.
func (t *turn) inOrder(id string, next *Task) error {
	if id == next.ID {
		return nil
	}
	switch other := t.st.task(id); {
	case other == nil:
		return problem.New(UnknownTask, fmt.Sprintf("There is no task %q.", id), fmt.Sprintf("Report task %q next.", next.ID))
	case other.Status == TaskCompleted:
		return problem.New(TaskOutOfOrder, fmt.Sprintf("Task %q is completed already.", id), fmt.Sprintf("Report task %q next.", next.ID))
	}
	return problem.New(TaskOutOfOrder, fmt.Sprintf("Task %q is not the next one. Nothing of it is lost.", id),
		fmt.Sprintf("Finish and report task %q first.", next.ID))
}

// reported lays a report over the checklist that was registered: each item once,
// none left pending, in the order of registration.
func reported(task *Task, report []Item) ([]Item, error) {
	given := make(map[string]Item)
	var strange []string
	for _, item := range report {
		text := strings.TrimSpace(item.Item)
		if _, twice := given[text]; twice {
			return nil, problem.New(ChecklistMismatch, fmt.Sprintf("The report holds %q twice.", text), "Report each item once.")
		}
		if !slices.ContainsFunc(task.Checklist, func(o Item) bool { return o.Item == text }) {
			strange = append(strange, text)
		}
		given[text] = item
	}
	var items []Item
	var missing, pending []string
	for _, registered := range task.Checklist {
		item, ok := given[registered.Item]
		switch item.Item = registered.Item; {
		case !ok:
			missing = append(missing, registered.Item)
		case item.Status == Pending || item.Status == "":
			pending = append(pending, registered.Item)
		}
		items = append(items, item)
	}
	var wrong []string
	for what, list := range map[string][]string{"not reported": missing, "still pending": pending, "not on the checklist": strange} {
		if len(list) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %s", what, quoted(list)))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return nil, problem.New(ChecklistMismatch, fmt.Sprintf("The report of task %q does not fit its checklist; %s.", task.ID, strings.Join(wrong, "; ")),
			"Report the whole checklist, each item as it was registered, as done with evidence or skipped with a reason.")
	}
	return items, nil
}

// evident checks statuses, reasons and evidence of a report. All that is wrong
// is told at once.
func (t *turn) evident(items []Item, changes []git.Change) error {
	var wrong, next []string
	code := ValidationFailed
	note := func(item Item, err error) {
		if p := problem.Of(err); p != nil {
			code = p.Code
			wrong = append(wrong, fmt.Sprintf("%q: %s", item.Item, p.Message))
			next = append(next, msg.Texts(p.Next)...)
		}
	}
	given := t.st.skipReasons()
	for _, item := range items {
		switch item.Status {
		case Done:
			standing := evidence.Changed
			if item.PreExisting {
				standing = evidence.PreExisting
				note(item, reasoned("reason (the item was there before)", item.Reason))
			}
			err := evidence.Check(t.s.project, item.Evidence, changes, standing)
			if err != nil && problem.Of(err) == nil {
				return err
			}
			note(item, err)
		case Skipped:
			note(item, reasoned("reason", item.Reason))
			if given[plain(item.Reason)] {
				note(item, problem.New(ValidationFailed, "its reason is a copy of another item's.", "Say for each item why it was skipped."))
			}
			given[plain(item.Reason)] = true
		default:
			note(item, oneOf("status", string(item.Status), string(Done), string(Skipped)))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return problem.With(code, msg.Literal(strings.Join(wrong, " ")), msg.Literals(distinct(next, nil))...)
}

// audit refuses changes to files that no layer of the write guard let through.
func (t *turn) audit(ctx context.Context) error {
	files, err := t.unapproved(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return t.gitUnchanged(ctx)
	}
	approve := fmt.Sprintf("If the change belongs to the task: look at the file with an exploration tool, then check_write_target(files=%s).", quoted(files[:min(5, len(files))]))
	switch t.st.Phase { // where nothing may be written, there is nothing to approve
	case ReadyComplete:
		approve = `If the change belongs to the work: take it back for now, go on, and from the next phase submit_phase(data={"back_to": "READY", "reason": …}) to plan it as a task.`
	case PostImplVerify, PreCommit:
		approve = `If the change belongs to the work: submit_phase(data={"back_to": "READY", "reason": …}), plan it as a task, and check_write_target there.`
	}
	return problem.New(UnapprovedChanges, fmt.Sprintf("These files were changed without check_write_target: %s.", text.ListFirst(files, 20)),
		approve,
		"If it does not: take the change back.")
}

// unapproved returns the files that changed since the session began and that no
// layer of the write guard let through.
func (t *turn) unapproved(ctx context.Context) (files []string, err error) {
	changes, err := t.changesSince(ctx, t.st.Start)
	if err != nil {
		return nil, err
	}
	entries, err := t.ledger.Since(0)
	if err != nil {
		return nil, err
	}
	approved := approvedBy(t.st, entries)
	for _, f := range changedFiles(changes) {
		if !approved[git.Shown(f)] {
			files = append(files, f)
		}
	}
	if len(t.st.Unapproved) == 0 {
		return files, nil
	}
	own, err := t.own(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range distinct(t.st.Unapproved, changedFiles(own)) {
		if !approved[git.Shown(f)] && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, nil
}

// readyComplete ends the implementation if nothing is left to do.
func (t *turn) readyComplete(ctx context.Context, p completePayload) (answers, error) {
	if next := t.st.next(); next != nil {
		return nil, problem.New(TasksPending, fmt.Sprintf("Task %q is not completed.", next.ID), "Report it with submit_phase.")
	}
	if err := t.audit(ctx); err != nil {
		return nil, err
	}
	if err := t.unmended(); err != nil {
		return nil, err
	}
	var done []string
	for _, task := range t.st.Tasks {
		done = append(done, task.ID+": "+task.Summary)
	}
	t.defaultSummary(strings.Join(done, "\n"))
	return nil, nil
}

// unmended returns a Problem if a file that base and task both changed still
// holds conflict markers.
func (t *turn) unmended() error {
	for _, f := range t.st.Conflicts {
		data, err := os.ReadFile(t.s.project.Abs(f))
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken out is one way to mend it
		}
		if err != nil {
			return err
		}
		if conflictMarker.Match(data) {
			return problem.New(ConflictMarkers, f+" still holds conflict markers.", "Keep what both sides meant and take the markers out; then submit again.",
				`From PRE_COMMIT that is done in READY: submit_phase(data={"back_to": "READY", "reason": …}).`)
		}
	}
	return nil
}

// conflictMarker finds the lines that git puts around what it could not merge.
var conflictMarker = lazyregexp.MustCompile(`(?m)^(?:<<<<<<<|>>>>>>>) `)
