package nominal

import (
	"slices"

	"codeintel/internal/resolve"
)

// withPlatforms adds to the target its declarations for other platforms: what Kotlin expects
// of all of them and what each has are one thing.
func (c *context) withPlatforms(m resolve.Meaning) resolve.Meaning {
	if !c.f.row.members.receivers {
		return m
	}
	with := func(list []*resolve.Symbol) []*resolve.Symbol {
		all := list
		for _, y := range list {
			for _, o := range c.counterparts(y) {
				if !slices.Contains(all, o) {
					all = append(slices.Clip(all), o)
				}
			}
		}
		return all
	}
	if len(m.Symbols) > 0 {
		first := c.counterparts(m.Symbols[0])
		m.OneOf = m.OneOf && slices.ContainsFunc(m.Symbols, func(y *resolve.Symbol) bool { return !slices.Contains(first, y) })
	}
	m.Symbols, m.Also = with(m.Symbols), with(m.Also)
	return m
}

// counterparts lists the declarations of one thing for all platforms: those of its full
// name, its kind and its parameters. Nothing else has any.
func (c *context) counterparts(y *resolve.Symbol) []*resolve.Symbol {
	d := declOf(y)
	if d == nil || d.kind == aVariable || d.kind == aTypeParameter || !c.Enter() {
		return nil
	}
	defer c.Leave()
	var candidates []*resolve.Symbol
	switch {
	case d.owner != nil:
		for _, o := range c.counterparts(d.owner) {
			if d.kind == aConstructor {
				candidates = append(candidates, declOf(o).constructors...)
				if k := declOf(o).canonical; k != nil {
					candidates = append(candidates, k)
				}
			} else {
				candidates = append(candidates, declOf(o).members[y.Name]...)
			}
		}
	case d.many:
		for _, o := range contextOf(c.Resolver, y.Unit).topNamed(y.Name) {
			if e := declOf(o); e.many && e.pack == d.pack && o.Unit.Lang == y.Unit.Lang {
				candidates = append(candidates, o)
			}
		}
	}
	return slices.DeleteFunc(candidates, func(o *resolve.Symbol) bool {
		e := declOf(o)
		return e.kind != d.kind || e.extension != d.extension || e.extension && plainReceiver(o) != plainReceiver(y) ||
			d.kind == aMethod && !sameParameters(c.Resolver, y, o, value{})
	})
}

// plainReceiver is the type that an extension is called on, as it is written.
func plainReceiver(y *resolve.Symbol) string { return y.Unit.Text(declOf(y).receiver) }
