package testrun

import (
	"bytes"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

var (
	// off matches what removes a test of Python by its name: it is deleted, becomes another thing,
	// or is marked to be none; class finds the classes.
	off = lazyregexp.MustCompile(`(?m)^\s*del\s+(?:\w+\.)?([tT]est\w*)|^(test\w*|Test\w*)\s*=\s*(?:None|False|0|lambda\b)` +
		`|^([ \t]*)[\w.]*\b__test__\s*=\s*False`)
	class = lazyregexp.MustCompile(`(?m)^class\s+\w+\b`)
	// generates finds a function that gives its values one by one, fixture what is written before one that
	// tests are given the value of.
	generates = lazyregexp.MustCompile(`(?m)^(?:async\s+)?def\s+\w*\([^\n]*\n(?:\s+(?:#[^\n]*|[^\n]*[^\s:\n])\n)*?[ ]+yield\b`)
	fixture   = lazyregexp.MustCompile(`^(?:@[^\n]*\n\s*)*@(?:\w+\.)*fixture\b`)
)

// Generates reports whether a function of Python gives its values one by one: as a test it would not run.
func Generates(function string) bool { return generates.MatchString(function) }

// Fixture reports whether a function of Python, with what is written before it, is a fixture, and no test.
func Fixture(function string) bool { return fixture.MatchString(function) }

// RemovedInPython counts what removes tests from a text by their names. A class that says so
// of itself and was not there before, has never been a test.
func RemovedInPython(now string, was []byte) (n int) {
	for _, m := range off.FindAllStringSubmatchIndex(now, -1) {
		part := func(i int) string { return now[max(0, m[2*i]):max(0, m[2*i+1])] }
		name, classes := part(1)+part(2), class.FindAllString(now[:m[0]], -1)
		switch {
		case name != "" && !strings.Contains(now, "def "+name+"(") && !strings.Contains(now, "class "+name):
		case part(3) != "" && was != nil && len(classes) > 0 && !bytes.Contains(was, []byte(classes[len(classes)-1])):
		default:
			n++
		}
	}
	return n
}
