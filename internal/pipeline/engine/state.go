package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"codeintel/internal/approval"
	"codeintel/internal/workflow/phase"
)

// Schema is the version of state.json that this program writes.
const Schema = 1

// Migrate brings the fields of an older state.json up to date.
func Migrate(version int, _ map[string]json.RawMessage) error {
	switch {
	case version == Schema:
		return nil
	case version > Schema:
		return fmt.Errorf("it was written by a newer code-intel (schema %d, this program knows %d)", version, Schema)
	}
	return fmt.Errorf("its schema version is %d, and no code-intel wrote that", version)
}

// A Status says whether a pipeline goes on.
type Status string

// The statuses. The last two are for ever.
const (
	Active    Status = "active"
	Finished  Status = "completed"
	Abandoned Status = "abandoned"
)

// A State is everything that is known of one pipeline.
type State struct {
	Schema        int              `json:"schema_version"`
	Revision      int              `json:"revision"`
	Workspace     string           `json:"workspace"`      // ".specs/<name>"
	InitWorkspace string           `json:"init_workspace"` // what pipeline_init called it
	SpecName      string           `json:"spec_name"`
	Title         string           `json:"title"`
	Request       string           `json:"request"`              // what the user asked for, in words
	RequestFile   string           `json:"request_md,omitempty"` // request.md, as it was confirmed
	Created       string           `json:"created"`
	Updated       string           `json:"updated"`
	Status        Status           `json:"status"`
	HumanGate     approval.Channel `json:"human_gate,omitempty"` // the weakest way by which a decision counted when the pipeline began

	Source Source `json:"source"`
	Flags  Flags  `json:"flags"`

	Effort        string     `json:"effort"`
	FlowTemplate  string     `json:"flow_template"`
	SkippedPhases []phase.ID `json:"skipped_phases"`
	MaxParallel   int        `json:"max_parallel"`

	BranchType   string   `json:"branch_type"`
	Branch       string   `json:"branch"`
	CreateBranch bool     `json:"create_branch"`
	BaseBranch   string   `json:"base_branch"`
	BaseCommit   string   `json:"base_commit,omitempty"` // "" until the work has begun
	FromCommit   string   `json:"from_commit,omitempty"` // that was checked out when the user confirmed
	UserFiles    []string `json:"user_files,omitempty"`  // that the user had changed then, and not committed; without those whose commit was told of
	Pushed       bool     `json:"pushed,omitempty"`
	PullRequest  string   `json:"pull_request,omitempty"`

	Phase     phase.ID              `json:"phase"`
	Ticket    *Ticket               `json:"ticket,omitempty"` // what is outstanding
	Tickets   int                   `json:"tickets"`          // how many were handed out
	Pause     *Pause                `json:"pause,omitempty"`  // a person is asked something before the phase goes on
	Commit    *Commit               `json:"commit,omitempty"` // what has to be committed before anything else
	Attempts  int                   `json:"attempts,omitempty"`
	Counters  map[phase.Counter]int `json:"counters,omitempty"`
	Reviewing string                `json:"reviewing,omitempty"` // the last commit of ours: what reviews are about
	Posting   bool                  `json:"posting,omitempty"`   // a person wants the summary in the tracker
	FixDue    bool                  `json:"fix_due,omitempty"`   // the verification failed, and a task for it is to be made

	Tasks    []Task                 `json:"tasks,omitempty"`
	TasksOf  string                 `json:"tasks_of,omitempty"` // the sense of the tasks.md that they were read from
	Accepted map[string]string      `json:"accepted,omitempty"` // artifact -> its sense when it was accepted
	Reviews  map[phase.ID]Judgement `json:"reviews,omitempty"`
	Mend     []Finding              `json:"mend,omitempty"`     // what a check found in the last attempt of the phase
	Notes    []Finding              `json:"notes,omitempty"`    // what was found about the artifact that was accepted last
	Feedback []string               `json:"feedback,omitempty"` // of people, and of checks, for the next agent
	Kept     string                 `json:"kept,omitempty"`     // an answer that decided nothing

	Passed    []phase.ID `json:"passed,omitempty"` // agent and review phases that were completed, each once
	Found     []Found    `json:"found,omitempty"`  // what every review found, for those who come later
	UntilDone bool       `json:"until_done,omitempty"`
	Phases    []PhaseLog `json:"phase_log,omitempty"`
	Decisions []Decision `json:"decisions,omitempty"`
	Last      *Reported  `json:"last_report,omitempty"`

	JournalFrom int     `json:"journal_from,omitempty"` // entries that the journal does not have, because a person took it away
	Sequence    int     `json:"sequence"`               // of the last entry of the journal
	Entries     []Entry `json:"entries,omitempty"`      // those of this revision, which the journal may not have yet
}

// A Source is where the request comes from.
type Source struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	URL  string `json:"url"`
}

// Flags are the options of the /forge line.
type Flags struct {
	Auto    bool     `json:"auto"`
	SkipPR  bool     `json:"skip_pr"`
	Debug   bool     `json:"debug"`
	Discuss bool     `json:"discuss"`
	Until   phase.ID `json:"until,omitempty"`
}

// A Ticket is an action that was handed out and not reported yet.
type Ticket struct {
	ID     string            `json:"id"`
	Type   string            `json:"type"`
	Phase  phase.ID          `json:"phase"`
	Name   string            `json:"name,omitempty"`  // of a checkpoint or gate
	Tasks  []string          `json:"tasks,omitempty"` // of a phase that works task by task
	At     string            `json:"at"`
	Noted  map[string]string `json:"noted,omitempty"`  // file -> hash of its content then; "" if it was not there
	Judges map[string]string `json:"judges,omitempty"` // what a review is about -> hash then
	Tree   string            `json:"tree,omitempty"`   // the working tree then
	Head   string            `json:"head,omitempty"`   // the commit that was checked out then
	Asked  bool              `json:"asked,omitempty"`  // the server asked the person, who decided nothing
	Misses int               `json:"misses,omitempty"` // how often it was reported done, and nothing was there to take
	Action json.RawMessage   `json:"action"`
}

// A TaskStatus says how far a task is.
type TaskStatus string

// The statuses of tasks.
const (
	Pending     TaskStatus = "pending"
	Implemented TaskStatus = "implemented" // and not reviewed
	Failing     TaskStatus = "failed"      // its review says FAIL
	Passing     TaskStatus = "passed"      // its review says PASS, or a person does
	Gone        TaskStatus = "done"        // a person did it
	Passed      TaskStatus = "skipped"     // a person skipped it
)

// The modes of tasks.
const (
	Sequential = "sequential"
	Parallel   = "parallel"
	ByHuman    = "human_gate"
)

// A Task is one section of tasks.md, and what became of it.
type Task struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Mode      string     `json:"mode"`
	Files     []string   `json:"files"`
	DependsOn []string   `json:"depends_on,omitempty"`
	Gate      string     `json:"gate,omitempty"`
	Text      string     `json:"text,omitempty"` // what a person is asked to do
	Sense     string     `json:"sense"`          // hash of its section, without what a tick changes
	Fix       bool       `json:"fix,omitempty"`
	Status    TaskStatus `json:"status"`
	Retries   int        `json:"retries,omitempty"`
	Base      string     `json:"base,omitempty"`    // the working tree when it was begun
	Round     string     `json:"round,omitempty"`   // and when it was begun since it was last accepted
	Claimed   []string   `json:"claimed,omitempty"` // the files that its report names
	Commit    string     `json:"commit,omitempty"`
	Mend      []Finding  `json:"mend,omitempty"` // what a check found in the last attempt
	Review    *Judgement `json:"review,omitempty"`
}

// completed reports whether tasks that depend on it may begin.
func (k Task) completed() bool {
	return slices.Contains([]TaskStatus{Implemented, Passing, Gone, Passed}, k.Status)
}

// A Finding is one thing that a review, or a check, found.
type Finding struct {
	Severity    string `json:"severity"`
	Description string `json:"description"`
}

// A Found is a finding of a review, whatever became of it.
type Found struct {
	Phase phase.ID `json:"phase"`
	Finding
}

// The severities.
const (
	Critical = "CRITICAL"
	Major    = "MAJOR"
	Minor    = "MINOR"
)

// A Judgement is what a review said, and about which content.
type Judgement struct {
	Verdict  string    `json:"verdict"`
	Findings []Finding `json:"findings"`
	Of       string    `json:"of,omitempty"`
}

// approves reports whether nobody need look at what was judged.
func (j Judgement) approves() bool {
	return (j.Verdict == "APPROVE" || j.Verdict == "APPROVE_WITH_NOTES") && !hasCritical(j.Findings)
}

func hasCritical(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Severity == Critical })
}

// A Commit is what the server is about to commit.
type Commit struct {
	Files   []string `json:"files"`
	Tasks   []string `json:"tasks"`
	Message string   `json:"message"`
	Anyhow  bool     `json:"anyhow,omitempty"` // a person takes whatever else was committed
}

// A Pause is something that a person is asked off the table.
type Pause struct {
	Name string `json:"name"` // of the checkpoint
	Text string `json:"text"` // why
	// What is committed if the person takes what he is asked about; nil if nothing is.
	Commit *Commit `json:"commit,omitempty"`
}

// A PhaseLog is one run of a phase.
type PhaseLog struct {
	Phase    phase.ID `json:"phase"`
	Task     string   `json:"task,omitempty"`
	Tokens   int      `json:"tokens"`
	Duration int      `json:"duration_ms"`
	Model    string   `json:"model"`
	Verdict  string   `json:"verdict"`
	Revision int      `json:"revision"`
}

// A Decision is what a person, or --auto, decided at a checkpoint or gate.
type Decision struct {
	Name   string `json:"name"`
	Choice string `json:"choice"`
	Text   string `json:"text,omitempty"`
	By     string `json:"by"` // relayed, terminal, dashboard, elicited, confirmed, auto, command_line
	At     string `json:"at"`
	Ticket string `json:"ticket,omitempty"` // of the checkpoint or gate: a decision belongs to one
}

// Reported is the last report, for who asks twice.
type Reported struct {
	Ticket string          `json:"ticket"`
	Phase  phase.ID        `json:"phase"`
	Answer json.RawMessage `json:"answer"`
}

// An Entry is a line of the journal.
type Entry struct {
	Sequence int               `json:"seq"`
	Revision int               `json:"revision"`
	Time     string            `json:"time"`
	Event    Event             `json:"event"`
	Phase    phase.ID          `json:"phase,omitempty"`
	Ticket   string            `json:"ticket,omitempty"`
	By       string            `json:"by,omitempty"`
	Detail   map[string]string `json:"detail,omitempty"`
}

// An Event is what a line of the journal is about.
type Event string

// The events.
const (
	Created  Event = "created"
	Handed   Event = "handed_out"
	Took     Event = "reported"
	Refused  Event = "report_refused"
	Decided  Event = "decided"
	Unheard  Event = "not_understood"
	Absorbed Event = "done_by_server"
	Moved    Event = "phase"
	Ended    Event = "ended"
)

// Note adds a line to the journal. Time and revision are set when it is written.
func (st *State) Note(e Entry) {
	st.Sequence++
	e.Sequence = st.Sequence
	if e.Phase == "" {
		e.Phase = st.Phase
	}
	if e.Ticket == "" && st.Ticket != nil {
		e.Ticket = st.Ticket.ID
	}
	st.Entries = append(st.Entries, e)
}

// Clone returns a copy that shares nothing with st.
func (st *State) Clone() (*State, error) {
	data, err := json.Marshal(st)
	if err != nil {
		return nil, fmt.Errorf("pipeline: clone: %w", err)
	}
	c := new(State)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("pipeline: clone: %w", err)
	}
	return c, nil
}

// Over reports whether the pipeline has ended, either way.
func (st *State) Over() bool { return st.Status != Active }

// Task returns the task of that id, nil if there is none.
func (st *State) Task(id string) *Task {
	for i := range st.Tasks {
		if st.Tasks[i].ID == id {
			return &st.Tasks[i]
		}
	}
	return nil
}

// with returns the tasks of a status.
func (st *State) with(s TaskStatus) (ids []string) {
	for _, k := range st.Tasks {
		if k.Status == s {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// facts answers what the table asks: of the run, and of what was just said.
type facts struct {
	st  *State
	now map[phase.Fact]bool
}

func (st *State) facts(now ...phase.Fact) facts {
	f := facts{st, make(map[phase.Fact]bool)}
	for _, n := range now {
		f.now[n] = true
	}
	return f
}

// Trackers are the sources that have a place for the summary.
var Trackers = []string{"github_issue", "jira_issue", "linear_issue"}

func (f facts) Holds(n phase.Fact) bool {
	switch n {
	case effortS:
		return f.st.Effort == "S"
	case effortM:
		return f.st.Effort == "M"
	case noPR:
		return f.st.Flags.SkipPR
	case noTracker:
		return !slices.Contains(Trackers, f.st.Source.Type)
	case auto:
		return f.st.Flags.Auto
	case fixing:
		return f.st.Counters["verification_rounds"] > 0
	}
	return f.now[n]
}

// Count returns how often an edge was taken. Retries are counted by task; the one
// that has had most of them decides.
func (f facts) Count(c phase.Counter) int {
	if c != implRetries {
		return f.st.Counters[c]
	}
	most := 0
	for _, k := range f.st.Tasks {
		if k.Status == Failing {
			most = max(most, k.Retries)
		}
	}
	return most
}

// Totals sums up the phase log.
func (st *State) Totals() (tokens, milliseconds int) {
	for _, p := range st.Phases {
		tokens += p.Tokens
		milliseconds += p.Duration
	}
	return tokens, milliseconds
}

// Revision returns how often a phase, of a task if one is named, was run before.
func (st *State) revision(id phase.ID, task string) (n int) {
	for _, p := range st.Phases {
		if p.Phase == id && p.Task == task {
			n++
		}
	}
	return n
}

// Log adds a run of a phase to the log.
func (st *State) Log(p PhaseLog) {
	p.Revision = st.revision(p.Phase, p.Task)
	st.Phases = append(st.Phases, p)
}

func (st *State) accept(name, sense string) {
	if st.Accepted == nil {
		st.Accepted = make(map[string]string)
	}
	st.Accepted[name] = sense
}

// Accepts returns the artifacts that were accepted, sorted.
func (st *State) Accepts() []string { return slices.Sorted(maps.Keys(st.Accepted)) }
