package service

import (
	"testing"

	"codeintel/internal/pipeline/reviewcheck"
	"codeintel/internal/platform/msg"
)

// TestReasoned checks lines of a review against what a test lost.
func TestReasoned(t *testing.T) {
	said := msg.Literal("test/cart: \"cart total\" expects less")
	for line, want := range map[string]bool{
		"cart total: the request takes rounding away, so it is asked no more":            true,
		"test/cart, cart total: the request takes rounding away, so it is asked no more": true,
		"test/cart: the request takes rounding away, so it is asked no more":             false,
		"cart total: expects less": false,
	} {
		l := reviewcheck.WeakenedTest{File: "test/cart", Name: "cart total", What: said}
		if got := l.IsReasonedBy(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
