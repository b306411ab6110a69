package simd

// A Unit is a vector unit of a processor.
type Unit string

// The units that the dot products are written for.
const (
	Go           Unit = "go"       // none, and no C compiler either
	Portable     Unit = "portable" // none, in C
	AVX2         Unit = "avx2"
	AVX512VNNI   Unit = "avx512-vnni"
	NEON         Unit = "neon"
	NEONDotProd  Unit = "neon-dotprod"
	lanes             = 32
	maxRowLength      = 1 << 16
)

// DotRows8 puts into out[i] the dot product of query with row i of rows, which
// holds len(out) rows as long as query, one after the other. Of any bytes it is
// exact; a query has at most 65,536.
func DotRows8(query, rows []int8, out []int32) {
	checkRows(query, rows, out)
	if len(query) == 0 || len(out) == 0 {
		clear(out)
		return
	}
	dotRows8(best(), query, rows, out)
}

// checkRows panics where rows are not what out asks for, as indexing would.
func checkRows(query, rows []int8, out []int32) {
	if len(rows) != len(query)*len(out) || len(query) > maxRowLength {
		panic("kernels: rows of another length")
	}
}

// DotF32 is the dot product of two vectors of one length. It is the same, bit for
// bit, on every unit: 32 sums, number j of the elements whose index is j modulo
// 32, which then are added 16 apart, 8 apart, and so on.
func DotF32(a, b []float32) float32 {
	if len(a) != len(b) {
		panic("kernels: vectors of different length")
	}
	if len(a) == 0 {
		return 0
	}
	return dotF32(best(), a, b)
}

func goDotRows8(query, rows []int8, out []int32) {
	n := len(query)
	for i := range out {
		row := rows[i*n : i*n+n]
		var s0, s1, s2, s3 int32
		j := 0
		for ; j+4 <= n; j += 4 {
			q, r := query[j:j+4:j+4], row[j:j+4:j+4]
			s0 += int32(q[0]) * int32(r[0])
			s1 += int32(q[1]) * int32(r[1])
			s2 += int32(q[2]) * int32(r[2])
			s3 += int32(q[3]) * int32(r[3])
		}
		for ; j < n; j++ {
			s0 += int32(query[j]) * int32(row[j])
		}
		out[i] = s0 + s1 + s2 + s3
	}
}

func goDotF32(a, b []float32) float32 {
	var lane [lanes]float32
	for i := 0; i < len(a); i += lanes {
		n := min(lanes, len(a)-i)
		x, y := a[i:i+n], b[i:i+n]
		for j := range x {
			lane[j] += float32(x[j] * y[j]) // the conversion forbids to fuse
		}
	}
	for width := lanes / 2; width > 0; width /= 2 {
		for j := range width {
			lane[j] += lane[j+width]
		}
	}
	return lane[0]
}
