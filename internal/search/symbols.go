package search

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// SymbolsQuery asks what a file declares.
type SymbolsQuery struct {
	Path     string `json:"path,omitempty" jsonschema:"The file"`
	FilePath string `json:"file_path,omitempty" jsonschema:"Same as path"`
	Kind     string `json:"kind,omitempty" jsonschema:"Only this kind: function, method, class, struct, interface, type, field, constant, variable, ..."`
	Page
}

// SymbolsAnswer is what get_symbols found, in the order of the file.
type SymbolsAnswer struct {
	File     string          `json:"file"`
	Language syntax.Language `json:"language,omitempty"`
	Lines    int             `json:"lines" jsonschema:"How many lines the file has"`
	Symbols  []FileSymbol    `json:"symbols"`
	Preview  []string        `json:"preview,omitempty" jsonschema:"The first lines of a file that declares nothing"`
	Coverage
}

// A FileSymbol is a declaration in a file.
type FileSymbol struct {
	Name      string      `json:"name"`
	Kind      syntax.Kind `json:"kind"`
	Line      int         `json:"line" jsonschema:"The line that holds the name"`
	EndLine   int         `json:"end_line"`
	Scope     string      `json:"scope,omitempty"`
	Signature string      `json:"signature,omitempty"`
	Doc       string      `json:"doc,omitempty" jsonschema:"The beginning of its doc comment"`
	Exported  bool        `json:"exported,omitempty"`
}

// Symbols answers get_symbols.
func (e *Engine) Symbols(ctx context.Context, q SymbolsQuery) (*SymbolsAnswer, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*SymbolsAnswer, error) {
		return e.symbolsOnce(ctx, q, src)
	})
}

func (e *Engine) symbolsOnce(ctx context.Context, q SymbolsQuery, src *sources) (*SymbolsAnswer, error) {
	if q.Path == "" {
		q.Path = q.FilePath
	}
	if q.FilePath != "" && path.Clean(q.FilePath) != path.Clean(q.Path) {
		return nil, problem.New(problem.InvalidArgument, "search.path_file_path_name_different", msg.Param("path"),
			msg.Param("file_path")).
			Or("search.send_one_of_them")
	}
	if err := required("path", q.Path, msg.CallOf(op.GetSymbols, "path", "internal/server.go")); err != nil {
		return nil, err
	}
	if err := filekind.Kind(q.Kind); err != nil {
		return nil, err
	}
	w, err := e.Window(op.GetSymbols, &q, &q.Page, 200)
	if err != nil {
		return nil, err
	}
	file, lines, err := e.WithoutLines(ctx, q.Path)
	if err != nil {
		return nil, err
	}
	info, list, err := e.oneFile(ctx, src, file, op.GetSymbols)
	if err != nil {
		return nil, err
	}
	list = lines.of(list)
	var all []FileSymbol
	for i := range list {
		s := &list[i]
		if q.Kind == "" || s.Kind == syntax.Kind(strings.ToLower(q.Kind)) {
			all = append(all, FileSymbol{
				Name: s.Name, Kind: s.Kind, Line: nameLine(s), EndLine: s.EndLine, Scope: s.Scope,
				Signature: s.Signature, Doc: text.Clip(text.OneLine(s.Doc), docRunes), Exported: s.Exported,
			})
		}
	}
	a := &SymbolsAnswer{File: info.Path, Language: info.Language, Lines: info.Lines}
	a.Symbols, a.Coverage = Paged(len(all), w, func(i int) FileSymbol { return all[i] })
	a.Note(aboutFile(src, info)...)
	if q.Kind != "" && len(all) == 0 && len(list) > 0 {
		a.Note(msg.New("search.file_has_symbols_of_other_kinds", len(list)))
	}
	if len(list) == 0 {
		if a.Preview, err = e.preview(info.Path); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// How much of a file without symbols is shown in their place.
const (
	previewLines = 30
	previewRunes = 160 // of one line
)

// preview returns the first lines of a file. A file that declares nothing can
// still be looked at.
func (e *Engine) preview(file string) ([]string, error) {
	t, err := files.Read(e.p, file)
	if err != nil {
		return nil, fmt.Errorf("search: preview: %w", err)
	}
	var lines []string
	for line := range strings.Lines(string(t.Bytes)) {
		if len(lines) == previewLines {
			break
		}
		lines = append(lines, text.Clip(strings.TrimRight(line, "\r\n"), previewRunes))
	}
	return lines, nil
}

func nameLine(s *index.Symbol) int {
	if s.NameLine > 0 {
		return s.NameLine
	}
	return s.StartLine
}

// aboutFile notes in src that errors hid some of what a file declares, and returns notes that explain why.
func aboutFile(src *sources, f index.FileInfo) []msg.Message {
	var notes []msg.Message
	if readInPart(f) {
		src.Lacks(gaps.Errors, f.Path)
	}
	if f.Partial != "" {
		notes = append(notes, msg.New("search.file_read_in_part", f.Path, f.Partial))
	}
	if f.Language == "" {
		notes = append(notes, msg.New("search.file_in_no_known_language", f.Path))
	}
	return notes
}

// readInPart reports whether errors or limits hid some of what a file declares.
func readInPart(f index.FileInfo) bool { return f.Partial != "" && f.Language != "" }

// oneFile reads one file as it is now, whatever else the index has yet to read, and returns
// its symbols in the order of the source. If there is no such file, the Problem suggests similar
// names. tool is the call to correct.
func (e *Engine) oneFile(ctx context.Context, src *sources, file string, tool op.Name) (index.FileInfo,
	[]index.Symbol, error) {
	var none index.FileInfo
	if err := shortEnough(msg.Param("path"), file); err != nil {
		return none, nil, err
	}
	rel, err := e.p.Resolve(file)
	if err != nil {
		return none, nil, err
	}
	look, err := e.look(ctx)
	if err != nil {
		return none, nil, err
	}
	defer look.Close()
	info, all, err := look.File(ctx, rel)
	switch {
	case err == nil:
		src.readsFiles()
		src.alone[info.Path] = info.Hash
		return info, all, nil
	case problem.Of(err) == nil:
		return none, nil, fmt.Errorf("search: file: %w", err)
	}
	return none, nil, e.noFile(ctx, rel, tool)
}

// noFile explains why a path has no symbols: it is missing, not indexed, not yet indexed or a folder.
func (e *Engine) noFile(ctx context.Context, rel string, tool op.Name) error {
	unread, err := e.Unread(ctx, rel)
	switch {
	case err != nil:
		return err
	case unread != nil:
		return unread
	}
	a := area{path: rel}
	if rel == "." {
		a.path = ""
	}
	if err := e.pathExists(ctx, &a); err != nil {
		return err
	}
	var folder any = rel
	if rel == "" || rel == "." {
		folder = msg.New("search.root_of_repository")
	}
	return problem.New(problem.InvalidArgument, "search.directory_takes_file", folder, tool).
		Or("search.call_shows_what_is_in_it", msg.CallOf(op.AnalyzeStructure, "path", rel))
}

// Unread returns a Problem that says why nothing is known of what a path leads to. It is nil for a folder with
// files of the project, and if nothing is there.
func (e *Engine) Unread(ctx context.Context, name string) (*problem.Problem, error) {
	rel, err := e.p.Resolve(name)
	if err != nil {
		if _, missing := os.Lstat(e.p.Abs(name)); missing != nil {
			return nil, nil
		}
		return problem.Of(err), nil
	}
	list, err := e.list(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(f files.Entry) bool { return f.Path == rel })
	if i < 0 {
		info, err := os.Stat(e.p.Abs(rel))
		hasFiles := slices.ContainsFunc(list, func(f files.Entry) bool { return rel == "." || strings.HasPrefix(f.Path, rel+"/") })
		if err == nil && info.IsDir() && !hasFiles {
			return problem.New(problem.NotFound, "search.folder_without_files", rel).
				Or("search.remove_from_gitignore_code_intelignore"), nil
		}
		return e.explainUnlisted(rel), nil
	}
	switch t, err := files.Read(e.p, rel); {
	case problem.Of(err) != nil:
		return problem.Of(err), nil
	case err != nil || !list[i].Class.Indexed():
		return index.NotIndexed(rel, list[i].Class), nil
	case !t.Class.Indexed():
		return index.NotIndexed(rel, t.Class), nil
	}
	return index.UnreadProblem(rel), nil
}

// Text gives the answer for people and models.
func (a *SymbolsAnswer) Text() string {
	var b writer
	b.linef("%s: %s, %s%s", a.File, a.Counted(a.Total, "symbol", "s"), text.Counted(a.Lines, "line", "s"), inLanguage(a.Language))
	for _, s := range a.Symbols {
		b.linef("  %s %s %s", text.LineRange(s.Line, s.EndLine), s.Kind, text.Dotted(s.Scope, s.Name))
		if s.Signature != "" && s.Signature != s.Name {
			b.linef("      %s", s.Signature)
		}
		if s.Doc != "" {
			b.linef("      // %s", s.Doc)
		}
	}
	for i, line := range a.Preview {
		b.linef("%5d  %s", i+1, line)
	}
	return b.tail(a.NextCursor, a.Remarks)
}

func inLanguage(l syntax.Language) string {
	if l == "" {
		return ""
	}
	return ", " + string(l)
}

// Observed says which definitions the answer shows, and the lines of their
// heads.
func (a *SymbolsAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.File}, Empty: a.Total == 0 && len(a.Preview) == 0}
	if n := len(a.Preview); n > 0 {
		f.Lines = append(f.Lines, shown.Lines{File: a.File, Start: 1, End: n})
	}
	for _, s := range a.Symbols {
		f.Definitions = text.AppendNew(f.Definitions, text.Dotted(s.Scope, s.Name))
		if s.Signature != "" {
			f.Lines = append(f.Lines, shown.Lines{File: a.File, Start: s.Line, End: s.Line})
		}
	}
	f.Lines = sortLines(f.Lines)
	return f
}
