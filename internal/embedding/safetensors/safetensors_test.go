package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/embedding/safetensors"
)

// file puts a header and data together as the format has them.
func file(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestRoundTrip(t *testing.T) {
	numbers := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5))
	numbers = binary.LittleEndian.AppendUint32(numbers, math.Float32bits(-2))
	in := []safetensors.Tensor{
		{Name: "b", Type: safetensors.F32, Shape: []int{1, 2}, Data: numbers},
		{Name: "empty", Type: safetensors.F32, Shape: []int{0, 7}, Data: []byte{}},
		{Name: "a", Type: safetensors.I8, Shape: []int{3}, Data: []byte{1, 0xff, 0x80}},
		{Name: "scalar", Type: safetensors.U16, Shape: []int{}, Data: []byte{1, 2}},
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	var b bytes.Buffer
	if err := safetensors.Write(&b, map[string]string{"format": "pt"}, in); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if diff := cmp.Diff([]string{"a", "b", "empty", "scalar"}, f.Names()); diff != "" {
		t.Error(diff)
	}
	for _, want := range in {
		got, ok := f.Tensor(want.Name)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s: %v %s", want.Name, ok, diff)
		}
	}
	if got := f.Metadata()["format"]; got != "pt" {
		t.Errorf("metadata: %q", got)
	}
	tensor, _ := f.Tensor("b")
	if got, err := tensor.Float32s(); err != nil || !cmp.Equal(got, []float32{1.5, -2}) {
		t.Errorf("b = %v, %v", got, err)
	}
	tensor, _ = f.Tensor("a")
	if got, err := tensor.Float32s(); err != nil || !cmp.Equal(got, []float32{1, -1, -128}) {
		t.Errorf("a = %v, %v", got, err)
	}
	if err := safetensors.Write(io.Discard, nil, append(in, in[0])); err == nil {
		t.Error("a name twice was written")
	}
}

// TestReference reads a file that the reference implementation wrote; see
// testdata/generate.py.
func TestReference(t *testing.T) {
	f, err := safetensors.Open("testdata/reference.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []float32{0, 1, -1, 0.5, 65504, -6.103515625e-05, 5.9604644775390625e-08, 3.140625}
	for _, name := range []string{"F16", "F32", "F64"} {
		tensor, ok := f.Tensor(name)
		got, err := tensor.Float32s()
		if !ok || err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s = %v, %v, %v", name, got, ok, err)
		}
	}
	tensor, _ := f.Tensor("BF16")
	if got, err := tensor.Float32s(); err != nil || !cmp.Equal(got, []float32{1, -2.5, 0.0078125, float32(math.Inf(1))}) {
		t.Errorf("BF16 = %v, %v", got, err)
	}
	for _, name := range []string{"I8", "I16", "I32", "I64"} {
		tensor, _ := f.Tensor(name)
		if got, err := tensor.Float32s(); err != nil || !cmp.Equal(got, []float32{-128, -1, 0, 1, 127}) {
			t.Errorf("%s = %v, %v", name, got, err)
		}
	}
}

func TestHalf(t *testing.T) {
	for h, want := range map[uint16]float64{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24, 0x8001: -0x1p-24, 0x0400: 0x1p-14, 0x7c00: math.Inf(1)} {
		if got := safetensors.Half(h); float64(got) != want {
			t.Errorf("Half(%#x) = %v, want %v", h, got, want)
		}
	}
	if got := safetensors.Half(0x7e00); got == got {
		t.Errorf("Half(NaN) = %v", got)
	}
}

func TestCorrupt(t *testing.T) {
	ok := `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	if _, err := safetensors.Parse(file(ok+"  ", "1234")); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing":          {},
		"short":            {1, 2, 3},
		"no header":        make([]byte, 8),
		"long header":      append(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), '{', '}'),
		"header over 100M": binary.LittleEndian.AppendUint64(nil, 100_000_001),
		"array":            file(`[]`, ""),
		"space first":      file(" "+ok, "1234"),
		"text behind":      file(ok+"x", "1234"),
		"no end":           file(ok[:len(ok)-1], "1234"),
		"type":             file(strings.ReplaceAll(ok, "F32", "F31"), "1234"),
		"out of range":     file(ok, "123"),
		"left over":        file(ok, "12345"),
		"negative":         file(strings.ReplaceAll(ok, "[0,4]", "[-4,0]"), "1234"),
		"backwards":        file(strings.ReplaceAll(ok, "[0,4]", "[4,0]"), "1234"),
		"three offsets":    file(strings.ReplaceAll(ok, "[1]", "[2]"), "1234"),
		"wrong shape":      file(strings.ReplaceAll(ok, "[1]", "[2]"), "1234"),
		"overflow":         file(strings.ReplaceAll(ok, "[1]", "[4294967296,4294967296,4294967296,4294967296]"), "1234"),
		"overflow to fit":  file(strings.ReplaceAll(ok, "[1]", "[2147483647,2147483647,2147483647,2147483647,2147483647]"), "1234"),
		"twice":            file(ok[:len(ok)-1]+","+ok[1:], "1234"),
		"overlap":          file(ok[:len(ok)-1]+`,"b":{"dtype":"I8","shape":[2],"data_offsets":[3,5]}}`, "12345"),
		"hole":             file(ok[:len(ok)-1]+`,"b":{"dtype":"I8","shape":[1],"data_offsets":[5,6]}}`, "123456"),
		"metadata":         file(`{"__metadata__":{"a":1}}`, ""),
	} {
		if _, err := safetensors.Parse(b); !errors.Is(err, safetensors.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if _, err := safetensors.Open(dir); !errors.Is(err, safetensors.ErrCorrupt) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := safetensors.Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzParse: whatever is read can be read whole, and written again.
func FuzzParse(f *testing.F) {
	f.Add(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234"))
	f.Add(file(`{"a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]},"b":{"dtype":"U64","shape":[],"data_offsets":[4,12]},"__metadata__":{"x":"y"}}`, "123456789012"))
	f.Add(file(`{"a":{"dtype":"I64","shape":[0,9],"data_offsets":[0,0]}}`, ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := safetensors.Parse(b)
		if err != nil {
			if !errors.Is(err, safetensors.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		var all []safetensors.Tensor
		for _, name := range file.Names() {
			tensor, ok := file.Tensor(name)
			if !ok {
				t.Fatalf("%q is named and is not there", name)
			}
			if numbers, err := tensor.Float32s(); err == nil && len(numbers) != tensor.Len() {
				t.Fatalf("%q: %d numbers of %d", name, len(numbers), tensor.Len())
			}
			all = append(all, tensor)
		}
		var w bytes.Buffer
		if err := safetensors.Write(&w, file.Metadata(), all); err != nil {
			t.Fatal(err)
		}
		if _, err := safetensors.Parse(w.Bytes()); err != nil {
			t.Fatal(err)
		}
	})
}
