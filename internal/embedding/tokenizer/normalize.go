package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/text"
)

// A normalizer rewrites text. It sets lost if what its first character came from
// is gone: the text then no longer begins where it began.
type normalizer interface {
	normalize(s string, lost *bool) string
}

// normalizers reads each type of normalizer.
var normalizers map[string]func(data json.RawMessage) (normalizer, error)

func init() { // not a literal: Sequence reads normalizers again
	normalizers = map[string]func(data json.RawMessage) (normalizer, error){
		"BertNormalizer": readBertNormalizer,
		"ByteLevel":      plain(func(s string) string { return byteLevel.encode(s) }),
		"Lowercase":      plain(lower),
		"NFC":            plain(nfc.normalize),
		"NFD":            plain(nfd.normalize),
		"NFKC":           plain(nfkc.normalize),
		"NFKD":           plain(nfkd.normalize),
		"Precompiled":    readPrecompiled,
		"Prepend":        readPrepend,
		"Replace":        readReplace,
		"Sequence":       readNormalizers,
		"Strip":          readStrip,
		"StripAccents":   fixed(stripAccents{}),
	}
}

func readNormalizer(data json.RawMessage) (normalizer, error) {
	name, err := kind(data)
	if name == "" || err != nil {
		return nil, err
	}
	read, ok := normalizers[name]
	if !ok {
		return nil, fmt.Errorf("the type %q is not known", name)
	}
	n, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// fixed reads a normalizer that has no settings.
func fixed(n normalizer) func(json.RawMessage) (normalizer, error) {
	return func(data json.RawMessage) (normalizer, error) {
		var f struct {
			Type string `json:"type"`
		}
		return n, decode(data, &f)
	}
}

// A rewriting is a normalizer that never takes a character out.
type rewriting func(s string) string

func (f rewriting) normalize(s string, _ *bool) string { return f(s) }

func plain(f rewriting) func(json.RawMessage) (normalizer, error) { return fixed(f) }

// sequence is normalizers one after the other.
type sequence []normalizer

func readNormalizers(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type        string            `json:"type"`
		Normalizers []json.RawMessage `json:"normalizers"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	var all sequence
	for _, d := range f.Normalizers {
		n, err := readNormalizer(d)
		if err != nil {
			return nil, err
		}
		if n == nil {
			return nil, errMissing
		}
		all = append(all, n)
	}
	return all, nil
}

func (q sequence) normalize(s string, lost *bool) string {
	for _, n := range q {
		s = n.normalize(s, lost)
	}
	return s
}

// bert is what BERT does to text: control characters go, white space becomes a
// space, each Chinese character stands alone, accents and capitals go.
type bert struct {
	Clean   bool  `json:"clean_text"`
	Chinese bool  `json:"handle_chinese_chars"`
	Strip   *bool `json:"strip_accents"` // null: as Lower says
	Lower   bool  `json:"lowercase"`
}

func readBertNormalizer(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type string `json:"type"`
		bert
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if f.Strip == nil {
		f.Strip = &f.Lower
	}
	return f.bert, nil
}

func (b bert) normalize(s string, lost *bool) string {
	if text.IsASCII(s) {
		return b.ascii(s, lost)
	}
	if b.Clean {
		s = filter(s, lost, func(r rune) rune {
			switch {
			case r == '\t' || r == '\n' || r == '\r':
				return ' '
			case unicode.Is(control, r):
				return -1
			case unicode.IsSpace(r):
				return ' '
			}
			return r
		})
	}
	if b.Chinese {
		s = spaceChinese(s)
	}
	if *b.Strip {
		s = filter(nfd.normalize(s), lost, without(nonspacing))
	}
	if b.Lower {
		s = lower(s)
	}
	return s
}

// ascii is normalize where there is nothing but ASCII, the usual case.
func (b bert) ascii(s string, lost *bool) string {
	return filter(s, lost, func(r rune) rune {
		if b.Clean && (r < ' ' || r == 0x7f) {
			if r == '\t' || r == '\n' || r == '\r' {
				return ' '
			}
			return -1
		}
		if b.Lower && 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	})
}

// chinese is what stands alone, as BERT's authors had it; the third but last
// range begins where the reference begins it.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1}, {0xF900, 0xFAFF, 1}},
	R32: []unicode.Range32{{0x20000, 0x2A6DF, 1}, {0x2A700, 0x2B73F, 1}, {0x2B740, 0x2B81F, 1}, {0x2B920, 0x2CEAF, 1}, {0x2F800, 0x2FA1F, 1}},
}

func spaceChinese(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for _, r := range s {
		if r >= 0x3400 && unicode.Is(chinese, r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// filter maps the characters of s; those that become negative go.
func filter(s string, lost *bool, f func(r rune) rune) string {
	if r, n := utf8.DecodeRuneInString(s); n > 0 && f(r) < 0 {
		*lost = true
	}
	return strings.Map(f, s)
}

func without(t *unicode.RangeTable) func(r rune) rune {
	return func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(t, r) {
			return -1
		}
		return r
	}
}

type stripAccents struct{}

func (stripAccents) normalize(s string, lost *bool) string {
	return filter(s, lost, without(combining))
}

// lower is lower case by character, without regard to the neighbours.
func lower(s string) string {
	if text.IsASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
		} else if l, ok := lowered[r]; ok {
			b.WriteString(l)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

type strip struct {
	Left  bool `json:"strip_left"`
	Right bool `json:"strip_right"`
}

func readStrip(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type string `json:"type"`
		strip
	}
	err := decode(data, &f)
	return f.strip, err
}

func (n strip) normalize(s string, lost *bool) string {
	if n.Left {
		t := strings.TrimLeftFunc(s, unicode.IsSpace)
		*lost = *lost || len(t) < len(s)
		s = t
	}
	if n.Right {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s
}

type prepend struct {
	Text string `json:"prepend"`
}

func readPrepend(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type string `json:"type"`
		prepend
	}
	err := decode(data, &f)
	return f.prepend, err
}

func (n prepend) normalize(s string, _ *bool) string {
	if s == "" {
		return s
	}
	return n.Text + s
}

// replace puts content in the place of every match.
type replace struct {
	old     matcher
	content string
}

func readReplace(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type    string          `json:"type"`
		Pattern json.RawMessage `json:"pattern"`
		Content *string         `json:"content"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if f.Content == nil {
		return nil, errors.New("it has no content")
	}
	m, err := readMatcher(f.Pattern)
	return replace{m, *f.Content}, err
}

func (n replace) normalize(s string, lost *bool) string {
	var b strings.Builder
	done := 0
	n.old.each(s, func(start, end int) {
		if start == 0 && end > 0 && n.content == "" {
			*lost = true
		}
		b.WriteString(s[done:start])
		b.WriteString(n.content)
		done = end
	})
	if done == 0 && b.Len() == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}
