#include "gemm.h"

#include <math.h>
#include <string.h>

// PANEL is how many columns a panel has; BLOCK is how many rows of x are worked
// on before the next, a multiple of every MR.
enum { PANEL = 32, BLOCK = 144 };

#define NAME(f) f##_portable
#define TARGET
#define VL 4
#define NV 2
#define MR 4
#include "gemm_body.h"

#if defined(__x86_64__)
#define NAME(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VL 8
#define NV 2
#define MR 6
#include "gemm_body.h"

#define NAME(f) f##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#define VL 16
#define NV 2
#define MR 12
#include "gemm_body.h"
#endif

#if defined(__aarch64__)
#define NAME(f) f##_neon
#define TARGET
#define VL 4
#define NV 4
#define MR 6
#include "gemm_body.h"
#endif

int gemm_has(int unit) {
	switch (unit) {
	case GEMM_PORTABLE:
		return 1;
#if defined(__x86_64__)
	case GEMM_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	case GEMM_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma");
#endif
#if defined(__aarch64__)
	case GEMM_NEON: // every processor of this architecture has it
		return 1;
#endif
	}
	return 0;
}

// DISPATCH calls the function of a unit.
#if defined(__x86_64__)
#define DISPATCH(unit, f, ...)            \
	switch (unit) {                       \
	case GEMM_AVX512:                     \
		f##_avx512(__VA_ARGS__);          \
		return;                           \
	case GEMM_AVX2:                       \
		f##_avx2(__VA_ARGS__);            \
		return;                           \
	}                                     \
	f##_portable(__VA_ARGS__)
#elif defined(__aarch64__)
#define DISPATCH(unit, f, ...)            \
	if (unit == GEMM_NEON) {              \
		f##_neon(__VA_ARGS__);            \
		return;                           \
	}                                     \
	f##_portable(__VA_ARGS__)
#else
#define DISPATCH(unit, f, ...) f##_portable(__VA_ARGS__)
#endif

void gemm_multiply(int unit, const float *x, size_t ldx, size_t m, size_t k, const float *w, size_t n,
	const float *bias, float *y, size_t ldy) {
	DISPATCH(unit, multiply, x, ldx, m, k, w, n, bias, y, ldy);
}

void gemm_softmax(int unit, float *x, size_t ld, size_t m, size_t n, float scale) {
	DISPATCH(unit, softmax, x, ld, m, n, scale);
}

void gemm_activate(int unit, int function, float *x, size_t n) {
	DISPATCH(unit, activate, function, x, n);
}

void gemm_normalize(int unit, float *x, const float *r, size_t m, size_t n, const float *gain, const float *shift, float epsilon) {
	DISPATCH(unit, normalize, x, r, m, n, gain, shift, epsilon);
}
