#include "dot.h"

// A product and a sum that are fused round once instead of twice, so that the
// result would depend on the compiler.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

enum { LANES = 32 };

// reduce adds up 32 sums in the order that dot.h promises.
static float reduce(float *lane) {
	for (int width = LANES / 2; width > 0; width /= 2) {
		for (int j = 0; j < width; j++) {
			lane[j] += lane[j + width];
		}
	}
	return lane[0];
}

// finish adds the elements from i on, fewer than 32, and reduces.
static float finish(float *lane, const float *a, const float *b, size_t i, size_t n) {
	for (size_t j = 0; i + j < n; j++) {
		lane[j] += a[i + j] * b[i + j];
	}
	return reduce(lane);
}

static float f32_portable(const float *a, const float *b, size_t n) {
	float lane[LANES] = {0};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		for (int j = 0; j < LANES; j++) {
			lane[j] += a[i + j] * b[i + j];
		}
	}
	return finish(lane, a, b, i, n);
}

static int32_t tail8(const int8_t *a, const int8_t *b, size_t i, size_t n) {
	int32_t sum = 0;
	for (; i < n; i++) {
		sum += (int32_t)a[i] * b[i];
	}
	return sum;
}

static void rows8_portable(const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	for (size_t r = 0; r < count; r++) {
		out[r] = tail8(query, rows + r * n, 0, n);
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static float f32_avx2(const float *a, const float *b, size_t n) {
	__m256 s[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		for (int j = 0; j < 4; j++) {
			__m256 p = _mm256_mul_ps(_mm256_loadu_ps(a + i + 8 * j), _mm256_loadu_ps(b + i + 8 * j));
			s[j] = _mm256_add_ps(s[j], p);
		}
	}
	float lane[LANES];
	for (int j = 0; j < 4; j++) {
		_mm256_storeu_ps(lane + 8 * j, s[j]);
	}
	return finish(lane, a, b, i, n);
}

__attribute__((target("avx2"))) static __m256i wide(const int8_t *p) {
	return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

__attribute__((target("avx2"))) static void rows8_avx2(const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	for (size_t r = 0; r < count; r++) {
		const int8_t *row = rows + r * n;
		__m256i s0 = _mm256_setzero_si256(), s1 = s0;
		size_t i = 0;
		for (; i + 32 <= n; i += 32) {
			s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(wide(row + i), wide(query + i)));
			s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(wide(row + i + 16), wide(query + i + 16)));
		}
		s0 = _mm256_add_epi32(s0, s1);
		__m128i s = _mm_add_epi32(_mm256_castsi256_si128(s0), _mm256_extracti128_si256(s0, 1));
		s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
		s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
		out[r] = _mm_cvtsi128_si32(s) + tail8(query, row, i, n);
	}
}

// VPDPBUSD multiplies unsigned with signed bytes: the row is raised by 128, and
// 128 times the sum of the query is taken off again.
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void rows8_vnni(const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	const __m512i high = _mm512_set1_epi8((char)0x80);
	size_t whole = n - n % 64;
	int32_t raised = 0;
	for (size_t i = 0; i < whole; i++) {
		raised += 128 * (int32_t)query[i];
	}
	for (size_t r = 0; r < count; r++) {
		const int8_t *row = rows + r * n;
		__m512i s0 = _mm512_setzero_si512(), s1 = s0;
		size_t i = 0;
		for (; i + 128 <= whole; i += 128) {
			s0 = _mm512_dpbusd_epi32(s0, _mm512_xor_si512(_mm512_loadu_si512(row + i), high), _mm512_loadu_si512(query + i));
			s1 = _mm512_dpbusd_epi32(s1, _mm512_xor_si512(_mm512_loadu_si512(row + i + 64), high), _mm512_loadu_si512(query + i + 64));
		}
		if (i < whole) {
			s0 = _mm512_dpbusd_epi32(s0, _mm512_xor_si512(_mm512_loadu_si512(row + i), high), _mm512_loadu_si512(query + i));
		}
		out[r] = _mm512_reduce_add_epi32(_mm512_add_epi32(s0, s1)) - raised + tail8(query, row, whole, n);
	}
}

int dot_has(int unit) {
	__builtin_cpu_init();
	switch (unit) {
	case DOT_PORTABLE:
		return 1;
	case DOT_AVX2:
		return __builtin_cpu_supports("avx2") != 0;
	case DOT_AVX512_VNNI:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
	}
	return 0;
}

void dot_rows8(int unit, const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	switch (unit) {
	case DOT_AVX512_VNNI:
		rows8_vnni(query, rows, n, count, out);
		break;
	case DOT_AVX2:
		rows8_avx2(query, rows, n, count, out);
		break;
	default:
		rows8_portable(query, rows, n, count, out);
	}
}

// The sums of AVX-512 would be the same; a row of floats comes from memory, which
// is slower than either.
float dot_f32(int unit, const float *a, const float *b, size_t n) {
	return unit == DOT_PORTABLE ? f32_portable(a, b, n) : f32_avx2(a, b, n);
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

static float f32_neon(const float *a, const float *b, size_t n) {
	float32x4_t s[8];
	for (int j = 0; j < 8; j++) {
		s[j] = vdupq_n_f32(0);
	}
	size_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		for (int j = 0; j < 8; j++) {
			s[j] = vaddq_f32(s[j], vmulq_f32(vld1q_f32(a + i + 4 * j), vld1q_f32(b + i + 4 * j)));
		}
	}
	float lane[LANES];
	for (int j = 0; j < 8; j++) {
		vst1q_f32(lane + 4 * j, s[j]);
	}
	return finish(lane, a, b, i, n);
}

static void rows8_neon(const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	for (size_t r = 0; r < count; r++) {
		const int8_t *row = rows + r * n;
		int32x4_t s0 = vdupq_n_s32(0), s1 = s0;
		size_t i = 0;
		for (; i + 16 <= n; i += 16) {
			int8x16_t x = vld1q_s8(row + i), y = vld1q_s8(query + i);
			s0 = vpadalq_s16(s0, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
			s1 = vpadalq_s16(s1, vmull_s8(vget_high_s8(x), vget_high_s8(y)));
		}
		out[r] = vaddvq_s32(vaddq_s32(s0, s1)) + tail8(query, row, i, n);
	}
}

__attribute__((target("arch=armv8.2-a+dotprod"))) static void rows8_dotprod(const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	for (size_t r = 0; r < count; r++) {
		const int8_t *row = rows + r * n;
		int32x4_t s0 = vdupq_n_s32(0), s1 = s0;
		size_t i = 0;
		for (; i + 32 <= n; i += 32) {
			s0 = vdotq_s32(s0, vld1q_s8(row + i), vld1q_s8(query + i));
			s1 = vdotq_s32(s1, vld1q_s8(row + i + 16), vld1q_s8(query + i + 16));
		}
		out[r] = vaddvq_s32(vaddq_s32(s0, s1)) + tail8(query, row, i, n);
	}
}

int dot_has(int unit) {
	switch (unit) {
	case DOT_PORTABLE:
	case DOT_NEON:
		return 1;
	case DOT_NEON_DOTPROD:
#if defined(__linux__)
		return (getauxval(AT_HWCAP) >> 20) & 1; // HWCAP_ASIMDDP
#elif defined(__APPLE__)
		return 1; // every processor that macOS runs on
#endif
	}
	return 0;
}

void dot_rows8(int unit, const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	switch (unit) {
	case DOT_NEON_DOTPROD:
		rows8_dotprod(query, rows, n, count, out);
		break;
	case DOT_NEON:
		rows8_neon(query, rows, n, count, out);
		break;
	default:
		rows8_portable(query, rows, n, count, out);
	}
}

float dot_f32(int unit, const float *a, const float *b, size_t n) {
	return unit == DOT_PORTABLE ? f32_portable(a, b, n) : f32_neon(a, b, n);
}

#else

int dot_has(int unit) { return unit == DOT_PORTABLE; }

void dot_rows8(int unit, const int8_t *query, const int8_t *rows, size_t n, size_t count, int32_t *out) {
	(void)unit;
	rows8_portable(query, rows, n, count, out);
}

float dot_f32(int unit, const float *a, const float *b, size_t n) {
	(void)unit;
	return f32_portable(a, b, n);
}

#endif
