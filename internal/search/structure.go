package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/audit/shown"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// StructureQuery asks for the outline of a file or a directory.
type StructureQuery struct {
	Depth    int    `json:"depth,omitempty" jsonschema:"Levels of nesting, 1 to 10; 10 for a file, 2 for a directory"`
	Language string `json:"language,omitempty" jsonschema:"Only files in this language"`
	Where
	Page

	Whole bool `json:"-"` // nothing is left out of a file to fit it into an answer
}

// StructureAnswer is what analyze_structure found.
type StructureAnswer struct {
	Path  string        `json:"path"`
	Files []FileOutline `json:"files"`
	Coverage
}

// A FileOutline is the nested outline of a file.
type FileOutline struct {
	File     string          `json:"file"`
	Language syntax.Language `json:"language,omitempty"`
	Lines    int             `json:"lines"`
	Symbols  []Outline       `json:"symbols"`
	LeftOut  int             `json:"left_out,omitempty" jsonschema:"How many symbols are not shown: deeper levels, or too many for the answer"`
}

// An Outline is a symbol with what is declared in it.
type Outline struct {
	Name      string      `json:"name"`
	Type      syntax.Kind `json:"type"`
	Scope     string      `json:"scope,omitempty" jsonschema:"What it belongs to, if that is declared elsewhere"`
	StartLine int         `json:"start_line"`
	EndLine   int         `json:"end_line"`
	Signature string      `json:"signature,omitempty"`
	Children  []Outline   `json:"children,omitempty"`
}

// outlineSchema writes the schema that cannot be derived: an Outline holds
// Outlines.
func outlineSchema() *jsonschema.Schema {
	text, number := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "integer"}
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"name": text, "type": text, "scope": text, "start_line": number, "end_line": number, "signature": text,
			"children": {Type: "array", Items: &jsonschema.Schema{Type: "object"},
				Description: "Symbols declared in this one, of the same form"},
		},
		Required: []string{"name", "type", "start_line", "end_line"},
	}
}

// Structure answers analyze_structure. Files are paged; a file too large for
// an answer of its own loses its inner levels first, then its last symbols,
// and says how many.
func (e *Engine) Structure(ctx context.Context, q StructureQuery) (*StructureAnswer, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*StructureAnswer, error) {
		return e.structureOnce(ctx, q, src)
	})
}

func (e *Engine) structureOnce(ctx context.Context, q StructureQuery, src *sources) (*StructureAnswer, error) {
	w, err := e.Window(op.AnalyzeStructure, &q, &q.Page, 100)
	if err != nil {
		return nil, err
	}
	path, lines, err := e.WithoutLines(ctx, q.Path)
	if err != nil {
		return nil, err
	}
	q.Path = path
	a, err := e.area(q.Where, q.Language)
	if err != nil {
		return nil, err
	}
	depth, err := boundedNumber("depth", q.Depth, 2, 1, 10)
	if err != nil {
		return nil, err
	}
	chosen, symbolsOf, err := e.outlined(ctx, src, &a)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		list, err := e.list(ctx)
		if err != nil {
			return nil, err
		}
		if err := e.exists(&a, list); err != nil {
			return nil, err
		}
	}
	if q.Depth == 0 && len(chosen) == 1 && chosen[0].Path == a.path {
		depth = 10
	}
	answer := &StructureAnswer{Path: cmp.Or(a.path, ".")}
	var failed error
	answer.Files, answer.Coverage = Paged(len(chosen), w, func(i int) FileOutline {
		list, err := symbolsOf(chosen[i].Path)
		if err != nil && failed == nil {
			failed = fmt.Errorf("search: outline of %s: %w", chosen[i].Path, err)
		}
		list = lines.of(list)
		if q.Whole {
			return outline(chosen[i], list, depth, math.MaxInt)
		}
		return outline(chosen[i], list, depth, w.budget)
	})
	if failed != nil {
		return nil, failed
	}
	if len(chosen) == 1 {
		answer.Note(aboutFile(src, chosen[0])...)
	}
	for _, f := range chosen {
		if readInPart(f) {
			src.Lacks(gaps.Errors, f.Path)
		}
	}
	return answer, nil
}

// Lines are the lines of a file that a location names, of which the zero value stands for all.
type Lines struct{ First, Last int }

// of keeps the symbols that any of the lines belong to.
func (l Lines) of(list []index.Symbol) []index.Symbol {
	if l == (Lines{}) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(s index.Symbol) bool { return s.EndLine < l.First || s.StartLine > l.Last })
}

// WithoutLines takes the lines off a location such as FILE:FIRST-LAST where a path is asked for,
// unless a file has that very name.
func (e *Engine) WithoutLines(ctx context.Context, path string) (file string, lines Lines, err error) {
	file, first, last, ok := text.ParseLocation(path)
	if !ok {
		return path, lines, nil
	}
	list, err := e.list(ctx)
	if err != nil || slices.ContainsFunc(list, func(f files.Entry) bool { return f.Path == path }) {
		return path, lines, err
	}
	return file, Lines{first, last}, nil
}

// maxAtOnce is how many files an outline reads itself, so that it need not wait for the
// rest of the index.
const maxAtOnce = 64

// outlined begins an outline of an area: of a few files as they are now, of more from
// the index. It returns the files, and what gives the symbols of each.
func (e *Engine) outlined(ctx context.Context, src *sources, a *area) (
	chosen []index.FileInfo, symbolsOf func(path string) ([]index.Symbol, error), err error,
) {
	look, err := e.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer look.Close()
	var few []string
	for i := range look.Files.Entries {
		if f := &look.Files.Entries[i]; (f.Class.Indexed() || f.Path == a.path) && a.containsPath(f.Path) && len(few) <= maxAtOnce {
			few = append(few, f.Path)
		}
	}
	if len(few) > maxAtOnce {
		if err := e.refresh(ctx, src); err != nil {
			return nil, nil, err
		}
		all, err := e.x.Files(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("search: files: %w", err)
		}
		chosen = slices.DeleteFunc(all, func(f index.FileInfo) bool { return !a.contains(f.Path, f.Language) })
		return chosen, func(path string) ([]index.Symbol, error) { return e.x.FileSymbols(ctx, path) }, nil
	}
	src.readsFiles()
	symbols := map[string][]index.Symbol{}
	for _, path := range few {
		f, list, err := look.File(ctx, path)
		if problem.Of(err) != nil && path != a.path { // it went away, or holds no text
			continue
		} else if err != nil {
			return nil, nil, fmt.Errorf("search: outline of %s: %w", path, err)
		}
		src.alone[path] = f.Hash
		if a.contains(f.Path, f.Language) {
			chosen, symbols[path] = append(chosen, f), list
		}
	}
	return chosen, func(path string) ([]index.Symbol, error) { return symbols[path], nil }, nil
}

// outline builds the outline of a file within a number of characters.
func outline(f index.FileInfo, list []index.Symbol, depth, budget int) FileOutline {
	for ; ; depth-- {
		o := FileOutline{File: f.Path, Language: f.Language, Lines: f.Lines, Symbols: nest(list, depth)}
		o.LeftOut = len(list) - countOutline(o.Symbols)
		if depth == 1 {
			for len(o.Symbols) > 1 && Size(o) > budget {
				o.Symbols = o.Symbols[:len(o.Symbols)*3/4]
				o.LeftOut = len(list) - countOutline(o.Symbols)
			}
			return o
		}
		if Size(o) <= budget {
			return o
		}
	}
}

// nest makes a tree of a list of symbols, depth levels deep.
func nest(list []index.Symbol, depth int) []Outline {
	types := map[string]int{} // by qualified name
	for i := range list {
		if s := &list[i]; s.Kind.HasMembers() {
			if _, ok := types[text.Dotted(s.Scope, s.Name)]; !ok {
				types[text.Dotted(s.Scope, s.Name)] = i
			}
		}
	}
	children := map[int][]int{}
	for i := range list {
		p := list[i].Parent
		if p >= i || p < 0 {
			p = -1
			// A method is beside its type in Go, and belongs to it.
			if at, ok := types[list[i].Scope]; ok && at != i && list[at].Parent < 0 && !list[i].Kind.HasMembers() {
				p = at
			}
		}
		children[p] = append(children[p], i)
	}
	var build func(parent, depth int) []Outline
	build = func(parent, depth int) []Outline {
		if depth == 0 {
			return nil
		}
		var level []Outline
		for _, i := range children[parent] {
			s := &list[i]
			o := Outline{
				Name: s.Name, Type: s.Kind, StartLine: s.StartLine, EndLine: s.EndLine, Signature: s.Signature,
				Children: build(i, depth-1),
			}
			if parent < 0 {
				o.Scope = s.Scope
			}
			level = append(level, o)
		}
		return level
	}
	top := build(-1, depth)
	if top == nil {
		top = []Outline{}
	}
	return top
}

func countOutline(list []Outline) int {
	n := len(list)
	for i := range list {
		n += countOutline(list[i].Children)
	}
	return n
}

// Text gives the answer for people and models.
func (a *StructureAnswer) Text() string {
	var b writer
	if len(a.Files) != 1 {
		b.linef("%s", a.Counted(a.Total, "file", "s"))
	}
	for _, f := range a.Files {
		b.linef("%s (%s%s)", f.File, text.Counted(f.Lines, "line", "s"), inLanguage(f.Language))
		writeOutline(&b, f.Symbols, 1)
		if f.LeftOut > 0 {
			b.linef("  %s", a.Printer.Say("search.more_symbols_not_shown", f.LeftOut, op.GetSymbols))
		}
	}
	return b.tail(a.NextCursor, a.Remarks)
}

// writeOutline writes a line for each symbol, and one for those that a line of the source declares
// together: a, b = pair().
func writeOutline(b *writer, list []Outline, depth int) {
	before := ""
	for _, o := range list {
		line := text.LineRange(o.StartLine, o.EndLine) + " " + headOf(o.Type, text.Dotted(o.Scope, o.Name), o.Name, o.Signature)
		if line != before {
			b.linef("%s%s", strings.Repeat("  ", depth), line)
		}
		before = line
		writeOutline(b, o.Children, depth+1)
	}
}

// headOf writes a symbol by its signature where that has its name, and its kind where the
// signature does not say it.
func headOf(kind syntax.Kind, whole, name, signature string) string {
	if signature == "" {
		return string(kind) + " " + whole
	}
	words := strings.FieldsFunc(signature, func(r rune) bool { return !unicode.IsLetter(r) })
	notes := slices.Contains(words, string(kind)) && string(kind) != name ||
		len(words) > 1 && slices.Contains(kindWords, words[0]) || strings.HasPrefix(signature, "#")
	if !strings.Contains(signature, name) || whole != name && strings.Contains(whole, " ") {
		signature = whole + ": " + signature
	}
	if notes {
		return signature
	}
	return string(kind) + " " + signature
}

// kindWords begin declarations of functions and variables, and say what they are.
var kindWords = []string{"func", "function", "fun", "fn", "def", "var", "let", "const"}

// Observed says which definitions the answer shows, and the lines of their
// heads.
func (a *StructureAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Path}, Empty: a.Total == 0}
	seen := map[string]bool{} // an outline may have tens of thousands of names
	for _, file := range a.Files {
		var walk func(list []Outline, scope string)
		walk = func(list []Outline, scope string) {
			for _, o := range list {
				name := text.Dotted(cmp.Or(scope, o.Scope), o.Name)
				if name != "" && !seen[name] {
					seen[name] = true
					f.Definitions = append(f.Definitions, name)
				}
				if o.Signature != "" {
					f.Lines = append(f.Lines, shown.Lines{File: file.File, Start: o.StartLine, End: o.StartLine})
				}
				walk(o.Children, name)
			}
		}
		walk(file.Symbols, "")
	}
	f.Lines = sortLines(f.Lines)
	return f
}
