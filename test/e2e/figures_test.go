package e2e

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// A sample is how long something took, each time.
type sample []time.Duration

// at returns what so many of a hundred took at most.
func (s sample) at(percent int) time.Duration {
	return slices.Sorted(slices.Values(s))[(len(s)-1)*percent/100]
}

// ms is [sample.at] in milliseconds.
func (s sample) ms(percent int) float64 { return float64(s.at(percent).Microseconds()) / 1000 }

// crowded is the work in a repository of 5,000 files.
func crowded(w work) work {
	w.files = maps.Clone(w.files)
	for i := range 5000 - len(w.files) {
		w.files[fmt.Sprintf("parts/p%02d/part_%d.py", i%100, i)] = part(i)
	}
	return w
}

// part is a file like many others.
func part(i int) string {
	return fmt.Sprintf(`"""Part %[1]d of the shop."""


class Part%[1]d:
    """Holds %[1]d things."""

    def __init__(self, count):
        self.count = count

    def weight(self, each):
        """The weight of all things."""
        return self.count * each + %[1]d


def make_part_%[1]d(count):
    return Part%[1]d(count)
`, i)
}
