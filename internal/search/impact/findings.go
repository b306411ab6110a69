package impact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A grade says how much attention a finding asks for.
type grade int

const (
	should grade = iota
	must
)

// findings are the files that a change touches, by path.
type findings map[string]*finding

// A finding is why one file is touched.
type finding struct {
	grade   grade
	reasons map[grade][]string // in the order they were found
	lines   map[grade]map[int]bool
	symbols map[grade][]string
	weight  int
}

// add notes a reason to look at a file. Lines of 0 and symbols of "" are none.
func (f findings) add(file string, g grade, reason string, line int, symbol string) {
	at := f[file]
	if at == nil {
		at = &finding{reasons: map[grade][]string{}, lines: map[grade]map[int]bool{}, symbols: map[grade][]string{}}
		f[file] = at
	}
	at.grade = max(at.grade, g)
	at.weight++
	if !slices.Contains(at.reasons[g], reason) {
		at.reasons[g] = append(at.reasons[g], reason)
	}
	if line > 0 {
		if at.lines[g] == nil {
			at.lines[g] = map[int]bool{}
		}
		at.lines[g][line] = true
	}
	if symbol != "" && !slices.Contains(at.symbols[g], symbol) {
		at.symbols[g] = append(at.symbols[g], symbol)
	}
}

// lists returns the findings of either grade, weightiest first. A file stands
// in one list: the reasons of the lower grade go with those of the higher.
func (f findings) lists() (mustVerify, shouldVerify []Affected) {
	paths := slices.SortedFunc(maps.Keys(f), func(a, b string) int {
		return cmp.Or(cmp.Compare(f[b].weight, f[a].weight), strings.Compare(a, b))
	})
	for _, p := range paths {
		at := f[p]
		entry := Affected{File: p, Reason: strings.Join(append(slices.Clone(at.reasons[must]), at.reasons[should]...), "; ")}
		entry.Lines = first(slices.Sorted(maps.Keys(at.lines[at.grade])), shownLines)
		entry.Symbols = first(at.symbols[at.grade], shownSymbols)
		if at.grade == must {
			mustVerify = append(mustVerify, entry)
		} else {
			shouldVerify = append(shouldVerify, entry)
		}
	}
	return mustVerify, shouldVerify
}
