package history

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Timeline writes a run as a plain table, its steps in order and their total below,
// in which revisions are those of work, not of reviews. It also serves for a run that
// has not ended. Times are told in the given zone.
func Timeline(e Entry, zone *time.Location) string {
	var b strings.Builder
	b.WriteString(e.name() + "\n")
	var facts []string
	for _, f := range []struct{ label, value string }{
		{"effort ", e.Effort}, {"", string(e.Status)}, {"at ", e.Phase}, {"branch ", e.Branch}, {"", e.Workspace}, {"", e.PullRequest},
	} {
		if f.value != "" {
			facts = append(facts, f.label+f.value)
		}
	}
	if len(facts) > 0 {
		b.WriteString(strings.Join(facts, ", ") + "\n")
	}
	if len(e.Phases) == 0 {
		b.WriteString("No phase is reported yet.\n")
		return b.String()
	}
	t := newTable("phase", "agent/model", "start", "duration>", "tokens>", "verdict", "revision>")
	var tokens, duration, revisions int64
	for _, l := range e.Phases {
		phase, revision := l.Phase, ""
		if l.Task != "" {
			phase += " task " + l.Task
		}
		if l.Revision > 0 {
			revision = fmt.Sprint(l.Revision)
		}
		if l.redone() {
			revisions++
		}
		t.row(phase, who(l), start(l.Started, zone), known(l.DurationMS, clock), known(l.Tokens, grouped), cmp.Or(l.Verdict, "-"), cmp.Or(revision, "-"))
		tokens, duration = tokens+max(0, l.Tokens), duration+max(0, l.DurationMS)
	}
	steps := "1 step"
	if n := len(e.Phases); n != 1 {
		steps = fmt.Sprintf("%d steps", n)
	}
	elapsed := ""
	if from, to := moment(e.Started), moment(e.Ended); !from.IsZero() && to.After(from) {
		elapsed = "elapsed " + clock(to.Sub(from).Milliseconds())
	}
	t.row("total", steps, elapsed, known(duration, clock), known(tokens, grouped), "", grouped(revisions))
	t.write(&b)
	if len(e.Skipped) > 0 {
		b.WriteString("skipped: " + strings.Join(e.Skipped, ", ") + "\n")
	}
	return b.String()
}

func who(l PhaseLog) string {
	switch {
	case l.Agent == "" && l.Model == "":
		return "-"
	case l.Model == "":
		return l.Agent
	}
	return cmp.Or(l.Agent, "-") + "/" + l.Model
}

func start(stamp string, zone *time.Location) string {
	t := moment(stamp)
	if t.IsZero() {
		return "-"
	}
	return t.In(zone).Format("2006-01-02 15:04:05")
}

func known(n int64, show func(int64) string) string {
	if n <= 0 {
		return "-"
	}
	return show(n)
}

// A table is lines of cells below a head. A head that ends in ">" has its column to
// the right.
type table struct {
	right []bool
	rows  [][]string
}

func newTable(heads ...string) *table {
	t := &table{}
	for i, h := range heads {
		t.right = append(t.right, strings.HasSuffix(h, ">"))
		heads[i] = strings.TrimSuffix(h, ">")
	}
	t.row(heads...)
	return t
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(b *strings.Builder) {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-columns(cell))
			if t.right[i] {
				line.WriteString(space + cell + "  ")
			} else {
				line.WriteString(cell + space + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// columns is how wide a text is on a terminal: Chinese, Japanese and Korean
// characters take two.
func columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}
