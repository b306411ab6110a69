package search

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search/importpath"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// reaches says whether an import brings in what a definition's file offers:
// certain if it names that file or package, likely if it names something that
// may pass it on, such as a package whose index re-exports.
func (r *resolver) reaches(i index.Import, d *index.Symbol) relation {
	return r.reachesFile(i, d.File, d.Name)
}

func (r *resolver) reachesFile(i index.Import, file, symbol string) relation {
	switch syntax.Of(i.Language).Names.Imports {
	case syntax.ImportsFolder:
		if path.Join(path.Dir(i.File), i.Path) == path.Dir(file) {
			return certain
		}
		return unrelated
	case syntax.ImportsPackage:
		if r.goImport(i.Path) == path.Dir(file) {
			return certain
		}
		return unrelated
	case syntax.ImportsModule:
		rel := reached(importpath.Module(i, file))
		if rel == certain && r.withinPackage(i, file) {
			return unrelated
		}
		return rel
	case syntax.ImportsScript:
		return reached(importpath.Script(i, file))
	case syntax.ImportsView:
		return reached(importpath.View(i, file, symbol))
	case syntax.ImportsInclude:
		p := path.Join(path.Dir(i.File), i.Path)
		switch {
		case p == file || importpath.Tail(file, i.Path):
			return certain
		case baseOf(file) == baseOf(i.Path):
			return likely // the source of an included header
		}
		return unrelated
	}
	if files := r.modulesNamed(i); len(files) > 0 {
		if slices.Contains(files, file) {
			return certain
		}
		return unrelated
	}
	return reached(importpath.Any(i, file, symbol))
}

// reached is the relation of what an import reaches by its path.
func reached(r importpath.Reach) relation {
	return []relation{importpath.None: unrelated, importpath.Perhaps: likely, importpath.Surely: certain}[r]
}

// modulesNamed returns the files that declare the module that an import names, wherever
// they lie; none where imports name files, or what is declared in a package.
func (r *resolver) modulesNamed(i index.Import) []string {
	if syntax.Of(i.Language).Names.Imports != syntax.ImportsAny || strings.Contains(i.Path, "/") {
		return nil
	}
	files, err := remembered(r.modules, string(i.Language)+" "+i.Path, func() ([]string, error) {
		found, err := r.modulesLike(i, index.Exact)
		if err == nil && len(found) == 0 && syntax.Of(i.Language).Names.AnyCase {
			found, err = r.modulesLike(i, index.Fold)
		}
		return found, err
	})
	if err != nil {
		return nil // the lookup of what is asked for fails too
	}
	return files
}

func (r *resolver) modulesLike(i index.Import, match index.Match) (found []string, err error) {
	whole := strings.ReplaceAll(i.Path, "::", ".")
	same := func(own, path string) bool { return own == path || match == index.Fold && strings.EqualFold(own, path) }
	for _, name := range slices.Compact([]string{i.Path, whole[strings.LastIndexByte(whole, '.')+1:]}) {
		list, err := r.e.x.Symbols(r.ctx, index.SymbolQuery{Name: name, Match: match})
		if err != nil {
			return nil, fmt.Errorf("search: modules called %q: %w", name, err)
		}
		for j := range list {
			s := &list[j]
			isModule := s.Kind == syntax.Module || s.Kind == syntax.Namespace
			own := strings.ReplaceAll(text.Dotted(s.Scope, s.Name), "::", ".")
			if isModule && syntax.SameGroup(s.Language, i.Language) && same(own, whole) && !slices.Contains(found, s.File) {
				found = append(found, s.File)
			}
		}
	}
	return found, nil
}

// Importers returns the imports that name one of the given files itself. Where
// imports name packages, as in Go, there are none: a package is more than one
// file. The index must be fresh.
func (e *Engine) Importers(ctx context.Context, targets map[string]bool) ([]index.Import, error) {
	r := e.resolver(ctx, &meaning{}, e.sources())
	list, err := e.x.ImportsWhere(ctx, func(i index.Import) bool {
		if i.Language == syntax.Go {
			return false
		}
		for file := range targets {
			if r.reachesFile(i, file, "") == certain {
				return true
			}
		}
		return false
	})
	if err != nil {
		return nil, fmt.Errorf("search: importers: %w", err)
	}
	return list, nil
}

// Reaches returns what reports whether an import names a file itself. The index must be
// fresh.
func (s Sources) Reaches(ctx context.Context) func(i index.Import, file string) bool {
	r := s.e.resolver(ctx, &meaning{}, s.sources)
	return func(i index.Import, file string) bool { return r.reachesFile(i, file, "") == certain }
}

// Modules returns what lists the files that declare the module that an import names. The
// index must be fresh.
func (s Sources) Modules(ctx context.Context) func(index.Import) []string {
	return s.e.resolver(ctx, &meaning{}, s.sources).modulesNamed
}

// Dependents returns the imports that name a file or, where imports name packages, as in
// Go, its package. The index must be fresh.
func (e *Engine) Dependents(ctx context.Context, file string) ([]index.Import, error) {
	if syntax.Detect(file, nil) != syntax.Go {
		return e.Importers(ctx, map[string]bool{file: true})
	}
	r := e.resolver(ctx, &meaning{}, e.sources())
	list, err := e.x.ImportsWhere(ctx, func(i index.Import) bool {
		return i.Language == syntax.Go && r.goImport(i.Path) == path.Dir(file)
	})
	if err != nil {
		return nil, fmt.Errorf("search: importers: %w", err)
	}
	return list, nil
}

// goImport returns the directory of this project that a Go import path means,
// or "?" for one of another module.
func (r *resolver) goImport(importPath string) string {
	return golang.FolderOf(r.goModules(), importPath)
}

// goModules returns the Go modules of the project.
func (r *resolver) goModules() []golang.Module {
	if r.goMods == nil {
		var named []string
		entries, _ := r.files() // without them there is no module
		for _, f := range entries {
			if strings.HasSuffix(f.Path, "go.mod") && path.Base(f.Path) == "go.mod" {
				named = append(named, f.Path)
			}
		}
		r.goMods = golang.Modules(named, func(file string) string {
			t, err := r.e.reader.Read(file)
			if err != nil {
				return ""
			}
			return string(t.Bytes)
		})
	}
	return r.goMods
}

// withinPackage reports whether a module that an import without dots fits lies further
// down in a package: "typing" is not pkg/typing.py where pkg has an __init__.py.
func (r *resolver) withinPackage(i index.Import, file string) bool {
	if strings.HasPrefix(i.Path, ".") {
		return false
	}
	if r.packages == nil {
		r.packages = map[string]bool{}
		entries, err := r.files()
		if err != nil {
			return false
		}
		for _, f := range entries {
			if path.Base(f.Path) == "__init__.py" {
				r.packages[path.Dir(f.Path)] = true
			}
		}
	}
	module := strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__")
	top, _, _ := strings.Cut(i.Path, ".")
	p := strings.ReplaceAll(i.Path, ".", "/")
	for _, name := range append([]string{""}, i.Names...) {
		whole := path.Join(p, name)
		if head, ok := strings.CutSuffix(module, "/"+whole); ok && r.packages[head] && path.Base(head) != top {
			return true
		}
	}
	return false
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
