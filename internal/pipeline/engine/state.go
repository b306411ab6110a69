package engine

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// Schema is the version of state.json that this program writes.
const Schema = 1

// A Status says whether a pipeline goes on.
type Status string

// The statuses. The last two are for ever.
const (
	StatusActive    Status = "active"
	StatusCompleted Status = "completed"
	StatusAbandoned Status = "abandoned"
)

// A State is everything that is known of one pipeline. Its parts are one JSON
// object on disk: each embedded struct says in which phases its fields are valid.
type State struct {
	// Written when the user confirmed the request; only Revision, Updated and Status
	// change later.
	Schema        int              `json:"schema_version"`
	Revision      int              `json:"revision"`
	Workspace     string           `json:"workspace"`      // ".specs/<name>"
	InitWorkspace string           `json:"init_workspace"` // what pipeline_init called it
	SpecName      string           `json:"spec_name"`
	Title         string           `json:"title"`
	Untitled      bool             `json:"untitled,omitempty"`   // the source has no title: it is a line of its text
	Request       string           `json:"request"`              // what the user asked for, in words
	RequestFile   string           `json:"request_md,omitempty"` // request.md, as it was confirmed
	Created       string           `json:"created"`
	Updated       string           `json:"updated"`
	Status        Status           `json:"status"`
	HumanGate     approval.Channel `json:"human_gate,omitempty"` // the weakest way by which a decision counted when the pipeline began

	Source Source `json:"source"`
	Flags  Flags  `json:"flags"`

	// Instructions of agents that files of the project or the user give: agent -> hash. They
	// are those of the beginning, or ones that a person has seen.
	Instructions map[string]string `json:"instructions,omitempty"`

	Budget *Budget `json:"budget,omitempty"` // nil: the agents may take any amount
	Pull   *Pull   `json:"pull,omitempty"`   // the pull request that is brought up to date; nil: a new one is made

	Plan
	GitBranch
	Delivery
	Progress
	SourceComment
	TaskList
	Artifacts
	ForNextAgent
	Record
	Journal
}

// A Plan is the size of the work and what follows from it. It is valid in every
// phase and never changes.
type Plan struct {
	Effort        string     `json:"effort"`
	FlowTemplate  string     `json:"flow_template"`
	SkippedPhases []phase.ID `json:"skipped_phases"`
	MaxParallel   int        `json:"max_parallel"`
}

// A GitBranch is the branch of the pipeline and where it starts. It is valid in every
// phase, except for BaseCommit, which is known once the setup phase is over.
type GitBranch struct {
	BranchType   string   `json:"branch_type"`
	Branch       string   `json:"branch"`
	CreateBranch bool     `json:"create_branch"`
	BaseBranch   string   `json:"base_branch"`
	BaseCommit   string   `json:"base_commit,omitempty"` // "" until the work has begun
	FromCommit   string   `json:"from_commit,omitempty"` // checked out when the user confirmed
	UserFiles    []string `json:"user_files,omitempty"`  // changed and not committed at that time, without those that the user has since been told of

	// What UserFiles held then, of those that are not large and that the user has not called
	// theirs since.
	UserContent map[string]string `json:"user_content,omitempty"`

	// What decided which files git looks at and how it reads them, when the work began, or
	// when a person was told of it last. Nil: it was not recorded.
	GitSettings map[string]string `json:"git_settings,omitempty"`
	Seen        map[string]string `json:"seen,omitempty"`    // what a person has let go out, by why they were asked
	History     *string           `json:"history,omitempty"` // the hash of .specs/index.json when the user confirmed, "" for none; nil: not recorded, or being written at the end

	TakenUp  bool   `json:"taken_up,omitempty"` // the branch was there before, and is worked on further
	Previous string `json:"previous,omitempty"` // the workspace of the pipeline that worked on it last
}

// A Delivery is what the pr-creation phase did; empty before that phase.
type Delivery struct {
	Checks      []Check `json:"checks,omitempty"`    // the user's commands that the server ran on what is delivered
	Unchanged   bool    `json:"unchanged,omitempty"` // a person knows that there is nothing to deliver
	Pushed      bool    `json:"pushed,omitempty"`
	PullRequest string  `json:"pull_request,omitempty"`
	PullToFix   string  `json:"pull_to_mend,omitempty"` // its address, while it says something else than it should
}

// A Check is how a command of a verifier that the user trusts ended on the change.
type Check struct {
	Command string        `json:"command"`
	Passed  bool          `json:"passed"`
	Before  []string      `json:"failed_before,omitempty"`  // tests that fail, and failed before the work began
	Without []string      `json:"passes_without,omitempty"` // test files of the work with which it passes on the code of the base too
	Old     []OldTest     `json:"old_tests_fail,omitempty"` // tests that fail as they were when the work began
	Figures []string      `json:"figures,omitempty"`        // numbers that its output tells of checks
	Unknown []msg.Message `json:"unknown,omitempty"`        // what could not be found out about it, and why
}

// An OldTest is a test that the work changed, and that its code does not pass as it was before; without a
// name, one of those in the files.
type OldTest struct {
	Test  string   `json:"test,omitempty"`
	Files []string `json:"files"`
}

// Names are the names by which a review may speak of it, the best first.
func (o OldTest) Names() (names []string) {
	if o.Test != "" {
		names = append(names, o.Test)
		if words := strings.FieldsFunc(o.Test, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }); len(words) > 0 {
			names = append(names, words[len(words)-1])
		}
	}
	for _, f := range o.Files {
		names = append(names, f, path.Base(f))
	}
	return names
}

// Progress is where the pipeline is: valid in every phase.
type Progress struct {
	Phase          phase.ID              `json:"phase"`
	Ticket         *Ticket               `json:"ticket,omitempty"`   // the outstanding action; nil if there is none
	Tickets        int                   `json:"tickets"`            // how many were handed out
	Pause          *Pause                `json:"pause,omitempty"`    // a person is asked something before the phase goes on
	Held           *Pause                `json:"held,omitempty"`     // a question that waits until that of Pause is answered
	Commit         *Commit               `json:"commit,omitempty"`   // what has to be committed before anything else
	Attempts       int                   `json:"attempts,omitempty"` // how often the artifact of this phase was refused
	Counters       map[phase.Counter]int `json:"counters,omitempty"`
	ReviewedCommit string                `json:"reviewing,omitempty"` // the pipeline's last commit: what reviews are about
}

// A SourceComment is the summary that goes to the tracker: valid in the
// post-to-source phase only.
type SourceComment struct {
	Posting bool `json:"posting,omitempty"` // a person wants the summary in the tracker
}

// A TaskList is what tasks.md says and how far it is. It is valid from the
// implementation phase on.
type TaskList struct {
	FixDue     bool   `json:"fix_due,omitempty"` // the verification failed, and a task to fix that is still to be appended
	Tasks      []Task `json:"tasks,omitempty"`
	TasksSense string `json:"tasks_of,omitempty"` // the [Sense] of the tasks.md that they were read from
}

// Artifacts are the documents that were accepted, and what the reviews said of
// them. Each entry is there once its phase is over.
type Artifacts struct {
	Accepted map[string]string      `json:"accepted,omitempty"` // file -> its [Sense] when it was accepted
	Reviews  map[phase.ID]Judgement `json:"reviews,omitempty"`
	// file -> its [Sense] when its report was taken, of all that agents wrote
	Recorded map[string]string `json:"recorded,omitempty"`
}

// ForNextAgent is what goes into the next prompt. CheckFindings end with their phase,
// Feedback when the agent that got it is done.
type ForNextAgent struct {
	CheckFindings []artifact.Finding `json:"mend,omitempty"`     // what a check found in the last attempt of the phase
	Notes         []artifact.Finding `json:"notes,omitempty"`    // what was found about the artifact that was accepted last
	Feedback      []string           `json:"feedback,omitempty"` // of people and of checks
	HeldAnswer    string             `json:"kept,omitempty"`     // an answer that decided nothing; it is put before the next one
}

// A Record is what has happened so far. It only grows, in every phase.
type Record struct {
	CompletedPhases []phase.ID     `json:"passed,omitempty"` // agent and review phases, each once
	ReviewFindings  []PhaseFinding `json:"found,omitempty"`  // of every review
	UntilReached    bool           `json:"until_done,omitempty"`
	PhaseRuns       []PhaseRun     `json:"phase_log,omitempty"`
	Decisions       []Decision     `json:"decisions,omitempty"`
	LastReport      *Reported      `json:"last_report,omitempty"`
}

// A Journal is what the journal file needs to be complete.
type Journal struct {
	JournalFrom int     `json:"journal_from,omitempty"` // how many entries the file lacks because a person took it away
	Sequence    int     `json:"sequence"`               // of the last entry
	Entries     []Entry `json:"entries,omitempty"`      // of this revision, which the file may not have yet
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

// A Budget is what the agents may take together: tokens or milliseconds of work.
type Budget struct {
	Tokens     int  `json:"tokens,omitempty"` // as much is granted at a time; 0: it is of time
	Duration   int  `json:"duration_ms,omitempty"`
	Granted    int  `json:"granted"`              // of either, until now
	Unmeasured bool `json:"unmeasured,omitempty"` // a person knows that nothing of it is reported
}

// A Pull is a pull request that was reviewed.
type Pull struct {
	URL      string    `json:"url"`
	Comments []Comment `json:"comments"`           // that are to be answered
	Accepted bool      `json:"accepted,omitempty"` // a person knows which are declined
}

// A Comment is what a reviewer of a pull request wants, and what became of it.
type Comment struct {
	ID     string `json:"id"` // "C1"
	URL    string `json:"url"`
	Author string `json:"author"`
	Place  string `json:"place,omitempty"`
	Text   string `json:"text"`             // its beginning
	Answer string `json:"answer,omitempty"` // of the review that decides
	Done   bool   `json:"done,omitempty"`   // it was done; else it was declined, or not answered
}

// Undone returns the comments that are not done.
func (p *Pull) Undone() (all []Comment) {
	if p == nil {
		return nil
	}
	for _, c := range p.Comments {
		if !c.Done {
			all = append(all, c)
		}
	}
	return all
}

// Spent returns how much of the unit of its budget a pipeline has taken.
func (st *State) Spent() int {
	tokens, duration := st.Totals()
	if st.Budget != nil && st.Budget.Tokens == 0 {
		return duration
	}
	return tokens
}

// OnlyTitle is the title of the task of a pipeline that has one, and so of its commit. What
// answers a review is not once more what the pull request is called.
func (st *State) OnlyTitle() string {
	if p := st.Pull; p != nil && len(p.Comments) > 0 {
		return "Answer the review of #" + path.Base(p.URL)
	}
	return st.Title
}

// A Ticket is an action that was handed out and not reported yet.
type Ticket struct {
	ID            string            `json:"id"`
	Type          string            `json:"type"`
	Phase         phase.ID          `json:"phase"`
	Name          string            `json:"name,omitempty"`  // of a checkpoint or gate
	Tasks         []string          `json:"tasks,omitempty"` // of a phase that works task by task
	At            string            `json:"at"`
	FilesBefore   map[string]string `json:"noted,omitempty"`  // file -> hash of its content then; "" if it was not there
	ReviewedFiles map[string]string `json:"judges,omitempty"` // what a review is about -> hash then
	Tree          string            `json:"tree,omitempty"`   // the working tree then
	Head          string            `json:"head,omitempty"`   // the commit that was checked out then
	Asked         bool              `json:"asked,omitempty"`  // the server asked the person, who did not decide
	Misses        int               `json:"misses,omitempty"` // how often it was reported done, and nothing was there to take
	Action        json.RawMessage   `json:"action"`
}

// A TaskStatus says how far a task is.
type TaskStatus string

// The statuses of tasks.
const (
	TaskPending     TaskStatus = "pending"
	TaskImplemented TaskStatus = "implemented" // and not reviewed
	TaskFailed      TaskStatus = "failed"      // its review says FAIL
	TaskPassed      TaskStatus = "passed"      // its review says PASS, or a person does
	TaskDone        TaskStatus = "done"        // a person did it
	TaskSkipped     TaskStatus = "skipped"     // a person skipped it
)

// A Task is one section of tasks.md, and what became of it.
type Task struct {
	ID            string             `json:"id"`
	Title         string             `json:"title"`
	Mode          string             `json:"mode"`
	Files         []string           `json:"files"`
	DependsOn     []string           `json:"depends_on,omitempty"`
	Gate          string             `json:"gate,omitempty"`
	Text          string             `json:"text,omitempty"` // what a person is asked to do
	Sense         string             `json:"sense"`          // hash of its section, without what a tick changes
	Fix           bool               `json:"fix,omitempty"`
	Status        TaskStatus         `json:"status"`
	Retries       int                `json:"retries,omitempty"`
	Base          string             `json:"base,omitempty"`    // the working tree when it was begun
	Round         string             `json:"round,omitempty"`   // and when it was begun since it was last accepted
	Claimed       []string           `json:"claimed,omitempty"` // the files that its report names
	Commit        string             `json:"commit,omitempty"`
	CheckFindings []artifact.Finding `json:"mend,omitempty"` // what a check found in the last attempt
	Review        *Judgement         `json:"review,omitempty"`
	Weakened      []string           `json:"weakened,omitempty"` // what its review says of tests that can find less
}

// completed reports whether tasks that depend on it may begin.
func (k Task) completed() bool {
	return slices.Contains([]TaskStatus{TaskImplemented, TaskPassed, TaskDone, TaskSkipped}, k.Status)
}

// A PhaseFinding is a finding of a review, whatever became of it.
type PhaseFinding struct {
	Phase phase.ID `json:"phase"`
	artifact.Finding
}

// A Judgement is what a review said, and about which content.
type Judgement struct {
	Verdict  string             `json:"verdict"`
	Findings []artifact.Finding `json:"findings"`
	Of       string             `json:"of,omitempty"`
}

// approves reports whether the review approves without a critical finding.
func (j Judgement) approves() bool {
	return (j.Verdict == "APPROVE" || j.Verdict == "APPROVE_WITH_NOTES") && !artifact.Blocks(j.Findings)
}

// A Commit is what the server is about to commit.
type Commit struct {
	Files        []string `json:"files"`
	Tasks        []string `json:"tasks"`
	Message      string   `json:"message"`
	AcceptOthers bool     `json:"anyhow,omitempty"` // a person accepted whatever else was committed
	Others       []string `json:"others,omitempty"` // of Files: those that commits of others have changed

	// What a person was shown of it: the commit that was checked out, and the content of each
	// file. Empty: nobody was asked.
	Head  string            `json:"head,omitempty"`
	Shown map[string]string `json:"shown,omitempty"`
}

// A Pause is a question to a person that is not a phase of the table.
type Pause struct {
	Name string      `json:"name"` // of the checkpoint
	Text msg.Message `json:"text"` // why
	// What is committed if the person approves; nil if nothing is.
	Commit *Commit `json:"commit,omitempty"`
	// What the agents are told by files of the project, if the person approves.
	Instructions map[string]string `json:"instructions,omitempty"`
	// What git goes by, if the person approves.
	GitSettings map[string]string `json:"git_settings,omitempty"`
	// What goes out, if the person approves, by why they are asked.
	Seen map[string]string `json:"seen,omitempty"`
}

// A PhaseRun is one run of a phase.
type PhaseRun struct {
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

// Reported is the last report and the answer to it, for a client that reports twice.
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
	EventCreated       Event = "created"
	EventHandedOut     Event = "handed_out"
	EventReported      Event = "reported"
	EventReportRefused Event = "report_refused"
	EventDecided       Event = "decided"
	EventNotUnderstood Event = "not_understood"
	EventDoneByServer  Event = "done_by_server"
	EventPhase         Event = "phase"
	EventEnded         Event = "ended"
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

// Upgrade refuses a state of another schema. There has been no older one yet.
func (st *State) Upgrade() error {
	switch {
	case st.Schema == Schema:
		return nil
	case st.Schema > Schema:
		return msg.Err("pipeline.written_by_newer_version", st.Schema, Schema)
	}
	return msg.Err("pipeline.unknown_schema", st.Schema)
}

// Unplanned reports whether the request itself is the one task: there is no design and no
// tasks.md, and no review after that of the code.
func (st *State) Unplanned() bool { return st.Effort == "XS" }

// Switches reports whether the pipeline works on another branch than the one it was begun on.
func (st *State) Switches() bool { return st.CreateBranch || st.TakenUp }

// Over reports whether the pipeline has ended, either way.
func (st *State) Over() bool { return st.Status != StatusActive }

// Task returns the task of that id, nil if there is none.
func (st *State) Task(id string) *Task {
	for i := range st.Tasks {
		if st.Tasks[i].ID == id {
			return &st.Tasks[i]
		}
	}
	return nil
}

func (st *State) withStatus(s TaskStatus) (ids []string) {
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

// trackers are the sources that have a place for the summary.
var trackers = []string{"github_issue", "jira_issue", "linear_issue"}

func (f facts) IsTrue(n phase.Fact) bool {
	switch n {
	case effortXS:
		return f.st.Unplanned()
	case effortS:
		return f.st.Effort == "S"
	case effortM:
		return f.st.Effort == "M"
	case noPR:
		return f.st.Flags.SkipPR
	case noTracker:
		return !slices.Contains(trackers, f.st.Source.Type)
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
		if k.Status == TaskFailed {
			most = max(most, k.Retries)
		}
	}
	return most
}

// Totals sums up the phase log.
func (st *State) Totals() (tokens, milliseconds int) {
	for _, p := range st.PhaseRuns {
		tokens += p.Tokens
		milliseconds += p.Duration
	}
	return tokens, milliseconds
}

// revision returns how often a phase, of a task if one is named, was run before.
func (st *State) revision(id phase.ID, task string) (n int) {
	for _, p := range st.PhaseRuns {
		if p.Phase == id && p.Task == task {
			n++
		}
	}
	return n
}

// Log adds a run of a phase to the log.
func (st *State) Log(p PhaseRun) {
	p.Revision = st.revision(p.Phase, p.Task)
	st.PhaseRuns = append(st.PhaseRuns, p)
}

func (st *State) accept(name, sense string) {
	if st.Accepted == nil {
		st.Accepted = make(map[string]string)
	}
	st.Accepted[name] = sense
}

// ClaimedFiles returns the files that tasks have changed, sorted.
func (st *State) ClaimedFiles() (files []string) {
	for _, k := range st.Tasks {
		files = append(files, k.Claimed...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// WeakenedTests are the lines of the reviews that say which tests can find less, and why.
func (st *State) WeakenedTests() (lines []string) {
	for _, k := range st.Tasks {
		lines = append(lines, k.Weakened...)
	}
	return lines
}

// TestNames are the names of tests, or of their files where those are not known.
func TestNames(all []OldTest) (names []string) {
	for _, o := range all {
		names = append(names, o.Names()[0])
	}
	return names
}
