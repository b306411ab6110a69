package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lengths are those around the widths of the vector units, and real dimensions.
var lengths = []int{1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 200, 256, 383, 384, 385, 768, 1024, 4096}

func TestDotRows8(t *testing.T) {
	t.Logf("units: %v", available())
	r := rand.New(rand.NewPCG(1, 2))
	fill := func(row []int8) {
		switch r.IntN(4) {
		case 0: // the extremes, where sums run over if they can
			for i := range row {
				row[i] = -128
			}
		case 1:
			for i := range row {
				row[i] = int8([]int{-128, 127}[r.IntN(2)])
			}
		default:
			for i := range row {
				row[i] = int8(r.IntN(256) - 128)
			}
		}
	}
	for _, n := range append(lengths, maxRowLength) {
		const count = 5
		query, rows, out := make([]int8, n), make([]int8, count*n), make([]int32, count)
		for range 4 {
			fill(query)
			for i := range count {
				fill(rows[i*n : i*n+n])
			}
			var want [count]int32
			for i := range count {
				var sum int64
				for j := range n {
					sum += int64(query[j]) * int64(rows[i*n+j])
				}
				if sum > math.MaxInt32 {
					t.Fatalf("length %d: %d does not fit", n, sum)
				}
				want[i] = int32(sum)
			}
			for _, u := range available() {
				dotRows8(u, query, rows, out)
				if [count]int32(out) != want {
					t.Errorf("%s, length %d: %v, want %v", u, n, out, want)
				}
			}
			DotRows8(query, rows, out)
			if [count]int32(out) != want {
				t.Errorf("DotRows8, length %d: %v, want %v", n, out, want)
			}
		}
	}
}

func TestDotF32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths {
		for range 8 {
			a, b := make([]float32, n), make([]float32, n)
			var exact, size float64
			for i := range n {
				a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
				exact += float64(a[i]) * float64(b[i])
				size += math.Abs(float64(a[i]) * float64(b[i]))
			}
			want := goDotF32(a, b)
			if math.Abs(float64(want)-exact) > 1e-6*size {
				t.Errorf("length %d: %v, want %v", n, want, exact)
			}
			for _, u := range available() {
				if got := dotF32(u, a, b); math.Float32bits(got) != math.Float32bits(want) {
					t.Errorf("%s, length %d: %x, want %x", u, n, math.Float32bits(got), math.Float32bits(want))
				}
			}
			if got := DotF32(a, b); got != want {
				t.Errorf("DotF32, length %d: %v, want %v", n, got, want)
			}
		}
	}
}

func TestDotRefuses(t *testing.T) {
	for name, f := range map[string]func(){
		"rows":    func() { DotRows8(make([]int8, 4), make([]int8, 11), make([]int32, 3)) },
		"vectors": func() { DotF32(make([]float32, 4), make([]float32, 5)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of different length were taken", name)
				}
			}()
			f()
		}()
	}
	out := []int32{7}
	DotRows8(nil, nil, out)
	if out[0] != 0 || DotF32(nil, nil) != 0 {
		t.Errorf("nothing times nothing is not 0")
	}
}

func BenchmarkDotRows8(b *testing.B) {
	const n, count = 384, 1024
	query, rows, out := make([]int8, n), make([]int8, n*count), make([]int32, count)
	for _, u := range available() {
		b.Run(string(u), func(b *testing.B) {
			b.SetBytes(n * count)
			for b.Loop() {
				dotRows8(u, query, rows, out)
			}
		})
	}
}

func BenchmarkDotF32(b *testing.B) {
	x, y := make([]float32, 384), make([]float32, 384)
	for _, u := range available() {
		b.Run(string(u), func(b *testing.B) {
			for b.Loop() {
				dotF32(u, x, y)
			}
		})
	}
}
