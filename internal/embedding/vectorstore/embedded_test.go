package vectorstore_test

import (
	"io"
	"log/slog"
	"testing"

	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/embedding/vectorstore/vectorstoretest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func open(t testing.TB, dir string, c vectorstore.Collection) *vectorstore.Embedded {
	t.Helper()
	e, err := vectorstore.Open(t.Context(), dir, c, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestStore(t *testing.T) {
	vectorstoretest.Run(t, vectorstoretest.Options{Size: vectorstoretest.Full, Recall: 1}, func(t *testing.T) vectorstoretest.Factory {
		dir := t.TempDir()
		return func(t *testing.T, c vectorstore.Collection) vectorstore.Store { return open(t, dir, c) }
	})
}
