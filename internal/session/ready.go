package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/evidence"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/workflow/requirements"
)

// Codes of plans and reports that do not hold.
const (
	taskOutOfOrder    problem.Code = "task_out_of_order"
	unknownTask       problem.Code = "unknown_task"
	checklistMismatch problem.Code = "checklist_mismatch"
	tasksPending      problem.Code = "tasks_pending"
	conflictMarkers   problem.Code = "conflict_markers"
)

// readyPlan registers the tasks. What the server knows of a task (that it is
// completed, how often it failed) stands whatever a plan says.
func (t *turn) readyPlan(ctx context.Context, p payload.Plan) (answers, error) {
	tasks, err := mergePlan(t.State.Tasks, p.Tasks, len(t.State.Conflicts) > 0)
	if err = cmp.Or(err, checkItems(p.Tasks, t.State.Query)); err != nil {
		return nil, err
	}
	if open := droppedItems(t.State, tasks); len(open) > 0 {
		return nil, problem.New(refusal.ValidationFailed, "session.plan_eases", msg.ListOf("; ", open...)).Or("session.plan_with_what_is_open")
	}
	if err := t.checkCoverage(tasks); err != nil {
		return nil, err
	}
	if len(t.State.Tasks) == 0 { // nothing was let through yet: what changed is put down to nobody
		if err := t.AuditStart(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.createBranch(ctx); err != nil {
		return nil, err
	}
	tasks = t.withConflictTask(tasks)
	t.State.Tasks, t.State.Returned = tasks, msg.Message{}
	if t.State.ConflictTask == "" {
		t.taskLines() // whoever sent them knows them
	}
	return nil, t.beginTask(ctx)
}

// mergePlan updates the existing tasks from a plan; more says that the server will add a task.
// Completed tasks stay as they are, even if the plan leaves them out. The plan must contain
// work, unless more is true.
func mergePlan(had []state.Task, plan []payload.TaskPlan, more bool) ([]state.Task, error) {
	var tasks []state.Task
	for _, old := range had {
		if old.Status == state.TaskCompleted {
			tasks = append(tasks, old)
		}
	}
	pending := 0
	var wrong []error
	for i, p := range plan {
		at := fmt.Sprintf("tasks[%d]", i)
		if vaguetext.Silent(p.ID) || vaguetext.Silent(p.Description) {
			wrong = append(wrong, problem.New(refusal.PayloadMismatch, "session.lacks_id_description", at).
				Or("session.give_each_task_id_and_say"))
		}
		if slices.ContainsFunc(plan[:i], func(o payload.TaskPlan) bool { return o.ID == p.ID }) {
			wrong = append(wrong, problem.New(refusal.PayloadMismatch, "session.id_twice", at, p.ID).
				Or("session.give_each_task_its_own_id"))
		}
		old := slices.IndexFunc(had, func(o state.Task) bool { return o.ID == p.ID })
		if old >= 0 && had[old].Status == state.TaskCompleted {
			k := slices.IndexFunc(tasks, func(o state.Task) bool { return o.ID == p.ID })
			tasks[k].RevertReason = p.RevertReason
			continue
		}
		if p.Status == state.TaskCompleted || p.Status == state.Done {
			wrong = append(wrong, problem.New(refusal.PayloadMismatch, "session.task_is_not_done", at, p.ID).Or("session.plan_it_as_pending"))
		}
		task := state.Task{ID: p.ID, Description: p.Description, Status: state.Pending, RevertReason: p.RevertReason}
		if old >= 0 {
			task.FailureCount = had[old].FailureCount
		}
		var err error
		task.Checklist, err = planned(at, p.Checklist)
		wrong, tasks = append(wrong, err), append(tasks, task)
		pending++
	}
	if pending == 0 && !more {
		wrong = append(wrong, problem.New(refusal.PayloadMismatch, "session.plan_holds_no_open_task").
			Or("session.add_at_least_one_task"))
	}
	return tasks, refusal.Join(wrong...)
}

// checkItems refuses items that only promise a thought.
func checkItems(plan []payload.TaskPlan, request string) error {
	for i, p := range plan {
		for _, item := range p.Checklist {
			if requirements.Thought(item.Item, request) {
				return problem.New(refusal.PayloadMismatch, "session.checklist_item_is_a_thought", fmt.Sprintf("tasks[%d]", i), item.Item).
					Or("session.say_what_will_be_there")
			}
		}
	}
	return nil
}

// planned checks a checklist as it is registered. Every item begins as pending.
func planned(at string, items []payload.PlannedItem) ([]state.Item, error) {
	if len(items) == 0 {
		return nil, problem.New(refusal.PayloadMismatch, "session.no_checklist", at).
			Or("session.list_what_will_when_task")
	}
	var list []state.Item
	for j, item := range items {
		text := strings.TrimSpace(item.Item)
		if vaguetext.Silent(text) {
			return nil, problem.New(refusal.PayloadMismatch, "session.checklist_says_nothing", at, j).
				Or("session.say_what_will_be_there")
		}
		if requirements.Vague(text) {
			return nil, problem.New(refusal.PayloadMismatch, "session.checklist_item_is_vague", at, text).
				Or("session.say_what_will_be_there")
		}
		if slices.ContainsFunc(list, func(o state.Item) bool { return o.Item == text }) {
			return nil, problem.New(refusal.PayloadMismatch, "session.checklist_holds_twice", at, text).
				Or("session.list_each_item_once")
		}
		if err := refusal.OneOf(fmt.Sprintf("%s.checklist[%d].status", at, j), string(orPending(item.Status)), string(state.Pending),
			string(state.Done), string(state.Skipped)); err != nil {
			return nil, err
		}
		list = append(list, state.Item{Item: text, Status: state.Pending})
	}
	return list, nil
}

func orPending(s state.Status) state.Status {
	if s == "" {
		return state.Pending
	}
	return s
}

// createBranch makes the task branch at the first plan. --quick works without.
func (t *turn) createBranch(ctx context.Context) error {
	if t.State.Branch != nil || !t.State.Git || t.State.Flags.Quick {
		return nil
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return err
	}
	b, err := taskbranch.Create(ctx, r, t.State.ID)
	if err != nil {
		return err
	}
	t.State.Branch, t.State.Base, t.State.Tip = &b, b.BaseCommit, b.BaseCommit
	return nil
}

// beginTask notes the files that the next task starts from.
func (t *turn) beginTask(ctx context.Context) (err error) {
	t.State.TaskStart, err = t.Mark(ctx)
	return err
}

// readyImplement takes the report of one task. It is the phase's end only if no
// task is left.
func (t *turn) readyImplement(ctx context.Context, p payload.Implement) (answers, error) {
	task := t.State.Next()
	if task == nil {
		return nil, fmt.Errorf("session %s: in READY_IMPLEMENT without a task", t.State.ID)
	}
	if err := t.inOrder(p.TaskID, task); err != nil {
		return nil, err
	}
	items, err := reported(task, p.Checklist)
	if err != nil {
		return nil, err
	}
	changes, err := t.OwnSince(ctx, t.State.TaskStart)
	if err != nil {
		return nil, err
	}
	early, err := t.doneEarly(ctx, changes)
	if err != nil {
		return nil, err
	}
	excused, err := t.checkEvidence(ctx, items, changes, early)
	if err != nil {
		return nil, err
	}
	if err := t.Audit(ctx); err != nil {
		return nil, err
	}
	if task.ID == t.State.ConflictTask {
		if err := t.checkConflictMarkers(); err != nil {
			return nil, err
		}
	}
	for _, e := range excused {
		t.State.Warn("session.item_rests_on_its_reason", task.ID, e.item.Item, e.why, text.Clip(e.item.Reason, 300))
	}
	task.Checklist, task.Status, task.Summary = items, state.TaskCompleted, t.summary
	task.Files, task.Round = git.Paths(changes), t.State.Rounds()
	t.summary = task.ID + ": " + t.summary
	t.stay = t.State.Next() != nil
	if t.stay {
		t.summarize(phases.ReadyImplement)
	}
	return nil, t.beginTask(ctx)
}

// doneEarly returns what was changed while an earlier task was worked on, and none of the reports
// has cited, in files that the current task has left as they were: it may be work of this one.
// Files that two tasks changed are left out: the second may have moved the lines that the
// report of the first cites.
func (t *turn) doneEarly(ctx context.Context, changed []git.Change) ([]git.Change, error) {
	var cited []string
	changedBy := make(map[string]int) // number of tasks by file
	for _, task := range t.State.Tasks {
		if task.Status != state.TaskCompleted {
			continue
		}
		for _, file := range task.Files {
			changedBy[file]++
		}
		for _, item := range task.Checklist {
			if item.Evidence != "" {
				cited = append(cited, item.Evidence)
			}
		}
	}
	if len(cited) == 0 {
		return nil, nil
	}
	all, err := t.OwnSince(ctx, t.State.Start)
	if err != nil {
		return nil, err
	}
	for _, path := range git.Paths(changed) {
		changedBy[path] += 2
	}
	all = slices.DeleteFunc(all, func(c git.Change) bool { return changedBy[c.Path] > 1 })
	return evidence.Rest(t.s.project, all, cited), nil
}

// inOrder refuses the report of any task but the next one.
func (t *turn) inOrder(id string, next *state.Task) error {
	if id == next.ID {
		return nil
	}
	switch other := t.State.Task(id); {
	case other == nil:
		return problem.New(unknownTask, "session.no_task", id).
			Or("session.report_task_next", next.ID)
	case other.Status == state.TaskCompleted:
		return problem.New(taskOutOfOrder, "session.task_completed_already", id).
			Or("session.report_task_next", next.ID)
	}
	return problem.New(taskOutOfOrder, "session.task_not_next_one_nothing", id).
		Or("session.finish_report_task_first", next.ID)
}

// reported lays a report over the checklist that was registered: each item once,
// none left pending, in the order of registration. An item that shows evidence is
// done, and one that gives a reason instead is skipped, unless it says otherwise.
func reported(task *state.Task, report []payload.ReportedItem) ([]state.Item, error) {
	given := make(map[int]state.Item)
	var unknown []string
	for _, r := range report {
		at := itemOf(task, r)
		if at < 0 {
			unknown = append(unknown, cmp.Or(strings.TrimSpace(r.Item), string(r.ID)))
			continue
		}
		if _, twice := given[at]; twice {
			return nil, problem.New(checklistMismatch, "session.report_holds_twice", task.Checklist[at].Item).
				Or("session.report_each_item_once")
		}
		status := r.Status
		switch {
		case status != "":
		case r.Evidence != "":
			status = state.Done
		case r.Reason != "":
			status = state.Skipped
		}
		given[at] = state.Item{Status: status, Evidence: r.Evidence, Reason: r.Reason, PreExisting: r.PreExisting}
	}
	var items []state.Item
	var missing, pending []string
	for i, registered := range task.Checklist {
		item, ok := given[i]
		switch item.Item = registered.Item; {
		case !ok:
			missing = append(missing, registered.Item)
		case item.Status == state.Pending || item.Status == "":
			pending = append(pending, registered.Item)
		}
		items = append(items, item)
	}
	var wrong []any
	for _, w := range []struct {
		what string
		list []string
	}{{"session.not_checklist", unknown}, {"session.not_reported", missing}, {"session.still_pending", pending}} {
		if len(w.list) > 0 {
			wrong = append(wrong, msg.Join(": ", msg.New(w.what), refusal.Quoted(w.list)))
		}
	}
	if len(wrong) > 0 {
		return nil, problem.New(checklistMismatch, "session.report_task_does_not_fit", task.ID, msg.ListOf("; ", wrong...)).
			Or("session.report_whole_checklist_each_item")
	}
	return items, nil
}

// itemOf returns the index of the checklist item that a report names, by number or by text; -1
// if there is none, or if number and text name different items.
func itemOf(k *state.Task, r payload.ReportedItem) int {
	text := strings.TrimSpace(r.Item)
	at := slices.IndexFunc(k.Checklist, func(o state.Item) bool { return o.Item == text })
	if r.ID == "" {
		return at
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(r.ID)))
	if err != nil || n < 1 || n > len(k.Checklist) || text != "" && at != n-1 {
		return -1
	}
	return n - 1
}

// An excusedItem is an item whose evidence shows no change of the program, and its reason.
type excusedItem struct {
	item state.Item
	why  msg.Message
}

// checkEvidence checks the statuses, reasons and evidence of a report, and reports all problems at
// once. It returns the items that only their reasons support.
func (t *turn) checkEvidence(ctx context.Context, items []state.Item,
	changed, early []git.Change) (excused []excusedItem, err error) {
	var wrong []any
	var next []msg.Message
	code := refusal.ValidationFailed
	note := func(quoted string, err error) {
		if p := problem.Of(err); p != nil {
			code = p.Code
			why := p.Message
			if quoted != "" {
				why = msg.New("session.quoted_reason", quoted, p.Message)
			}
			wrong = append(wrong, why)
			for _, way := range p.Next {
				if !slices.ContainsFunc(next, way.Equal) {
					next = append(next, way)
				}
			}
		}
	}
	given := skipReasons(t.State)
	ownReason := func(item state.Item) {
		if given[vaguetext.Plain(item.Reason)] {
			note(item.Item, problem.New(refusal.ValidationFailed, "session.its_reason_copy_another_item").
				Or("session.say_each_item_why_skipped"))
		}
		given[vaguetext.Plain(item.Reason)] = true
	}
	diff, err := t.CompareParts(ctx, changes.Part{Since: t.State.TaskStart, Changes: changed},
		changes.Part{Since: t.State.Start, Changes: early})
	if err != nil {
		return nil, err
	}
	judge := evidence.NewJudge(t.s.project, slices.Concat(changed, early), diff)
	for _, item := range items {
		switch item.Status {
		case state.Done:
			claim := evidence.Claim{Item: item.Item, Evidence: item.Evidence, Origin: evidence.Changed}
			if item.PreExisting {
				claim.Origin = evidence.PreExisting
				note(item.Item, refusal.RequireReason(msg.New("session.reason_of_earlier_item"), item.Reason))
			}
			if refusal.RequireReason("reason", item.Reason) == nil {
				claim.Reason = item.Reason
			}
			why, err := judge.Check(claim)
			if err != nil && problem.Of(err) == nil {
				return nil, err
			}
			if note(item.Item, err); !why.IsZero() {
				ownReason(item)
				excused = append(excused, excusedItem{item, why})
			}
		case state.Skipped:
			note(item.Item, refusal.RequireReason("reason", item.Reason))
			ownReason(item)
		default:
			note(item.Item, refusal.OneOf("status", string(item.Status), string(state.Done), string(state.Skipped)))
		}
	}
	if len(wrong) == 0 {
		note("", judge.Apart())
	}
	if len(wrong) == 0 {
		return excused, nil
	}
	return nil, problem.With(code, msg.Join(" ", wrong...), next...)
}

// implemented notes that nothing is to be written from now on.
func (t *turn) implemented(ctx context.Context) (err error) {
	t.State.Implemented, err = t.Mark(ctx)
	return err
}

// readyComplete ends the implementation if nothing is left to do.
func (t *turn) readyComplete(ctx context.Context, p payload.Complete) (answers, error) {
	if next := t.State.Next(); next != nil {
		return nil, problem.New(tasksPending, "session.task_not_completed", next.ID).
			Or("session.report_it_with", op.SubmitPhase)
	}
	if err := t.Audit(ctx); err != nil {
		return nil, err
	}
	if err := t.checkConflictMarkers(); err != nil {
		return nil, err
	}
	if err := t.checkImpact(ctx, p.Impact); err != nil {
		return nil, err
	}
	if err := t.onlyAdded(ctx); err != nil {
		return nil, err
	}
	if err := t.targetsInChange(ctx); err != nil {
		return nil, err
	}
	var done []string
	for _, task := range t.State.Tasks {
		done = append(done, task.ID+": "+task.Summary)
	}
	t.defaultSummary(strings.Join(done, "\n"))
	if err := t.implemented(ctx); err != nil {
		return nil, err
	}
	if t.State.Flags.Quick {
		return nil, t.reportWeakened(ctx)
	}
	return nil, nil
}

// checkConflictMarkers returns a Problem if a file that both base and task changed still contains conflict
// markers.
func (t *turn) checkConflictMarkers() error {
	for _, f := range t.State.Conflicts {
		data, err := repofile.In(t.s.project.Root, f).Read(repofile.Records)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removing it is one way to fix it
		}
		if err != nil {
			return err
		}
		if conflictMarker.Match(data) {
			return problem.New(conflictMarkers, "session.still_holds_conflict_markers", f).
				Or("session.keep_what_both_sides_meant").
				Or("session.from_pre_commit_done_ready", refusal.BackToReady())
		}
	}
	return nil
}

// conflictMarker finds the lines that git puts around what it could not merge.
var conflictMarker = lazyregexp.MustCompile(`(?m)^(?:<<<<<<<|>>>>>>>) `)

// skipReasons are the reasons for which items of finished tasks were skipped, in
// their plain form.
func skipReasons(s *state.State) map[string]bool {
	given := make(map[string]bool)
	for _, task := range s.Tasks {
		for _, item := range task.Checklist {
			if task.Status == state.TaskCompleted && item.Status == state.Skipped {
				given[vaguetext.Plain(item.Reason)] = true
			}
		}
	}
	return given
}
