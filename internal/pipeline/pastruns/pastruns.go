// Package pastruns keeps the history of finished pipelines, from which the next one gets estimates and
// lessons.
//
// Every pipeline that ends becomes an [Entry] of .specs/index.json: what was asked, what its
// reviews found, what got in its way, and how long each phase took. From these the package
// answers which pipelines were like a request, which findings recur, where agents lose time,
// and what a run will probably cost. It reports the past; it decides nothing.
//
// The file is in git and meant to be read: entries are sorted by name, so that two branches
// seldom add at the same place, keys have a fixed order, and each finding and each step is a
// line. Fields that this version does not know are preserved. A file that cannot be read is
// never overwritten: see [Rebuild].
package pastruns

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"codeintel/internal/text"
)

// A Status is how a pipeline ended.
type Status string

// The ends.
const (
	Completed Status = "completed"
	Abandoned Status = "abandoned"
)

// Severities of findings, the gravest first. Others count as MINOR.
const (
	Critical = "CRITICAL"
	Major    = "MAJOR"
	Minor    = "MINOR"
)

// Bounds on what an entry keeps, so that the file stays one that people read.
const (
	maxRequest   = 1000 // characters of the request
	maxText      = 400  // characters of any other text
	maxFindings  = 60
	maxFrictions = 20
	maxFiles     = 50
)

// An Entry is one pipeline that ended. Times are RFC 3339.
type Entry struct {
	SpecName    string     `json:"spec_name"`
	Workspace   string     `json:"workspace,omitempty"` // .specs/20260401-42-fix-auth-timeout
	Title       string     `json:"title,omitempty"`
	Status      Status     `json:"status"`
	Phase       string     `json:"phase,omitempty"` // where it was abandoned
	Effort      string     `json:"effort,omitempty"`
	SourceType  string     `json:"source_type,omitempty"`
	SourceURL   string     `json:"source_url,omitempty"`
	Branch      string     `json:"branch,omitempty"`
	PullRequest string     `json:"pull_request,omitempty"`
	Started     string     `json:"started,omitempty"`
	Ended       string     `json:"ended,omitempty"`
	Request     string     `json:"request,omitempty"` // what was asked; its beginning is kept
	Summary     string     `json:"summary,omitempty"` // what came of it, in a sentence or two
	Files       []string   `json:"files,omitempty"`   // that it changed
	Skipped     []string   `json:"skipped,omitempty"` // phases
	Findings    []Finding  `json:"findings,omitempty"`
	Frictions   []Friction `json:"frictions,omitempty"`
	Phases      []PhaseLog `json:"phases,omitempty"` // in the order they were reported

	extra extra
}

// A Finding is what a review found.
type Finding struct {
	Phase       string `json:"phase,omitempty"` // of the review
	Severity    string `json:"severity"`
	Description string `json:"description"`

	extra extra
}

// A Friction is what got in the way of agents, as improvement.md tells it.
type Friction struct {
	Text       string `json:"friction"`
	Suggestion string `json:"suggestion,omitempty"`

	extra extra
}

// A PhaseLog is one report of a phase. A phase that ran again, or that ran for
// several tasks, has several. Tokens and durations of 0 are unknown ones.
type PhaseLog struct {
	Phase      string `json:"phase"`
	Task       string `json:"task,omitempty"`
	Agent      string `json:"agent,omitempty"`
	Model      string `json:"model,omitempty"`
	Started    string `json:"started,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	Tokens     int64  `json:"tokens,omitempty"`
	Verdict    string `json:"verdict,omitempty"`
	Revision   int    `json:"revision,omitempty"` // 0: the first run; 1: the first that repeats it

	extra extra
}

// Key is what tells entries apart: the folder of the workspace, which bears the day
// and the spec's name, or without one the spec's name. Two pipelines of one name on
// different days are two.
func (e *Entry) Key() string {
	if e.Workspace == "" {
		return e.SpecName
	}
	return path.Base(strings.ReplaceAll(e.Workspace, `\`, "/"))
}

func (e *Entry) ended() bool { return e.Status == Completed || e.Status == Abandoned }

// redone reports whether the step is work that was done again. A review that was
// repeated because of it is not counted as well.
func (l PhaseLog) redone() bool { return l.Revision > 0 && l.Verdict == "" }

// bounded returns the entry as it is kept: texts in one line, lists cut to size.
func (e Entry) bounded() Entry {
	e.Title, e.Request, e.Summary = clip(e.Title, maxText), clip(e.Request, maxRequest), clip(e.Summary, maxText)
	e.Files = slices.Compact(slices.Sorted(slices.Values(e.Files)))
	e.Files = e.Files[:min(len(e.Files), maxFiles)]
	e.Findings = slices.Clone(e.Findings)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.Severity, f.Description = strings.ToUpper(strings.TrimSpace(f.Severity)), clip(f.Description, maxText)
	}
	e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool { return f.Description == "" })
	if len(e.Findings) > maxFindings {
		slices.SortStableFunc(e.Findings, func(a, b Finding) int {
			return cmp.Compare(weight(b.Severity), weight(a.Severity))
		})
		e.Findings = e.Findings[:maxFindings]
	}
	e.Frictions = slices.Clone(e.Frictions)
	for i := range e.Frictions {
		f := &e.Frictions[i]
		f.Text, f.Suggestion = clip(f.Text, maxText), clip(f.Suggestion, maxText)
	}
	e.Frictions = slices.DeleteFunc(e.Frictions, func(f Friction) bool { return f.Text == "" })
	e.Frictions = e.Frictions[:min(len(e.Frictions), maxFrictions)]
	return e
}

// weight is how much a severity counts.
func weight(severity string) int {
	switch severity {
	case Critical:
		return 4
	case Major:
		return 2
	}
	return 1
}

// clip puts a text into one line of at most n characters.
func clip(said string, n int) string {
	return text.Clip(text.OneLine(strings.ToValidUTF8(said, "\uFFFD")), n)
}

// name is what an entry is called before people.
func (e *Entry) name() string { return cmp.Or(e.Title, e.SpecName, e.Key()) }
