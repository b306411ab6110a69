package php

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// find lists what has a full name.
func (c *context) find(k kind, full string) []*def {
	at := keyOf(k, full)
	if all, ok := c.m.found[at]; ok {
		return all
	}
	name := lastOf(full)
	var all []*def
	for _, path := range c.Defining(name) {
		if u := c.Unit(path); u != nil && u.Language == (Language{}) {
			all = append(all, c.m.files[u].tops[at]...)
		}
	}
	if c.Steps <= resolve.MostSteps {
		c.m.found[at] = all
	}
	return all
}

// fullName is the full name of a class that is written at a node.
func (c *context) fullName(n int32, written string) string {
	if rest, ok := strings.CutPrefix(written, `\`); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(written, `namespace\`); ok {
		return joined(c.f.spaceAt(n), rest)
	}
	first, rest, more := strings.Cut(written, `\`)
	if path, ok := c.f.imports[keyOf(aClass, first)]; ok {
		if more {
			return path + `\` + rest
		}
		return path
	}
	return joined(c.f.spaceAt(n), written)
}

// classesNamed lists the classes that a written name stands for. Self is none here.
func (c *context) classesNamed(n int32, written string) []*def {
	return c.find(aClass, c.fullName(n, written))
}

// freeNamed lists the functions or constants that a written name stands for: without
// a namespace before it also those outside of all namespaces.
func (c *context) freeNamed(k kind, n int32, written string) []*def {
	if strings.Contains(written, `\`) {
		return c.find(k, c.fullName(n, written))
	}
	if path, ok := c.f.imports[keyOf(k, written)]; ok {
		return c.find(k, path)
	}
	if space := c.f.spaceAt(n); space != "" {
		if all := c.find(k, joined(space, written)); len(all) > 0 {
			return all
		}
	}
	return c.find(k, written)
}

// classAt is the class around a node, nil for none.
func (c *context) classAt(n int32) *def {
	arguments := false // those that an anonymous class is made with lie around it
	for ; n >= 0; n = c.u.Parent(n) {
		if d := c.f.classes[n]; d != nil && !arguments {
			return d
		}
		arguments = c.u.Kind(n) == "arguments" || c.u.Kind(n) == "argument"
	}
	return nil
}

// parents are what a class is directly derived from. whole is false if some of that
// is not of the project.
type parents struct {
	list  []*def
	whole bool
}

func (c *context) parentsOf(class *def) parents {
	if p, ok := c.m.parents[class]; ok {
		return p
	}
	o := in(c.Resolver, class.Unit)
	p := parents{whole: true}
	add := func(found []*def) {
		p.list = append(p.list, found...)
		p.whole = p.whole && len(found) > 0
	}
	for _, n := range slices.Concat(class.traits, class.supers) {
		add(o.classesNamed(n, o.u.Text(n)))
	}
	if class.doc != nil {
		for _, text := range class.doc.mixins {
			for _, v := range o.docType(text, class.node, nil) {
				if v.class != nil {
					p.list = append(p.list, v.class)
				}
			}
		}
	}
	if c.Steps <= resolve.MostSteps {
		c.m.parents[class] = p
	}
	return p
}

// visitAncestors goes over a class and what it is derived from, nearest first.
func (c *context) visitAncestors(class *def, visit func(*def) (more bool)) (whole bool) {
	whole = true
	seen := map[*def]bool{}
	todo := []*def{class}
	for len(todo) > 0 && c.Step() {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[d] {
			continue
		}
		seen[d] = true
		if !visit(d) {
			return whole
		}
		p := c.parentsOf(d)
		whole = whole && p.whole
		for _, o := range slices.Backward(p.list) {
			todo = append(todo, o)
		}
	}
	return whole
}

// memberOf finds a member of a class by name. whole is false if one may also come
// from outside of the project.
func (c *context) memberOf(class *def, k kind, name string) (found *def, whole bool) {
	at := keyOf(k, name)
	whole = c.visitAncestors(class, func(o *def) bool {
		d := o.members[at]
		if d != nil && (!d.private || o == class || o.word == "trait") {
			found = d
		}
		return found == nil
	})
	return found, whole
}

func (c *context) rootsOf(d *def) []*resolve.Symbol {
	if all, ok := c.m.roots[d]; ok {
		return all
	}
	all := []*resolve.Symbol{d.Symbol}
	if !d.private && keyOf(d.kind, d.Name).name != "__construct" {
		at := keyOf(d.kind, d.Name)
		c.visitAncestors(d.owner, func(o *def) bool {
			if m := o.members[at]; m != nil && m != d && !m.private {
				all = append(all, m.Symbol)
			}
			return true
		})
	}
	if c.Steps <= resolve.MostSteps {
		c.m.roots[d] = all
	}
	return all
}

// Inherited finds what a class has of a name from those it is derived from, and from
// traits.
func (Language) Inherited(r *resolve.Resolver, y *resolve.Symbol, name string) []resolve.Spot {
	c := in(r, y.Unit)
	class := c.m.defs[y]
	if class == nil || class.members == nil {
		return nil
	}
	for _, k := range []kind{aMethod, aProperty, aConstant} {
		if d, _ := c.memberOf(class, k, name); d != nil {
			return resolve.Spots(d.Symbol)
		}
	}
	return nil
}
