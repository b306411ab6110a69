// Package simd does vector arithmetic, such as dot products, with the SIMD instructions of the processor.
//
// Every kernel exists twice: in C, for the widest vector unit of the processor (chosen at
// run time), and in Go, for builds without a C compiler. The tests check that both give the
// same results. A kernel works on the slices that it is given: it allocates nothing, keeps
// nothing, starts no goroutine, and is safe for concurrent use.
//
// gemm.* is for the layers of an encoder; dot.* compares one vector with many.
package simd
