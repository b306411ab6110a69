package search

import (
	"context"
	"fmt"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/resolve"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
)

// A Callee is a symbol of the project that another one calls.
type Callee struct {
	index.Symbol
	Confidence Confidence
}

// maxCallees bounds how many names that a function calls are looked up, maxTyped how many
// definitions such a name may have where types say which of them is called.
const (
	maxCallees = 40
	maxTyped   = 100
)

// Callees returns what a function calls of the project, in the order of the calls. What a
// name means is inferred or judged as for references; names that may mean several things
// are left out. The index must be fresh.
func (s Sources) Callees(ctx context.Context, of index.Symbol) ([]Callee, error) {
	all, err := s.e.x.FileOccurrences(ctx, of.File)
	if err != nil {
		return nil, err
	}
	type called struct{ name, qualifier string }
	seen := map[called]bool{}
	var list []Callee
	for i := range all {
		o := &all[i]
		if o.Role != syntax.Call || o.Local || o.Line < of.StartLine || o.Line > of.EndLine || seen[called{o.Name, o.Qualifier}] {
			continue
		}
		if seen[called{o.Name, o.Qualifier}] = true; len(seen) > maxCallees {
			break
		}
		d, rel, err := s.calledDefinition(ctx, o)
		if err != nil {
			return nil, err
		}
		own := d != nil && d.File == of.File && d.Start == of.Start
		if d != nil && !own && !slices.ContainsFunc(list, func(c Callee) bool { return c.ID() == d.ID() }) {
			list = append(list, Callee{*d, confidenceOf(rel)})
		}
	}
	return list, nil
}

// calledDefinition returns the one definition that a call means, nil if that is not known.
func (s Sources) calledDefinition(ctx context.Context, o *index.Occurrence) (*index.Symbol, binding.Relation, error) {
	most := binding.ManyDefinitions
	if o.Language == syntax.Go || registry.Inferred(o.Language) {
		most = maxTyped
	}
	list, err := s.e.x.Symbols(ctx, index.SymbolQuery{Name: o.Name, Match: index.Exact, Limit: 2 * most})
	if err != nil {
		return nil, binding.Unrelated, fmt.Errorf("search: callees: %w", err)
	}
	list = slices.DeleteFunc(list, func(d index.Symbol) bool {
		return !syntax.SameGroup(o.Language, d.Language) || !d.Kind.Callable() && !d.Kind.HasMembers()
	})
	if len(list) == 0 || len(list) > most {
		return nil, binding.Unrelated, nil
	}
	m := &subject{Target: binding.Target{Name: symbolname.Parse(o.Name), Definitions: list}}
	res := s.e.resolver(ctx, m, s.sources)
	if registry.Inferred(o.Language) {
		d, known, err := s.inferredAt(ctx, o, list, res)
		if d != nil {
			d = s.defined(list, []*index.Symbol{d})[0]
		}
		if known || err != nil {
			return d, binding.Certain, err
		}
	}
	if len(list) > binding.ManyDefinitions && o.Language != syntax.Go {
		return nil, binding.Unrelated, nil
	}
	least := binding.Possible
	if registry.Inferred(o.Language) && res.AfterDot(o) {
		least = binding.Likely // inference knows what comes before the dot, or nothing does
	}
	kept, best, err := res.mostCertain(o, list, least)
	if len(kept) == 0 {
		return nil, binding.Unrelated, err
	}
	kept = s.defined(list, kept)
	for _, d := range kept[1:] { // declared twice, or overloaded, is one thing
		if d.File != kept[0].File || d.Scope != kept[0].Scope {
			return nil, binding.Unrelated, nil
		}
	}
	return kept[0], best, nil
}

// mostCertain returns those of some definitions that a call means most surely, if more surely than
// least. What it may mean through an interface takes the types of every package that has
// a method of the name, so that is asked for only where nothing is meant for certain.
func (r *resolver) mostCertain(o *index.Occurrence, list []index.Symbol,
	least binding.Relation) (kept []*index.Symbol, best binding.Relation, err error) {
	r.Direct = o.Language == syntax.Go
	for {
		best, kept = least, nil
		for i := range list {
			rel, err := r.RelateTo(o, &list[i])
			if err != nil {
				return nil, binding.Unrelated, err
			}
			switch {
			case rel > best:
				best, kept = rel, []*index.Symbol{&list[i]}
			case rel == best && kept != nil:
				kept = append(kept, &list[i])
			}
		}
		if best == binding.Certain || !r.Direct {
			return kept, best, nil
		}
		r.Direct = false
	}
}

// inferredAt returns which of some definitions inference takes a call to mean, and whether
// it knows. Only the files of the call and of the definitions are looked at.
func (s Sources) inferredAt(
	ctx context.Context, o *index.Occurrence, list []index.Symbol, res *resolver,
) (*index.Symbol, bool, error) {
	entries, err := res.Files()
	if err != nil {
		return nil, false, err
	}
	if err := s.e.names.Update(ctx, versions(entries)); err != nil {
		return nil, false, err
	}
	within := []string{o.File}
	for i := range list {
		within = append(within, list[i].File)
	}
	slices.Sort(within)
	within = slices.Compact(within)
	a, err := s.e.names.Uses(softdeadline.Context(ctx), resolve.Question{
		Targets: []resolve.Position{placeOf(o)}, Name: o.Name,
		FilesContaining: func(string) ([]string, error) { return within, nil },
	})
	if err != nil {
		return nil, false, res.Cut(err, gaps.Meanings, o.File)
	}
	if !a.Found {
		return nil, false, nil
	}
	var found *index.Symbol
	for _, u := range a.Uses {
		if u.Relation != resolve.Same || !u.Declares {
			continue
		}
		for i := range list {
			if named(&list[i]) == u.Position && found == nil {
				found = &list[i]
			}
		}
	}
	return found, found != nil, nil
}
