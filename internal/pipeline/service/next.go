package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/plainjson"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/phase"
)

// A NextRequest asks for the next action. The fields named previous_… report the
// one that is outstanding; user_response answers it if it is a checkpoint or gate.
type NextRequest struct {
	Workspace  string   `json:"workspace"`
	Complete   *bool    `json:"previous_action_complete,omitempty"`
	Tokens     *float64 `json:"previous_tokens,omitempty"`
	DurationMS *float64 `json:"previous_duration_ms,omitempty"`
	Model      string   `json:"previous_model,omitempty"`
	SetupOnly  *bool    `json:"previous_setup_only,omitempty"`
	ExitCode   *int     `json:"previous_exit_code,omitempty"`
	Output     string   `json:"previous_output,omitempty"`
	Response   string   `json:"user_response,omitempty"`
	Ticket     string   `json:"ticket,omitempty" jsonschema:"of the reported action"`

	Channel approval.Channel `json:"-"` // by which way the response came; relayed if empty
	Budget  int              `json:"-"` // characters that the answer may have; 0: any number
}

// Stats are figures of the run so far.
type Stats struct {
	Phases     int `json:"phases_completed"`
	Tokens     int `json:"tokens"`
	DurationMS int `json:"duration_ms"`
}

// A NextAnswer is an action with what is said about it.
type NextAnswer struct {
	Type    string      `json:"type"`
	Warning msg.Message `json:"warning"`
	Display msg.Message `json:"display_message"`
	Ticket  string      `json:"ticket,omitempty"`
	Stats   Stats       `json:"stats"`

	Report *ReportAnswer      `json:"-"` // what became of the report, null if there was none
	Action engine.Action      `json:"-"`
	Ask    *workflow.Question `json:"-"` // if a person is asked
}

// MarshalJSON puts the action's fields beside those that every answer has.
func (a *NextAnswer) MarshalJSON() ([]byte, error) {
	head, err := plainjson.Encode(struct {
		Type    string        `json:"type"`
		Warning msg.Message   `json:"warning"`
		Display msg.Message   `json:"display_message"`
		Report  *ReportAnswer `json:"report_result"`
	}{a.Type, a.Warning, a.Display, a.Report})
	if err != nil {
		return nil, err
	}
	tail, err := plainjson.Encode(struct {
		Ticket string `json:"ticket,omitempty"`
		Stats  Stats  `json:"stats"`
	}{a.Ticket, a.Stats})
	if err != nil {
		return nil, err
	}
	action, err := engine.Encode(a.Action)
	if err != nil {
		return nil, err
	}
	_, fields, _ := bytes.Cut(action, []byte(",")) // without the type, which is in front
	return bytes.Join([][]byte{bytes.TrimSuffix(head, []byte("}")), bytes.TrimSuffix(fields, []byte("}")), tail[1:]},
		[]byte(",")), nil
}

// Text is the answer for clients that read only text.
func (a *NextAnswer) Text() string { return jsonText(a) }

// maxSteps is how many steps one call may take. The longest way there is has a
// dozen.
const maxSteps = 64

// NextAction takes the report that the request brings, and hands out the next
// action.
func (s *Service) NextAction(ctx context.Context, r NextRequest) (a *NextAnswer, err error) {
	t, done, err := s.begin(ctx, r.Workspace)
	if err != nil {
		return nil, err
	}
	defer done()
	t.budget = r.Budget
	answer, err := t.takeReport(ctx, r)
	if err != nil {
		return nil, err
	}
	a, err = t.nextStep(ctx)
	if err != nil {
		if t.dirty { // what was reported is not lost over what comes next
			err = errors.Join(err, t.save())
		}
		return nil, err
	}
	a.Report = answer
	if answer != nil {
		t.Warnings = append([]msg.Message{answer.Warning}, t.Warnings...)
	}
	a.Warning = textformat.Lines(t.Warnings...)
	if err := t.fitReport(a); err != nil {
		return nil, err
	}
	if t.st.Flags.Debug {
		t.debug(r, a)
	}
	return a, nil
}

// fitReport leaves out as many findings of a report as the client would not show with the
// action whole. Whoever must fix them has them in their prompt.
func (t *turn) fitReport(a *NextAnswer) error {
	if t.budget == 0 || a.Report == nil {
		return nil
	}
	all, said := a.Report.Findings, a.Warning
	for n := len(all); n > 0; n /= 2 {
		raw, err := a.MarshalJSON()
		if err != nil || len(raw) <= t.budget {
			return err
		}
		shown := *a.Report
		shown.Findings = all[:n/2]
		a.Report, a.Warning = &shown, textformat.Lines(said, msg.New("pipeline.findings_left_out", n/2, len(all)))
	}
	return nil
}

// takeReport takes what the request says of the outstanding action.
func (t *turn) takeReport(ctx context.Context, r NextRequest) (*ReportAnswer, error) {
	k := t.st.Ticket
	if k == nil && t.decidedElsewhere() != nil {
		t.Warnings = append(t.Warnings, t.decidedElsewhereText())
		return nil, nil
	}
	says := r.Complete != nil || r.Tokens != nil || r.DurationMS != nil || r.Model != "" || r.SetupOnly != nil ||
		r.ExitCode != nil || r.Output != ""
	switch {
	case !says && r.Response == "" && r.Ticket == "" && r.Channel == "":
		return nil, nil
	case k == nil && (says || r.Response != ""):
		t.Warn("pipeline.nothing_outstanding_so_previous_user")
		return nil, nil
	case k == nil:
		return nil, nil
	case r.Ticket != "" && r.Ticket != k.ID:
		if says || r.Response != "" {
			t.Warn("pipeline.report_of_another_ticket", r.Ticket, k.ID)
		}
		return nil, nil
	case k.Asks():
		if r.Response == "" && r.Channel != approval.Elicited {
			if says {
				t.Warn("pipeline.person_asked_only_user_response", k.Type)
			}
			return nil, nil
		}
		return nil, t.decide(ctx, r)
	case r.Response != "":
		t.Warn("pipeline.no_person_asked_so_user")
	}
	switch {
	case r.Complete == nil && says:
		t.Warn("pipeline.previous_action_complete_left_out")
	case r.Complete != nil && !*r.Complete:
		t.Warn("pipeline.action_not_done_so_here")
	case r.Complete != nil:
		return t.report(ctx, report{
			tokens: number(r.Tokens), duration: number(r.DurationMS), model: r.Model,
			exit: r.ExitCode, output: r.Output,
		})
	}
	return nil, nil
}

func number(f *float64) int {
	if f == nil || *f < 0 || *f > 1e12 {
		return 0
	}
	return int(*f)
}

// decide takes a person's answer, unless what they were asked about has changed.
func (t *turn) decide(ctx context.Context, r NextRequest) error {
	by := r.Channel
	if by == "" {
		by = approval.Relayed
	}
	if by == approval.Elicited && strings.TrimSpace(r.Response) == "" {
		t.Warn("pipeline.user_was_asked_and_did_not_decide")
		return nil
	}
	if demand := t.requiredChannel(); !by.Reaches(demand) {
		t.Warn("pipeline.human_gate_wants_the_person", demand, by, t.howToDecide(demand))
		return nil
	}
	word, _ := engine.Understand(t.st.Ticket.Name, r.Response)
	if why, err := t.changed(ctx); err != nil {
		return err
	} else if !why.IsZero() && !t.outlivesChanges(word) {
		t.Warn("pipeline.so_answer_not_taken_looked", why)
		t.st.Ticket, t.dirty = nil, true
		return nil
	}
	warning, err := engine.Decide(t.s.table, t.st, r.Response, string(by))
	if !warning.IsZero() {
		t.Warnings = append(t.Warnings, warning)
	}
	t.dirty = true
	failpoint.Point("decide: not saved")
	return err
}

// askFirst has a person asked about what has come up besides the phases.
func (t *turn) askFirst(ctx context.Context) error {
	for _, ask := range []func(context.Context) error{
		t.askAnew, t.askAboutInstructions, t.askAboutUnreviewed, t.askAboutNothing, t.askAboutGitSettings, t.askAboutUnseen,
	} {
		if err := ask(ctx); err != nil {
			return err
		}
	}
	return nil
}

// nextStep goes on until there is something for the orchestrator to do.
func (t *turn) nextStep(ctx context.Context) (*NextAnswer, error) {
	for range maxSteps {
		if err := t.askFirst(ctx); err != nil {
			return nil, err
		}
		t.askAboutComments()
		if err := t.reopenTasksWithoutReport(); err != nil {
			return nil, err
		}
		if err := t.leaveBranch(ctx); err != nil {
			return nil, err
		}
		l, err := t.observe(ctx)
		if err != nil {
			return nil, err
		}
		switch step := engine.Next(t.s.table, t.st, l).(type) {
		case engine.Repeat:
			if seen, err := t.takePosted(ctx); err != nil {
				return nil, err
			} else if seen {
				continue
			}
			if t.dirty {
				if err := t.save(); err != nil {
					return nil, err
				}
			}
			return t.outstanding()
		case engine.HandOut:
			if _, agent := step.Action.(engine.SpawnAgent); agent && t.askAboutBudget() {
				continue
			}
			return t.handOut(ctx, step)
		case engine.ServerStep:
			failpoint.Point("server step " + string(step.Operation) + ": before")
			if a, err := t.runServerStep(ctx, step); a != nil || err != nil {
				return a, err
			}
			failpoint.Point("server step " + string(step.Operation) + ": after")
		}
	}
	return nil, fmt.Errorf("forge: %s: no action after %d steps, in %s", t.w.Path(), maxSteps, t.st.Phase)
}

// observe looks at what the next step depends on.
func (t *turn) observe(ctx context.Context) (l engine.Observation, err error) {
	if l.Artifacts, err = t.artifacts(); err != nil {
		return l, err
	}
	l.Sense = make(map[string]string)
	for _, name := range []string{engine.DesignFile, engine.TasksFile} {
		if l.Sense[name], err = t.artifactSense(name); err != nil {
			return l, err
		}
	}
	l.Protected = t.requiredChannel() != approval.Relayed
	switch {
	case t.st.Status == engine.StatusCompleted:
		if l.Uncommitted = t.locks.HasPushNote(t.w); !l.Uncommitted {
			l.Uncommitted, err = t.uncommitted(ctx)
		}
	case t.st.Phase == engine.Setup && t.st.Switches():
		if l.Branch, err = t.Repo.CurrentBranch(ctx); err == nil {
			var id string
			id, err = t.Repo.Resolve(ctx, "refs/heads/"+t.st.Branch)
			l.BranchExists = id != ""
		}
	}
	return l, err
}

// handOut hands out an action under a new ticket. What ends the pipeline needs none.
func (t *turn) handOut(ctx context.Context, h engine.HandOut) (*NextAnswer, error) {
	if d, ok := h.Action.(engine.Done); ok {
		if t.dirty { // the state last: once it says that the pipeline is over, nobody looks at the history again
			t.st.Updated = t.s.o.Now().UTC().Format(time.RFC3339)
			if err := t.remember(ctx, t.st.Status); err != nil {
				t.Warn("pipeline.pipeline_could_not_added_specs", errorText(err))
			}
			if err := t.save(); err != nil {
				return nil, err
			}
		}
		return t.answer(d), nil
	}
	k := &engine.Ticket{ID: fmt.Sprintf("t%d", t.st.Tickets+1), Type: h.Action.Kind(), Phase: t.st.Phase, Tasks: h.Tasks,
		At: t.s.o.Now().UTC().Format("2006-01-02T15:04:05Z07:00")}
	action, err := t.fillAction(ctx, h, k)
	if err != nil {
		return nil, err
	}
	if k.Action, err = engine.Encode(action); err != nil {
		return nil, err
	}
	t.st.Tickets++
	t.st.Ticket = k
	t.st.Note(engine.Entry{Event: engine.EventHandedOut, Ticket: k.ID, Detail: handed(k)})
	if err := t.save(); err != nil {
		return nil, err
	}
	failpoint.Point("handed out")
	return t.answer(action), nil
}

func handed(k *engine.Ticket) map[string]string {
	d := map[string]string{"type": k.Type}
	if k.Name != "" {
		d["name"] = k.Name
	}
	if len(k.Tasks) > 0 {
		d["tasks"] = strings.Join(k.Tasks, ", ")
	}
	return d
}

// outstanding is the action that was handed out and not reported, as it goes out
// again.
func (t *turn) outstanding() (*NextAnswer, error) {
	action, err := engine.Decode(t.st.Ticket.Action)
	if err != nil {
		return nil, err
	}
	return t.answer(action), nil
}

// answer is an action as it goes out.
func (t *turn) answer(action engine.Action) *NextAnswer {
	a := &NextAnswer{Type: action.Kind(), Action: action, Display: t.headline(action.Kind())}
	a.Stats.Phases = len(t.st.CompletedPhases)
	a.Stats.Tokens, a.Stats.DurationMS = t.st.Totals()
	if k := t.st.Ticket; k != nil {
		a.Ticket = k.ID
		switch asks := action.(type) {
		case engine.Checkpoint:
			a.Ask = t.question(asks.Name, asks.PresentToUser, asks.Options)
		case engine.HumanGate:
			a.Ask = t.question(asks.Name, asks.PresentToUser, asks.Options)
		}
	}
	return a
}

func (t *turn) headline(kind string) msg.Message {
	head := engine.Headline(t.st.Phase)
	k := t.st.Ticket
	switch {
	case kind == (engine.Done{}).Kind():
		if t.st.Status == engine.StatusCompleted && t.st.PullRequest != "" {
			return msg.New("pipeline.pipeline_with_pull_request", t.st.Status, t.st.PullRequest)
		}
		return msg.New("pipeline.pipeline", t.st.Status)
	case t.st.Pause != nil:
		return msg.Join("", head, " ("+t.st.Pause.Name+")")
	case k != nil && len(k.Tasks) == 1:
		if task := t.st.Task(k.Tasks[0]); task != nil {
			return msg.New("pipeline.headline_task", head, task.ID, task.Title)
		}
	case k != nil && len(k.Tasks) > 1:
		return msg.New("pipeline.headline_tasks", head, k.Tasks)
	}
	return head
}

// Asking returns the question that is outstanding in a workspace and that the
// person was not asked yet, nil if there is none.
func (s *Service) Asking(_ context.Context, path string) (*workflow.Question, error) {
	_, st, err := s.read(path)
	if err != nil || st.Ticket == nil || st.Over() {
		return nil, err
	}
	a, err := (&turn{s: s, st: st}).outstanding()
	if err != nil || a.Ask == nil || a.Ask.Asked {
		return nil, err
	}
	return a.Ask, nil
}

// Answered reports whether a question is outstanding no more: the person has
// decided by another way, say.
func (s *Service) Answered(q *workflow.Question) (bool, error) {
	_, st, err := s.read(q.ID)
	if err != nil {
		return false, err
	}
	return st.Over() || st.Ticket == nil || st.Ticket.ID != q.Ticket, nil
}

// read returns a workspace and its state, whichever process has it open.
func (s *Service) read(path string) (*workspace.Workspace, *engine.State, error) {
	w, err := workspace.Of(s.project.Root, path)
	if err != nil {
		return nil, nil, err
	}
	st := new(engine.State)
	return w, st, w.Load(st)
}

// Undecided notes that the person was asked by the server and decided nothing, so
// that the word of the orchestrator may count.
func (s *Service) Undecided(ctx context.Context, q *workflow.Question) error {
	t, done, err := s.begin(ctx, q.ID)
	if err != nil {
		return err
	}
	defer done()
	if t.st.Ticket == nil || t.st.Ticket.ID != q.Ticket {
		return nil
	}
	t.st.Ticket.Asked = true
	t.st.Note(engine.Entry{Event: engine.EventNotUnderstood, By: string(approval.Elicited)})
	return t.save()
}

// onBranch returns an error unless the pipeline's branch is checked out.
func (t *turn) onBranch(ctx context.Context) error {
	now, err := t.Repo.CurrentBranch(ctx)
	if err != nil {
		return err
	}
	if now != t.st.Branch {
		says := problem.New(taskbranch.WrongBranch, "pipeline.pipeline_works_branch_but_checked", t.st.Branch, now)
		if now == "" {
			says = problem.New(taskbranch.WrongBranch, "pipeline.head_is_detached", t.st.Branch)
		}
		back, err := t.wayBack(ctx, now)
		if err != nil {
			return err
		}
		return says.Or("pipeline.run_command_then_call", back, op.PipelineNextAction)
	}
	if doing := t.Repo.InProgress(); doing != "" {
		return problem.New(taskbranch.WrongBranch, "taskbranch.repository_middle", doing).
			Or("pipeline.finish_abort_then_call_pipeline", op.PipelineNextAction)
	}
	return nil
}

// wayBack is the command by which the pipeline's branch is checked out again, also if it was
// renamed or deleted.
func (t *turn) wayBack(ctx context.Context, now string) (string, error) {
	branch, known := quote.Shell(t.st.Branch), t.lastKnownCommit()
	there, err := t.Repo.Resolve(ctx, "refs/heads/"+t.st.Branch)
	if err != nil || there != "" || known == "" {
		return "git switch " + branch, err
	}
	for _, k := range t.st.Tasks {
		if newer, err := t.Repo.Contains(ctx, cmp.Or(k.Commit, known), known); newer && err == nil {
			known = cmp.Or(k.Commit, known)
		}
	}
	if now != "" && now != t.st.BaseBranch {
		if renamed, err := t.Repo.Contains(ctx, "HEAD", known); renamed || err != nil {
			return "git branch -m " + branch, err
		}
	}
	return "git switch -c " + branch + " " + known, nil
}

// tree is the working tree as it is now.
func (t *turn) tree(ctx context.Context) (string, error) {
	id, err := t.Repo.Snapshot(ctx)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return "", problem.New(BadTree, "pipeline.git_cannot_take_working_tree",
			gitOutput(text.OneLine(failure.Output()), failure)).
			Or("pipeline.remove_file_names_make_readable")
	}
	return id, err
}

// changedSince returns the files that differ between a tree and the working tree,
// but for the server's own. If the user has had git throw the tree away, they are those that
// differ from the last known commit and are not the user's.
func (t *turn) changedSince(ctx context.Context, tree string) (map[string]bool, error) {
	now, err := t.tree(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := t.Repo.Diff(ctx, tree, now)
	known := t.lastKnownCommit()
	if failure := (*git.Error)(nil); !errors.As(err, &failure) || tree == known || known == "" {
		return pathsOf(changes), err
	}
	changes, err = t.Repo.Diff(ctx, known, now)
	files := pathsOf(changes)
	maps.DeleteFunc(files, func(f string, _ bool) bool { return t.usersOwn(f) })
	return files, err
}

func pathsOf(changes []git.Change) map[string]bool {
	files := make(map[string]bool)
	for _, c := range changes {
		for _, p := range []string{c.Path, c.OldPath} {
			if p != "" && !workspace.IsOwnFile(p) {
				files[p] = true
			}
		}
	}
	return files
}

// phaseIs is a shorthand.
func (t *turn) phaseIs(ids ...phase.ID) bool {
	for _, id := range ids {
		if t.st.Phase == id {
			return true
		}
	}
	return false
}
