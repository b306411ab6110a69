package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/lcs"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/tokens"
)

// compare finds the lines of the new text that change the program.
func (c *compared) compare() {
	c.changed, c.why, c.function = make(map[int]bool), make(map[int]reason.Reason), make(map[int]string)
	each(c.now.units, func(u *unit) bool {
		if u.matched {
			c.settle(u)
		}
		return !u.matched
	})
	was, now := c.was.unmatchedTokens(), c.now.unmatchedTokens()
	names := c.renamed(was, now)
	a, b := tokens.Texts(was), tokens.Texts(now)
	for i := range now {
		if to := names[renaming{now[i].Unit, now[i].Text}]; now[i].Local && to != "" {
			b[i] = to
		}
	}
	partner := lcs.Align(b, a) // of the new ones
	c.inserted(now, b, partner)
	c.removed(was, now, a, partner)
	for i, p := range partner {
		if p >= 0 && now[i].Text != was[p].Text && !c.changed[now[i].Line] && c.why[now[i].Line] == "" {
			c.why[now[i].Line] = reason.RenamedName
		}
	}
}

// settle says of a unit that is as it was why its lines do not count.
func (c *compared) settle(u *unit) {
	now := c.now.tokensOf(u)
	if u.moved {
		for _, t := range now {
			c.why[t.Line] = reason.Moved
		}
		return
	}
	for i, t := range c.was.tokensOf(u.old) {
		if t.Text != now[i].Text {
			c.why[now[i].Line] = reason.RenamedName
		}
	}
}

// inserted notes the lines of tokens without a partner. Where the text around a run
// repeats it, another run could as well be the new one: then all of them are.
func (c *compared) inserted(now []tokens.Token, text []string, partner []int) {
	for from := 0; from < len(now); {
		if partner[from] >= 0 {
			from++
			continue
		}
		to := from
		for to < len(now) && partner[to] < 0 {
			to++
		}
		for i := from; i < to; i++ {
			c.changed[now[i].Line] = true
			if now[i].IsBorder && i+1 < len(now) { // what follows is outside of the block now
				c.changed[now[i+1].Line] = true
			}
		}
		repeated(text, from, to, func(i int) { c.changed[now[i].Line] = true })
		from = to
	}
}

// repeated calls f for the texts around a run by which it may be moved and say the same.
func repeated(text []string, from, to int, f func(i int)) {
	for i, j := from-1, to-1; i >= 0 && text[i] == text[j] && from-i <= 2000; i, j = i-1, j-1 {
		f(i)
	}
	for i, j := to, from; i < len(text) && text[i] == text[j] && i-to <= 2000; i, j = i+1, j+1 {
		f(i)
	}
}

// removed notes the lines of the new text between which something was removed, or might as well have been.
func (c *compared) removed(was, now []tokens.Token, text []string, partner []int) {
	kept := make([]int, len(was))
	for i := range kept {
		kept[i] = -1
	}
	for i, p := range partner {
		if p >= 0 {
			kept[p] = i
		}
	}
	for i := 0; i < len(was); {
		if kept[i] >= 0 || was[i].IsBorder {
			i++
			continue
		}
		before := -1
		for j := i - 1; j >= 0 && before < 0; j-- {
			before = kept[j]
		}
		from := i
		for i < len(was) && kept[i] < 0 {
			i++
		}
		repeated(text, from, i, func(r int) {
			if kept[r] >= 0 {
				c.changed[now[kept[r]].Line] = true
			}
		})
		after := -1
		for j := i; j < len(was) && after < 0; j++ {
			after = kept[j]
		}
		switch {
		case before >= 0 && after >= 0:
			c.noteGap(now[before].Line, now[after].Line)
		case before >= 0:
			c.noteGap(now[before].Line, c.now.Lines+1)
		case after >= 0:
			c.noteGap(1, now[after].Line)
		default:
			c.noteGap(1, c.now.Lines+1)
		}
	}
}

// noteGap notes that something was removed between two lines, which are the same if it
// was a part of one.
func (c *compared) noteGap(first, last int) {
	for n := first; n <= last; n++ {
		if c.why[n] == "" && c.now.ReasonOf(n) == "" || n == first || n == last {
			c.changed[n] = true
		}
	}
}

// A renaming is a name in a unit.
type renaming struct {
	unit int32
	name string
}

// renamed finds the locals that got another name: of each, in functions of one name,
// the name that it replaces.
func (c *compared) renamed(was, now []tokens.Token) map[renaming]string {
	names := make(map[renaming]string)
	old := make(map[string]*unit)
	each(c.was.units, func(u *unit) bool {
		if u.name != "" && !u.matched && len(u.members) == 0 {
			old[u.name] = u
		}
		return !u.matched
	})
	each(c.now.units, func(u *unit) bool {
		if o := old[u.name]; o != nil && !u.matched && len(u.members) == 0 {
			for name, to := range renamedIn(ofUnit(was, o.id), ofUnit(now, u.id)) {
				names[renaming{u.id, name}] = to
			}
		}
		return !u.matched
	})
	return names
}

func ofUnit(toks []tokens.Token, id int32) []tokens.Token {
	return slices.DeleteFunc(slices.Clone(toks), func(t tokens.Token) bool { return t.Unit != id })
}

// renamedIn matches the locals that only one of two texts has, by their positions.
func renamedIn(was, now []tokens.Token) map[string]string {
	only := func(in, other []tokens.Token) map[string]bool {
		names := make(map[string]bool)
		for _, t := range in {
			if t.Local && !slices.ContainsFunc(other, func(o tokens.Token) bool { return o.Text == t.Text }) {
				names[t.Text] = true
			}
		}
		return names
	}
	gone, come := only(was, now), only(now, was)
	if len(gone) == 0 || len(come) == 0 {
		return nil
	}
	general := func(toks []tokens.Token, names map[string]bool) []string {
		all := tokens.Texts(toks)
		for i, t := range toks {
			if t.Local && names[t.Text] {
				all[i] = "\x01"
			}
		}
		return all
	}
	votes := make(map[[2]string]int)
	for i, p := range lcs.Align(general(now, come), general(was, gone)) {
		if p >= 0 && come[now[i].Text] && gone[was[p].Text] {
			votes[[2]string{now[i].Text, was[p].Text}]++
		}
	}
	pairs := make([][2]string, 0, len(votes))
	for p := range votes {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		if d := votes[b] - votes[a]; d != 0 {
			return d
		}
		return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1])
	})
	names, taken := make(map[string]string), make(map[string]bool)
	for _, p := range pairs {
		if names[p[0]] == "" && !taken[p[1]] {
			names[p[0]], taken[p[1]] = p[1], true
		}
	}
	return names
}
