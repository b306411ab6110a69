package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
	"codeintel/internal/workflow/phase"
)

// A ReportRequest reports the outstanding action without asking for the next.
type ReportRequest struct {
	Workspace  string   `json:"workspace"`
	Phase      string   `json:"phase"`
	Tokens     *float64 `json:"tokens_used,omitempty"`
	DurationMS *float64 `json:"duration_ms,omitempty"`
	Model      string   `json:"model,omitempty"`
	SetupOnly  *bool    `json:"setup_only,omitempty"`
	ExitCode   *int     `json:"exit_code,omitempty"`
	Output     string   `json:"output,omitempty"`
	Ticket     string   `json:"ticket,omitempty"`
}

// A Hint says how the orchestrator goes on.
type Hint string

// The hints.
const (
	Proceed          Hint = "proceed"
	RevisionRequired Hint = "revision_required"
	SetupContinue    Hint = "setup_continue"
)

// A ReportAnswer is what became of a report.
type ReportAnswer struct {
	Updated  bool             `json:"state_updated"`
	Artifact string           `json:"artifact_written"`
	Verdict  string           `json:"verdict_parsed"`
	Findings []engine.Finding `json:"findings"`
	Hint     Hint             `json:"next_action_hint"`
	Warning  string           `json:"warning"`
	Display  string           `json:"display_message"`
}

// Text is the answer as JSON, for who reads only text.
func (a *ReportAnswer) Text() string {
	data, err := plain(a)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// ReportResult takes the report of the outstanding action.
func (s *Service) ReportResult(ctx context.Context, r ReportRequest) (*ReportAnswer, error) {
	t, done, err := s.begin(ctx, r.Workspace)
	if err != nil {
		return nil, err
	}
	defer done()
	k := t.st.Ticket
	if last := t.st.LastReport; last != nil && (r.Ticket != "" && r.Ticket == last.Ticket || k == nil && r.Ticket == "" && string(last.Phase) == r.Phase) && !t.st.Over() {
		a := new(ReportAnswer)
		if err := json.Unmarshal(last.Answer, a); err == nil {
			a.Warning = strings.TrimSpace(a.Warning + "\nThis was reported before; nothing was recorded twice.")
			return a, nil
		}
	}
	switch {
	case t.st.Over():
		return nil, problem.Newf(PipelineOver, "The pipeline of %s is %s.", t.w.Path(), t.st.Status).Or("Call pipeline_init for a new one.")
	case k == nil && t.decidedBesides() != nil:
		return nil, problem.Newf(NoTicket, "%s", t.sayDecided()).Or("Call pipeline_next_action.")
	case k == nil:
		return nil, problem.Newf(NoTicket, "Nothing is outstanding in %s, so there is nothing to report.", t.w.Path()).Or("Call pipeline_next_action.")
	case r.Phase != string(k.Phase):
		return nil, problem.Newf(PhaseMismatch, "The report is of %q, but what is outstanding is ticket %s: a %s of %s.", r.Phase, k.ID, k.Type, k.Phase).
			Or(fmt.Sprintf("Do that, and report phase=%q.", k.Phase)).Or("Call pipeline_next_action to see it again.")
	case r.Ticket != "" && r.Ticket != k.ID:
		return nil, problem.Newf(TicketMismatch, "The report is of ticket %s, but %s is outstanding: a %s of %s.", r.Ticket, k.ID, k.Type, k.Phase).
			Or("Call pipeline_next_action to see it again.")
	case k.Asks():
		return nil, problem.Newf(PhaseMismatch, "Ticket %s is a %s: a person is asked, and a report answers nothing.", k.ID, k.Type).
			Or("Show it to the user, and send the answer to pipeline_next_action as user_response.")
	}
	a, err := t.report(ctx, report{tokens: number(r.Tokens), duration: number(r.DurationMS), model: r.Model,
		setupOnly: r.SetupOnly != nil && *r.SetupOnly, exit: r.ExitCode, output: r.Output})
	if err != nil {
		return nil, err
	}
	a.Warning = strings.TrimSpace(strings.Join(append([]string{a.Warning}, t.warnings...), "\n"))
	return a, t.save()
}

// A report is what the orchestrator says of the outstanding action.
type report struct {
	tokens, duration int
	model            string
	setupOnly        bool
	exit             *int
	output           string
}

// report holds what was reported against the world. What does not hold changes
// nothing but the ticket.
func (t *turn) report(ctx context.Context, r report) (*ReportAnswer, error) {
	k := *t.st.Ticket
	self := "self_reported"
	run, err := t.s.observed(t.w, k)
	if err != nil {
		return nil, err
	}
	if run != nil {
		self = "client_events"
		if run.Tokens > 0 {
			r.tokens = run.Tokens
		}
		if run.Duration > 0 {
			r.duration = int(run.Duration.Milliseconds())
		}
		if run.Model != "" {
			r.model = run.Model
		}
	}
	a := &ReportAnswer{Findings: []engine.Finding{}, Hint: RevisionRequired}
	switch {
	case k.Type == (engine.Exec{}).Kind():
		err = t.reportExec(ctx, k, r, a)
	case k.Type == (engine.WriteFile{}).Kind():
		err = t.reportFile(k, a)
	case k.Phase == engine.Implementation:
		err = t.reportTasks(ctx, k, r, a)
	case k.Phase == engine.CodeReview:
		err = t.reportReviews(k, r, a)
	default:
		err = t.reportPhase(ctx, k, r, a)
	}
	if err != nil {
		return nil, err
	}
	event := engine.EventReportRefused
	if a.Updated {
		event = engine.EventReported
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("forge: %w", err)
		}
		t.st.LastReport = &engine.Reported{Ticket: k.ID, Phase: k.Phase, Answer: raw}
	}
	t.st.Note(engine.Entry{Event: event, Phase: k.Phase, Ticket: k.ID, By: self, Detail: map[string]string{
		"artifact": a.Artifact, "verdict": a.Verdict, "findings": fmt.Sprint(len(a.Findings)), "warning": a.Warning}})
	t.dirty = true
	failpoint.Point("report " + string(k.Phase) + ": not saved")
	return a, nil
}

// A reading is an artifact as a report finds it.
type reading struct {
	text string
	hash string
	why  string // why there is nothing to report; "" if there is
	same bool   // because the file is as it was
}

// read reads an artifact that a ticket asked for.
func (t *turn) read(k engine.Ticket, name string) (reading, error) {
	text, err := t.w.Read(name)
	file := t.w.Path() + "/" + name
	switch p := problem.Of(err); {
	case errors.Is(err, fs.ErrNotExist):
		return reading{why: fmt.Sprintf("%s is not there; it was looked for in %q.", file, t.w.Dir())}, nil
	case p != nil:
		return reading{why: p.Message.String()}, nil
	case err != nil:
		return reading{}, err
	case strings.TrimSpace(text) == "":
		return reading{why: file + " is blank."}, nil
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return reading{why: file + " is no text in UTF-8. Write it in UTF-8."}, nil
	}
	hash := workspace.HashOf(text)
	if hash == k.FilesBefore[name] {
		return reading{text: text, hash: hash, why: file + " is as it was before the action was handed out.", same: true}, nil
	}
	if other, err := t.copied(name, text); other != "" || err != nil {
		return reading{why: fmt.Sprintf("%s is word for word that of %s; write what holds for this pipeline.", file, other)}, err
	}
	return reading{text: text, hash: hash}, nil
}

// ownWords is the length from which on a text that another pipeline has, too, is
// no coincidence. A bare verdict is shorter.
const ownWords = 300

// copied returns the workspace of another pipeline that has the same artifact, ""
// if none has.
func (t *turn) copied(name, text string) (string, error) {
	if len(text) < ownWords {
		return "", nil
	}
	all, err := workspace.List(t.s.project.Root)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		if w.Name() == t.w.Name() {
			continue
		}
		if theirs, err := w.Read(name); err == nil && engine.Sense(theirs) == engine.Sense(text) {
			return w.Path(), nil
		}
	}
	return "", nil
}

// attempts is how often an artifact may be there and not be accepted before a
// person is asked.
const attempts = 3

// refuse gives the phase out again, with what was found; a person is asked when
// that has not helped often enough.
func (t *turn) refuse(found []engine.Finding, checkpoint string) {
	t.st.Ticket, t.st.CheckFindings = nil, found
	if t.st.Attempts++; t.st.Attempts > attempts {
		var b strings.Builder
		fmt.Fprintf(&b, "After %d attempts what %s wrote is still not as it must be:\n", t.st.Attempts, engine.Label(t.s.table, t.st.Phase))
		for _, f := range found {
			fmt.Fprintf(&b, "\n- **[%s]** %s", f.Severity, f.Description)
		}
		t.st.Pause = &engine.Pause{Name: checkpoint, Text: b.String()}
	}
}

// missed notes that the outstanding action was reported as done and is not. A person
// is asked when that goes on: nobody but he can tell what is the matter.
func (t *turn) missed(a *ReportAnswer, why, checkpoint string) {
	a.Warning = strings.TrimSpace(why) + " The action is not done."
	k := t.st.Ticket
	if k.Misses++; k.Misses <= attempts {
		return
	}
	text := fmt.Sprintf("This was reported as done %d times, and is not:\n\n- %s\n\nguide hands it out again with what you say.", k.Misses, why)
	if checkpoint == engine.UnchangedCheckpoint {
		text += " approve takes what there is as it is."
	}
	t.st.Ticket, t.st.Pause = nil, &engine.Pause{Name: checkpoint, Text: text}
}

// reportPhase takes the artifact of a phase with one agent.
func (t *turn) reportPhase(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	w, _ := t.s.table.Contract(k.Phase)
	name := w.Writes[0]
	got, err := t.read(k, name)
	if err != nil {
		return err
	}
	family, judges := families[k.Phase]
	if got.why != "" {
		checkpoint, found := engine.NotValidCheckpoint, []artifact.Finding(nil)
		if got.same && !judges { // perhaps rightly: a person may say so, of what would be accepted
			if found = t.checkPlan(ctx, k.Phase, name, got.text); !artifact.Blocks(found) {
				checkpoint = engine.UnchangedCheckpoint
			}
		}
		if t.missed(a, got.why, checkpoint); t.st.Pause == nil || checkpoint == engine.NotValidCheckpoint {
			return nil
		}
		sense, err := t.sense(name)
		t.st.Accept(name, sense, findings(found)) // if the person takes it
		return err
	}
	a.Artifact = name
	found := t.checkPlan(ctx, k.Phase, name, got.text)
	if judges && !artifact.Blocks(found) {
		review := artifact.ParseReview(family, got.text)
		a.Verdict = string(review.Verdict)
		found = append(found, review.Findings...)
		if review.Verdict == artifact.Unknown {
			a.Findings = findings(found)
			t.refuse(a.Findings, engine.NotValidCheckpoint)
			return nil
		}
		return t.judge(k, r, a, findings(found))
	}
	a.Findings = findings(found)
	accept := func() error {
		sense, err := t.sense(name)
		t.st.Accept(name, sense, a.Findings)
		return err
	}
	if artifact.Blocks(found) {
		if onlyCode(found) { // a person may say that it is right all the same
			if err := accept(); err != nil {
				return err
			}
			t.refuse(a.Findings, engine.PlanIncompleteCheckpoint)
			if t.st.Pause == nil {
				delete(t.st.Accepted, name)
			}
			return nil
		}
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		return nil
	}
	if err := accept(); err != nil {
		return err
	}
	t.log(k, "", r, "")
	if k.Phase == engine.Comprehensive {
		a.Findings = findings(artifact.ParseReview(artifact.FinalVerdict, got.text).Findings)
		a.Findings = slices.DeleteFunc(a.Findings, func(f engine.Finding) bool { return strings.HasPrefix(f.Description, "The verdict cannot be read") })
		t.st.Keep(k.Phase, engine.Judgement{Findings: a.Findings})
	}
	if k.Phase == engine.FinalSummary {
		if _, err := t.w.Read("improvement.md"); errors.Is(err, fs.ErrNotExist) {
			a.Findings = append(a.Findings, engine.Finding{Severity: engine.Minor, Description: "improvement.md was not written, so this pipeline teaches nothing about friction."})
		}
	}
	a.Updated, a.Hint, a.Display = true, Proceed, engine.Label(t.s.table, k.Phase)+" is done."
	t.st.Ticket = nil
	return t.st.Leave(t.s.table)
}

// families are the verdicts that each phase may give.
var families = map[phase.ID]artifact.Family{
	engine.DesignReview:      artifact.DesignVerdict,
	engine.TasksReview:       artifact.DesignVerdict,
	engine.FinalVerification: artifact.FinalVerdict,
}

// judge takes a verdict, if what it is about is still what it was.
func (t *turn) judge(k engine.Ticket, r report, a *ReportAnswer, found []engine.Finding) error {
	a.Findings = found
	w, _ := t.s.table.Contract(k.Phase)
	j := engine.Judgement{Verdict: a.Verdict, Findings: found}
	if w.Judges != "" {
		sense, err := t.sense(w.Judges)
		if err != nil {
			return err
		}
		if sense != k.ReviewedFiles[w.Judges] {
			a.Warning = w.Judges + " changed while it was reviewed, so it is reviewed again."
			t.refuse([]engine.Finding{{Severity: engine.Critical, Description: w.Judges + " changed while it was reviewed; judge it as it is now."}}, engine.NotValidCheckpoint)
			return nil
		}
		j.Of = sense
	}
	t.log(k, "", r, a.Verdict)
	t.st.Ticket = nil
	a.Updated, a.Display = true, fmt.Sprintf("%s: %s.", engine.Label(t.s.table, k.Phase), a.Verdict)
	if artifact.Verdict(a.Verdict).Approves() {
		a.Hint = Proceed
	}
	return t.st.Judge(t.s.table, j)
}

func (t *turn) log(k engine.Ticket, task string, r report, verdict string) {
	model := r.model
	if model == "" {
		var told struct {
			Model string `json:"model"`
		}
		_ = json.Unmarshal(k.Action, &told) // written by Encode
		model = told.Model
	}
	t.st.Log(engine.PhaseRun{Phase: k.Phase, Task: task, Tokens: r.tokens, Duration: r.duration, Model: model, Verdict: verdict})
}

// share is the part of a report's figures that falls to each of several agents.
func (r report) share(i, n int) report {
	part := func(whole int) int {
		p := whole / n
		if i == 0 {
			p += whole % n
		}
		return p
	}
	r.tokens, r.duration = part(r.tokens), part(r.duration)
	return r
}

// reportTasks takes what implementers report, each by itself.
func (t *turn) reportTasks(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	reports, missing := make(map[string]reading), []string{}
	for _, id := range k.Tasks {
		got, err := t.read(k, "impl-"+id+".md")
		if err != nil {
			return err
		}
		if got.why != "" {
			missing = append(missing, got.why)
			continue
		}
		reports[id] = got
	}
	if len(reports) == 0 {
		t.missed(a, strings.Join(missing, " "), engine.NotValidCheckpoint)
		return nil
	}
	claims, all := make(map[string][]string), make(map[string]bool)
	blocked := make(map[string][]artifact.Finding)
	for _, id := range k.Tasks {
		got, ok := reports[id]
		if !ok {
			continue
		}
		name := "impl-" + id + ".md"
		impl, wrong := artifact.ParseImpl(got.text)
		found := artifact.Findings(name, append(artifact.Check(string(k.Phase), got.text), wrong...))
		found = uniq(found)
		changed, err := t.changedSince(ctx, t.st.Task(id).Base)
		if err != nil {
			return err
		}
		if len(impl.Files) == 0 {
			lacks, err := t.needless(ctx, t.st.Task(id), impl.NoChange)
			if err != nil {
				return err
			}
			found = append(found, lacks...)
		}
		for _, f := range impl.Files {
			switch other := t.ownerOf(f, id, k.Tasks); {
			case !changed[f]:
				found = append(found, t.unchanged(ctx, name, f))
			case other != "":
				found = append(found, artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s claims %s, which is for task %s to change, at the same time; leave it to that task.", name, f, other)})
			}
			all[f] = true
		}
		claims[id], blocked[id] = impl.Files, found
	}
	since, err := t.changedSince(ctx, cmp.Or(t.known(), k.Head)) // what is not in a commit of ours
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		since, err = t.changedSince(ctx, k.Head)
	}
	if err != nil {
		return err
	}
	var undeclared []string
	for _, id := range k.Tasks {
		began, err := t.changedSince(ctx, t.st.Task(id).Round)
		if err != nil {
			return err
		}
		for f := range began {
			declared := all[f] || !since[f] || slices.Contains(undeclared, f)
			for _, other := range k.Tasks {
				declared = declared || len(k.Tasks) > 1 && slices.Contains(t.st.Task(other).Files, f)
			}
			if !declared {
				undeclared = append(undeclared, f)
			}
		}
	}
	slices.Sort(undeclared)
	return t.takeTasks(k, r, a, taken{reports, claims, blocked, undeclared, missing, since})
}

// unchanged is the finding about a file that a report claims and git sees no change of.
func (t *turn) unchanged(ctx context.Context, report, file string) artifact.Finding {
	if t.ignored(ctx, file) {
		return artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s claims %s, which git ignores, so that it gets into no commit; leave it out.", report, file)}
	}
	return artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s claims %s, which is as it was before the task began.", report, file)}
}

// ownerOf returns which other task of a batch declares a file that the task itself
// does not, "" if none does.
func (t *turn) ownerOf(file, id string, batch []string) string {
	if slices.Contains(t.st.Task(id).Files, file) {
		return ""
	}
	for _, other := range batch {
		if slices.Contains(t.st.Task(other).Files, file) {
			return other
		}
	}
	return ""
}

// needless holds a report that says that a task needs no change, because all that it
// asks for is there, against the tree and against what it asks for. Whether it is
// so, the review says.
func (t *turn) needless(ctx context.Context, k *engine.Task, reasons []string) ([]artifact.Finding, error) {
	critical := func(format string, args ...any) ([]artifact.Finding, error) {
		return []artifact.Finding{{Severity: artifact.Critical, Description: fmt.Sprintf(format, args...)}}, nil
	}
	if len(reasons) == 0 {
		return critical("Task %s has changed nothing; do what it asks for, and list the files. If all of it is there already, say so below a heading \"## No Change\": for each acceptance criterion one item that names the place where it is met.", k.ID)
	}
	touched, err := t.changedSince(ctx, k.Round)
	if err != nil {
		return nil, err
	}
	for _, f := range k.Files {
		if touched[f] {
			return critical("impl-%s.md says that nothing is to be changed, but %s was changed since the task was begun: list it, or undo the change.", k.ID, f)
		}
	}
	text, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return nil, err
	}
	tasks, _ := artifact.ParseTasks(text)
	for _, task := range tasks {
		if n := len(task.Acceptance); task.ID == k.ID && len(reasons) < n {
			return critical("impl-%s.md accounts for %d of the %d acceptance criteria of task %s; below \"## No Change\", each has an item of its own.", k.ID, len(reasons), n, k.ID)
		}
	}
	places, _ := artifact.Mentions(strings.Join(reasons, "\n\n"))
	for _, f := range places {
		if info, err := os.Stat(t.s.project.Abs(path.Clean(f))); err == nil && info.Mode().IsRegular() && !ours(f) {
			return nil, nil
		}
	}
	return critical("impl-%s.md says that nothing is to be changed and names no file of the repository; say in which, as `main.go`, each acceptance criterion is met.", k.ID)
}

// A taken is what was found of the reports of a batch.
type taken struct {
	reports    map[string]reading
	claims     map[string][]string
	blocked    map[string][]artifact.Finding
	undeclared []string
	missing    []string
	since      map[string]bool
}

func (t *turn) takeTasks(k engine.Ticket, r report, a *ReportAnswer, got taken) error {
	single := len(k.Tasks) == 1
	var files, accepted, written []string
	for i, id := range k.Tasks {
		if _, ok := got.reports[id]; !ok {
			continue
		}
		task, name, found := t.st.Task(id), "impl-"+id+".md", got.blocked[id]
		written = append(written, name)
		if single {
			for _, f := range got.undeclared {
				found = append(found, artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s was changed, but %s does not list it: list it, or undo the change.", f, name)})
			}
		}
		for _, f := range got.claims[id] {
			if !slices.Contains(task.Files, f) && len(task.Files) > 0 {
				found = append(found, artifact.Finding{Severity: artifact.Minor, Description: fmt.Sprintf("Task %s changed %s, which tasks.md does not give it.", id, f)})
			}
		}
		a.Findings = append(a.Findings, findings(found)...)
		if artifact.Blocks(found) {
			task.CheckFindings = findings(found)
			continue
		}
		t.log(k, id, r.share(i, len(k.Tasks)), "")
		t.st.Implement(id, got.claims[id])
		accepted = append(accepted, id)
		files = append(files, got.claims[id]...)
		for _, f := range task.Files {
			if got.since[f] && !single {
				files = append(files, f)
			}
		}
	}
	if !single {
		for _, f := range got.undeclared {
			a.Findings = append(a.Findings, engine.Finding{Severity: engine.Minor, Description: f + " was changed, but no task of the batch declares it; it is not committed."})
		}
	}
	a.Artifact = strings.Join(written, ", ")
	a.Warning = strings.Join(got.missing, " ")
	if len(accepted) == 0 {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		t.st.CheckFindings = nil
		return nil
	}
	slices.Sort(files)
	t.st.Ticket, t.st.Attempts = nil, 0
	t.st.Commit = &engine.Commit{Files: slices.Compact(files), Tasks: accepted, Message: t.commitMessage(accepted)}
	a.Updated, a.Display = true, "Implemented: task "+strings.Join(accepted, ", ")+"."
	if len(accepted) == len(k.Tasks) {
		a.Hint = Proceed
	} else {
		a.Display += " The others are handed out again."
	}
	return nil
}

func uniq(all []artifact.Finding) (list []artifact.Finding) {
	for _, f := range all {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// kinds are the words with which the messages of commits and the titles of pull
// requests begin, by the type of branch.
var kinds = map[string]string{"feature": "feat", "fix": "fix", "refactor": "refactor", "docs": "docs", "chore": "chore"}

func (t *turn) kind() string {
	if k := kinds[t.st.BranchType]; k != "" {
		return k
	}
	return "feat"
}

func (t *turn) commitMessage(ids []string) string {
	var titles []string
	for _, id := range ids {
		titles = append(titles, oneLine(t.st.Task(id).Title))
	}
	subject := strings.Join(titles, "; ")
	if subject == "" {
		subject = oneLine(t.st.Title)
	}
	if r := []rune(subject); len(r) > 72 {
		subject = string(r[:71]) + "…"
	}
	return fmt.Sprintf("%s: %s\n\nTasks: %s\nPipeline: %s", t.kind(), subject, strings.Join(ids, ", "), t.w.Path())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// reportReviews takes the reviews of tasks, each by itself.
func (t *turn) reportReviews(k engine.Ticket, r report, a *ReportAnswer) error {
	now, err := t.judged(&k)
	if err != nil {
		return err
	}
	var written, missing []string
	judged, unread, worst := 0, 0, artifact.Pass
	for i, id := range k.Tasks {
		name, impl := "review-"+id+".md", "impl-"+id+".md"
		got, err := t.read(k, name)
		if err != nil {
			return err
		}
		if got.why != "" {
			missing = append(missing, got.why)
			continue
		}
		written = append(written, name)
		review := artifact.ParseReview(artifact.CodeVerdict, got.text)
		found := findings(append(artifact.Findings(name, artifact.Check(string(k.Phase), got.text)), review.Findings...))
		if len(k.Tasks) > 1 {
			for j := range found {
				found[j].Description = "Task " + id + ": " + found[j].Description
			}
		}
		a.Findings = append(a.Findings, found...)
		if order := []artifact.Verdict{artifact.Pass, artifact.PassWithNotes, artifact.Fail, artifact.Unknown}; slices.Index(order, review.Verdict) > slices.Index(order, worst) {
			worst = review.Verdict
		}
		task := t.st.Task(id)
		if review.Verdict == artifact.Unknown {
			task.CheckFindings = found
			unread++
			continue
		}
		if what := changedOf(k.ReviewedFiles, now, impl, task.Claimed); what != "" {
			missing = append(missing, fmt.Sprintf("%s changed while task %s was reviewed, so it is reviewed again.", what, id))
			unread++
			continue
		}
		t.log(k, id, r.share(i, len(k.Tasks)), string(review.Verdict))
		t.st.JudgeTask(id, engine.Judgement{Verdict: string(review.Verdict), Findings: found, Of: now[impl]})
		judged++
	}
	a.Artifact, a.Warning = strings.Join(written, ", "), strings.Join(missing, " ")
	if len(written) == 0 {
		t.missed(a, a.Warning, engine.NotValidCheckpoint)
		return nil
	}
	a.Verdict = string(worst)
	if judged == 0 {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		t.st.CheckFindings = nil
		return nil
	}
	t.st.Ticket, t.st.Attempts = nil, 0
	a.Updated, a.Display = true, fmt.Sprintf("Code Review: %s.", worst)
	if worst.Approves() && judged == len(k.Tasks) {
		a.Hint = Proceed
	}
	return nil
}

// changedOf returns what of a task is not as it was when its review was handed out.
func changedOf(then, now map[string]string, impl string, files []string) string {
	if then[impl] != now[impl] {
		return impl
	}
	for _, f := range files {
		if then["/"+f] != now["/"+f] {
			return f
		}
	}
	return ""
}

// reportFile takes a file that the orchestrator wrote word for word.
func (t *turn) reportFile(k engine.Ticket, a *ReportAnswer) error {
	hash, err := t.w.Hash(engine.TasksFile)
	if problem.Of(err) == nil && err != nil {
		return err
	}
	if hash != k.FilesBefore[engine.TasksFile] {
		t.missed(a, t.w.Path()+"/"+engine.TasksFile+" does not hold what the action said.", engine.NotValidCheckpoint)
		return nil
	}
	sense, err := t.sense(engine.TasksFile)
	if err != nil {
		return err
	}
	t.st.Accept(engine.TasksFile, sense, nil)
	t.st.Ticket = nil
	a.Updated, a.Artifact, a.Hint = true, engine.TasksFile, Proceed
	return nil
}

var pullURL = regexp.MustCompile(`https?://[^\s"'<>]+/pull/\d+`)

// reportExec takes how a command ended: as it was reported, else as it can be seen.
func (t *turn) reportExec(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if k.Phase == engine.Setup {
		now, err := t.repo.CurrentBranch(ctx)
		if err != nil {
			return err
		}
		if now != t.st.Branch {
			t.missed(a, fmt.Sprintf("The branch %s is not checked out (%q is).", t.st.Branch, now), engine.NotValidCheckpoint)
			if r.output != "" {
				a.Warning += "\n" + fenced(r.output)
				if t.st.Pause != nil {
					t.st.Pause.Text += "\n\n" + fenced(r.output)
				}
			}
			if id, err := t.repo.Resolve(ctx, "refs/heads/"+t.st.Branch); err == nil && id != "" && slices.Contains(argvOf(&k), "-c") {
				t.st.Ticket = nil // it is there by now, so another command is needed
			}
			return nil
		}
		t.st.Ticket = nil
		a.Updated, a.Hint, a.Display = true, SetupContinue, "On branch "+now+"."
		return nil
	}
	ok, said := t.ran(ctx, k, r)
	if !ok {
		t.st.Ticket = nil
		t.st.Pause = &engine.Pause{Name: engine.CommandFailedCheckpoint, Text: fmt.Sprintf("The command of %s failed.\n\n%s\n\nretry hands it out again, when what is in the way is mended. skip goes on without it.", engine.Label(t.s.table, k.Phase), fenced(said))}
		a.Updated = true
		a.Warning = "The command failed; a person decides what comes of it."
		a.Findings = []engine.Finding{{Severity: engine.Major, Description: "The command failed: " + firstLine(said, "it said nothing")}}
		return nil
	}
	t.st.Ticket = nil
	a.Updated, a.Hint, a.Display = true, Proceed, engine.Label(t.s.table, k.Phase)+" is done."
	return t.st.Leave(t.s.table)
}

// ran reports whether the command of an action was run and did what it should.
func (t *turn) ran(ctx context.Context, k engine.Ticket, r report) (ok bool, said string) {
	if r.exit != nil && *r.exit != 0 {
		if k.Phase == engine.PRCreation && pullURL.MatchString(r.output) { // gh names the one there is
			if url, err := t.pullRequest(ctx); err == nil {
				t.st.PullRequest = url
				return true, ""
			}
		}
		return false, fmt.Sprintf("exit code %d\n%s", *r.exit, r.output)
	}
	if k.Phase != engine.PRCreation {
		if r.exit == nil {
			t.warn("How the command ended was not reported (previous_exit_code), and cannot be seen.")
		}
		return true, ""
	}
	url, err := t.pullRequest(ctx)
	told := pullURL.FindString(r.output)
	switch {
	case err == nil:
		t.st.PullRequest = url
		return true, ""
	case errors.Is(err, errNoPull):
		return false, fmt.Sprintf("No pull request of %s can be seen: %v\n%s", t.st.Branch, err, r.output)
	case r.exit != nil && told != "" && t.elsewhere(ctx, told):
		return false, fmt.Sprintf("%s is no pull request of this repository: its remotes are others.\n%s", told, r.output)
	case r.exit != nil && told != "":
		t.st.PullRequest = told
		t.warn("Whether the pull request is open could not be seen: %v", err)
		return true, ""
	case r.exit != nil:
		t.warn("The pull request's URL is not known: %v", err)
		return true, ""
	}
	return false, fmt.Sprintf("The exit code was not reported, and no pull request of %s can be seen: %v\n%s", t.st.Branch, err, r.output)
}
