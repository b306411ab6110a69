package typescript

import (
	"slices"

	"codeintel/internal/resolve"
)

// addWrapped adds the functions and classes that the symbols of a meaning were made of, where
// those have no name of their own: what is imported from a file with
//
//	export default traced({span: "move"})(move);
//
// is used as move was written to be. It is likely under the same name, else possible.
func addWrapped(r *resolve.Resolver, m *resolve.Meaning, name string) {
	for _, y := range m.Symbols {
		w := wrapped(r, y)
		switch {
		case w == nil || slices.Contains(m.Symbols, w):
		case w.Name == name:
			m.Likely = append(m.Likely, w)
		default:
			m.Others = append(m.Others, y, w)
		}
	}
}

// wrapped is the function or class that the default export of a file, or all that it exports,
// was made of by a call, or nil.
func wrapped(r *resolve.Resolver, y *resolve.Symbol) *resolve.Symbol {
	u := y.Unit
	if u.Exports == nil || y.Scope != u.Exports || len(y.Decls) != 1 {
		return nil
	}
	d := y.Decls[0].Node
	v := u.Child(d, "value")
	if u.Kind(d) == "assignment_expression" && isModuleExports(u, u.Child(d, "left")) {
		v = u.Child(d, "right")
	}
	return argument(r, u, v)
}

// argument is the only function or class of the file that a call gets, or a call within it.
func argument(r *resolve.Resolver, u *resolve.Unit, v int32) (found *resolve.Symbol) {
	switch u.Kind(v) {
	case "parenthesized_expression", "as_expression", "satisfies_expression", "await_expression":
		return argument(r, u, u.First(v))
	case "identifier":
		y := lookup(r, u, v, u.Text(v))
		if y != nil && y.Unit == u && y.Scope == u.Top && len(y.Decls) > 0 && isFunctionOrClass(u, y.Decls[0].Node) {
			return y
		}
	case "call_expression":
		for a := range u.Children(u.Child(v, "arguments")) {
			switch y := argument(r, u, a); {
			case y == nil || y == found:
			case found != nil:
				return nil
			default:
				found = y
			}
		}
	}
	return found
}

// isFunctionOrClass reports whether a declaration declares a function or a class, or a
// variable that is one.
func isFunctionOrClass(u *resolve.Unit, d int32) bool {
	if u.Kind(d) == "variable_declarator" {
		d = u.Child(d, "value")
	}
	switch u.Kind(d) {
	case "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
		"arrow_function", "function_expression", "generator_function", "class":
		return true
	}
	return false
}
