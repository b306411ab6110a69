// Package dependencies lists the imports of a file, and the files that import it.
//
// Package importpath decides which files those are.
package dependencies

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/impact"
	"codeintel/internal/search/importpath"
	"codeintel/internal/syntax"
)

// A Direction says which way imports are followed.
type Direction string

// Directions.
const (
	Both      Direction = "both"
	Imports   Direction = "imports"
	Importers Direction = "importers"
)

// Query asks what a file or a folder imports, and what imports it.
type Query struct {
	Path      string    `json:"path" jsonschema:"A file or folder"`
	Direction Direction `json:"direction,omitempty" jsonschema:"imports, importers or both (default)"`
	search.Page
}

// Answer is what a file or a folder imports, and what imports it.
type Answer struct {
	Path       string     `json:"path"`
	Imports    []Import   `json:"imports" jsonschema:"By file and line"`
	ImportedBy []Importer `json:"imported_by" jsonschema:"Code first, then tests"`
	Importing  int        `json:"importing" jsonschema:"How many files import it"`
	UsedBy     []User     `json:"used_by,omitempty" jsonschema:"Where nothing imports it: files that use what it declares, or name it"`
	search.Coverage

	asked  Direction
	unused bool // nothing imports it, and that was asked
}

// An Import is something that the file, or a file of the folder, imports.
type Import struct {
	File    string   `json:"file,omitempty" jsonschema:"Of a folder: the importing file"`
	Line    int      `json:"line"`
	Name    string   `json:"name" jsonschema:"As it is written"`
	Files   []string `json:"files,omitempty" jsonschema:"The files of the project that it names"`
	Folder  string   `json:"folder,omitempty" jsonschema:"The folder that it names, where imports name packages"`
	Outside string   `json:"outside,omitempty" jsonschema:"The package or library that is not part of the project"`
	Missing bool     `json:"missing,omitempty" jsonschema:"It names a file that is not in the project: generated, or left out"`
	Guessed bool     `json:"guessed,omitempty" jsonschema:"Several files could be meant, or a common setting of builds was assumed"`
	More    int      `json:"more_files,omitempty" jsonschema:"How many further files it names"`
}

// An Importer is an import that names the file or something of the folder.
type Importer struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Test    bool   `json:"test,omitempty"`
	Guessed bool   `json:"guessed,omitempty"`
}

// A User is a file that uses another without an import.
type User struct {
	File   string `json:"file"`
	Lines  []int  `json:"lines" jsonschema:"The first"`
	Reason string `json:"reason"`
}

// Limits of an answer.
const (
	defaultLinks = 100
	maxFiles     = 20 // of one import
	maxUsers     = 30
)

// A Lister answers for one project. It is safe for concurrent use.
type Lister struct {
	p *project.Project
	x *index.Index
	e *search.Engine
}

// New returns a Teller over a project, its index and its search.
func New(p *project.Project, x *index.Index, e *search.Engine) *Lister {
	return &Lister{p: p, x: x, e: e}
}

// List answers a question.
func (t *Lister) List(ctx context.Context, q Query) (*Answer, error) {
	example := msg.CallOf(op.FileDependencies, "path", "internal/server.go")
	if strings.TrimSpace(q.Path) == "" {
		return nil, problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param("path")).
			Or("search.for_example", example)
	}
	if q.Direction = cmp.Or(q.Direction, Both); !slices.Contains([]Direction{Both, Imports, Importers}, q.Direction) {
		return nil, problem.New(problem.InvalidArgument, "dependencies.no_such_direction", msg.Param("direction"),
			string(q.Direction)).
			Or("search.for_example", example)
	}
	file, lines, err := t.e.WithoutLines(ctx, q.Path)
	if err != nil {
		return nil, err
	}
	q.Path = file
	a, err := search.Steady(ctx, t.e, func(ctx context.Context, src search.Sources) (*Answer, error) { return t.list(ctx, q, src) })
	if err == nil && lines != (search.Lines{}) {
		a.Note(msg.New("dependencies.of_the_whole_file"))
	}
	if err != nil || !a.unused || q.Cursor != "" { // the first page has them
		return a, err
	}
	return a, t.addUsers(ctx, a)
}

// addUsers lists the files that use a file that nothing imports: in many languages and
// frameworks a name is enough, or a path that no import holds.
func (t *Lister) addUsers(ctx context.Context, a *Answer) error {
	effect, err := impact.New(t.p, t.x, t.e, nil).Analyze(ctx, impact.Query{
		Targets: search.OneOrMore{a.Path}, Page: search.Page{Limit: 2 * maxUsers, MaxTokens: 12500},
	})
	if err != nil {
		return fmt.Errorf("dependencies: what uses %s: %w", a.Path, err)
	}
	a.Lack(effect.Completeness)
	all := slices.DeleteFunc(append(effect.MustVerify, effect.ShouldVerify...), func(f impact.Affected) bool { return !f.Names })
	for _, f := range all[:min(len(all), maxUsers)] {
		a.UsedBy = append(a.UsedBy, User{File: f.File, Lines: f.Lines, Reason: f.Reason})
	}
	switch {
	case len(all) == 0:
		a.Note(msg.New("dependencies.named_otherwise", searchByName(a.Path)))
	case len(all) > maxUsers || effect.NextCursor != "":
		more := msg.New("dependencies.more_users", msg.CallOf(op.AnalyzeImpact, "targets", a.Path))
		a.Lack(gaps.Completeness{Missing: []gaps.Gap{{Reason: more}}})
	}
	return nil
}

// Of returns what a file imports and what imports it, for an answer of another package that
// has begun.
func Of(
	ctx context.Context, p *project.Project, x *index.Index, file string,
) ([]Import, []Importer, error) {
	r, err := newResolver(ctx, p, x)
	if err != nil {
		return nil, nil, err
	}
	of := map[string]bool{file: true}
	imports, err := r.imports(of, true)
	if err != nil {
		return nil, nil, err
	}
	importers, err := r.importedBy(of)
	return imports, importers, err
}

// A resolver finds what imports of a project name, for one question.
type resolver struct {
	*importpath.Resolver
	ctx context.Context
	x   *index.Index
}

func newResolver(ctx context.Context, p *project.Project, x *index.Index) (*resolver, error) {
	l, err := x.Listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("dependencies: list files: %w", err)
	}
	return &resolver{importpath.New(ctx, p, x, l.Entries), ctx, x}, nil
}

func (t *Lister) list(ctx context.Context, q Query, src search.Sources) (*Answer, error) {
	w, err := t.e.Window(op.FileDependencies, &q, &q.Page, defaultLinks)
	if err != nil {
		return nil, err
	}
	contains, err := src.Fresh(ctx, search.Where{Path: q.Path})
	if err != nil {
		return nil, err
	}
	r, err := newResolver(ctx, t.p, t.x)
	if err != nil {
		return nil, err
	}
	of := map[string]bool{}
	for _, f := range r.Indexed() {
		if contains(f) {
			of[f] = true
		}
	}
	rel, err := t.p.Resolve(q.Path)
	if err != nil {
		return nil, err
	}
	if len(of) == 0 {
		if unread, err := t.e.Unread(ctx, rel); unread != nil || err != nil {
			return nil, cmp.Or(err, error(unread))
		}
	}
	one := len(of) == 1 && of[rel]
	var imports []Import
	if q.Direction != Importers {
		if imports, err = r.imports(of, one); err != nil {
			return nil, err
		}
	}
	var importers []Importer
	if q.Direction != Imports {
		if importers, err = r.importedBy(of); err != nil {
			return nil, err
		}
	}
	a := &Answer{Path: rel, Imports: []Import{}, ImportedBy: []Importer{}, asked: q.Direction}
	page, cover := search.Paged(len(imports)+len(importers), w, func(i int) any {
		if i < len(imports) {
			return imports[i]
		}
		return importers[i-len(imports)]
	})
	for _, v := range page {
		switch v := v.(type) {
		case Import:
			a.Imports = append(a.Imports, v)
		case Importer:
			a.ImportedBy = append(a.ImportedBy, v)
		}
	}
	a.Coverage = cover
	seen := map[string]bool{}
	for i := range importers {
		seen[importers[i].File] = true
	}
	a.Importing = len(seen)
	r.addRemarks(a, rel, of, one)
	return a, cmp.Or(r.Err(), ctx.Err())
}

// addRemarks says what imports do not tell in the languages at hand.
func (r *resolver) addRemarks(a *Answer, rel string, of map[string]bool, one bool) {
	if len(of) == 0 {
		a.Note(msg.New("dependencies.nothing_indexed", rel))
		return
	}
	if !one {
		return
	}
	switch way := syntax.Of(syntax.Detect(rel, nil)).Names.Imports; {
	case way == syntax.ImportsPackage:
		a.Note(msg.New("dependencies.packages_are_named", path.Dir(rel)))
	case way == syntax.ImportsDeclared:
		a.Note(msg.New("dependencies.same_package_needs_none"))
	case a.Importing == 0 && a.asked != Imports:
		a.unused = true
	}
}

// searchByName returns the call that finds who uses a file without an import: by its name.
func searchByName(rel string) msg.Call {
	switch syntax.Of(syntax.Detect(rel, nil)).Names.Imports {
	case syntax.ImportsModule, syntax.ImportsScript, syntax.ImportsCrate:
		return msg.CallOf(op.SearchText, "pattern", importpath.Stem(rel))
	}
	return msg.CallOf(op.SearchText, "pattern", path.Base(rel))
}

// imports lists what files import, in the order of files and lines. Imports among them
// are left out.
func (r *resolver) imports(of map[string]bool, one bool) ([]Import, error) {
	all := []Import{}
	for _, file := range slices.Sorted(maps.Keys(of)) {
		list, err := r.x.Imports(r.ctx, file)
		if p := problem.Of(err); p != nil && (!one || p.Code == index.NotYet) {
			continue // its text is of a kind that is not indexed; or the answer says that it is behind
		}
		if err != nil {
			return nil, fmt.Errorf("dependencies: imports of %s: %w", file, err)
		}
		for _, i := range list {
			t := r.Target(i)
			inner := t.Folder != "" && r.foldersWithin(of)[t.Folder]
			outer := slices.DeleteFunc(slices.Clone(t.Files), func(f string) bool { return of[f] })
			if !one && (inner || len(t.Files) > 0 && len(outer) == 0) {
				continue
			}
			if len(t.Files) == 0 && t.Folder == "" && t.Outside == "" && !t.Missing {
				continue // it names the file itself
			}
			add := Import{Line: i.Line, Name: i.Path, Files: outer, Folder: t.Folder, Outside: t.Outside,
				Missing: t.Missing, Guessed: t.Guessed}
			if !one {
				add.File = file
			}
			if n := len(outer); n > maxFiles {
				add.Files, add.More = outer[:maxFiles], n-maxFiles
			}
			if n := len(all); n > 0 && all[n-1].File == add.File && all[n-1].Line == add.Line &&
				all[n-1].Name == add.Name &&
				slices.Equal(all[n-1].Files, add.Files) {
				continue
			}
			all = append(all, add)
		}
	}
	return all, nil
}

// foldersWithin are the folders of which all files that imports can mean are among some.
func (r *resolver) foldersWithin(of map[string]bool) map[string]bool {
	folders := map[string]bool{}
	for f := range of {
		folders[path.Dir(f)] = true
	}
	return folders
}

// importedBy lists the imports that name any of some files, tests last.
func (r *resolver) importedBy(of map[string]bool) ([]Importer, error) {
	list, targets, err := r.Importers(of)
	if err != nil {
		return nil, err
	}
	all := []Importer{}
	for k, i := range list {
		add := Importer{File: i.File, Line: i.Line, Name: i.Path, Test: search.TestFile(i.File), Guessed: targets[k].Guessed}
		if n := len(all); n == 0 || all[n-1] != add {
			all = append(all, add)
		}
	}
	slices.SortStableFunc(all, func(a, b Importer) int {
		if a.Test != b.Test {
			if a.Test {
				return 1
			}
			return -1
		}
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all, nil
}
