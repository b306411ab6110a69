// Package queryplan answers a question in natural language: it classifies the question, plans which tools
// would answer it, runs them, and merges their results.
//
// It works by rules, without a model: the same question of the same files gives
// the same answer. A slot that it fills is always a quotation from the question.
// A plan is the table of seed v1.0, what is not known deciding which tools are
// asked and the intent which come first. Every answer says what was planned, what
// became of each step, and why a result is in it.
//
// The package changes nothing in the repository. The one thing it writes is the
// decision log, .code-intel/logs/decisions.jsonl.
package queryplan

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"codeintel/internal/index"
	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/text/question"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/text/terms"
)

// A Router answers questions about one repository. It is safe for concurrent use.
type Router struct {
	p   *project.Project
	x   *index.Index
	e   *search.Engine
	log *outcomelog.Logs
	to  *slog.Logger
	now func() time.Time
}

// New returns a Router that asks e. What cannot be written to the decision log is
// told to log: the answer goes out all the same.
func New(p *project.Project, x *index.Index, e *search.Engine, log *slog.Logger, now func() time.Time) *Router {
	return &Router{p: p, x: x, e: e, log: outcomelog.Open(p), to: log, now: now}
}

// Within returns a Router whose answers have at most so many characters.
func (r *Router) Within(characters int) *Router {
	narrow := *r
	narrow.e = r.e.Within(characters)
	return &narrow
}

// The intents, as a session has them.
const (
	Implement   = "IMPLEMENT"
	Modify      = "MODIFY"
	Investigate = "INVESTIGATE"
	Question    = "QUESTION"
)

var intents = []string{Implement, Modify, Investigate, Question}

// Query is a question in words, with as much of its frame as the caller knows.
type Query struct {
	Query    string `json:"query" jsonschema:"The question, in English or Japanese"`
	Intent   string `json:"intent,omitempty" jsonschema:"The same values as for start_session"`
	Feature  string `json:"target_feature,omitempty"`
	Trigger  string `json:"trigger_condition,omitempty"`
	Issue    string `json:"observed_issue,omitempty"`
	Action   string `json:"desired_action,omitempty"`
	Language string `json:"language,omitempty"`
	search.Where
	search.Page
}

// A Setting is what is known beside the question: the session it is asked in. The
// zero Setting is none.
type Setting struct {
	Session string
	Intent  string
	Slots   map[string]requestslots.Slot // of its frame
	Again   bool                         // the question was asked before, and its answer was too long
}

// defaultResults is how many results an answer has if not told otherwise.
const defaultResults = 10

// aimedResults is the same of a question that asks for a list of places outright.
const aimedResults = 50

// Ask answers query.
func (r *Router) Ask(ctx context.Context, q Query, in Setting) (*Answer, error) {
	if strings.TrimSpace(q.Query) == "" {
		return nil, problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param("query")).
			Or("search.for_example", msg.CallOf(op.Query, "query", "where are requests retried", "intent", "QUESTION"))
	}
	if n := len([]rune(q.Query)); n > maxQuery {
		return nil, problem.New(problem.InvalidArgument, "search.too_many_characters", msg.Param("query"), n, maxQuery).
			Or("planner.send_sentences_say_what_wanted")
	}
	quotes := extract(q.Query)
	intent, err := intentOf(q, in, quotes)
	if err != nil {
		return nil, err
	}
	aim := aimOf(q.Query, quotes, r.defined(ctx, q))
	standard := defaultResults
	if aim.Kind != NoAim {
		standard = aimedResults
	}
	w, err := r.e.Window(op.Query, &q, &q.Page, standard)
	if err != nil {
		return nil, err
	}
	slots, err := compose(q, in, quotes)
	if err != nil {
		return nil, err
	}
	own, err := compose(q, Setting{}, quotes) // without the session's
	if err != nil {
		return nil, err
	}
	names, err := r.named(ctx, q, own)
	if err != nil {
		return nil, err
	}
	plan := newPlan(intent, slots, names, aim)
	run := &run{
		ctx: ctx, p: r.p, x: r.x, e: r.e, q: q, asked: question.Analyse(q.Query), slots: own, aim: aim,
		frame: frameTerms(in), whole: gaps.Completeness{Complete: true},
	}
	if aim.Target != "" && !slices.Contains(names, aim.Target) && !pathLike.MatchString(aim.Target) {
		names = append([]string{aim.Target}, names...)
	}
	for _, n := range names {
		run.symbols = append(run.symbols, lookup{name: n})
	}
	if err := run.steps(plan); err != nil {
		return nil, fmt.Errorf("queryplan: %w", err)
	}
	if q.Cursor == "" && !in.Again {
		r.record(plan, q.Query, in.Session)
	}
	return run.answer(plan, w), nil
}

// maxQuery bounds a question, in characters.
const maxQuery = search.MaxQuestion

func intentOf(q Query, in Setting, quotes map[string]string) (string, error) {
	given := strings.ToUpper(strings.TrimSpace(q.Intent))
	switch {
	case slices.Contains(intents, given):
		return given, nil
	case given != "":
		return "", problem.New(problem.InvalidArgument, "problem.argument_has_value", msg.Param("intent"), q.Intent).
			Or("planner.send_leave_out", strings.Join(intents, ", "))
	}
	guess := guessIntent(q.Query, quotes)
	if slices.Contains(intents, in.Intent) && guess == Question && !asks.MatchString(q.Query) {
		return in.Intent, nil // the question itself does not say what it is for
	}
	return guess, nil
}

// frameTerms are the terms of a session's frame. Of results that are as good they put
// those first that the session is about.
func frameTerms(in Setting) []string {
	var list []string
	for _, name := range requestslots.SlotNames {
		list = append(list, terms.Query(in.Slots[name].Value)...)
	}
	return list
}

// Decide returns what would be decided about a request: the plan that Ask would
// follow, without carrying it out or noting it.
func (r *Router) Decide(ctx context.Context, query, intent string) (outcomelog.Decision, error) {
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	q := Query{Query: query, Intent: intent}
	slots, err := compose(q, Setting{}, extract(query))
	if err != nil {
		return outcomelog.Decision{}, err
	}
	names, err := r.named(ctx, q, slots)
	if err != nil {
		return outcomelog.Decision{}, err
	}
	aim := aimOf(query, extract(query), r.defined(ctx, q))
	return newPlan(intent, slots, names, aim).decision(query, "", r.now()), nil
}

func (r *Router) record(plan *Plan, query, session string) {
	if session == "" && !r.p.IsSetUp() {
		return // a question leaves no trace in a project that was not set up
	}
	if err := r.log.Decisions.Append(plan.decision(query, session, r.now())); err != nil {
		r.to.Warn("decision is not recorded", "err", err)
	}
}
