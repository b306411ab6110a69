package codediff

import (
	"slices"

	"codeintel/internal/workflow/codediff/invain"
)

// inVain adds what does nothing to the marks of a text.
func (s *side) inVain(marks []mark) []mark {
	for _, v := range invain.Find(s.path, s.src) {
		if slices.ContainsFunc(marks, func(m mark) bool { return m.start <= v.At && v.At < m.end }) {
			continue // in a comment
		}
		why := NoEffect
		if v.Unreached {
			why = Unreachable
		}
		marks = append(slices.DeleteFunc(marks, func(m mark) bool { return m.start < v.End && v.Start < m.end }),
			mark{start: v.Start, end: v.End, why: why})
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return a.start - b.start })
	return marks
}
