package bert

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"codeintel/internal/embedding/safetensors"
	"codeintel/internal/embedding/simd"
)

// weights are tensors by name, wherever they lie.
type weights struct {
	file    string
	tensors map[string]safetensors.Tensor
	turned  map[string]bool // weights of linear layers that are stored transposed
	close   func() error
}

// anchor is a weight that every model has; what comes before it in a file
// comes before all names.
const anchor = "embeddings.word_embeddings.weight"

// openWeights opens model.safetensors, else model.onnx, in dir.
func openWeights(dir string) (*weights, error) {
	name := path(dir, "model.safetensors")
	f, err := safetensors.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		for _, onnx := range []string{path(dir, "model.onnx"), path(dir, "onnx", "model.onnx")} {
			if info, err := os.Stat(onnx); err == nil && info.Mode().IsRegular() {
				return openONNX(onnx)
			}
		}
		return nil, refusal(dir, "there is neither model.safetensors nor model.onnx")
	}
	if err != nil {
		return nil, fmt.Errorf("bert: %w", err)
	}
	w := &weights{file: name, tensors: make(map[string]safetensors.Tensor), close: f.Close}
	for _, n := range f.Names() {
		w.tensors[n], _ = f.Tensor(n)
	}
	if err := w.strip(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// strip removes the model prefix from the names of tensors, such as "bert." or "roberta.": what
// the anchor has before it. Tensors without it are left out.
func (w *weights) strip() error {
	prefix, found := "", false
	for name := range w.tensors {
		if p, ok := strings.CutSuffix(name, anchor); ok && (p == "" || strings.HasSuffix(p, ".")) {
			if found {
				return refusal(w.file, fmt.Sprintf("it holds several models, %q and %q", prefix, p))
			}
			prefix, found = p, true
		}
	}
	if !found {
		return refusal(w.file, fmt.Sprintf("there is no %q", anchor))
	}
	tensors, turned := make(map[string]safetensors.Tensor), make(map[string]bool)
	for name, t := range w.tensors {
		if short, ok := strings.CutPrefix(name, prefix); ok {
			tensors[short], turned[short] = t, w.turned[name]
		}
	}
	w.tensors, w.turned = tensors, turned
	return nil
}

// A loader takes weights by name, and keeps the first error.
type loader struct {
	w   *weights
	err error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = refusal(l.w.file, fmt.Sprintf(format, args...))
	}
}

// oldNames are names of the first checkpoints, from TensorFlow.
var oldNames = strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")

// tensor returns a tensor that must be of that shape.
func (l *loader) tensor(name string, shape ...int) safetensors.Tensor {
	t, ok := l.w.tensors[name]
	if !ok {
		if old := oldNames.Replace(name); old != name {
			t, ok = l.w.tensors[old]
		}
	}
	switch {
	case !ok:
		l.fail("there is no %q", name)
	case !slices.Equal(t.Shape, shape):
		l.fail("%q is of the shape %v, not %v", name, t.Shape, shape)
	case t.Type != safetensors.F32 && t.Type != safetensors.F16 && t.Type != safetensors.BF16 &&
		t.Type != safetensors.F64:
		l.fail("%q is of the type %s; its numbers cannot be read", name, t.Type)
	}
	return t
}

func (l *loader) floats(name string, shape ...int) []float32 {
	t := l.tensor(name, shape...)
	if l.err != nil {
		return nil
	}
	x, err := t.Float32s()
	if err != nil {
		l.fail("%v", err)
	}
	return x
}

func (l *loader) norm(name string, n int) norm {
	return norm{l.floats(name+".weight", n), l.floats(name+".bias", n)}
}

// matrix returns a weight as out rows of in numbers.
func (l *loader) matrix(name string, in, out int) []float32 {
	name += ".weight"
	if !l.w.turned[name] {
		return l.floats(name, out, in)
	}
	stored := l.floats(name, in, out)
	if l.err != nil {
		return nil
	}
	x := make([]float32, in*out)
	for i := range in {
		for j := range out {
			x[j*in+i] = stored[i*out+j]
		}
	}
	return x
}

func (l *loader) linear(name string, in, out int) linear {
	m, bias := l.matrix(name, in, out), l.floats(name+".bias", out)
	if l.err != nil {
		return linear{}
	}
	return linear{simd.NewWeights(m, in, out), bias}
}

// fused reads layers of n × n that share their input (query, key, value) as one.
func (l *loader) fused(n int, names ...string) linear {
	var m, bias []float32
	for _, name := range names {
		m = append(m, l.matrix(name, n, n)...)
		bias = append(bias, l.floats(name+".bias", n)...)
	}
	if l.err != nil {
		return linear{}
	}
	return linear{simd.NewWeights(m, n, n*len(names)), bias}
}
