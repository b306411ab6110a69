package trigram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"sort"

	"codeintel/internal/platform/mmap"
)

// A filter in bytes. All numbers of fixed width are little-endian.
//
//	magic [8]byte; version, files, blocks, length of the label uint32; the label
//	one bit for each file whose trigrams are not known, in uint64
//	for each block, and once more for the end: its first trigram, where it
//	    begins, its CRC-32C, each uint32
//	CRC-32C of all of the above, uint32
//	the blocks: for each of up to 32 trigrams in ascending order
//	    uvarint: by how much it is more than the one before, 0 for the first
//	    uvarint: length of its list times two, plus one if it is a bit map
//	    its list: for each file uvarint: how many further than the one before,
//	    less one; or one bit for each file
const (
	magic      = "\x89CITRIG\n"
	version    = 1
	headSize   = 24
	blockEntry = 12
	perBlock   = 32
	maxLabel   = 1 << 10
	maxFiles   = 1 << 26
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Filter is read where it lies. It is safe for concurrent use until it is
// closed.
type Filter struct {
	label   string
	files   int
	unknown Bits
	index   []byte // one entry for each block, and the end
	blocks  int
	body    []byte
	file    *mmap.File
}

// Open reads a filter in b, which must not change while it is in use. Only its
// head is held against a checksum here; blocks are when they are read.
func Open(b []byte) (*Filter, error) {
	damaged := func(what string) (*Filter, error) { return nil, fmt.Errorf("%s: %w", what, ErrCorrupt) }
	if len(b) < headSize || string(b[:8]) != magic || u32(b, 8) != version {
		return damaged("magic")
	}
	files, blocks, label := uint64(u32(b, 12)), uint64(u32(b, 16)), uint64(u32(b, 20))
	if files > maxFiles || blocks > trigrams || label > maxLabel {
		return damaged("head")
	}
	bits := (files + 63) / 64 * 8
	head := headSize + label + bits + (blocks+1)*blockEntry
	if uint64(len(b)) < head+4 || crc32.Checksum(b[:head], castagnoli) != u32(b, int(head)) {
		return damaged("head")
	}
	f := &Filter{
		label: string(b[headSize : headSize+label]), files: int(files), unknown: NewBits(int(files)),
		index: b[head-(blocks+1)*blockEntry : head], blocks: int(blocks), body: b[head+4:],
	}
	for i := range f.unknown {
		f.unknown[i] = binary.LittleEndian.Uint64(b[headSize+int(label)+8*i:])
	}
	if uint64(u32(f.index, f.blocks*blockEntry+4)) != uint64(len(f.body)) {
		return damaged("length")
	}
	return f, nil
}

// OpenFile opens the filter in a file, mapped into memory where the system can.
// A file that is not there is os.ErrNotExist, a damaged one ErrCorrupt.
func OpenFile(path string) (*Filter, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trigram: %w", err)
	}
	f, err := Open(file.Bytes())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), file.Close())
	}
	f.file = file
	return f, nil
}

// Close gives the memory back. No other method may be under way or called later.
func (f *Filter) Close() error {
	if f.file == nil {
		return nil
	}
	f.body, f.index, f.blocks = nil, nil, 0
	return f.file.Close()
}

// Label returns what was given to [Builder.Build].
func (f *Filter) Label() string { return f.label }

// Files returns how many files the filter knows; they are numbered from 0.
func (f *Filter) Files() int { return f.files }

// Unknown returns how many files it cannot leave out, see [Builder.AddUnknown].
func (f *Filter) Unknown() (n int) {
	for i := range f.files {
		if f.unknown.Has(i) {
			n++
		}
	}
	return n
}

// Match returns the files for which q may hold.
func (f *Filter) Match(q Query) (Bits, error) {
	found, err := f.match(q)
	if err != nil {
		return nil, err
	}
	found.or(f.unknown)
	return found, nil
}

func (f *Filter) match(q Query) (Bits, error) {
	found := NewBits(f.files)
	found.fill(f.files)
	one := NewBits(f.files)
	for _, t := range q.all {
		if err := f.list(t, one); err != nil {
			return nil, err
		}
		if found.and(one); found.empty() {
			return found, nil
		}
	}
	for _, list := range q.either {
		some := NewBits(f.files)
		for _, alternative := range list {
			its, err := f.match(alternative)
			if err != nil {
				return nil, err
			}
			some.or(its)
		}
		if found.and(some); found.empty() {
			break
		}
	}
	return found, nil
}

// list sets into to the files that have a trigram.
func (f *Filter) list(t uint32, into Bits) error {
	clear(into)
	n := sort.Search(f.blocks, func(i int) bool { return u32(f.index, i*blockEntry) > t }) - 1
	if n < 0 {
		return nil
	}
	begin, end := u32(f.index, n*blockEntry+4), u32(f.index, (n+1)*blockEntry+4)
	if begin > end || uint64(end) > uint64(len(f.body)) {
		return fmt.Errorf("block %d: place: %w", n, ErrCorrupt)
	}
	b := f.body[begin:end]
	if crc32.Checksum(b, castagnoli) != u32(f.index, n*blockEntry+8) {
		return fmt.Errorf("block %d: checksum: %w", n, ErrCorrupt)
	}
	at := uint64(u32(f.index, n*blockEntry))
	for len(b) > 0 {
		delta, size, ok := uint64(0), uint64(0), true
		if delta, b, ok = uvarint(b); ok {
			size, b, ok = uvarint(b)
		}
		if !ok || size>>1 > uint64(len(b)) {
			return fmt.Errorf("block %d: %w", n, ErrCorrupt)
		}
		if at += delta; at >= uint64(t) {
			if at > uint64(t) {
				return nil
			}
			return f.decode(b[:size>>1], size&1 == 1, into)
		}
		b = b[size>>1:]
	}
	return nil
}

func (f *Filter) decode(b []byte, bitmap bool, into Bits) error {
	if bitmap {
		if len(b) != (f.files+7)/8 {
			return fmt.Errorf("bit map: %w", ErrCorrupt)
		}
		for i, c := range b {
			into[i>>3] |= uint64(c) << (8 * (i & 7))
		}
		return nil
	}
	file := uint64(0)
	for first := true; len(b) > 0; first = false {
		delta, rest, ok := uvarint(b)
		if !first {
			delta++
		}
		if file += delta; !ok || delta > maxFiles || file >= uint64(f.files) {
			return fmt.Errorf("list: %w", ErrCorrupt)
		}
		into.Add(int(file))
		b = rest
	}
	return nil
}

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

// Check holds all blocks against their checksums.
func (f *Filter) Check() error {
	for n := range f.blocks {
		begin, end := u32(f.index, n*blockEntry+4), u32(f.index, (n+1)*blockEntry+4)
		if begin > end || uint64(end) > uint64(len(f.body)) ||
			crc32.Checksum(f.body[begin:end], castagnoli) != u32(f.index, n*blockEntry+8) {
			return fmt.Errorf("trigram: block %d: %w", n, ErrCorrupt)
		}
	}
	return nil
}
