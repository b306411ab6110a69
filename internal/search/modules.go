package search

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/resolve"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// moduleImports lists the imports that name a module that is meant on a line where nothing
// else that was found names it: names in imports are no occurrences in every language.
func (e *Engine) moduleImports(ctx context.Context, m *subject, found []mention, src *sources) ([]mention, error) {
	modules := slices.DeleteFunc(slices.Clone(m.Definitions), func(s index.Symbol) bool { return !binding.IsPathModule(&s) })
	if len(modules) == 0 || m.local != nil || m.field != nil {
		return nil, nil
	}
	lines := map[resolve.Position]bool{}
	for i := range found {
		lines[resolve.Position{File: found[i].File, Line: found[i].Line}] = true
	}
	imports, err := e.x.ImportsWhere(ctx, func(i index.Import) bool {
		return !lines[resolve.Position{File: i.File, Line: i.Line}] && slices.ContainsFunc(modules, func(s index.Symbol) bool {
			return syntax.SameGroup(i.Language, s.Language) &&
				slices.Equal(symbolname.Parts(i.Path), symbolname.Parts(text.Dotted(s.Scope, s.Name)))
		})
	})
	if err != nil {
		return nil, fmt.Errorf("search: imports of a module: %w", err)
	}
	var list []mention
	for _, i := range imports {
		if at := bytes.Index(src.Raw(i.File, i.Line, i.Line), []byte(i.Path)); at >= 0 {
			list = append(list, mention{confidence: binding.Certain, Occurrence: index.Occurrence{
				Name: i.Path, File: i.File, Language: i.Language, Line: i.Line, Column: at + 1, Role: syntax.ImportUse,
			}})
		}
	}
	return list, nil
}
