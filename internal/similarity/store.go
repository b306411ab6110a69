package similarity

import (
	"context"
	"log/slog"
	"strings"

	"codeintel/internal/chroma"
	"codeintel/internal/vectors"
)

// OpenStore opens a collection of the store that vector_store of config.json
// names: "embedded", under dir, or "chroma:" and the URL of a server.
func OpenStore(ctx context.Context, spec, dir string, c vectors.Collection, getenv func(string) string, log *slog.Logger) (vectors.Store, error) {
	server, ok := strings.CutPrefix(spec, "chroma:")
	if !ok {
		return vectors.Open(ctx, dir, c, log)
	}
	o, err := chroma.Parse(server, getenv)
	if err != nil {
		return nil, err
	}
	return chroma.Open(ctx, o, c)
}
