package commitlog

import (
	"slices"
	"sort"
)

// maxCells bounds the table in which the lines of a part without any rare line are
// compared. In a larger part they count as changed.
const maxCells = 1 << 20

// matched returns for each line of now, counted from 1, the number of the same line in
// before, or 0 if before does not have it. It is a patience diff: lines that occur once on
// each side are matched first, and the rest between them.
func matched(now, before []string) []int {
	to := make([]int, len(now)+1)
	type part struct{ n0, n1, b0, b1 int }
	todo := []part{{0, len(now), 0, len(before)}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for p.n0 < p.n1 && p.b0 < p.b1 && now[p.n0] == before[p.b0] {
			to[p.n0+1] = p.b0 + 1
			p.n0, p.b0 = p.n0+1, p.b0+1
		}
		for p.n0 < p.n1 && p.b0 < p.b1 && now[p.n1-1] == before[p.b1-1] {
			to[p.n1] = p.b1
			p.n1, p.b1 = p.n1-1, p.b1-1
		}
		if p.n0 == p.n1 || p.b0 == p.b1 {
			continue
		}
		anchors := anchorsOf(now[p.n0:p.n1], before[p.b0:p.b1])
		if len(anchors) == 0 {
			longest(now[p.n0:p.n1], before[p.b0:p.b1], func(n, b int) { to[p.n0+n+1] = p.b0 + b + 1 })
			continue
		}
		n, b := p.n0, p.b0
		for _, a := range anchors {
			todo = append(todo, part{n, p.n0 + a[0], b, p.b0 + a[1]})
			to[p.n0+a[0]+1] = p.b0 + a[1] + 1
			n, b = p.n0+a[0]+1, p.b0+a[1]+1
		}
		todo = append(todo, part{n, p.n1, b, p.b1})
	}
	return to
}

// anchorsOf returns the longest sequence of lines that occur once on each side and are in
// the same order on both.
func anchorsOf(now, before []string) [][2]int {
	type seen struct{ n, b, inNow, inBefore int }
	of := map[string]*seen{}
	for i, l := range now {
		if of[l] == nil {
			of[l] = &seen{}
		}
		of[l].n, of[l].inNow = i, of[l].inNow+1
	}
	for i, l := range before {
		if s := of[l]; s != nil {
			s.b, s.inBefore = i, s.inBefore+1
		}
	}
	var pairs [][2]int
	for _, s := range of {
		if s.inNow == 1 && s.inBefore == 1 {
			pairs = append(pairs, [2]int{s.n, s.b})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	// The longest run in which the second number rises, too.
	var ends, previous []int // by length: the pair that ends such a run; by pair: the one before it
	for i, p := range pairs {
		k := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]][1] >= p[1] })
		before := -1
		if k > 0 {
			before = ends[k-1]
		}
		previous = append(previous, before)
		ends = append(ends[:min(k, len(ends))], append([]int{i}, ends[min(k+1, len(ends)):]...)...)
	}
	var run [][2]int
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
			run = append(run, pairs[i])
		}
	}
	slices.Reverse(run)
	return run
}

// longest calls match for the lines of the longest common subsequence.
func longest(now, before []string, match func(n, b int)) {
	width := len(before) + 1
	if len(now)*width > maxCells {
		return
	}
	table := make([]int32, (len(now)+1)*width)
	for n := len(now) - 1; n >= 0; n-- {
		for b := len(before) - 1; b >= 0; b-- {
			if now[n] == before[b] {
				table[n*width+b] = table[(n+1)*width+b+1] + 1
			} else {
				table[n*width+b] = max(table[(n+1)*width+b], table[n*width+b+1])
			}
		}
	}
	for n, b := 0, 0; n < len(now) && b < len(before); {
		switch {
		case now[n] == before[b]:
			match(n, b)
			n, b = n+1, b+1
		case table[(n+1)*width+b] >= table[n*width+b+1]:
			n++
		default:
			b++
		}
	}
}
