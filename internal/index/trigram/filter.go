package trigram

import (
	"encoding/binary"
	"fmt"
	"sort"

	"codeintel/internal/index/segment"
)

// The sections of a filter. Numbers of fixed width are little-endian.
const (
	metaSection    = iota // how many files, uint32; then the label
	unknownSection        // one bit for each file whose trigrams are not known, in uint64
	indexSection          // for each group of lists, and once more for the end: its first trigram, where it begins, each uint32
	// For each of the up to 32 trigrams of a group, in ascending order:
	//	uvarint: by how much it is more than the one before, 0 for the first
	//	uvarint: length of its list times two, plus one if it is a bit map
	//	its list: for each file uvarint: how many further than the one before,
	//	less one; or one bit for each file
	listsSection
	sections // how many there are
)

var format = segment.Format{Magic: "\x89CITRIG\n", Version: 2, Sections: sections}

const (
	groupEntry = 8
	perGroup   = 32
	maxLabel   = 1 << 10
	maxFiles   = 1 << 26
)

// A Filter is read where it lies. It is safe for concurrent use until it is
// closed.
type Filter struct {
	file    *segment.File
	label   string
	files   int
	unknown Bits
	index   []byte // one entry for each group, and the end
	groups  int
	body    []byte
}

// OpenFile opens the filter in a file, mapped into memory where the system can.
// A file that is not there is os.ErrNotExist, a damaged one ErrCorrupt.
func OpenFile(path string) (*Filter, error) {
	f, err := segment.Load(path, format, read)
	if err != nil {
		return nil, fmt.Errorf("trigram: %w", err)
	}
	return f, nil
}

func read(file *segment.File) (*Filter, error) {
	damaged := func(what string) (*Filter, error) { return nil, fmt.Errorf("%s: %w", what, ErrCorrupt) }
	meta, unknown, index := file.Whole(metaSection), file.Whole(unknownSection), file.Whole(indexSection)
	if len(meta) < 4 || len(meta) > 4+maxLabel || u32(meta, 0) > maxFiles {
		return damaged("head")
	}
	files := int(u32(meta, 0))
	f := &Filter{file: file, label: string(meta[4:]), files: files, unknown: newBits(files),
		index: index, groups: len(index)/groupEntry - 1, body: file.Section(listsSection)}
	if len(unknown) != 8*len(f.unknown) || len(index)%groupEntry != 0 || f.groups < 0 ||
		uint64(u32(index, f.groups*groupEntry+4)) != uint64(len(f.body)) {
		return damaged("length")
	}
	for i := range f.unknown {
		f.unknown[i] = binary.LittleEndian.Uint64(unknown[8*i:])
	}
	return f, nil
}

// Close gives the memory back. No other method may be under way or called later.
func (f *Filter) Close() error {
	f.body, f.index, f.groups = nil, nil, 0
	return f.file.Close()
}

// Label returns what was given to [Builder.WriteFile].
func (f *Filter) Label() string { return f.label }

// Files returns how many files the filter knows; they are numbered from 0.
func (f *Filter) Files() int { return f.files }

// Match returns the files for which q may hold. Damage is ErrCorrupt, even where the
// file was written to after it was read before.
func (f *Filter) Match(q Query) (found Bits, err error) {
	f.file.Touched()
	err = segment.Guard(func() error {
		found, err = f.match(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	found.or(f.unknown)
	return found, nil
}

func (f *Filter) match(q Query) (Bits, error) {
	found := newBits(f.files)
	found.fill(f.files)
	one := newBits(f.files)
	for _, t := range q.all {
		if err := f.list(t, one); err != nil {
			return nil, err
		}
		if found.and(one); found.empty() {
			return found, nil
		}
	}
	for _, list := range q.either {
		some := newBits(f.files)
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
	n := sort.Search(f.groups, func(i int) bool { return u32(f.index, i*groupEntry) > t }) - 1
	if n < 0 {
		return nil
	}
	begin, end := u32(f.index, n*groupEntry+4), u32(f.index, (n+1)*groupEntry+4)
	if begin > end || uint64(end) > uint64(len(f.body)) {
		return fmt.Errorf("group %d: place: %w", n, ErrCorrupt)
	}
	f.file.VerifyRange(listsSection, int(begin), int(end))
	b := f.body[begin:end]
	at := uint64(u32(f.index, n*groupEntry))
	for len(b) > 0 {
		delta, size, ok := uint64(0), uint64(0), true
		if delta, b, ok = uvarint(b); ok {
			size, b, ok = uvarint(b)
		}
		if !ok || size>>1 > uint64(len(b)) {
			return fmt.Errorf("group %d: %w", n, ErrCorrupt)
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

// Check compares all of the filter with its checksums.
func (f *Filter) Check() error { return f.file.Verify() }
