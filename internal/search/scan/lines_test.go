package scan

import (
	"fmt"
	"strings"
	"testing"
)

// TestLines asks for lines in every order, so that a text is taken apart in parts.
func TestLines(t *testing.T) {
	for _, text := range []string{"", "\n", "a", "a\n", "a\nb", "a\r\n\nb\n", "\n\n\n", "a\n\n\nb\n\n"} {
		var want []string // of each line
		for line := range strings.Lines(text) {
			want = append(want, strings.TrimRight(line, "\r\n"))
		}
		for first := range len(want) + 3 {
			l := &Lines{Text: []byte(text)}
			if got := l.Last(first); got != min(first, len(want)) {
				t.Errorf("%q: line %d is %d", text, first, got)
			}
			for line := first; line >= 0; line-- {
				got, expected := string(l.Raw(line, line)), ""
				if line > 0 && line <= len(want) {
					expected = want[line-1]
				}
				if got != expected && line > 0 {
					t.Errorf("%q: line %d is %q, want %q", text, line, got, expected)
				}
			}
			if got := l.Count(); got != len(want) {
				t.Errorf("%q has %d lines, want %d", text, got, len(want))
			}
			if got := fmt.Sprint(l.Offset(0), l.Offset(len(want)+1)); got != fmt.Sprint(len(text), len(text)) {
				t.Errorf("%q: beyond its lines is %s", text, got)
			}
		}
	}
}
