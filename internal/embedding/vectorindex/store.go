package vectorindex

import (
	"context"
	"log/slog"
	"strings"

	"codeintel/internal/embedding/chroma"
	"codeintel/internal/embedding/vectorstore"
)

// OpenStore opens a collection of the store that vector_store of config.json
// names: "embedded", under dir, or "chroma:" and the URL of a server.
func OpenStore(ctx context.Context, spec, dir string, c vectorstore.Collection,
	getenv func(string) string, log *slog.Logger) (vectorstore.Store, error) {
	server, ok := strings.CutPrefix(spec, "chroma:")
	if !ok {
		return stored(vectorstore.Open(ctx, dir, c, log))
	}
	o, err := chroma.Parse(server, getenv)
	if err != nil {
		return nil, err
	}
	return stored(chroma.Open(ctx, o, c))
}

// stored returns no store where there is an error. A nil pointer of a type would be a
// Store that is not nil.
func stored[S vectorstore.Store](s S, err error) (vectorstore.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
