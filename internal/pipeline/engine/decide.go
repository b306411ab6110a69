package engine

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// The checkpoints that are not phases of the table.
const (
	UntilCheckpoint              = "until"
	CommandFailedCheckpoint      = "command-failed"
	PushFailedCheckpoint         = "push-failed"
	CommitFailedCheckpoint       = "commit-failed"
	TasksBlockedCheckpoint       = "tasks-blocked"
	NotValidCheckpoint           = "not-valid"
	UnchangedCheckpoint          = "unchanged"
	PlanIncompleteCheckpoint     = "plan-incomplete"
	ChangedAfterReviewCheckpoint = "changed-after-review"
	VerifierCheckpoint           = "verifier-not-run"
	UnknownStateCheckpoint       = "unknown-state"
	InstructionsCheckpoint       = "instructions-changed"
	BudgetCheckpoint             = "budget-spent"
	CommentsCheckpoint           = "comments-declined"
	GitSettingsCheckpoint        = "git-settings-changed"
	NothingChangedCheckpoint     = "nothing-changed"
	MustSeeCheckpoint            = "must-be-seen"
	HumanGateCheckpoint          = "human_gate"
)

// Mine is the answer of a person whose own the changed files are.
const Mine = "mine"

// A checkpoint is where a person decides: its options, and what each does.
type checkpoint struct {
	options []option
	silent  []option // understood, but not listed
}

type option struct {
	word string
	does func(t *Table, st *State, text string) error
}

// checkpoints holds every checkpoint by name. All gates of tasks share one entry.
var checkpoints = map[string]checkpoint{
	string(CheckpointA):      {[]option{{"approve", approve}, {"reject", reject}}, []option{{"abandon", abandon}}},
	string(CheckpointB):      {[]option{{"approve", approve}, {"reject", reject}}, []option{{"abandon", abandon}}},
	"checkpoint-design":      {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	"checkpoint-tasks":       {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	string(CheckpointImpl):   {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	string(CheckpointVerify): {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	string(PostToSource):     {[]option{{"post", post}, {"skip", approve}}, []option{{"abandon", abandon}}},

	UntilCheckpoint:          {[]option{{"continue", resume}, {"abandon", abandon}}, nil},
	CommandFailedCheckpoint:  {[]option{{"retry", resume}, {"skip", skip}, {"abandon", abandon}}, nil},
	PushFailedCheckpoint:     {[]option{{"retry", resume}, {"skip", skip}, {"abandon", abandon}}, nil},
	CommitFailedCheckpoint:   {[]option{{"retry", resume}, {"abandon", abandon}}, nil},
	TasksBlockedCheckpoint:   {[]option{{"retry", readTasksAgain}, {"revise", planAgain}, {"abandon", abandon}}, nil},
	NotValidCheckpoint:       {[]option{{"guide", runAgain}, {"abandon", abandon}}, nil},
	UnchangedCheckpoint:      {[]option{{"approve", acceptAsIs}, {"guide", runAgain}, {"abandon", abandon}}, nil},
	PlanIncompleteCheckpoint: {[]option{{"approve", acceptAsIs}, {"guide", runAgain}, {"abandon", abandon}}, nil},
	ChangedAfterReviewCheckpoint: {[]option{{"approve", acceptChanges}, {"retry", resume}, {Mine, keepFiles},
		{"abandon", abandon}}, nil},
	VerifierCheckpoint:     {[]option{{"retry", runAgain}, {"approve", acceptAsIs}, {"abandon", abandon}}, nil},
	UnknownStateCheckpoint: {[]option{{"approve", resume}, {"abandon", abandon}}, nil},
	InstructionsCheckpoint: {[]option{{"approve", acceptInstructions}, {"retry", resume}, {"abandon", abandon}}, nil},
	BudgetCheckpoint: {[]option{{"more", grantMore}, {"finish", grantAll}, {"stop", abandon}},
		[]option{{"abandon", abandon}}},
	CommentsCheckpoint:       {[]option{{"approve", acceptAnswers}, {"guide", answerAgain}, {"abandon", abandon}}, nil},
	GitSettingsCheckpoint:    {[]option{{"approve", acceptGitSettings}, {"retry", resume}, {"abandon", abandon}}, nil},
	NothingChangedCheckpoint: {[]option{{"approve", acceptNothing}, {"guide", workAgain}, {"abandon", abandon}}, nil},
	MustSeeCheckpoint:        {[]option{{"approve", acceptSeen}, {"guide", workAgain}, {"retry", resume}, {"abandon", abandon}}, nil},
	HumanGateCheckpoint:      {[]option{{"done", gateDone}, {"skip", gateSkip}, {"abandon", abandon}}, nil},
}

// Options returns what a checkpoint offers.
func Options(name string) []string {
	var words []string
	for _, o := range checkpoints[name].options {
		words = append(words, o.word)
	}
	return words
}

// CanAbandon reports whether a checkpoint understands "abandon" without listing it.
func CanAbandon(name string) bool { return len(checkpoints[name].silent) > 0 }

// Decide applies a person's answer to the outstanding checkpoint or gate. An answer
// that names no option decides nothing: it is kept, and the warning lists the options.
func Decide(t *Table, st *State, answer, by string) (warning msg.Message, err error) {
	name := st.Ticket.checkpoint()
	word, text := Understand(name, answer)
	if word == "" {
		st.HeldAnswer = withAnswer(st.HeldAnswer, text)
		st.Note(Entry{Event: EventNotUnderstood, By: by, Detail: map[string]string{"answer": text}})
		return msg.New("pipeline.answer_names_no_option", strings.Join(Options(name), ", ")), nil
	}
	return msg.Message{}, Choose(t, st, word, text, by)
}

// withAnswer adds an answer to what is kept of the ones before, unless it only repeats them.
func withAnswer(kept, text string) string {
	if text = strings.TrimSpace(text); strings.Contains("\n"+kept+"\n", "\n"+text+"\n") {
		return kept
	}
	return strings.TrimSpace(kept + "\n" + text)
}

// Choose applies one of the [Choices] of the outstanding checkpoint or gate; text is
// the rest of the answer.
func Choose(t *Table, st *State, word, text, by string) error {
	d := checkpoints[st.Ticket.checkpoint()]
	for _, o := range slices.Concat(d.options, d.silent) {
		if o.word != word {
			continue
		}
		if st.HeldAnswer != "" {
			text, st.HeldAnswer = withAnswer(st.HeldAnswer, text), ""
		}
		st.decided(st.Ticket.Name, word, text, by)
		return o.does(t, st, text)
	}
	return fmt.Errorf("pipeline: %s has no option %s", st.Ticket.checkpoint(), word)
}

// Asks reports whether a person is asked by the ticket's action.
func (k *Ticket) Asks() bool {
	return k != nil && (k.Type == (Checkpoint{}).Kind() || k.Type == (HumanGate{}).Kind())
}

// checkpoint returns the name of the checkpoint that a ticket's action asks at.
func (k *Ticket) checkpoint() string {
	if k.Type == (HumanGate{}).Kind() {
		return HumanGateCheckpoint
	}
	return k.Name
}

// Choices returns every option that a checkpoint or gate understands, listed or not.
func Choices(k *Ticket) (words []string) {
	d := checkpoints[k.checkpoint()]
	for _, o := range slices.Concat(d.options, d.silent) {
		words = append(words, o.word)
	}
	return words
}

// Words returns every option of every checkpoint, sorted.
func Words() (words []string) {
	for _, d := range checkpoints {
		for _, o := range slices.Concat(d.options, d.silent) {
			words = append(words, o.word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// decided records a decision and withdraws the ticket.
func (st *State) decided(name, choice, text, by string) {
	d := Decision{Name: name, Choice: choice, Text: text, By: by}
	if st.Ticket != nil {
		d.Ticket = st.Ticket.ID
	}
	st.Decisions = append(st.Decisions, d)
	st.Note(Entry{Event: EventDecided, By: by, Detail: map[string]string{"name": name, "choice": choice, "text": text}})
	if st.Ticket != nil && st.Ticket.Type == (HumanGate{}).Kind() {
		return // the gate's own transition needs its task
	}
	st.Ticket = nil
}

// Abandon ends the pipeline for ever.
func (st *State) Abandon(reason, by string) {
	st.decided("", "abandon", reason, by)
	st.end(StatusAbandoned)
}

func (st *State) end(s Status) {
	st.Status, st.Ticket, st.Pause, st.Held, st.Commit = s, nil, nil, nil, nil
	st.Note(Entry{Event: EventEnded, Detail: map[string]string{"status": string(s)}})
}

func (st *State) addFeedback(text string) {
	if text != "" {
		st.Feedback = append(st.Feedback, text)
	}
}

func approve(t *Table, st *State, text string) error {
	st.addFeedback(text)
	return st.Leave(t)
}

func reject(t *Table, st *State, text string) error {
	if text == "" {
		text = "The person who looked at it rejected it and gave no reason. Look at every finding again."
	}
	st.addFeedback(text)
	return st.Leave(t, rejected)
}

func abandon(_ *Table, st *State, _ string) error {
	st.end(StatusAbandoned)
	return nil
}

func post(_ *Table, st *State, _ string) error {
	st.Posting = true
	return nil
}

func resume(_ *Table, st *State, text string) error {
	st.addFeedback(text)
	if st.Pause != nil && st.Pause.Name == UntilCheckpoint {
		st.UntilReached = true
	}
	st.Pause, st.Held = st.Held, nil
	return nil
}

// grantMore lets the agents take as much again, from what they have taken until now.
func grantMore(t *Table, st *State, text string) error {
	if b := st.Budget; b != nil {
		b.Unmeasured = b.Unmeasured || st.Spent() == 0
		b.Granted = st.Spent() + max(b.Tokens, b.Duration)
	}
	return resume(t, st, text)
}

// grantAll lets the agents take what they need.
func grantAll(t *Table, st *State, text string) error {
	st.Budget = nil
	return resume(t, st, text)
}

// acceptInstructions has agents work by the instructions that there are now.
func acceptInstructions(t *Table, st *State, text string) error {
	st.Instructions = st.Pause.Instructions
	return resume(t, st, text)
}

// acceptGitSettings goes on with what git goes by now.
func acceptGitSettings(t *Table, st *State, text string) error {
	st.GitSettings = st.Pause.GitSettings
	return resume(t, st, text)
}

// acceptSeen lets go out what the person has seen.
func acceptSeen(t *Table, st *State, text string) error {
	st.Seen = st.Pause.Seen
	return resume(t, st, text)
}

// acceptChanges has what was changed after the reviews committed.
func acceptChanges(t *Table, st *State, text string) error {
	st.Commit = st.Pause.Commit
	return resume(t, st, text)
}

// keepFiles leaves what was changed in the tree, as the user's: no commit of the pipeline
// takes it. What the user's own commits hold stays on the branch.
func keepFiles(t *Table, st *State, text string) error {
	c := st.Pause.Commit
	if c == nil {
		return resume(t, st, text)
	}
	rest := slices.DeleteFunc(slices.Clone(c.Files), func(f string) bool { return slices.Contains(c.Others, f) })
	if len(c.Tasks) == 0 {
		for _, f := range rest {
			if !slices.Contains(st.UserFiles, f) {
				st.UserFiles = append(st.UserFiles, f)
			}
			delete(st.UserContent, f)
		}
		for i := range st.Tasks { // what they must list is what changes from here on
			st.Tasks[i].Round = ""
		}
		rest = nil
	}
	if len(c.Others) > 0 || len(c.Files) == 0 {
		st.Commit = &Commit{Files: rest, Tasks: c.Tasks, Message: c.Message, AcceptOthers: true, Head: c.Head,
			Shown: c.Shown}
	}
	return resume(t, st, text)
}

// skip goes on without what failed.
func skip(t *Table, st *State, _ string) error {
	st.Pause = nil
	return st.Leave(t)
}

// readTasksAgain reads tasks.md again, which a person has corrected.
func readTasksAgain(_ *Table, st *State, text string) error {
	st.addFeedback(text)
	st.Pause, st.TasksSense = nil, ""
	return nil
}

// planAgain goes back to the phase that writes the tasks.
func planAgain(_ *Table, st *State, text string) error {
	st.addFeedback(text)
	st.Pause, st.TasksSense = nil, ""
	st.Go(Decomposition, msg.New("pipeline.tasks_are_blocked"))
	if slices.Contains(st.SkippedPhases, Decomposition) {
		delete(st.Accepted, TasksFile)
		st.Go(Design, msg.New("pipeline.tasks_are_blocked"))
	}
	return nil
}

// runAgain gives the phase to its agent once more.
func runAgain(_ *Table, st *State, text string) error {
	st.addFeedback(text)
	st.Pause, st.Attempts = nil, 0
	return nil
}

// acceptAsIs accepts the artifact although a check refused it.
func acceptAsIs(t *Table, st *State, text string) error {
	st.addFeedback(text)
	st.Pause, st.Attempts = nil, 0
	if st.Phase == CodeReview { // which approves, and could not be checked against the verifiers
		for i := range st.Tasks {
			if k := &st.Tasks[i]; k.Status == TaskImplemented {
				k.Status, k.Review = TaskPassed, &Judgement{Verdict: string(artifact.Pass),
					Findings: st.Reviews[FinalVerification].Findings}
			}
		}
	}
	return st.Leave(t)
}

// acceptAnswers leaves comments of a pull request undone, as the reviews say.
func acceptAnswers(t *Table, st *State, text string) error {
	st.Pull.Accepted = true
	return resume(t, st, text)
}

// acceptNothing ends a pipeline that has changed nothing, because all was there.
func acceptNothing(t *Table, st *State, text string) error {
	st.Unchanged = true
	return resume(t, st, text)
}

// workAgain hands out the tasks again: they were reported as needing no change, or the person wants other changes.
func workAgain(_ *Table, st *State, text string) error {
	why := msg.New("pipeline.nothing_changed")
	if st.Pause.Name == MustSeeCheckpoint {
		why = msg.New("pipeline.must_be_seen")
	}
	st.Pause = nil
	st.addFeedback(text)
	st.Go(Implementation, why)
	for i := range st.Tasks {
		if k := &st.Tasks[i]; k.Mode != artifact.HumanGate {
			k.Status, k.Review = TaskPending, nil
		}
	}
	return nil
}

// answerAgain has the comments that are not done worked on.
func answerAgain(_ *Table, st *State, text string) error {
	st.Pause = nil
	st.addFeedback(text)
	var found []artifact.Finding
	for _, c := range st.Pull.Undone() {
		found = append(found, artifact.Finding{Severity: artifact.Critical,
			Description: msg.New("pipeline.comment_to_be_done", c.ID, c.Text)})
	}
	st.Go(Implementation, msg.New("pipeline.comments_are_to_be_done"))
	if st.Unplanned() {
		for i := range st.Tasks {
			st.Tasks[i].Status, st.Tasks[i].CheckFindings = TaskPending, found
		}
		return nil
	}
	st.Reviews[FinalVerification] = Judgement{Verdict: string(artifact.Fail), Findings: found}
	st.FixDue = true
	return nil
}

func gateDone(_ *Table, st *State, text string) error { return st.endGate(TaskDone, text) }
func gateSkip(_ *Table, st *State, text string) error { return st.endGate(TaskSkipped, text) }

// endGate ends the task that waits for a person, or the posting of the summary.
func (st *State) endGate(as TaskStatus, text string) error {
	k := st.Ticket
	st.Ticket = nil
	st.addFeedback(text)
	if st.Phase == PostToSource {
		st.Posting = false
		table, err := Phases()
		if err != nil {
			return err
		}
		return st.Leave(table)
	}
	for _, id := range k.Tasks {
		if task := st.Task(id); task != nil {
			task.Status = as
		}
	}
	return nil
}

// Go moves to a phase outside of the table's edges, and says why.
func (st *State) Go(to phase.ID, why msg.Message) {
	st.Note(Entry{Event: EventPhase, Phase: to, Detail: map[string]string{"from": string(st.Phase), "why": why.String()}})
	if st.Phase != to {
		st.Attempts = 0
	}
	st.Phase, st.CheckFindings = to, nil
}

// Leave goes on from the phase by the table, with what holds now.
func (st *State) Leave(t *Table, now ...phase.Fact) error {
	from := st.Phase
	step, err := t.Next(from, st.facts(now...))
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	if w, _ := t.Contract(from); slices.Contains([]Kind{kindAgent, kindAgentWithVerdict, kindAgentPerTask,
		kindReview, kindReviewPerTask}, w.Kind) && !slices.Contains(st.CompletedPhases, from) {
		st.CompletedPhases = append(st.CompletedPhases, from)
	}
	st.count(step)
	st.retry(from, step.To)
	if slices.Contains([]phase.ID{FinalVerification, CheckpointVerify}, from) && step.To == Implementation {
		st.FixDue = true
	}
	st.Note(Entry{Event: EventPhase, Phase: step.To, Detail: map[string]string{"from": string(from)}})
	if w, _ := t.Contract(from); slices.Contains([]Kind{kindAgent, kindAgentWithVerdict, kindAgentPerTask}, w.Kind) {
		st.Feedback = nil // it was in the prompt
	}
	st.Phase, st.Attempts, st.Posting, st.CheckFindings = step.To, 0, false, nil
	if u := st.Flags.Until; u != "" && !st.UntilReached && !isBefore(t, step.To, from) && (from == u ||
		slices.Contains(step.Skipped, u)) {
		st.Pause = &Pause{Name: UntilCheckpoint, Text: msg.New("pipeline.done_until_says_stop_here", Label(u), u)}
	}
	return nil
}

// count counts the edge that was taken.
func (st *State) count(step phase.Step) {
	if st.Counters == nil {
		st.Counters = make(map[phase.Counter]int)
	}
	switch {
	case step.Count == implRetries:
		for i := range st.Tasks {
			if st.Tasks[i].Status == TaskFailed {
				st.Tasks[i].Retries++
			}
		}
	case step.Count != "":
		st.Counters[step.Count]++
	}
	for _, c := range step.Reset {
		delete(st.Counters, c)
		if c == implRetries {
			for i := range st.Tasks {
				st.Tasks[i].Retries = 0
			}
		}
	}
}

// retry gives tasks whose review failed their next status: they are implemented
// again, or a person takes them as they are.
func (st *State) retry(from, to phase.ID) {
	if from != CodeReview && from != CheckpointImpl {
		return
	}
	for i := range st.Tasks {
		if k := &st.Tasks[i]; k.Status == TaskFailed && to == Implementation {
			k.Status = TaskPending
		} else if k.Status == TaskFailed && from == CheckpointImpl {
			k.Status = TaskPassed
		}
	}
}
