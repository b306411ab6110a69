//go:build cgo

package simd

// #cgo CFLAGS: -O3
// #cgo LDFLAGS: -lm
// #include "gemm.h"
import "C"

import (
	"sync"
	"unsafe"
)

// gemmUnits are the C kernels, the fastest first.
var gemmUnits = []struct {
	unit   Unit
	number C.int
}{
	{AVX512, C.GEMM_AVX512},
	{AVX2, C.GEMM_AVX2},
	{NEON, C.GEMM_NEON},
	{Portable, C.GEMM_PORTABLE},
}

// availableGemm are the units of this processor, the fastest first.
var availableGemm = sync.OnceValue(func() (all []Unit) {
	for _, u := range gemmUnits {
		if C.gemm_has(u.number) != 0 {
			all = append(all, u.unit)
		}
	}
	return append(all, Go)
})

func bestGemm() Unit { return availableGemm()[0] }

func (u Unit) gemm() C.int {
	for _, known := range gemmUnits {
		if known.unit == u {
			return known.number
		}
	}
	return C.GEMM_PORTABLE
}

func floats(x []float32) *C.float { return (*C.float)(unsafe.Pointer(unsafe.SliceData(x))) }

func gemmMultiply(u Unit, w *Weights, y, x Rows, rows int, bias []float32) {
	if u == Go {
		goMultiply(w, y, x, rows, bias)
		return
	}
	C.gemm_multiply(u.gemm(), floats(x.Data), C.size_t(x.Stride), C.size_t(rows), C.size_t(w.in),
		floats(w.packed), C.size_t(w.out),
		floats(bias), floats(y.Data), C.size_t(y.Stride))
}

func gemmSoftmax(u Unit, x Rows, rows, n int, scale float32) {
	if u == Go {
		goSoftmax(x, rows, n, scale)
		return
	}
	C.gemm_softmax(u.gemm(), floats(x.Data), C.size_t(x.Stride), C.size_t(rows), C.size_t(n), C.float(scale))
}

func gemmActivate(u Unit, f Activation, x []float32) {
	if u == Go {
		goActivate(f, x)
		return
	}
	C.gemm_activate(u.gemm(), C.int(f), floats(x), C.size_t(len(x)))
}

func gemmNormalize(u Unit, x, r, gain, shift []float32, epsilon float32) {
	if u == Go {
		goNormalize(x, r, gain, shift, epsilon)
		return
	}
	C.gemm_normalize(u.gemm(), floats(x), floats(r), C.size_t(len(x)/len(gain)), C.size_t(len(gain)), floats(gain),
		floats(shift), C.float(epsilon))
}
