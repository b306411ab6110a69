// Package chunk cuts a source file into pieces for ranking and reading.
//
// Pieces follow the declarations of the file, in order, without overlap, and
// together hold every byte that is not white space. It never reads a file and
// never loses text.
package chunk

import "codeintel/internal/syntax"

// A Chunk is one piece of a file. Bytes are half open, lines 1-based and
// inclusive.
type Chunk struct {
	Start, End         int
	StartLine, EndLine int
	Symbol             string      // name of its first or only symbol, if any
	Scope              string      // scope of that symbol
	Kind               syntax.Kind // kind of that symbol
	Signature, Doc     string      // of that symbol
	Fingerprint        string      // hex SHA-256 of the text
}

// Split cuts src along the syntax of f into chunks of about maxTokens tokens
// at most; 0 or less means 512.
func Split(f *syntax.File, src []byte, maxTokens int) []Chunk {
	return nil
}

// Lines cuts src at line borders, for text without syntax.
func Lines(src []byte, maxTokens int) []Chunk {
	return nil
}
