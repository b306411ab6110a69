package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/search/scan"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
)

// otherCase finds what a name means that no symbol has in these letters, in languages to which
// large and small ones are the same.
func (e *Engine) otherCase(ctx context.Context, n symbolname.Name) ([]index.Symbol, error) {
	list, err := e.x.Symbols(ctx, index.SymbolQuery{Name: n.Base, Match: index.Fold})
	if err != nil {
		return nil, fmt.Errorf("search: symbols like %q: %w", n.Base, err)
	}
	return slices.DeleteFunc(list, func(s index.Symbol) bool {
		return !syntax.Of(s.Language).Names.AnyCase || !n.Fits(&s)
	}), nil
}

// spellCases adds the spellings under which a name is in languages to which large and small
// letters are the same.
func (e *Engine) spellCases(ctx context.Context, m *subject) error {
	languages := map[syntax.Language]bool{}
	for _, d := range m.Definitions {
		if syntax.Of(d.Language).Names.AnyCase {
			languages[d.Language] = true
		}
	}
	if len(languages) == 0 {
		return nil
	}
	any, err := textmatch.New("symbol", m.Name.Base, textmatch.Form{Word: true, Fold: true})
	if err != nil {
		return err
	}
	s, _, err := e.textsWith(ctx, Where{}, "", []*textmatch.Matcher{any})
	if err != nil {
		return err
	}
	s.Files = slices.DeleteFunc(s.Files, func(f scan.File) bool { return !languages[syntax.Detect(f.Path, nil)] })
	s.bestFirst()
	s.Whole = true
	return s.Each(ctx, nil, func(_ int, lines []scan.Match) bool {
		for _, l := range lines {
			for w := range strings.FieldsFuncSeq(l.Content, func(r rune) bool { return !textmatch.WordRune(r) }) {
				if strings.EqualFold(w, m.Name.Base) && !slices.Contains(m.names, w) {
					m.names = append(m.names, w)
				}
			}
		}
		return true
	})
}
