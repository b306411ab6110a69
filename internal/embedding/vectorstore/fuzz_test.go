package vectorstore

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
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
	whole, err := os.ReadFile(filepath.Join(dir, label+suffix))
	if err != nil {
		f.Fatal(err)
	}
	random, err := hex.DecodeString(label)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), []byte{})
	for at := 16; at < headerLength; at += 4 {
		f.Add(uint16(at), []byte{255, 255, 255, 255})
	}
	for i := range sections {
		offset := binary.LittleEndian.Uint64(whole[32+20*i:])
		f.Add(uint16(offset), []byte{200, 1})
		f.Add(uint16(offset), []byte{9, 0, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, at uint16, change []byte) {
		data := append([]byte(nil), whole...)
		copy(data[min(int(at), len(data)):], change)
		copy(data[8:], random)
		for i := range sections {
			h := data[32+20*i:]
			from, length := binary.LittleEndian.Uint64(h), binary.LittleEndian.Uint64(h[8:])
			if size := uint64(len(data)); from <= size && length <= size-from {
				binary.LittleEndian.PutUint32(h[16:], crc32.Checksum(data[from:from+length], castagnoli))
			}
		}
		binary.LittleEndian.PutUint32(data[headerLength-4:], crc32.Checksum(data[:headerLength-4], castagnoli))
		s := &segment{label: label, data: data}
		if s.parse(3) != nil {
			return
		}
		v := &view{parts: []*part{newPart(s, nil)}}
		q := newScan(v, []float32{0, 1, 0}, 2)
		q.filter(Filter{Meta: map[string][]string{"path": {"x", "y"}}})
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
