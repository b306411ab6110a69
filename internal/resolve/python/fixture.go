package python

import (
	"path"
	"strings"

	"codeintel/internal/resolve"
)

// pytest calls tests and fixtures with the fixtures that their parameters name, see
// https://docs.pytest.org/en/stable/reference/fixtures.html#fixture-availability: those of
// the class, of the module, and of the conftest.py of each folder above.

// finalSymbols returns what a symbol stands for in the end: what an import leads to, the fixture
// that a parameter receives, or itself.
func finalSymbols(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	if f := received(r, y); f != nil {
		return []*resolve.Symbol{f}
	}
	return finals(r, y)
}

// received returns the fixture that a parameter receives, or nil.
func received(r *resolve.Resolver, y *resolve.Symbol) *resolve.Symbol {
	s := y.Scope
	if s == nil || s.Kind != resolve.FunctionScope || len(y.Decls) == 0 || !isCalledByPytest(y.Unit, s.Node) {
		return nil
	}
	u := y.Unit
	switch u.Kind(y.Decls[0].Node) {
	case "identifier", "typed_parameter":
	default:
		return nil // not a parameter, or one with a default
	}
	for at := s.Outer; at != nil; at = at.Outer {
		if f := fixtureIn(r, at, y.Name, s.Node); f != nil {
			return f
		}
	}
	for dir := path.Dir(u.Path); ; dir = path.Dir(dir) {
		file := path.Join(dir, "conftest.py")
		if _, ok := r.Files[file]; ok && file != u.Path {
			if c := r.Unit(file); c != nil {
				if f := fixtureIn(r, c.Top, y.Name, -1); f != nil {
					return f
				}
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

// isCalledByPytest reports whether pytest calls a function.
func isCalledByPytest(u *resolve.Unit, n int32) bool {
	if u.Kind(n) != "function_definition" {
		return false
	}
	return strings.HasPrefix(u.Text(u.Child(n, "name")), "test") || decorated(u, n, "fixture")
}

// fixtureIn returns the fixture that a scope has under a name. A fixture that takes one of
// its own name (the function but) extends one of an outer scope.
func fixtureIn(r *resolve.Resolver, s *resolve.Scope, name string, but int32) *resolve.Symbol {
	y := s.Names[name]
	if y == nil {
		return nil
	}
	for _, f := range finals(r, y) {
		for _, d := range f.Decls {
			if f.Unit.Kind(d.Node) == "function_definition" && (f.Unit != s.Unit || d.Node != but) &&
				decorated(f.Unit, d.Node, "fixture") {
				return f
			}
		}
	}
	return nil
}

// fixtureType is what a fixture makes: what it returns, or yields. f may be nil.
func fixtureType(r *resolve.Resolver, f *resolve.Symbol) union {
	if f == nil {
		return nil
	}
	u := f.Unit
	for _, d := range f.Decls {
		if u.Kind(d.Node) != "function_definition" {
			continue
		}
		t := resultOf(r, value{kind: kindFunction, unit: u, node: d.Node})
		if yields(u, u.Child(d.Node, "body")) {
			return elementOf(r, t)
		}
		return t
	}
	return nil
}

// yields reports whether the body of a function yields, functions within left out.
func yields(u *resolve.Unit, body int32) bool {
	if body < 0 {
		return false
	}
	for i := body + 1; i < u.Nodes[body].Next; i++ {
		switch u.Kind(i) {
		case "function_definition", "class_definition", "lambda":
			i = u.Nodes[i].Next - 1
		case "yield":
			return true
		}
	}
	return false
}
