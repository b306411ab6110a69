package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// annotated returns the path in quotes that is at a node of an annotation: what it is for may read the names as
// those of code, as in @MethodSource("cases").
func annotated(u *resolve.Unit, n int32) (p resolve.QuotedPath, ok bool) {
	if u.Kind(n) != "string_literal" || u.Around(n, "annotation", "attribute") < 0 || u.IsLabel(n) {
		return p, false
	}
	return resolve.ParseQuotedPath(u.Text(n))
}

// annotatedMeaning is what a name of such a path means: a member of a class that the path or the annotation names, or
// of one around, which is likely. Others are unknown: a container or a test may find them by their name.
func (c *context) annotatedMeaning(s resolve.Spot) resolve.Meaning {
	p, _ := annotated(c.u, s.Node)
	names := p.NamesUpTo(s.Word)
	if len(names) == 0 || c.u.IsAdvice(s.Node) {
		return resolve.Meaning{}
	}
	last, before := names[len(names)-1], names[:len(names)-1]
	classes := c.classesIn(s.Node)
	if len(before) > 0 {
		if classes = matchingSymbols(c.qualified(strings.Join(before, ".")), wantType); len(classes) == 0 {
			classes = c.typesNamed(s.Node, before[len(before)-1])
		}
	}
	found := matchingSymbols(c.qualified(strings.Join(names, ".")), wantType)
	for _, y := range classes {
		if len(found) > 0 {
			break
		}
		own := false
		if found, own = c.namedBy(s.Node, y, last); own {
			return resolve.Meaning{Known: true}
		}
	}
	if len(found) == 0 {
		return resolve.Meaning{}
	}
	return resolve.Meaning{Symbols: found, Known: true, Guess: true}
}

// classesIn lists the classes that an annotation names besides, as in [MemberData("Cases", MemberType = typeof(A))],
// else those around it, inner ones first.
func (c *context) classesIn(n int32) (all []*resolve.Symbol) {
	a := c.u.Around(n, "annotation", "attribute")
	for i := a; i < c.u.Nodes[a].Next; i++ {
		if c.u.Kind(i) == "typeof_expression" {
			for _, v := range c.typeAt(c.u.Child(i, "type")) {
				if v.kind == instance {
					all = append(all, v.class)
				}
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	for s := c.f.scopeAt(n); s != nil; s = s.outer {
		if s.class != nil {
			all = append(all, s.class)
		}
	}
	return all
}

// namedBy lists the members of a class that an annotation may name: methods that take nothing, or else variables. own
// is true where the annotation is at one of the name: it tells its own name to others.
func (c *context) namedBy(n int32, class *resolve.Symbol, name string) (all []*resolve.Symbol, own bool) {
	for _, w := range []want{wantCall, wantValue} {
		found, _ := c.membersOf(selfOf(class), name, w)
		for _, m := range found {
			if m.symbol.Unit == c.u && slices.ContainsFunc(m.symbol.Decls, func(d resolve.Decl) bool { return c.u.Within(n, d.Node) }) {
				return nil, true
			}
			if (w == wantValue || len(declOf(m.symbol).params) == 0) && !fileOf(m.symbol.Unit).library {
				all = append(all, m.symbol)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all, false
}
