package queryplan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/terms"
)

// Answer is what the tools of a plan say together.
type Answer struct {
	Query        string   `json:"query"`
	Plan         *Plan    `json:"plan"`
	Results      []Result `json:"results" jsonschema:"Best first; a place that several tools found is one result"`
	ShortCircuit bool     `json:"short_circuit" jsonschema:"True when agreements answered and the code was not searched by meaning"`
	search.Coverage
}

// A Result is a place in the code that answers the question.
type Result struct {
	File      string      `json:"file"`
	StartLine int         `json:"start_line"`
	EndLine   int         `json:"end_line"`
	Symbol    string      `json:"symbol,omitempty"`
	Kind      syntax.Kind `json:"kind,omitempty"`
	Signature string      `json:"signature,omitempty"`
	ChunkID   string      `json:"chunk_id,omitempty"`
	Score     float64     `json:"score" jsonschema:"Comparable within this answer only"`
	Tools     []string    `json:"tools" jsonschema:"Which tools found it"`
	Reasons   []string    `json:"reasons,omitempty"`
	Snippet   string      `json:"snippet,omitempty"`
	Matches   []Line      `json:"matches,omitempty" jsonschema:"Lines in it that mention what was asked"`

	snippetAt int                // the line that the snippet begins with
	whole     bool               // all of the snippet is shown
	framed    int                // how many terms of the session's frame it has
	by        map[string]float64 // the best score of each tool
}

// A Line is one line of a file.
type Line struct {
	Line    int    `json:"line"`
	Content string `json:"content"`
	Caller  string `json:"caller,omitempty" jsonschema:"The function around it, where it is a reference"`
}

// How much each kind of finding counts. Reciprocal ranks are added up, after
// Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (2009), whose constant
// fusionRank is; the weights order the kinds: what the question names and what
// was agreed before what resembles it, and that before what mentions it.
const (
	fusionRank       = 60
	weightMap        = 2.0
	weightDefinition = 1.6
	weightForest     = 1.0
	weightText       = 0.5
	weightReference  = 0.5
	weightOutline    = 0.3
)

// Bounds of one result.
const (
	shownMatches = 5
	snippetLines = 14
)

// merged are results, each place once.
type merged struct{ list []*Result }

// add takes in a finding of a tool at a rank, counted from 0. One that overlaps a
// result of the same file speaks for that one.
func (m *merged) add(r Result, tool string, weight float64, rank int) {
	r.Tools, r.by = []string{tool}, map[string]float64{tool: weight / float64(fusionRank+rank)}
	for _, have := range m.list {
		if have.File != r.File || have.StartLine > r.EndLine || r.StartLine > have.EndLine || !joins(have, &r) {
			continue
		}
		have.merge(&r)
		return
	}
	m.list = append(m.list, &r)
}

// joins reports whether two overlapping places are one result: the same symbol,
// or lines within a piece of code. A method is no part of the class in this sense.
func joins(a, b *Result) bool {
	return a.Symbol == b.Symbol || a.Symbol == "" || b.Symbol == ""
}

func (r *Result) merge(o *Result) {
	for tool, score := range o.by {
		r.by[tool] = max(r.by[tool], score)
	}
	for _, t := range o.Tools {
		if !slices.Contains(r.Tools, t) {
			r.Tools = append(r.Tools, t)
		}
	}
	for _, why := range o.Reasons {
		if !slices.Contains(r.Reasons, why) {
			r.Reasons = append(r.Reasons, why)
		}
	}
	r.Matches = append(r.Matches, o.Matches...)
	if r.Symbol == "" && o.Symbol != "" { // a line turns out to be of a symbol
		r.Symbol, r.Kind, r.Signature = o.Symbol, o.Kind, o.Signature
		r.StartLine, r.EndLine = min(r.StartLine, o.StartLine), max(r.EndLine, o.EndLine)
	}
	if r.Snippet == "" && o.Snippet != "" {
		r.Snippet, r.snippetAt = o.Snippet, o.snippetAt
	}
	r.ChunkID = cmp.Or(r.ChunkID, o.ChunkID)
}

// sorted returns the results, best first, each within its bounds.
func (m *merged) sorted(frame []string) []*Result {
	for _, r := range m.list {
		r.framed = sharedTerms(frame, r.File+" "+r.Symbol)
		for _, tool := range r.Tools { // in this order, for sums of floats are not the same in any
			r.Score += r.by[tool]
		}
	}
	slices.SortStableFunc(m.list, func(a, b *Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.framed-a.framed, strings.Compare(a.File, b.File),
			a.StartLine-b.StartLine)
	})
	for _, r := range m.list {
		r.Score = math.Round(r.Score*1e5) / 1e5
		if lines := strings.SplitAfter(r.Snippet, "\n"); len(lines) > snippetLines && !r.whole {
			r.Snippet = strings.Join(lines[:snippetLines], "")
		}
		slices.SortFunc(r.Matches, func(a, b Line) int {
			return cmp.Or(a.Line-b.Line, -cmp.Compare(len(a.Caller), len(b.Caller)))
		})
		r.Matches = slices.CompactFunc(r.Matches, func(a, b Line) bool { return a.Line == b.Line })
		r.Matches = r.Matches[:min(len(r.Matches), shownMatches)]
	}
	return m.list
}

// sharedTerms returns how many of the terms a text has.
func sharedTerms(list []string, text string) int {
	n := 0
	if len(list) > 0 {
		for _, t := range terms.Query(text) {
			if slices.Contains(list, t) {
				n++
			}
		}
	}
	return n
}

// answer makes the page that is wanted.
func (r *run) answer(p *Plan, w search.Window) *Answer {
	all := r.found.sorted(r.frame)
	a := &Answer{Query: r.q.Query, Plan: p, ShortCircuit: r.short}
	a.Results, a.Coverage = search.Paged(len(all), w, func(i int) Result { return *all[i] })
	if p.Aim == NoAim && p.Intent != Question { // work needs what a question does not
		for _, s := range p.MissingSlots {
			a.Notes = append(a.Notes, msg.New("planner.not_said", s))
		}
	}
	a.Notes = append(a.Notes, r.notes...)
	switch {
	case len(all) == 0:
		a.Notes = append(a.Notes, msg.New("planner.nothing_found"))
	case p.Aim == NoAim && !r.weak && w.Offset() == 0: // it wants understanding
		a.Notes = append(a.Notes, msg.New("planner.explore", op.Explore))
	}
	a.Freshness, a.Completeness = r.fresh, r.whole
	return a
}

// lastShown returns the last line that the snippet shows.
func (r *Result) lastShown() int {
	if r.Snippet == "" {
		return 0
	}
	return r.snippetAt + strings.Count(strings.TrimSuffix(r.Snippet, "\n"), "\n")
}

// Text gives the answer for people and models: what was asked of which tool, and the
// places by file, those of the best file first.
func (a *Answer) Text() string {
	var b strings.Builder
	b.WriteString(a.Counted(a.Total, "result", "s"))
	mark := ": "
	for _, s := range a.Plan.Steps {
		if s.Outcome == Skipped {
			continue
		}
		b.WriteString(mark + s.Tool)
		mark = ", "
		if s.Args != "" && s.Args != a.Query {
			fmt.Fprintf(&b, " %s", s.Args)
		}
		switch s.Outcome {
		case Done:
			if s.Found != a.Total {
				fmt.Fprintf(&b, " (%d)", s.Found)
			}
		case Failed:
			fmt.Fprintf(&b, " (failed: %s)", s.Reason)
		default:
			b.WriteString(" (none)")
		}
	}
	b.WriteByte('\n')
	var files []string
	of := map[string][]*Result{}
	for i := range a.Results {
		r := &a.Results[i]
		if of[r.File] == nil {
			files = append(files, r.File)
		}
		of[r.File] = append(of[r.File], r)
	}
	for _, f := range files {
		b.WriteString(f + "\n")
		for _, r := range of[f] {
			r.write(&b)
		}
	}
	return b.String() + a.Coverage.Text()
}

// write writes a result below the name of its file.
func (r *Result) write(b *strings.Builder) {
	switch {
	case r.Symbol != "" || r.Kind != "":
		fmt.Fprintf(b, "  %s %s\n", text.LineRange(r.StartLine, r.EndLine), strings.TrimSpace(string(r.Kind)+" "+r.Symbol))
	case len(r.Matches) == 0 && r.StartLine > 0 && r.Snippet == "":
		fmt.Fprintf(b, "  %s %s\n", text.LineRange(r.StartLine, r.EndLine), strings.Join(r.Reasons, ", "))
	}
	if r.Snippet != "" {
		for i, l := range strings.Split(strings.TrimSuffix(r.Snippet, "\n"), "\n") {
			fmt.Fprintf(b, "%5d  %s\n", r.snippetAt+i, l)
		}
	} else if r.Signature != "" {
		fmt.Fprintf(b, "  %s\n", r.Signature)
	}
	for _, m := range r.Matches {
		if m.Line < r.snippetAt || m.Line > r.lastShown() {
			fmt.Fprintf(b, "%5d  %s", m.Line, m.Content)
			if m.Caller != "" {
				fmt.Fprintf(b, "  (in %s)", m.Caller)
			}
			b.WriteByte('\n')
		}
	}
}

// Observed says which lines, definitions and callers the answer shows.
func (a *Answer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Query}, Empty: a.Total == 0}
	for i := range a.Results {
		r := &a.Results[i]
		if last := r.lastShown(); last >= r.snippetAt && r.Snippet != "" {
			f.Lines = append(f.Lines, shown.Lines{File: r.File, Start: r.snippetAt, End: last})
		}
		if r.Kind != "" && (r.Snippet != "" || r.Signature != "") {
			f.Definitions = append(f.Definitions, r.Symbol)
			if r.Snippet == "" {
				f.Lines = append(f.Lines, shown.Lines{File: r.File, Start: r.StartLine, End: r.StartLine})
			}
		}
		for _, m := range r.Matches {
			f.Lines = append(f.Lines, shown.Lines{File: r.File, Start: m.Line, End: m.Line})
			if m.Caller != "" {
				f.Callers = append(f.Callers, m.Caller)
			}
		}
	}
	if !f.Empty {
		f.Patterns = []string{a.Query}
	}
	for _, list := range []*[]string{&f.Definitions, &f.Callers} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}
