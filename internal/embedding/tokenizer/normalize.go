package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// A normalizer rewrites text.
type normalizer func(s string) string

// normalizers reads each type of normalizer.
var normalizers map[string]func(data json.RawMessage) (normalizer, error)

func init() { // not a literal: Sequence reads normalizers again
	normalizers = map[string]func(data json.RawMessage) (normalizer, error){
		"BertNormalizer": readBertNormalizer,
		"Lowercase":      withoutSettings[normalizer](lower),
		"NFD":            withoutSettings[normalizer](nfd),
		"Precompiled":    readPrecompiled,
		"Replace":        readReplace,
		"Sequence":       readNormalizers,
		"Strip":          readStrip,
	}
}

func readNormalizer(data json.RawMessage) (normalizer, error) { return readPart(data, normalizers) }

// readPart reads a part of the file by its type; null is nil.
func readPart[P any](data json.RawMessage, types map[string]func(json.RawMessage) (P, error)) (part P, err error) {
	name, err := kind(data)
	if name == "" || err != nil {
		return part, err
	}
	read, ok := types[name]
	if !ok {
		return part, fmt.Errorf("the type %q is not known", name)
	}
	if part, err = read(data); err != nil {
		return part, fmt.Errorf("%s: %w", name, err)
	}
	return part, nil
}

// withoutSettings reads a part that is nothing but its type.
func withoutSettings[P any](part P) func(json.RawMessage) (P, error) {
	return func(data json.RawMessage) (P, error) {
		var f struct {
			Type string `json:"type"`
		}
		return part, decode(data, &f)
	}
}

// readNormalizers reads normalizers that are applied one after the other.
func readNormalizers(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type        string            `json:"type"`
		Normalizers []json.RawMessage `json:"normalizers"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	var all []normalizer
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
	return func(s string) string {
		for _, n := range all {
			s = n(s)
		}
		return s
	}, nil
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
	return f.normalize, nil
}

func (b bert) normalize(s string) string {
	if text.IsASCII(s) {
		return strings.Map(b.ascii, s)
	}
	if b.Clean {
		s = strings.Map(clean, s)
	}
	if b.Chinese {
		s = spaceChinese(s)
	}
	if *b.Strip {
		s = strings.Map(func(r rune) rune {
			if isMark(r) {
				return -1
			}
			return r
		}, nfd(s))
	}
	if b.Lower {
		s = lower(s)
	}
	return s
}

// clean makes every white space a space, and takes control characters out.
func clean(r rune) rune {
	switch {
	case isControl(r):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// ascii is normalize where there is nothing but ASCII, the usual case.
func (b bert) ascii(r rune) rune {
	if b.Clean && (r < ' ' || r == 0x7f) {
		return clean(r)
	}
	if b.Lower && 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// chinese is what stands alone, as BERT's authors had it; the third but last
// range begins where the reference begins it.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1}, {0xF900, 0xFAFF, 1}},
	R32: []unicode.Range32{
		{0x20000, 0x2A6DF, 1}, {0x2A700, 0x2B73F, 1}, {0x2B740, 0x2B81F, 1}, {0x2B920, 0x2CEAF, 1}, {0x2F800,
			0x2FA1F, 1},
	},
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

func readStrip(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type  string `json:"type"`
		Left  bool   `json:"strip_left"`
		Right bool   `json:"strip_right"`
	}
	err := decode(data, &f)
	return func(s string) string {
		if f.Left {
			s = strings.TrimLeftFunc(s, unicode.IsSpace)
		}
		if f.Right {
			s = strings.TrimRightFunc(s, unicode.IsSpace)
		}
		return s
	}, err
}

// expressions are the regular expressions that the families replace by, in the
// syntax of package regexp, whose \s knows ASCII only.
var expressions = map[string]*lazyregexp.Regexp{
	` {2,}`: lazyregexp.MustCompile(` {2,}`),
	`\s+`:   lazyregexp.MustCompile(`[\t-\r\x{85}\p{Z}]+`),
}

// readReplace reads a normalizer that puts content in the place of every match
// of {"String": "…"} or {"Regex": "…"}.
func readReplace(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type    string `json:"type"`
		Pattern struct {
			String *string `json:"String"`
			Regex  *string `json:"Regex"`
		} `json:"pattern"`
		Content *string `json:"content"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	old, expression := f.Pattern.String, f.Pattern.Regex
	switch {
	case f.Content == nil:
		return nil, errors.New("it has no content")
	case old != nil && *old == "":
		return nil, errors.New("the pattern is empty")
	case old != nil && expression == nil:
		return func(s string) string { return strings.ReplaceAll(s, *old, *f.Content) }, nil
	case old != nil || expression == nil:
		return nil, errors.New("the pattern is neither a String nor a Regex")
	}
	e, ok := expressions[*expression]
	if !ok {
		return nil, fmt.Errorf("the expression %q is not known", *expression)
	}
	content := func(string) string { return *f.Content }
	return func(s string) string { return e.ReplaceAllStringFunc(s, content) }, nil
}
