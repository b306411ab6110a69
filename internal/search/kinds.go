package search

import (
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// kinds is every kind a filter may name.
var kinds = []syntax.Kind{
	syntax.Function, syntax.Method, syntax.Constructor, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum,
	syntax.EnumMember, syntax.Type, syntax.Field, syntax.Property, syntax.Constant, syntax.Variable, syntax.Module,
	syntax.Namespace,
	syntax.Macro, syntax.Impl, syntax.Selector, syntax.Rule, syntax.Element, syntax.Component, syntax.Section,
	syntax.Slot, syntax.Heading, syntax.Target, syntax.Key,
}

// Kinds returns every kind a filter may name.
func Kinds() []syntax.Kind { return slices.Clone(kinds) }

// knownKind checks a kind argument; empty means every kind.
func knownKind(kind string) error {
	if kind == "" || slices.Contains(kinds, syntax.Kind(strings.ToLower(kind))) {
		return nil
	}
	known := make([]string, len(kinds))
	for i, k := range kinds {
		known[i] = string(k)
	}
	p := problem.New(problem.InvalidArgument, "search.is_not_one_of", msg.Param("kind"), text.Clip(kind, 40), known)
	if n := symbolname.Near(strings.ToLower(kind), known, 1); len(n) > 0 {
		p.Or("search.use_argument", msg.ArgsOf("kind", n[0]))
	}
	return p.Or("search.leave_kind_out_see_all", msg.Param("kind"))
}

// callable reports whether a kind is what callers are: a body of statements.
func callable(k syntax.Kind) bool {
	return k == syntax.Function || k == syntax.Method || k == syntax.Constructor || k == syntax.Macro
}
