package scan

import (
	"bytes"
	"math"

	"codeintel/internal/text"
)

// Lines is a text whose lines are asked for by their numbers, from 1. It is taken apart as
// far as somebody asks. It is not for concurrent use.
type Lines struct {
	Text   []byte
	begins []int // of lines, of the first ones
}

// Last returns the number of a line, or of the last one if there are fewer.
func (l *Lines) Last(line int) int {
	if len(l.Text) == 0 {
		return 0
	}
	if l.begins == nil {
		l.begins = append(make([]int, 0, 64), 0)
	}
	for len(l.begins) < line {
		at := text.LineEnd(l.Text, l.begins[len(l.begins)-1]) + 1
		if at >= len(l.Text) {
			break
		}
		l.begins = append(l.begins, at)
	}
	return min(line, len(l.begins))
}

// Count returns how many lines there are.
func (l *Lines) Count() int { return l.Last(math.MaxInt) }

// Offset returns the byte where a line begins, or the end of the text.
func (l *Lines) Offset(line int) int {
	if line > 0 && line == l.Last(line) {
		return l.begins[line-1]
	}
	return len(l.Text)
}

// Raw returns lines as they are, without the last line break.
func (l *Lines) Raw(start, end int) []byte {
	lo, hi := l.Offset(start), l.Offset(end+1)
	if lo >= hi {
		return nil
	}
	return bytes.TrimRight(l.Text[lo:hi], "\r\n")
}
