package search

import (
	"slices"
	"strings"

	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// longestWindow bounds the lines of a chunk that are looked at.
const longestWindow = 300

// What a word of the question counts on a line of code and on one of a comment, and what
// other lines must have more than those a chunk's code begins with.
const (
	inCode    = 2
	inComment = 1
	headStart = 2
)

// window returns the line at which the n lines of a chunk begin that have most words of
// a question, code before comments; the first line of code if none have clearly more than
// those it begins with.
func (s *sources) window(q *question.Question, file string, start, end, n int) int {
	if end = min(end, s.count(file)); n < 1 || end-start < n {
		return start
	}
	end = min(end, start+longestWindow)
	text := make([]string, end-start+1)
	for i := range text {
		text[i] = string(s.raw(file, start+i, start+i))
	}
	comment := comments(text)
	head := max(0, slices.Index(comment, false))
	if head+n > len(text) {
		head = max(0, len(text)-n)
	}
	lines := make([]map[string]int, len(text)) // term -> what it counts there
	for i := range lines {
		for _, t := range terms.Query(text[i]) {
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
	}
	worth := func(at int) (sum int) {
		found := map[string]int{}
		for _, l := range lines[at : at+n] {
			for t, w := range l {
				if w > found[t] {
					sum += w - found[t]
					found[t] = w
				}
			}
		}
		return sum
	}
	best, most := head, worth(head)+headStart
	for at := 0; at+n <= len(lines); at++ {
		if lines[at] == nil {
			continue // no window need begin with what says nothing
		}
		if w := worth(at); w > most {
			best, most = at, w
		}
	}
	return start + best
}

// comments tells of each line of code whether it is but a comment or blank, as most
// languages write them.
func comments(lines []string) []bool {
	is := make([]bool, len(lines))
	until := "" // what ends the comment that lines are in
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if until != "" {
			is[i] = true
			if strings.Contains(l, until) {
				until = ""
			}
			continue
		}
		is[i] = l == "" || slices.ContainsFunc(lineComments, func(mark string) bool { return strings.HasPrefix(l, mark) })
		for _, b := range blockComments {
			if inner, ok := strings.CutPrefix(l, b.begin); ok {
				if is[i] = true; !strings.Contains(inner, b.end) {
					until = b.end
				}
				break
			}
		}
	}
	return is
}

var (
	lineComments  = []string{"//", "# ", "#!", "-- ", ";;", "* ", "%%"}
	blockComments = []struct{ begin, end string }{
		{"/*", "*/"}, {`r"""`, `"""`}, {`"""`, `"""`}, {"'''", "'''"}, {"<!--", "-->"}, {"{-", "-}"}, {"--[[", "]]"}, {"=begin", "=end"},
	}
)
