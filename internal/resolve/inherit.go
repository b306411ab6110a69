package resolve

import "context"

// Inheriting is a Language in which types have members that others declare.
type Inheriting interface {
	// Inherited returns where the members of a name are declared that a type has from
	// those that it is derived from: of the nearest that has any.
	Inherited(r *Resolver, y *Symbol, name string) []Spot
}

// Inherited returns where the members of a name are declared that the type named at a
// place has from others. It is empty where that is not known.
func (r *Resolver) Inherited(ctx context.Context, of Position, name string) ([]Position, error) {
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.turn.Release(1)
	r.ctx, r.Steps, r.Depth, r.ask = ctx, 0, 0, nil
	u := r.Unit(of.File)
	if u == nil {
		return nil, nil
	}
	l, ok := u.Language.(Inheriting)
	n := u.nodeAt(of.Line, of.Column)
	if !ok || n < 0 {
		return nil, nil
	}
	var all []Position
	for _, y := range u.Language.Meaning(r, Spot{Unit: u, Node: n}).Symbols {
		for _, s := range l.Inherited(r, y, name) {
			all = append(all, s.Position())
		}
	}
	return all, ctx.Err()
}

// Spots returns where symbols are declared.
func Spots(list ...*Symbol) []Spot {
	var all []Spot
	for _, y := range list {
		for _, d := range y.Decls {
			if d.Name >= 0 {
				all = append(all, Spot{Unit: y.Unit, Node: d.Name})
			}
		}
	}
	return all
}
