package search

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/callargs"
	"codeintel/internal/syntax"
)

// naming says what comes after the name by which a call passes an argument, in languages
// whose types are not inferred.
var naming = map[syntax.Language]byte{syntax.Swift: ':', syntax.Scala: '='}

// maxOfCall bounds how much text of a call is read.
const maxOfCall = 20_000

// outerName is the name by which callers know a parameter, where it has another one inside.
var outerName = lazyregexp.MustCompile(`([\pL_]\w*)[ \t\r\n]+$`)

// passed finds where calls pass the parameter that is meant by its name. What is called is
// known by its name alone.
func (e *Engine) passed(ctx context.Context, m *subject, src *sources) ([]mention, error) {
	l := m.local
	if l == nil || naming[l.Language] == 0 {
		return nil, nil
	}
	label, err := e.labelOf(ctx, l, src)
	if label == "" || err != nil {
		return nil, err
	}
	names := []string{l.Enclosing.Name}
	if l.Enclosing.Name == "init" {
		names = []string{l.Enclosing.Scope[strings.LastIndexByte(l.Enclosing.Scope, '.')+1:], "init"}
	}
	defined, err := e.x.Symbols(ctx, index.SymbolQuery{Name: names[0], Language: l.Language, Limit: 2})
	if err != nil {
		return nil, fmt.Errorf("search: definitions of %q: %w", names[0], err)
	}
	var all []mention
	for i, name := range names {
		calls, err := e.x.Occurrences(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", name, err)
		}
		for _, o := range calls {
			if o.Language != l.Language || o.Role == syntax.Definition {
				continue
			}
			rel := binding.Possible
			if len(defined) == 1 && i == 0 {
				rel = binding.Likely
			}
			code := src.Text(o.File)
			start := min(src.Offset(o.File, o.Line)+o.Column-1+len(o.Name), len(code))
			for _, at := range callargs.Named(code[start:min(len(code), start+maxOfCall)], label, naming[o.Language]) {
				before := code[:start+at]
				o.Line = bytes.Count(before, []byte("\n")) + 1
				o.Column = len(before) - bytes.LastIndexByte(before, '\n')
				o.Name, o.Qualifier, o.Role, o.Local = label, "", syntax.Write, false
				all = append(all, mention{o, rel, ""})
			}
		}
	}
	return all, nil
}

// labelOf returns the name by which callers pass the parameter that an occurrence means, ""
// where it means none.
func (e *Engine) labelOf(ctx context.Context, l *index.Occurrence, src *sources) (string, error) {
	list, err := e.x.Occurrences(ctx, l.Name)
	if err != nil {
		return "", fmt.Errorf("search: occurrences of %q: %w", l.Name, err)
	}
	code, from := src.Text(l.File), src.Offset(l.File, l.Enclosing.StartLine)
	for _, o := range list {
		if o.File != l.File || o.Role != syntax.Definition || !o.Local || o.Enclosing.StartLine != l.Enclosing.StartLine {
			continue
		}
		at := src.Offset(o.File, o.Line) + o.Column - 1
		if at > len(code) || at < from {
			return "", nil
		}
		head := code[from:at]
		if bytes.Count(head, []byte("(")) <= bytes.Count(head, []byte(")")) || bytes.IndexByte(head, '{') >= 0 {
			return "", nil // of the body
		}
		if m := outerName.FindStringSubmatch(string(head)); m != nil && l.Language == syntax.Swift {
			if m[1] == "_" {
				return "", nil
			}
			return m[1], nil
		}
		return l.Name, nil
	}
	return "", nil
}
