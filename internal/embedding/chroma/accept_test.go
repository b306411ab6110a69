//go:build accept

package chroma_test

import (
	"os"
	"testing"

	"codeintel/internal/embedding/vectorstore/vectorstoretest"
)

// TestServer runs the whole suite against the real server that test/acceptance/chroma.py
// has started.
func TestServer(t *testing.T) {
	url := os.Getenv("CODE_INTEL_ACCEPT_CHROMA")
	if url == "" {
		t.Fatal("CODE_INTEL_ACCEPT_CHROMA does not name a server; run test/acceptance/chroma.py")
	}
	vectorstoretest.Run(t, vectorstoretest.Options{Size: vectorstoretest.Full, Recall: 0.95}, func(t *testing.T) vectorstoretest.Factory {
		return factory(url, t.Name(), 0)
	})
}
