package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A preTokenizer cuts pieces of text into smaller ones. It appends to out and
// passes tokens on as they are; empty pieces go.
type preTokenizer interface {
	split(out, in []piece) []piece
}

// preTokenizers reads each type of pre-tokenizer.
var preTokenizers map[string]func(data json.RawMessage) (preTokenizer, error)

func init() { // not a literal: Sequence reads preTokenizers again
	preTokenizers = map[string]func(data json.RawMessage) (preTokenizer, error){
		"BertPreTokenizer": cutting(cut{isSpace, removed}, cut{isPunctuation, isolated}),
		"ByteLevel":        readByteLevel,
		"Digits":           readDigits,
		"Metaspace":        readMetaspace,
		"Punctuation":      readPunctuation,
		"Sequence":         readPreTokenizers,
		"Split":            readSplit,
		"Whitespace":       simple(words{}),
		"WhitespaceSplit":  cutting(cut{isSpace, removed}),
	}
}

func readPreTokenizer(data json.RawMessage) (preTokenizer, error) {
	name, err := kind(data)
	if name == "" || err != nil {
		return nil, err
	}
	read, ok := preTokenizers[name]
	if !ok {
		return nil, fmt.Errorf("the type %q is not known", name)
	}
	p, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// simple reads a pre-tokenizer that has no settings.
func simple(p preTokenizer) func(json.RawMessage) (preTokenizer, error) {
	return func(data json.RawMessage) (preTokenizer, error) {
		var f struct {
			Type string `json:"type"`
		}
		return p, decode(data, &f)
	}
}

// chain is pre-tokenizers one after the other.
type chain []preTokenizer

func cutting(cuts ...preTokenizer) func(json.RawMessage) (preTokenizer, error) {
	if len(cuts) == 1 {
		return simple(cuts[0])
	}
	return simple(chain(cuts))
}

func readPreTokenizers(data json.RawMessage) (preTokenizer, error) {
	var f struct {
		Type          string            `json:"type"`
		PreTokenizers []json.RawMessage `json:"pretokenizers"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	var all chain
	for _, d := range f.PreTokenizers {
		p, err := readPreTokenizer(d)
		if err != nil {
			return nil, err
		}
		if p == nil {
			return nil, errMissing
		}
		all = append(all, p)
	}
	return all, nil
}

func (c chain) split(out, in []piece) []piece {
	for i, p := range c {
		if i == len(c)-1 {
			return p.split(out, in)
		}
		in = p.split(nil, in)
	}
	return append(out, in...)
}

// A behaviour says what becomes of a match.
type behaviour string

// The behaviours, by their names in the file.
const (
	removed      behaviour = "Removed"
	isolated     behaviour = "Isolated"
	withPrevious behaviour = "MergedWithPrevious"
	withNext     behaviour = "MergedWithNext"
	contiguous   behaviour = "Contiguous"
)

func (b behaviour) check() error {
	switch b {
	case removed, isolated, withPrevious, withNext, contiguous:
		return nil
	}
	return fmt.Errorf("the behavior %q is not known", b)
}

// A splitter cuts one text by a behaviour: it is told of the parts in order,
// which of them are matches, and appends pieces.
type splitter struct {
	out      []piece
	of       piece
	behave   behaviour
	open     int  // start of a piece that may still grow
	matched  bool // the part before was a match
	anything bool // there was a part before
}

func (s *splitter) part(start, end int, match bool) {
	join := false
	switch s.behave {
	case removed:
		s.flush(start)
		if match {
			s.open = end
		}
	case isolated:
		s.flush(start)
	case contiguous:
		join = s.matched == match && s.anything
	case withPrevious:
		join = match && !s.matched && s.anything
	case withNext:
		join = s.matched && !match && s.anything
	}
	if !join && s.behave != removed && s.behave != isolated {
		s.flush(start)
	}
	s.matched, s.anything = match, true
}

// flush ends the open piece at end.
func (s *splitter) flush(end int) {
	if s.open < end {
		p := piece{text: s.of.text[s.open:end], token: none, first: s.of.first && s.open == 0}
		s.out = append(s.out, p)
	}
	s.open = max(s.open, end)
}

// cut cuts at characters, each of which is a match.
type cut struct {
	at     func(r rune) bool
	behave behaviour
}

func (c cut) split(out, in []piece) []piece {
	for _, p := range in {
		if p.token != none {
			out = append(out, p)
			continue
		}
		s := splitter{out: out, of: p, behave: c.behave}
		done := 0
		for i, r := range p.text {
			if !c.at(r) {
				continue
			}
			if done < i {
				s.part(done, i, false)
			}
			done = i + utf8.RuneLen(r)
			s.part(i, done, true)
		}
		if done < len(p.text) {
			s.part(done, len(p.text), false)
		}
		s.flush(len(p.text))
		out = s.out
	}
	return out
}

func isSpace(r rune) bool { return unicode.IsSpace(r) }

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(punctuation, r)
}

func isNumeric(r rune) bool { return unicode.Is(numeric, r) }

func readPunctuation(data json.RawMessage) (preTokenizer, error) {
	f := struct {
		Type     string    `json:"type"`
		Behavior behaviour `json:"behavior"`
	}{Behavior: isolated}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	return cut{isPunctuation, f.Behavior}, f.Behavior.check()
}

func readDigits(data json.RawMessage) (preTokenizer, error) {
	var f struct {
		Type       string `json:"type"`
		Individual bool   `json:"individual_digits"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if f.Individual {
		return cut{isNumeric, isolated}, nil
	}
	return cut{isNumeric, contiguous}, nil
}

// words cuts into runs of \w and runs of what is neither \w nor white space.
type words struct{}

func (words) split(out, in []piece) []piece {
	const ( // what a character is; white space is in no piece
		space = iota
		inWord
		mark
	)
	for _, p := range in {
		if p.token != none {
			out = append(out, p)
			continue
		}
		start, run := 0, space
		for i, r := range p.text + " " {
			class := mark
			if unicode.IsSpace(r) {
				class = space
			} else if isWord(r) {
				class = inWord
			}
			if class == run {
				continue
			}
			if run != space {
				out = append(out, piece{text: p.text[start:i], token: none, first: p.first && start == 0})
			}
			start, run = i, class
		}
	}
	return out
}

// matching cuts at the matches of a pattern.
type matching struct {
	pattern matcher
	behave  behaviour
	invert  bool // the matches are what lies between
}

func readSplit(data json.RawMessage) (preTokenizer, error) {
	var f struct {
		Type     string          `json:"type"`
		Pattern  json.RawMessage `json:"pattern"`
		Behavior behaviour       `json:"behavior"`
		Invert   bool            `json:"invert"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if err := f.Behavior.check(); err != nil {
		return nil, err
	}
	m, err := readMatcher(f.Pattern)
	return matching{m, f.Behavior, f.Invert}, err
}

func (m matching) split(out, in []piece) []piece {
	for _, p := range in {
		if p.token != none {
			out = append(out, p)
			continue
		}
		s := splitter{out: out, of: p, behave: m.behave}
		done := 0
		m.pattern.each(p.text, func(start, end int) {
			if done < start {
				s.part(done, start, m.invert)
			}
			s.part(start, end, !m.invert)
			done = end
		})
		if done < len(p.text) {
			s.part(done, len(p.text), m.invert)
		}
		s.flush(len(p.text))
		out = s.out
	}
	return out
}

// bytesOf cuts as GPT-2 does, and writes each byte as a character.
type bytesOf struct {
	space, cut bool
}

// gpt2 is the expression that GPT-2 cuts by.
var gpt2 = mustCompile(`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`)

func readByteLevel(data json.RawMessage) (preTokenizer, error) {
	f := struct {
		Type     string `json:"type"`
		Space    bool   `json:"add_prefix_space"`
		Trim     bool   `json:"trim_offsets"` // of no effect on tokens
		UseRegex bool   `json:"use_regex"`
	}{UseRegex: true}
	err := decode(data, &f)
	return bytesOf{f.Space, f.UseRegex}, err
}

func (b bytesOf) split(out, in []piece) []piece {
	for _, p := range in {
		if p.token != none || p.text == "" {
			out = append(out, p)
			continue
		}
		if b.space && p.text[0] != ' ' {
			p.text = " " + p.text
		}
		from := len(out)
		if b.cut {
			out = matching{pattern: gpt2, behave: isolated}.split(out, []piece{p})
		} else {
			out = append(out, p)
		}
		for i := from; i < len(out); i++ {
			out[i].text = byteLevel.encode(out[i].text)
		}
	}
	return out
}

// metaspace writes a space as a visible character, and cuts before it.
type metaspace struct {
	space  string
	prefix prefixScheme
	cut    bool
}

// A prefixScheme says where a space is set before a text that begins with none.
type prefixScheme string

// The schemes, by their names in the file.
const (
	always prefixScheme = "always"
	first  prefixScheme = "first" // only where the whole text begins
	never  prefixScheme = "never"
)

func readMetaspace(data json.RawMessage) (preTokenizer, error) {
	f := struct {
		Type      string        `json:"type"`
		Space     string        `json:"replacement"`
		Prefix    *prefixScheme `json:"prepend_scheme"`
		AddPrefix *bool         `json:"add_prefix_space"` // of older files
		Text      string        `json:"str_rep"`          // the same as replacement
		Split     *bool         `json:"split"`
	}{}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(f.Space) != 1 {
		return nil, errors.New("the replacement is no character")
	}
	m := metaspace{space: f.Space, prefix: always, cut: f.Split == nil || *f.Split}
	if f.Prefix != nil {
		m.prefix = *f.Prefix
	}
	switch {
	case m.prefix != always && m.prefix != first && m.prefix != never:
		return nil, fmt.Errorf("the prepend_scheme %q is not known", m.prefix)
	case f.AddPrefix != nil && !*f.AddPrefix && m.prefix != never:
		if f.Prefix != nil {
			return nil, errors.New("add_prefix_space says the contrary of prepend_scheme")
		}
		m.prefix = never
	}
	return m, nil
}

func (m metaspace) split(out, in []piece) []piece {
	for _, p := range in {
		if p.token != none || p.text == "" {
			out = append(out, p)
			continue
		}
		text := strings.ReplaceAll(p.text, " ", m.space)
		if (m.prefix == always || m.prefix == first && p.first) && !strings.HasPrefix(text, m.space) {
			text = m.space + text
		}
		p.text = text
		if m.cut {
			out = matching{pattern: literal(m.space), behave: withNext}.split(out, []piece{p})
		} else {
			out = append(out, p)
		}
	}
	return out
}
