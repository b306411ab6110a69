package postings

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"codeintel/internal/mapped"
)

// A Segment is an immutable inverted index, read where it lies. It is safe for
// concurrent use until it is closed. What it returns as []byte lies in it and is
// gone after Close; strings are copies.
type Segment struct {
	raw                         []byte
	parts                       [sections + 1][]byte
	totals                      totals
	label                       string
	files, terms, names, nwords int
	size                        int
	file                        *mapped.File
}

// Open reads a segment in b, which must not change while it is in use. Damage
// is ErrCorrupt.
func Open(b []byte) (*Segment, error) { return open(b, checked) }

func open(b []byte, intact func([]byte, uint32) bool) (*Segment, error) {
	parts, err := disassemble(b, intact)
	if err != nil {
		return nil, err
	}
	s := &Segment{raw: b, parts: parts, size: len(b)}
	c := cursor{b: parts[metaSection]}
	s.totals.read(&c)
	s.label = string(c.bytes())
	s.files = len(parts[filesSection])/fileRecord - 1
	s.terms = len(parts[termsSection])/termRecord - 1
	s.names = len(parts[namesSection])/nameRecord - 1
	s.nwords = len(parts[wordsSection])/wordRecord - 1
	if c.bad || min(s.files, s.terms, s.names, s.nwords) < 0 || uint32(s.files) != s.totals.files ||
		uint64(len(parts[chunksSection])) != uint64(s.totals.chunks)*chunkRecord {
		return nil, fmt.Errorf("segment: tables: %w", ErrCorrupt)
	}
	for i := range s.files + 1 { // so that searches may trust the chunks of a file
		first := s.firstChunk(i)
		if first > s.totals.chunks || i > 0 && first < s.firstChunk(i-1) {
			return nil, fmt.Errorf("segment: chunks: %w", ErrCorrupt)
		}
	}
	return s, nil
}

// OpenFile opens the segment in a file, mapped into memory where the system can.
// A file that is not there is os.ErrNotExist, a damaged one ErrCorrupt.
func OpenFile(path string) (*Segment, error) { return openFile(path, checked) }

// OpenTrusted is [OpenFile] for a file that was opened whole before and has not
// changed since: it does not read all of it for its checksums. Should it be
// damaged all the same, results may be missing or wrong, and [Segment.Verify]
// tells.
func OpenTrusted(path string) (*Segment, error) { return openFile(path, trusted) }

func openFile(path string, intact func([]byte, uint32) bool) (*Segment, error) {
	file, err := mapped.Open(path)
	if err != nil {
		return nil, fmt.Errorf("segment: %w", err)
	}
	s, err := open(file.Bytes(), intact)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), file.Close())
	}
	s.file = file
	return s, nil
}

// writeFile writes parts one after the other; see [Builder.WriteFile].
func writeFile(path string, parts [][]byte) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".segment-*")
	if err != nil {
		return 0, fmt.Errorf("segment: write: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("segment: write: %w", err)
		}
	}()
	for _, p := range parts {
		n, err := f.Write(p)
		if err != nil {
			return 0, err
		}
		size += int64(n)
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	if err := f.Close(); err != nil {
		return 0, err
	}
	return size, os.Rename(f.Name(), path)
}

// Close gives the memory back. No other method may be under way or called later.
func (s *Segment) Close() error {
	if s.file == nil {
		return nil
	}
	s.raw, s.parts = nil, [sections + 1][]byte{}
	return s.file.Close()
}

// Verify holds all of the segment against its checksums.
func (s *Segment) Verify() error {
	_, err := disassemble(s.raw, checked)
	return err
}

// Label returns what was given to [Builder.Build].
func (s *Segment) Label() string { return s.label }

// Files returns how many files the segment holds; they are numbered from 0.
func (s *Segment) Files() int { return s.files }

// Chunks returns how many chunks the segment holds.
func (s *Segment) Chunks() int { return int(s.totals.chunks) }

// Size returns the length of the segment in bytes.
func (s *Segment) Size() int { return s.size }

// Path returns the path of a file.
func (s *Segment) Path(file int) string { return string(s.blob(file, 0)) }

// Attributes returns what was given as File.Attributes.
func (s *Segment) Attributes(file int) []byte { return s.blob(file, 1) }

// Outline returns what was given as File.Outline.
func (s *Segment) Outline(file int) []byte { return s.blob(file, 2) }

func (s *Segment) blob(file, which int) []byte {
	if file < 0 || file >= s.files {
		return nil
	}
	table := s.parts[filesSection]
	begin := u32(table, fileRecord, file, which)
	end := u32(table, fileRecord, file+1, 2) // outlines follow one another
	switch which {
	case 0:
		end = u32(table, fileRecord, file, 1)
	case 1:
		end = u32(table, fileRecord, file+1, 0)
	}
	return cut(s.parts[blobsSection], begin, end)
}

func (s *Segment) firstChunk(file int) uint32 { return u32(s.parts[filesSection], fileRecord, file, 3) }

// fileLengths returns the lengths of a file in terms: all its bodies, all its
// symbols, its path.
func (s *Segment) fileLengths(file int) (body, symbol, path float64) {
	table := s.parts[filesSection]
	return float64(u32(table, fileRecord, file, 4)), float64(u32(table, fileRecord, file, 5)),
		float64(u32(table, fileRecord, file, 6)) / 2
}

// chunkLengths returns the lengths of a chunk in terms.
func (s *Segment) chunkLengths(chunk uint32) (l [Fields]float32) {
	r := s.parts[chunksSection][chunk*chunkRecord : chunk*chunkRecord+chunkRecord]
	l[Body] = float32(binary.LittleEndian.Uint16(r))
	l[Doc] = float32(binary.LittleEndian.Uint16(r[2:]))
	l[Symbol], l[Scope], l[Signature] = float32(r[4]), float32(r[5]), float32(r[6])
	return l
}

// cut returns b[begin:end], or nil where that makes no sense.
func cut(b []byte, begin, end uint32) []byte {
	if begin > end || uint64(end) > uint64(len(b)) {
		return nil
	}
	return b[begin:end:end]
}

// term returns the number of a term.
func (s *Segment) term(text string) (int, bool) {
	return s.find(termsSection, termTextSection, termRecord, s.terms, text)
}

// find searches a sorted table of texts.
func (s *Segment) find(table, texts section, width, n int, text string) (int, bool) {
	records, all := s.parts[table], s.parts[texts]
	return sort.Find(n, func(i int) int {
		return strings.Compare(text, string(cut(all, u32(records, width, i, 0), u32(records, width, i+1, 0))))
	})
}

// termLists returns the list of chunks and the list of paths of a term.
func (s *Segment) termLists(term int) (chunks, paths []byte) {
	table, lists := s.parts[termsSection], s.parts[listsSection]
	c, p, end := u32(table, termRecord, term, 1), u32(table, termRecord, term, 2), u32(table, termRecord, term+1, 1)
	return cut(lists, c, p), cut(lists, p, end)
}

// frequencies returns the document frequencies of a term.
func (s *Segment) frequencies(term int) frequencies {
	at := func(i int) uint32 { return u32(s.parts[termsSection], termRecord, term, i) }
	return frequencies{
		chunks: at(3),
		fields: [Fields]uint32{Symbol: at(4), Scope: at(5), Doc: at(6)},
		files:  at(7),
		paths:  at(8),
	}
}

// name returns the text of a name, as it lies in the segment.
func (s *Segment) name(i int) []byte {
	table := s.parts[namesSection]
	return cut(s.parts[nameTextSection], u32(table, nameRecord, i, 0), u32(table, nameRecord, i+1, 0))
}

// places returns the occurrences of a name and its symbols, each by file.
func (s *Segment) places(name int) (occurrences, symbols []byte) {
	table, lists := s.parts[namesSection], s.parts[placesSection]
	o, d, end := u32(table, nameRecord, name, 1), u32(table, nameRecord, name, 2), u32(table, nameRecord, name+1, 1)
	return cut(lists, o, d), cut(lists, d, end)
}

// findName searches the names, which are sorted by fold and then as written, for
// the first that is not before (fold, text).
func (s *Segment) findName(fold, text string) int {
	return sort.Search(s.names, func(i int) bool {
		name := string(s.name(i))
		return cmp.Or(strings.Compare(foldName(name), fold), strings.Compare(name, text)) >= 0
	})
}

// bearers returns the names that a word is part of.
func (s *Segment) bearers(word string) []byte {
	i, ok := s.find(wordsSection, wordTextSection, wordRecord, s.nwords, word)
	if !ok {
		return nil
	}
	table := s.parts[wordsSection]
	return cut(s.parts[bearersSection], u32(table, wordRecord, i, 1), u32(table, wordRecord, i+1, 1))
}

// byFile walks what appendRefs wrote.
func (s *Segment) byFile(lists []byte, yield func(file int, list []byte) bool) {
	file := -1
	for c := (cursor{b: lists}); c.more(); {
		file += int(c.uvarint()) + 1
		list := c.bytes()
		if c.bad || file >= s.files || !yield(file, list) {
			return
		}
	}
}
