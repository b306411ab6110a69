package artifact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// A Verdict is how a review ends.
type Verdict string

// The verdicts. Unknown stands for a review that says none, or more than one.
const (
	Approve          Verdict = "APPROVE"
	ApproveWithNotes Verdict = "APPROVE_WITH_NOTES"
	Revise           Verdict = "REVISE"
	Pass             Verdict = "PASS"
	PassWithNotes    Verdict = "PASS_WITH_NOTES"
	Fail             Verdict = "FAIL"
	Unknown          Verdict = "UNKNOWN"
)

// Approves says whether the work may go on.
func (v Verdict) Approves() bool {
	switch v {
	case Approve, ApproveWithNotes, Pass, PassWithNotes:
		return true
	}
	return false
}

// A Family is the set of verdicts that a kind of review may end with.
type Family int

// The families.
const (
	DesignVerdict Family = iota // of designs and of task lists
	CodeVerdict                 // of one task's code
	FinalVerdict                // of the whole
)

var families = [...][]Verdict{
	DesignVerdict: {Approve, ApproveWithNotes, Revise},
	CodeVerdict:   {Pass, PassWithNotes, Fail},
	FinalVerdict:  {Pass, Fail},
}

// Verdicts are the members of the family, the best first.
func (f Family) Verdicts() []Verdict { return slices.Clone(families[f]) }

// rejection is the member that sends the work back.
func (f Family) rejection() Verdict { return families[f][len(families[f])-1] }

// expectedForm says how a verdict is written.
func (f Family) expectedForm() msg.Message {
	var forms []string
	for _, v := range families[f] {
		forms = append(forms, fmt.Sprintf("%q", "## Verdict: "+string(v)))
	}
	last := len(forms) - 1
	return msg.New("artifact.write_exactly_one_these_lines", strings.Join(forms[:last], ", "), forms[last])
}

// A Review is what a review says.
type Review struct {
	Verdict  Verdict
	Findings []Finding // never nil
}

// ParseReview reads the verdict and the findings of a review. Only a line that
// says nothing but the verdict counts, never a word in prose. A critical finding
// turns an approval into the family's rejection, a section of findings that cannot be
// read into Unknown. Where the verdict is Unknown,
// the first finding says why and shows the lines that were expected.
func ParseReview(f Family, text string) Review {
	lines := markdown.Read(text)
	found := findings(lines)
	r := Review{Findings: found.all}
	v, why := verdict(f, lines)
	switch {
	case v == Unknown:
		no := Finding{Critical, msg.New("artifact.verdict_cannot_read", why, f.expectedForm())}
		r.Findings = append([]Finding{no}, r.Findings...)
	case v.Approves() && Blocks(r.Findings):
		v = f.rejection()
	case v.Approves():
		if l := unreadable(lines, markdown.RawLines(text), found); l.Number > 0 {
			v = Unknown
			no := Finding{Critical, msg.New("artifact.findings_cannot_read", l.Number, clip(l.Text))}
			r.Findings = append([]Finding{no}, r.Findings...)
		} else if l := unshown(text); l.Number > 0 {
			v = Unknown
			no := Finding{Critical, msg.New("artifact.finding_not_shown", l.Number, clip(l.Text))}
			r.Findings = append([]Finding{no}, r.Findings...)
		} else if said := contradiction(lines, r.Findings); said != "" {
			no := Finding{Critical, msg.New("artifact.approval_taken_back", v, clip(said), f.rejection())}
			v = Unknown
			r.Findings = append([]Finding{no}, r.Findings...)
		}
	}
	r.Verdict = v
	return r
}

// A statement is a line that states a verdict, or fails to.
type statement struct {
	n       int
	verdict Verdict // Unknown if it fails
	why     msg.Message
}

// verdict returns what the lines state, or Unknown and why.
func verdict(f Family, lines []markdown.Line) (Verdict, msg.Message) {
	all := labelled(lines)
	if len(all) == 0 {
		all = unlabelledVerdicts(lines)
	}
	if len(all) == 0 {
		return Unknown, msg.New("artifact.no_verdict_line")
	}
	for _, s := range all {
		if s.verdict == Unknown {
			return Unknown, s.why
		}
	}
	first := all[0]
	for _, s := range all[1:] {
		if s.verdict != first.verdict {
			return Unknown, msg.New("artifact.lines_contradict_each_other", first.n, first.verdict, s.n, s.verdict)
		}
	}
	if !slices.Contains(families[f], first.verdict) {
		return Unknown, msg.New("artifact.line_says_which_no_verdict", first.n, first.verdict)
	}
	return first.verdict, msg.Message{}
}

// label is how a line that states a verdict begins: "Verdict", "Final verdict",
// "判定"; colon is what parts it from the verdict.
var (
	label = lazyregexp.MustCompile(`(?i)^(?:(the|my|our)\s+)?(?:(?:final|overall|design|tasks?|code` +
		`|implementation|verification|review(?:er)?(?:'s)?)\s+|総合|最終|設計|コード|検証|レビュー|の)*` +
		`(?:verdict\b|判定結果|判定|評決)(?:\s+(?:for|on)\s+(?:the\s+|this\s+)?(?:tasks?|design|change|code` +
		`|implementation|review)\b(?:\s+#?\d[\w.-]*)?)?(?:\s*\([^)]{0,40}\))?`)
	labelWord = lazyregexp.MustCompile(`(?i)verdict|判定|評決`)
	colon     = lazyregexp.MustCompile(`^\s*(?:[:=|]+|-+>?|[–—→は])\s*`)
)

// labelled returns the statements of the lines that are labelled as verdicts. A
// label alone, as in a heading, labels what is below it.
func labelled(lines []markdown.Line) []statement {
	var all []statement
	for i, l := range lines {
		said, ok := labelOf(l.Text)
		switch {
		case !ok:
		case said != "":
			all = append(all, state(l.Number, said))
		default:
			all = append(all, below(l, lines[i+1:]))
		}
	}
	return all
}

// longestStatement is how many bytes a line may have; a longer one is prose.
const longestStatement = 400

// labelOf returns what a line says after the label of a verdict, and whether it
// has one.
func labelOf(text string) (string, bool) {
	if len(text) > longestStatement {
		return "", false
	}
	text = plainLine(text)
	if !labelWord.MatchString(text) {
		return "", false
	}
	if row, ok := strings.CutPrefix(text, "|"); ok {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(row), "|"))
	}
	text = unnumbered(text)
	m := label.FindStringSubmatchIndex(text)
	if m == nil {
		return "", false
	}
	rest, spoken := text[m[1]:], m[2] >= 0 // "The verdict is PASS."
	if sign := colon.FindString(rest); !spoken && (sign != "" || rest == "") {
		return rest[len(sign):], true
	}
	said := strings.TrimPrefix(strings.TrimSpace(rest), "is ")
	_, ok := loneVerdict(said)
	return said, ok && strings.HasPrefix(rest, " ")
}

// below reads the verdict that is in the section of a label: the first line,
// or any other that is nothing but a verdict.
func below(label markdown.Line, rest []markdown.Line) statement {
	none := statement{label.Number, Unknown, msg.New("artifact.below_line_no_verdict", label.Text, label.Number)}
	for i, l := range rest {
		if i > 0 && (l.Level > 0 || label.Level == 0) || len(l.Text) > longestStatement {
			break
		}
		if _, ok := labelOf(l.Text); ok {
			break
		}
		text := plainLine(l.Text)
		if i == 0 && l.Level == 0 && word.MatchString(stripOpening(text)) {
			return state(l.Number, text)
		}
		if v, ok := loneVerdict(text); ok {
			return statement{l.Number, v, msg.Message{}}
		}
		if l.Level > 0 {
			break
		}
	}
	return none
}

// unlabelledVerdicts returns the statements of unlabelled verdicts: headings that are nothing
// but a verdict, and the first or the last line of the text.
func unlabelledVerdicts(lines []markdown.Line) []statement {
	var all []statement
	for i, l := range lines {
		if l.Level == 0 && i != 0 && i != len(lines)-1 || len(l.Text) > longestStatement {
			continue
		}
		if v, ok := loneVerdict(plainLine(l.Text)); ok {
			all = append(all, statement{l.Number, v, msg.Message{}})
		}
	}
	return all
}

const words = `(?:(APPROVE)D?|(PASS)(?:ED)?|(REVISE)|(FAIL)(?:ED)?)([ _-]+WITH[ _-]+(?:MINOR[ _-]+)?NOTES?)?\b`

var (
	word = lazyregexp.MustCompile(`(?i)^` + words)
	// another finds a further verdict next to the first, as in a list of options.
	another = lazyregexp.MustCompile(`(?i)^[\s"'”’»」』】>)\]}(\[<{「『【]*(?:(?:[|/,、・;]|->|→|⇒|\bor\b|\band\b|\bto\b` +
		`|または|又は|もしくは|か)[\s"'“‘«「『【(\[<{x]*)*` + words)
	copula = lazyregexp.MustCompile(`^(?:です|である|とします|とする|と判定(?:します|する)?)`)
)

// condition is a remark behind an approval that takes it back, or makes it depend on something.
var condition = lazyregexp.MustCompile(`(?i)^[\s\p{P}\p{S}]*(?:(?:is|but|still|this is)\s+)*(?:` +
	`(?:pending|assum\w+|provisional\w*|tentative\w*|conditional\w*|if|unless|once|except|however|but|probably` +
	`|likely|presumably|maybe|` +
	`subject to|until|with (?:reservations?|doubts?|hesitation)|(?:reluctant|hesitant|nominal)ly|(?:i|we) (?:was` +
	`|were|am|are) (?:told|asked)|untested|unverified|unchecked|tbc|tbd|todo|wip|only` +
	`|fail(?:ed|s)?|revise|not (?:yet|run|tested|verified|checked|built))\b|` +
	`(?:skipped|dry[- ]?run|simulated|placeholder|auto[- ]?generated|stub(?:bed)?|dummy|mock(?:ed)?|example` +
	`|for show|formally|as (?:told|instructed))` +
	`(?:\s+(?:only|for now|review|verdict|verification|report|text))?\s*(?:$|[.,;!)\]])|` +
	`ただし|条件付き|仮の?|未確認|未検証|要確認|予定|たぶん|おそらく)`)

// state reads what was said where a verdict was expected.
func state(n int, said string) statement {
	content := stripOpening(said)
	m := word.FindStringSubmatch(content)
	if m == nil {
		return statement{n, Unknown, msg.New("artifact.line_says", n, text.Clip(said, maxQuoted))}
	}
	v := verdictOf(m)
	rest := content[len(m[0]):]
	if another.MatchString(rest) || strings.HasPrefix(said, "[ ]") {
		return statement{n, Unknown, msg.New("artifact.line_lists_more_than_one", n)}
	}
	if tail := strings.TrimLeft(copula.ReplaceAllString(rest, ""), " \"'”’»」』】>)]}"); v.Approves() && tail != "" {
		// "PASS: all is well" passes; "PASS is out of reach" does not.
		if c, _ := utf8.DecodeRuneInString(tail); condition.MatchString(tail) || c == '?' || unicode.IsLetter(c) || unicode.IsDigit(c) {
			return statement{n, Unknown, msg.New("artifact.line_says", n, text.Clip(said, maxQuoted))}
		}
	}
	return statement{n, v, msg.Message{}}
}

// loneVerdict reads a text that is nothing but a verdict and punctuation.
func loneVerdict(text string) (Verdict, bool) {
	if strings.HasPrefix(text, "[ ]") {
		return Unknown, false
	}
	text = stripOpening(text)
	m := word.FindStringSubmatch(text)
	if m == nil || strings.ContainsFunc(text[len(m[0]):], func(c rune) bool {
		return c == '?' || unicode.IsLetter(c) || unicode.IsDigit(c)
	}) {
		return Unknown, false
	}
	return verdictOf(m), true
}

// verdictOf names the match of [words].
func verdictOf(m []string) Verdict {
	notes := m[5] != ""
	switch {
	case m[1] != "" && notes:
		return ApproveWithNotes
	case m[1] != "":
		return Approve
	case m[2] != "" && notes:
		return PassWithNotes
	case m[2] != "":
		return Pass
	case m[3] != "":
		return Revise
	}
	return Fail
}

var struck = lazyregexp.MustCompile(`~~[^~]*~~`)

// plainLine returns a line without emphasis, back-ticks, escapes and what is struck
// out, its full-width characters made narrow.
func plainLine(text string) string {
	runes := []rune(struck.ReplaceAllString(norm.NFKC.String(text), ""))
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, c := range runes {
		switch c {
		case '*', '`', '\\':
		case '_':
			before, after := i-1, i+1
			if before >= 0 && runes[before] == '\\' {
				before--
			}
			if after < len(runes) && runes[after] == '\\' {
				after++
			}
			if inWord(before) && inWord(after) {
				b.WriteRune(c)
			}
		default:
			b.WriteRune(c)
		}
	}
	return strings.TrimFunc(b.String(), isOrnament)
}

// stripOpening cuts off what may open a verdict: brackets, quotes, ticked boxes.
func stripOpening(text string) string {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "[x]"), "[X]")
	return strings.TrimLeftFunc(text, func(c rune) bool {
		return isOrnament(c) || strings.ContainsRune("\"'“‘«「『【<([{_", c)
	})
}

// isOrnament says whether c is a picture or white space.
func isOrnament(c rune) bool {
	return unicode.In(c, unicode.So, unicode.Sk, unicode.Mn) || c == '\u200d' || unicode.IsSpace(c)
}

var number = lazyregexp.MustCompile(`^(?:\d+(?:\.\d+)*[.):]?|§)\s+`)

// unnumbered cuts off the number of a heading.
func unnumbered(text string) string { return text[len(number.FindString(text)):] }
