package engine

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"codeintel/internal/workflow/phase"
)

// The checkpoints that are no phases.
const (
	UntilDesk   = "until"
	ExecDesk    = "command-failed"
	PushDesk    = "push-failed"
	CommitDesk  = "commit-failed"
	BlockedDesk = "tasks-blocked"
	InvalidDesk = "not-valid"
	SameDesk    = "unchanged"
	PlanDesk    = "plan-incomplete"
	ChangedDesk = "changed-after-review"
	GateDesk    = "human_gate"
)

// A desk is where a person decides: what he may say, and where each leads.
type desk struct {
	options []option
	silent  []option // understood, but not listed
}

type option struct {
	word string
	does func(t *Table, st *State, text string) error
}

// desks is every checkpoint there is, by name. The options of the gates of tasks
// are one more.
var desks = map[string]desk{
	string(CheckpointA):      {[]option{{"approve", approve}, {"reject", reject}}, []option{{"abandon", abandon}}},
	string(CheckpointB):      {[]option{{"approve", approve}, {"reject", reject}}, []option{{"abandon", abandon}}},
	"checkpoint-design":      {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	"checkpoint-tasks":       {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	string(CheckpointImpl):   {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	string(CheckpointVerify): {[]option{{"approve", approve}, {"guide", reject}, {"abandon", abandon}}, nil},
	string(PostToSource):     {[]option{{"post", post}, {"skip", approve}}, []option{{"abandon", abandon}}},

	UntilDesk:   {[]option{{"continue", goOn}, {"abandon", abandon}}, nil},
	ExecDesk:    {[]option{{"retry", goOn}, {"skip", pass}, {"abandon", abandon}}, nil},
	PushDesk:    {[]option{{"retry", goOn}, {"skip", pass}, {"abandon", abandon}}, nil},
	CommitDesk:  {[]option{{"retry", goOn}, {"abandon", abandon}}, nil},
	BlockedDesk: {[]option{{"retry", reread}, {"revise", replan}, {"abandon", abandon}}, nil},
	InvalidDesk: {[]option{{"guide", again}, {"abandon", abandon}}, nil},
	SameDesk:    {[]option{{"approve", asItIs}, {"guide", again}, {"abandon", abandon}}, nil},
	PlanDesk:    {[]option{{"approve", asItIs}, {"guide", again}, {"abandon", abandon}}, nil},
	ChangedDesk: {[]option{{"approve", takeChanges}, {"retry", goOn}, {"abandon", abandon}}, nil},
	GateDesk:    {[]option{{"done", gateDone}, {"skip", gateSkip}, {"abandon", abandon}}, nil},
}

// synonyms are other words for an option, where it is one. The first option of a
// desk that a word stands for is meant.
var synonyms = map[string][]string{
	"approve":  {"approved", "proceed", "ok", "okay", "yes", "y", "lgtm", "accept", "accepted", "承認", "承認します", "承認する", "はい", "了解", "進めて", "進めてください"},
	"reject":   {"rejected", "revise", "no", "n", "差戻し", "差し戻し", "差戻", "差し戻す", "却下", "いいえ"},
	"guide":    {"guidance", "reject", "revise", "retry", "no", "差戻し", "差し戻し", "指示"},
	"abandon":  {"abandoned", "abort", "中止", "破棄", "放棄"},
	"post":     {"yes", "y", "ok", "投稿", "投稿する", "はい"},
	"skip":     {"skipped", "no", "n", "スキップ", "省略", "いいえ"},
	"continue": {"proceed", "go", "resume", "yes", "y", "ok", "続行", "続ける", "はい"},
	"retry":    {"again", "再試行", "やり直し"},
	"revise":   {"replan", "差戻し", "差し戻し"},
	"done":     {"finished", "complete", "completed", "完了", "済", "済み"},
}

// Options returns what a checkpoint offers.
func Options(name string) []string {
	var words []string
	for _, o := range desks[name].options {
		words = append(words, o.word)
	}
	return words
}

// CanAbandon reports whether a checkpoint understands "abandon" without listing it.
func CanAbandon(name string) bool { return len(desks[name].silent) > 0 }

// Understand splits an answer into the option it names and the rest, its text.
// The first word decides; the option is "" if that names none.
func Understand(name, answer string) (word, text string) {
	answer = strings.TrimSpace(norm.NFKC.String(answer))
	bare := strings.TrimLeft(answer, "\"'`*_「『【([{<#> \t\n")
	end := strings.IndexFunc(bare, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,;:!\"`*_」』】)]}>。、,…—–", r)
	})
	if end < 0 {
		end = len(bare)
	}
	first := cases.Fold().String(bare[:end])
	d := desks[name]
	all := slices.Concat(d.options, d.silent)
	for _, o := range all {
		if first == o.word {
			word = o.word
		}
	}
	for _, o := range all {
		if word == "" && slices.Contains(synonyms[o.word], first) {
			word = o.word
		}
	}
	if word == "" || first == "" {
		return "", answer
	}
	return word, strings.TrimSpace(strings.TrimLeftFunc(bare[end:], func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,;:!\"'`*_」』】)]}>。、,…—–-", r)
	}))
}

// Decide applies a person's answer to the checkpoint or gate that is outstanding.
// An answer that names no option changes nothing but that it is kept; the warning
// then lists the options.
func Decide(t *Table, st *State, answer, by string) (warning string, err error) {
	name := st.Ticket.desk()
	word, text := Understand(name, answer)
	if word == "" {
		st.Kept = strings.TrimSpace(st.Kept + "\n" + text)
		st.Note(Entry{Event: Unheard, By: by, Detail: map[string]string{"answer": text}})
		return fmt.Sprintf("The answer names none of the options %s as its first word, so nothing was decided; its text is kept for the next answer.",
			strings.Join(Options(name), ", ")), nil
	}
	return "", Choose(t, st, word, text, by)
}

// Choose applies one of the [Choices] of the checkpoint or gate that is
// outstanding, with what the person says besides.
func Choose(t *Table, st *State, word, text, by string) error {
	d := desks[st.Ticket.desk()]
	for _, o := range slices.Concat(d.options, d.silent) {
		if o.word != word {
			continue
		}
		if st.Kept != "" {
			text, st.Kept = strings.TrimSpace(st.Kept+"\n"+text), ""
		}
		st.decided(st.Ticket.Name, word, text, by)
		return o.does(t, st, text)
	}
	return fmt.Errorf("pipeline: %s has no option %s", st.Ticket.desk(), word)
}

// Asks reports whether a person is asked by the ticket's action.
func (k *Ticket) Asks() bool {
	return k != nil && (k.Type == (Checkpoint{}).Kind() || k.Type == (HumanGate{}).Kind())
}

// desk is the name of the desk that a ticket's action is.
func (k *Ticket) desk() string {
	if k.Type == (HumanGate{}).Kind() {
		return GateDesk
	}
	return k.Name
}

// Choices returns every option that a checkpoint or gate understands, listed or not.
func Choices(k *Ticket) (words []string) {
	d := desks[k.desk()]
	for _, o := range slices.Concat(d.options, d.silent) {
		words = append(words, o.word)
	}
	return words
}

// Words returns every option of every checkpoint, sorted.
func Words() (words []string) {
	for _, d := range desks {
		for _, o := range slices.Concat(d.options, d.silent) {
			words = append(words, o.word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// decided notes a decision, and takes the ticket back.
func (st *State) decided(name, choice, text, by string) {
	d := Decision{Name: name, Choice: choice, Text: text, By: by}
	if st.Ticket != nil {
		d.Ticket = st.Ticket.ID
	}
	st.Decisions = append(st.Decisions, d)
	st.Note(Entry{Event: Decided, By: by, Detail: map[string]string{"name": name, "choice": choice, "text": text}})
	if st.Ticket != nil && st.Ticket.Type == (HumanGate{}).Kind() {
		return // the gate's own transition needs its task
	}
	st.Ticket = nil
}

// Abandon ends the pipeline for ever.
func (st *State) Abandon(reason, by string) {
	st.decided("", "abandon", reason, by)
	st.end(Abandoned)
}

func (st *State) end(s Status) {
	st.Status, st.Ticket, st.Pause, st.Commit = s, nil, nil, nil
	st.Note(Entry{Event: Ended, Detail: map[string]string{"status": string(s)}})
}

func (st *State) feed(text string) {
	if text != "" {
		st.Feedback = append(st.Feedback, text)
	}
}

func approve(t *Table, st *State, text string) error {
	st.feed(text)
	return st.Leave(t)
}

func reject(t *Table, st *State, text string) error {
	if text == "" {
		text = "The person who looked at it rejected it and gave no reason. Look at every finding again."
	}
	st.feed(text)
	return st.Leave(t, rejected)
}

func abandon(_ *Table, st *State, _ string) error {
	st.end(Abandoned)
	return nil
}

func post(_ *Table, st *State, _ string) error {
	st.Posting = true
	return nil
}

func goOn(_ *Table, st *State, text string) error {
	st.feed(text)
	if st.Pause != nil && st.Pause.Name == UntilDesk {
		st.UntilDone = true
	}
	st.Pause = nil
	return nil
}

// takeChanges takes what was changed behind the reviews, and has it committed.
func takeChanges(t *Table, st *State, text string) error {
	st.Commit = st.Pause.Commit
	return goOn(t, st, text)
}

// pass leaves what failed behind.
func pass(t *Table, st *State, _ string) error {
	st.Pause = nil
	return st.Leave(t)
}

// reread has the tasks read again, which a person has mended.
func reread(_ *Table, st *State, text string) error {
	st.feed(text)
	st.Pause, st.TasksOf = nil, ""
	return nil
}

// replan goes back to where the tasks come from.
func replan(_ *Table, st *State, text string) error {
	st.feed(text)
	st.Pause, st.TasksOf = nil, ""
	st.Go(Decomposition, "the tasks are blocked")
	if slices.Contains(st.SkippedPhases, Decomposition) {
		delete(st.Accepted, TasksFile)
		st.Go(Design, "the tasks are blocked")
	}
	return nil
}

// again gives the phase to its agent once more.
func again(_ *Table, st *State, text string) error {
	st.feed(text)
	st.Pause, st.Attempts = nil, 0
	return nil
}

// asItIs accepts the artifact that a check has found wanting.
func asItIs(t *Table, st *State, text string) error {
	st.feed(text)
	st.Pause, st.Attempts = nil, 0
	return st.Leave(t)
}

func gateDone(_ *Table, st *State, text string) error { return st.passGate(Gone, text) }
func gateSkip(_ *Table, st *State, text string) error { return st.passGate(Passed, text) }

// passGate ends the task that waits for a person, or the posting of the summary.
func (st *State) passGate(as TaskStatus, text string) error {
	k := st.Ticket
	st.Ticket = nil
	st.feed(text)
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
func (st *State) Go(to phase.ID, why string) {
	st.Note(Entry{Event: Moved, Phase: to, Detail: map[string]string{"from": string(st.Phase), "why": why}})
	if st.Phase != to {
		st.Attempts = 0
	}
	st.Phase, st.Mend = to, nil
}

// Leave goes on from the phase by the table, with what holds now.
func (st *State) Leave(t *Table, now ...phase.Fact) error {
	from := st.Phase
	step, err := t.Next(from, st.facts(now...))
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	if w, _ := t.Contract(from); slices.Contains([]Kind{Agent, AgentWithVerdict, AgentPerTask, Review, ReviewPerTask}, w.Kind) && !slices.Contains(st.Passed, from) {
		st.Passed = append(st.Passed, from)
	}
	st.count(step)
	st.retry(from, step.To)
	if slices.Contains([]phase.ID{FinalVerification, CheckpointVerify}, from) && step.To == Implementation {
		st.FixDue = true
	}
	st.Note(Entry{Event: Moved, Phase: step.To, Detail: map[string]string{"from": string(from)}})
	if w, _ := t.Contract(from); slices.Contains([]Kind{Agent, AgentWithVerdict, AgentPerTask}, w.Kind) {
		st.Feedback = nil // it was in the prompt
	}
	st.Phase, st.Attempts, st.Posting, st.Mend = step.To, 0, false, nil
	if u := st.Flags.Until; u != "" && !st.UntilDone && !before(t, step.To, from) && (from == u || slices.Contains(step.Skipped, u)) {
		st.Pause = &Pause{Name: UntilDesk, Text: fmt.Sprintf("%s is done, and --until=%s says to stop here.", Label(t, u), u)}
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
			if st.Tasks[i].Status == Failing {
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
		if k := &st.Tasks[i]; k.Status == Failing && to == Implementation {
			k.Status = Pending
		} else if k.Status == Failing && from == CheckpointImpl {
			k.Status = Passing
		}
	}
}
