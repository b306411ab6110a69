// Package php resolves names in PHP, by scopes and inferred types.
//
// Classes, interfaces, traits and enumerations are found by their full names.
// Members are looked up in the class of what comes before them: its own, those of
// its traits, of what it extends and implements. The class follows from written
// types, from those in comments (@var, @param, @return, @property, @method), from
// assignments, from instanceof and from what functions return. A variable belongs
// to the function around it, and its type is that of the assignments which may
// reach the place where it is. Names that are put together when the program
// runs stay unknown, as does everything that comes from outside of the project.
package php

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// Language is PHP.
type Language struct{ resolve.Plain }

// Languages returns PHP alone.
func (Language) Languages() []syntax.Language { return []syntax.Language{syntax.PHP} }

// A kind says what a definition is.
type kind int

const (
	aClass kind = iota
	aMethod
	aProperty
	aConstant // of a class, or a case of an enumeration
	aFunction
	aGlobal // constant
	aVariable
)

// A def is what is known of a symbol.
type def struct {
	*resolve.Symbol
	kind  kind
	node  int32 // what declares it
	doc   *doc  // the comment before it, nil for none
	owner *def  // the class of a member

	full    string  // of a class, a function or a global constant: its full name
	word    string  // of a class: class, interface, trait, enum
	supers  []int32 // of a class: the names of what it extends and implements
	traits  []int32 // of a class: the names of those it uses
	members map[key]*def
	params  []*def
	written int32 // the type that it is given, or that it returns; -1
	value   int32 // what it is made from; -1
	private bool
	typeIn  string // of a member that only a comment declares: its type

	assigned []assignment // of a variable
	typ      union
	done     bool
	busy     bool
}

// A key finds a member in its class, or anything else by its full name.
type key struct {
	kind kind
	name string
}

// keyOf takes the names of classes, functions and methods whatever the case of their letters.
func keyOf(k kind, name string) key {
	if k == aClass || k == aFunction || k == aMethod {
		name = strings.ToLower(name)
	}
	return key{k, name}
}

// memory holds what was inferred from the files as they are.
type memory struct {
	files   map[*resolve.Unit]*file
	defs    map[*resolve.Symbol]*def
	found   map[key][]*def // by full name, in lower case for classes and functions
	types   resolve.Inferred[union]
	fields  map[*def]map[string][]assignment // what is put into members of $this, by class
	roots   map[*def][]*resolve.Symbol
	parents map[*def]parents
}

// NewMemory returns an empty memory.
func (Language) NewMemory() any {
	return &memory{
		files: map[*resolve.Unit]*file{}, defs: map[*resolve.Symbol]*def{}, found: map[key][]*def{},
		types: resolve.Inferred[union]{}, fields: map[*def]map[string][]assignment{},
		roots: map[*def][]*resolve.Symbol{}, parents: map[*def]parents{},
	}
}

func memoryOf(u *resolve.Unit) *memory { return u.Memory.(*memory) }

// A context is a resolver at work on one file.
type context struct {
	*resolve.Resolver
	u *resolve.Unit
	f *file
	m *memory
}

func in(r *resolve.Resolver, u *resolve.Unit) *context {
	m := memoryOf(u)
	return &context{r, u, m.files[u], m}
}

// Meaning says what is at a name.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	c := in(r, s.Unit)
	if s.Unit.Kind(s.Node) == "comment" {
		return c.commentMeaning(s)
	}
	return c.meaningAt(s.Node)
}

// Roots returns a member together with those that it overrides.
func (Language) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	d := memoryOf(y.Unit).defs[y]
	if d == nil || d.owner == nil {
		return []*resolve.Symbol{y}
	}
	return in(r, y.Unit).rootsOf(d)
}

// calling are functions that take the name of a function first.
var calling = strings.Fields("function_exists is_callable call_user_func call_user_func_array array_map register_shutdown_function " +
	"set_error_handler set_exception_handler spl_autoload_register ob_start forward_static_call")

// isFunctionName reports whether a string is the name of a function, as calling takes it.
func isFunctionName(u *resolve.Unit, n int32) bool {
	argument := u.Parent(n)
	list := u.Parent(argument)
	return u.Kind(argument) == "argument" && u.First(list) == argument &&
		slices.Contains(calling, strings.TrimPrefix(u.Text(u.Child(u.Parent(list), "function")), `\`))
}

// Mentions reports whether a name is in quotes, or in documentation.
func (Language) Mentions(text, name string) bool {
	return resolve.ContainsName(text, name, resolve.Quotes, resolve.Quotes) || resolve.InDocumentation(text, name)
}

// QuotedName reports whether a node is a name: also a string, if it names a method as in
// [$object, 'method'] or a function as in function_exists('name'), or is in an attribute. The name of a variable
// may be asked about with its $ or without it.
func (Language) QuotedName(u *resolve.Unit, n int32) bool {
	switch u.Kind(n) {
	case "name", "variable_name":
		return true
	case "string":
		element := u.Parent(n)
		array := u.Parent(element)
		if isFunctionName(u, n) || u.Around(n, "attribute") >= 0 {
			return true
		}
		if u.Kind(element) != "array_element_initializer" || u.Kind(array) != "array_creation_expression" {
			return false
		}
		parts := u.List(array)
		return len(parts) == 2 && parts[1] == element && len(u.List(element)) == 1 &&
			u.Kind(u.First(parts[0])) != "string"
	}
	return false
}

// Quoted returns the names of types in comments.
func (Language) Quoted(_ *resolve.Resolver, u *resolve.Unit, n int32) (*resolve.Unit,
	func(yield func(string, uint32) bool)) {
	if u.Kind(n) != "comment" || !strings.HasPrefix(u.Text(n), "/**") {
		return nil, nil
	}
	return nil, docNames(u.Text(n))
}
