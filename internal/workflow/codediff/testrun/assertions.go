package testrun

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
)

var (
	// overrides finds what gives an assertion of a library another meaning.
	overrides = lazyregexp.MustCompile(`(?s)expect\.extend\(\s*\{[^}]{0,200}?\b(?:toBe(?:Truthy|Falsy|Defined` +
		`|Null|CloseTo|InstanceOf|GreaterThan\w*|LessThan\w*)?|toEqual|toStrictEqual|toMatch\w*|toThrow\w*` +
		`|toContain\w*|toHave(?:BeenCalled\w*|Length|Property))\s*[:(]|\bTestCase\.assert\w+\s*=[^=]` +
		`|\boverwriteMethod\(|\bAssertion\.(?:prototype|overwrite)|(?m:^\s*(?:assert|expect|chai\.assert|pytest` +
		`|QUnit\.assert)\.\w+\s*=[^=>])|Matchers\.define\s*\(?:(?:eq|eql|be|raise_error|include|match)\b`)
	// bound finds the names that assertions are given, and where they come from.
	bound = lazyregexp.MustCompile(`(?m)^\s*import\s*\{[^}]*\b(expect|assert)\b[^}]*\}\s*from\s*["'](\.[^"']+)` +
		`|^\s*import\s+(expect|assert)\s+from\s*["'](\.[^"']+)|\b(expect` +
		`|assert)\b[^=\n]*=\s*require\(\s*["'](\.[^"']+)|^\s*(?:global\s+)?using\s+(Assert|StringAssert` +
		`|CollectionAssert)\s*=\s*([\w.]+)|^\s*from\s+(\.\S*)\s+import\s+[^#\n]*\b(assert\w+|raises)`)
	// libraries are where assertions of C# come from.
	libraries = lazyregexp.MustCompile(`^(?:Xunit|NUnit|Microsoft)\.`)
	// registers finds what has a test of C run that is a function.
	registers = lazyregexp.MustCompile(`\b(?:RUN_TEST(?:_CASE|_GROUP)?|tcase_add_\w*test\w*` +
		`|cmocka_unit_test\w*|g_test_add\w*|CU_add_test|mu_run_test|suite_add_tcase|MU_RUN_(?:TEST|SUITE))\(([^()]*)\)`)
)

// Overridden counts what of a text gives assertions of a library another meaning.
func Overridden(text []byte) int { return len(overrides.FindAllStringIndex(string(text), -1)) }

// AssertionsFrom returns where the names of assertions in a text come from, if not from a library.
func AssertionsFrom(text []byte) (all []string) {
	for _, m := range bound.FindAllStringSubmatch(string(text), -1) {
		var parts []string
		for _, part := range m[1:] {
			if part != "" {
				parts = append(parts, part)
			}
		}
		if len(parts) == 2 && !libraries.MatchString(parts[1]) {
			all = append(all, strings.Join(parts, " "))
		}
	}
	return all
}

// Registered returns the tests that a text of C has run.
func Registered(text []byte) map[string]bool {
	all := make(map[string]bool)
	for _, m := range registers.FindAllStringSubmatch(string(text), -1) {
		args := strings.Split(m[1], ",")
		name := strings.TrimSpace(args[len(args)-1])
		if expression.IsWord(name) && expression.TokenLength([]byte(name)) == len(name) {
			all[name] = true
		}
	}
	return all
}
