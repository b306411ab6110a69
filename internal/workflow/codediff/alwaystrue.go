package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
)

// holding are assertions that hold whatever the program does, as they read with a blank
// between their tokens.
var holding = []*lazyregexp.Regexp{
	// how many there are is never below 0
	lazyregexp.MustCompile(`^(?:assertGreaterThanOrEqual|GreaterOrEqual) \( (?:t , )?0 , (?:count|sizeof|len) \(`),
	lazyregexp.MustCompile(`^(?:assertGreaterEqual|GreaterOrEqual\w*) \( (?:t , )?len \( .* \) , 0 \)`),
	lazyregexp.MustCompile(`\b(?:len|count|length|size|Count|Length) (?:\( (?:[^()]*\) )?)?(?:\) )*(?:\. )?(?:to (?:be )?)?> = 0(?: \))?$`),
	lazyregexp.MustCompile(`\. (?:length|size) (?:\( \) )?\) \. (?:toBeGreaterThanOrEqual \( 0|toBeGreaterThan \( - 1|to \. be \. at \. least \( 0|isNotNegative \( |isGreaterThanOrEqualTo \( 0) ?\)`),
	// every text holds the empty one, and matches what takes any
	lazyregexp.MustCompile(`(?i)^(?:assert\w*|(?:expect|assert)\w* [^"']*\b)(?:contain|include|start\w*with|end\w*with|prefix|suffix)\w* (?:\( )?(?:[^"']*, )?(?:""|'')(?: [),]|$)`),
	lazyregexp.MustCompile(`^(?:expect|assert)\w* .*(?:\bin|\. (?:starts_?with|startsWith|endswith|includes?|contains) \() (?:""|'')`),
	lazyregexp.MustCompile(`^assert(?:In|_in|_includes) ?\(? ?(?:""|'') ,`),
	lazyregexp.MustCompile("(?i)^(?:expect|assert)\\w* .*\\b\\w*(?:match|regex)\\w* \\(? ?(?:t , )?(?:r ?)?[\"'`/]+\\^?\\.\\*\\$?[\"'`/]+"),
}

// made are assertions that what was just made is there.
var made = []*lazyregexp.Regexp{
	lazyregexp.MustCompile(`^(?:assertNotNull|assertIsObject|assertNotNil) \( new [\w\\ ]+(?:\( [^()]*\) )?\)`),
	lazyregexp.MustCompile(`^expect \( new \w+ \( [^()]*\) \) \. (?:toBeDefined|toBeTruthy|not \. toBe(?:Null|Undefined)) \(`),
}

// sentence returns an assertion from its first word to its end, with a blank between its
// tokens: the brackets behind it and what is called on them, or the rest of the line.
func sentence(toks []tok, i int) string {
	var words []string
	depth := 0
	for ; i < len(toks) && len(words) < 80; i++ {
		if text := toks[i].text; len(words) > 0 && depth == 0 && toks[i].line != toks[i-1].line && text != "." && text != "-" || toks[i].shape {
			break
		}
		depth += expression.Nesting(toks[i].text)
		if depth < 0 || depth == 0 && toks[i].text == ";" {
			break
		}
		words = append(words, toks[i].text)
	}
	return strings.Join(words, " ")
}

// holds reports whether an assertion holds whatever the program does.
func holds(toks []tok, i int) bool {
	said := sentence(toks, i)
	match := func(re *lazyregexp.Regexp) bool { return re.MatchString(said) }
	return !strings.Contains(said, " not ") && !strings.Contains(said, "Not") && slices.ContainsFunc(holding, match) ||
		slices.ContainsFunc(made, match)
}

// emptyList finds what holds nothing, in the spellings of many languages.
var emptyList = lazyregexp.MustCompile(`^(?:\[\]|\(\)|\{\}|""|0|range\(0\)|0\.\.0|1\.\.=0|0until0|0\.\.<0|(?:list|tuple|set|dict|array|emptyList|listOf|setOf|mapOf|Array|List\.of|Set\.of|Collections\.empty(?:List|Set)|Enumerable\.Empty<[^()]*>|(?:std::)?iter::empty(?:::<[^()]*>)?)\(\)|vec!\[\]|make\(\[\][^()]*,0\)|make\(map\[[^()]*\)|(?:Vec|HashMap|BTreeMap)(?:::<[^()]*>)?::new\(\)|(?:\[\]|map\[).*\{\}|new(?:ArrayList|List|HashMap|HashSet|Array|Set|Map|Dictionary)(?:<[^()]*>)?\(\)(?:\{\})?|new\w+\[0\]|(?:Array|Hash|Set)\.new|%[wi]\[\])$`)

// nothingIn reports whether an expression holds nothing: it is written out so, or names a
// local that is given that and then only read here.
func (s *side) nothingIn(over int32) bool {
	text := plainText(s.tree.Text(over))
	if len(text) > 200 {
		return false
	}
	if emptyList.MatchString(text) || strings.HasSuffix(text, ".take(0)") || strings.HasSuffix(text, ".first(0)") {
		return true
	}
	for _, part := range []string{"&", ".iter()", ".into_iter()", ".items()", ".entries()", ".each", "$"} {
		text = strings.TrimSuffix(strings.TrimPrefix(text, part), part)
	}
	f := s.functionAround(over)
	if f < 0 || !plainWord.MatchString(text) || count(s.tree.Text(f), text) != 2 {
		return false
	}
	for i := f + 1; i < over; i++ {
		if s.tree.Kind(i) == "var_spec" && s.tree.Field(i, "value") < 0 && s.tree.Text(s.tree.Field(i, "name")) == text {
			return true // of Go, declared and given nothing
		}
		if !s.tree.Named(i) || !s.isStatement(i) {
			continue
		}
		if left, right, ok := s.assignment(i); ok && strings.TrimLeft(s.tree.Text(left), "$") == text {
			return emptyList.MatchString(plainText(s.tree.Text(right)))
		}
	}
	return false
}

// tested finds code that asks whether it is being tested.
var tested = lazyregexp.MustCompile(`\btesting\.Testing\(\)|flag\.Lookup\("test\.|strings\.HasSuffix\(os\.Args\[0\],\s*"\.test"|["']pytest["']\s+in\s+sys\.modules|["']PYTEST_\w+["']|["']unittest["']\s+in\s+sys\.modules|process\.env\.(?:NODE_ENV|VITEST|JEST_WORKER_ID)\b\s*[!=]==?\s*["']test["']|process\.env\.(?:VITEST|JEST_WORKER_ID)|import\.meta\.vitest|Rails\.env\.test\?|ENV(?:\.fetch\(|\[)["'](?:RACK|RAILS|APP)_ENV["'][\])]\s*==\s*["']test["']|defined\?\(\s*(?:RSpec|Minitest)|#\[cfg\(not\(test\)\)|cfg!\((?:not\()?test\)|getenv\(\s*["'](?:APP_ENV|ENV)["']\s*\)\s*={2,3}\s*["']test(?:ing)?["']|defined\(\s*["']PHPUNIT_|runningUnitTests\(\)|environment\(\s*["']testing["']\s*\)|Mix\.env\(?\)?\s*==\s*:test|NSClassFromString\(\s*"XCTest|XCTestConfigurationFilePath|getProperty\(\s*"surefire|Class\.forName\(\s*"org\.junit`)

// asksForTests counts the places at which code asks whether it is being tested.
func asksForTests(s *side) int { return len(tested.FindAllString(string(s.src), -1)) }
