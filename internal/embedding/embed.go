// Package embedding turns texts into unit vectors, by a model on this machine or a server. The inner product of two
// vectors says how related their texts are.
//
// A model is of one of four kinds. builtin ships with the program and is opened by package
// lsa. static is a table with one vector per token (the layout of model2vec), transformer
// is an encoder of the BERT family; both are read from a folder. http is a server that
// someone else runs. The first three use no network.
//
// Vectors of different [Model.ID] never need to be compared: the ID holds the kind, the
// model and the hash of its files. The package never downloads a model, and never sends
// text to a server that only the repository named.
package embedding

import (
	"context"
	"log/slog"
	"net/http"

	"codeintel/internal/problem"
)

// Codes of the problems that opening or asking a model can meet.
const (
	// Unavailable: the model that is named is not there, or does not answer.
	Unavailable problem.Code = "embedding_unavailable"
	// Untrusted: the repository names a server that its user did not name.
	Untrusted problem.Code = "embedding_untrusted"
)

// A Role says what a text is to the search: some models are trained to see
// questions and answers marked as such.
type Role string

// The roles.
const (
	Query   Role = "query"
	Passage Role = "passage"
)

// A Model turns texts into vectors. It may be used by many goroutines at once.
type Model interface {
	// ID names kind, model and revision, the latter by a hash of the content.
	// Vectors of different IDs must not be compared.
	ID() string
	// Dimension is the length of every vector.
	Dimension() int
	// Embed returns a vector of length 1 for each text, in order; that of a text
	// of which the model knows nothing (an empty one) may be all zero. Texts
	// longer than the model reads are cut.
	Embed(ctx context.Context, role Role, texts []string) ([][]float32, error)
	// Close frees what the model holds; no call may follow or be under way.
	Close() error
}

// Options are what opening a model needs from its caller.
type Options struct {
	Root   string              // the repository; relative folders are taken from there
	Models string              // the folder of pulled models; "": models.Dir of Getenv
	Getenv func(string) string // the environment; nil: nothing is set
	Client *http.Client        // for http; nil: one of our own. Redirects are never followed
	Log    *slog.Logger        // nil: nothing is logged
}
