package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near says whether got is within a rounding of want, which was computed in 64
// bits; size is how large the numbers are that went into it.
func near(got float32, want, size float64) bool {
	return math.Abs(float64(got)-want) <= 2e-6*max(1, size)
}

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// TestMultiply holds every unit to sums in 64 bits, for shapes around the edges
// of tiles and panels, and looks that nothing is written beside the result.
func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, u := range availableGemm() {
		for _, m := range []int{1, 2, 5, 6, 11, 12, 13, 25, 145} {
			for _, n := range []int{1, 7, 16, 31, 32, 33, 48, 65} {
				for _, k := range []int{1, 3, 64, 96} {
					testMultiply(t, u, r, m, n, k)
				}
			}
		}
	}
}

func testMultiply(t *testing.T, u Unit, r *rand.Rand, m, n, k int) {
	t.Helper()
	ldx, ldy := k+3, n+5
	x, w, bias := random(r, m*ldx), random(r, n*k), random(r, n)
	transposed := make([]float32, n*k)
	for j := range n {
		for i := range k {
			transposed[i*n+j] = w[j*k+i]
		}
	}
	var other Weights
	other.PackRows(random(r, 40*k), k, k, 40) // so that old numbers lie about
	other.PackColumns(transposed, n, k, n)
	for _, p := range []*Weights{NewWeights(w, k, n), &other} {
		y := make([]float32, m*ldy)
		for i := range y {
			y[i] = 42
		}
		p.multiply(u, Rows{y, ldy}, Rows{x, ldx}, m, bias)
		for i := range m {
			for j := range ldy {
				want := 42.0
				if j < n {
					want = float64(bias[j])
					for c := range k {
						want += float64(x[i*ldx+c]) * float64(w[j*k+c])
					}
				}
				if got := y[i*ldy+j]; !near(got, want, 2*math.Sqrt(float64(k))) {
					t.Fatalf("%s, %d×%d×%d: y[%d,%d] = %v, want %v", u, m, k, n, i, j, got, want)
				}
			}
		}
	}
}

func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, u := range availableGemm() {
		for n := 1; n < 70; n++ {
			x := random(r, 3*(n+2))
			x[0] = -1e30 // as far away as a number can be
			for i := range x {
				x[i] *= 9
			}
			before := append([]float32(nil), x...)
			softmax(u, Rows{x, n + 2}, 3, n, 0.7)
			for row := range 3 {
				at, sum := row*(n+2), 0.0
				for i := range n {
					sum += math.Exp(0.7 * float64(before[at+i]-maximum(before[at:at+n])))
				}
				for i := range n {
					want := math.Exp(0.7*float64(before[at+i]-maximum(before[at:at+n]))) / sum
					if !near(x[at+i], want, 1) {
						t.Fatalf("%s, %d: %v, want %v", u, n, x[at+i], want)
					}
				}
				if n := at + n; n < len(x) && x[n] != before[n] {
					t.Fatalf("%s: wrote beside the row", u)
				}
			}
		}
	}
}

func maximum(x []float32) float32 {
	m := x[0]
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

func TestActivate(t *testing.T) {
	for _, u := range availableGemm() {
		for f, want := range map[Activation]func(x float64) float64{
			GELU:      func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) },
			GELUTanh:  func(x float64) float64 { return x * 0.5 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) },
			QuickGELU: func(x float64) float64 { return x / (1 + math.Exp(-1.702*x)) },
			ReLU:      func(x float64) float64 { return max(x, 0) },
		} {
			var x []float32
			for v := float32(-30); v <= 30; v += 0.0137 {
				x = append(x, v)
			}
			x = append(x, 0, -1e9, 1e9)
			got := append([]float32(nil), x...)
			activate(u, f, got)
			for i, v := range x {
				if !near(got[i], want(float64(v)), math.Abs(float64(v))) {
					t.Fatalf("%s: f%d(%v) = %v, want %v", u, f, v, got[i], want(float64(v)))
				}
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, u := range availableGemm() {
		for _, n := range []int{1, 5, 16, 33, 384} {
			for _, add := range []bool{false, true} {
				x, gain, shift := random(r, 3*n), random(r, n), random(r, n)
				var extra []float32
				sum := append([]float32(nil), x...)
				if add {
					extra = random(r, 3*n)
					for i := range sum {
						sum[i] += extra[i]
					}
				}
				normalize(u, x, extra, gain, shift, 1e-5)
				for at := 0; at < len(x); at += n {
					mean, variance := 0.0, 0.0
					for _, v := range sum[at : at+n] {
						mean += float64(v) / float64(n)
					}
					for _, v := range sum[at : at+n] {
						variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
					}
					for i := range n {
						want := (float64(sum[at+i])-mean)/math.Sqrt(variance+1e-5)*float64(gain[i]) + float64(shift[i])
						if !near(x[at+i], want, 4) && n > 1 {
							t.Fatalf("%s, %d: %v, want %v", u, n, x[at+i], want)
						}
					}
				}
			}
		}
	}
}

// BenchmarkMultiply is the layer of a small encoder that takes most of its time.
func BenchmarkMultiply(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	const m, k, n = 512, 384, 1536
	w, x, y := NewWeights(random(r, k*n), k, n), random(r, m*k), make([]float32, m*n)
	for _, u := range availableGemm() {
		b.Run(string(u), func(b *testing.B) {
			for b.Loop() {
				w.multiply(u, Rows{y, n}, Rows{x, k}, m, nil)
			}
			b.ReportMetric(2*m*k*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
