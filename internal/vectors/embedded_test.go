package vectors_test

import (
	"io"
	"log/slog"
	"testing"

	"codeintel/internal/vectors"
	"codeintel/internal/vectors/vectorstest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func open(t testing.TB, dir string, c vectors.Collection) *vectors.Embedded {
	t.Helper()
	e, err := vectors.Open(t.Context(), dir, c, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestStore(t *testing.T) {
	vectorstest.Run(t, vectorstest.Options{Size: vectorstest.Full, Recall: 1}, func(t *testing.T) vectorstest.Factory {
		dir := t.TempDir()
		return func(t *testing.T, c vectors.Collection) vectors.Store { return open(t, dir, c) }
	})
}
