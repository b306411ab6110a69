#ifndef CODEINTEL_DOT_H
#define CODEINTEL_DOT_H

#include <stddef.h>
#include <stdint.h>

// The vector units that the dot products are written for. Values are of dot.go.
enum { DOT_PORTABLE, DOT_AVX2, DOT_AVX512_VNNI, DOT_NEON, DOT_NEON_DOTPROD };

// dot_has says whether this processor and this program have a unit.
int dot_has(int unit);

// dot_rows8 puts into out[i] the dot product of query with row i: n bytes that
// begin at rows + i * n. Of any bytes it is exact where n <= 2^16.
void dot_rows8(int unit, const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out);

// dot_f32 is the dot product of two rows of n floats, added up in an order that
// is the same for every unit: 32 sums, number j of the elements whose index is j
// modulo 32, which then are added 16 apart, 8 apart, and so on. No product is
// fused with its sum.
float dot_f32(int unit, const float *a, const float *b, size_t n);

#endif
