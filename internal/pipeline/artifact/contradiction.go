package artifact

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

var (
	// graver are words by which a finding says of itself that it is critical, whatever it is
	// marked as; where it speaks of something else, the words before say so.
	graver = lazyregexp.MustCompile(`\b(?:CRITICAL|BLOCKER|BLOCKING|SHOWSTOPPER)\b|` +
		`(?i)\b(?:really|actually|in fact|in truth|` +
		`should be|would be|ought to be|originally|rather|lowered from|downgraded from|demoted from|instead of|` +
		`rated|is|was)\s+(?:a |an )?(?:critical|blocker|blocking|release[- ]blocking|showstopper)\b|` +
		`\b(?:must be (?:fixed|solved|resolved)|must not be merged|do not merge)\b|\bblocks? (?:the ` +
		`|this )?(?:release|merge|merging)\s*(?:[.,;:!)]|$)|` +
		`(?:本当は|実際は|本来は?|実質)[^。]{0,12}(?:重大|致命的|クリティカル)|` +
		`(?:重大|致命的|クリティカル)(?:だが|ですが|から(?:格下げ|変更|下げ))|マージ(?:前に(?:必ず)?修正|してはならない|しないこと)`)
	// unmetCriterion says that the work is not what was asked for.
	unmetCriterion = lazyregexp.MustCompile(`(?i)\b(?:criteri(?:on|a)|requirements?)\b[^.;]{0,60}` +
		`\b(?:not|isn't|aren't|never)\s+(?:yet\s+)?(?:met|satisfied|fulfilled|implemented)\b|` +
		`(?:基準|条件|要件)[^。]{0,20}(?:満たさない|満たしていない|満たされていない|未達)`)
	// checkFails says that a check of the project fails.
	checkFails = lazyregexp.MustCompile(`(?i)(?:^|[.;:,]\s*|\b(?:the|all|its|two|three|several|some|many|unit` +
		`|existing)\s+)` +
		`(?:tests?|test suite|suite|build)\s+(?:now\s+)?(?:fails?|breaks?|do(?:es)?(?: not|n't) (?:pass` +
		`|compile))\b\s*(?:[.;,!]|$)|` +
		`\b(?:the\s+)?(?:it|this|code|package|module|file|change)\s+(?:does not|doesn't|no longer)\s+(?:compile` +
		`|build)s?\b\s*(?:[.;,!]|$)|` +
		`テスト(?:が|は)(?:失敗する|失敗している|通らない)(?:。|$)|(?:コンパイル|ビルド)(?:できない|が通らない)(?:。|$)|` +
		`\b(?:crashes|panics|hangs|fails)\s+(?:on|at)\s+(?:every\s+)?(?:start|start-?up|launch)\s*(?:[.,;:!]|and\b|$)`)
	// stopsMerge says that the change must not go out as it is.
	stopsMerge = lazyregexp.MustCompile(`(?i)\b(?:must|needs? to|ha(?:s|ve) to|should) be ` +
		`(?:fixed|solved|resolved|addressed) ` +
		`(?:before|prior to) (?:(?:the|any|a|this|it|we) )?(?:(?:is|are|can be) )?(?:merg|releas|ship|deploy)|` +
		`\b(?:do not|don't|(?:this|it|the (?:change|branch)) (?:cannot|can't|must not|should not|shouldn't) be|` +
		`(?:this|it|(?:the )?(?:changes?|branch|pull request|pr|code|work|tasks?|diff|patch)) ` +
		`(?:is|are) (?:not|n't) (?:yet )?(?:ready|safe|fit) (?:to(?: be)?|for)) ` +
		`merg(?:e|ed|ing)\b(?: (?:this|it|yet|the (?:change|branch))\b)?\s*(?:[.,;:!]|$)`)
	// besides is what such words are behind where they are not about the finding itself.
	besides = lazyregexp.MustCompile(`(?i)\b(?:the|of|or|and)[\s*_]+$|(?:\b(?:no|not|nothing|nobody|neither|never` +
		`|non|without|any|zero|` +
		`if|when|unless|would|could|might|before|earlier|previous(?:ly)?|no longer|than|level|log(?:s|ged)?|fixed` +
		`|resolved)\b|n't\b|ではな)[^.;。]*$`)
	// otherVerdict states another verdict in a sentence.
	otherVerdict = lazyregexp.MustCompile(`\b[Vv]erdict\b[^.\n]{0,24}\b` +
		`(?:is|would be|should be|becomes|changes? to|changed to)\s+[*_` + "`" + `"]*(?:FAIL|REVISE|REJECT)|判定[^。\n:：]{0,8}(?:FAIL|REVISE)[^。\n]{0,4}(?:改め|変更|とす)`)
	// severeInProse matches the mention of a critical finding outside of the list.
	severeInProse = lazyregexp.MustCompile(`(?i)\b(?:found|find|found that there is|there is|there are|has|have` +
		`|remains?|left)\s+` +
		`(?:a|an|one|two|three|four|five|\d+|several|some)\s+(?:\p{L}+\s+)?(?:critical|blocking` +
		`|release[- ]blocking)\s+(?:problem|issue|bug|finding|defect|flaw)s?\b`)
)

// contradiction returns the words of an approving review that contradict its approval: a finding
// below critical that calls itself critical, says that a criterion is not met or that tests
// fail, a sentence with another verdict, or one by which the change must not be merged. It is
// empty if there is none.
func contradiction(lines []markdown.Line, all []Finding) string {
	for _, f := range all {
		description := f.Description.String()
		if said := withoutCode(description); f.Severity != Critical && (containsAsserted(graver, said) ||
			containsAsserted(unmetCriterion, said) || containsAsserted(checkFails, said)) {
			return description
		}
	}
	for _, l := range lines {
		if said := withoutCode(l.Text); l.Level == 0 && (containsAsserted(otherVerdict, said) ||
			containsAsserted(severeInProse, said) || stops(said)) {
			return l.Text
		}
	}
	return ""
}

// containsAsserted reports whether a text holds a form, and nothing before it says that it means another
// thing.
func containsAsserted(form *lazyregexp.Regexp, said string) bool {
	m := form.FindStringIndex(said)
	return m != nil && !besides.MatchString(said[:m[0]])
}

// unmeant is what words that stop a merge are behind where they do not stop this one.
var unmeant = lazyregexp.MustCompile(`(?i)(?:\b(?:no|nothing|nobody|neither|never|none of|zero|earlier|previous(?:ly)?|` +
	`no longer|fixed|resolved)\b|ではな)[^.;。]*$|(?:^|[.,;]\s*)(?:if|when|unless)\b[^.;。]*$`)

// stops reports whether a text says that the change must not go out as it is.
func stops(said string) bool {
	m := stopsMerge.FindStringIndex(said)
	return m != nil && !unmeant.MatchString(said[:m[0]])
}

// withoutCode is a text without the code in it, which may have any words.
func withoutCode(said string) string {
	for _, s := range markdown.CodeSpans(said) {
		said = said[:s.Start] + strings.Repeat("x", s.End-s.Start) + said[s.End:]
	}
	return said
}
