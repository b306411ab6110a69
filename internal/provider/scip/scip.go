// Package scip reads indexes in the SCIP format, which the indexers of compilers write: what
// every name in a project means.
//
// The format is the protocol buffer message Index of scip.proto
// (github.com/sourcegraph/scip). Only the places of symbols and the relations between
// symbols are read.
package scip

import (
	"bufio"
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

// An Index holds which symbol stands where.
type Index struct {
	Tool      string // name and version of the indexer
	Root      string // the folder that was indexed, as the indexer saw it; may be another machine's
	Documents []Document

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
	Occurrences []Occurrence
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

// An Occurrence is a range of text, within one line, that stands for a symbol.
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
	maxMessage = 64 << 20  // bytes of one document, the largest part of an index
	maxHeld    = 192 << 20 // bytes of memory for an index, by the costs below
)

// Bytes of memory that a part of an index takes, beside the text in it.
const (
	occurrenceCost = 24
	nameCost       = 112 // in a slice and a map
	linkCost       = 96  // both ways, and what two maps hold of them
	documentCost   = 128
)

// Read reads an index, one document at a time.
func Read(r io.Reader) (*Index, error) { return read(r, maxHeld) }

func read(r io.Reader, most int) (*Index, error) {
	p := &parser{x: &Index{relations: map[Symbol][]link{}}, numbers: map[string]Symbol{}, most: most}
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
				err = p.field(number, message)
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

// Name returns the last name in a symbol: what stands in the code where it is
// declared. It is empty for local symbols.
func (x *Index) Name(s Symbol) string {
	name := x.names[s]
	if strings.HasPrefix(name, "local ") {
		return ""
	}
	return lastName(name)
}

// Family returns the symbols that a symbol stands for together with others: those
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
	most    int // that it may take
}

// field reads a field of the message Index.
func (p *parser) field(number protowire.Number, b []byte) error {
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

// hold counts memory.
func (p *parser) hold(bytes int) error {
	if p.held += bytes; p.held > p.most {
		return fmt.Errorf("%w: more than %d MB", ErrTooLarge, p.most>>20)
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
		p.held += nameCost + len(key) // the next occurrence or link is held against the limit
		n = Symbol(len(p.x.names))
		p.numbers[key] = n
		p.x.names = append(p.x.names, symbol)
	}
	return n
}

func (p *parser) metadata(b []byte) error {
	var tool, version string
	err := fields(b, map[protowire.Number]reader{
		2: {message: func(b []byte) error {
			return fields(b, map[protowire.Number]reader{1: {text: &tool}, 2: {text: &version}})
		}},
		3: {text: &p.x.Root},
	})
	p.x.Tool = strings.TrimSpace(tool + " " + version)
	if u, err := url.Parse(p.x.Root); err == nil && u.Scheme == "file" {
		p.x.Root = u.Path
	}
	return err
}

func (p *parser) document(b []byte) error {
	var d Document
	var encoding uint64
	// The path comes first, so that local symbols can be told apart.
	if err := fields(b, map[protowire.Number]reader{1: {text: &d.Path}, 6: {number: &encoding}}); err != nil {
		return err
	}
	d.Encoding = Encoding(encoding)
	err := fields(b, map[protowire.Number]reader{
		2: {message: func(b []byte) error { return p.occurrence(b, &d) }},
		3: {message: func(b []byte) error { return p.information(b, d.Path) }},
	})
	d.Occurrences = slices.Clone(d.Occurrences) // without what it could still grow by
	p.x.Documents = append(p.x.Documents, d)
	if err != nil {
		return err
	}
	return p.hold(documentCost + len(d.Path))
}

// roleDefinition is the bit of symbol_roles that marks a definition.
const roleDefinition = 1

func (p *parser) occurrence(b []byte, d *Document) error {
	var at []uint64
	var symbol string
	var roles uint64
	one := make([]uint64, 3)
	several := make([]uint64, 4)
	err := fields(b, map[protowire.Number]reader{
		1: {numbers: &at},
		2: {text: &symbol},
		3: {number: &roles},
		8: {message: func(b []byte) error { // single_line_range
			at = one
			return fields(b, map[protowire.Number]reader{1: {number: &one[0]}, 2: {number: &one[1]},
				3: {number: &one[2]}})
		}},
		9: {message: func(b []byte) error { // multi_line_range
			at = several
			return fields(b, map[protowire.Number]reader{
				1: {number: &several[0]}, 2: {number: &several[1]}, 3: {number: &several[2]}, 4: {number: &several[3]}})
		}},
	})
	if err != nil || symbol == "" {
		return err
	}
	switch {
	case len(at) == 4 && at[0] == at[2]:
		at = []uint64{at[0], at[1], at[3]}
	case len(at) == 4: // over several lines: no name
		return nil
	case len(at) != 3:
		return fmt.Errorf("%w: a range of %d numbers", ErrMalformed, len(at))
	}
	if at[0] > maxPosition || at[1] > at[2] || at[2] > maxPosition {
		return fmt.Errorf("%w: a range that ends before it begins", ErrMalformed)
	}
	d.Occurrences = append(d.Occurrences, Occurrence{
		Line: uint32(at[0]), Start: uint32(at[1]), End: uint32(at[2]),
		Symbol: p.number(symbol, d.Path), Definition: roles&roleDefinition != 0,
	})
	return p.hold(occurrenceCost)
}

const maxPosition = 1<<31 - 1

// information reads what is known about a symbol beside its places.
func (p *parser) information(b []byte, document string) error {
	var symbol string
	// The symbol comes first, whatever its place.
	if err := fields(b, map[protowire.Number]reader{1: {text: &symbol}}); err != nil || symbol == "" {
		return err
	}
	return fields(b, map[protowire.Number]reader{
		4: {message: func(b []byte) error { return p.relation(b, symbol, document) }},
	})
}

// relation reads how a symbol is related to another.
func (p *parser) relation(b []byte, symbol, document string) error {
	var to string
	var reference, implementation, definition uint64
	err := fields(b, map[protowire.Number]reader{
		1: {text: &to}, 2: {number: &reference}, 3: {number: &implementation}, 5: {number: &definition},
	})
	if err != nil || to == "" || reference+implementation+definition == 0 {
		return err
	}
	if reference+definition == 0 && strings.HasSuffix(symbol, "#") {
		return nil // a type that builds upon another is not meant where that is named
	}
	from, other, same := p.number(symbol, document), p.number(to, document), definition != 0
	p.x.relations[from] = append(p.x.relations[from], link{other, same, true})
	p.x.relations[other] = append(p.x.relations[other], link{from, same, false})
	return p.hold(linkCost)
}

// A reader takes the values of one field: exactly one of its fields is set.
type reader struct {
	text    *string
	number  *uint64
	numbers *[]uint64 // packed or one by one; at most maxNumbers
	message func([]byte) error
}

const maxNumbers = 4 // of a range

// fields reads a message, and passes over the fields that nobody takes.
func fields(b []byte, readers map[protowire.Number]reader) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return malformed(n)
		}
		b = b[n:]
		r, wanted := readers[number]
		switch {
		case kind == protowire.BytesType:
			value, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return malformed(n)
			}
			b = b[n:]
			if err := r.bytes(value); err != nil {
				return err
			}
		case kind == protowire.VarintType && wanted:
			value, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return malformed(n)
			}
			b = b[n:]
			r.varint(value)
		default:
			n := protowire.ConsumeFieldValue(number, kind, b)
			if n < 0 {
				return malformed(n)
			}
			b = b[n:]
		}
	}
	return nil
}

func (r reader) bytes(value []byte) error {
	switch {
	case r.text != nil:
		*r.text = string(value)
	case r.message != nil:
		return r.message(value)
	case r.numbers != nil:
		for len(value) > 0 {
			v, n := protowire.ConsumeVarint(value)
			if n < 0 {
				return malformed(n)
			}
			if len(*r.numbers) == maxNumbers {
				return fmt.Errorf("%w: a range of more than %d numbers", ErrMalformed, maxNumbers)
			}
			*r.numbers, value = append(*r.numbers, v), value[n:]
		}
	}
	return nil
}

func (r reader) varint(value uint64) {
	switch {
	case r.number != nil:
		*r.number = value
	case r.numbers != nil && len(*r.numbers) <= maxNumbers:
		*r.numbers = append(*r.numbers, value)
	}
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
