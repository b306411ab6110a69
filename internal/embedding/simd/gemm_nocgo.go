//go:build !cgo

package simd

// availableGemm are the units that a program without C has.
func availableGemm() []Unit { return []Unit{Go} }

func bestGemm() Unit { return Go }

func gemmMultiply(_ Unit, w *Weights, y, x Rows, rows int, bias []float32) {
	goMultiply(w, y, x, rows, bias)
}

func gemmSoftmax(_ Unit, x Rows, rows, n int, scale float32) { goSoftmax(x, rows, n, scale) }

func gemmActivate(_ Unit, f Activation, x []float32) { goActivate(f, x) }

func gemmNormalize(_ Unit, x, r, gain, shift []float32, epsilon float32) {
	goNormalize(x, r, gain, shift, epsilon)
}
