package codediff

import (
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/workflow/codediff/lcs"
	"codeintel/internal/workflow/codediff/tokens"
)

// A unit is a declaration or statement that can be moved as a whole: what is at
// the top of a file, and the members of classes and namespaces.
type unit struct {
	id         int32 // in its side, from 1
	name       string
	start, end int // bytes
	function   bool
	members    []*unit
	matched    bool
	moved      bool  // its place is another one
	old        *unit // what it was, in the same file
}

// findUnits builds the tree of units and gives each token the innermost one.
func (s *side) findUnits() {
	var next int32
	var add func(parent int32, into *[]*unit)
	add = func(parent int32, into *[]*unit) {
		for c := parent + 1; c < s.Tree.Nodes[parent].Next; c = s.Tree.Nodes[c].Next {
			n := s.Tree.Nodes[c]
			if !s.Tree.Named(c) || n.End == n.Start {
				continue
			}
			next++
			u := &unit{id: next, start: int(n.Start), end: int(n.End), function: s.Tree.Function(c)}
			u.name = s.NameOf(c)
			*into = append(*into, u)
			if !u.function && s.IsContainer(c) {
				add(c, &u.members)
			}
		}
	}
	add(0, &s.units)
	var give func(units []*unit)
	give = func(units []*unit) {
		for _, u := range units {
			in := s.tokensOf(u)
			for i := range in {
				in[i].Unit = u.id
			}
			give(u.members)
		}
	}
	give(s.units)
}

// tokensOf returns the tokens of a unit.
func (s *side) tokensOf(u *unit) []tokens.Token {
	from, _ := slices.BinarySearchFunc(s.Tokens, u.start, func(t tokens.Token, at int) int { return t.Start - at })
	to := from
	for to < len(s.Tokens) && s.Tokens[to].Start < u.end {
		to++
	}
	return s.Tokens[from:to]
}

// key identifies what a unit says, whatever its locals are called.
func (s *side) key(u *unit) string {
	var b strings.Builder
	names := make(map[string]int)
	for _, t := range s.tokensOf(u) {
		if t.Local {
			n, ok := names[t.Text]
			if !ok {
				n = len(names)
				names[t.Text] = n
			}
			b.WriteString("\x01" + strconv.Itoa(n))
		} else {
			b.WriteString(t.Text)
		}
		b.WriteByte(0)
	}
	return b.String()
}

// matchUnits pairs units that say the same before and after, first in the same file,
// then across files. Containers that have changed are looked into.
func matchUnits(files []*compared) {
	pairs := make(map[*compared][2][]*unit)
	for _, c := range files {
		pairs[c] = [2][]*unit{c.was.units, c.now.units}
	}
	for deeper := true; deeper; {
		for _, c := range files {
			matchIn(c, pairs[c][0], pairs[c][1])
		}
		matchMoved(files, pairs)
		deeper = false
		for _, c := range files {
			next := [2][]*unit{unmatchedMembers(pairs[c][0]), unmatchedMembers(pairs[c][1])}
			pairs[c] = next
			deeper = deeper || len(next[0])+len(next[1]) > 0
		}
	}
}

// matchMoved pairs units that say the same in different files.
func matchMoved(files []*compared, pairs map[*compared][2][]*unit) {
	rest := make(map[string][]*unit)
	for _, c := range files {
		for _, u := range pairs[c][0] {
			if k := c.was.key(u); !u.matched && k != "" {
				rest[k] = append(rest[k], u)
			}
		}
	}
	for _, c := range files {
		for _, u := range pairs[c][1] {
			if k := c.now.key(u); !u.matched && len(rest[k]) > 0 {
				rest[k][0].matched, u.matched, u.moved = true, true, true
				rest[k] = rest[k][1:]
			}
		}
	}
}

// unmatchedMembers returns the members of the units that have no pair.
func unmatchedMembers(units []*unit) (members []*unit) {
	for _, u := range units {
		if !u.matched {
			members = append(members, u.members...)
		}
	}
	return members
}

// matchIn pairs the units of one file. Those that are in another order are moved.
func matchIn(c *compared, was, now []*unit) {
	keys := func(s *side, units []*unit) []string {
		all := make([]string, len(units))
		for i, u := range units {
			all[i] = s.key(u)
		}
		return all
	}
	a, b := keys(c.was, was), keys(c.now, now)
	had := make(map[string][]*unit)
	pair := func(old, u *unit) { old.matched, u.matched, u.old = true, true, old }
	partner := lcs.Align(b, a)
	for i, p := range partner {
		if p >= 0 {
			pair(was[p], now[i])
		}
	}
	for i, u := range was {
		if !u.matched && a[i] != "" {
			had[a[i]] = append(had[a[i]], u)
		}
	}
	for i, u := range now {
		if left := had[b[i]]; !u.matched && len(left) > 0 {
			pair(left[0], u)
			had[b[i]], u.moved = left[1:], true
		}
	}
}

// each calls f for every unit, outer ones first, and looks into one if f says so.
func each(units []*unit, f func(*unit) bool) {
	for _, u := range units {
		if f(u) {
			each(u.members, f)
		}
	}
}

// unmatchedTokens returns the tokens of a side that are in no matched unit.
func (s *side) unmatchedTokens() (toks []tokens.Token) {
	closed := make(map[int32]bool)
	var shut func(u *unit)
	shut = func(u *unit) {
		closed[u.id] = true
		for _, m := range u.members {
			shut(m)
		}
	}
	each(s.units, func(u *unit) bool {
		if u.matched {
			shut(u)
		}
		return !u.matched
	})
	for _, t := range s.Tokens {
		if !closed[t.Unit] {
			toks = append(toks, t)
		}
	}
	return toks
}

// Touched returns the names of the functions and classes outside of tests in which anything changed.
func (d *Diff) Touched() (names []string) {
	for _, c := range d.files {
		if c.Test || c.now == nil || c.now.Tree == nil {
			continue
		}
		for i := range c.now.Tree.Nodes {
			node := int32(i)
			name := c.now.NameOf(node)
			if name == "" || c.now.Anonymous(node) || !c.now.Tree.Function(node) && !c.now.IsContainer(node) {
				continue
			}
			for n := c.now.Tree.Nodes[node]; n.StartRow <= n.EndRow; n.StartRow++ {
				if c.changed[int(n.StartRow)+1] {
					names = append(names, name)
					break
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
