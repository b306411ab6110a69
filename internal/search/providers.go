package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/provider"
	"codeintel/internal/resolve"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
)

// An exactness is what providers know of the places of a name.
type exactness struct {
	*provider.Exact
	all bool // they know everything that is meant, so that other places are no uses
}

// askProviders asks the project's SCIP indexes and language servers what the places of a
// name mean. What they do not answer is left to inference, and the answer says so.
func (e *Engine) askProviders(ctx context.Context, m *subject, names *resolution, res *resolver) (*exactness, error) {
	targets, language := m.targets()
	targets = append(targets, m.repeated(names)...)
	if len(targets) == 0 || len(targets) > binding.ManyDefinitions || e.exact.None(language) {
		return nil, nil
	}
	list, err := res.Files()
	if err != nil {
		return nil, err
	}
	var containing []string
	for _, name := range m.names {
		found, err := e.x.Occurrences(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", name, err)
		}
		for i := range found {
			containing = append(containing, found[i].File)
		}
	}
	slices.Sort(containing)
	containing = slices.Compact(containing)
	x, err := e.exact.Uses(ctx, provider.Question{
		Targets: targets, Name: m.Name.Base, Language: language,
		Holding: containing, Files: versions(list),
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		res.src.Lacks(gaps.Provider, containing...)
	}
	if x == nil {
		return nil, nil
	}
	return &exactness{x, x.Asked == len(targets)}, nil
}

// targets returns where the things that are meant are named, and the language of the
// first.
func (m *subject) targets() (list []resolve.Position, language syntax.Language) {
	if m.place != nil {
		return []resolve.Position{*m.place}, syntax.Detect(m.place.File, nil)
	}
	if m.local != nil {
		return []resolve.Position{placeOf(m.local)}, m.local.Language
	}
	for i := range m.Definitions {
		d := &m.Definitions[i]
		if language == "" {
			language = d.Language
		}
		list = append(list, named(d))
	}
	return list, language
}

// repeated lists the other places that declare the type of C at the place that is asked about:
// clangd takes the tag of a structure and the typedef that repeats it for two things.
func (m *subject) repeated(names *resolution) []resolve.Position {
	isType := func(d index.Symbol) bool { return syntax.SameGroup(d.Language, "c") && d.Kind.HasMembers() }
	if m.place == nil || names == nil || !slices.ContainsFunc(m.Definitions, isType) {
		return nil
	}
	var list []resolve.Position
	for at, u := range names.uses {
		if u.Relation == resolve.Same && u.Declares && u.Name == m.Name.Base && at != *m.place {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b resolve.Position) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return list[:min(len(list), binding.ManyDefinitions-1)]
}

// judge says how surely an occurrence means what is asked for, as far as providers
// know. known is false where they say nothing; most bounds then what others may say.
func (x *exactness) judge(o *index.Occurrence) (rel, most binding.Relation, known bool) {
	if x == nil {
		return binding.Unrelated, binding.Certain, false
	}
	u, ok := x.Uses[placeOf(o)]
	switch {
	case ok && (u.Relation == resolve.Same || u.Relation == resolve.Related):
		if u.Declares {
			return relationOf(u.Relation), binding.Certain, o.Role != syntax.Definition || u.Relation == resolve.Related
		}
		return relationOf(u.Relation), binding.Certain, true
	case ok && x.all:
		return binding.Unrelated, binding.Certain, true
	case x.all && x.Files[o.File]:
		return binding.Unrelated, binding.Possible, false
	}
	return binding.Unrelated, binding.Certain, false
}

// beyondIndex returns the places that providers know and the index does not list under
// the name, such as other names of the thing.
func (e *Engine) beyondIndex(ctx context.Context, m *subject, x *exactness,
	seen map[resolve.Position]bool) ([]mention, error) {
	if x == nil {
		return nil, nil
	}
	return e.mentionsBeyondIndex(ctx, m, &resolution{uses: x.Uses}, seen)
}
