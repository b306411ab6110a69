//go:build cgo

package simd

// #cgo CFLAGS: -O3
// #include "dot.h"
import "C"

import (
	"sync"
	"unsafe"
)

// units are the C kernels, the fastest first.
var units = []struct {
	unit   Unit
	number C.int
}{
	{AVX512VNNI, C.DOT_AVX512_VNNI},
	{AVX2, C.DOT_AVX2},
	{NEONDotProd, C.DOT_NEON_DOTPROD},
	{NEON, C.DOT_NEON},
	{Portable, C.DOT_PORTABLE},
}

// available are the units of this processor, the fastest first.
var available = sync.OnceValue(func() (all []Unit) {
	for _, u := range units {
		if C.dot_has(u.number) != 0 {
			all = append(all, u.unit)
		}
	}
	return append(all, Go)
})

func best() Unit { return available()[0] }

func (u Unit) number() C.int {
	for _, known := range units {
		if known.unit == u {
			return known.number
		}
	}
	return C.DOT_PORTABLE
}

func dotRows8(u Unit, query, rows []int8, out []int32) {
	if u == Go {
		goDotRows8(query, rows, out)
		return
	}
	C.dot_rows8(u.number(), (*C.int8_t)(unsafe.Pointer(&query[0])), (*C.int8_t)(unsafe.Pointer(&rows[0])),
		C.size_t(len(query)), C.size_t(len(out)), (*C.int32_t)(unsafe.Pointer(&out[0])))
}

func dotF32(u Unit, a, b []float32) float32 {
	if u == Go {
		return goDotF32(a, b)
	}
	return float32(C.dot_f32(u.number(), (*C.float)(unsafe.Pointer(&a[0])), (*C.float)(unsafe.Pointer(&b[0])),
		C.size_t(len(a))))
}
