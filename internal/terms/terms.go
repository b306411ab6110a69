// Package terms cuts code and prose into the words that ranking counts.
//
// Both sides of a search use it, the index on the text of files and the search
// on what was asked, so that "HTTPServer", "http_server" and "HTTP servers" meet
// in the same words. It promises that [Code] and [Query] treat a word alike; it
// never weighs words and knows no language but English and the characters of
// Chinese, Japanese and Korean.
package terms

// Code yields the terms of a piece of source text, in order: each identifier as
// [Fold] gives it and, where it has several, its parts, stemmed; for Chinese,
// Japanese and Korean pairs of neighbouring characters. The strings are shared
// and may be kept. For many files, hold a [Tokenizer].
func Code(text []byte, yield func(term string)) { new(Tokenizer).Code(text, yield) }

// A Tokenizer is [Code] with a memory: identifiers met before cost one look-up.
// The memory is bounded. A Tokenizer is not for concurrent use.
type Tokenizer struct{}

// Code is [Code].
func (t *Tokenizer) Code(text []byte, yield func(term string)) {}

// Query returns the terms of what somebody asks, each once, in order: as [Code],
// and without the words that carry no meaning, unless nothing else is left.
func Query(text string) []string { return nil }

// SplitIdentifier returns the words of an identifier in lower case, not stemmed:
// HTTPServer is http and server, utf8_decode is utf, 8 and decode.
func SplitIdentifier(name string) []string { return nil }

// Fold returns an identifier in the form in which all ways of writing it are
// alike: NFKC, lower case, without the marks between its words.
func Fold(name string) string { return name }

// Stem returns an English word without its commonest endings. The result is a
// key to compare, not a word to show.
func Stem(word string) string { return word }
