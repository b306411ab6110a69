package explore

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search/dependencies"
	"codeintel/internal/text"
)

// A File is what one has to know of a file.
type File struct {
	Path       string   `json:"path"`
	Lines      int      `json:"lines"`
	Declares   []Spot   `json:"declares,omitempty"`
	Imports    []Import `json:"imports,omitempty"`
	ImportedBy []Spot   `json:"imported_by,omitempty" jsonschema:"Imports of the file or, in Go, of its package, tests left out"`
	// How many of each are not listed.
	MoreDeclared  int `json:"more_declared,omitempty"`
	MoreImports   int `json:"more_imports,omitempty"`
	MoreImporters int `json:"more_importers,omitempty"`
}

// An Import is something that a file imports.
type Import struct {
	Name  string   `json:"name" jsonschema:"As it is written"`
	Files []string `json:"places,omitempty" jsonschema:"The files or the folder of the project that it names"`
}

// findFile takes the path of a file.
func (r *run) findFile(name string) (bool, error) {
	rel, err := r.e.p.Resolve(name)
	if err == nil && path.Ext(rel) == "" && !strings.Contains(rel, "/") {
		return false, nil // a name
	}
	var list []index.Symbol
	if err == nil {
		list, err = r.e.x.FileSymbols(r.ctx, rel)
	}
	if problem.Of(err) != nil {
		unread, err := r.e.e.Unread(r.ctx, name)
		if unread != nil {
			err = unread
		}
		return err != nil, err
	}
	if err != nil {
		return true, errorf("symbols", err)
	}
	r.file, r.named = rel, true
	f := &File{Path: rel, Lines: r.src.LineCount(rel)}
	r.a.File = f
	rest := r.left * (100 - codeShare) / 100
	for i := range list {
		s := &list[i]
		if !related(s.Kind) {
			continue
		}
		spot := Spot{File: rel, StartLine: s.StartLine, EndLine: s.EndLine, Symbol: text.Dotted(s.Scope, s.Name)}
		if f.MoreDeclared > 0 || len(f.Declares) == maxDeclared || r.left < rest || !r.fits(spot) {
			f.MoreDeclared++
			continue
		}
		f.Declares = append(f.Declares, spot)
	}
	return true, r.dependencies(f)
}

// dependencies adds what a file imports, and what imports it.
func (r *run) dependencies(f *File) error {
	imports, importers, err := dependencies.Of(r.ctx, r.e.p, r.e.x, f.Path)
	if err != nil {
		return errorf("imports", err)
	}
	for _, i := range imports {
		if slices.ContainsFunc(f.Imports, func(had Import) bool { return had.Name == i.Name }) {
			continue
		}
		d := Import{Name: i.Name, Files: i.Files}
		if i.Folder != "" {
			d.Files = []string{i.Folder}
		}
		if f.MoreImports > 0 || len(f.Imports) == maxImports || !r.fits(d) {
			f.MoreImports++
			continue
		}
		f.Imports = append(f.Imports, d)
	}
	for i := range importers {
		s := Spot{File: importers[i].File, StartLine: importers[i].Line}
		if i > 0 && importers[i-1].File == s.File {
			continue
		}
		switch {
		case importers[i].Test:
			r.test(s)
		case f.MoreImporters > 0 || len(f.ImportedBy) == maxImports || !r.fits(s):
			f.MoreImporters++
		default:
			f.ImportedBy = append(f.ImportedBy, s)
		}
	}
	return nil
}

func (f *File) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s\n", f.Path, text.Counted(f.Lines, "line", "s"))
	more := func(n int) string {
		if n == 0 {
			return "\n"
		}
		return fmt.Sprintf(" and %d more\n", n)
	}
	head := func(what string, i int) {
		if i == 0 {
			fmt.Fprintf(b, "  %s: ", what)
		} else {
			b.WriteString(", ")
		}
	}
	for i, s := range f.Declares {
		head("declares", i)
		b.WriteString(text.LineRange(s.StartLine, s.EndLine) + " " + s.Symbol)
	}
	if len(f.Declares) > 0 {
		b.WriteString(more(f.MoreDeclared))
	}
	for i, d := range f.Imports {
		head("imports", i)
		b.WriteString(d.Name)
		if len(d.Files) > 0 {
			fmt.Fprintf(b, " (%s)", strings.Join(d.Files, " "))
		}
	}
	if len(f.Imports) > 0 {
		b.WriteString(more(f.MoreImports))
	}
	for i, s := range f.ImportedBy {
		head("imported by", i)
		fmt.Fprintf(b, "%s:%d", s.File, s.StartLine)
	}
	if len(f.ImportedBy) > 0 {
		b.WriteString(more(f.MoreImporters))
	}
}
