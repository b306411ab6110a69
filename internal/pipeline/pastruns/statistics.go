package pastruns

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"codeintel/internal/text"
)

// LeastCases is how many pipelines a share needs before it is stated, and LeastRuns
// how many completed ones an estimate does: of fewer, chance alone makes any figure.
const (
	LeastCases = 5
	LeastRuns  = 3
)

// A Spread is the distribution of a figure over the cases in which it is known.
type Spread struct {
	Cases  int   `json:"cases"`
	Median int64 `json:"median"`
	Least  int64 `json:"least"`
	Most   int64 `json:"most"`
}

// A Rate is in how many of some cases a thing happened.
type Rate struct {
	What  string   `json:"what"`
	Count int      `json:"count"`
	Of    int      `json:"of"`
	Share *float64 `json:"share,omitempty"` // nil: fewer than LeastCases
}

// PhaseStatistics is what a phase took in the pipelines that ran it, all its tasks
// and revisions together.
type PhaseStatistics struct {
	Phase      string `json:"phase"`
	Runs       int    `json:"runs"`
	Tokens     Spread `json:"tokens"`
	DurationMS Spread `json:"duration_ms"`
	Revisions  Spread `json:"revisions"`
}

// EffortStatistics is what pipelines of one effort took. The spreads are those of
// the completed ones.
type EffortStatistics struct {
	Effort     string            `json:"effort"`
	Completed  int               `json:"completed"`
	Abandoned  int               `json:"abandoned"`
	Tokens     Spread            `json:"tokens"`
	DurationMS Spread            `json:"duration_ms"` // the sum of all phases: time of work, not of waiting
	Revisions  Spread            `json:"revisions"`   // of work; repeated reviews are not counted
	Phases     []PhaseStatistics `json:"phases"`
	Rates      []Rate            `json:"rates"`
}

// Statistics is what the past pipelines took and how they went.
type Statistics struct {
	Completed int                `json:"completed"`
	Abandoned int                `json:"abandoned"`
	Rates     []Rate             `json:"rates"`
	Efforts   []EffortStatistics `json:"efforts"`
}

// An Estimate is what a run will probably take, as runs of its effort took it.
type Estimate struct {
	EffortStatistics
	Calls  Spread `json:"calls"` // runs of agents
	Enough bool   `json:"enough"`
	Reason string `json:"reason,omitempty"` // why there is no estimate
}

// Statistics counts all pipelines.
func (i *Index) Statistics() Statistics {
	efforts := make(map[string][]*Entry)
	var all []*Entry
	for n := range i.doc.Entries {
		e := &i.doc.Entries[n]
		all = append(all, e)
		efforts[e.Effort] = append(efforts[e.Effort], e)
	}
	s := Statistics{Efforts: []EffortStatistics{}, Rates: rates(all)}
	names := slices.Sorted(maps.Keys(efforts))
	for _, last := range []string{"S", "M", "L"} { // in the order of their size
		if at := slices.Index(names, last); at >= 0 {
			names = append(slices.Delete(names, at, at+1), last)
		}
	}
	for _, effort := range names {
		e := effortStatistics(effort, efforts[effort])
		s.Completed += e.Completed
		s.Abandoned += e.Abandoned
		s.Efforts = append(s.Efforts, e)
	}
	return s
}

// Estimate says what a run of the effort will probably take, from the runs whose branch
// is of a type ("" takes any). With fewer than LeastRuns completed runs it has only their
// number, and says why.
func (i *Index) Estimate(effort, branchType string) Estimate {
	var of []*Entry
	var calls []int64
	for n := range i.doc.Entries {
		e := &i.doc.Entries[n]
		if !strings.EqualFold(e.Effort, effort) || branchType != "" && !strings.HasPrefix(e.Branch, branchType+"/") {
			continue
		}
		of = append(of, e)
		if e.Status == Completed && len(e.Phases) > 0 {
			calls = append(calls, int64(len(e.Phases)))
		}
	}
	e := Estimate{EffortStatistics: effortStatistics(strings.ToUpper(effort), of), Calls: spread(calls)}
	e.Enough = e.Completed >= LeastRuns
	if !e.Enough {
		e.Reason = fmt.Sprintf("too little data: %s of effort %s; an estimate needs %d", completedRuns(e.Completed),
			e.Effort, LeastRuns)
		e.Calls, e.Tokens, e.DurationMS, e.Revisions, e.Phases = Spread{}, Spread{}, Spread{}, Spread{}, []PhaseStatistics{}
	}
	return e
}

func completedRuns(n int) string { return text.Counted(n, "completed run", "s") }

func effortStatistics(effort string, entries []*Entry) EffortStatistics {
	s := EffortStatistics{Effort: effort, Phases: []PhaseStatistics{}, Rates: rates(entries)}
	var whole []totals
	byPhase := make(map[string][]totals)
	var completed []*Entry
	for _, e := range entries {
		if e.Status != Completed {
			s.Abandoned++
			continue
		}
		s.Completed++
		completed = append(completed, e)
		var sum totals
		for _, t := range phaseTotals(e) {
			byPhase[t.phase] = append(byPhase[t.phase], t)
			sum.add(t)
		}
		if len(e.Phases) > 0 {
			sum.revisions = sum.redone
			whole = append(whole, sum)
		}
	}
	s.Tokens, s.DurationMS, s.Revisions = spreads(whole)
	for _, phase := range phaseOrder(completed) {
		p := PhaseStatistics{Phase: phase, Runs: len(byPhase[phase])}
		p.Tokens, p.DurationMS, p.Revisions = spreads(byPhase[phase])
		s.Phases = append(s.Phases, p)
	}
	return s
}

// totals is what a phase, or a pipeline, took. A sum of which a part is unknown is
// unknown.
type totals struct {
	phase             string
	tokens, duration  int64
	revisions, redone int64 // with reviews, and without
	noTokens, noClock bool
}

func (t *totals) add(o totals) {
	t.tokens, t.duration = t.tokens+o.tokens, t.duration+o.duration
	t.revisions, t.redone = t.revisions+o.revisions, t.redone+o.redone
	t.noTokens, t.noClock = t.noTokens || o.noTokens, t.noClock || o.noClock
}

// phaseTotals sums up the steps of an entry by phase, in the order in which phases
// were first reported. Steps that nobody measured, as a checkpoint, tell nothing of
// tokens and time; they do not make the sum of others unknown.
func phaseTotals(e *Entry) []totals {
	var all []totals
	place := make(map[string]int)
	for _, l := range e.Phases {
		at, ok := place[l.Phase]
		if !ok {
			at = len(all)
			place[l.Phase] = at
			all = append(all, totals{phase: l.Phase})
		}
		byAgent := l.Agent != "" || l.Model != "" || l.Tokens > 0
		t := totals{tokens: l.Tokens, duration: l.DurationMS, noTokens: byAgent && l.Tokens <= 0,
			noClock: byAgent && l.DurationMS <= 0}
		if l.Revision > 0 {
			t.revisions = 1
		}
		if l.redone() {
			t.redone = 1
		}
		all[at].add(t)
	}
	return all
}

func spreads(all []totals) (tokens, duration, revisions Spread) {
	var ts, ds, rs []int64
	for _, t := range all {
		if !t.noTokens && t.tokens > 0 {
			ts = append(ts, t.tokens)
		}
		if !t.noClock && t.duration > 0 {
			ds = append(ds, t.duration)
		}
		rs = append(rs, t.revisions)
	}
	return spread(ts), spread(ds), spread(rs)
}

// spread takes the mean of the two in the middle where they are two.
func spread(values []int64) Spread {
	n := len(values)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(values)
	low, high := values[(n-1)/2], values[n/2]
	return Spread{n, low + (high-low)/2, values[0], values[n-1]}
}

// phaseOrder returns the phases of all entries in the order in which they run: that
// of the entry with most of them, and the others behind those that came before them.
func phaseOrder(entries []*Entry) []string {
	ways := make([][]string, 0, len(entries))
	for _, e := range entries {
		var way []string
		for _, t := range phaseTotals(e) {
			way = append(way, t.phase)
		}
		ways = append(ways, way)
	}
	slices.SortFunc(ways, func(a, b []string) int { return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b)) })
	var order []string
	for _, way := range ways {
		at := 0
		for _, phase := range way {
			if had := slices.Index(order, phase); had >= 0 {
				at = had + 1
				continue
			}
			order = slices.Insert(order, at, phase)
			at++
		}
	}
	return order
}

// rates counts what went wrong, of how many cases each.
func rates(entries []*Entry) []Rate {
	abandoned := Rate{What: "abandoned", Of: len(entries)}
	critical := Rate{What: "with a CRITICAL finding"}
	judged := make(map[string]*Rate)
	var ended []*Entry
	for _, e := range entries {
		ended = append(ended, e)
		if e.Status == Abandoned {
			abandoned.Count++
		}
		first := make(map[string]string) // phase and task -> its first verdict
		for _, l := range e.Phases {
			if at := l.Phase + "\x00" + l.Task; l.Verdict != "" && first[at] == "" {
				first[at] = l.Verdict
				r := judged[l.Phase]
				if r == nil {
					r = &Rate{What: "not passed at first by " + l.Phase}
					judged[l.Phase] = r
				}
				r.Of++
				if !isPassing(l.Verdict) {
					r.Count++
				}
			}
		}
		if len(first) > 0 {
			critical.Of++
			if slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.Severity == Critical }) {
				critical.Count++
			}
		}
	}
	all := []Rate{abandoned, critical}
	for _, phase := range phaseOrder(ended) {
		if r := judged[phase]; r != nil {
			all = append(all, *r)
		}
	}
	for i := range all {
		if r := &all[i]; r.Of >= LeastCases {
			share := float64(r.Count) / float64(r.Of)
			r.Share = &share
		}
	}
	return all
}

// isPassing reports whether a verdict lets the work go on.
func isPassing(verdict string) bool {
	switch verdict {
	case "APPROVE", "APPROVE_WITH_NOTES", "PASS", "PASS_WITH_NOTES":
		return true
	}
	return false
}

// Text says it in a few lines and a table for each effort.
func (s Statistics) Text() string {
	if s.Completed+s.Abandoned == 0 {
		return "No pipeline has ended yet.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d abandoned\n", completedRuns(s.Completed), s.Abandoned)
	writeRates(&b, s.Rates)
	for _, e := range s.Efforts {
		fmt.Fprintf(&b, "\neffort %s: %s, %d abandoned\n", cmp.Or(e.Effort, "unknown"),
			completedRuns(e.Completed), e.Abandoned)
		writePhases(&b, e)
	}
	return b.String()
}

// Text says it in a few lines and a table, or why it cannot be said.
func (e Estimate) Text() string {
	var b strings.Builder
	if !e.Enough {
		fmt.Fprintf(&b, "No estimate, %s.\n", e.Reason)
	} else {
		fmt.Fprintf(&b, "Estimate for effort %s, from %s: median (least–most); durations are time of work\n", e.Effort,
			completedRuns(e.Completed))
		writePhases(&b, e.EffortStatistics)
	}
	writeRates(&b, e.Rates)
	return b.String()
}

func writeRates(b *strings.Builder, all []Rate) {
	for _, r := range all {
		if r.Of == 0 {
			continue
		}
		fmt.Fprintf(b, "%s: %d of %d", r.What, r.Count, r.Of)
		if r.Share != nil {
			fmt.Fprintf(b, " (%.0f%%)", *r.Share*100)
		} else {
			fmt.Fprintf(b, " (fewer than %d: no share)", LeastCases)
		}
		b.WriteByte('\n')
	}
}

func writePhases(b *strings.Builder, e EffortStatistics) {
	if len(e.Phases) == 0 {
		return
	}
	rows := [][]string{{"phase", "runs", "tokens", "duration", "revisions"}}
	row := func(phase string, runs int, tokens, duration, revisions Spread) {
		rows = append(rows, []string{phase, fmt.Sprint(runs), tokens.Text(), duration.text(clock), revisions.Text()})
	}
	for _, p := range e.Phases {
		row(p.Phase, p.Runs, p.Tokens, p.DurationMS, p.Revisions)
	}
	row("total", e.Completed, e.Tokens, e.DurationMS, e.Revisions)
	writeTable(b, rows)
}

// writeTable writes cells below each other: the first of each row to the left, figures to the right.
func writeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		fmt.Fprintf(b, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
}

func (s Spread) text(show func(int64) string) string {
	switch {
	case s.Cases == 0:
		return "-"
	case s.Least == s.Most:
		return show(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", show(s.Median), show(s.Least), show(s.Most))
}

// Text writes the median, and in parentheses the least and the most.
func (s Spread) Text() string { return s.text(text.Grouped) }

// Minutes writes milliseconds likewise, as minutes.
func (s Spread) Minutes() string {
	return s.text(func(ms int64) string { return text.Grouped((ms + 59_999) / 60_000) })
}

// Trouble says what went wrong in a pipeline: that it was abandoned, a phase that did not
// pass at first, a critical finding; "" if nothing did.
func (e *Entry) Trouble() string {
	var all []string
	if e.Status == Abandoned {
		all = append(all, cmp.Or("abandoned at "+e.Phase, "abandoned"))
	}
	for _, l := range e.Phases {
		if l.Verdict != "" && !isPassing(l.Verdict) {
			if said := l.Phase + " said " + l.Verdict; !slices.Contains(all, said) {
				all = append(all, said)
			}
		}
	}
	for _, f := range e.Findings {
		if f.Severity == Critical {
			all = append(all, f.Description)
			break
		}
	}
	return strings.Join(all, ", ")
}

// clock writes milliseconds as 0:45 or 1:02:03.
func clock(ms int64) string {
	s := (time.Duration(ms) * time.Millisecond).Round(time.Second) / time.Second
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
