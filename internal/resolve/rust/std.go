package rust

import (
	_ "embed"
	"sync"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// stdText is what is known of std: signatures, with traits and methods that tell types
// and no more.
//
//go:embed std.rs
var stdText string

var stdTree = sync.OnceValue(func() *resolve.Parsed { return resolve.ParseText(stdText, syntax.Rust) })

// stdPath is the path of std, which no file has.
const stdPath = "/std.rs"

// stdUnit returns the unit of std, bound.
func stdUnit(u *resolve.Unit) *resolve.Unit {
	m := memoryOf(u)
	if m.std == nil {
		s := resolve.NewUnit(stdTree(), stdPath, "std", u.Language, u.Memory)
		m.std, m.parents[s] = s, nil
		bind(s)
	}
	return m.std
}

// std returns a type of std.
func std(u *resolve.Unit, name string, args ...*typ) *typ {
	y := stdUnit(u).Top.Names[typeKey(name)]
	if y == nil {
		return nil
	}
	return &typ{kind: kindNamed, sym: y, args: args}
}
