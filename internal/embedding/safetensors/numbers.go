package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// littleEndian says whether numbers have the same byte order in memory as in the file.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Float32s returns the numbers as float32: in place where they are stored as
// such, converted otherwise. The slice must not be changed, nor used after the
// file was closed. 64-bit numbers are rounded; booleans are refused.
func (t Tensor) Float32s() ([]float32, error) {
	if t.Type == F32 && littleEndian && len(t.Data) > 0 && uintptr(unsafe.Pointer(&t.Data[0]))%4 == 0 {
		return unsafe.Slice((*float32)(unsafe.Pointer(&t.Data[0])), len(t.Data)/4), nil
	}
	out := make([]float32, t.Len())
	if err := t.Convert(out, 0); err != nil {
		return nil, err
	}
	return out, nil
}

// Convert fills out with the numbers from the one at index from on, as float32.
func (t Tensor) Convert(out []float32, from int) error {
	size := sizes[t.Type]
	if from < 0 || size == 0 || (from+len(out))*size > len(t.Data) {
		return fmt.Errorf("safetensors: tensor %q: %d numbers from %d on of %d %q", t.Name, len(out), from, t.Len(), t.Type)
	}
	b, le := t.Data[from*size:], binary.LittleEndian
	switch t.Type {
	case F32:
		for i := range out {
			out[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
	case F16:
		for i := range out {
			out[i] = Half(le.Uint16(b[2*i:]))
		}
	case BF16:
		for i := range out {
			out[i] = math.Float32frombits(uint32(le.Uint16(b[2*i:])) << 16)
		}
	case F64:
		for i := range out {
			out[i] = float32(math.Float64frombits(le.Uint64(b[8*i:])))
		}
	case I8:
		for i := range out {
			out[i] = float32(int8(b[i]))
		}
	case U8:
		for i := range out {
			out[i] = float32(b[i])
		}
	default:
		for i := range out {
			n, err := t.Int(from + i)
			if err != nil {
				return err
			}
			out[i] = float32(n)
		}
	}
	return nil
}

// Int returns the whole number at index i. Numbers of other types, and those
// that no int64 holds, are an error.
func (t Tensor) Int(i int) (int64, error) {
	size := sizes[t.Type]
	if i < 0 || size == 0 || (i+1)*size > len(t.Data) {
		return 0, fmt.Errorf("safetensors: tensor %q: no number %d", t.Name, i)
	}
	b, le := t.Data[i*size:], binary.LittleEndian
	switch t.Type {
	case I8:
		return int64(int8(b[0])), nil
	case U8:
		return int64(b[0]), nil
	case I16:
		return int64(int16(le.Uint16(b))), nil
	case U16:
		return int64(le.Uint16(b)), nil
	case I32:
		return int64(int32(le.Uint32(b))), nil
	case U32:
		return int64(le.Uint32(b)), nil
	case I64:
		return int64(le.Uint64(b)), nil
	case U64:
		if n := le.Uint64(b); n <= math.MaxInt64 {
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("safetensors: tensor %q: number %d of type %s is no int64", t.Name, i, t.Type)
}

// Half returns the value of a number of 16 bits: 1 of sign, 5 of exponent, 10 of
// fraction (IEEE 754 binary16).
func Half(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // zero, or below the smallest normal number: fraction × 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
