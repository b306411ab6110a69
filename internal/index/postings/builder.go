package postings

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"codeintel/internal/index/segment"
)

// maxSegment bounds what goes into one segment, because offsets in it have 32
// bits. A lone file never comes near.
const maxSegment = 1 << 30

// A Builder gathers files for one segment. It keeps their forward indexes, by
// reference, until [Builder.Build].
type Builder struct {
	split  func(name string) []string
	files  []File
	totals totals
	size   int

	chunks []byte // chunkRecords
	base   []fileTotals
	terms  dictionary
	paths  []pathRef
	lists  refs
	names  dictionary
	places refs // occurrences by name
	bears  refs // symbols by name
	parts  forward
}

// A pathRef says that a term is in the path of a file, and how weighty.
type pathRef struct {
	key, file uint32
	weight    byte
}

// fileTotals is what a fileRecord says beyond its texts.
type fileTotals struct{ firstChunk, body, symbol, path2 uint32 }

// A dictionary numbers strings in the order they come.
type dictionary struct {
	number map[string]uint32
	keys   []string
}

func (d *dictionary) numberOf(key []byte) uint32 {
	if i, ok := d.number[string(key)]; ok {
		return i
	}
	i := uint32(len(d.keys))
	s := string(key)
	d.number[s] = i
	d.keys = append(d.keys, s)
	return i
}

// A ref says that a key has a list in a file, and where in its forward index.
// There are millions of them. The files of refs ascend.
type ref struct{ key, file, at, size uint32 }

type refs []ref

// An order is refs by their keys, for each key by file.
type order struct {
	by    []uint32 // numbers of refs
	begin []uint32 // for each key where its own begin in by; one more for the end
}

func (r refs) byKey(keys int) order {
	o := order{by: make([]uint32, len(r)), begin: make([]uint32, keys+2)}
	// begin is shifted by one while it counts, and again while it places.
	for i := range r {
		o.begin[r[i].key+2]++
	}
	for i := range keys {
		o.begin[i+2] += o.begin[i+1]
	}
	for i := range r {
		next := &o.begin[r[i].key+1]
		o.by[*next] = uint32(i)
		*next++
	}
	return o
}

// refsOf returns the numbers of the refs of one key.
func (o *order) refsOf(key uint32) []uint32 { return o.by[o.begin[key]:o.begin[key+1]] }

// list returns what a ref refers to.
func (b *Builder) list(r *ref) []byte { return b.files[r.file].Forward[r.at : r.at+r.size] }

// NewBuilder returns an empty Builder. Split cuts a declared name into the words
// by which it can be found; it may be nil.
func NewBuilder(split func(name string) []string) *Builder {
	b := &Builder{split: split}
	b.terms.number = make(map[string]uint32)
	b.names.number = make(map[string]uint32)
	return b
}

// Add adds a file. Each path may be added once. A damaged forward index is
// ErrCorrupt and leaves the Builder as it was; so does one file too many.
func (b *Builder) Add(f File) error {
	size := len(f.Path) + len(f.Attributes) + len(f.Outline) + len(f.Forward)
	if b.size+size > maxSegment {
		return fmt.Errorf("postings: %s: more than %d bytes", f.Path, maxSegment)
	}
	if err := decodeForward(f.Forward, &b.parts); err != nil {
		return fmt.Errorf("postings: %s: %w", f.Path, err)
	}
	b.size += size
	n := uint32(len(b.files))
	base := fileTotals{firstChunk: b.totals.chunks}
	for _, l := range b.parts.lengths {
		b.chunks = appendChunk(b.chunks, &l)
		for i := range l {
			b.totals.lengths[i] += uint64(l[i])
		}
		base.body += l[Body]
		base.symbol += l[Symbol]
	}
	b.totals.chunks += uint32(len(b.parts.lengths))
	for _, t := range b.parts.terms {
		b.lists = append(b.lists, ref{b.terms.numberOf(t.term), n, t.at, uint32(len(t.list))})
	}
	for _, p := range f.PathTerms {
		weight := byte(min(max(p.Stem, 0), 15))<<4 | byte(min(max(p.Folder, 0), 15))
		b.paths = append(b.paths, pathRef{b.terms.numberOf([]byte(p.Term)), n, weight})
		base.path2 += uint32(2 * pathLength(weight))
	}
	for _, m := range b.parts.names {
		id := b.names.numberOf(m.name)
		if len(m.occurrences) > 0 {
			b.places = append(b.places, ref{id, n, m.occurrencesAt, uint32(len(m.occurrences))})
		}
		if len(m.symbols) > 0 {
			b.bears = append(b.bears, ref{id, n, m.symbolsAt, uint32(len(m.symbols))})
		}
	}
	b.totals.path += float64(base.path2) / 2
	b.totals.files++
	b.files = append(b.files, f)
	b.base = append(b.base, base)
	return nil
}

// Files returns how many files were added, Size how many bytes they hold.
func (b *Builder) Files() int { return len(b.files) }

// Size returns how many bytes the files added hold; a segment is about as large.
func (b *Builder) Size() int { return b.size }

// pathLength is how much a path term counts: one of the file's name twice as
// much as one of a folder.
func pathLength(weight byte) float64 { return float64(weight>>4) + 0.5*float64(weight&15) }

func appendChunk(b []byte, l *[Fields]uint32) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(min(l[Body], math.MaxUint16)))
	b = binary.LittleEndian.AppendUint16(b, uint16(min(l[Doc], math.MaxUint16)))
	return append(b, byte(min(l[Symbol], 255)), byte(min(l[Scope], 255)), byte(min(l[Signature], 255)), 0)
}

// Build returns the segment. The label is kept in it, see [Segment.Label]. The
// Builder is of no use afterwards.
func (b *Builder) Build(label string) ([]byte, error) {
	parts, err := b.sections(label)
	if err != nil {
		return nil, err
	}
	return segment.Encode(format, parts), nil
}

// WriteFile builds the segment into a file, in one step under its final name, so
// that no process ever sees half of one, and makes sure that it is on the disk.
// It returns the size.
func (b *Builder) WriteFile(path, label string) (int64, error) {
	parts, err := b.sections(label)
	if err != nil {
		return 0, err
	}
	return segment.WriteFile(path, format, parts, true)
}

func (b *Builder) sections(label string) ([][]byte, error) {
	parts := make([][]byte, sections)
	put := func(s section, p []byte) { parts[s] = p }
	put(metaSection, appendBytes(b.totals.append(nil), label))
	records, blobs := b.buildFiles()
	put(filesSection, records)
	put(blobsSection, blobs)
	put(chunksSection, b.chunks)
	records, texts, lists := b.buildTerms()
	b.lists, b.paths, b.terms = nil, nil, dictionary{} // for the collector
	put(termsSection, records)
	put(termTextSection, texts)
	put(listsSection, lists)
	records, texts, lists, declared := b.buildNames(b.nameOrder())
	put(namesSection, records)
	put(nameTextSection, texts)
	put(placesSection, lists)
	records, texts, lists = b.buildWords(declared)
	put(wordsSection, records)
	put(wordTextSection, texts)
	put(wordNamesSection, lists)
	for i, p := range parts {
		if len(p) > math.MaxUint32 {
			return nil, fmt.Errorf("postings: section %d has %d bytes", i, len(p))
		}
	}
	return parts, nil
}

// buildFiles puts paths and attributes before all outlines: whoever compares the
// files of a project with those of the segment reads these of each file, and
// outlines are a hundred times longer.
func (b *Builder) buildFiles() (records, blobs []byte) {
	heads, size := 0, 0
	for i := range b.files {
		f := &b.files[i]
		heads += len(f.Path) + len(f.Attributes)
		size += len(f.Outline)
	}
	blobs = make([]byte, 0, heads+size)
	outlines := heads
	for i := range b.files {
		f, t := &b.files[i], b.base[i]
		records = appendU32(records, len(blobs), len(blobs)+len(f.Path), outlines)
		records = appendU32(records, int(t.firstChunk), int(t.body), int(t.symbol), int(t.path2))
		blobs = append(blobs, f.Path...)
		blobs = append(blobs, f.Attributes...)
		outlines += len(f.Outline)
	}
	records = appendU32(records, heads, heads, outlines, int(b.totals.chunks), 0, 0, 0)
	for i := range b.files {
		blobs = append(blobs, b.files[i].Outline...)
	}
	return records, blobs
}

func (b *Builder) buildTerms() (records, texts, lists []byte) {
	sorted := make([]uint32, len(b.terms.keys))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(x, y uint32) int { return strings.Compare(b.terms.keys[x], b.terms.keys[y]) })
	slices.SortStableFunc(b.paths, func(x, y pathRef) int { return cmp.Compare(x.key, y.key) })
	chunks := b.lists.byKey(len(sorted))
	records = make([]byte, 0, (len(sorted)+1)*termRecord)
	lists = make([]byte, 0, listSize(b.lists)+4*len(b.paths)+4*len(sorted))
	for _, id := range sorted {
		inChunks := chunks.refsOf(id)
		from, _ := slices.BinarySearchFunc(b.paths, id, func(p pathRef, id uint32) int { return cmp.Compare(p.key, id) })
		inPath := b.paths[from:]
		for i := range inPath {
			if inPath[i].key != id {
				inPath = inPath[:i]
				break
			}
		}
		df := b.frequencies(inChunks, inPath)
		at := len(lists)
		lists = b.appendRefs(df.append(lists), b.lists, inChunks)
		records = appendU32(records, len(texts), at, len(lists))
		last := -1
		for _, p := range inPath {
			lists = binary.AppendUvarint(lists, uint64(int(p.file)-last-1))
			lists = append(lists, p.weight)
			last = int(p.file)
		}
		texts = append(texts, b.terms.keys[id]...)
	}
	end := len(lists)
	return appendU32(records, len(texts), end, end), texts, lists
}

// listSize is about how long appendRefs makes all of r.
func listSize(r refs) (size int) {
	for i := range r {
		size += int(r[i].size) + 3
	}
	return size
}

// frequencies are the document frequencies of a term: in how many chunks it
// is, path included; in how many in each field but the body; in how many
// files, path included; in how many paths.
type frequencies struct {
	chunks uint32
	fields [Fields]uint32
	files  uint32
	paths  uint32
}

// rare are the frequencies that most terms do not have. Which of them a term has is in the
// bits of a byte.
func (df *frequencies) rare() [4]*uint32 {
	return [4]*uint32{&df.fields[Symbol], &df.fields[Scope], &df.fields[Doc], &df.paths}
}

// append writes how many chunks and files, which of the rare ones, and those.
func (df *frequencies) append(b []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(df.chunks)), uint64(df.files))
	at := len(b)
	b = append(b, 0)
	for i, n := range df.rare() {
		if *n > 0 {
			b[at] |= 1 << i
			b = binary.AppendUvarint(b, uint64(*n))
		}
	}
	return b
}

// maxFrequencies is more bytes than append writes.
const maxFrequencies = 32

// frequencies reads what append wrote.
func (c *cursor) frequencies() (df frequencies) {
	df.chunks, df.files = c.uvarint(), c.uvarint()
	has := c.byte()
	for i, n := range df.rare() {
		if has&(1<<i) != 0 {
			*n = c.uvarint()
		}
	}
	return df
}

func (b *Builder) frequencies(inChunks []uint32, inPath []pathRef) (df frequencies) {
	var tf [Fields]uint32
	p := 0
	for _, i := range inChunks {
		r := &b.lists[i]
		n := uint32(0)
		for c := (cursor{b: b.list(r)}); c.more(); n++ {
			c.posting(&tf)
			for f := Symbol; f < Fields; f++ {
				df.fields[f] += min(tf[f], 1)
			}
		}
		for ; p < len(inPath) && inPath[p].file < r.file; p++ {
			df.chunks += b.chunksOf(inPath[p].file)
			df.files++
		}
		if p < len(inPath) && inPath[p].file == r.file {
			n = b.chunksOf(r.file)
			p++
		}
		df.chunks += n
		df.files++
	}
	for ; p < len(inPath); p++ {
		df.chunks += b.chunksOf(inPath[p].file)
		df.files++
	}
	df.paths = uint32(len(inPath))
	return df
}

func (b *Builder) chunksOf(file uint32) uint32 {
	if int(file)+1 < len(b.base) {
		return b.base[file+1].firstChunk - b.base[file].firstChunk
	}
	return b.totals.chunks - b.base[file].firstChunk
}

// appendRefs writes lists by file: how many files further, less one, the length
// of the list, the list.
func (b *Builder) appendRefs(to []byte, all refs, which []uint32) []byte {
	last := -1
	for _, i := range which {
		r := &all[i]
		to = binary.AppendUvarint(to, uint64(int(r.file)-last-1))
		to = appendBytes(to, b.list(r))
		last = int(r.file)
	}
	return to
}

// nameOrder returns the names by their fold, those of one fold as written.
func (b *Builder) nameOrder() []uint32 {
	type key struct {
		fold string
		id   uint32
	}
	keys := make([]key, len(b.names.keys))
	for i, name := range b.names.keys {
		keys[i] = key{foldName(name), uint32(i)}
	}
	slices.SortFunc(keys, func(x, y key) int {
		return cmp.Or(strings.Compare(x.fold, y.fold), strings.Compare(b.names.keys[x.id], b.names.keys[y.id]))
	})
	order := make([]uint32, len(keys))
	for i := range keys {
		order[i] = keys[i].id
	}
	return order
}

// foldName is how names are compared when case does not matter.
func foldName(name string) string { return strings.ToLower(name) }

// buildNames also returns, for each name in order, whether a symbol bears it: the
// name, else "".
func (b *Builder) buildNames(order []uint32) (records, texts, lists []byte, declared []string) {
	places, bears := b.places.byKey(len(order)), b.bears.byKey(len(order))
	records = make([]byte, 0, (len(order)+1)*nameRecord)
	lists = make([]byte, 0, listSize(b.places)+listSize(b.bears))
	declared = make([]string, len(order))
	for i, id := range order {
		at := len(lists)
		lists = b.appendRefs(lists, b.places, places.refsOf(id))
		records = appendU32(records, len(texts), at, len(lists))
		symbols := bears.refsOf(id)
		lists = b.appendRefs(lists, b.bears, symbols)
		texts = append(texts, b.names.keys[id]...)
		if len(symbols) > 0 {
			declared[i] = b.names.keys[id]
		}
	}
	return appendU32(records, len(texts), len(lists), len(lists)), texts, lists, declared
}

func (b *Builder) buildWords(declared []string) (records, texts, lists []byte) {
	namesWithWord := make(map[string][]int32)
	if b.split != nil {
		for i, name := range declared {
			if name == "" {
				continue
			}
			for _, word := range b.split(name) {
				if l := namesWithWord[word]; len(l) == 0 || l[len(l)-1] != int32(i) {
					namesWithWord[word] = append(l, int32(i))
				}
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(namesWithWord)) {
		records = appendU32(records, len(texts), len(lists))
		texts = append(texts, word...)
		lists = appendNumbers(lists, namesWithWord[word])
	}
	return appendU32(records, len(texts), len(lists)), texts, lists
}

func appendU32(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}
