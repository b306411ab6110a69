package search

import (
	"codeintel/internal/search/excerpt"
	"codeintel/internal/text/question"
)

// window returns the line at which the n lines of a chunk begin that say most about a question.
func (s *sources) window(q *question.Question, file string, start, end, n int) int {
	if end = s.lines(file).Last(end); n < 1 || end-start < n {
		return start
	}
	return start + excerpt.Best(q, &s.words, s.rows(file, start, end), n)
}

// Runs returns n of the lines of a longer piece, those that say most about a question.
func (s *sources) Runs(q *question.Question, rows []string, n int) []excerpt.Run {
	return excerpt.Runs(q, &s.words, rows, n)
}

// rows returns lines of a file as texts, as many as are looked at for a question.
func (s *sources) rows(file string, start, end int) []string {
	rows := make([]string, min(end, start+excerpt.Longest)-start+1)
	for i := range rows {
		rows[i] = string(s.Raw(file, start+i, start+i))
	}
	return rows
}
