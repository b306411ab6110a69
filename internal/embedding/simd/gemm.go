package simd

import "math"

// AVX512 is the unit of the layers on processors that have it; the dot products
// ask for more.
const AVX512 Unit = "avx512"

// panel is how many columns of a weight lie together: a multiple of every
// vector's length.
const panel = 32

// Weights is a matrix w, packed so that x·w is fast. It is safe for concurrent
// use while no goroutine packs it again.
type Weights struct {
	in, out int
	packed  []float32 // panels of 32 columns, each of them row by row; zeros at the end
}

// NewWeights packs the weights of a linear layer as they are stored: out rows of
// in numbers. Times x of in columns it gives out columns.
func NewWeights(w []float32, in, out int) *Weights {
	p := new(Weights)
	p.PackRows(w, in, in, out)
	return p
}

// resize makes room for a matrix of that shape, all zero.
func (w *Weights) resize(in, out int) {
	n := (out + panel - 1) / panel * panel * in
	if cap(w.packed) < n {
		w.packed = make([]float32, n)
	}
	w.in, w.out, w.packed = in, out, w.packed[:n]
	if out%panel != 0 {
		clear(w.packed[n-panel*in:])
	}
}

// PackRows packs the transposed of rows: out rows of in numbers that begin ld
// apart. It uses the memory of what w held before.
func (w *Weights) PackRows(rows []float32, ld, in, out int) {
	w.resize(in, out)
	for j := range out {
		row, to := rows[j*ld:j*ld+in], w.packed[j/panel*panel*in+j%panel:]
		for i, v := range row {
			to[i*panel] = v
		}
	}
}

// PackColumns packs a matrix that is stored as it multiplies: in rows of out
// numbers that begin ld apart. It uses the memory of what w held before.
func (w *Weights) PackColumns(rows []float32, ld, in, out int) {
	w.resize(in, out)
	for i := range in {
		row := rows[i*ld : i*ld+out]
		for j := 0; j < out; j += panel {
			copy(w.packed[j*in+i*panel:j*in+(i+1)*panel], row[j:min(j+panel, out)])
		}
	}
}

// A Rows is a matrix of numbers whose rows begin Stride apart.
type Rows struct {
	Data   []float32
	Stride int
}

// Multiply puts x·w + bias into y, for that many rows; bias may be nil. x and y
// must not overlap.
func (w *Weights) Multiply(y, x Rows, rows int, bias []float32) {
	w.multiply(bestGemm(), y, x, rows, bias)
}

func (w *Weights) multiply(u Unit, y, x Rows, rows int, bias []float32) {
	if rows == 0 || w.out == 0 {
		return
	}
	if bias != nil {
		bias = bias[:w.out]
	}
	x.Data, y.Data = x.Data[:(rows-1)*x.Stride+w.in], y.Data[:(rows-1)*y.Stride+w.out]
	gemmMultiply(u, w, y, x, rows, bias)
}

// Softmax turns rows of n numbers into exp(scale·x), each row divided by its sum.
func Softmax(x Rows, rows, n int, scale float32) { softmax(bestGemm(), x, rows, n, scale) }

func softmax(u Unit, x Rows, rows, n int, scale float32) {
	if rows == 0 || n == 0 {
		return
	}
	x.Data = x.Data[:(rows-1)*x.Stride+n]
	gemmSoftmax(u, x, rows, n, scale)
}

// An Activation is a function between two layers.
type Activation int

// The activations. Their numbers are those of gemm.h.
const (
	GELU      Activation = 0 // x·Φ(x), by the error function
	GELUTanh  Activation = 1 // its approximation by the hyperbolic tangent
	QuickGELU Activation = 2 // x·σ(1.702x)
	ReLU      Activation = 3 // max(x, 0)
)

// Activate applies f to every number of x.
func Activate(f Activation, x []float32) { activate(bestGemm(), f, x) }

func activate(u Unit, f Activation, x []float32) {
	if len(x) > 0 {
		gemmActivate(u, f, x)
	}
}

// Normalize adds r to x, unless it is nil, and brings each row of x, which is as
// long as gain, to mean 0 and variance 1, times gain plus shift. Rows lie one
// after the other.
func Normalize(x, r, gain, shift []float32, epsilon float32) {
	normalize(bestGemm(), x, r, gain, shift, epsilon)
}

func normalize(u Unit, x, r, gain, shift []float32, epsilon float32) {
	if len(gain) == 0 || len(x) < len(gain) {
		return
	}
	if r != nil {
		r = r[:len(x)]
	}
	gemmNormalize(u, x[:len(x)/len(gain)*len(gain)], r, gain, shift[:len(gain)], epsilon)
}

// The same in Go, for programs without C.

func goMultiply(w *Weights, y, x Rows, rows int, bias []float32) {
	for r := range rows {
		from, to := x.Data[r*x.Stride:r*x.Stride+w.in], y.Data[r*y.Stride:r*y.Stride+w.out]
		for j := 0; j < w.out; j += panel {
			var sum [panel]float32
			if bias != nil {
				copy(sum[:], bias[j:])
			}
			weights := w.packed[j*w.in : (j+panel)*w.in]
			for i, a := range from {
				row := weights[i*panel : i*panel+panel : i*panel+panel]
				for c := range sum {
					sum[c] += a * row[c]
				}
			}
			copy(to[j:], sum[:])
		}
	}
}

func goSoftmax(x Rows, rows, n int, scale float32) {
	for r := range rows {
		row := x.Data[r*x.Stride : r*x.Stride+n]
		top, sum := row[0], float32(0)
		for _, v := range row {
			top = max(top, v)
		}
		for i, v := range row {
			row[i] = float32(math.Exp(float64((v - top) * scale)))
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
}

func goActivate(f Activation, x []float32) {
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	for i, v := range x {
		v := float64(v)
		switch f {
		case GELU:
			v *= 0.5 * (1 + math.Erf(v/math.Sqrt2))
		case GELUTanh:
			v *= 0.5 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		case QuickGELU:
			v *= sigmoid(1.702 * v)
		default:
			v = max(v, 0)
		}
		x[i] = float32(v)
	}
}

func goNormalize(x, r, gain, shift []float32, epsilon float32) {
	n := len(gain)
	for at := 0; at < len(x); at += n {
		row := x[at : at+n]
		var sum, squares float32
		for i := range row {
			if r != nil {
				row[i] += r[at+i]
			}
			sum += row[i]
		}
		mean := sum / float32(n)
		for _, v := range row {
			squares += (v - mean) * (v - mean)
		}
		scale := 1 / float32(math.Sqrt(float64(squares/float32(n)+epsilon)))
		for i, v := range row {
			row[i] = (v-mean)*scale*gain[i] + shift[i]
		}
	}
}
