package tokenizer

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/text"
)

// A form is a normal form of Unicode as the reference has it. It differs from
// golang.org/x/text in two ways: it knows an older version of Unicode, and it
// sets no bound to how many marks may follow a letter (x/text puts a joiner in
// after thirty, as the Stream-Safe Text Format asks).
type form struct {
	full    norm.Form // for texts with no long run of marks
	split   norm.Form // decomposes
	compose bool
}

var (
	nfc  = form{norm.NFC, norm.NFD, true}
	nfd  = form{norm.NFD, norm.NFD, false}
	nfkc = form{norm.NFKC, norm.NFKD, true}
	nfkd = form{norm.NFKD, norm.NFKD, false}
)

// maxMarks is how many marks in a row x/text leaves alone, with some to spare.
const maxMarks = 24

// normalize rewrites what lies between characters that the reference does not
// know: to it they are letters that nothing combines with.
func (f form) normalize(s string) string {
	if text.IsASCII(s) {
		return s
	}
	at := strings.IndexFunc(s, isUnknown)
	if at < 0 {
		return f.segment(s)
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexFunc(s, isUnknown) {
		_, n := utf8.DecodeRuneInString(s[at:])
		b.WriteString(f.segment(s[:at]))
		b.WriteString(s[at : at+n])
		s = s[at+n:]
	}
	b.WriteString(f.segment(s))
	return b.String()
}

func isUnknown(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unknownToNormaliser, r) }

func (f form) segment(s string) string {
	if f.full.IsNormalString(s) {
		return s
	}
	marks := 0
	for _, r := range s {
		if r < 0x300 || norm.NFD.PropertiesString(string(r)).CCC() == 0 && f.split.PropertiesString(string(r)).Decomposition() == nil {
			marks = 0
		} else if marks++; marks > maxMarks {
			return f.long(s)
		}
	}
	return f.full.String(s)
}

// long normalizes by the definition: decompose, put runs of marks in order of
// their classes, compose (Unicode Standard, sections 3.6 and 3.11).
func (f form) long(s string) string {
	var text []rune
	var class []uint8
	for _, r := range s {
		p := f.split.PropertiesString(string(r))
		parts := string(p.Decomposition())
		if parts == "" {
			parts = f.split.String(string(r)) // Hangul, which has no entry
		}
		for _, d := range parts {
			text = append(text, d)
			class = append(class, norm.NFD.PropertiesString(string(d)).CCC())
		}
	}
	for i := 0; i < len(text); {
		j := i + 1
		for class[i] != 0 && j < len(text) && class[j] != 0 {
			j++
		}
		sort.Stable(byClass{text[i:j], class[i:j]})
		i = j
	}
	if f.compose {
		text = compose(text, class)
	}
	return string(text)
}

// byClass sorts marks by their combining classes.
type byClass struct {
	text  []rune
	class []uint8
}

func (b byClass) Len() int           { return len(b.text) }
func (b byClass) Less(i, j int) bool { return b.class[i] < b.class[j] }
func (b byClass) Swap(i, j int) {
	b.text[i], b.text[j] = b.text[j], b.text[i]
	b.class[i], b.class[j] = b.class[j], b.class[i]
}

// compose joins marks to the starter before them unless a mark of the same or a
// higher class stands between.
func compose(text []rune, class []uint8) []rune {
	out := text[:0]
	starter, before := -1, -1 // index in out; class of the last mark kept, -1 for none
	for i, r := range text {
		c := int(class[i])
		if starter >= 0 && (before < c || before < 0) {
			if one := []rune(norm.NFC.String(string([]rune{out[starter], r}))); len(one) == 1 {
				out[starter] = one[0]
				continue
			}
		}
		if c == 0 {
			starter, before = len(out), -1
		} else {
			before = c
		}
		out = append(out, r)
	}
	return out
}
