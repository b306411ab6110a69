// Package excerpt chooses the lines of a piece of code that say most about a question.
package excerpt

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// Longest bounds the lines that are looked at for what a question is about.
const Longest = 1000

// What a word of the question counts on a line of code, on one of a comment and in a text that
// it writes, and what other lines must have more than those a chunk's code begins with.
const (
	inCode    = 2
	inComment = 1
	asWritten = 8
	headStart = 2
)

// How the lines of a long function are shown: in so many runs at most, each of so many
// lines at least.
const (
	maxRuns = 4
	minRun  = 6
)

// A Run is some lines of a piece of code, its last one included, counted from 0.
type Run struct{ Start, End int }

// Best returns where the n lines of a piece begin that have most words of a question, code
// before comments; the first line of code if none have clearly more than those it begins with.
func Best(q *question.Question, words *terms.Tokenizer, lines []string, n int) int {
	return weigh(q, words, lines).best(n)
}

// Runs returns n lines of a longer piece: those of Best in one run, or several runs where these
// show more of a question.
func Runs(q *question.Question, words *terms.Tokenizer, lines []string, n int) []Run {
	w := weigh(q, words, lines)
	at := w.best(n)
	one := []Run{{at, at + n - 1}}
	if n < 2*minRun {
		return one
	}
	step, total, found := max(minRun, n/maxRuns), 0, map[string]int{}
	var runs []Run
	for (len(runs)+1)*step <= n {
		best, more := w.adding(step, runs, found)
		if more < inCode {
			break
		}
		runs, total = append(runs, Run{best, best + step - 1}), total+more
		w.find(found, best, step)
	}
	if len(runs) < 2 || total <= w.weightOf(at, n) {
		return one
	}
	slices.SortFunc(runs, func(a, b Run) int { return a.Start - b.Start })
	rest := n - len(runs)*step
	for i := range runs { // what follows a hit says more than what comes before it
		limit := len(w.lines)
		if i+1 < len(runs) {
			limit = runs[i+1].Start
		}
		more := min(rest/(len(runs)-i), limit-1-runs[i].End)
		runs[i].End, rest = runs[i].End+more, rest-more
	}
	return runs
}

// weighed says of each line of a piece what the words of a question count on it, and where
// its code begins.
type weighed struct {
	lines []map[string]int
	head  int
}

// weigh takes apart as questions are only lines that have a term of the question; words, which
// knows most words of a piece by now, finds them.
func weigh(q *question.Question, words *terms.Tokenizer, rows []string) weighed {
	comment := text.CommentLines(rows)
	lines := make([]map[string]int, len(rows))
	var buffer []byte
	words.Trim()
	for i := range lines {
		buffer = append(buffer[:0], rows[i]...)
		var has []string
		words.Code(buffer, func(term int32) {
			if has == nil && slices.Contains(q.Terms, words.Term(term)) {
				has = terms.Query(rows[i])
			}
		})
		for _, t := range has {
			if !slices.Contains(q.Terms, t) {
				continue
			}
			if lines[i] == nil {
				lines[i] = map[string]int{}
			}
			if lines[i][t] = inCode; comment[i] {
				lines[i][t] = inComment
			}
		}
		for _, e := range q.Exact {
			if strings.Contains(rows[i], e.Text) {
				if lines[i] == nil {
					lines[i] = map[string]int{}
				}
				lines[i]["exact "+e.Text] = asWritten
			}
		}
	}
	return weighed{lines, max(0, slices.Index(comment, false))}
}

// find adds to found what the words on n lines count, each where it counts most.
func (w weighed) find(found map[string]int, at, n int) (more int) {
	for _, l := range w.lines[at:min(at+n, len(w.lines))] {
		for t, counts := range l {
			if add := counts - found[t]; add > 0 {
				found[t] = counts
				more += add
			}
		}
	}
	return more
}

// weightOf is what the words on n lines count.
func (w weighed) weightOf(at, n int) int { return w.find(map[string]int{}, at, n) }

// best returns the line at which the n lines begin that are worth most.
func (w weighed) best(n int) int {
	best := max(0, min(w.head, len(w.lines)-n))
	most := w.weightOf(best, n) + headStart
	for at, words := range w.lines {
		if words == nil {
			continue // no run need begin with what says nothing
		}
		at = max(0, min(at, len(w.lines)-n))
		if sum := w.weightOf(at, n); sum > most {
			best, most = at, sum
		}
	}
	return best
}

// adding returns the line at which the n lines begin that add most to what was found in
// runs, apart from those. They begin a little before what they are worth.
func (w weighed) adding(n int, runs []Run, found map[string]int) (best, most int) {
	for at := range w.lines {
		begin := max(0, min(at-n/4, len(w.lines)-n))
		if w.lines[at] == nil || slices.ContainsFunc(runs, func(r Run) bool { return begin <= r.End && r.Start < begin+n }) {
			continue
		}
		if more := w.find(maps.Clone(found), begin, n); more > most {
			best, most = begin, more
		}
	}
	return best, most
}
