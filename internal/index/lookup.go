package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strings"

	"codeintel/internal/index/postings"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	globs "codeintel/internal/text/glob"
)

// A Match says how a name is compared.
type Match string

// The ways to compare, each one wider than the one before.
const (
	Exact   Match = "exact"   // as written
	Fold    Match = "fold"    // upper and lower case are the same
	Prefix  Match = "prefix"  // the name begins so, in any case
	Subword Match = "subword" // all words of the query are words of the name
)

// A SymbolQuery says which symbols are wanted. Empty fields restrict nothing.
type SymbolQuery struct {
	Name     string
	Match    Match  // "" is Exact
	Path     string // a path, a folder, or a glob with "**"
	Language syntax.Language
	Kind     syntax.Kind
	Limit    int // 0: no limit
}

// A Symbol is a declaration and where it is. Parent is the index in
// [Index.FileSymbols] of its file.
type Symbol struct {
	syntax.Symbol
	File     string
	Language syntax.Language
}

// ID returns "path#Scope.Name:line".
func (s *Symbol) ID() string {
	name := s.Name
	if s.Scope != "" {
		name = s.Scope + "." + name
	}
	return fmt.Sprintf("%s#%s:%d", s.File, name, s.StartLine)
}

// Symbols returns the symbols asked for: exact spellings first, then exported
// ones, those outside tests, and by path and line. Of more than [MostPlaces] of a
// name it returns so many, and [Cut] reports it of the question. An empty name
// stands for every symbol, which is slow on a large project.
func (x *Index) Symbols(ctx context.Context, q SymbolQuery) (found []Symbol, err error) {
	match, err := newPathMatch(q.Path)
	if err != nil {
		return nil, err
	}
	limited := q.Limit > 0
	if !limited && q.Name != "" {
		q.Limit = MostPlaces
	}
	err = x.ask(ctx, func(s *snapshot) (err error) {
		c := collector{s: s, files: make([][]*collected, len(s.parts)), match: match, q: q}
		c.run(ctx)
		if err := cmp.Or(c.err, ctx.Err()); err != nil {
			return err
		}
		awaitTurn(ctx, len(c.found))
		if found, err = c.symbols(); c.dropped && !limited {
			cut(ctx)
		}
		return err
	})
	return found, err
}

// An openFile is a file that some answer comes from.
type openFile struct {
	path     string
	language syntax.Language
	outline  outline
}

func (s *snapshot) open(r postings.Ref) (*openFile, error) {
	o, err := s.outline(r)
	if err != nil {
		return nil, err
	}
	return &openFile{path: s.path(r), language: syntax.Language(s.attributes(r).language), outline: o}, nil
}

func (f *openFile) symbol(s syntax.Symbol) Symbol {
	return Symbol{Symbol: s, File: f.path, Language: f.language}
}

// newPathMatch returns a function for a path, a folder or a glob.
func newPathMatch(pattern string) (func(string) bool, error) {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if pattern == "" || pattern == "." {
		return func(string) bool { return true }, nil
	}
	if !globs.Valid(pattern) {
		return nil, problem.New(problem.InvalidArgument, "index.no_glob", pattern).
			Or("index.use_within_folder_across_folders")
	}
	glob := strings.ContainsAny(pattern, "*?[{\\")
	return func(p string) bool {
		if !glob {
			return p == pattern || strings.HasPrefix(p, pattern+"/")
		}
		if !strings.Contains(pattern, "/") { // "*.go" means one anywhere
			return globs.Match(pattern, path.Base(p))
		}
		return globs.Match(pattern, p)
	}, nil
}

// FileSymbols returns all symbols of a file in the order of the source. A path
// that is not indexed is a Problem.
func (x *Index) FileSymbols(ctx context.Context, path string) (all []Symbol, err error) {
	err = x.askOpen(ctx, path, func(f *openFile) (err error) {
		all, err = f.symbols(ctx)
		return err
	})
	return all, err
}

// SymbolsWithin returns the symbols of a file that lie whole between two bytes, in the
// order of the source. A path that is not indexed is a Problem.
func (x *Index) SymbolsWithin(ctx context.Context, path string, start, end int) (list []Symbol, err error) {
	err = x.askOpen(ctx, path, func(f *openFile) (err error) {
		list, err = f.symbolsWithin(ctx, start, end)
		return err
	})
	return list, err
}

// symbols returns the symbols of the file.
func (f *openFile) symbols(ctx context.Context) ([]Symbol, error) {
	return f.symbolsWithin(ctx, 0, math.MaxInt)
}

// symbolsWithin returns the symbols that lie whole between two bytes.
func (f *openFile) symbolsWithin(ctx context.Context, start, end int) ([]Symbol, error) {
	o := &f.outline
	first := sort.Search(o.symbols.n, func(i int) bool { return o.begins(i) >= start })
	after := sort.Search(o.symbols.n, func(i int) bool { return o.begins(i) > end })
	awaitTurn(ctx, after-first)
	list := make([]Symbol, 0, max(0, after-first))
	for i := first; i < after; i++ {
		s, ok := o.symbol(i)
		if !ok {
			return nil, fmt.Errorf("index: symbol %d of %s: %w", i, f.path, postings.ErrCorrupt)
		}
		if s.End <= end {
			list = append(list, f.symbol(s))
		}
	}
	return list, nil
}

// askOpen is askFile for those who want the outline only.
func (x *Index) askOpen(ctx context.Context, path string, f func(*openFile) error) error {
	return x.askFile(ctx, path, func(s *snapshot, r postings.Ref, _ *outline) error {
		o, err := s.open(r)
		if err != nil {
			return err
		}
		return f(o)
	})
}

// An Enclosing is the innermost symbol around a place. Its Name is empty at the
// top level of a file.
type Enclosing struct {
	Name      string
	Scope     string
	Kind      syntax.Kind
	StartLine int
	EndLine   int
}

// An Occurrence is one place where a name is.
type Occurrence struct {
	File      string
	Language  syntax.Language
	Name      string
	Line      int
	Column    int // in bytes, 1-based
	Role      syntax.Role
	Local     bool
	Qualifier string
	Enclosing Enclosing
}

// MostPlaces is how many places and declarations of one name are looked at: repositories have names with more, and
// each takes memory and time.
const MostPlaces = 100_000

// Occurrences returns every place where exactly name is, by path and line. Of more than [MostPlaces] it returns so
// many, and [Cut] reports it of the question.
func (x *Index) Occurrences(ctx context.Context, name string) (all []Occurrence, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		all = nil
		var failed error
		var f *openFile
		var in postings.Ref
		around := make(map[int]Enclosing) // in f
		s.view.Occurrences(name, func(r postings.Ref, o postings.Occurrence) bool {
			if f == nil || r != in {
				if f, failed = s.open(r); failed != nil {
					return false
				}
				in = r
				clear(around)
			}
			e, ok := around[o.Symbol]
			if !ok {
				e = f.outline.enclosing(o.Symbol)
				around[o.Symbol] = e
			}
			all = append(all, Occurrence{File: f.path, Language: f.language, Name: name, Line: o.Line, Column: o.Column,
				Role: roleOf(o.Role), Local: o.Local, Qualifier: o.Qualifier, Enclosing: e})
			if len(all) == many {
				awaitTurn(ctx, many)
			}
			if len(all) == MostPlaces {
				cut(ctx)
				return false
			}
			return ctx.Err() == nil
		})
		return cmp.Or(failed, ctx.Err())
	})
	slices.SortStableFunc(all, func(a, b Occurrence) int { return cmp.Compare(a.File, b.File) })
	return all, err
}

// An Import is one thing that File brings in.
type Import struct {
	syntax.Import
	File     string
	Language syntax.Language
}

// Imports returns what a file brings in. A path that is not indexed is a
// Problem.
func (x *Index) Imports(ctx context.Context, path string) (all []Import, err error) {
	err = x.askOpen(ctx, path, func(f *openFile) (err error) {
		all, err = f.imports()
		return err
	})
	return all, err
}

func (f *openFile) imports() ([]Import, error) {
	var all []Import
	for i := range f.outline.imports.n {
		m, ok := f.outline.imported(i)
		if !ok {
			return nil, fmt.Errorf("index: import %d of %s: %w", i, f.path, postings.ErrCorrupt)
		}
		all = append(all, Import{Import: m, File: f.path, Language: f.language})
	}
	return all, nil
}

// ImportsWhere returns every import of the project that keep accepts, by path
// and line. Resolving what an import means is the caller's business.
func (x *Index) ImportsWhere(ctx context.Context, keep func(Import) bool) (all []Import, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		all = nil
		var failed error
		s.each(func(r postings.Ref) bool {
			f, err := s.open(r)
			var list []Import
			if err == nil {
				list, err = f.imports()
			}
			for _, m := range list {
				if keep(m) {
					all = append(all, m)
				}
			}
			failed = err
			return err == nil && ctx.Err() == nil
		})
		return cmp.Or(failed, ctx.Err())
	})
	slices.SortStableFunc(all, func(a, b Import) int { return cmp.Compare(a.File, b.File) })
	return all, err
}
