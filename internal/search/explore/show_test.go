package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/search"
)

// TestWithoutGaps wants few lines shown instead of a note that they are left out, between runs and at the end.
func TestWithoutGaps(t *testing.T) {
	for _, c := range []struct {
		runs, want []search.Span
		end        int
	}{
		{[]search.Span{{Start: 1, End: 4}}, []search.Span{{Start: 1, End: 7}}, 7},
		{[]search.Span{{Start: 1, End: 4}}, []search.Span{{Start: 1, End: 4}}, 8},
		{[]search.Span{{Start: 1, End: 4}, {Start: 7, End: 9}}, []search.Span{{Start: 1, End: 9}}, 9},
		{[]search.Span{{Start: 1, End: 4}, {Start: 8, End: 9}}, []search.Span{{Start: 1, End: 4}, {Start: 8, End: 9}}, 30},
	} {
		runs := append([]search.Span{}, c.runs...)
		if diff := cmp.Diff(c.want, withoutGaps(runs, c.end)); diff != "" {
			t.Errorf("%v to %d: %s", c.runs, c.end, diff)
		}
	}
}
