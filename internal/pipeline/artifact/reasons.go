package artifact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
)

// noReason is what stands for a reason and gives none.
var noReason = lazyregexp.MustCompile(`(?i)\b(?:` +
	`(?:(?:there (?:is|was)|with|for|has|gives?|given) )?no (?:\w+ ){0,2}(?:reasons?|explanation|idea)(?: (?:is` +
	`|was|at all|could be|can be)?\s*(?:known|given|needed|required|necessary|stated|recorded|apparent|found` +
	`|there|here))?|` +
	`(?:the |its )?(?:reasons?|why|cause) (?:for (?:it|this|that) )?(?:is|are|was|were` +
	`|remains?) (?:not (?:\w+ )?(?:known|given|stated|clear|recorded|needed)|un(?:known|clear|stated)|obvious` +
	`|(?:self[- ])?evident|clear|given (?:above|below|elsewhere))|` +
	`for (?:some|various|obvious|the usual|good|technical|certain|other) reasons?|n[/.]?a|not applicable|none` +
	`|unknown|tbd|to ?do|` +
	`(?:please )?(?:see|refer to|cf\.?)(?: (?:the|its|our))? (?:above|below|elsewhere|commit|diff|design|plan` +
	`|report|request|review|tasks?|code|change)(?: (?:above|below|itself))?|` +
	`(?:just |exactly )?as (?:(?:it |this )?(?:was|is|were) )?(?:requested|asked(?: for)?|discussed|agreed` +
	`|required|needed|planned|designed|described|stated|mentioned|said|explained|above|before|usual` +
	`|expected)(?: (?:above|below|before|earlier|(?:by|in) (?:the )?(?:plan|request|design|task|user|issue)))?|` +
	`(?:had|has|have|needed|needs) to be (?:changed|updated|adjusted|adapted|edited|modified|done)` +
	`|(?:because )?(?:it|this|that|they|the (?:test|file|change)s?) (?:was|is|were|are|had to be|has to be` +
	`|needed to be|must be) (?:just |simply )?(?:necessary|needed|required|wanted|changed|so|ok|okay|fine|updated` +
	`|adjusted|adapted|intended|intentional|correct|right)(?:\s+(?:and|or|for|by|in|as|but|here|now)\b` +
	`|\s*(?:[.,;:!)]|$))` +
	`)(?:\b|$)|特に(?:理由は?)?(?:な[いし]|無[いし]|ありません)|理由(?:は|が|も)?(?:特に)?(?:な[いし]|無[いし]|不明|ありません)|(?:上記|前述|上述` +
	`|下記)(?:の?(?:通り|とおり|どおり)|(?:を)?参照)?|同上|(?:要求|依頼|要望|指示|計画|設計)の?(?:通り|とおり|どおり)|` +
	`必要(?:に応じて|だった(?:ため|から)?|なため|があったため)|不明|省略|該当(?:な|無)し`)

// Reason is a text without what stands for a reason and gives none.
func Reason(text string) string { return noReason.ReplaceAllString(text, " ") }

// GivesReason reports whether a line gives a reason for one of some names: it holds the name, and words
// besides names and those of others. Four words do, or eight letters of a script without spaces.
func GivesReason(line string, names []string, others ...string) bool {
	if !slices.ContainsFunc(names, func(n string) bool { return namesIt(line, n) }) {
		return false
	}
	const words, signs = 4, 8
	told := slices.Concat(others, names)
	for _, n := range told {
		line = strings.ReplaceAll(line, n, "")
	}
	line = Reason(line)
	wide := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) {
			return -1
		}
		return r
	}, line)
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	said := split(strings.Join(told, " "))
	own := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(split(line)))), func(w string) bool { return slices.Contains(said, w) })
	return len(own) >= words || utf8.RuneCountInString(wide) >= signs
}

// namesIt reports whether a line holds a name, and not only as a part of a longer one.
func namesIt(line, name string) bool {
	for from := 0; name != ""; from++ {
		at := strings.Index(line[from:], name)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(name)
		if !(from > 0 && inWord(line[from-1]) && inWord(name[0])) && !(end < len(line) && inWord(line[end]) && inWord(line[end-1])) {
			return true
		}
	}
	return false
}

// inWord reports whether a byte is of a name in ASCII.
func inWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// Reduced is a text without numbers, blanks and signs: what is left when only the number
// of a task is exchanged.
func Reduced(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
