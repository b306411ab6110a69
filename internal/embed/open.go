package embed

import (
	"context"

	"codeintel/internal/problem"
)

// Open opens the model that spec names: the name of a pulled model, or one of
//
//	static:DIR
//	transformer:DIR
//	http:URL|model=NAME|api=openai|key=VARIABLE|…
//
// A model that is not to be had is a [problem.Problem] with the ways out.
func Open(ctx context.Context, spec string, o Options) (Model, error) {
	return nil, problem.Newf(Unavailable, "There is no embedding model %q.", spec)
}
