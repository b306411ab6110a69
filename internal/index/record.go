package index

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"

	"codeintel/internal/index/postings"
)

// A record is what is kept of one text.
type record struct {
	outline []byte // symbols, chunks, imports; with a checksum
	forward []byte // terms and occurrences by chunk; with a checksum
}

func (r *record) size() int64 { return int64(len(r.outline) + len(r.forward)) }

func (r *record) isIntact() bool { return intactOutline(r.outline) && postings.Intact(r.forward) }

// The database keeps records compressed, to half their length. Questions are answered from
// segments, which hold all but the youngest of them as they are.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
		return must(e, err)
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxRecord))
		return must(d, err)
	})
)

// maxRecord is more than the record of any text takes.
const maxRecord = 1 << 30

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // an option is wrong
	}
	return v
}

// pack returns the record as the database keeps it: the length of the outline, the outline
// and the forward index, compressed.
func (r *record) pack() []byte {
	b := binary.AppendUvarint(make([]byte, 0, r.size()+binary.MaxVarintLen64), uint64(len(r.outline)))
	b = append(append(b, r.outline...), r.forward...)
	return packer().EncodeAll(b, nil)
}

// unpack reads what pack wrote. It returns nil if that is damaged.
func unpack(packed []byte) *record {
	b, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return nil
	}
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil
	}
	b = b[w:]
	r := &record{outline: b[:n:n], forward: b[n:]}
	if !r.isIntact() {
		return nil
	}
	return r
}
