package impact

import (
	"cmp"
	"fmt"
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
	reasons map[grade][]reason       // in the order they were found
	lines   map[grade]map[int]string // and what is around them
	symbols map[grade][]string
	weight  int
}

// A reason is one kind of why, on how many lines it is found, and how often without one.
type reason struct {
	kind  string
	lines map[int]bool
	other int
}

// A place is a line of a file, and the function or type around it. Lines of 0 and names
// of "" are none.
type place struct {
	line   int
	inside string
}

// has reports whether a line of a file was found.
func (f findings) has(file string, line int) bool {
	at := f[file]
	if at == nil {
		return false
	}
	for _, lines := range at.lines {
		if _, found := lines[line]; found {
			return true
		}
	}
	return false
}

// add notes a reason to look at a file. A symbol of "" is none.
func (f findings) add(file string, g grade, kind string, p place, symbol string) {
	at := f[file]
	if at == nil {
		at = &finding{reasons: map[grade][]reason{}, lines: map[grade]map[int]string{}, symbols: map[grade][]string{}}
		f[file] = at
	}
	at.grade = max(at.grade, g)
	at.weight++
	i := slices.IndexFunc(at.reasons[g], func(r reason) bool { return r.kind == kind })
	if i < 0 {
		i = len(at.reasons[g])
		at.reasons[g] = append(at.reasons[g], reason{kind: kind, lines: map[int]bool{}})
	}
	if p.line == 0 {
		at.reasons[g][i].other++
	} else {
		at.reasons[g][i].lines[p.line] = true
		if at.lines[g] == nil {
			at.lines[g] = map[int]string{}
		}
		at.lines[g][p.line] = cmp.Or(at.lines[g][p.line], p.inside)
	}
	if symbol != "" && !slices.Contains(at.symbols[g], symbol) {
		at.symbols[g] = append(at.symbols[g], symbol)
	}
}

// lists returns the findings of either grade, weightiest first. A file is
// in one list: the reasons of the lower grade go with those of the higher.
func (f findings) lists(e extent) (mustVerify, shouldVerify []Affected) {
	for _, p := range slices.SortedFunc(maps.Keys(f), f.compare) {
		at := f[p]
		reasons := slices.Clone(at.reasons[must])
		for _, r := range at.reasons[should] {
			if !slices.ContainsFunc(reasons, func(m reason) bool { return m.kind == r.kind }) {
				reasons = append(reasons, r)
			}
		}
		entry := Affected{File: p, Reason: reasonText(reasons), Names: slices.ContainsFunc(reasons, func(r reason) bool {
			return len(r.lines) > 0 && !strings.HasPrefix(r.kind, "may ") && !strings.HasPrefix(r.kind, "selects ")
		})}
		lines := at.linesOf()
		entry.Lines = first(lines, e.lines)
		entry.MoreLines = len(lines) - len(entry.Lines)
		for _, line := range entry.Lines {
			entry.inside = append(entry.inside, cmp.Or(at.lines[must][line], at.lines[should][line]))
		}
		if list := namedOnce(at.symbols[at.grade]); e.only == "" || len(list) != 1 || list[0] != e.only {
			entry.Symbols = first(list, e.symbols)
		}
		if at.grade == must {
			mustVerify = append(mustVerify, entry)
		} else {
			shouldVerify = append(shouldVerify, entry)
		}
	}
	return mustVerify, shouldVerify
}

// namedOnce leaves out of a list of names what an import calls by its path, as in
// crate::units::Second, where the name itself is listed.
func namedOnce(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(path string) bool {
		name := path[strings.LastIndexAny(path, `:\`)+1:]
		return name != path && slices.Contains(list, name)
	})
}

// linesOf returns the lines of a file that its reasons speak of, those of the lower grade too.
func (f *finding) linesOf() []int {
	all := maps.Clone(f.lines[should])
	if all == nil {
		all = map[int]string{}
	}
	maps.Copy(all, f.lines[must])
	return slices.Sorted(maps.Keys(all))
}

// count returns how many lines were found in files of a grade.
func (f findings) count(g grade) (n int) {
	for _, at := range f {
		if at.grade == g {
			n += len(at.linesOf())
		}
	}
	return n
}

// compare puts files with more reasons first, and files without any last.
func (f findings) compare(a, b string) int {
	weight := func(file string) int {
		if at := f[file]; at != nil {
			return at.weight
		}
		return 0
	}
	return cmp.Or(cmp.Compare(weight(b), weight(a)), strings.Compare(a, b))
}

// ofTest begins the reasons of tests.
const ofTest = "test that "

// byName ends the reasons of tests that are called after a target.
const byName = " by its name"

// reasonText puts reasons into words: "test that calls it (12), imports it".
func reasonText(list []reason) string {
	parts := make([]string, len(list))
	test := false
	for i, r := range list {
		if kind, ok := strings.CutPrefix(r.kind, ofTest); ok && test {
			r.kind = kind
		} else {
			test = test || ok
		}
		if parts[i] = r.kind; len(r.lines)+r.other > 1 {
			parts[i] = fmt.Sprintf("%s (%d)", r.kind, len(r.lines)+r.other)
		}
	}
	return strings.Join(parts, ", ")
}
