package search

import (
	"context"
	"path"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search/importpath"
	"codeintel/internal/syntax"
)

// reaches says whether an import brings in what a definition's file offers:
// certain if it names that file or package, likely if it names something that
// may pass it on, such as a package whose index re-exports.
func (r *resolver) reaches(i index.Import, d *index.Symbol) relation {
	named, err := r.importedFiles()
	if err != nil {
		return unrelated // the question itself lists the files too, and says what is wrong
	}
	reach := named.Reaches(i, d.File, d.Name)
	return []relation{importpath.None: unrelated, importpath.Perhaps: likely, importpath.Certainly: certain}[reach]
}

// importedFiles returns what finds the files that imports name, once for a question.
func (r *resolver) importedFiles() (*importpath.Resolver, error) {
	if r.importpaths == nil {
		list, err := r.files()
		if err != nil {
			return nil, err
		}
		r.importpaths = importpath.New(r.ctx, r.e.p, r.e.x, list)
	}
	return r.importpaths, nil
}

// modulesNamed returns the files that declare the module that an import names, wherever
// they lie; none where imports name files, or what is declared in a package.
func (r *resolver) modulesNamed(i index.Import) []string {
	named, err := r.importedFiles()
	if err != nil {
		return nil
	}
	return named.Declaring(i)
}

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

// goImport returns the directory of this project that a Go import path means,
// or "?" for one of another module.
func (r *resolver) goImport(importPath string) string {
	named, err := r.importedFiles()
	if err != nil {
		return "?"
	}
	return named.GoFolder(importPath)
}

// boundName is the name by which a file uses what it imports as a whole.
func boundName(i index.Import) string {
	if i.Alias != "" {
		return i.Alias
	}
	last := lastPart(i.Path)
	if i.Language == syntax.Go {
		return golang.PackageName(i.Path)
	}
	return last
}

// lastPart is the innermost part of a scope or a path in any notation.
func lastPart(s string) string {
	s = strings.TrimRight(s, "/.")
	if i := strings.LastIndexAny(s, `/.\:`); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.IndexAny(s, "[<"); i > 0 {
		s = s[:i]
	}
	return strings.TrimLeft(s, "*&")
}

// baseOf is the file name of a path without its extension.
func baseOf(file string) string {
	b := path.Base(file)
	return strings.TrimSuffix(b, path.Ext(b))
}
