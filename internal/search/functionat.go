package search

import (
	"context"
	"fmt"

	"codeintel/internal/audit/shown"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// FunctionAtQuery asks which function a line is in.
type FunctionAtQuery struct {
	FilePath string `json:"file_path" jsonschema:"Path"`
	Line     int    `json:"line" jsonschema:"From 1"`
}

// FunctionAtAnswer is what get_function_at_line found.
type FunctionAtAnswer struct {
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Function *Function `json:"function" jsonschema:"The innermost function around the line; null if there is none"`
	Remarks
}

// A Function is a function with its text.
type Function struct {
	Name      string      `json:"name"`
	Kind      syntax.Kind `json:"kind"`
	Scope     string      `json:"scope,omitempty"`
	StartLine int         `json:"start_line"`
	EndLine   int         `json:"end_line"`
	Signature string      `json:"signature,omitempty"`
	Content   string      `json:"content" jsonschema:"Its text; of a long one, the part around the line"`
	ContentAt int         `json:"content_line" jsonschema:"The line content begins with"`
	LeftOut   string      `json:"left_out,omitempty"`

	shown int
}

// functionLines is how much of a long function is shown.
const functionLines = 300

// FunctionAt answers get_function_at_line.
func (e *Engine) FunctionAt(ctx context.Context, q FunctionAtQuery) (*FunctionAtAnswer, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (*FunctionAtAnswer, error) {
		return e.functionAtOnce(ctx, q, src)
	})
}

func (e *Engine) functionAtOnce(ctx context.Context, q FunctionAtQuery, src *sources) (*FunctionAtAnswer, error) {
	example := msg.CallOf(op.GetFunctionAtLine, "file_path", "internal/server.go", "line", 42)
	if err := required("file_path", q.FilePath, example); err != nil {
		return nil, err
	}
	if q.Line < 1 {
		return nil, problem.New(problem.InvalidArgument, "search.line_lines_counted_from", msg.Param("line"), q.Line).
			Or("search.for_example", msg.CallOf(op.GetFunctionAtLine, "file_path", q.FilePath, "line", 1))
	}
	info, list, err := e.oneFile(ctx, src, q.FilePath, op.GetFunctionAtLine)
	if err != nil {
		return nil, err
	}
	if n := src.LineCount(info.Path); q.Line > n {
		return nil, problem.New(problem.InvalidArgument, "search.line_but_lines", msg.Param("line"), q.Line, info.Path, n).
			Or("search.call_shows_where_its_functions_are", msg.CallOf(op.GetSymbols, "path", info.Path))
	}
	a := &FunctionAtAnswer{File: info.Path, Line: q.Line}
	a.Note(aboutFile(src, info)...)
	best, around := innermost(list, q.Line)
	if best == nil {
		if around != nil {
			a.Note(msg.New("search.line_in_no_function_but_in", q.Line, around.Kind,
				text.Dotted(around.Scope, around.Name), span(info.Path, around.StartLine, around.EndLine)))
		} else {
			a.Note(msg.New("search.line_in_no_function", q.Line))
		}
		return a, nil
	}
	a.Function = src.function(info.Path, best, q.Line)
	return a, nil
}

// innermost returns the smallest function around a line, and the smallest
// symbol of any kind.
func innermost(list []index.Symbol, line int) (function, any *index.Symbol) {
	for i := range list {
		s := &list[i]
		if line < s.StartLine || line > s.EndLine {
			continue
		}
		smaller := func(than *index.Symbol) bool {
			return than == nil || s.EndLine-s.StartLine <= than.EndLine-than.StartLine
		}
		if smaller(any) {
			any = s
		}
		if s.Kind.Callable() && smaller(function) {
			function = s
		}
	}
	return function, any
}

// function describes a function with its text, centred on a line if long. An
// answer never passes its budget, however long the lines.
func (s *sources) function(file string, f *index.Symbol, line int) *Function {
	fn := &Function{
		Name: f.Name, Kind: f.Kind, Scope: f.Scope, StartLine: f.StartLine, EndLine: f.EndLine, Signature: f.Signature,
		ContentAt: f.StartLine,
	}
	for n := functionLines; ; n /= 2 {
		if f.EndLine-f.StartLine >= n {
			fn.ContentAt = min(max(f.StartLine, line-n/2), max(f.StartLine, f.EndLine-n+1))
		}
		fn.Content, fn.shown = s.Block(file, fn.ContentAt, f.EndLine, n)
		if n <= 2 || Size(fn.Content) <= s.e.budget(defaultTokens*charactersPerToken)-frameCharacters {
			break
		}
	}
	if fn.ContentAt > f.StartLine {
		fn.LeftOut = fmt.Sprintf("lines %d-%d", f.StartLine, fn.ContentAt-1)
	}
	if fn.shown < f.EndLine {
		if fn.LeftOut != "" {
			fn.LeftOut += " and "
		}
		fn.LeftOut += fmt.Sprintf("lines %d-%d", fn.shown+1, f.EndLine)
	}
	return fn
}

// Text gives the answer for people and models.
func (a *FunctionAtAnswer) Text() string {
	var b writer
	if f := a.Function; f != nil {
		b.linef("%s %s %s", span(a.File, f.StartLine, f.EndLine), f.Kind, text.Dotted(f.Scope, f.Name))
		b.block(f.Content, f.ContentAt)
		if f.LeftOut != "" {
			b.linef("  (left out: %s)", f.LeftOut)
		}
	} else {
		b.linef("%s:%d is in no function", a.File, a.Line)
	}
	return b.tail("", a.Remarks)
}

// Observed says which lines and which function the answer shows.
func (a *FunctionAtAnswer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.File}, Empty: a.Function == nil}
	if fn := a.Function; fn != nil {
		f.Definitions = []string{text.Dotted(fn.Scope, fn.Name)}
		f.Lines = addLines(nil, a.File, fn.ContentAt, fn.shown)
	}
	return f
}
