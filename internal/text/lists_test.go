package text

import (
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	values := []string{"b", "", "a", "b", "c"}
	for name, c := range map[string]struct{ got, want []string }{
		"distinct":          {Distinct(values), []string{"a", "b", "c"}},
		"in both":           {Intersect(values, []string{"c", "", "b", "d"}), []string{"b", "c"}},
		"in none":           {Intersect(values, nil), nil},
		"without":           {Without(values, []string{"a"}), []string{"b", "", "c"}},
		"without any":       {Without(values, nil), []string{"b", "", "a", "c"}},
		"nothing is left":   {Without(values, values), nil},
		"nothing to choose": {Distinct([]string{""}), nil},
	} {
		if !slices.Equal(c.got, c.want) || (c.got == nil) != (c.want == nil) {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}
