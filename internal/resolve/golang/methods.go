package golang

import (
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A method is a method of a type, its own or a promoted one.
type method struct {
	signature string
	place     Position // zero outside of the project
	outside   string   // its full name there
}

// A namedType is a named type with its methods, by name.
type namedType struct {
	iface   bool
	methods map[string]method
}

// implementedBy reports whether other has all methods of t.
func (t *namedType) implementedBy(other *namedType) bool {
	for name, m := range t.methods {
		if o, ok := other.methods[name]; !ok || o.signature != m.signature {
			return false
		}
	}
	return true
}

// A Target is a method together with those through which, or instead of
// which, it may be called: of interfaces that its type implements, or of types
// that implement its interface.
type Target struct {
	Interface bool // it is a method of an interface
	Places    map[Position]bool
	Dirs      map[string]bool // where they are: users depend on one of them

	name    string
	owners  []*namedType
	outside map[string]bool // by full name
	loaded  int             // packages of the standard library that outside is about
}

// Target finds the methods that correspond to the one at a place. dirs are the
// folders that have a method of the name. The error is that ctx is over.
func (c *Checker) Target(ctx context.Context, name string, at Position, dir string, dirs []string) (*Target, error) {
	if err := c.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.turn.Release(1)
	c.ctx = ctx
	t := &Target{name: name, Places: map[Position]bool{at: true}, Dirs: map[string]bool{dir: true}}
	if _, err := c.usesOf(dir, name); err != nil {
		return nil, err
	}
	if d := c.dirs[dir]; d != nil {
		for _, o := range d.types {
			if o.methods[name].place == at {
				t.owners = append(t.owners, o)
				t.Interface = t.Interface || o.iface
			}
		}
	}
	for _, d := range dirs {
		if _, err := c.usesOf(d, name); err != nil {
			return nil, err
		}
		if c.dirs[d] == nil {
			continue
		}
		for _, other := range c.dirs[d].types {
			if m, ok := other.methods[name]; ok && correspond(t.owners, other) {
				t.Places[m.place] = true
				t.Dirs[d] = true
			}
		}
	}
	return t, nil
}

// Outside reports whether a method of another module, by the number of its full name, is one
// of those that correspond to a method of the project.
func (c *Checker) Outside(ctx context.Context, t *Target, n int32) (bool, error) {
	if err := c.turn.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer c.turn.Release(1)
	if t.outside == nil || t.loaded != len(c.std) {
		t.outside, t.loaded = map[string]bool{}, len(c.std)
		for _, other := range c.stdTypes(t.name) {
			if correspond(t.owners, other) {
				t.outside[other.methods[t.name].outside] = true
			}
		}
	}
	return t.outside[c.named[n]], nil
}

// correspond reports whether one of the owners implements the other type, or
// the other one of the owners.
func correspond(owners []*namedType, other *namedType) bool {
	return slices.ContainsFunc(owners, func(o *namedType) bool {
		switch {
		case o.iface == other.iface || len(o.methods) == 0 || len(other.methods) == 0:
			return false
		case o.iface:
			return o.implementedBy(other)
		}
		return other.implementedBy(o)
	})
}

// typesOf lists the types that a package declares, with their methods.
func (c *Checker) typesOf(pkg *types.Package) []*namedType {
	var list []*namedType
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		if t := c.typeOf(tn); len(t.methods) > 0 {
			list = append(list, t)
		}
	}
	return list
}

func (c *Checker) typeOf(tn *types.TypeName) *namedType {
	t := &namedType{iface: types.IsInterface(tn.Type()), methods: map[string]method{}}
	typ := tn.Type()
	if !t.iface {
		typ = types.NewPointer(typ)
	}
	set := types.NewMethodSet(typ)
	for i := range set.Len() {
		f, ok := set.At(i).Obj().(*types.Func)
		if !ok {
			continue
		}
		f = f.Origin()
		m := method{signature: spellSignature(f.Signature())}
		if c.foreign(f) {
			m.outside = f.FullName()
		} else {
			p := c.fset.Position(f.Pos())
			m.place = Position{p.Filename, p.Line, p.Column}
		}
		t.methods[f.Name()] = m
	}
	return t
}

// stdTypes lists the types of the standard library, as far as it was loaded,
// that have a method of a name, and error.
func (c *Checker) stdTypes(name string) []*namedType {
	var list []*namedType
	if e, ok := types.Universe.Lookup("error").(*types.TypeName); ok {
		if t := c.typeOf(e); t.methods[name].signature != "" {
			list = append(list, t)
		}
	}
	for path, pkg := range c.std {
		if _, ok := c.stdMethods[path]; !ok {
			c.stdMethods[path] = c.typesOf(pkg)
		}
		for _, t := range c.stdMethods[path] {
			if _, ok := t.methods[name]; ok {
				list = append(list, t)
			}
		}
	}
	return list
}

// Depends reports whether a folder's packages import one of some others,
// directly or not, or are among them. What the tests of imported packages import does not count.
func (c *Checker) Depends(ctx context.Context, dir string, on map[string]bool) (bool, error) {
	if err := c.turn.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer c.turn.Release(1)
	seen := map[string]bool{}
	var walk func(string) bool
	walk = func(d string) bool {
		if on[d] {
			return true
		}
		if seen[d] || c.dirs[d] == nil {
			return false
		}
		seen[d] = true
		imports := c.dirs[d].plain
		if d == dir {
			imports = c.dirs[d].imports
		}
		for i := range imports {
			if walk(i) {
				return true
			}
		}
		return false
	}
	return walk(dir), nil
}

// spellSignature writes parameters and results so that equal ones are written
// alike in whatever package they were checked: without names of parameters,
// with aliases resolved.
func spellSignature(s *types.Signature) string {
	var b strings.Builder
	writeType(&b, s, 0)
	return b.String()
}

// writeType writes a type. What is nested very deep is written by its kind alone.
func writeType(b *strings.Builder, t types.Type, depth int) {
	t = types.Unalias(t)
	if depth > 8 {
		fmt.Fprintf(b, "%T", t)
		return
	}
	list := func(open string, n int, at func(int) types.Type, end string) {
		b.WriteString(open)
		for i := range n {
			writeType(b, at(i), depth+1)
			b.WriteByte(',')
		}
		b.WriteString(end)
	}
	switch t := t.(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil {
			b.WriteString(p.Path() + ".")
		}
		b.WriteString(t.Obj().Name())
		if n := t.TypeArgs().Len(); n > 0 {
			list("[", n, t.TypeArgs().At, "]")
		}
	case *types.Pointer:
		b.WriteByte('*')
		writeType(b, t.Elem(), depth+1)
	case *types.Slice:
		b.WriteString("[]")
		writeType(b, t.Elem(), depth+1)
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		writeType(b, t.Elem(), depth+1)
	case *types.Map:
		b.WriteString("map")
		list("[", 1, func(int) types.Type { return t.Key() }, "]")
		writeType(b, t.Elem(), depth+1)
	case *types.Chan:
		fmt.Fprintf(b, "chan%d ", t.Dir())
		writeType(b, t.Elem(), depth+1)
	case *types.Signature:
		list("func(", t.Params().Len(), func(i int) types.Type { return t.Params().At(i).Type() }, ")")
		if t.Variadic() {
			b.WriteString("...")
		}
		list("(", t.Results().Len(), func(i int) types.Type { return t.Results().At(i).Type() }, ")")
	case *types.Interface:
		b.WriteString("interface{")
		for i := range t.NumMethods() {
			b.WriteString(t.Method(i).Name())
			writeType(b, t.Method(i).Signature(), depth+1)
			b.WriteByte(';')
		}
		b.WriteByte('}')
	default:
		b.WriteString(types.TypeString(t, func(p *types.Package) string { return p.Path() }))
	}
}

// Member finds where a field or a method is declared that a type of a folder has,
// promoted ones among them. ok is false if it has none, or one of another module.
func (c *Checker) Member(ctx context.Context, dir, typeName, name string) (at Position, ok bool, err error) {
	if err := c.turn.Acquire(ctx, 1); err != nil {
		return at, false, err
	}
	defer c.turn.Release(1)
	c.ctx = ctx
	if c.dirs[dir] == nil {
		return at, false, nil
	}
	pkg := c.headOf(dir, c.pathOf(dir))
	if pkg == nil {
		return at, false, ctx.Err()
	}
	tn, isType := pkg.Scope().Lookup(typeName).(*types.TypeName)
	if !isType {
		return at, false, nil
	}
	obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, name)
	if obj == nil || c.foreign(obj) {
		return at, false, ctx.Err()
	}
	p := c.fset.Position(obj.Pos())
	return Position{p.Filename, p.Line, p.Column}, true, nil
}
