// Package filehistory explains why a file or a line is as it is: which commits changed it, their subjects,
// and what else they changed.
//
// Answers come from the objects of the local repository. The only personal data in them is the
// author's name.
package filehistory

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"codeintel/internal/audit/shown"
	"codeintel/internal/commitlog"
	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
)

// Query asks for the history of a file, or of a line of it.
type Query struct {
	FilePath string `json:"file_path" jsonschema:"Path"`
	Line     int    `json:"line,omitempty" jsonschema:"From 1: why this line is as it is"`
	Limit    int    `json:"limit,omitempty" jsonschema:"Commits, 1 to 20; default 5"`
}

// Limits of an answer.
const (
	defaultCommits  = 5
	maxCommits      = 20
	namedFiles      = 5     // other files of a commit
	maxNamed        = 8_000 // characters of all of them
	maxSubject      = 200   // characters
	maxTogether     = 5
	minHabitCommits = 2 // commits that make a habit
	idLength        = 12
)

// Answer is the history of a file or a line.
type Answer struct {
	File     string    `json:"file"`
	Line     int       `json:"line,omitempty"`
	Function *Function `json:"function,omitempty" jsonschema:"The innermost function around the line"`
	Last     *Commit   `json:"last,omitempty" jsonschema:"The commit that last changed the line"`
	Commits  []Commit  `json:"commits" jsonschema:"Newest first: of the file; with a line, earlier ones of its function"`
	// Of a file alone.
	Total    int        `json:"total,omitempty" jsonschema:"How many commits changed the file, of those that were read"`
	Together []Together `json:"together,omitempty" jsonschema:"Files that changed most often in the same commits"`
	search.Remarks
}

// A Function is where a function is now.
type Function struct {
	Name      string `json:"name"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
}

// A Commit is one that changed the file.
type Commit struct {
	ID      string   `json:"commit"`
	Date    string   `json:"date"`
	Author  string   `json:"author"`
	Subject string   `json:"subject"`
	Files   []string `json:"other_files,omitempty" jsonschema:"The first other files that it changed"`
	Others  int      `json:"others" jsonschema:"How many other files it changed"`
}

// Together is how often another file changed with the file.
type Together struct {
	File     string `json:"file"`
	Together int    `json:"together"`
	Changes  int    `json:"changes" jsonschema:"Of so many changes of the file; commits of very many files do not count"`
}

// An Explainer answers for one project. It is safe for concurrent use.
type Explainer struct {
	p    *project.Project
	e    *search.Engine
	past *commitlog.Reader
}

// New returns a Teller over a project, its search and its history.
func New(p *project.Project, e *search.Engine, past *commitlog.Reader) *Explainer {
	return &Explainer{p: p, e: e, past: past}
}

// Explain answers a question.
func (t *Explainer) Explain(ctx context.Context, q Query) (*Answer, error) {
	rel, err := t.check(&q)
	if err != nil {
		return nil, err
	}
	l, err := t.past.Log(ctx)
	if err != nil {
		return nil, err
	}
	a := &Answer{File: rel, Line: q.Line, Commits: []Commit{}}
	a.Complete = l.Unread == 0
	if !a.Complete {
		a.Missing = []gaps.Gap{{Reason: msg.New("search.gap_commits", l.Unread)}}
	}
	if l.Absence != commitlog.Present {
		a.Note(l.Absence.Message())
	}
	now, err := files.Read(t.p, rel)
	if err != nil {
		return t.answerUnreadable(ctx, q, l, a, err)
	}
	if q.Line == 0 {
		return a, t.file(ctx, q, l, a)
	}
	if n := lineCount(now.Bytes); q.Line > n {
		p := problem.New(problem.InvalidArgument, "search.line_but_lines", msg.Param("line"), q.Line, rel, n)
		if n == 0 {
			return nil, p.Or("search.for_example", msg.CallOf(op.FileHistory, "file_path", rel))
		}
		return nil, p.Or("search.for_example", msg.CallOf(op.FileHistory, "file_path", rel, "line", n))
	}
	return a, t.line(ctx, q, l, a, now.Bytes)
}

func lineCount(b []byte) int {
	n := strings.Count(string(b), "\n")
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// check refuses what cannot be asked, and returns the file's path in the project.
func (t *Explainer) check(q *Query) (string, error) {
	example := msg.CallOf(op.FileHistory, "file_path", "internal/server.go", "line", 42)
	if strings.TrimSpace(q.FilePath) == "" {
		return "", problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param("file_path")).
			Or("search.for_example", example)
	}
	if q.Line < 0 {
		return "", problem.New(problem.InvalidArgument, "search.line_lines_counted_from", msg.Param("line"), q.Line).
			Or("search.for_example", example)
	}
	if q.Limit < 0 || q.Limit > maxCommits {
		return "", problem.New(problem.InvalidArgument, "search.must_be_between", msg.Param("limit"), q.Limit, 1, maxCommits).
			Or("search.for_example", example)
	}
	if q.Limit == 0 {
		q.Limit = defaultCommits
	}
	return t.p.Resolve(q.FilePath)
}

// answerUnreadable answers for a file that cannot be read: it may be deleted, or binary.
func (t *Explainer) answerUnreadable(ctx context.Context, q Query, l *commitlog.Log, a *Answer,
	why error) (*Answer, error) {
	info, err := os.Lstat(t.p.Abs(a.File))
	if len(l.Changes(a.File)) > 0 && (err != nil || info.Mode().IsRegular()) && q.Line == 0 {
		if err != nil {
			a.Note(msg.New("filehistory.deleted", a.File))
		}
		return a, t.file(ctx, q, l, a)
	}
	if err == nil {
		return nil, why
	}
	list, err := files.List(ctx, t.p)
	if err != nil {
		return nil, fmt.Errorf("file history: list files: %w", err)
	}
	return nil, search.NoPath(a.File, list)
}

// file describes a whole file.
func (t *Explainer) file(ctx context.Context, q Query, l *commitlog.Log, a *Answer) error {
	changes := l.Changes(a.File)
	a.Total = len(changes)
	switch {
	case l.Absence != commitlog.Present:
	case len(changes) == 0 && a.Complete && !l.Shallow && !l.More:
		a.Note(msg.New("filehistory.file_not_committed", a.File))
	case l.Shallow:
		a.Note(msg.New("filehistory.clone_shallow"))
	case l.More:
		a.Note(msg.New("filehistory.only_newest", commitlog.Window))
	}
	var ids []string
	for _, c := range changes[:min(q.Limit, len(changes))] {
		ids = append(ids, c.ID)
	}
	var err error
	if a.Commits, err = t.commits(ctx, l, a.File, ids); err != nil {
		return err
	}
	there := func(file string) bool {
		info, err := os.Lstat(t.p.Abs(file))
		return err == nil && info.Mode().IsRegular()
	}
	for _, c := range l.Together([]string{a.File}, there) {
		if c.Together >= minHabitCommits && len(a.Together) < maxTogether {
			a.Together = append(a.Together, Together{c.File, c.Together, c.Changes})
		}
	}
	return nil
}

// line describes a line: the commit that last changed it, and those that changed the
// function around it before.
func (t *Explainer) line(ctx context.Context, q Query, l *commitlog.Log, a *Answer, now []byte) error {
	lines, err := l.LineHistory(ctx, a.File, now)
	if err != nil {
		return err
	}
	if !lines.Tracked() {
		if l.Absence == commitlog.Present {
			a.Note(msg.New("filehistory.file_not_committed", a.File))
		}
		return nil
	}
	origin, err := lines.Origin(ctx, q.Line)
	if err != nil {
		return err
	}
	first, last := q.Line, q.Line
	around, err := t.e.FunctionAt(ctx, search.FunctionAtQuery{FilePath: a.File, Line: q.Line})
	switch {
	case problem.Of(err) != nil: // not a file that has functions
	case err != nil:
		return err
	case around.Function != nil:
		f := around.Function
		a.Function = &Function{text.Dotted(f.Scope, f.Name), f.StartLine, f.EndLine}
		first, last = f.StartLine, f.EndLine
	}
	if a.Function == nil {
		a.Note(msg.New("filehistory.function_not_found", q.Line))
	}
	if origin.Commit == "" {
		a.Note(msg.New("filehistory.line_not_committed", q.Line))
	} else {
		own, err := t.commits(ctx, l, a.File, []string{origin.Commit}, origin.Path)
		if err != nil {
			return err
		}
		a.Last = &own[0]
		switch {
		case origin.Edge && l.Shallow:
			a.Note(msg.New("filehistory.clone_ends", a.Last.ID))
		case origin.Edge:
			a.Note(msg.New("filehistory.depth_reached", commitlog.Depth))
		case origin.Merge:
			a.Note(msg.New("filehistory.merge"))
		}
	}
	ids, err := lines.Changed(ctx, first, last, q.Limit+1)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == origin.Commit })
	a.Commits, err = t.commits(ctx, l, a.File, ids[:min(q.Limit, len(ids))])
	return err
}

// commits describes commits that changed a file, which may have other names, too.
func (t *Explainer) commits(ctx context.Context, l *commitlog.Log, file string, ids []string,
	names ...string) ([]Commit, error) {
	described, err := l.Describe(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Commit, len(described))
	left := maxNamed
	for i, d := range described {
		c := Commit{
			ID: d.ID[:min(idLength, len(d.ID))], Author: quote.Text(text.OneLine(d.Author)),
			Subject: quote.Text(text.Clip(text.OneLine(d.Subject), maxSubject)),
			Date:    time.Unix(d.Time, 0).In(time.FixedZone("", d.Zone)).Format(time.DateOnly),
			Others:  max(d.Total-1, 0),
		}
		for _, f := range d.Files {
			if f == file || slices.Contains(names, f) || len(c.Files) == namedFiles || left < len(f) {
				continue
			}
			left -= len(f)
			c.Files = append(c.Files, f)
		}
		list[i] = c
	}
	return list, nil
}

// Text gives the answer for people and models.
func (a *Answer) Text() string {
	var b strings.Builder
	commit := func(c *Commit) {
		fmt.Fprintf(&b, "  %s %s %s: %s\n", c.ID, c.Date, c.Author, c.Subject)
		if c.Others > 0 {
			fmt.Fprintf(&b, "    %s", text.Counted(c.Others, "other file", "s"))
			if len(c.Files) > 0 {
				fmt.Fprintf(&b, ": %s", strings.Join(c.Files, ", "))
			}
			if n := c.Others - len(c.Files); n > 0 && len(c.Files) > 0 {
				fmt.Fprintf(&b, " and %d more", n)
			}
			b.WriteByte('\n')
		}
	}
	switch {
	case a.Line == 0:
		fmt.Fprintf(&b, "%s: %s\n", a.File, a.Counted(a.Total, "commit", "s"))
	case a.Last != nil:
		fmt.Fprintf(&b, "%s:%d was last changed by\n", a.File, a.Line)
		commit(a.Last)
	default:
		fmt.Fprintf(&b, "%s:%d\n", a.File, a.Line)
	}
	if f := a.Function; f != nil && len(a.Commits) > 0 {
		fmt.Fprintf(&b, "other changes of %s (lines %d-%d):\n", f.Name, f.StartLine, f.EndLine)
	} else if f != nil {
		fmt.Fprintf(&b, "in %s (lines %d-%d), which nothing else has changed\n", f.Name, f.StartLine, f.EndLine)
	} else if a.Line > 0 && len(a.Commits) > 0 {
		b.WriteString("earlier changes of the line:\n")
	}
	for i := range a.Commits {
		commit(&a.Commits[i])
	}
	if len(a.Together) > 0 {
		b.WriteString("changed together with it:\n")
	}
	for _, t := range a.Together {
		fmt.Fprintf(&b, "  %s: %d of %d times\n", t.File, t.Together, t.Changes)
	}
	return b.String() + search.Coverage{Remarks: a.Remarks}.Text()
}

// Observed says which file was asked about; no code was shown.
func (a *Answer) Observed() shown.Facts {
	return shown.Facts{Asked: []string{a.File}, Empty: a.Last == nil && len(a.Commits) == 0}
}
