package text

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"pgregory.net/rapid"
)

// line draws texts of up to n characters that are often near each other: few letters,
// in several scripts.
func line(n int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aaab eé日本")), 0, n, -1)
}

// edited draws a text and one that a few edits made of it.
func edited(t *rapid.T) (a, b string) {
	from := []rune(line(MaxCompared).Draw(t, "a"))
	to := slices.Clone(from)
	for range rapid.IntRange(0, 80).Draw(t, "edits") {
		at := rapid.IntRange(0, len(to)).Draw(t, "at")
		switch {
		case at == len(to) || len(to) < MaxCompared && rapid.Bool().Draw(t, "insert"):
			to = slices.Insert(to, at, 'b')
		case at > 0 && rapid.Bool().Draw(t, "swap"):
			to[at-1], to[at] = to[at], to[at-1]
		default:
			to = slices.Delete(to, at, at+1)
		}
	}
	return string(from), string(to[:min(len(to), MaxCompared)])
}

// TestDistance checks the distance against a library's, both ways round, at any limit.
func TestDistance(t *testing.T) { compare(t, false, levenshtein.ComputeDistance) }

// TestDistanceSwaps checks the distance with swaps against the table, cell by cell.
func TestDistanceSwaps(t *testing.T) { compare(t, true, withSwaps) }

func compare(t *testing.T, swaps bool, oracle func(a, b string) int) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := edited(t)
		if rapid.Bool().Draw(t, "unlike") {
			b = line(MaxCompared).Draw(t, "b")
		}
		want := oracle(a, b)
		limit := rapid.IntRange(0, MaxCompared).Draw(t, "limit")
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			p := NewPattern(pair[0])
			p.Swaps = swaps
			got := p.Distance(pair[1], utf8.RuneCountInString(pair[1]), limit)
			if got != want && (got <= limit || want <= limit) {
				t.Fatalf("%q and %q are %d edits apart with limit %d, want %d", a, b, got, limit, want)
			}
		}
	})
}

func withSwaps(s, t string) int {
	a, b := []rune(s), []rune(t)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
