package postings

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"codeintel/internal/index/segment"
)

// A Segment is an immutable inverted index, read where it lies. It is safe for
// concurrent use until it is closed. What it returns as []byte is in it and is
// gone after Close; strings are copies. One from a file is to be read within
// [segment.Guard].
type Segment struct {
	*segment.File
	parts                       [sections][]byte
	totals                      totals
	label                       string
	files, terms, names, nwords int
}

// Open reads a segment in b, which must not change while it is in use. Damage
// is ErrCorrupt.
func Open(b []byte) (*Segment, error) {
	s, err := open(b)
	if err == nil {
		err = s.Verify()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open verifies the head, and those sections that it reads.
func open(b []byte) (*Segment, error) {
	f, err := segment.Open(b, format)
	if err != nil {
		return nil, err
	}
	return segment.Read(f, read)
}

// OpenFile opens the segment in a file, mapped into memory where the system can.
// A file that is not there is os.ErrNotExist, a damaged one ErrCorrupt. It reads
// the head and a little more; blocks are verified when they are first read, see
// [segment.Guard], and all of them by [segment.File.Verify].
func OpenFile(path string) (*Segment, error) {
	s, err := segment.Load(path, format, read)
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	return s, nil
}

func read(f *segment.File) (*Segment, error) {
	s := &Segment{File: f}
	for i := range s.parts {
		s.parts[i] = f.Section(i)
	}
	c := cursor{b: f.Whole(int(metaSection))}
	s.totals.read(&c)
	s.label = string(c.bytes())
	s.files = len(s.parts[filesSection])/fileRecord - 1
	s.terms = len(s.parts[termsSection])/termRecord - 1
	s.names = len(s.parts[namesSection])/nameRecord - 1
	s.nwords = len(s.parts[wordsSection])/wordRecord - 1
	if c.bad || min(s.files, s.terms, s.names, s.nwords) < 0 || uint32(s.files) != s.totals.files ||
		uint64(len(s.parts[chunksSection])) != uint64(s.totals.chunks)*chunkRecord {
		return nil, fmt.Errorf("postings: tables: %w", ErrCorrupt)
	}
	s.Whole(int(filesSection))
	for i := range s.files + 1 { // so that searches may trust the chunks of a file
		first := s.firstChunk(i)
		if first > s.totals.chunks || i > 0 && first < s.firstChunk(i-1) {
			return nil, fmt.Errorf("postings: chunks: %w", ErrCorrupt)
		}
	}
	return s, nil
}

// Close gives the memory back. No other method may be under way or called later.
func (s *Segment) Close() error {
	s.parts = [sections][]byte{}
	return s.File.Close()
}

// Label returns what was given to [Builder.Build].
func (s *Segment) Label() string { return s.label }

// Files returns how many files the segment holds; they are numbered from 0.
func (s *Segment) Files() int { return s.files }

// Chunks returns how many chunks the segment holds.
func (s *Segment) Chunks() int { return int(s.totals.chunks) }

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
	table := s.records(filesSection, fileRecord, file)
	begin := u32(table, fileRecord, file, which)
	end := u32(table, fileRecord, file+1, 2) // outlines follow one another
	switch which {
	case 0:
		end = u32(table, fileRecord, file, 1)
	case 1:
		end = u32(table, fileRecord, file+1, 0)
	}
	return s.cut(blobsSection, begin, end)
}

// firstChunk, fileLengths and chunkLengths are for those who made sure of their
// tables: see ready.
func (s *Segment) firstChunk(file int) uint32 { return u32(s.parts[filesSection], fileRecord, file, 3) }

// fileLengths returns the lengths of a file in terms: all its bodies, all its
// symbols, its path.
func (s *Segment) fileLengths(file int) (body, symbol, path float64) {
	table := s.parts[filesSection]
	return float64(u32(table, fileRecord, file, 4)), float64(u32(table, fileRecord, file, 5)),
		float64(u32(table, fileRecord, file, 6)) / 2
}

// verifyScoringTables makes sure of the tables that scoring reads for each posting.
func (s *Segment) verifyScoringTables() {
	s.Whole(int(filesSection))
	s.Whole(int(chunksSection))
}

// records returns a table and makes sure of its record r and the one after it.
func (s *Segment) records(table section, width, r int) []byte {
	s.VerifyRange(int(table), r*width, (r+2)*width)
	return s.parts[table]
}

// cut returns the bytes from begin to end of a section and makes sure of them, or
// nil where that makes no sense.
func (s *Segment) cut(part section, begin, end uint32) []byte {
	b := s.parts[part]
	if begin > end || uint64(end) > uint64(len(b)) {
		return nil
	}
	s.VerifyRange(int(part), int(begin), int(end))
	return b[begin:end:end]
}

// term returns the number of a term.
func (s *Segment) term(text string) (int, bool) {
	return s.find(termsSection, termTextSection, termRecord, s.terms, text)
}

// termText returns the text of a term, as it is in the segment.
func (s *Segment) termText(i int) []byte {
	return s.text(termsSection, termTextSection, termRecord, i)
}

// text returns a text of a sorted table.
func (s *Segment) text(table, texts section, width, i int) []byte {
	records := s.records(table, width, i)
	return s.cut(texts, u32(records, width, i, 0), u32(records, width, i+1, 0))
}

// find searches a sorted table of texts.
func (s *Segment) find(table, texts section, width, n int, text string) (int, bool) {
	return sort.Find(n, func(i int) int { return strings.Compare(text, string(s.text(table, texts, width, i))) })
}

// termLists returns the list of chunks and the list of paths of a term.
func (s *Segment) termLists(term int) (chunks, paths []byte) {
	table := s.records(termsSection, termRecord, term)
	begin, p, end := u32(table, termRecord, term, 1), u32(table, termRecord, term, 2), u32(table, termRecord, term+1, 1)
	c := cursor{b: s.cut(listsSection, begin, p)}
	c.frequencies()
	return c.b, s.cut(listsSection, p, end)
}

// frequencies returns the document frequencies of a term.
func (s *Segment) frequencies(term int) frequencies {
	table := s.records(termsSection, termRecord, term)
	begin, end := u32(table, termRecord, term, 1), u32(table, termRecord, term, 2)
	c := cursor{b: s.cut(listsSection, begin, min(begin+maxFrequencies, end))}
	return c.frequencies()
}

// name returns the text of a name, as it is in the segment.
func (s *Segment) name(i int) []byte {
	return s.text(namesSection, nameTextSection, nameRecord, i)
}

// places returns the occurrences of a name and its symbols, each by file.
func (s *Segment) places(name int) (occurrences, symbols []byte) {
	table := s.records(namesSection, nameRecord, name)
	o, d, end := u32(table, nameRecord, name, 1), u32(table, nameRecord, name, 2), u32(table, nameRecord, name+1, 1)
	return s.cut(placesSection, o, d), s.cut(placesSection, d, end)
}

// findName searches the names, which are sorted by fold and then as written, for
// the first that is not before (fold, text).
func (s *Segment) findName(fold, text string) int {
	return sort.Search(s.names, func(i int) bool {
		name := string(s.name(i))
		return cmp.Or(strings.Compare(foldName(name), fold), strings.Compare(name, text)) >= 0
	})
}

// namesWithWord returns the names that a word is part of.
func (s *Segment) namesWithWord(word string) []byte {
	i, ok := s.find(wordsSection, wordTextSection, wordRecord, s.nwords, word)
	if !ok {
		return nil
	}
	table := s.records(wordsSection, wordRecord, i)
	return s.cut(wordNamesSection, u32(table, wordRecord, i, 1), u32(table, wordRecord, i+1, 1))
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
