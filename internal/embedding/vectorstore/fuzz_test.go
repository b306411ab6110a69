package vectorstore

import (
	"bytes"
	"path/filepath"
	"testing"

	container "codeintel/internal/index/segment"
)

// FuzzSegment changes bytes of a segment and makes its checksums hold again: no
// file may make a reader panic or read outside of it.
func FuzzSegment(f *testing.F) {
	dir := f.TempDir()
	c := Collection{Name: "forest", Model: "m", Dimension: 3}
	items, err := c.Prepare([]Item{
		{ID: "a", Vector: []float32{1, 0, 0}, Meta: map[string]string{"path": "x", "language": "go"}},
		{ID: "bcd", Vector: []float32{0, 1, 0}, Meta: map[string]string{"path": "y"}},
		{ID: "e", Vector: []float32{0, 1, 1}},
	})
	if err != nil {
		f.Fatal(err)
	}
	label, err := writeSegment(f.Context(), dir, 3, &itemTable{items: items, dim: 3})
	if err != nil {
		f.Fatal(err)
	}
	whole, err := container.OpenFile(filepath.Join(dir, label+suffix), format)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(0), uint16(0), []byte{})
	for at := 8; at < headLength; at += 4 {
		f.Add(uint8(head), uint16(at), []byte{255, 255, 255, 255})
	}
	for i := range sections {
		f.Add(uint8(i), uint16(0), []byte{200, 1})
		f.Add(uint8(i), uint16(0), []byte{9, 0, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, section uint8, at uint16, change []byte) {
		parts := make([][]byte, sections)
		for i := range parts {
			parts[i] = bytes.Clone(whole.Section(i))
		}
		changed := parts[int(section)%sections]
		copy(changed[min(int(at), len(changed)):], change)
		copy(parts[head], whole.Section(head)[:8])
		file, err := container.Open(container.Encode(format, parts), format)
		if err != nil {
			t.Fatal(err)
		}
		s := &segment{label: label, file: file}
		if s.parse(3) != nil {
			return
		}
		v := &view{parts: []*part{newPart(s, nil)}}
		q := newScan(v, []float32{0, 1, 0}, 2)
		if err := q.run(t.Context()); err == nil {
			q.compare(t.Context())
		}
		for row := range s.rows {
			s.id(row)
			s.meta(row)
		}
		s.find("bcd", 0)
	})
}
