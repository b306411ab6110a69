package binding

import (
	"path"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search/importpath"
	"codeintel/internal/syntax"
)

// Reaches says whether an import brings in what a definition's file offers:
// certain if it names that file or package, likely if it names something that
// may pass it on, such as a package whose index re-exports.
func (r *Resolver) Reaches(i index.Import, d *index.Symbol) Relation {
	named, err := r.importedFiles()
	if err != nil {
		return Unrelated // the question itself lists the files too, and says what is wrong
	}
	reach := named.Reaches(i, d.File, d.Name)
	return []Relation{importpath.None: Unrelated, importpath.Perhaps: Likely, importpath.Certainly: Certain}[reach]
}

// importedFiles returns what finds the files that imports name, once for a question.
func (r *Resolver) importedFiles() (*importpath.Resolver, error) {
	if r.importpaths == nil {
		list, err := r.Files()
		if err != nil {
			return nil, err
		}
		r.importpaths = importpath.New(r.ctx, r.e.Project, r.e.Index, list)
	}
	return r.importpaths, nil
}

// modulesNamed returns the files that declare the module that an import names, wherever
// they lie; none where imports name files, or what is declared in a package.
func (r *Resolver) modulesNamed(i index.Import) []string {
	named, err := r.importedFiles()
	if err != nil {
		return nil
	}
	return named.Declaring(i)
}

// goImport returns the directory of this project that a Go import path means,
// or "?" for one of another module.
func (r *Resolver) goImport(importPath string) string {
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
