// Package safetensors reads and writes tensors in the safetensors format.
//
// A file is mapped into memory and checked as a whole before any tensor can be read:
// offsets are within the file, nothing overlaps, nothing is left over. It runs no code from
// the file and follows no link in it. It converts numbers, and does nothing else with them.
//
// The format (https://github.com/huggingface/safetensors): a length in eight bytes,
// little-endian, a JSON object of that many bytes, then the data.
//
//	{"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"k": "v"}}
//
// Offsets count from the end of the header; together the tensors fill the data without
// holes; rows lie one after the other.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"codeintel/internal/platform/mmap"
)

// ErrCorrupt is wrapped by every error that says that data is not in the format.
var ErrCorrupt = errors.New("not a safetensors file")

// maxHeader is the largest header, as the reference implementation has it.
const maxHeader = 100_000_000

// metadataKey is the one name in the header that is not a tensor's.
const metadataKey = "__metadata__"

// A Type is what the numbers of a tensor are.
type Type string

// The types of numbers.
const (
	Bool Type = "BOOL"
	I8   Type = "I8"
	U8   Type = "U8"
	I16  Type = "I16"
	U16  Type = "U16"
	F16  Type = "F16"
	BF16 Type = "BF16"
	I32  Type = "I32"
	U32  Type = "U32"
	F32  Type = "F32"
	I64  Type = "I64"
	U64  Type = "U64"
	F64  Type = "F64"
)

// sizes is how many bytes a number takes. Types of other files are refused:
// nobody here could read them.
var sizes = map[Type]int{Bool: 1, I8: 1, U8: 1, I16: 2, U16: 2, F16: 2, BF16: 2, I32: 4, U32: 4, F32: 4, I64: 8,
	U64: 8, F64: 8}

// A Tensor is an array of numbers. Data is little-endian and may be in a mapped
// file: it must not be changed, nor used after the file was closed.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int // from the slowest to the fastest index; none: a single number
	Data  []byte
}

// Len is how many numbers the tensor holds.
func (t Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// A File is a set of tensors by name. It is safe for concurrent use until it is
// closed.
type File struct {
	tensors  map[string]Tensor
	metadata map[string]string
	file     *mmap.File // nil: the data is the caller's
}

// Open reads the header of the file at path, which must not change while it is
// open. Damage is [ErrCorrupt].
func Open(path string) (*File, error) {
	m, err := mapFile(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	f, err := Parse(m.Bytes())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), m.Close())
	}
	f.file = m
	return f, nil
}

// Close gives the memory back; tensors of f must not be used any more.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Tensor returns the tensor of that name.
func (f *File) Tensor(name string) (Tensor, bool) {
	t, ok := f.tensors[name]
	return t, ok
}

// Names returns the names of all tensors, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.tensors)) }

// Parse reads tensors in b, which must not change while they are in use.
func Parse(b []byte) (*File, error) {
	if len(b) < 8 {
		return nil, corrupt("%d bytes are no header", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > maxHeader || n > uint64(len(b)-8) {
		return nil, corrupt("the header of %d bytes is longer than it may be", n)
	}
	head, data := b[8:8+n], b[8+n:]
	if len(head) == 0 || head[0] != '{' {
		return nil, corrupt("the header is no JSON object")
	}
	f := &File{tensors: make(map[string]Tensor)}
	if err := f.readHeader(head, data); err != nil {
		return nil, err
	}
	return f, nil
}

// entry is a tensor as the header gives it.
type entry struct {
	Type    Type      `json:"dtype"`
	Shape   []uint64  `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// readHeader walks the members itself, because a name that is there twice
// would pass a decoder unseen.
func (f *File) readHeader(head, data []byte) error {
	d := json.NewDecoder(bytes.NewReader(head))
	if _, err := d.Token(); err != nil {
		return corrupt("header: %v", err)
	}
	var spans [][2]uint64
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return corrupt("header: %v", err)
		}
		if name == metadataKey {
			if f.metadata != nil {
				return corrupt("%q stands there twice", name)
			}
			if err := d.Decode(&f.metadata); err != nil {
				return corrupt("%q: %v", name, err)
			}
			continue
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return corrupt("tensor %q: %v", name, err)
		}
		if _, twice := f.tensors[name]; twice {
			return corrupt("tensor %q stands there twice", name)
		}
		t, err := e.tensor(name, data)
		if err != nil {
			return err
		}
		f.tensors[name] = t
		spans = append(spans, e.Offsets)
	}
	if _, err := d.Token(); err != nil {
		return corrupt("header: %v", err)
	}
	if len(bytes.Trim(head[d.InputOffset():], " ")) > 0 {
		return corrupt("there is text after the header")
	}
	return checkCoverage(spans, uint64(len(data)))
}

// tensor checks that what e says can be, and that it is in data.
func (e entry) tensor(name string, data []byte) (Tensor, error) {
	size, ok := sizes[e.Type]
	if !ok {
		return Tensor{}, corrupt("tensor %q is of the unknown type %q", name, e.Type)
	}
	begin, end := e.Offsets[0], e.Offsets[1]
	if begin > end || end > uint64(len(data)) {
		return Tensor{}, corrupt("tensor %q is said to lie at %d to %d of %d bytes", name, begin, end, len(data))
	}
	t := Tensor{Name: name, Type: e.Type, Shape: make([]int, len(e.Shape)), Data: data[begin:end:end]}
	// A product that grows past the file can stop there: no factor makes it
	// smaller but 0, which is looked for first.
	need := uint64(size)
	if slices.Contains(e.Shape, 0) {
		need = 0
	}
	for i, n := range e.Shape {
		if n > math.MaxInt32 || need > uint64(len(data)) {
			return Tensor{}, corrupt("tensor %q of shape %v is larger than the file", name, e.Shape)
		}
		t.Shape[i] = int(n)
		need *= n
	}
	if need != end-begin {
		return Tensor{}, corrupt("tensor %q of shape %v has %d bytes instead of %d", name, e.Shape, end-begin, need)
	}
	return t, nil
}

// checkCoverage checks that spans cover all of size bytes, and none twice.
func checkCoverage(spans [][2]uint64, size uint64) error {
	slices.SortFunc(spans, func(a, b [2]uint64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	at := uint64(0)
	for _, s := range spans {
		if s[0] != at {
			return corrupt("tensors overlap or leave a hole at %d", min(s[0], at))
		}
		at = s[1]
	}
	if at != size {
		return corrupt("%d bytes belong to no tensor", size-at)
	}
	return nil
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
