package main

import (
	"regexp"
	"testing"

	"codeintel/internal/platform/lazyregexp"
)

// TestPatterns compiles every regular expression that the program compiles when it is
// first used.
func TestPatterns(t *testing.T) {
	texts := lazyregexp.Texts()
	if len(texts) < 100 {
		t.Errorf("only %d are known", len(texts))
	}
	for _, text := range texts {
		if _, err := regexp.Compile(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
