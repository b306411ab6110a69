package lsa

import (
	"math"
	"slices"
)

// A square is a matrix of width rows and columns.
type square [width][width]float64

// gram returns x'x of n rows of width numbers.
func gram(x []float32, n int) *square {
	var g square
	for i := range n {
		row := x[i*width:][:width]
		for a, v := range row {
			if v == 0 {
				continue
			}
			v, to := float64(v), &g[a]
			for b := range a + 1 {
				to[b] += v * float64(row[b])
			}
		}
	}
	for a := range width {
		for b := range a {
			g[b][a] = g[a][b]
		}
	}
	return &g
}

// orthonormalise makes the columns of x, n rows of width numbers, orthogonal and
// of length one: x times the inverse of the transposed Cholesky factor of x'x.
func orthonormalise(x []float32, n int) {
	l := cholesky(gram(x, n))
	each(n, func(i int) {
		row := x[i*width:][:width]
		for a := range width {
			sum := float64(row[a])
			for b := range a {
				sum -= l[a][b] * float64(row[b])
			}
			row[a] = float32(sum / l[a][a])
		}
	})
}

// cholesky returns the lower triangular l with l l' = g. Directions without
// extent get a little, so that it always exists.
func cholesky(g *square) *square {
	var l square
	most := 0.0
	for i := range width {
		most = max(most, g[i][i])
	}
	least := max(most*1e-10, math.SmallestNonzeroFloat32)
	for i := range width {
		for j := range i + 1 {
			sum := g[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(sum, least))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	return &l
}

// eigen returns the eigenvectors of a symmetric matrix as columns, and the
// eigenvalues, largest first, by Jacobi's rotations. It changes a.
func eigen(a *square) (vectors *square, values [width]float64) {
	var v square
	for i := range width {
		v[i][i] = 1
	}
	const sweeps = 20
	for range sweeps {
		off, on := 0.0, 0.0
		for p := range width {
			on += a[p][p] * a[p][p]
			for q := p + 1; q < width; q++ {
				off += a[p][q] * a[p][q]
				rotate(a, &v, p, q)
			}
		}
		if off <= 1e-18*on {
			break
		}
	}
	order := make([]int, width)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case a[i][i] > a[j][j]:
			return -1
		case a[i][i] < a[j][j]:
			return 1
		}
		return 0
	})
	vectors = new(square)
	for to, from := range order {
		values[to] = a[from][from]
		for i := range width {
			vectors[i][to] = v[i][from]
		}
	}
	return vectors, values
}

// rotate makes a[p][q] zero.
func rotate(a, v *square, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for i := range width {
		x, y := a[i][p], a[i][q]
		a[i][p], a[i][q] = c*x-s*y, s*x+c*y
	}
	for i := range width {
		x, y := a[p][i], a[q][i]
		a[p][i], a[q][i] = c*x-s*y, s*x+c*y
	}
	for i := range width {
		x, y := v[i][p], v[i][q]
		v[i][p], v[i][q] = c*x-s*y, s*x+c*y
	}
}
