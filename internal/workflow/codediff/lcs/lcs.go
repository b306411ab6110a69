// Package lcs aligns two sequences by their longest common subsequence.
// Package codediff aligns with it the tokens of a file before and after.
package lcs

// maxSteps bounds the comparison of two texts. What differs beyond it counts as
// changed as a whole.
const maxSteps = 8 << 20

// Align returns, for two sequences, which elements of each have a partner in the
// other: partners of a in b, or -1.
func Align(a, b []string) []int {
	partner := make([]int, len(a))
	for i := range partner {
		partner[i] = -1
	}
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		partner[from] = from
		from++
	}
	endA, endB := len(a), len(b)
	for endA > from && endB > from && a[endA-1] == b[endB-1] {
		endA--
		endB--
		partner[endA] = endB
	}
	myers(a[from:endA], b[from:endB], func(i, j int) { partner[from+i] = from + j })
	return partner
}

// myers calls same for the pairs of a longest common subsequence, by Myers' algorithm.
func myers(a, b []string, same func(i, j int)) {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return
	}
	most := n + m
	v := make([]int, 2*most+2)
	var trace [][]int
	steps := 0
	for d := 0; d <= most; d++ {
		if steps += 2*d + 1; steps > maxSteps {
			return
		}
		trace = append(trace, append([]int(nil), v[most-d:most+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[most+k-1] < v[most+k+1] {
				x = v[most+k+1]
			} else {
				x = v[most+k-1] + 1
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x++
				y++
				steps++
			}
			v[most+k] = x
			if x >= n && y >= m {
				walkBack(trace, n, m, d, same)
				return
			}
		}
	}
}

// walkBack follows the way of myers from its end.
func walkBack(trace [][]int, x, y, d int, same func(i, j int)) {
	for ; d > 0; d-- {
		v := trace[d] // as it was before step d: of -d … d
		at := func(k int) int {
			if i := k + d; i >= 0 && i < len(v) {
				return v[i]
			}
			return 0
		}
		k := x - y
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		for x > px && y > py {
			x--
			y--
			same(x, y)
		}
		x, y = px, py
	}
	for x > 0 && y > 0 {
		x--
		y--
		same(x, y)
	}
}
