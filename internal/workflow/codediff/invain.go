package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/invain"
)

// inVain adds what does nothing to the marks of a text.
func (s *side) inVain(marks []mark) []mark {
	for _, v := range invain.Find(s.path, s.src) {
		if v.Unreached && s.turnedOff(v) {
			continue
		}
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

// turnedOff reports whether what is never reached stood in the text before but for what says so.
// That is then the change, and it does something.
func (s *side) turnedOff(v invain.Stretch) bool {
	plain := func(text []byte) (lines []string) {
		for line := range bytes.Lines(text) {
			if l := bytes.TrimSpace(line); len(l) > 0 {
				lines = append(lines, string(l))
			}
		}
		return lines
	}
	rest := append(plain(s.src[v.Start:v.At]), plain(s.src[v.Said:max(v.Said, v.End)])...)
	return len(rest) > 0 && strings.Contains("\n"+strings.Join(plain(s.base), "\n")+"\n", "\n"+strings.Join(rest, "\n")+"\n")
}
