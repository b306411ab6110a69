package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Write writes tensors in the order given, and notes if there are any. The data
// starts at a multiple of eight bytes, so that a reader may use it in place.
func Write(w io.Writer, notes map[string]string, tensors []Tensor) error {
	header := make(map[string]any, len(tensors)+1)
	if len(notes) > 0 {
		header[metadataKey] = notes
	}
	at := uint64(0)
	for _, t := range tensors {
		size, known := sizes[t.Type]
		if _, twice := header[t.Name]; twice || t.Name == metadataKey || !known || t.Len()*size != len(t.Data) {
			return fmt.Errorf("safetensors: write: tensor %q (%s %v, %d bytes) cannot be written", t.Name, t.Type, t.Shape, len(t.Data))
		}
		e := entry{Type: t.Type, Shape: make([]uint64, len(t.Shape)), Offsets: [2]uint64{at, at + uint64(len(t.Data))}}
		for i, n := range t.Shape {
			e.Shape[i] = uint64(n)
		}
		header[t.Name] = e
		at = e.Offsets[1]
	}
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return fmt.Errorf("safetensors: write: %w", err)
		}
	}
	return nil
}

// Metadata returns the notes of whoever wrote the file; they must not be changed.
func (f *File) Metadata() map[string]string { return f.metadata }
