package noeffect

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/noeffect/textpattern"
	"codeintel/internal/workflow/codediff/reason"
)

// markPatterns adds the text patterns without effect to the marks of a text.
func (s *Analysis) markPatterns(marks []Mark) []Mark {
	for _, v := range textpattern.Find(s.Path, s.Src) {
		if v.Unreached && s.turnedOff(v) {
			continue
		}
		if slices.ContainsFunc(marks, func(m Mark) bool { return m.Start <= v.PatternStart && v.PatternStart < m.End }) {
			continue // in a comment
		}
		why := reason.NoEffect
		if v.Unreached {
			why = reason.Unreachable
		}
		marks = append(slices.DeleteFunc(marks, func(m Mark) bool { return m.Start < v.End && v.Start < m.End }),
			Mark{Start: v.Start, End: v.End, Why: why})
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return a.Start - b.Start })
	return marks
}

// turnedOff reports whether unreachable text was there before, without what disables it.
// That is then the change, and it does something.
func (s *Analysis) turnedOff(v textpattern.Stretch) bool {
	plain := func(text []byte) (lines []string) {
		for line := range bytes.Lines(text) {
			if l := bytes.TrimSpace(line); len(l) > 0 {
				lines = append(lines, string(l))
			}
		}
		return lines
	}
	rest := append(plain(s.Src[v.Start:v.PatternStart]), plain(s.Src[v.PatternEnd:max(v.PatternEnd, v.End)])...)
	return len(rest) > 0 && strings.Contains("\n"+strings.Join(plain(s.Base), "\n")+"\n", "\n"+strings.Join(rest, "\n")+"\n")
}
