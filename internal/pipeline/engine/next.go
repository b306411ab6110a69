package engine

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// An Observation is what the caller has just seen of the files, of git and of the
// configuration.
type Observation struct {
	Sense        map[string]string // of design.md and tasks.md, see [Sense]; none if they are not there
	Artifacts    []string          // the Markdown files of the workspace, sorted
	Branch       string            // that is checked out
	BranchExists bool              // the pipeline's own
	Uncommitted  bool              // the workspace of a finished pipeline is not in git yet, or not pushed
	Protected    bool              // a decision must come from the person directly, so --auto passes nothing
}

// defaultParallelAgents is how many agents work at the same time unless the configuration says
// otherwise.
const defaultParallelAgents = 4

// Next says what comes next. It changes nothing, and the same state and look give
// the same step.
func Next(t *Table, st *State, l Observation) Step {
	switch {
	case st.Status == StatusAbandoned:
		return HandOut{Action: Done{Summary: msg.New("pipeline.pipeline_abandoned_at", st.Phase, st.lastWord()),
			SummaryPath: st.summaryPath(l)}}
	case st.Status == StatusCompleted && l.Uncommitted:
		return ServerStep{Operation: OpFinalCommit}
	case st.Status == StatusCompleted:
		return HandOut{Action: Done{
			Summary:     msg.New("pipeline.pipeline_completed_phases_skipped", len(st.CompletedPhases), len(st.SkippedPhases)),
			SummaryPath: st.summaryPath(l),
		}}
	case st.Ticket != nil:
		return Repeat{}
	case st.Pause != nil:
		return HandOut{Action: Checkpoint{Name: st.Pause.Name, Options: Options(st.Pause.Name)}}
	case st.Commit != nil:
		return ServerStep{Operation: OpCommitTasks}
	// appending also checks whether tasks.md is stale
	case st.FixDue && st.Phase == Implementation && st.Accepted[TasksFile] != "":
		return ServerStep{Operation: OpAppendFix}
	}
	if d, ok := Stale(t, st, l); ok {
		return d
	}
	w, _ := t.Contract(st.Phase)
	switch w.Kind {
	case kindAdmin:
		return begin(st, l)
	case kindAgent, kindAgentWithVerdict, kindReview:
		return HandOut{Action: spawn(st, w, l)}
	case kindAgentPerTask:
		return implement(st, w, l)
	case kindReviewPerTask:
		return reviewTasks(st, w, l)
	case kindCheckpoint:
		return ask(st, l)
	case kindExec:
		switch {
		case st.PullRequest != "":
			return ServerStep{Operation: OpLeave}
		case !st.Pushed:
			return ServerStep{Operation: OpPush}
		}
		return HandOut{Action: Exec{Phase: st.Phase}}
	}
	return ServerStep{Operation: OpFinish}
}

func (st *State) summaryPath(l Observation) string {
	if slices.Contains(l.Artifacts, SummaryFile) {
		return st.Workspace + "/" + SummaryFile
	}
	return ""
}

// lastWord returns the reason why the pipeline was abandoned.
func (st *State) lastWord() msg.Message {
	if n := len(st.Decisions); n > 0 {
		d := st.Decisions[n-1]
		if d.Text != "" {
			return msg.Join("", msg.Block(d.Text))
		}
		if d.Name != "" {
			return msg.New("pipeline.decided_at", d.Name)
		}
	}
	return msg.New("pipeline.no_reason_given")
}

func begin(st *State, l Observation) Step {
	if st.TakenUp && st.FromCommit == "" {
		return ServerStep{Operation: OpTakeUp}
	}
	if !st.Switches() || l.Branch == st.Branch {
		return ServerStep{Operation: OpBegin}
	}
	argv := []string{"git", "switch", "-c", st.Branch}
	if l.BranchExists { // made, and left
		argv = []string{"git", "switch", st.Branch}
	}
	return HandOut{Action: Exec{Phase: st.Phase, Commands: argv, SetupOnly: true}}
}

// Stale reports whether something that was accepted is not as it was, and where
// it must be looked at again.
func Stale(t *Table, st *State, l Observation) (ServerStep, bool) {
	isLate := !isBefore(t, st.Phase, FinalVerification)
	if was, ok := st.Accepted[DesignFile]; ok && !isLate && was != l.Sense[DesignFile] && isBefore(t, Design, st.Phase) {
		why := msg.New("pipeline.design_md_not_accepted")
		switch {
		case l.Sense[DesignFile] == "":
			return ServerStep{OpGoBack, Design, msg.New("pipeline.design_md_gone"), DesignFile}, true
		case slices.Contains(st.SkippedPhases, DesignReview):
			return ServerStep{OpGoBack, CheckpointA, why, DesignFile}, true
		}
		return ServerStep{OpGoBack, DesignReview, why, DesignFile}, true
	}
	if was, ok := st.Accepted[TasksFile]; ok && !isLate && was != l.Sense[TasksFile] &&
		isBefore(t, Decomposition, st.Phase) {
		switch {
		case l.Sense[TasksFile] == "" && st.Effort == "S":
			return ServerStep{OpGoBack, Implementation, msg.New("pipeline.tasks_md_gone"), TasksFile}, true
		case l.Sense[TasksFile] == "":
			return ServerStep{OpGoBack, Decomposition, msg.New("pipeline.tasks_md_gone"), TasksFile}, true
		case slices.Contains(st.SkippedPhases, TasksReview):
			return ServerStep{OpGoBack, Implementation, msg.New("pipeline.tasks_md_not_accepted"), TasksFile}, true
		}
		return ServerStep{OpGoBack, TasksReview, msg.New("pipeline.tasks_md_not_accepted"), TasksFile}, true
	}
	return ServerStep{}, false
}

// spawn is the one agent of a phase.
func spawn(st *State, w Work, l Observation) SpawnAgent {
	a := SpawnAgent{Agent: w.Agent, Phase: st.Phase, Inputs: inputs(w.Reads, l), Output: w.Writes[0]}
	add := func(name string) {
		if !slices.Contains(a.Inputs, name) && slices.Contains(l.Artifacts, name) {
			a.Inputs = append(a.Inputs, name)
		}
	}
	if st.Attempts > 0 || st.revision(st.Phase, "") > 0 { // whoever revises begins with what they wrote
		add(a.Output)
	}
	switch st.Phase {
	case Analysis:
		if slices.Contains(st.SkippedPhases, Investigation) {
			a.Agent = combined
		}
	case Design:
		if _, reviewed := st.Reviews[DesignReview]; reviewed {
			add("review-design.md")
		}
	case Decomposition:
		if _, reviewed := st.Reviews[TasksReview]; reviewed {
			add("review-tasks.md")
		}
	case FinalVerification:
		if artifact.Blocks(st.Reviews[Comprehensive].Findings) {
			add(ReviewFile)
		}
	case FinalSummary:
		for _, name := range l.Artifacts {
			if name != SummaryFile && name != "improvement.md" {
				add(name)
			}
		}
	}
	return a
}

// inputs returns the files to read, without the optional ones that are missing.
func inputs(reads []string, l Observation) []string {
	names := []string{}
	for _, name := range reads {
		name, optional := strings.CutSuffix(name, "?")
		if !optional || slices.Contains(l.Artifacts, name) {
			names = append(names, name)
		}
	}
	return names
}

// fillTaskID replaces the placeholder for a task's id in file names.
func fillTaskID(names []string, id string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ReplaceAll(n, "{task}", id)
	}
	return out
}

// implement hands out the tasks that are ready.
func implement(st *State, w Work, l Observation) Step {
	switch {
	case st.Unplanned() && len(st.Tasks) == 0:
		return ServerStep{Operation: OpReadTasks}
	case st.Unplanned():
	case st.Effort == "S" && st.Accepted[TasksFile] == "":
		return HandOut{Action: WriteFile{Phase: st.Phase, Path: st.Workspace + "/" + TasksFile}}
	case st.TasksSense == "" || st.TasksSense != l.Sense[TasksFile]:
		return ServerStep{Operation: OpReadTasks}
	}
	batch := batch(st)
	if len(batch) > 0 {
		if first := batch[0]; first.Mode == artifact.HumanGate {
			return HandOut{Action: HumanGate{Phase: st.Phase, Name: first.Gate, Options: Options(HumanGateCheckpoint),
				task: first.ID}, Tasks: []string{first.ID}}
		}
		return perTask(st, w, batch, func(k Task) (more []string) {
			if report := fillTaskID(w.Writes, k.ID)[0]; k.Base != "" && slices.Contains(l.Artifacts, report) {
				more = append(more, report) // of the last attempt
			}
			switch {
			case k.Review != nil:
				more = append(more, "review-"+k.ID+".md")
			case k.Fix && slices.Contains(l.Artifacts, VerificationFile):
				more = append(more, VerificationFile)
			}
			return more
		})
	}
	if len(st.withStatus(TaskPending)) == 0 {
		return ServerStep{Operation: OpLeave}
	}
	return ServerStep{Operation: OpBlock, Why: blocked(st)}
}

// reviewTasks hands out the tasks that were implemented and not reviewed.
func reviewTasks(st *State, w Work, l Observation) Step {
	var batch []Task
	for _, k := range st.Tasks {
		if k.Status == TaskImplemented && len(batch) < st.parallelAgents() {
			batch = append(batch, k)
		}
	}
	if len(batch) == 0 {
		return ServerStep{Operation: OpLeave}
	}
	return perTask(st, w, batch, func(k Task) []string {
		last := fillTaskID(w.Writes, k.ID)
		if (k.Retries > 0 || len(k.CheckFindings) > 0) && slices.Contains(l.Artifacts, last[0]) {
			return last
		}
		return nil
	})
}

func (st *State) parallelAgents() int {
	if st.MaxParallel > 0 {
		return st.MaxParallel
	}
	return defaultParallelAgents
}

// Fewer returns the action for all tasks but the last.
func (a SpawnAgent) Fewer() SpawnAgent {
	a.Tasks = a.Tasks[:len(a.Tasks)-1]
	a.TaskIDs = a.TaskIDs[:len(a.Tasks)]
	if len(a.Tasks) == 1 {
		only := a.Tasks[0]
		a.task, a.Inputs, a.Output, a.Tasks, a.TaskIDs = only.ID, only.Inputs, only.Output, nil, nil
	}
	return a
}

// perTask is one agent for one task, or one for each of several.
func perTask(st *State, w Work, batch []Task, more func(Task) []string) Step {
	a := SpawnAgent{Agent: w.Agent, Phase: st.Phase}
	if st.Unplanned() {
		w.Reads = unplanned(w.Reads)
	}
	var ids []string
	for _, k := range batch {
		ids = append(ids, k.ID)
		a.Tasks = append(a.Tasks, ParallelTask{ID: k.ID, Inputs: append(fillTaskID(w.Reads, k.ID), more(k)...),
			Output: fillTaskID(w.Writes, k.ID)[0]})
	}
	if len(batch) == 1 {
		a.task, a.Inputs, a.Output, a.Tasks = ids[0], a.Tasks[0].Inputs, a.Tasks[0].Output, nil
		return HandOut{a, ids}
	}
	a.TaskIDs = ids
	a.Inputs = []string{}
	for _, name := range w.Reads {
		if !strings.Contains(name, "{task}") {
			a.Inputs = append(a.Inputs, name)
		}
	}
	return HandOut{a, ids}
}

// unplanned is what an agent reads of a task that nobody has planned: the request, and
// neither design nor tasks.
func unplanned(reads []string) []string {
	names := slices.DeleteFunc(slices.Clone(reads), func(name string) bool {
		return slices.Contains([]string{DesignFile, TasksFile, "request.md"}, name)
	})
	return append(names, "request.md")
}

// batch returns the tasks that may be worked on now: the first that is ready, and
// if it is a parallel one, the other parallel ones whose files are not the same.
func batch(st *State) (batch []Task) {
	taken := make(map[string]bool)
	for _, k := range st.Tasks {
		switch {
		case k.Status != TaskPending || !st.dependenciesDone(k):
			continue
		case len(batch) == 0 && k.Mode != artifact.Parallel:
			return []Task{k}
		case k.Mode != artifact.Parallel || slices.ContainsFunc(k.Files, func(f string) bool { return taken[f] }):
			continue
		case len(batch) == st.parallelAgents():
			return batch
		}
		if len(k.Files) == 0 { // nobody can tell what it touches
			if len(batch) == 0 {
				return []Task{k}
			}
			continue
		}
		for _, f := range k.Files {
			taken[f] = true
		}
		batch = append(batch, k)
	}
	return batch
}

// dependenciesDone reports whether all that a task depends on is completed.
func (st *State) dependenciesDone(k Task) bool {
	for _, id := range k.DependsOn {
		if d := st.Task(id); d == nil || !d.completed() {
			return false
		}
	}
	return true
}

// blocked says what keeps the pending tasks from ever becoming ready: a cycle, or
// what there is not.
func blocked(st *State) msg.Message {
	lines := []any{msg.New("pipeline.no_pending_task_can_become_ready")}
	for _, id := range st.withStatus(TaskPending) {
		var on []any
		for _, d := range st.Task(id).DependsOn {
			switch k := st.Task(d); {
			case k == nil:
				on = append(on, msg.New("pipeline.no_such_task", d))
			case !k.completed():
				on = append(on, fmt.Sprintf("%s (%s)", d, k.Status))
			}
		}
		lines = append(lines, msg.New("pipeline.task_waits", id, msg.ListOf(", ", on...)))
	}
	if c := cycle(st); len(c) > 0 {
		lines = append(lines, msg.New("pipeline.they_go_round_in_a_circle", strings.Join(c, " → ")))
	}
	return msg.Join("\n", lines...)
}

// cycle returns tasks that wait for each other, the first again at the end.
func cycle(st *State) []string {
	for _, start := range st.withStatus(TaskPending) {
		way := []string{start}
		for k := st.Task(start); k != nil; {
			next := ""
			for _, d := range k.DependsOn {
				if o := st.Task(d); o != nil && !o.completed() {
					next = d
					break
				}
			}
			if next == "" {
				break
			}
			if i := slices.Index(way, next); i >= 0 {
				return append(way[i:], next)
			}
			way = append(way, next)
			k = st.Task(next)
		}
	}
	return nil
}

// ask returns the checkpoint, unless --auto may pass it, or it was answered and the
// summary is to be posted.
func ask(st *State, l Observation) Step {
	switch {
	case st.Flags.Auto && !l.Protected && mayPass(st):
		return ServerStep{Operation: OpPass, Why: msg.New("pipeline.auto_and_review_approves")}
	case st.Phase == PostToSource && st.Posting && st.Source.Type == "github_issue":
		return HandOut{Action: Exec{Phase: st.Phase}}
	case st.Phase == PostToSource && st.Posting:
		return HandOut{Action: HumanGate{Phase: st.Phase, Name: string(PostToSource),
			Options: Options(HumanGateCheckpoint)}}
	}
	return HandOut{Action: Checkpoint{Name: string(st.Phase), Options: Options(string(st.Phase))}}
}

// mayPass reports whether --auto may pass the checkpoint: what it is about was
// reviewed and approved, or, where no review is made, found in order.
func mayPass(st *State) bool {
	review := map[phase.ID]phase.ID{CheckpointA: DesignReview, CheckpointB: TasksReview}[st.Phase]
	switch {
	case review == "":
		return false
	case slices.Contains(st.SkippedPhases, review):
		return st.Phase == CheckpointA && st.Accepted[DesignFile] != "" && !artifact.Blocks(st.Notes)
	}
	j, ok := st.Reviews[review]
	of := map[phase.ID]string{CheckpointA: DesignFile, CheckpointB: TasksFile}[st.Phase]
	return ok && j.approves() && j.Of != "" && j.Of == st.Accepted[of]
}

// Sense is what a text says apart from its check boxes and the blanks at the ends of its
// lines: agents that work through a list may tick it off, with boxes that it had or without.
func Sense(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(checkBox.ReplaceAllString(strings.TrimRight(line, " \t\r\n"), "$1") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

var checkBox = lazyregexp.MustCompile(`^(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[[ xX]\](?:\s+|$)`)
