package typescript

import "codeintel/internal/resolve"

// maxWrapping bounds how large a function may be that only wraps the code that it is given.
const maxWrapping = 300

// A passing is a call of a function expression: its node, and how many arguments come before
// the first parameter.
type passing struct {
	call  int32
	shift int
}

// immediateCalls lists the calls of a function expression that its own statement shows: it is
// called where it is written, or is given to a function that is, as what wraps a module for
// several loaders does, and is called there.
func immediateCalls(u *resolve.Unit, function int32) (all []passing) {
	at := unwrapped(u, function)
	switch p := u.Parent(at); {
	case u.Kind(p) == "call_expression" && u.Field(at) == "function":
		return []passing{{call: p}}
	case u.Kind(p) == "member_expression" && u.Field(at) == "object" && u.Text(u.Child(p, "property")) == "call" &&
		u.Kind(u.Parent(p)) == "call_expression" && u.Field(p) == "function":
		return []passing{{call: u.Parent(p), shift: 1}}
	case u.Kind(p) == "arguments" && u.Kind(u.Parent(p)) == "call_expression":
		return wrappedCalls(u, u.Parent(p), at)
	}
	return nil
}

// unwrapped returns the outermost parentheses around an expression, or itself.
func unwrapped(u *resolve.Unit, n int32) int32 {
	for u.Kind(u.Parent(n)) == "parenthesized_expression" {
		n = u.Parent(n)
	}
	return n
}

// wrappedCalls lists the calls of an argument by the function expression that gets it.
func wrappedCalls(u *resolve.Unit, call, argument int32) (all []passing) {
	wrapper := u.Child(call, "function")
	for u.Kind(wrapper) == "parenthesized_expression" {
		wrapper = u.First(wrapper)
	}
	if !isFunctionNode(u.Kind(wrapper)) || u.Nodes[wrapper].Next-wrapper > maxWrapping {
		return nil
	}
	params := parameters(u, wrapper)
	for i, a := range u.List(u.Child(call, "arguments")) {
		if a != argument || i >= len(params) || u.Owner[params[i]] == nil {
			continue
		}
		y := u.Owner[params[i]]
		for n := wrapper; n < u.Nodes[wrapper].Next; n++ {
			if u.Kind(n) != "call_expression" {
				continue
			}
			if f := u.Child(n, "function"); u.Kind(f) == "identifier" && u.Text(f) == y.Name && lookupBare(u, f, y.Name) == y {
				all = append(all, passing{call: n})
			}
		}
	}
	return all
}

// passedTo lists what a parameter of a function expression gets in the calls that its own
// statement shows.
func passedTo(u *resolve.Unit, parameter int32) (all []int32) {
	function := u.Parent(u.Parent(parameter))
	if u.Kind(u.Parent(parameter)) != "formal_parameters" || !isFunctionNode(u.Kind(function)) {
		return nil
	}
	for i, p := range parameters(u, function) {
		if p != parameter {
			continue
		}
		for _, c := range immediateCalls(u, function) {
			if a := resolve.At(u.List(u.Child(c.call, "arguments")), i+c.shift); a > 0 {
				all = append(all, a)
			}
		}
	}
	return all
}

// isPassedExports reports whether a symbol is a parameter that is given the exports of the module.
func isPassedExports(u *resolve.Unit, y *resolve.Symbol) bool {
	for _, a := range passedTo(u, y.Decls[0].Node) {
		if isExports(u, a) || isModuleExports(u, a) {
			return true
		}
	}
	return false
}

// becomesExports reports whether an object literal is what a function returns whose result the
// module exports.
func becomesExports(u *resolve.Unit, literal int32) bool {
	statement := u.Parent(unwrapped(u, literal))
	if u.Kind(statement) != "return_statement" {
		return false
	}
	function := u.Parent(u.Parent(statement))
	if !isFunctionNode(u.Kind(function)) {
		return false
	}
	for _, c := range immediateCalls(u, function) {
		at := u.Parent(unwrapped(u, c.call))
		for u.Kind(at) == "assignment_expression" {
			if isModuleExports(u, u.Child(at, "left")) {
				return true
			}
			at = u.Parent(at)
		}
	}
	return false
}
