package answer

import (
	"cmp"
	"fmt"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
)

// A Write says of each file whether it may be written.
type Write struct {
	Allowed bool          `json:"allowed" jsonschema:"all of the files may be written"`
	Files   []WriteTarget `json:"files"`
}

// A WriteTarget is the decision on one file.
type WriteTarget struct {
	File    string       `json:"file"`
	Allowed bool         `json:"allowed"`
	Code    problem.Code `json:"code,omitempty" jsonschema:"that of a refusal for the same reason"`
	Reason  msg.Message  `json:"reason,omitzero"`
	Next    msg.Message  `json:"next,omitzero"`
	Lines   string       `json:"lines,omitempty" jsonschema:"the first lines of a file that search tools do not list"`

	Ways []msg.Message `json:"-"` // what may be done next, of which Next is made
}

// After returns the decision without what was said in the same words of a file before: its code says why.
func (t WriteTarget) After(before []WriteTarget) WriteTarget {
	for _, b := range before {
		if b.Code == "" || b.Code != t.Code {
			continue
		}
		if b.Reason.String() == t.Reason.String() {
			t.Reason = msg.Message{}
		}
		if b.Next.String() == t.Next.String() {
			t.Next = msg.Message{}
		}
	}
	return t
}

// Text gives the answer in a line for each file.
func (a *Write) Text() string {
	var lines []string
	for _, f := range a.Files {
		verdict := "allowed"
		if !f.Allowed {
			why := strings.TrimSuffix(suffixed(string(f.Code), ": ")+f.Reason.String(), ": ")
			verdict = "not allowed: " + why + prefixed(" Next: ", f.Next.String())
		}
		lines = append(lines, f.File+": "+verdict)
		if f.Lines != "" {
			lines = append(lines, f.Lines)
		}
	}
	return strings.Join(lines, "\n")
}

// Observed says which lines were shown.
func (a *Write) Observed() (f shown.Facts) {
	for _, t := range a.Files {
		if t.Lines != "" {
			end := strings.Count(strings.TrimSuffix(t.Lines, "\n"), "\n") + 1
			f.Lines = append(f.Lines, shown.Lines{File: t.File, Start: 1, End: end})
		}
	}
	return f
}

// A Files lists the explored files.
type Files struct {
	Added    []string `json:"added"`
	Explored []string `json:"explored_files"`
}

// Text lists the files.
func (a *Files) Text() string {
	return fmt.Sprintf("added: %s\nexplored: %s", msg.Join("", OrNone(a.Added)), msg.Join("", OrNone(a.Explored)))
}

// A Cleanup lists what was done, and what was there.
type Cleanup struct {
	Action   string   `json:"action"`
	Branches []string `json:"branches"`
}

// Text says it in a line.
func (a *Cleanup) Text() string {
	return fmt.Sprintf("%s: %s", a.Action, msg.Join("", OrNone(a.Branches)))
}

// A Context says what context.yml now holds.
type Context struct {
	Source  string `json:"source" jsonschema:"the document that the summary was made from"`
	Hash    string `json:"content_hash"`
	Summary string `json:"project_rules_summary"`
}

// Text says it in a line.
func (a *Context) Text() string {
	return "context.yml now holds the summary of " + a.Source + ":\n" + a.Summary
}

// A Confirm says what holds from the next submission on.
type Confirm struct {
	Phase  string `json:"phase"`
	Choice string `json:"choice"`
}

// Text says it in a line.
func (a *Confirm) Text() string {
	return msg.New("session.phase_and_choice", a.Phase, a.Choice, op.SubmitPhase).String()
}

// A Review is one page of the change since the base commit.
type Review struct {
	Changed    int          `json:"changed_files" jsonschema:"how many files the change contains"`
	Files      []ReviewFile `json:"files,omitempty" jsonschema:"the changed files, on the first page; if there are very many, only the first"`
	Diff       string       `json:"diff"`
	Page       int          `json:"page" jsonschema:"from 1"`
	Pages      int          `json:"pages"`
	NextCursor string       `json:"next_cursor,omitempty" jsonschema:"call again with it; empty when every page was delivered"`
	Delivered  bool         `json:"all_pages_delivered"`

	Warnings []msg.Message `json:"warnings,omitempty" jsonschema:"what must have a reason in reviewed_files, on the first page"`
}

// Text gives the page.
func (a *Review) Text() string {
	var b strings.Builder
	for _, f := range a.Files {
		fmt.Fprintf(&b, "%s %s%s\n", f.Status, f.Path, prefixed(" <- ", f.OldPath))
	}
	for _, w := range a.Warnings {
		fmt.Fprintf(&b, "%s\n", w)
	}
	fmt.Fprintf(&b, "page %d of %d\n%s", a.Page, a.Pages, a.Diff)
	if a.NextCursor != "" {
		fmt.Fprintf(&b, "\nnext: %s", msg.CallOf(op.ReviewChanges, "cursor", a.NextCursor))
	}
	return b.String()
}

// A ReviewFile is a changed file in one line.
type ReviewFile struct {
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"`
	Status  string `json:"status"`
	Binary  bool   `json:"binary,omitempty"`
}

// An Outcome says what was recorded.
type Outcome struct {
	SessionID  string            `json:"session_id,omitempty"`
	Outcome    outcomelog.Result `json:"outcome"`
	Phase      string            `json:"phase_at_outcome,omitempty"`
	Agreements []string          `json:"agreements,omitempty"`
}

// Text says it in a line.
func (a *Outcome) Text() string {
	s := fmt.Sprintf("recorded: %s, %s", cmp.Or(a.SessionID, "no session"), a.Outcome)
	if len(a.Agreements) > 0 {
		s += map[outcomelog.Result]string{
			outcomelog.Success: "; ranked up: ", outcomelog.Partial: "; counts for less: ", outcomelog.Failure: "; left the Map: ",
		}[a.Outcome] + strings.Join(a.Agreements, ", ")
	}
	return s
}

// A Stats is the analysis of one session, or what the last ones have in
// common.
type Stats struct {
	*outcomelog.SessionAnalysis
	*outcomelog.Insights
}

// Text says it in a few lines.
func (a *Stats) Text() string {
	if a.SessionAnalysis != nil {
		return a.SessionAnalysis.Text()
	}
	return a.Insights.Text()
}

func OrNone(list []string) any {
	if len(list) == 0 {
		return msg.New("session.none")
	}
	return list
}
