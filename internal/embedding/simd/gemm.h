#ifndef CODEINTEL_GEMM_H
#define CODEINTEL_GEMM_H

#include <stddef.h>

// The vector units that the layers are written for. Values are of gemm.go.
enum { GEMM_PORTABLE, GEMM_AVX2, GEMM_AVX512, GEMM_NEON };

// What gemm_activate applies. Values are of gemm.go.
enum { ACT_GELU, ACT_GELU_TANH, ACT_QUICK_GELU, ACT_RELU };

// gemm_has says whether this processor and this program have a unit.
int gemm_has(int unit);

// gemm_multiply puts x * w + bias into y. x has m rows of k numbers, ldx apart;
// y has m rows of n numbers, ldy apart; bias has n numbers, or is null. w is
// packed: panels of 32 columns, each as k rows of 32 numbers, the last one
// filled up with zeros.
void gemm_multiply(int unit, const float *x, size_t ldx, size_t m, size_t k, const float *w, size_t n,
	const float *bias, float *y, size_t ldy);

// gemm_softmax turns m rows of n numbers, ld apart, into exp(scale * x), each row
// divided by its sum.
void gemm_softmax(int unit, float *x, size_t ld, size_t m, size_t n, float scale);

// gemm_activate applies a function to n numbers.
void gemm_activate(int unit, int function, float *x, size_t n);

// gemm_normalize adds r to x, if it is not null, and brings each of m rows of n
// numbers to mean 0 and variance 1, times gain plus shift.
void gemm_normalize(int unit, float *x, const float *r, size_t m, size_t n, const float *gain, const float *shift, float epsilon);

#endif
