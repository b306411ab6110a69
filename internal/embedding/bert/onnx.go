package bert

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"codeintel/internal/embedding/safetensors"
	"codeintel/internal/platform/mmap"
)

// An ONNX file is a protocol buffer: a graph of nodes that computes the model,
// and its weights as initializers. Only the weights are taken; the graph is this
// package's own. Exporters keep the names of the weights but for those of linear
// layers, which they store transposed under names of their own
// ("onnx::MatMul_123"): those are found by the node that adds the layer's bias,
// whose name is kept, to the product.

// The numbers of the fields that are read, by message (onnx.proto).
const (
	modelGraph       = 7
	graphNode        = 1
	graphInitializer = 5
	nodeInput        = 1
	nodeOutput       = 2
	nodeOperator     = 4
	tensorDims       = 1
	tensorType       = 2
	tensorFloats     = 4
	tensorName       = 8
	tensorRaw        = 9
	tensorExternal   = 13
	tensorLocation   = 14
)

// onnxTypes are the types of numbers by their number in the file.
var onnxTypes = map[uint64]safetensors.Type{
	1: safetensors.F32, 2: safetensors.U8, 3: safetensors.I8, 7: safetensors.I64, 10: safetensors.F16,
	11: safetensors.F64, 16: safetensors.BF16,
}

// node is a node of the graph.
type node struct {
	operator        string
	inputs, outputs []string
}

// openONNX takes the weights out of an ONNX file.
func openONNX(file string) (*weights, error) {
	m, err := mmap.Open(file)
	if err != nil {
		return nil, fmt.Errorf("bert: %w", err)
	}
	w := &weights{file: file, tensors: make(map[string]safetensors.Tensor), turned: make(map[string]bool),
		close: m.Close}
	if err := w.readONNX(m.Bytes()); err != nil {
		return nil, errors.Join(refusal(file, err.Error()), m.Close())
	}
	if err := w.strip(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return w, nil
}

func (w *weights) readONNX(b []byte) error {
	var nodes []node
	err := fields(b, func(number int, graph []byte, _ uint64) error {
		if number != modelGraph {
			return nil
		}
		return fields(graph, func(number int, b []byte, _ uint64) error {
			switch number {
			case graphNode:
				n, err := readNode(b)
				nodes = append(nodes, n)
				return err
			case graphInitializer:
				t, err := readTensor(b)
				w.tensors[t.Name] = t
				return err
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	w.nameProducts(nodes)
	return nil
}

// nameProducts gives the weights of linear layers their names back.
func (w *weights) nameProducts(nodes []node) {
	factor := make(map[string]string) // output of a product -> its weight
	for _, n := range nodes {
		if n.operator == "MatMul" && len(n.inputs) == 2 && len(n.outputs) == 1 {
			if _, ok := w.tensors[n.inputs[1]]; ok {
				factor[n.outputs[0]] = n.inputs[1]
			}
		}
	}
	for _, n := range nodes {
		if n.operator != "Add" || len(n.inputs) != 2 {
			continue
		}
		for i, bias := range n.inputs {
			layer, ok := strings.CutSuffix(bias, ".bias")
			weight := factor[n.inputs[1-i]]
			if !ok || weight == "" {
				continue
			}
			name := layer + ".weight"
			if _, there := w.tensors[name]; !there || weight == name {
				w.tensors[name] = w.tensors[weight]
				w.turned[name] = true
			}
		}
	}
}

func readNode(b []byte) (n node, err error) {
	err = fields(b, func(number int, b []byte, _ uint64) error {
		switch number {
		case nodeInput:
			n.inputs = append(n.inputs, string(b))
		case nodeOutput:
			n.outputs = append(n.outputs, string(b))
		case nodeOperator:
			n.operator = string(b)
		}
		return nil
	})
	return n, err
}

func readTensor(b []byte) (t safetensors.Tensor, err error) {
	t.Shape = []int{}
	kind, external := uint64(0), false
	err = fields(b, func(number int, b []byte, n uint64) error {
		switch number {
		case tensorDims:
			dims := []uint64{n}
			if b != nil { // packed
				dims = dims[:0]
				for len(b) > 0 {
					d, size := binary.Uvarint(b)
					if size <= 0 {
						return errTruncated
					}
					dims, b = append(dims, d), b[size:]
				}
			}
			for _, d := range dims {
				if d > maxSize {
					return fmt.Errorf("a tensor is %d long", d)
				}
				t.Shape = append(t.Shape, int(d))
			}
		case tensorType:
			kind = n
		case tensorFloats, tensorRaw:
			t.Data = b
		case tensorName:
			t.Name = string(b)
		case tensorExternal, tensorLocation:
			external = external || b != nil || n != 0
		}
		return nil
	})
	t.Type = onnxTypes[kind]
	size := map[safetensors.Type]int{safetensors.F32: 4, safetensors.U8: 1, safetensors.I8: 1, safetensors.I64: 8,
		safetensors.F16: 2, safetensors.F64: 8, safetensors.BF16: 2}[t.Type]
	switch {
	case err != nil:
	case external:
		err = fmt.Errorf("the weight %q lies in another file; export the model in one, or as model.safetensors", t.Name)
	case t.Type != "" && t.Data != nil && (len(t.Shape) > 8 || t.Len()*size != len(t.Data)):
		err = fmt.Errorf("the weight %q of shape %v has %d bytes", t.Name, t.Shape, len(t.Data))
	}
	return t, err
}

var errTruncated = errors.New("it is no ONNX file, or cut off")

// fields calls visit for each field of a protocol buffer: with its bytes, or nil
// and its value if it is a number.
func fields(b []byte, visit func(number int, data []byte, n uint64) error) error {
	for len(b) > 0 {
		key, size := binary.Uvarint(b)
		if size <= 0 || key>>3 == 0 || key>>3 > 1<<29 {
			return errTruncated
		}
		b = b[size:]
		var data []byte
		var n uint64
		switch key & 7 {
		case 0:
			if n, size = binary.Uvarint(b); size <= 0 {
				return errTruncated
			}
			b = b[size:]
		case 1, 5:
			size = map[uint64]int{1: 8, 5: 4}[key&7]
			if len(b) < size {
				return errTruncated
			}
			b = b[size:]
		case 2:
			length, size := binary.Uvarint(b)
			if size <= 0 || length > uint64(len(b)-size) {
				return errTruncated
			}
			data, b = b[size:size+int(length):size+int(length)], b[size+int(length):]
		default:
			return errTruncated
		}
		if err := visit(int(key>>3), data, n); err != nil {
			return err
		}
	}
	return nil
}
