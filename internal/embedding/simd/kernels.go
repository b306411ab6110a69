// Package simd is arithmetic on rows of numbers, as fast as the processor can.
//
// It promises that every kernel exists twice: in C, for the widest vector unit
// that this processor has (chosen at run time), and in Go, for builds without a
// C compiler; the tests hold the two to the same results. A kernel works on the
// slices it is given: it allocates nothing, keeps nothing, starts no goroutine,
// and is safe to call from many at once. It never looks into a file and knows
// nothing of models or of vectors' meaning.
//
// gemm.* is what the layers of an encoder need; dot.* compares one vector with
// many.
package simd
