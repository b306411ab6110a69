// Package glob matches paths against globs with "**" and braces, in a time that is bounded by the lengths of
// both.
package glob

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a glob.
const (
	manyWays = 256      // that its braces can be read
	longWays = 64 << 10 // bytes of all of them
)

// Valid reports whether a glob is well formed, and its braces do not unfold to more
// ways to read it than anybody writes down.
func Valid(pattern string) bool {
	if !doublestar.ValidatePattern(pattern) {
		return false
	}
	_, ok := unfold(pattern)
	return ok
}

// Match reports whether a glob matches a path. One that is not valid matches nothing.
func Match(pattern, path string) bool {
	if !strings.Contains(pattern, "{") {
		return doublestar.MatchUnvalidated(pattern, path)
	}
	// The library tries the alternatives of each pair of braces anew for every choice
	// that was made before, which takes for ever; of patterns without braces only the
	// last star is tried again.
	ways, _ := unfold(pattern)
	for _, way := range ways {
		if doublestar.MatchUnvalidated(way, path) {
			return true
		}
	}
	return false
}

// unfold returns the patterns without braces that a pattern stands for, or false if they
// are too many.
func unfold(pattern string) (ways []string, ok bool) {
	left := longWays
	rest := []string{pattern}
	for len(rest) > 0 {
		p := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if left -= len(p) + 1; left < 0 {
			return nil, false
		}
		open, parts, end := braces(p)
		if open < 0 {
			if ways = append(ways, p); len(ways) > manyWays {
				return nil, false
			}
			continue
		}
		for i := len(parts) - 1; i >= 0; i-- {
			rest = append(rest, p[:open]+parts[i]+p[end:])
		}
		if len(rest) > manyWays {
			return nil, false
		}
	}
	return ways, true
}

// braces finds the first pair of braces of a pattern: where it opens, its alternatives,
// and what follows it. open is -1 if there is none.
func braces(p string) (open int, parts []string, end int) {
	open = -1
	depth, from, class := 0, 0, false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				open, from = i, i+1
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, p[from:i]), i+1
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return open, append(parts, p[from:i]), i + 1
			}
		}
	}
	return -1, nil, 0
}
