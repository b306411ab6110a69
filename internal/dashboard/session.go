package dashboard

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/phase"
)

// Bounds of what one answer holds of a session.
const (
	pageEntries = 40  // of a ledger
	maxEntries  = 200 // that may be asked for at once
	maxSessions = 30
	maxFiles    = 300
	maxText     = 4000 // characters of any text that a model wrote
)

// A sessionSummary is a session in a list.
type sessionSummary struct {
	ID      string               `json:"id"`
	Status  savedsessions.Status `json:"standing"`
	Holder  string               `json:"holder,omitempty"`
	Next    bool                 `json:"next,omitempty"`
	Phase   string               `json:"phase,omitempty"`
	Outcome state.Outcome        `json:"outcome,omitempty"`
	Intent  state.Intent         `json:"intent,omitempty"`
	Query   string               `json:"query,omitempty"`
	Started time.Time            `json:"started,omitzero"`
	Updated time.Time            `json:"updated,omitzero"`
	Waits   bool                 `json:"waits,omitempty"` // for a decision
	Fault   string               `json:"fault,omitempty"`
}

// sessionSection is the sessions of a project, and the one to look at.
type sessionSection struct {
	Total    int              `json:"total"`
	Sessions []sessionSummary `json:"sessions"` // the newest first; at most maxSessions
	Current  *sessionView     `json:"current"`  // the live one, else one that can go on, else the last
}

// A sessionView is all that the page shows of one session.
type sessionView struct {
	sessionSummary
	Reason     string              `json:"reason,omitempty"`
	Flags      []string            `json:"flags,omitempty"`
	Risk       string              `json:"risk,omitempty"`
	Steps      []sessionStep       `json:"steps"`
	Tasks      []state.Task        `json:"tasks"`
	Verify     *state.VerifyResult `json:"verify,omitempty"`
	Summaries  []state.Summary     `json:"summaries,omitempty"`
	Rules      []state.Rule        `json:"rules,omitempty"`
	Findings   []string            `json:"findings,omitempty"`
	Decisions  []state.Decision    `json:"decisions,omitempty"`
	Warnings   []string            `json:"warnings,omitempty"`
	Overridden []string            `json:"overridden,omitempty"`
	Branch     string              `json:"branch,omitempty"`
	Base       string              `json:"base,omitempty"`
	Commits    []string            `json:"commits,omitempty"`
	Explored   []string            `json:"explored"`
	Approved   []string            `json:"approved"`
	Counts     counts              `json:"counts"`
	Level      level               `json:"level"`
	Gate       *gate               `json:"gate,omitempty"`
	Ledger     ledgerPage          `json:"ledger"`
}

// counts are the full lengths of lists of which only a part is shown.
type counts struct {
	Explored int `json:"explored"`
	Approved int `json:"approved"`
	Calls    int `json:"calls"`
	Events   int `json:"events"`
	Blocked  int `json:"blocked"`
}

// A level says how well the model is kept from writing what it may not.
type level struct {
	Reached  string `json:"reached,omitempty"` // L1, L2 or L3
	Required string `json:"required,omitempty"`
	Warning  string `json:"warning,omitempty"`
}

// A sessionStep is a phase of the table, and when the session was in it.
type sessionStep struct {
	Phase  phase.ID  `json:"phase"`
	Number int       `json:"number"`
	Stage  string    `json:"stage"` // done, current, skipped or ahead
	Began  time.Time `json:"began,omitzero"`
	Millis int64     `json:"duration_ms,omitempty"` // of all times together; of the current one up to its last entry
	Visits int       `json:"visits,omitempty"`
	Off    bool      `json:"off,omitempty"` // it lies off the way that most sessions go
}

// A gate is what a person has to decide now.
type gate struct {
	Session  string           `json:"session"`
	Nonce    string           `json:"nonce"`
	Phase    string           `json:"phase"`
	Opened   time.Time        `json:"opened"`
	Text     string           `json:"text"`
	Options  []string         `json:"options"`
	Demand   approval.Channel `json:"demand"`
	Open     bool             `json:"open"`               // it may be answered here
	Why      *problemView     `json:"why,omitempty"`      // why it may not
	Answered *answeredGate    `json:"answered,omitempty"` // it was, and the agent has not come back yet
}

// An answeredGate is a decision that the agent has not fetched yet.
type answeredGate struct {
	Choice   string    `json:"choice"`
	Channel  string    `json:"channel"`
	Guidance string    `json:"guidance,omitempty"`
	At       time.Time `json:"at"`
}

// A ledgerPage is a page of a session's ledger, newest entries first.
type ledgerPage struct {
	Session string        `json:"session"`
	Total   int64         `json:"total"`
	Bytes   int64         `json:"bytes"`
	Whole   bool          `json:"whole"`
	Why     string        `json:"why,omitempty"`
	Before  int64         `json:"before,omitempty"` // ask for those before this one; 0: there are none
	Entries []ledgerEntry `json:"entries"`
}

// A ledgerEntry is the part of a ledger entry that people read.
type ledgerEntry struct {
	Seq     int64             `json:"seq"`
	Time    time.Time         `json:"time"`
	Phase   string            `json:"phase,omitempty"`
	Kind    audit.Kind        `json:"kind"`
	Name    string            `json:"name"`
	Args    string            `json:"args,omitempty"`
	Outcome audit.Outcome     `json:"outcome,omitempty"`
	Files   []string          `json:"files,omitempty"` // that it showed or wrote
	Millis  int64             `json:"duration_ms,omitempty"`
	Detail  map[string]string `json:"detail,omitempty"`
}

// sessionMark also tells whether a process leads a session: its end is to be seen
// although it writes nothing.
func (s *Server) sessionMark() string {
	at := (&project.Project{Root: s.o.Root}).Path
	led := "free"
	if state.InUse(s.o.Root) {
		led = "led"
	}
	return led + fingerprint(at("sessions"), at("sessions", "archive"), at("config.json"))
}

func (s *Server) readSession(context.Context) (view, error) {
	p, err := s.project()
	if err != nil {
		return nil, err
	}
	all, err := savedsessions.List(p)
	if err != nil {
		return nil, err
	}
	var shown view
	if r := current(all); r != nil {
		shown = s.session(p, r)
	}
	return func(words msg.Printer) any {
		section := sessionSection{Total: len(all), Sessions: []sessionSummary{}}
		for _, r := range slices.Backward(all) {
			if len(section.Sessions) < maxSessions {
				section.Sessions = append(section.Sessions, lineOf(r))
			}
		}
		if shown != nil {
			section.Current = shown(words).(*sessionView)
		}
		return section
	}, nil
}

// current is the session that people most likely want to see.
func current(all []*savedsessions.Record) *savedsessions.Record {
	if len(all) == 0 {
		return nil
	}
	rank := func(r *savedsessions.Record) int {
		switch {
		case r.State == nil:
			return 0
		case r.Status == savedsessions.Live:
			return 3
		case r.Status == savedsessions.Interrupted:
			return 2
		}
		return 1
	}
	return slices.MaxFunc(all, func(a, b *savedsessions.Record) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), updated(a).Compare(updated(b)), cmp.Compare(a.ID, b.ID))
	})
}

func updated(r *savedsessions.Record) time.Time {
	if r.State == nil {
		return time.Time{}
	}
	return r.State.Updated
}

func lineOf(r *savedsessions.Record) sessionSummary {
	l := sessionSummary{ID: r.ID, Status: r.Status, Holder: r.Holder, Next: r.Next, Fault: r.Fault}
	if st := r.State; st != nil {
		l.Phase, l.Outcome, l.Intent, l.Query = string(cmp.Or(st.EndedIn,
			st.Phase)), st.Outcome, st.Intent, clip(st.Query)
		l.Started, l.Updated, l.Waits = st.Started, st.Updated, st.Waits()
	}
	return l
}

// session reads one session. What its ledger does not say, because it is broken,
// its checkpoint may.
func (s *Server) session(p *project.Project, r *savedsessions.Record) view {
	check, entries, err := r.Read()
	if err != nil {
		check.Why = msg.Literal(err.Error())
	}
	table, tableErr := phases.Load()
	return func(words msg.Printer) any {
		v := &sessionView{sessionSummary: lineOf(r), Steps: []sessionStep{}, Tasks: []state.Task{}, Explored: []string{},
			Approved: []string{}}
		v.Ledger = page(r, check, entries, 0, pageEntries, words)
		explored := slices.Sorted(maps.Keys(audit.Explored(entries)))
		for _, e := range entries {
			switch {
			case hookproof.Confirms(e):
				continue
			case e.Kind == audit.Tool:
				v.Counts.Calls++
			case e.Kind == audit.Event:
				v.Counts.Events++
			}
			if e.Outcome == audit.Blocked {
				v.Counts.Blocked++
			}
		}
		if len(entries) > 0 {
			level, warning := hookproof.Level(entries)
			v.Level.Reached, v.Level.Warning = level, words.Text(warning)
		}
		st := r.State
		if st == nil {
			return v
		}
		explored = append(explored, st.AddedFiles...)
		slices.Sort(explored)
		explored = slices.Compact(explored)
		v.Counts.Explored, v.Counts.Approved = len(explored), len(st.Approved)
		v.Explored, v.Approved = first(explored), first(st.Approved)
		v.Level.Required = max(p.Config.RequiredEnforcement, st.RequiredLevel)
		v.Reason, v.Tasks, v.Verify = words.Text(st.Reason), orNone(st.Tasks), spokenVerify(st.Verify, words)
		v.Rules, v.Findings, v.Warnings = st.Rules, st.Findings, words.Texts(st.Warnings)
		v.Overridden, v.Commits = st.Overridden, st.Commits
		v.Flags = st.Flags.Words()
		for _, d := range st.Decisions {
			d.Gate = ""
			v.Decisions = append(v.Decisions, d)
		}
		for _, sum := range st.Summaries {
			sum.Text = clip(sum.Text)
			v.Summaries = append(v.Summaries, sum)
		}
		if st.Frame != nil {
			v.Risk = string(st.Frame.Risk)
		}
		if st.Branch != nil {
			v.Branch, v.Base = st.Branch.Name, st.Branch.Base
		}
		if tableErr == nil {
			for _, id := range table.IDs() {
				c, _ := table.Contract(id)
				v.Steps = append(v.Steps, sessionStep{Phase: id, Number: c.Step})
			}
			v.walk(st, entries)
		}
		v.Gate = s.gate(p, r, entries, words)
		return v
	}
}

func spokenVerify(v *state.VerifyResult, words msg.Printer) *state.VerifyResult {
	if v == nil {
		return nil
	}
	said := *v
	said.Details, said.Commands = clip(v.Details), []verify.Result{}
	for _, r := range v.Commands {
		said.Commands = append(said.Commands, msg.Bind(r, words))
	}
	return &said
}

// offWay are phases that a session enters only if it is blocked.
var offWay = []phase.ID{phases.BranchIntervention, phases.VerifyIntervention, phases.UserEscalation}

// walk fills in when the session was in which phase, from the transitions that the
// ledger holds.
func (v *sessionView) walk(st *state.State, entries []audit.Entry) {
	at := func(id phase.ID) *sessionStep {
		for i := range v.Steps {
			if v.Steps[i].Phase == id {
				return &v.Steps[i]
			}
		}
		return new(sessionStep) // of a phase that the table does not have any more
	}
	var in *sessionStep
	since := st.Started
	enter := func(id phase.ID, when time.Time) {
		if in != nil {
			in.Millis += when.Sub(since).Milliseconds()
		}
		in, since = at(id), when
		in.Visits++
		in.Began = when
	}
	for _, e := range entries {
		if e.Kind != audit.Transition {
			continue
		}
		if in == nil && e.Phase != "" {
			enter(phase.ID(e.Phase), st.Started)
		}
		enter(phase.ID(e.Name), e.Time)
	}
	if in == nil {
		enter(cmp.Or(st.EndedIn, st.Phase), st.Started)
	}
	if st.Outcome == "" && len(entries) > 0 {
		in.Millis += max(0, entries[len(entries)-1].Time.Sub(since).Milliseconds())
	} else {
		in.Millis += max(0, st.Updated.Sub(since).Milliseconds())
	}
	reached := -1
	for i := range v.Steps {
		step := &v.Steps[i]
		step.Off = slices.Contains(offWay, step.Phase)
		if step.Visits > 0 && !step.Off {
			reached = i
		}
	}
	for i := range v.Steps {
		step := &v.Steps[i]
		switch {
		case step.Phase == st.Phase && st.Outcome == "":
			step.Stage = "current"
		case step.Visits > 0:
			step.Stage = "done"
		case i < reached || st.Outcome != "":
			step.Stage = "skipped"
		default:
			step.Stage = "ahead"
		}
	}
}

// gate is what waits for a person in a session, nil if nothing does.
func (s *Server) gate(p *project.Project, r *savedsessions.Record, entries []audit.Entry, words msg.Printer) *gate {
	st := r.State
	if st.Gate == nil || st.Outcome != "" {
		return nil
	}
	g := &gate{Session: st.ID, Nonce: st.Gate.Nonce, Opened: st.Gate.Opened, Phase: string(st.Phase)}
	service, err := s.sessions(p)
	var q *workflow.Question
	if err == nil {
		q, err = service.QuestionOf(st)
	}
	if err != nil {
		g.Why = fault(words, err)
		return g
	}
	q.Holder = r.Holder
	g.Text, g.Options, g.Demand = words.Text(q.Text), q.Options, q.Demand
	for _, e := range entries {
		if e.Kind == audit.Decision && e.Detail["gate"] == g.Nonce && e.Outcome == audit.OK &&
			e.Detail["channel"] != string(approval.Relayed) {
			g.Answered = &answeredGate{Choice: e.Name, Channel: e.Detail["channel"], Guidance: e.Detail["guidance"], At: e.Time}
		}
	}
	if err := s.mayDecide(q); err != nil {
		g.Why = fault(words, err)
	} else {
		g.Open = true
	}
	return g
}

// sessions is the service that runs sessions, for a decision made outside of it.
func (s *Server) sessions(p *project.Project) (*session.Service, error) {
	return session.New(p, session.Code{}, s.o.Log, s.o.Now)
}

// page cuts a page out of a ledger: n entries before the one with the number, the
// last ones for 0.
func page(r *savedsessions.Record, check savedsessions.Check, entries []audit.Entry, before int64, n int,
	words msg.Printer) ledgerPage {
	l := ledgerPage{Session: r.ID, Total: int64(len(entries)), Bytes: r.LedgerBytes(), Whole: check.Whole,
		Why: words.Text(check.Why), Entries: []ledgerEntry{}}
	if before > 0 && before <= int64(len(entries)) {
		entries = entries[:before-1]
	}
	from := max(0, len(entries)-n)
	if from > 0 {
		l.Before = int64(from) + 1
	}
	for _, e := range slices.Backward(entries[from:]) {
		l.Entries = append(l.Entries, entryOf(e))
	}
	return l
}

func entryOf(e audit.Entry) ledgerEntry {
	v := ledgerEntry{Seq: e.Seq, Time: e.Time, Phase: e.Phase, Kind: e.Kind, Name: e.Name, Args: clip(e.Args),
		Outcome: e.Outcome, Millis: e.DurationMS}
	for _, l := range e.Observed.Lines {
		v.Files = append(v.Files, l.File)
	}
	v.Files = append(v.Files, e.Files...)
	slices.Sort(v.Files)
	v.Files = slices.Compact(v.Files)
	v.Files = v.Files[:min(len(v.Files), 20)]
	for name, value := range e.Detail {
		if v.Detail == nil {
			v.Detail = make(map[string]string)
		}
		if name != "gate" { // whoever holds the nonce could answer
			v.Detail[name] = clip(value)
		}
	}
	return v
}

// serveSession answers with one session, whichever is named.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) {
	p, rec, err := s.find(r.URL.Query().Get("id"))
	if err != nil {
		s.refuse(w, r, http.StatusNotFound, err)
		return
	}
	s.answer(w, http.StatusOK, map[string]any{"data": s.session(p, rec)(msg.In(s.language(r)))})
}

func (s *Server) find(id string) (*project.Project, *savedsessions.Record, error) {
	p, err := s.project()
	if err != nil {
		return nil, nil, err
	}
	r, err := savedsessions.Find(p, id)
	return p, r, err
}

// serveLedger answers with a page of a ledger: ?id=…&before=…&n=….
func (s *Server) serveLedger(w http.ResponseWriter, r *http.Request) {
	_, rec, err := s.find(r.URL.Query().Get("id"))
	if err != nil {
		s.refuse(w, r, http.StatusNotFound, err)
		return
	}
	before, n, err := paging(r)
	if err != nil {
		s.refuse(w, r, http.StatusBadRequest, err)
		return
	}
	check, entries, err := rec.Read()
	if err != nil {
		s.refuse(w, r, http.StatusInternalServerError, err)
		return
	}
	s.answer(w, http.StatusOK, map[string]any{"data": page(rec, check, entries, before, n, msg.In(s.language(r)))})
}

// paging reads before and n.
func paging(r *http.Request) (before int64, n int, err error) {
	n = pageEntries
	for name, to := range map[string]func(int64){
		"before": func(v int64) { before = v },
		"n":      func(v int64) { n = int(min(v, maxEntries)) },
	} {
		text := r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < 1 {
			return 0, 0, problem.New(problem.InvalidArgument, "problem.argument_has_value", name, text).
				Or("dashboard.send_number_from")
		}
		to(v)
	}
	return before, n, nil
}

// clip keeps the beginning of a text.
func clip(said string) string { return text.Clip(strings.ToValidUTF8(said, "\uFFFD"), maxText) }

func first(list []string) []string { return orNone(list[:min(len(list), maxFiles)]) }

func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
