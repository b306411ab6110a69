package testrun

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// assertsSQL finds an assertion of pgTAP, without white space, passesSQL one that always passes.
var (
	assertsSQL = lazyregexp.MustCompile(`(?i)(?:SELECT|PERFORM|RETURNNEXT)(?:\w+\.)?(?:is|isnt|ok|matches|imatches` +
		`|doesnt_match|alike|unalike|cmp_ok|isa_ok|fail|throws_\w+|lives_ok|performs_\w+|results_\w+|set_\w+|bag_\w+` +
		`|is_empty|isnt_empty|row_eq|(?:has|hasnt|col|fk|index|function|trigger|policy|table|view)_\w+|\w+_(?:are|is))\(`)
	passesSQL = lazyregexp.MustCompile(`(?i)\bSELECT\s+(?:\w+\.)?(?:pass\s*\(|ok\s*\(\s*true\b|todo_start\s*\(` +
		`|skip\s*\()`)
	pgTAP = lazyregexp.MustCompile(`(?i)\b(?:no_)?plan\s*\(|\bfinish\s*\(|\bruntests\s*\(`)
)

// SQLAssertsLess reports whether a file of pgTAP has lost an assertion.
func SQLAssertsLess(now, was []byte) bool {
	if !pgTAP.Match(was) && !pgTAP.Match(now) {
		return false
	}
	left := statements(now)
	for _, s := range statements(was) {
		if at := slices.Index(left, s); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else if assertsSQL.MatchString(s) {
			return true
		}
	}
	return false
}

// SQLPassesMore reports whether more in a file of pgTAP cannot fail than before.
func SQLPassesMore(now, was []byte) bool {
	return (pgTAP.Match(was) || pgTAP.Match(now)) &&
		len(passesSQL.FindAllString(string(now), -1)) > len(passesSQL.FindAllString(string(was), -1))
}

// statements cuts a text of SQL into statements, without white space.
func statements(text []byte) (all []string) {
	for part := range strings.SplitSeq(string(text), ";") {
		all = append(all, strings.Join(strings.Fields(part), ""))
	}
	return all
}
