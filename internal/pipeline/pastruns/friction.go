package pastruns

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"codeintel/internal/text/question"
)

// A FrictionPoint is what got in the way of agents, once or again.
type FrictionPoint struct {
	Text       string   `json:"text"`       // as it was last told
	Suggestion string   `json:"suggestion"` // the last one made; "" if none was
	Count      int      `json:"count"`
	Pipelines  []string `json:"pipelines"`
	Last       string   `json:"last"` // the day, "" if unknown
	Score      float64  `json:"score"`
}

// Frictions returns what got in the way, the highest score first. The score is the number of
// pipelines × recency × relevance to the query, as for [Index.Patterns].
func (i *Index) Frictions(q *question.Question, now time.Time) []FrictionPoint {
	g := i.lesson.frictions()
	relevance := g.corpus.relevance(q, minRelevance)
	points := make([]FrictionPoint, 0, len(g.members))
	for n, members := range g.members {
		s := i.sightingOf(members)
		p := FrictionPoint{Text: s.newest.text, Count: s.count, Pipelines: s.pipelines, Last: day(s.last)}
		var told time.Time
		for _, m := range members {
			e := &i.doc.Entries[m.from]
			said, at := e.Frictions[m.at].Suggestion, parseTime(e.Ended)
			if said != "" && (p.Suggestion == "" || at.After(told) || at.Equal(told) && said < p.Suggestion) {
				p.Suggestion, told = said, at
			}
		}
		p.Score = float64(len(s.pipelines)) * recency(s.last, now) * relevance[n]
		points = append(points, p)
	}
	slices.SortFunc(points, func(a, b FrictionPoint) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return points
}

// FrictionsMarkdown writes friction points for an agent's prompt, a line each, in at most
// budget bytes: as many as fit, without a heading.
func FrictionsMarkdown(points []FrictionPoint, budget int) string {
	lines := make([]string, len(points))
	for i, p := range points {
		lines[i] = fmt.Sprintf("%s (%s%s)", clip(p.Text, 240), inPipelines(len(p.Pipelines)), lastSeenText(p.Last))
		if p.Suggestion != "" {
			lines[i] += " Suggestion: " + clip(p.Suggestion, 240)
		}
	}
	return bullets(lines, budget)
}
