// Package scip reads indexes in the SCIP format, in which the indexers of compilers record what every name in
// a project means.
//
// The format is the protocol buffer message Index of scip.proto
// (github.com/sourcegraph/scip). Only the places of symbols and the relations between
// symbols are read.
package scip

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// An Index holds which symbol is where.
type Index struct {
	Tool      string // name and version of the indexer
	Root      string // the folder that was indexed, as the indexer saw it; may be another machine's
	Documents []Document
	Held      int // bytes of memory that it takes, about

	names     []string          // symbols, by Symbol
	relations map[Symbol][]link // of a symbol, both ways
}

// A Symbol is the number of a symbol within one Index. Local symbols of different
// documents have different numbers.
type Symbol uint32

// A link leads from a symbol to one that is related to it.
type link struct {
	To   Symbol
	Same bool // both are declared at once; otherwise one implements or overrides the other
	Up   bool // To is what is implemented or overridden
}

// A Document is one file.
type Document struct {
	Path        string // relative to the indexed folder, with slashes
	Encoding    Encoding
	Occurrences []Occurrence // by line
}

// An Encoding says in what the columns of a document count.
type Encoding int

// The encodings.
const (
	Unspecified Encoding = iota
	UTF8                 // bytes
	UTF16                // code units of UTF-16
	UTF32                // code points
)

// An Occurrence is a range of text, within one line, that refers to a symbol.
type Occurrence struct {
	Line, Start, End uint32 // from 0
	Symbol           Symbol
	Definition       bool
}

// What [Read] refuses, beside what cannot be read.
var (
	ErrMalformed = errors.New("not an index in SCIP format")
	ErrTooLarge  = errors.New("an index that takes too much memory")
)

const (
	maxMessage = 64 << 20 // bytes of one document, the largest part of an index
	maxPath    = 4096     // bytes of a path; no file has a longer one
)

// Bytes of memory that a part of an index takes, beside the text in it.
const (
	occurrenceCost = 24
	nameCost       = 112 // in a slice and a map
	linkCost       = 96  // both ways, and what two maps hold of them
	documentCost   = 320 // with what is known of its text
)

// Read reads an index that may take so many bytes of memory, one document at a time.
func Read(r io.Reader, most int) (*Index, error) {
	p := &parser{x: &Index{relations: map[Symbol][]link{}}, numbers: map[string]Symbol{}, max: most}
	in := bufio.NewReader(r)
	var message []byte
	for {
		_, err := in.Peek(1)
		if err == io.EOF {
			break
		}
		tag, err := binary.ReadUvarint(in)
		if err != nil {
			return nil, cut(err)
		}
		number, kind := protowire.DecodeTag(tag)
		switch {
		case number < protowire.MinValidNumber:
			return nil, fmt.Errorf("%w: a field without a number", ErrMalformed)
		case kind == protowire.VarintType:
			_, err = binary.ReadUvarint(in)
		case kind == protowire.Fixed32Type:
			_, err = in.Discard(4)
		case kind == protowire.Fixed64Type:
			_, err = in.Discard(8)
		case kind == protowire.BytesType:
			if message, err = delimited(in, message); err == nil {
				err = p.part(number, message)
			}
		default:
			err = fmt.Errorf("%w: a field of kind %d", ErrMalformed, kind)
		}
		if err != nil {
			return nil, cut(err)
		}
	}
	if len(p.x.Documents) == 0 && p.x.Tool == "" {
		return nil, fmt.Errorf("%w: it has no documents", ErrMalformed)
	}
	p.x.Held = p.held
	return p.x, nil
}

// delimited reads a length and as many bytes, into the memory of into if that is enough.
func delimited(in *bufio.Reader, into []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	if n > maxMessage {
		return nil, fmt.Errorf("%w: a document of %d bytes", ErrTooLarge, n)
	}
	into = slices.Grow(into[:0], int(n))[:n]
	_, err = io.ReadFull(in, into)
	return into, err
}

// cut returns the error of a read that met the end where more was announced, or a number
// that is too large, as one of the format.
func cut(err error) error {
	if errors.Is(err, ErrMalformed) || errors.Is(err, ErrTooLarge) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrMalformed, err)
}

// Name returns the last name in a symbol: what the code contains where it is
// declared. It is empty for local symbols.
func (x *Index) Name(s Symbol) string {
	name := x.names[s]
	if strings.HasPrefix(name, "local ") {
		return ""
	}
	return lastName(name)
}

// Family returns the symbols that share their references with a symbol: those
// that are the same thing, and those that implement or override it, or are
// implemented or overridden by it; not those that only share what they override. The
// value says which are the same.
func (x *Index) Family(of ...Symbol) map[Symbol]bool {
	family := map[Symbol]bool{}
	for _, up := range []bool{true, false} {
		seen := map[Symbol]bool{}
		for _, s := range of {
			seen[s] = true
		}
		for queue := of; len(queue) > 0; queue = queue[1:] {
			for _, l := range x.relations[queue[0]] {
				if !l.Same && l.Up != up {
					continue
				}
				same := seen[queue[0]] && l.Same
				if had, known := seen[l.To]; !known || same && !had {
					seen[l.To] = same
					queue = append(queue, l.To)
				}
			}
		}
		for s, same := range seen {
			family[s] = family[s] || same
		}
	}
	return family
}

// A parser fills an Index.
type parser struct {
	x       *Index
	numbers map[string]Symbol
	held    int // bytes of memory that x takes, about
	max     int // that it may take
}

// part reads a field of the message Index.
func (p *parser) part(number protowire.Number, b []byte) error {
	switch number {
	case 1:
		return p.metadata(b)
	case 2:
		return p.document(b)
	case 3:
		return p.information(b, "")
	}
	return nil
}

// countMemory counts memory.
func (p *parser) countMemory(bytes int) error {
	if p.held += bytes; p.held > p.max {
		return fmt.Errorf("%w: more than %d MB", ErrTooLarge, p.max>>20)
	}
	return nil
}

func (p *parser) number(symbol, document string) Symbol {
	key := symbol
	if strings.HasPrefix(symbol, "local ") {
		key += "\x00" + document
	}
	n, ok := p.numbers[key]
	if !ok {
		p.held += nameCost + len(key) // the next occurrence or link is checked against the limit
		n = Symbol(len(p.x.names))
		p.numbers[key] = n
		p.x.names = append(p.x.names, symbol)
	}
	return n
}

func (p *parser) metadata(b []byte) error {
	var tool, version string
	err := fields(b, func(f field) error {
		switch f.number {
		case 2:
			return fields(f.bytes, func(f field) error {
				f.text(1, &tool)
				f.text(2, &version)
				return nil
			})
		case 3:
			f.text(3, &p.x.Root)
		}
		return nil
	})
	p.x.Tool = strings.TrimSpace(tool + " " + version)
	if u, err := url.Parse(p.x.Root); err == nil && u.Scheme == "file" {
		p.x.Root = u.Path
	}
	return err
}

func (p *parser) document(b []byte) error {
	var d Document
	// The path comes first, so that local symbols can be told apart.
	err := fields(b, func(f field) error {
		f.text(1, &d.Path)
		if f.number == 6 {
			d.Encoding = Encoding(f.value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(d.Path) > maxPath {
		return nil
	}
	err = fields(b, func(f field) error {
		switch f.number {
		case 2:
			return p.occurrence(f.bytes, &d)
		case 3:
			return p.information(f.bytes, d.Path)
		}
		return nil
	})
	d.Occurrences = slices.Clone(d.Occurrences) // without what it could still grow by
	slices.SortStableFunc(d.Occurrences, func(a, b Occurrence) int { return cmp.Compare(a.Line, b.Line) })
	p.x.Documents = append(p.x.Documents, d)
	if err != nil {
		return err
	}
	return p.countMemory(documentCost + len(d.Path))
}

// roleDefinition is the bit of symbol_roles that marks a definition.
const roleDefinition = 1

func (p *parser) occurrence(b []byte, d *Document) error {
	var at span
	var symbol string
	var roles uint64
	err := fields(b, func(f field) error {
		switch f.number {
		case 1:
			return at.addNumbers(f)
		case 2:
			f.text(2, &symbol)
		case 3:
			roles = f.value
		case 8: // single_line_range
			at = span{n: 3}
			return fields(f.bytes, at.setNumber)
		case 9: // multi_line_range
			at = span{n: 4}
			return fields(f.bytes, at.setNumber)
		}
		return nil
	})
	if err != nil || symbol == "" {
		return err
	}
	switch {
	case at.n == 4 && at.at[0] == at.at[2]:
		at.at[2] = at.at[3]
	case at.n == 4: // over several lines: no name
		return nil
	case at.n != 3:
		return fmt.Errorf("%w: a range of %d numbers", ErrMalformed, at.n)
	}
	line, start, end := at.at[0], at.at[1], at.at[2]
	if line > maxPosition || start > end || end > maxPosition {
		return fmt.Errorf("%w: a range that ends before it begins", ErrMalformed)
	}
	d.Occurrences = append(d.Occurrences, Occurrence{
		Line: uint32(line), Start: uint32(start), End: uint32(end),
		Symbol: p.number(symbol, d.Path), Definition: roles&roleDefinition != 0,
	})
	return p.countMemory(occurrenceCost)
}

const maxPosition = 1<<31 - 1

// A span is a list of three or four numbers: the first line and column, and the last line,
// unless it is the same, and column.
type span struct {
	at [4]uint64
	n  int
}

// addNumbers adds numbers, packed or one by one.
func (s *span) addNumbers(f field) error {
	if f.kind == protowire.VarintType {
		return s.add(f.value)
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return malformed(n)
		}
		if err := s.add(v); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (s *span) add(v uint64) error {
	if s.n == len(s.at) {
		return fmt.Errorf("%w: a range of more than %d numbers", ErrMalformed, len(s.at))
	}
	s.at[s.n] = v
	s.n++
	return nil
}

// setNumber sets the number that a field says.
func (s *span) setNumber(f field) error {
	if f.kind == protowire.VarintType && f.number <= protowire.Number(s.n) {
		s.at[f.number-1] = f.value
	}
	return nil
}

// information reads what is known about a symbol beside its places.
func (p *parser) information(b []byte, document string) error {
	var symbol string
	// The symbol comes first, whatever its place.
	err := fields(b, func(f field) error {
		f.text(1, &symbol)
		return nil
	})
	if err != nil || symbol == "" {
		return err
	}
	return fields(b, func(f field) error {
		if f.number == 4 {
			return p.relation(f.bytes, symbol, document)
		}
		return nil
	})
}

// relation reads how a symbol is related to another.
func (p *parser) relation(b []byte, symbol, document string) error {
	var to string
	var reference, implementation, definition uint64
	err := fields(b, func(f field) error {
		switch f.number {
		case 1:
			f.text(1, &to)
		case 2:
			reference = f.value
		case 3:
			implementation = f.value
		case 5:
			definition = f.value
		}
		return nil
	})
	if err != nil || to == "" || reference == 0 && implementation == 0 && definition == 0 {
		return err
	}
	if reference == 0 && definition == 0 && strings.HasSuffix(symbol, "#") {
		return nil // a type that builds upon another is not meant where that is named
	}
	from, other, same := p.number(symbol, document), p.number(to, document), definition != 0
	p.x.relations[from] = append(p.x.relations[from], link{other, same, true})
	p.x.relations[other] = append(p.x.relations[other], link{from, same, false})
	return p.countMemory(linkCost)
}

// A field is one of a message: a number, or bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // of VarintType
	bytes  []byte // of BytesType
}

// text sets a text, if the field is the one of that number.
func (f *field) text(number protowire.Number, to *string) {
	if f.number == number && f.kind == protowire.BytesType {
		*to = string(f.bytes)
	}
}

// fields gives the fields of a message that are numbers or bytes to visit. Nothing is kept of
// one, so that a message of very many takes no longer than its length.
func fields(b []byte, visit func(field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return malformed(n)
		}
		b = b[n:]
		f := field{number: number, kind: kind}
		switch kind {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return malformed(n)
		}
		b = b[n:]
		if kind != protowire.BytesType && kind != protowire.VarintType {
			continue
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

func malformed(n int) error { return fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n)) }

// lastName returns the name of the last descriptor of a symbol: "Close" of
// "scip-go gomod net/http v1 Client#Close().". Names in backticks are unquoted.
func lastName(symbol string) string {
	s := symbol
	if strings.HasSuffix(s, ")") || strings.HasSuffix(s, "]") { // a parameter, a type parameter
		s = s[:len(s)-1]
	} else {
		s = strings.TrimRight(s, "/#.:!")
		if i := strings.LastIndexByte(s, '('); i >= 0 && strings.HasSuffix(s, ")") { // a method, and its disambiguator
			s = s[:i]
		}
	}
	if strings.HasSuffix(s, "`") {
		if i := strings.LastIndexByte(s[:len(s)-1], '`'); i >= 0 {
			return s[i+1 : len(s)-1]
		}
		return ""
	}
	i := strings.LastIndexFunc(s, func(r rune) bool { return strings.ContainsRune("/#.:!()[] `", r) })
	return s[i+1:]
}
