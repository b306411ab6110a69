// Package tier decides how much a long test does. The quick tier is what "go test ./..."
// runs: every test, but the long ones skip, or try a sample of their cases. The full
// tier runs them whole. A test that is named with -run runs whole, too. The Makefile
// lists the long tests, and docs/design/tests.md says what each tier takes.
package tier

import (
	"flag"
	"maps"
	"os"
	"slices"
	"testing"
)

// Whole reports whether long tests run whole: CODE_INTEL_TESTS is "all", or some tests
// were named with -run.
func Whole() bool {
	run := flag.Lookup("test.run")
	return os.Getenv("CODE_INTEL_TESTS") == "all" || run != nil && run.Value.String() != ""
}

// Full skips the test in the quick tier.
func Full(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("full tier: name the test with -run, or set CODE_INTEL_TESTS=all")
	}
}

// Sample returns all cases in the full tier, and in the quick tier the first and then
// every nth.
func Sample[T any](all []T, n int) []T {
	if Whole() {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// Cases is Sample of a table by name.
func Cases[T any](all map[string]T, n int) map[string]T {
	some := make(map[string]T)
	for _, name := range Sample(slices.Sorted(maps.Keys(all)), n) {
		some[name] = all[name]
	}
	return some
}

// Number returns how many times to repeat something: full in the full tier, else quick.
func Number(quick, full int) int {
	if Whole() {
		return full
	}
	return quick
}
