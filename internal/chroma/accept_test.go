//go:build accept

package chroma_test

import (
	"os"
	"testing"

	"codeintel/internal/vectors/vectorstest"
)

// TestServer runs the whole suite against the real server that accept/chroma.py
// has started.
func TestServer(t *testing.T) {
	url := os.Getenv("CODE_INTEL_ACCEPT_CHROMA")
	if url == "" {
		t.Fatal("CODE_INTEL_ACCEPT_CHROMA does not name a server; run accept/chroma.py")
	}
	vectorstest.Run(t, vectorstest.Options{Size: vectorstest.Full, Recall: 0.95}, func(t *testing.T) vectorstest.Factory {
		return factory(url, t.Name(), 0)
	})
}
