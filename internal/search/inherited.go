package search

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/resolve"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/overrides"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// inherited finds what the types that a qualified name begins with have of its last
// part from others: from bases, traits, what they embed. It is declared there, so that
// its scope is another than the one that was asked for.
func (e *Engine) inherited(ctx context.Context, n symbolname.Name, src *sources) (found []index.Symbol, err error) {
	if len(n.Scope) == 0 {
		return nil, nil
	}
	owner := symbolname.Name{Base: n.Scope[len(n.Scope)-1], Scope: n.Scope[:len(n.Scope)-1]}
	owners, err := e.x.Symbols(ctx, index.SymbolQuery{Name: owner.Base, Match: index.Exact})
	if err != nil {
		return nil, fmt.Errorf("search: symbols of %q: %w", owner.Base, err)
	}
	owners = slices.DeleteFunc(owners, func(s index.Symbol) bool { return !s.Kind.HasMembers() || !owner.Fits(&s) })
	if len(owners) == 0 || len(owners) > binding.ManyDefinitions {
		return nil, nil
	}
	r := e.resolver(ctx, &subject{Target: binding.Target{Name: n}}, src)
	list, err := r.Files()
	if err != nil {
		return nil, err
	}
	if err := e.names.Update(ctx, versions(list)); err != nil {
		return nil, err
	}
	for i := range owners {
		places, err := r.memberPlaces(&owners[i], n.Base)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			symbols, err := e.x.FileSymbols(ctx, p.File)
			if err != nil {
				return nil, fmt.Errorf("search: symbols of %s: %w", p.File, err)
			}
			for _, s := range symbols {
				if named(&s) == p && !slices.ContainsFunc(found, func(o index.Symbol) bool { return named(&o) == p }) {
					found = append(found, s)
				}
			}
		}
	}
	return found, nil
}

// memberPlaces returns where the members of a name are declared that a type has.
func (r *resolver) memberPlaces(owner *index.Symbol, name string) ([]resolve.Position, error) {
	switch {
	case registry.Inferred(owner.Language):
		places, err := r.e.names.Inherited(softdeadline.Context(r.ctx), named(owner), name)
		return places, r.Cut(err, gaps.Meanings, owner.File)
	case owner.Language == syntax.Go:
		if err := r.ReadTypes(); err != nil {
			return nil, err
		}
		at, ok, err := r.e.types.Member(softdeadline.Context(r.ctx), path.Dir(owner.File), owner.Name, name)
		if !ok {
			return nil, r.Cut(err, gaps.Types, owner.File)
		}
		return []resolve.Position{resolve.Position(golang.Position(at))}, nil
	}
	return nil, nil
}

// declaredElsewhere says where a member is declared that was asked for as that of a
// type which has it from others.
func declaredElsewhere(n symbolname.Name, s *index.Symbol) []msg.Message {
	if n.Fits(s) || s.Name == n.Whole || n.IsInFile(s) {
		return nil
	}
	return []msg.Message{msg.New("search.declared_in", n.Scope[len(n.Scope)-1], n.Base,
		text.Dotted(s.Scope, s.Name), span(s.File, s.NameLine, 0))}
}

// overriding names the methods that implement or override the target, where they are no
// references to it: in Go, and where the heads of types alone say who is derived from whom.
func (r *resolver) overriding(found []mention) ([]msg.Message, error) {
	same, err := r.SameName()
	if err != nil {
		return nil, err
	}
	listed := r.m.declared()
	for i := range found {
		listed[placeOf(&found[i].Occurrence)] = true
	}
	rivals := slices.DeleteFunc(slices.Clone(same), func(o index.Symbol) bool { return listed[named(&o)] })
	names, err := overrides.Among(rivals, r.m.Definitions, func(o, d *index.Symbol) (bool, error) {
		if d.Language != syntax.Go {
			way, err := overrides.Between(r.ctx, r.e.x, d, o)
			return way == overrides.Overrides, err
		}
		if err := r.ReadTypes(); err != nil {
			return false, err
		}
		t, err := r.GoTarget(golang.Position{File: d.File, Line: d.NameLine, Column: d.NameColumn}, d)
		return err == nil && t.Interface && t.Places[golang.Position(named(o))], err
	})
	if err != nil || len(names) == 0 {
		return nil, err
	}
	list := strings.Join(names[:min(len(names), overrides.Shown)], ", ")
	if len(names) > overrides.Shown {
		list += ", …"
	}
	return []msg.Message{msg.New("search.overridden_by", len(names), list)}, nil
}
