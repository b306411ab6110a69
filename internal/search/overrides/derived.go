package overrides

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Satisfying returns the Go types that have every method an interface declares, by path and
// line. Methods of what types or the interface embed are not seen. An interface without
// methods of its own has none.
func Satisfying(ctx context.Context, x *index.Index, iface *index.Symbol) (types []index.Symbol, err error) {
	methods, err := declares(ctx, x, iface)
	if err != nil || len(methods) == 0 {
		return nil, err
	}
	var having []index.Symbol // of the rarest method, which types have it
	for i, name := range methods {
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Language: syntax.Go, Kind: syntax.Method})
		if err != nil {
			return nil, fmt.Errorf("types with %s: %w", name, err)
		}
		if i == 0 || len(list) < len(having) {
			having = list
		}
	}
	seen := make(map[string]bool)
	for i := range having {
		m := &having[i]
		key := path.Dir(m.File) + " " + m.Scope
		if seen[key] {
			continue
		}
		seen[key] = true
		t, err := Owner(ctx, x, m)
		if err != nil {
			return nil, err
		}
		if t == nil || t.Kind == syntax.Interface {
			continue
		}
		ok, err := has(ctx, x, t, methods)
		if err != nil {
			return nil, err
		}
		if ok {
			types = append(types, *t)
		}
	}
	slices.SortFunc(types, func(a, b index.Symbol) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.NameLine, b.NameLine))
	})
	return types, nil
}

// declares returns the names of the methods that a Go interface declares itself.
func declares(ctx context.Context, x *index.Index, iface *index.Symbol) (names []string, err error) {
	list, err := x.FileSymbols(ctx, iface.File)
	if problem.Of(err) != nil {
		return nil, nil // gone meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("methods of %s: %w", iface.Name, err)
	}
	for i := range list {
		if m := &list[i]; m.Kind == syntax.Method && m.Scope == text.Dotted(iface.Scope, iface.Name) {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// has reports whether a Go type has methods of these names, as far as they are written down
// for it: embedded ones are not seen.
func has(ctx context.Context, x *index.Index, t *index.Symbol, methods []string) (bool, error) {
	for _, name := range methods {
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Language: syntax.Go, Kind: syntax.Method})
		if err != nil {
			return false, fmt.Errorf("methods of %s: %w", t.Name, err)
		}
		own := func(m index.Symbol) bool {
			return m.Scope == text.Dotted(t.Scope, t.Name) && path.Dir(m.File) == path.Dir(t.File)
		}
		if !slices.ContainsFunc(list, own) {
			return false, nil
		}
	}
	return true, nil
}

// takesIn begins a line by which a type takes in another among its members.
var takesIn = lazyregexp.MustCompile(`^\s*(?:include|extend|prepend|use|with|@behaviour|-behaviou?r|@include|import)\b`)

// Derived returns the type among those of a file that a mention of another, by the last part
// of its name, makes one derived from it: the head of the type names it, or the type takes
// it in among its members. It is nil for every other mention. content is the line of the
// mention, and around is what encloses it.
func Derived(list []index.Symbol, base string, line int, content string, around syntax.Kind) *index.Symbol {
	var of *index.Symbol
	for i := range list {
		t := &list[i]
		if holds := t.Kind.HoldsMembers() && t.Kind != syntax.Type || t.Kind == syntax.Impl || t.Kind == syntax.Module || t.Kind == syntax.Namespace; holds &&
			t.StartLine <= line && line <= t.EndLine && (of == nil || t.StartLine >= of.StartLine) {
			of = t
		}
	}
	within := takesIn.MatchString(content) && !around.Callable() // with Lock(): in a method takes in nothing
	if i := slices.IndexFunc(list, func(s index.Symbol) bool { return s.Kind == syntax.Module }); of == nil && within && i >= 0 {
		of = &list[i] // a module that is a file, as in Erlang
	}
	if of == nil || of.Name == base {
		return nil
	}
	head := *of
	head.Signature = withoutArguments(of.Signature)
	if within || Extends(&head, base) && line <= headEnd(list, of) {
		return of
	}
	return nil
}

// withoutArguments takes the arguments of types out of the head of one: of List<Item> the Item.
func withoutArguments(head string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '<', '[':
			depth++
			return ' '
		case '>', ']':
			depth = max(0, depth-1)
			return ' '
		}
		if depth > 0 {
			return -1
		}
		return r
	}, head)
}

// headEnd returns the last line that may belong to the head of a type: no function among its members
// stands there. What its constructor takes stands in the head: case class Full(id: Int) extends Msg.
func headEnd(list []index.Symbol, t *index.Symbol) int {
	end := t.EndLine
	for i := range list {
		if m := &list[i]; m.NameLine > t.NameLine && m.NameLine <= end && m.Kind.Callable() {
			end = m.NameLine - 1
		}
	}
	return end
}
