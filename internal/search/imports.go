package search

import (
	"context"

	"codeintel/internal/index"
	"codeintel/internal/search/importpath"
)

// Importers returns the imports that name one of the given files itself. Where
// imports name packages, as in Go, there are none: a package is more than one
// file. The index must be fresh.
func (e *Engine) Importers(ctx context.Context, targets map[string]bool) ([]index.Import, error) {
	return e.importers(ctx, targets, func(t importpath.Target) bool { return t.Folder == "" && !t.Whole && !t.Guessed })
}

// Dependents returns the imports that name a file or, where imports name packages, as in
// Go, its package. The index must be fresh.
func (e *Engine) Dependents(ctx context.Context, file string) ([]index.Import, error) {
	return e.importers(ctx, map[string]bool{file: true}, func(t importpath.Target) bool { return !t.Whole })
}

func (e *Engine) importers(
	ctx context.Context, of map[string]bool, counts func(importpath.Target) bool,
) (list []index.Import, err error) {
	files, err := e.list(ctx)
	if err != nil {
		return nil, err
	}
	imports, targets, err := importpath.New(ctx, e.p, e.x, files).Importers(of)
	for k, i := range imports {
		if counts(targets[k]) {
			list = append(list, i)
		}
	}
	return list, err
}
