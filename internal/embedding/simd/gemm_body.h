// The layers for one vector unit. gemm.c includes this file once for each, with
//
//	NAME(f)  the name of f for the unit
//	TARGET   what lets the compiler use the unit
//	VL       floats in a vector
//	NV       vectors in a row of the tile that is kept in registers
//	MR       rows of that tile
//
// It is written in the vector extensions of GCC and Clang, so that one text
// serves all units.

typedef float NAME(vf) __attribute__((vector_size(4 * VL), aligned(4), may_alias));
typedef int NAME(vi) __attribute__((vector_size(4 * VL), aligned(4), may_alias));

#define VF NAME(vf)
#define VI NAME(vi)
#define INLINE TARGET static inline __attribute__((always_inline))

// tile multiplies mr rows of x with NV * VL columns of a panel. Of the result,
// columns from wide on are not stored.
INLINE void NAME(tile)(const int mr, const float *x, size_t ldx, size_t k, const float *w, const float *bias,
	float *y, size_t ldy, size_t wide) {
	VF sum[MR][NV];
	float start[NV * VL];
	for (size_t j = 0; j < NV * VL; j++) {
		start[j] = bias && j < wide ? bias[j] : 0;
	}
#pragma GCC unroll 16
	for (int i = 0; i < mr; i++) {
#pragma GCC unroll 16
		for (int v = 0; v < NV; v++) {
			sum[i][v] = *(const VF *)(start + v * VL);
		}
	}
	for (size_t p = 0; p < k; p++, w += PANEL) {
		VF row[NV];
#pragma GCC unroll 16
		for (int v = 0; v < NV; v++) {
			row[v] = *(const VF *)(w + v * VL);
		}
#pragma GCC unroll 16
		for (int i = 0; i < mr; i++) {
			float a = x[i * ldx + p];
#pragma GCC unroll 16
			for (int v = 0; v < NV; v++) {
				sum[i][v] += row[v] * a;
			}
		}
	}
#pragma GCC unroll 16
	for (int i = 0; i < mr; i++) {
		if (wide >= NV * VL) {
#pragma GCC unroll 16
			for (int v = 0; v < NV; v++) {
				*(VF *)(y + i * ldy + v * VL) = sum[i][v];
			}
		} else {
			memcpy(y + i * ldy, sum[i], wide * sizeof(float));
		}
	}
}

// A tile of full height, and one of a single row for what is left over.
TARGET static void NAME(tall)(const float *x, size_t ldx, size_t k, const float *w, const float *bias, float *y, size_t ldy, size_t wide) {
	NAME(tile)(MR, x, ldx, k, w, bias, y, ldy, wide);
}

TARGET static void NAME(half)(const float *x, size_t ldx, size_t k, const float *w, const float *bias, float *y, size_t ldy, size_t wide) {
	NAME(tile)(MR / 2, x, ldx, k, w, bias, y, ldy, wide);
}

TARGET static void NAME(flat)(const float *x, size_t ldx, size_t k, const float *w, const float *bias, float *y, size_t ldy, size_t wide) {
	NAME(tile)(1, x, ldx, k, w, bias, y, ldy, wide);
}

// multiply goes through x in blocks of rows that stay in the cache while the
// panels pass by.
TARGET static void NAME(multiply)(const float *x, size_t ldx, size_t m, size_t k, const float *w, size_t n,
	const float *bias, float *y, size_t ldy) {
	for (size_t from = 0; from < m; from += BLOCK) {
		size_t to = from + BLOCK < m ? from + BLOCK : m;
		for (size_t col = 0; col < n; col += NV * VL) {
			const float *part = w + col / PANEL * PANEL * k + col % PANEL;
			const float *b = bias ? bias + col : 0;
			size_t i = from, wide = n - col;
			for (; i + MR <= to; i += MR) {
				NAME(tall)(x + i * ldx, ldx, k, part, b, y + i * ldy + col, ldy, wide);
			}
			for (; i + MR / 2 <= to; i += MR / 2) {
				NAME(half)(x + i * ldx, ldx, k, part, b, y + i * ldy + col, ldy, wide);
			}
			for (; i < to; i++) {
				NAME(flat)(x + i * ldx, ldx, k, part, b, y + i * ldy + col, ldy, wide);
			}
		}
	}
}

INLINE VF NAME(smaller)(VF a, VF b) { return (VF)(((VI)a & (a < b)) | ((VI)b & ~(a < b))); }

INLINE VF NAME(larger)(VF a, VF b) { return (VF)(((VI)a & (a > b)) | ((VI)b & ~(a > b))); }

// exp: 2^n from the exponent's bits, and e^r for what remains, |r| <= ln(2)/2, by
// its series up to r^6. Adding 1.5 * 2^23 rounds to a whole number and leaves it
// in the lowest bits.
INLINE VF NAME(exp)(VF x) {
	const VF zero = {0};
	const float round = 12582912.0f;
	x = NAME(larger)(NAME(smaller)(x, zero + 88.0f), zero - 87.0f);
	VF shifted = x * 1.44269504088896341f + round;
	VF n = shifted - round;
	VF r = x - n * 0.693145751953125f; // ln(2) in two parts, the first with few bits
	r = r - n * 1.42860682030941723212e-6f;
	VF s = zero + 1.0f / 720;
	s = s * r + 1.0f / 120;
	s = s * r + 1.0f / 24;
	s = s * r + 1.0f / 6;
	s = s * r + 0.5f;
	s = s * r + 1.0f;
	s = s * r + 1.0f;
	return (VF)((VI)s + (((VI)shifted - 0x4B400000) << 23));
}

// gelu: x * (1 + erf(x / sqrt 2)) / 2, erf by formula 7.1.26 of Abramowitz and
// Stegun, which is off by 1.5e-7 at most.
INLINE VF NAME(gelu)(VF x) {
	const VF zero = {0};
	VF z = x * 0.70710678118654752f;
	VF positive = NAME(larger)(z, -z);
	VF t = 1.0f / (1.0f + 0.3275911f * positive);
	VF s = zero + 1.061405429f;
	s = s * t - 1.453152027f;
	s = s * t + 1.421413741f;
	s = s * t - 0.284496736f;
	s = s * t + 0.254829592f;
	VF erf = 1.0f - s * t * NAME(exp)(-(z * z));
	erf = (VF)((VI)erf | ((VI)z & (int)0x80000000)); // erf(-z) = -erf(z)
	return 0.5f * x * (1.0f + erf);
}

// sigmoid is 1 / (1 + e^-x); the other approximations of gelu are made of it.
INLINE VF NAME(sigmoid)(VF x) { return 1.0f / (1.0f + NAME(exp)(-x)); }

INLINE VF NAME(activation)(int function, VF x) {
	const VF zero = {0};
	switch (function) {
	case ACT_GELU:
		return NAME(gelu)(x);
	case ACT_GELU_TANH: // (1 + tanh z) / 2 = sigmoid(2z)
		return x * NAME(sigmoid)(1.5957691216057308f * (x + 0.044715f * x * x * x));
	case ACT_QUICK_GELU:
		return x * NAME(sigmoid)(1.702f * x);
	}
	return NAME(larger)(x, zero);
}

TARGET static void NAME(activate)(int function, float *x, size_t n) {
	size_t i = 0;
	for (; i + VL <= n; i += VL) {
		*(VF *)(x + i) = NAME(activation)(function, *(VF *)(x + i));
	}
	if (i < n) {
		float rest[VL] = {0};
		memcpy(rest, x + i, (n - i) * sizeof(float));
		*(VF *)rest = NAME(activation)(function, *(VF *)rest);
		memcpy(x + i, rest, (n - i) * sizeof(float));
	}
}

INLINE float NAME(total)(VF v) {
	float sum = 0;
	for (int j = 0; j < VL; j++) {
		sum += v[j];
	}
	return sum;
}

TARGET static void NAME(softmax)(float *x, size_t ld, size_t m, size_t n, float scale) {
	for (size_t r = 0; r < m; r++, x += ld) {
		float top = x[0];
		for (size_t i = 1; i < n; i++) {
			top = x[i] > top ? x[i] : top;
		}
		VF sums = {0};
		size_t i = 0;
		for (; i + VL <= n; i += VL) {
			VF e = NAME(exp)((*(VF *)(x + i) - top) * scale);
			*(VF *)(x + i) = e;
			sums += e;
		}
		float sum = NAME(total)(sums);
		if (i < n) {
			float rest[VL] = {0};
			memcpy(rest, x + i, (n - i) * sizeof(float));
			*(VF *)rest = NAME(exp)((*(VF *)rest - top) * scale);
			for (size_t j = 0; i + j < n; j++) {
				x[i + j] = rest[j];
				sum += rest[j];
			}
		}
		sum = 1 / sum;
		for (i = 0; i < n; i++) {
			x[i] *= sum;
		}
	}
}

TARGET static void NAME(normalize)(float *x, const float *r, size_t m, size_t n, const float *gain, const float *shift, float epsilon) {
	for (size_t row = 0; row < m; row++, x += n) {
		VF sums = {0};
		float sum = 0;
		size_t i = 0;
		for (; i + VL <= n; i += VL) {
			if (r) {
				*(VF *)(x + i) += *(const VF *)(r + i);
			}
			sums += *(VF *)(x + i);
		}
		for (; i < n; i++) {
			x[i] += r ? r[i] : 0;
			sum += x[i];
		}
		float mean = (sum + NAME(total)(sums)) / n;
		sums = (VF){0};
		sum = 0;
		for (i = 0; i + VL <= n; i += VL) {
			VF d = *(VF *)(x + i) - mean;
			sums += d * d;
		}
		for (; i < n; i++) {
			sum += (x[i] - mean) * (x[i] - mean);
		}
		float scale = 1 / sqrtf((sum + NAME(total)(sums)) / n + epsilon);
		for (i = 0; i + VL <= n; i += VL) {
			*(VF *)(x + i) = (*(VF *)(x + i) - mean) * scale * *(const VF *)(gain + i) + *(const VF *)(shift + i);
		}
		for (; i < n; i++) {
			x[i] = (x[i] - mean) * scale * gain[i] + shift[i];
		}
		r = r ? r + n : 0;
	}
}

#undef VF
#undef VI
#undef INLINE
#undef NAME
#undef TARGET
#undef VL
#undef NV
#undef MR
