// Package segment is the container format of the files that the index keeps beside its database: postings,
// trigram filters, the space of latent semantic analysis, and the segments of the vector store. Each of these
// packages says what is in the sections of its [Format]; head, checksums, writing, mapping and damage are
// here.
//
// A file is written once and never changed. It appears under its name in one step,
// so no process ever sees half of one. Readers map it into memory. Each block of it
// has a checksum, which is compared when the block is first read, so opening a file
// costs no more than reading its head. What somebody writes to it later is found by
// [File.Touched]. Damage is [ErrCorrupt]: such a file is a cache that its owner makes
// again.
package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"

	"codeintel/internal/platform/mmap"
)

// ErrCorrupt says that a file is not what this package wrote in that format.
var ErrCorrupt = errors.New("damaged or of another version")

// A Format is one kind of file.
type Format struct {
	Magic    string // the first eight bytes of its files
	Version  uint32
	Sections int // how many there are
}

// A file is a head and a body. All numbers are little-endian.
//
//	magic [8]byte, version uint32, number of sections uint32
//	for each section: length uint64
//	for each block of the body, of blockSize bytes, the last one of what is left:
//	    CRC-32C uint32
//	zeros, so that the head is a multiple of alignment
//	CRC-32C of all of the above, uint32
//	the body: sections, each from a multiple of alignment on, with zeros between them
const (
	blockSize   = 16 << 10 // what has a checksum of its own, and is read whole when its first byte is
	alignment   = 64
	headerSize  = 16
	lengthSize  = 8
	maxSections = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func aligned[T int | uint64](n T) T { return (n + alignment - 1) / alignment * alignment }

// headSize returns how long the head is before a body of the given length.
func (f Format) headSize(body uint64) uint64 {
	blocks := (body + blockSize - 1) / blockSize
	return aligned(headerSize + lengthSize*uint64(f.Sections) + 4*blocks + 4)
}

// bodySize returns how long the body is of sections of these lengths.
func bodySize(lengths []uint64) (size uint64) {
	for _, n := range lengths {
		size = aligned(size) + n
	}
	return size
}

// head returns the head of a file with sections of these lengths.
func (f Format) head(lengths []uint64, sums []uint32) []byte {
	b := make([]byte, 0, f.headSize(bodySize(lengths)))
	b = append(b, f.Magic...)
	b = binary.LittleEndian.AppendUint32(b, f.Version)
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Sections))
	for _, n := range lengths {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	b = b[:cap(b)-4]
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// A File is open for reading. It is safe for concurrent use until it is closed. What
// it returns is in it and is gone after Close. It is to be read within [Guard].
type File struct {
	blocks
	format   Format
	raw      []byte
	sections [][]byte
	begin    []int // of each section in the body
	mapping  *mmap.File
	stamp    stamp
}

// Open reads a file of a format in b, which must not change while it is in use. It
// checks the head; see [File.Verify].
func Open(b []byte, format Format) (f *File, err error) {
	err = Guard(func() error {
		f, err = open(b, format)
		return err
	})
	return f, err
}

func open(b []byte, format Format) (*File, error) {
	f := &File{format: format, raw: b, sections: make([][]byte, format.Sections), begin: make([]int, format.Sections)}
	lengths, sums, err := f.readHead()
	if err != nil {
		return nil, err
	}
	f.set(b[format.headSize(bodySize(lengths)):], sums)
	at := 0
	for i, n := range lengths {
		at = aligned(at)
		end := at + int(n)
		f.begin[i], f.sections[i] = at, f.body[at:end:end]
		at = end
	}
	return f, nil
}

// readHead reads the head and compares it with its checksum. The checksums of blocks
// are copied, because the head may be overwritten like all else.
func (f *File) readHead() (lengths []uint64, sums []uint32, err error) {
	damaged := func(what string) ([]uint64, []uint32, error) {
		return nil, nil, fmt.Errorf("%s: %w", what, ErrCorrupt)
	}
	b, number := f.raw, binary.LittleEndian
	if len(b) < headerSize || string(b[:8]) != f.format.Magic {
		return damaged("magic")
	}
	if number.Uint32(b[8:]) != f.format.Version || int(number.Uint32(b[12:])) != f.format.Sections {
		return damaged("version")
	}
	table := headerSize + lengthSize*f.format.Sections
	if len(b) < table {
		return damaged("head")
	}
	size := uint64(len(b))
	for at := headerSize; at < table; at += lengthSize {
		n := number.Uint64(b[at:])
		if lengths = append(lengths, n); n > size || bodySize(lengths) > size {
			return damaged("length")
		}
	}
	body := bodySize(lengths)
	head := f.format.headSize(body)
	if head+body != size || crc32.Checksum(b[:head-4], castagnoli) != number.Uint32(b[head-4:]) {
		return damaged("head")
	}
	sums = make([]uint32, (body+blockSize-1)/blockSize)
	for i := range sums {
		sums[i] = number.Uint32(b[table+4*i:])
	}
	return lengths, sums, nil
}

// OpenFile opens the file at path, mapped into memory where the system can. A file
// that is not there is os.ErrNotExist, a damaged one ErrCorrupt.
func OpenFile(path string, format Format) (*File, error) {
	at := stamp{path: path}
	at.update() // before anything is read
	mapping, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := Open(mapping.Bytes(), format)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), mapping.Close())
	}
	f.mapping = mapping
	f.stamp.path, f.stamp.size, f.stamp.mtime, f.stamp.settled = at.path, at.size, at.mtime, at.settled
	return f, nil
}

// Load opens a file with [OpenFile], and returns what read makes of its sections. Damage
// that read meets is an error, as under [Guard]; the file is closed then.
func Load[T any](path string, format Format, read func(*File) (T, error)) (made T, err error) {
	f, err := OpenFile(path, format)
	if err != nil {
		return made, err
	}
	if made, err = Read(f, read); err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), f.Close())
	}
	return made, err
}

// Read returns what read makes of the sections of a file, under [Guard].
func Read[T any](f *File, read func(*File) (T, error)) (made T, err error) {
	err = Guard(func() error {
		made, err = read(f)
		return err
	})
	return made, err
}

// Section returns a section, of which nothing is verified; see [File.Verify].
func (f *File) Section(i int) []byte { return f.sections[i] }

// Whole returns a section, all of which is verified.
func (f *File) Whole(i int) []byte {
	f.VerifyRange(i, 0, len(f.sections[i]))
	return f.sections[i]
}

// VerifyRange checks the bytes of a section from one offset to another. Where they are
// damaged it panics, which [Guard] turns into ErrCorrupt.
func (f *File) VerifyRange(section, from, to int) {
	f.verify(f.begin[section]+from, f.begin[section]+to)
}

// Verify compares all of the file with its checksums. Damage is ErrCorrupt.
func (f *File) Verify() error {
	round := f.round.Load()
	return Guard(func() error {
		if _, _, err := f.readHead(); err != nil {
			return err
		}
		for k := range f.sums {
			f.check(k, round)
		}
		return nil
	})
}

// Release gives back the memory that the file takes, see [mmap.File.Release].
func (f *File) Release() {
	if f.mapping != nil {
		f.mapping.Release()
	}
}

// Close gives the memory back. No other method may be under way or called later.
func (f *File) Close() error {
	if f.mapping == nil {
		return nil
	}
	f.raw, f.body = nil, nil
	clear(f.sections)
	return f.mapping.Close()
}
