// Package terms splits code and prose into the terms that are indexed and ranked.
//
// Both sides of a search use it, the index for the text of files and the search for the
// question, so that "HTTPServer", "http_server" and "HTTP servers" become the same words.
// [Code] and [Query] treat a word alike. It weighs no words, and knows no language but English
// and the characters of Chinese, Japanese and Korean.
package terms

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/text"
)

// Bounds on what is treated as a word. Longer runs are data: keys, hashes, blobs.
const (
	maxToken  = 128 // bytes of an identifier
	maxWhole  = 64  // bytes of an identifier yielded whole
	maxPart   = 40  // bytes of a part
	maxParts  = 12  // parts of an identifier
	maxNumber = 12  // bytes of a number
)

// Code yields the terms of a piece of source text, in order. An identifier of
// several words gives what [Fold] makes of it, then its words, each as [Stem]
// leaves it; one of one word gives that. Rows of Chinese, Japanese and Korean
// characters give pairs of neighbours, rows of katakana themselves, too. Single
// letters and digits are passed over. For many files, hold a [Tokenizer].
func Code(text []byte, yield func(term string)) {
	var t Tokenizer
	t.Code(text, func(term int32) { yield(t.Term(term)) })
}

// inRun says which bytes identifiers consist of: those of ASCII, and all of
// other characters, which are looked at when the run is taken apart.
var inRun = func() (set [256]bool) {
	for c := range set {
		set[c] = c >= utf8.RuneSelf || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return set
}()

// runTerms returns the terms of one run.
func runTerms(run string) (terms []string) {
	for _, w := range words(run) {
		if w.script != letters {
			terms = append(terms, w.pairs()...)
			continue
		}
		parts, whole := w.parts()
		if whole != "" {
			terms = append(terms, whole)
		}
		for _, p := range parts {
			terms = append(terms, Stem(p))
		}
	}
	return terms
}

// Watch, if set, is told every text that [Query] analyses. Tests count by it how
// often one question is analysed.
var Watch atomic.Pointer[func(text string)]

// Query returns the terms of what somebody asks, each once, in order: those of
// [Code], without the words that carry no meaning, unless nothing else is left.
func Query(text string) []string {
	if watch := Watch.Load(); watch != nil {
		(*watch)(text)
	}
	var all, terms []string
	seen := make(map[string]bool) // true once it is among terms
	add := func(term string, meaningful bool) {
		already, met := seen[term]
		if !met {
			all = append(all, term)
		}
		if meaningful && !already {
			terms = append(terms, term)
		}
		seen[term] = already || meaningful
	}
	for i := 0; i < len(text); {
		if !inRun[text[i]] {
			i++
			continue
		}
		start := i
		for i < len(text) && inRun[text[i]] {
			i++
		}
		for _, w := range words(text[start:i]) {
			if w.script != letters {
				for _, pair := range w.pairs() {
					add(pair, w.script != hiragana) // that is endings and particles
				}
				continue
			}
			parts, whole := w.parts()
			if whole != "" {
				add(whole, true)
			}
			for _, p := range parts {
				add(Stem(p), !stopWords[p])
			}
		}
	}
	if len(terms) == 0 {
		return all
	}
	return terms
}

// Words returns the words of prose and identifiers, each once: those of [Query],
// where identifiers stand for their parts alone.
func Words(s string) []string {
	var apart strings.Builder
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && !inRun[r] }) {
		if parts := SplitIdentifier(run); text.IsASCII(run) && len(parts) > 1 {
			run = strings.Join(parts, " ")
		}
		apart.WriteString(run)
		apart.WriteByte(' ')
	}
	return Query(apart.String())
}

// A word is a row of characters of one script; that of letters may be an
// identifier.
type word struct {
	text   string // in NFKC
	script script
}

// words cuts a run where its script changes.
func words(run string) (ws []word) {
	if text.IsASCII(run) {
		return []word{{run, letters}}
	}
	run = norm.NFKC.String(run)
	start, current := 0, none
	for i, r := range run {
		s := scriptOf(r)
		if s == current {
			continue
		}
		if current != none {
			ws = append(ws, word{run[start:i], current})
		}
		start, current = i, s
	}
	if current != none {
		ws = append(ws, word{run[start:], current})
	}
	return ws
}

// parts returns the words of an identifier that are terms, not stemmed, and the
// identifier folded if it has several words.
func (w word) parts() (parts []string, whole string) {
	if w.text[0] >= '0' && w.text[0] <= '9' {
		if number := strings.ToLower(strings.ReplaceAll(w.text, "_", "")); len(number) > 1 && len(number) <= maxNumber {
			return nil, number
		}
		return nil, ""
	}
	if len(w.text) > maxToken {
		return nil, ""
	}
	parts = SplitIdentifier(w.text)
	if len(parts) > 1 {
		if whole = strings.Join(parts, ""); len(whole) > maxWhole {
			whole = ""
		}
		if len(parts) > maxParts {
			return nil, whole
		}
	}
	return slices.DeleteFunc(parts, func(p string) bool { return len(p) == 1 || len(p) > maxPart }), whole
}

// pairs returns the terms of a row of Chinese, Japanese or Korean characters.
func (w word) pairs() (terms []string) {
	rs := []rune(w.text)
	switch {
	case w.script == katakana && len(rs) != 2 && len(w.text) <= maxWhole:
		terms = append(terms, w.text) // a word of its own
		if len(rs) == 1 {
			return terms
		}
	case w.script == hiragana && len(rs) <= 2:
		return nil // a particle
	case len(rs) == 1:
		return []string{w.text}
	}
	for i := range len(rs) - 1 {
		terms = append(terms, string(rs[i:i+2]))
	}
	return terms
}
