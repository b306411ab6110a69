// Package overrides determines which methods override, implement or declare one another, by the heads of
// their types and, in Go, by method sets.
package overrides

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Way is how one method stands to another.
type Way string

// Ways in which a method stands to another, said of the first one.
const (
	Unrelated  Way = ""
	Implements Way = "implements the method"
	Declares   Way = "declares the method in an interface"
	Overrides  Way = "overrides the method"
	Overridden Way = "declares the method that the target overrides"
)

// Between says how o stands to s, a method of the same name.
func Between(ctx context.Context, x *index.Index, s, o *index.Symbol) (Way, error) {
	mine, err := Owner(ctx, x, s)
	if err != nil || mine == nil {
		return Unrelated, err
	}
	other, err := Owner(ctx, x, o)
	if err != nil || other == nil {
		return Unrelated, err
	}
	if s.Language == syntax.Go {
		way, t, iface := Unrelated, mine, other
		switch {
		case mine.Kind == syntax.Interface && other.Kind != syntax.Interface:
			way, t, iface = Implements, other, mine
		case other.Kind == syntax.Interface && mine.Kind != syntax.Interface:
			way = Declares
		default:
			return Unrelated, nil
		}
		methods, err := declares(ctx, x, iface)
		if err != nil {
			return Unrelated, err
		}
		if ok, err := has(ctx, x, t, methods); !ok || err != nil {
			return Unrelated, err
		}
		return way, nil
	}
	switch {
	case Extends(other, mine.Name):
		return Overrides, nil
	case Extends(mine, other.Name):
		return Overridden, nil
	}
	return Unrelated, nil
}

// Shown is how many methods a note names.
const Shown = 10

// Among names the methods of list for which is holds with a method of of, with their places.
func Among(list, of []index.Symbol, overrides func(o, d *index.Symbol) (bool, error)) (names []string, err error) {
	for i := range of {
		d := &of[i]
		for j := range list {
			o := &list[j]
			if d.Kind != syntax.Method || o.Kind != syntax.Method || o.Language != d.Language {
				continue
			}
			ok, err := overrides(o, d)
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("%s (%s:%d)", text.Dotted(o.Scope, o.Name), o.File, o.NameLine)
			if ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// Owner finds the type a method belongs to.
func Owner(ctx context.Context, x *index.Index, s *index.Symbol) (*index.Symbol, error) {
	name := s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
	list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Match: index.Exact, Language: s.Language,
		Limit: 100})
	if err != nil {
		return nil, fmt.Errorf("owner of %s: %w", text.Dotted(s.Scope, s.Name), err)
	}
	dir := func(f string) string { return f[:strings.LastIndexByte(f, '/')+1] }
	var best *index.Symbol
	for i := range list {
		t := &list[i]
		if !t.Kind.HasMembers() {
			continue
		}
		if t.File == s.File {
			return t, nil
		}
		if best == nil && dir(t.File) == dir(s.File) {
			best = t
		}
	}
	return best, nil
}

// Extends reports whether the head of a type names another as its base: after its own name,
// or in Rust before it, as in impl Base for Type.
func Extends(t *index.Symbol, base string) bool {
	if base == "" || t.Name == base {
		return false
	}
	_, bases, ok := strings.Cut(t.Signature, t.Name)
	if t.Kind == syntax.Impl {
		bases, _, ok = strings.Cut(t.Signature, " for ")
	}
	if !ok {
		return false
	}
	re, err := regexp.Compile(`(?:^|[^\w])` + regexp.QuoteMeta(base) + `(?:$|[^\w])`)
	return err == nil && re.MatchString(bases)
}
