//go:build !cgo

package simd

// available are the units that a program without C has.
func available() []Unit { return []Unit{Go} }

func best() Unit { return Go }

func dotRows8(_ Unit, query, rows []int8, out []int32) { goDotRows8(query, rows, out) }

func dotF32(_ Unit, a, b []float32) float32 { return goDotF32(a, b) }
