package callargs

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, tt := range []struct {
		call, label string
		sign        byte
		want        int
	}{
		{`(a, to: 1)`, "to", ':', 1},
		{`("to: 1", f(to: 2))`, "to", ':', 0},
		{`(to = 1, to == 2, x => to = 3)`, "to", '=', 1},
		{"<T>(\n  to : 1)\n(to: 2)", "to", ':', 1},
		{` = to: 1`, "to", ':', 0},
	} {
		got := Named([]byte(tt.call), tt.label, tt.sign)
		for _, at := range got {
			if !strings.HasPrefix(tt.call[at:], tt.label) {
				t.Errorf("%s: %d", tt.call, at)
			}
		}
		if len(got) != tt.want {
			t.Errorf("%s: %d, want %d", tt.call, len(got), tt.want)
		}
	}
}
