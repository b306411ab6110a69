package testrun

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// offInPython finds what takes a test away from pytest and unittest: its name, its mark, or what it is.
var offInPython = lazyregexp.MustCompile(`(?m)^\s*del\s+(?:\w+\.)?([tT]est\w*)` +
	`|^(test\w*|Test\w*)\s*=\s*(?:None|False|0|lambda\b)|\b__test__\s*=\s*False` +
	`|@(?:pytest\.)?fixture\b[^\n]*\n\s*(?:async\s+)?def\s+test\w*\(` +
	`|^(?:async\s+)?def\s+test\w*\([^\n]*\n(?:\s+(?:#[^\n]*|[^\n]*[^\s:\n])\n)*?[ ]+yield\b`)

// OffInPython counts what of a Python text takes a test of it away from pytest and unittest.
func OffInPython(text string) (n int) {
	for _, m := range offInPython.FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if name == "" || strings.Contains(text, "def "+name+"(") || strings.Contains(text, "class "+name) {
			n++
		}
	}
	return n
}
