package index

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"codeintel/internal/index/chunk"
	"codeintel/internal/index/postings"
	"codeintel/internal/syntax"
)

// An outline is what a file declares, in bytes that are read where they lie: a
// symbol or chunk is found by its number without reading those before it.
//
//	version byte
//	numbers: lines, occurrences; string: partial
//	symbols, chunks, imports: each the number of them, a uint32 for each with
//	    where it begins after the table, one more for the end, and the things
//	CRC-32C of all of the above, uint32
type outline struct {
	lines, occurrences       int
	partial                  string
	symbols, chunks, imports table
}

const outlineVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// kinds are the numbers of kinds in an outline; 0 says that the name follows.
// Append only, or raise outlineVersion.
var kinds = []syntax.Kind{"", syntax.Function, syntax.Method, syntax.Constructor, syntax.Class,
	syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.EnumMember, syntax.Type,
	syntax.Field, syntax.Property, syntax.Constant, syntax.Variable, syntax.Module,
	syntax.Namespace, syntax.Macro, syntax.Impl, syntax.Selector, syntax.Rule, syntax.Element,
	syntax.Component, syntax.Heading, syntax.Target, syntax.Key, syntax.Section, syntax.Slot}

// A table is the encoded things of one sort.
type table struct {
	n       int
	offsets []byte
	blob    []byte
}

func (t table) at(i int) decoder {
	if i < 0 || i >= t.n {
		return decoder{bad: true}
	}
	begin := binary.LittleEndian.Uint32(t.offsets[4*i:])
	end := binary.LittleEndian.Uint32(t.offsets[4*i+4:])
	if begin > end || uint64(end) > uint64(len(t.blob)) {
		return decoder{bad: true}
	}
	return decoder{b: t.blob[begin:end]}
}

func appendTable(b []byte, n int, thing func(b []byte, i int) []byte) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	at := len(b)
	b = append(b, make([]byte, 4*(n+1))...)
	start := len(b)
	for i := range n {
		b = thing(b, i)
		binary.LittleEndian.PutUint32(b[at+4*(i+1):], uint32(len(b)-start))
	}
	return b
}

// appendOutline writes what was read in one text.
func appendOutline(b []byte, f *syntax.File, chunks []chunk.Chunk, lines int) []byte {
	start := len(b)
	b = append(b, outlineVersion)
	b = appendInt(b, lines)
	b = appendInt(b, len(f.Occurrences))
	b = appendString(b, f.Partial)
	b = appendTable(b, len(f.Symbols), func(b []byte, i int) []byte { return appendSymbol(b, &f.Symbols[i]) })
	b = appendTable(b, len(chunks), func(b []byte, i int) []byte { return appendChunk(b, &chunks[i], f.Symbols) })
	b = appendTable(b, len(f.Imports), func(b []byte, i int) []byte { return appendImport(b, &f.Imports[i]) })
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// intactOutline reports whether b is what appendOutline of this version wrote.
func intactOutline(b []byte) bool {
	n := len(b) - 4
	return n > 0 && b[0] == outlineVersion && crc32.Checksum(b[:n], castagnoli) == binary.LittleEndian.Uint32(b[n:])
}

// decodeOutline reads the frame of an outline. Its checksum is the business of
// whoever brought it from SQLite; one in a segment is covered by the segment's.
func decodeOutline(b []byte) (outline, error) {
	if len(b) < 5 || b[0] != outlineVersion {
		return outline{}, fmt.Errorf("index: outline: %w", postings.ErrCorrupt)
	}
	d := decoder{b: b[1 : len(b)-4]}
	o := outline{lines: d.int(), occurrences: d.int(), partial: d.string()}
	o.symbols, o.chunks, o.imports = d.table(), d.table(), d.table()
	if d.bad {
		return outline{}, fmt.Errorf("index: outline: %w", postings.ErrCorrupt)
	}
	return o, nil
}

func appendSymbol(b []byte, s *syntax.Symbol) []byte {
	b = appendString(b, s.Name)
	b = appendKind(b, s.Kind)
	b = appendInt(b, s.Parent)
	b = appendString(b, s.Scope)
	b = appendString(b, s.Signature)
	b = appendString(b, s.Doc)
	b = appendInt(b, s.Start)
	b = appendInt(b, s.End-s.Start)
	b = appendInt(b, s.Start-s.DocStart)
	b = appendInt(b, s.StartLine)
	b = appendInt(b, s.EndLine-s.StartLine)
	b = appendInt(b, s.NameLine-s.StartLine)
	b = appendInt(b, s.NameColumn)
	if s.Exported {
		return append(b, 1)
	}
	return append(b, 0)
}

func (o *outline) symbol(i int) (syntax.Symbol, bool) {
	d := o.symbols.at(i)
	d.copied = string(d.b) // one string for all
	s := syntax.Symbol{Name: d.string(), Kind: d.kind(), Parent: d.int(), Scope: d.string(), Signature: d.string(),
		Doc: d.string()}
	s.Start = d.int()
	s.End = s.Start + d.int()
	s.DocStart = s.Start - d.int()
	s.StartLine = d.int()
	s.EndLine = s.StartLine + d.int()
	s.NameLine = s.StartLine + d.int()
	s.NameColumn = d.int()
	s.Exported = d.byte() == 1
	return s, !d.bad
}

// A symbolSummary is what a symbol is distinguished from others by.
type symbolSummary struct {
	name         []byte // is in the outline
	kind         syntax.Kind
	line, column int // of its beginning, and of its name
	exported     bool
}

// readGlimpse reads a glimpse of a symbol.
func (o *outline) readGlimpse(i int) (g symbolSummary, ok bool) {
	d := o.symbols.at(i)
	g.name, g.kind = d.bytes(), d.kind()
	d.int() // its parent
	for range 3 {
		d.bytes() // scope, signature, comment
	}
	for range 3 {
		d.int() // start, end, start of its comment
	}
	g.line = d.int()
	for range 2 {
		d.int() // its last line, the line of its name
	}
	g.column = d.int()
	g.exported = d.byte() == 1
	return g, !d.bad
}

// begins returns where a symbol begins, without its comment.
func (o *outline) begins(i int) int {
	d := o.symbols.at(i)
	d.bytes() // name
	d.kind()
	d.int() // its parent
	for range 3 {
		d.bytes() // scope, signature, comment
	}
	return d.int()
}

// enclosing reads only what an occurrence says of the symbol around it.
func (o *outline) enclosing(i int) Enclosing {
	if i < 0 {
		return Enclosing{}
	}
	s, _ := o.symbol(i)
	return Enclosing{Name: s.Name, Scope: s.Scope, Kind: s.Kind, StartLine: s.StartLine, EndLine: s.EndLine}
}

// appendChunk writes a chunk; what it shares with a symbol it takes from there.
func appendChunk(b []byte, c *chunk.Chunk, symbols []syntax.Symbol) []byte {
	b = appendInt(b, c.Start)
	b = appendInt(b, c.End-c.Start)
	b = appendInt(b, c.StartLine)
	b = appendInt(b, c.EndLine-c.StartLine)
	var print [8]byte
	hex.Decode(print[:], []byte(c.Fingerprint[:min(len(c.Fingerprint), 16)])) // what is not hex stays zero
	b = append(b, print[:]...)
	same := symbolOf(c, symbols)
	b = appendInt(b, same)
	if same >= 0 {
		return b
	}
	b = appendString(b, c.Symbol)
	b = appendString(b, c.Scope)
	b = appendKind(b, c.Kind)
	b = appendString(b, c.Signature)
	return appendString(b, c.Doc)
}

// symbolOf returns the number of the symbol that a chunk names, or -1. Symbols
// are in the order in which they begin, and it is before the chunk's end.
func symbolOf(c *chunk.Chunk, symbols []syntax.Symbol) int {
	if c.Symbol == "" {
		return -1
	}
	i := sort.Search(len(symbols), func(i int) bool { return symbols[i].Start >= c.End }) - 1
	for ; i >= 0; i-- {
		s := &symbols[i]
		if c.Start < s.End && s.Name == c.Symbol && s.Scope == c.Scope &&
			s.Kind == c.Kind && s.Signature == c.Signature && s.Doc == c.Doc {
			return i
		}
	}
	return -1
}

// chunk reads a chunk; file, language and ID are for the caller to fill in.
func (o *outline) chunk(i int) (ChunkInfo, bool) {
	d := o.chunks.at(i)
	c := ChunkInfo{Start: d.int()}
	c.End = c.Start + d.int()
	c.StartLine = d.int()
	c.EndLine = c.StartLine + d.int()
	c.Fingerprint = hex.EncodeToString(d.take(8))
	if same := d.int(); same >= 0 {
		s, ok := o.symbol(same)
		c.Symbol, c.Scope, c.Kind, c.Signature, c.Doc = s.Name, s.Scope, s.Kind, s.Signature, s.Doc
		return c, ok && !d.bad
	}
	c.Symbol, c.Scope, c.Kind, c.Signature, c.Doc = d.string(), d.string(), d.kind(), d.string(), d.string()
	return c, !d.bad
}

// extent reads only how many lines a chunk has and what it declares.
func (o *outline) extent(i int) (lines int, kind syntax.Kind, ok bool) {
	d := o.chunks.at(i)
	for range 3 {
		d.int() // start, length, first line
	}
	lines = d.int() + 1
	d.take(8) // fingerprint
	if same := d.int(); same >= 0 {
		g, ok := o.readGlimpse(same)
		return lines, g.kind, ok && !d.bad
	}
	d.bytes() // symbol
	d.bytes() // scope
	kind = d.kind()
	return lines, kind, !d.bad
}

func appendImport(b []byte, m *syntax.Import) []byte {
	b = appendString(b, m.Path)
	b = appendString(b, m.Alias)
	b = appendInt(b, m.Line)
	for _, n := range m.Names {
		b = appendString(b, n)
	}
	return b
}

func (o *outline) imported(i int) (syntax.Import, bool) {
	d := o.imports.at(i)
	m := syntax.Import{Path: d.string(), Alias: d.string(), Line: d.int()}
	for len(d.b) > 0 {
		m.Names = append(m.Names, d.string())
	}
	return m, !d.bad
}

// attributes are what a segment keeps of a file beside its outline.
type attributes struct {
	size, mtime int64
	hash        [32]byte
	class       string
	language    string
}

func (a *attributes) encode() []byte {
	b := binary.AppendVarint(nil, a.size)
	b = binary.AppendVarint(b, a.mtime)
	b = append(b, a.hash[:]...)
	b = appendString(b, a.class)
	return appendString(b, a.language)
}

func decodeAttributes(b []byte) (a attributes) {
	d := decoder{b: b}
	a.size, a.mtime = d.varint(), d.varint()
	copy(a.hash[:], d.take(len(a.hash)))
	a.class, a.language = d.string(), d.string()
	return a
}

// A decoder reads bytes that may be damaged: past their end everything is zero
// and bad is set.
type decoder struct {
	b      []byte
	bad    bool
	copied string // if not empty, ends as b does, and strings are parts of it
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.b, d.bad = nil, true
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) byte() byte {
	if v := d.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int { return int(int32(d.varint())) }

// bytes reads a string without copying it.
func (d *decoder) bytes() []byte {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > uint64(len(d.b)-n) {
		d.b, d.bad = nil, true
		return nil
	}
	d.b = d.b[n:]
	return d.take(int(v))
}

func (d *decoder) string() string {
	v := d.bytes()
	if d.copied == "" || d.bad {
		return string(v)
	}
	end := len(d.copied) - len(d.b)
	return d.copied[end-len(v) : end]
}

func (d *decoder) kind() syntax.Kind {
	i := d.byte()
	if i == 0 {
		return syntax.Kind(d.string())
	}
	if int(i) >= len(kinds) {
		d.bad = true
		return ""
	}
	return kinds[i]
}

func (d *decoder) table() table {
	n, w := binary.Uvarint(d.b)
	if w <= 0 || n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return table{}
	}
	d.b = d.b[w:]
	t := table{n: int(n), offsets: d.take(4 * (int(n) + 1))}
	if d.bad {
		return table{}
	}
	t.blob = d.take(int(binary.LittleEndian.Uint32(t.offsets[4*t.n:])))
	if d.bad {
		return table{}
	}
	return t
}

func appendInt(b []byte, v int) []byte { return binary.AppendVarint(b, int64(v)) }

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendKind(b []byte, k syntax.Kind) []byte {
	if i := slices.Index(kinds, k); i > 0 {
		return append(b, byte(i))
	}
	return appendString(append(b, 0), string(k))
}
