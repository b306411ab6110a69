package weakening

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/testcase"
)

// Which new test replaces which old one.

// pairs returns for each old test of a name the index of the new one that replaces it: one that reads
// the same, or the next; -1 if there is none.
func pairs(old, now []testcase.Case) []int {
	of := make([]int, len(old))
	taken := make([]bool, len(now))
	take := func(i int, like func(testcase.Case) bool) {
		if of[i] < 0 {
			for j, t := range now {
				if !taken[j] && like(t) {
					of[i], taken[j] = j, true
					return
				}
			}
		}
	}
	for i := range old {
		of[i] = -1
		take(i, func(t testcase.Case) bool { return t.Key == old[i].Key })
	}
	for i := range old {
		if len(now) > 1 {
			take(i, func(t testcase.Case) bool { return howWeaker(old[i], t) == "" })
		}
		take(i, func(testcase.Case) bool { return true })
	}
	return of
}

// inRenamedClass returns the tests of a file that have the name of one in a class whose name is no longer
// there, or new, where theirs is not among the others either.
func inRenamedClass(t testcase.Case, of, others []testcase.Case) (found []testcase.Case) {
	class, name, ok := strings.Cut(t.Name, ".")
	if !ok || strings.Contains(name, ".") || t.IsHelper {
		return nil
	}
	has := func(tests []testcase.Case, class string) bool {
		return slices.ContainsFunc(tests, func(t testcase.Case) bool { return strings.HasPrefix(t.Name, class+".") && !t.IsHelper })
	}
	if has(others, class) {
		return nil
	}
	for _, o := range others {
		if c, n, _ := strings.Cut(o.Name, "."); n == name && !o.IsHelper && !has(of, c) {
			found = append(found, o)
		}
	}
	return found
}

// isTakenOver reports whether a new test, under another name, calls and expects all that a removed one did.
// It takes over no other.
func isTakenOver(t testcase.Case, added map[string][]testcase.Case) bool {
	values := 0
	for _, n := range t.Counts.Literals {
		values += n
	}
	if t.IsHelper || values < 3 || len(t.Calls) < 2 {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		for i, c := range added[name] {
			if c.Replaced || c.IsHelper || howWeaker(t, c) != "" {
				continue
			}
			all := true
			for called, n := range t.Calls {
				all = all && c.Calls[called] >= n
			}
			if all {
				added[name][i].Replaced = true
				return true
			}
		}
	}
	return howWeaker(t, withParts(testcase.Case{}, t, added)) == ""
}

// withParts returns a test together with the new ones that do what an old one did with other values: parts into
// which it was split. All assert the same values, if any. There is none that can fail if there is no such part.
func withParts(now, old testcase.Case, added map[string][]testcase.Case) testcase.Case {
	sum := func(a, b map[string]int) map[string]int {
		all := maps.Clone(a)
		if all == nil {
			all = make(map[string]int)
		}
		for k, n := range b {
			all[k] += n
		}
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		for _, c := range added[name] {
			if c.Replaced || c.IsHelper || !c.CanFail || c.NeverRuns || c.Skips > old.Skips || c.Tags > old.Tags ||
				!maps.Equal(c.Calls, old.Calls) || !alike(c, old) || now.Name != "" && !alike(now, old) {
				continue
			}
			if now.Name == "" {
				now = c
				continue
			}
			now.Key = ""
			now.Counts.Literals = sum(now.Counts.Literals, c.Counts.Literals)
			now.Unconditional.Literals = sum(now.Unconditional.Literals, c.Unconditional.Literals)
			now.WithHelpers.Literals = sum(now.WithHelpers.Literals, c.WithHelpers.Literals)
		}
	}
	return now
}

// alike reports whether two tests assert in the same words, and the same values where they assert.
func alike(a, b testcase.Case) bool {
	return maps.Equal(a.Counts.Asserts, b.Counts.Asserts) && maps.Equal(a.Counts.Wanted, b.Counts.Wanted)
}

// lostValues reports whether values are missing from what a test expects, or from what it does. One that
// was written more than once, and beside its assertions, may be written less often, if none is written
// more often in its place.
func lostValues(was, now testcase.Counts) bool {
	less := false
	for k, n := range was.Literals {
		if now.Literals[k] < n {
			less = true
			if now.Literals[k] == 0 || k[0] == '\x01' || now.Wanted[k] < was.Wanted[k] {
				return true
			}
		}
	}
	if less {
		for k, n := range now.Literals {
			if n > was.Literals[k] {
				return true
			}
		}
	}
	return false
}

// undeclared returns the names that the change no longer declares outside of functions, but for those of
// functions that raise errors.
func (d *Change) undeclared() map[string]bool {
	names := make(map[string]bool)
	for _, c := range d.Files {
		for name := range outerNames(c.Was) {
			names[name] = true
		}
		for _, r := range routines(c.Was) {
			if r.raises > 0 {
				delete(names, r.name)
			}
		}
	}
	for _, c := range d.Files {
		for name := range outerNames(c.Now) {
			delete(names, name)
		}
	}
	return names
}

// outerNames returns the names that a text declares outside of functions.
func outerNames(s *testcase.File) map[string]bool {
	names := make(map[string]bool)
	if s == nil || s.Tree == nil {
		return names
	}
	for i := range s.Tree.Nodes {
		node := int32(i)
		if !s.Tree.Named(node) || s.FunctionAround(node) >= 0 {
			continue
		}
		name := s.DeclaredName(node)
		if s.Tree.Kind(node) == "const_element" {
			name = s.Tree.Text(s.NthChild(node, 0))
		}
		if name != "" {
			names[strings.TrimLeft(name, "$")] = true
		}
	}
	return names
}
