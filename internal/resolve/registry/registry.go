// Package registry lists the languages whose names are resolved by inferring types, so that
// search can ask about a name without knowing which language it is of.
package registry

import (
	"slices"

	"codeintel/internal/resolve"
	"codeintel/internal/resolve/cpp"
	"codeintel/internal/resolve/nominal"
	"codeintel/internal/resolve/php"
	"codeintel/internal/resolve/python"
	"codeintel/internal/resolve/ruby"
	"codeintel/internal/resolve/rust"
	"codeintel/internal/resolve/typescript"
	"codeintel/internal/syntax"
)

// Languages are what resolves names by inferring types.
var Languages = []resolve.Language{cpp.Language{}, python.Language{}, rust.Language{}, typescript.Language{},
	nominal.JVM, nominal.CSharp, php.Language{}, ruby.Language{}}

// Inferred reports whether names of a language are resolved by inference.
func Inferred(l syntax.Language) bool {
	return slices.ContainsFunc(Languages, func(i resolve.Language) bool { return slices.Contains(i.Languages(), l) })
}
