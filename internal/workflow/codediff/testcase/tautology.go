package testcase

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/tokens"
)

// tautologies are assertions that are true whatever the program does, as they read with a blank
// between their tokens.
var tautologies = []*lazyregexp.Regexp{
	// how many there are is never below 0
	lazyregexp.MustCompile(`^(?:assertGreaterThanOrEqual|GreaterOrEqual) \( (?:t , )?0 , (?:count|sizeof|len) \(`),
	lazyregexp.MustCompile(`^(?:assertGreaterEqual|GreaterOrEqual\w*) \( (?:t , )?len \( .* \) , 0 \)`),
	lazyregexp.MustCompile(`\b(?:len|count|length|size|Count|Length) (?:\( (?:[^()]*\) )?)?(?:\) )*(?:\. )?(?:to (?:be )?)?> = 0(?: \))?$`),
	lazyregexp.MustCompile(`\. (?:length|size) (?:\( \) )?\) \. (?:toBeGreaterThanOrEqual \( 0|toBeGreaterThan \( - 1|to \. be \. at \. least \( 0|isNotNegative \( |isGreaterThanOrEqualTo \( 0) ?\)`),
	// every text contains the empty one, and matches a pattern for any text
	lazyregexp.MustCompile(`(?i)^(?:assert\w*|(?:expect|assert)\w* [^"']*\b)(?:contain|include|start\w*with|end\w*with|prefix|suffix)\w* (?:\( )?(?:[^"']*, )?(?:""|'')(?: [),]|$)`),
	lazyregexp.MustCompile(`^(?:expect|assert)\w* .*(?:\bin|\. (?:starts_?with|startsWith|endswith|includes?|contains) \() (?:""|'')`),
	lazyregexp.MustCompile(`^assert(?:In|_in|_includes) ?\(? ?(?:""|'') ,`),
	lazyregexp.MustCompile("(?i)^(?:expect|assert)\\w* .*\\b\\w*(?:match|regex)\\w* \\(? ?(?:t , )?(?:r ?)?[\"'`/]+\\^?\\.\\*\\$?[\"'`/]+"),
}

// freshObjects are assertions that what was just made is there.
var freshObjects = []*lazyregexp.Regexp{
	lazyregexp.MustCompile(`^(?:assertNotNull|assertIsObject|assertNotNil) \( new [\w\\ ]+(?:\( [^()]*\) )?\)`),
	lazyregexp.MustCompile(`^expect \( new \w+ \( [^()]*\) \) \. (?:toBeDefined|toBeTruthy|not \. toBe(?:Null|Undefined)) \(`),
}

// isTautology reports whether an assertion is true whatever the program does.
func isTautology(toks []tokens.Token, i int) bool {
	said := tokens.Sentence(toks, i)
	match := func(re *lazyregexp.Regexp) bool { return re.MatchString(said) }
	return !strings.Contains(said, " not ") && !strings.Contains(said, "Not") && slices.ContainsFunc(tautologies, match) ||
		slices.ContainsFunc(freshObjects, match)
}
