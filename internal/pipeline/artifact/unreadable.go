package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

var (
	// findingsHeading is the heading of what a review finds.
	findingsHeading = lazyregexp.MustCompile(`(?i)^(?:(?:review|code|detailed|all|key|main|other|open|new` +
		`|remaining)\s+)*(?:findings?|issues?|problems?|concerns?|defects?)(?:\s+found)?\s*:?$` +
		`|^(?:レビュー)?の?(?:指摘(?:事項|点)?|問題点?|懸念(?:点|事項)?)\s*:?$`)
	// otherLabel is a label in brackets that is not a severity, and harmless those that find nothing.
	otherLabel = lazyregexp.MustCompile(`^[*_` + "`" + `]*[\[【]\s*([A-Z][A-Z0-9 _-]{2,20})\s*[\]】]`)
	harmless   = lazyregexp.MustCompile(`^(?:NOTE|INFO|OK|PASS|PASSED|NONE|FYI|QUESTION|PRAISE|STYLE|DOCS?|TESTS?` +
		`|N A)$`)
	// turnsBack is between what says that there is nothing and a severity after all, isSettled
	// behind a severity of an earlier round.
	turnsBack = lazyregexp.MustCompile(`(?i)(?:\b(?:but|except|only|however|save|still)\b|[.;:。]\s|。|[–—]|\s-\s|` +
		`ただし)[^.;。]*$`)
	isSettled = lazyregexp.MustCompile(`(?i)^[^.;。]{0,40}?\b(?:is|are|was|were)\s+(?:(?:all|both` +
		`|now)\s+)?(?:fixed|resolved|closed|addressed|gone)\b|^[^。]*(?:修正済|解消済|対応済|解消され|修正され)`)
	// allBut finds an exception to what says that there is nothing: what precedes it, and what it names; in Japanese
	// the other way round. Exempt are those that are said to be minor, and ownClause finds what a sentence has that
	// says something else.
	allBut = lazyregexp.MustCompile(`(?i)^(.*?)\b(?:apart from|aside from|except(?:ing)?|besides|save for|` +
		`other than)\b(.*)`)
	allButJa = lazyregexp.MustCompile(`^(.*?)(?:以外|を除き|を除いて|を除く)(.*)`)
	exempt   = lazyregexp.MustCompile(`(?i)\b(?:minor|nits?|notes?|cosmetic|style|trivial|above|below` +
		`|these|those|following)\b|^ that\W*$|軽微|上記|以下`)
	ownClause = lazyregexp.MustCompile(`(?i)\b(?:i|we|it|nothing|everything|all|no|was|were|is|are)\b`)
	none      = lazyregexp.MustCompile(`(?i)^\W*(?:none|nothing|no)\b`)
	// sentence finds the end of what says something by itself.
	sentence = lazyregexp.MustCompile(`[.;!?](?:\s|$)|[。！？()（）]`)
	// allWell says in other words than [nothing] that there is nothing to find.
	allWell = lazyregexp.MustCompile(`(?i)\bno(?:\s+[\p{L}-]+){0,4}\s+(?:issues?|findings?|problems?|concerns?` +
		`|defects?|bugs?|objections?|remarks?|comments?)\b|` +
		`\bnothing\b|\bnone\b|\blgtm\b|\ball\b[^.]{0,60}\b(?:fixed|resolved|addressed|closed)\b|\b(?:looks?` +
		`|all)\s+(?:good|fine|well)\b|(?:指摘|問題|懸念|不備|該当)[^。]{0,20}(?:なし|無し|ない|ありません|見当たら|見つから)|特になし`)
)

// unreadable returns the first line of the findings that gives no severity although it should,
// so that it is unclear whether the review approves. It is zero if each section of findings lists
// some that can be read, or says that there are none.
func unreadable(lines []markdown.Line, raw []string, found reading) markdown.Line {
	if found.unread.Number > 0 {
		return found.unread
	}
	for i, l := range lines {
		if l.Level == 0 || !findingsHeading.MatchString(unnumbered(plainLine(l.Text))) {
			continue
		}
		end := i + 1
		for end < len(lines) && (lines[end].Level == 0 || lines[end].Level > l.Level) {
			end++
		}
		if bad := unreadableIn(lines[i+1:end], found); bad.Number > 0 {
			return bad
		}
		if bad := unfound(lines[i+1:end], found); bad.Number > 0 {
			return bad
		}
		last := len(raw) + 1
		if end < len(lines) {
			last = lines[end].Number
		}
		if hidden := hiddenIn(raw[:last-1], l.Number, lines[i+1:end], found); hidden.Number > 0 {
			return hidden
		}
	}
	return markdown.Line{}
}

func unreadableIn(section []markdown.Line, found reading) markdown.Line {
	var first markdown.Line
	readable := false
	for _, l := range section {
		if _, labelled := labelOf(l.Text); labelled || delimiter.MatchString(l.Text) {
			continue
		}
		if m := otherLabel.FindStringSubmatch(l.Text); m != nil && !found.seen[l.Number] &&
			!harmless.MatchString(m[1]) {
			return l
		}
		if m := marker.FindStringSubmatchIndex(l.Text); m != nil && !found.seen[l.Number] && severityOf(l.Text[m[2]:m[3]]) == Critical &&
			turnsBack.MatchString(l.Text[:m[0]]) && !spokenBefore.MatchString(l.Text[:m[0]]) && !spokenAfter.MatchString(l.Text[m[1]:]) && !isSettled.MatchString(l.Text[m[1]:]) {
			return l // "None. But **[CRITICAL]** …"
		}
		if first.Number == 0 && l.Level == 0 {
			first = l
		}
		said := plainLine(l.Text)
		if found.seen[l.Number] || l.Level == 0 && (saysNothing(said) || allWell.MatchString(said)) && !hasException(said) {
			readable = true
		}
	}
	if readable {
		return markdown.Line{}
	}
	return first
}

// hasException reports whether a line that says that there is nothing names something all the same:
// "None, apart from a hole in the login".
func hasException(said string) bool {
	for _, part := range sentence.Split(said, -1) {
		about := none.MatchString(part) || allWell.MatchString(part)
		if m := allBut.FindStringSubmatch(part); m != nil && !exempt.MatchString(m[2]) && hasWord(m[2]) &&
			(about || !hasWord(m[1]) && !ownClause.MatchString(m[2])) {
			return true
		}
		if m := allButJa.FindStringSubmatch(part); m != nil && !exempt.MatchString(m[1]) && hasWord(m[1]) &&
			(about || !hasWord(m[2])) {
			return true
		}
	}
	return false
}

func hasWord(said string) bool { return strings.ContainsFunc(said, isWord) }

// hiddenIn returns a line of a section that holds only code or quotes, which are no
// findings, and of which nobody can say what they mean there; where a review finds nothing, also
// a critical finding in code.
func hiddenIn(raw []string, heading int, visible []markdown.Line, found reading) markdown.Line {
	shown := make(map[int]bool)
	for _, l := range visible {
		shown[l.Number] = true
	}
	for n := heading + 1; n <= len(raw); n++ {
		said := strings.TrimSpace(raw[n-1])
		if said == "" || shown[n] || strings.HasPrefix(said, "<!--") || !strings.ContainsFunc(said, isWord) {
			continue
		}
		if len(visible) == 0 || len(found.all) == 0 && said[0] != '>' && Blocks(findings(markdown.Read(said)).all) {
			return markdown.Line{Number: n, Text: said}
		}
	}
	return markdown.Line{}
}

var (
	// folded and unfolded begin and end the text that a page folds away; above stands what it shows of it.
	folded   = lazyregexp.MustCompile(`(?i)<details\b`)
	unfolded = lazyregexp.MustCompile(`(?i)</details\b`)
	above    = lazyregexp.MustCompile(`(?i)<summary\b[^>]*>.*?(?:</summary>|$)|</?[a-z][^>]*>`)
	// howReviewed is above folded text that tells what was read and run, which finds nothing.
	howReviewed = lazyregexp.MustCompile(`(?i)<summary\b[^>]*>\W*(?:how (?:i|we|it|this) |what (?:i|we|was) |` +
		`(?:\w+ )?files?\b` +
		`|commands?\b|outputs?\b|logs?\b|methods?\b|scope\b|test (?:output|log|run)s?\b|確認|読んだ|実行|対象|手順|方法|出力|ログ)`)
)

// unfound returns a line of folded text in a section of findings, if there is none of them in it.
func unfound(section []markdown.Line, found reading) markdown.Line {
	first, in := markdown.Line{}, false
	for _, l := range section {
		in = (in || folded.MatchString(l.Text)) && !howReviewed.MatchString(l.Text)
		said := strings.TrimSpace(above.ReplaceAllString(l.Text, " "))
		switch {
		case !in || l.Level > 0 || !hasWord(said):
		case found.seen[l.Number] || saysNothing(said):
			in = false
		case first.Number == 0:
			first = l
		}
		if ends := unfolded.MatchString(l.Text); ends && in && first.Number > 0 {
			return first
		} else if ends || !in {
			first, in = markdown.Line{}, false
		}
	}
	return first
}

var (
	// definition is a line by which links are defined, which no page shows.
	definition = lazyregexp.MustCompile(`^\s{0,3}\[[^\]\n]+\]:\s*\S+\s+["'(](.+)["')]\s*$`)
	// example describes what to write instead of a finding, legend what a severity means; both stand in templates.
	example = lazyregexp.MustCompile(`(?i)^\W*(?:(?:an?|for) )?(?:example|template|placeholder)|` +
		`^[\s*` + "`" + `:–—-]*(?:description\b|<|\{|\.\.\.|…|` +
		`\[(?:what|where|describe|file|path|your)\b|(?:(?:<?(?:file|path)(?:\.\w+)?>?|ファイル)(?::(?:line|行|` +
		`\d+))?[` + "`" + `\s:–—-]*` +
		`(?:description\b|what (?:is|was|goes)\b|説明|内容|\.\.\.|…)|説明|内容))`)
	legend = lazyregexp.MustCompile(`(?i)^\W*(?:blocks?(?: the)?(?: merge| approval| release)?|` +
		`must be (?:fixed|solved)(?: (?:before|prior to) (?:the )?(?:merge|merging|release))?|必ず直す|必ず修正|必須|修正必須|` +
		`マージ不可)\W*` +
		`(?:$|[;,、]\W*(?:\[?(?:MAJOR|MINOR)\b))`)
	exampleOf = lazyregexp.MustCompile(`(?i)^\W*(?:e\.g\.|for example|(?:example|format|template)s?:|例[:：]|書式|形式)`)
)

// unshown returns a line that no page shows, of a comment or of the definition of a link, and that
// says what an approval must not say. It is zero if there is none.
func unshown(text string) markdown.Line {
	all := markdown.Comments(text)
	for _, l := range markdown.Read(text) {
		if m := definition.FindStringSubmatch(l.Text); m != nil {
			all = append(all, markdown.Line{Number: l.Number, Text: m[1]})
		}
	}
	for _, l := range all {
		read := markdown.Read(l.Text)
		found := findings(read).all
		grave := slices.ContainsFunc(found, func(f Finding) bool {
			said := f.Description.String()
			return f.Severity == Critical && !exampleOf.MatchString(l.Text) && !example.MatchString(said) && !legend.MatchString(said)
		})
		if grave || len(found) == 0 && contradiction(read, nil) != "" {
			return l
		}
	}
	return markdown.Line{}
}

func clip(s string) string { return text.Clip(text.OneLine(s), maxQuoted) }
