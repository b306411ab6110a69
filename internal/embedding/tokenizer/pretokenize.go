package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A preTokenizer cuts text into parts and appends them to out. None is empty.
type preTokenizer func(out []string, text string) []string

// preTokenizers reads each type of pre-tokenizer.
var preTokenizers map[string]func(data json.RawMessage) (preTokenizer, error)

func init() { // not a literal: Sequence reads preTokenizers again
	preTokenizers = map[string]func(data json.RawMessage) (preTokenizer, error){
		"BertPreTokenizer": withoutSettings[preTokenizer](splitWords),
		"ByteLevel":        readByteLevel,
		"Metaspace":        readMetaspace,
		"Sequence":         readPreTokenizers,
		"WhitespaceSplit":  withoutSettings[preTokenizer](splitSpace),
	}
}

func readPreTokenizer(data json.RawMessage) (preTokenizer, error) {
	return readPart(data, preTokenizers)
}

// readPreTokenizers reads pre-tokenizers of which each cuts the parts of the one
// before.
func readPreTokenizers(data json.RawMessage) (preTokenizer, error) {
	var f struct {
		Type          string            `json:"type"`
		PreTokenizers []json.RawMessage `json:"pretokenizers"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	var all []preTokenizer
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
	return func(out []string, text string) []string {
		parts := []string{text}
		for _, p := range all {
			var finer []string
			for _, part := range parts {
				finer = p(finer, part)
			}
			parts = finer
		}
		return append(out, parts...)
	}, nil
}

// splitSpace cuts at white space, which is in no part.
func splitSpace(out []string, text string) []string {
	return slices.AppendSeq(out, strings.FieldsSeq(text))
}

// splitWords cuts as BERT does: at white space, which is in no part, and at
// punctuation, of which each character is one.
func splitWords(out []string, text string) []string {
	start := 0
	for i, r := range text {
		punctuation := isPunctuation(r)
		if !punctuation && !unicode.IsSpace(r) {
			continue
		}
		if start < i {
			out = append(out, text[start:i])
		}
		start = i + utf8.RuneLen(r)
		if punctuation {
			out = append(out, text[i:start])
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

func readByteLevel(data json.RawMessage) (preTokenizer, error) {
	f := struct {
		Type  string `json:"type"`
		Space bool   `json:"add_prefix_space"`
		Trim  bool   `json:"trim_offsets"` // of no effect on tokens
		Cut   bool   `json:"use_regex"`
	}{Cut: true}
	err := decode(data, &f)
	return func(out []string, text string) []string {
		if f.Space && !strings.HasPrefix(text, " ") {
			text = " " + text
		}
		for text != "" {
			n := len(text)
			if f.Cut {
				n = gpt2Part(text)
			}
			out = append(out, visibleBytes(text[:n]))
			text = text[n:]
		}
		return out
	}, err
}

// contractions are what GPT-2 cuts off behind an apostrophe.
var contractions = []string{"s", "d", "m", "t", "ll", "ve", "re"}

// gpt2Part returns the length of the first part of s, which is not empty, by the
// expression that GPT-2 cuts by:
//
//	'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func gpt2Part(s string) int {
	if s[0] == '\'' {
		for _, c := range contractions {
			if strings.HasPrefix(s[1:], c) {
				return 1 + len(c)
			}
		}
	}
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	if r, n := utf8.DecodeRuneInString(s[start:]); n > 0 && !unicode.IsSpace(r) {
		return start + runLength(s[start:], gpt2Class(r))
	}
	n := runLength(s, unicode.IsSpace)
	if n == len(s) {
		return n
	}
	// The last space belongs to what follows, unless it is the only one.
	if _, last := utf8.DecodeLastRuneInString(s[:n]); last < n {
		return n - last
	}
	return n
}

// gpt2Class returns the test for characters of the same class as r, which is no
// white space.
func gpt2Class(r rune) func(r rune) bool {
	switch {
	case isLetter(r):
		return isLetter
	case isNumber(r):
		return isNumber
	}
	return func(r rune) bool { return !unicode.IsSpace(r) && !isLetter(r) && !isNumber(r) }
}

// runLength returns how many bytes at the beginning of s are characters in class.
func runLength(s string, class func(r rune) bool) int {
	return len(s) - len(strings.TrimLeftFunc(s, class))
}

// byteCharacters writes each byte as a character that can be seen, as GPT-2 does:
// printable ones of Latin-1 as themselves, the others in order from U+0100 on.
var byteCharacters = func() (characters [256]rune) {
	next := rune(0x100)
	for b := range characters {
		switch {
		case '!' <= b && b <= '~', 0xA1 <= b && b <= 0xAC, 0xAE <= b && b <= 0xFF:
			characters[b] = rune(b)
		default:
			characters[b] = next
			next++
		}
	}
	return characters
}()

func visibleBytes(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for i := range len(s) {
		b.WriteRune(byteCharacters[s[i]])
	}
	return b.String()
}

// readMetaspace reads a pre-tokenizer that writes a space as a visible character,
// puts one before a text that begins with none, and cuts before each.
func readMetaspace(data json.RawMessage) (preTokenizer, error) {
	f := struct {
		Type      string  `json:"type"`
		Space     string  `json:"replacement"`
		Prefix    *string `json:"prepend_scheme"`
		AddPrefix *bool   `json:"add_prefix_space"` // of older files
		Text      string  `json:"str_rep"`          // the same as replacement
		Split     *bool   `json:"split"`
	}{}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(f.Space) != 1 {
		return nil, errors.New("the replacement is no character")
	}
	prefix := f.AddPrefix == nil || *f.AddPrefix
	if f.Prefix != nil {
		always := *f.Prefix == "always"
		if !always && *f.Prefix != "never" {
			return nil, fmt.Errorf("the prepend_scheme %q is not known", *f.Prefix)
		}
		if always && !prefix {
			return nil, errors.New("add_prefix_space says the contrary of prepend_scheme")
		}
		prefix = always
	}
	cut := f.Split == nil || *f.Split
	return func(out []string, text string) []string {
		text = strings.ReplaceAll(text, " ", f.Space)
		if prefix && !strings.HasPrefix(text, f.Space) {
			text = f.Space + text
		}
		for cut && text != "" {
			n := strings.Index(text[1:], f.Space) + 1 // the first one stays
			if n == 0 {
				break
			}
			out = append(out, text[:n])
			text = text[n:]
		}
		if text != "" {
			out = append(out, text)
		}
		return out
	}, nil
}
