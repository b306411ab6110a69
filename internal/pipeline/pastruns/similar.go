package pastruns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/text/question"
)

// Told is how many similar pipelines a prompt mentions.
const Told = 3

// A Hit is a past pipeline that is like a request.
type Hit struct {
	Entry Entry   `json:"entry"`
	Score float64 `json:"score"`
}

// Similar returns the n pipelines that are most like a question, by BM25, the nearest
// first; fewer if fewer share anything with it.
func (i *Index) Similar(q *question.Question, n int) []Hit {
	var hits []Hit
	for at, score := range i.lesson.similar().scores(q) {
		if score > 0 {
			hits = append(hits, Hit{i.doc.Entries[at], score})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), parseTime(b.Entry.Ended).Compare(parseTime(a.Entry.Ended)),
			cmp.Compare(a.Entry.Key(), b.Entry.Key()))
	})
	return hits[:min(max(n, 0), len(hits))]
}

// SimilarMarkdown writes hits for layer 4, a line each, in at most budget bytes: as
// many as fit, without a heading. A token of English or Japanese has three to four
// bytes.
func SimilarMarkdown(hits []Hit, budget int) string {
	lines := make([]string, len(hits))
	for i, h := range hits {
		lines[i] = h.line()
	}
	return bullets(lines, budget)
}

func (h Hit) line() string {
	e := h.Entry
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** (", clip(e.name(), 120))
	if e.Workspace != "" {
		fmt.Fprintf(&b, "`%s`, ", e.Workspace)
	}
	if e.Effort != "" {
		fmt.Fprintf(&b, "effort %s, ", e.Effort)
	}
	b.WriteString(string(e.Status))
	if e.Status == Abandoned && e.Phase != "" {
		fmt.Fprintf(&b, " at %s", e.Phase)
	}
	if d := day(parseTime(e.Ended)); d != "" {
		b.WriteString(" " + d)
	}
	b.WriteString(")")
	if said := cmp.Or(e.Summary, e.Request); said != "" && said != e.Title {
		b.WriteString(": " + clip(said, 240))
	}
	if len(e.Files) > 0 {
		shown := e.Files[:min(5, len(e.Files))]
		fmt.Fprintf(&b, " Files: %s", strings.Join(shown, ", "))
		if more := len(e.Files) - len(shown); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteString(".")
	}
	if found := countSeverities(e.Findings); found != "" {
		fmt.Fprintf(&b, " Its reviews found: %s.", found)
	}
	return b.String()
}

// countSeverities says how many findings of which severity there are.
func countSeverities(findings []Finding) string {
	counts := make(map[string]int)
	for _, f := range findings {
		counts[severityOf(f.Severity)]++
	}
	var parts []string
	for _, s := range []string{Critical, Major, Minor} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return strings.Join(parts, ", ")
}
