package artifact

import (
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// The words that reviews use for each severity. Those of a script without blanks end
// where they end; the others are whole words.
const (
	criticalWords   = `critical|crit|blockers?|blocking|show-?stoppers?|must[- ]fix|fatal|severe|p0|sev[- ]?[01]`
	majorWords      = `major|high|p1|sev[- ]?2|important|significant|serious`
	minorWords      = `minor|medium|moderate|low|p[2-4]|sev[- ]?[3-5]|nit(?:pick)?s?|trivial|suggestions?|cosmetic`
	criticalForeign = `重大|致命的?|クリティカル|ブロッカー|ブロッキング|最重要|要修正|必須|緊急`
	majorForeign    = `重要|メジャー`
	minorForeign    = `軽微|マイナー`
)

// severities is one of them. It is one group.
const severities = `(` + severityWords + `)`

const severityWords = `(?:` + criticalWords + `|` + majorWords + `|` + minorWords + `)\b|` +
	criticalForeign + `|` + majorForeign + `|` + minorForeign

// grades are the severities and those that are one only where a severity is expected.
const grades = `(` + severityWords + `|高|中|低)`

var (
	criticalWord = lazyregexp.MustCompile(`(?i)^(?:` + criticalWords + `|` + criticalForeign + `|高)$`) // 高 is the highest of 高, 中 and 低
	majorWord    = lazyregexp.MustCompile(`(?i)^(?:` + majorWords + `|` + majorForeign + `|中)$`)
	wholeCell    = lazyregexp.MustCompile(`(?i)^[\s*_` + "`" + `\[\]【】()（）<>~]*` + grades +
		`(?:\s*(?:issue|finding|bug)s?)?(?:\s*[(（\[][^)）\]]{0,40}[)）\]])?[\s*_` + "`" + `\[\]【】()（）<>~.!]*$`)
)

// severityOf returns the severity that a match of [severities] stands for.
func severityOf(word string) string {
	switch {
	case criticalWord.MatchString(word):
		return Critical
	case majorWord.MatchString(word):
		return Major
	}
	return Minor
}

// key names the field of a finding that holds its severity.
const key = `(?:severity|sev|priority|criticality|(?:risk|severity|impact)(?:\s+(?:level|rating))?|level|` +
	`重大度|深刻度|優先度|緊急度|重要度|影響度|レベル)`

var (
	keyWord = lazyregexp.MustCompile(`(?i)^[\s*_` + "`" + `]*` + key + `[\s*_` + "`" + `:：]*$`)
	// keyed is a line that begins with the field: "**Severity:** Critical".
	keyed = lazyregexp.MustCompile(`(?i)^[*_\s` + "`" + `]*` + key + `[*_` + "`" + `]*\s*[:：=|→][^\p{L}\p{N}\n]{0,12}` +
		grades + `[\]】)）*_` + "`" + `]*(?:$|[\s.,;。、|(（–—-])`)
	// keyedWithin is the field behind other words: "Lost update. Severity: critical".
	keyedWithin = lazyregexp.MustCompile(`(?i)[\s(（\[,;.。、|*_]` + key + `[*_]*\s*[:：=][*_\s\[【]*` + severities)
	// badge is a picture that says the severity, by its text or by its address.
	badge    = lazyregexp.MustCompile(`!\[([^\]\n]{0,80})\]\(([^)\s]{0,300})[^)]{0,80}\)(?:\]\([^)]{0,300}\))?`)
	badgeURL = lazyregexp.MustCompile(`(?i)(?:^|[-/_.:=])` + severities + `(?:[-/_.?&]|$)`)
	// tagged is a word in an element of HTML; tags are what may be before it.
	tagged          = lazyregexp.MustCompile(`(?i)<[a-z][a-z0-9]*\b[^>]{0,200}>\s*` + severities + `\s*[:：]?\s*</[a-z][a-z0-9]*>`)
	keyedInBrackets = lazyregexp.MustCompile(`(?i)[\[【［]\s*` + key + `\s*[:：=]\s*` + grades + `\s*[\]】］]`)
	// several are two severities in one pair of brackets: the worse one counts.
	several    = lazyregexp.MustCompile(`(?i)[\[［【]\s*` + severities + `\s*(?:→|[-=]>|[/,、|]|to|or)\s*` + severities + `\s*[\]］】]`)
	tags       = lazyregexp.MustCompile(`(?i)^(?:</?[a-z][a-z0-9]*\b[^>]{0,200}>\s*)+`)
	underlined = lazyregexp.MustCompile(`\b__([^_\s][^_]{0,80})__\b`)
	// The other ways to begin with a severity: in round brackets, bold, before a dash.
	inRound = lazyregexp.MustCompile(`(?i)[*_` + "`" + `]*[(（<{]\s*(?:` + key + `\s*[:：=]\s*)?` + severities +
		`[^)）>}(（\n]{0,40}[)）>}][*_` + "`" + `]*\s*[:：–—-]*`)
	inBold = lazyregexp.MustCompile(`(?i)(?:\*\*|__|\*|` + "`" + `)\s*` + severities +
		`(?:\s+(?:issue|finding|bug|problem)s?)?(?:\s*#?\d+)?\s*[:：]?\s*(?:\*\*|__|\*|` + "`" + `)[\s:：–—-]`)
	beforeDash = lazyregexp.MustCompile(`(?i)[*_` + "`" + `]*` + severities +
		`(?:\s+(?:issue|finding|bug|problem)s?)?(?:[-\s]*#?\d+)?[*_` + "`" + `]*(?:\s*[–—→|:：]|\s+-+\s)`)
	inCapitals = lazyregexp.MustCompile(`(CRITICAL|BLOCKER|MAJOR|MINOR)[*_` + "`" + `]*\s+\S`)
	afterTitle = lazyregexp.MustCompile(`(?i)^((?:\*\*[^*]{1,120}\*\*|` + "`[^`]{1,120}`" + `))\s*[(（\[【]\s*` +
		severities + `[^)）\]】\n]{0,40}[)）\]】]\s*[:：–—-]?`)
	// atEnd is a severity behind what it is about: "Lost update (CRITICAL)", "… — critical".
	atEnd = lazyregexp.MustCompile(`(?i)(?:[*_` + "`" + `]*[(（\[［【<]\s*` + severities + `\s*[)）\]］】>]|\s[–—-]+\s+[*_` + "`" + `]*` +
		severities + `)[*_` + "`" + `]*\s*[:：.。]?$`)
	// prose is what a severity in capitals goes on with where it is a word among others.
	prose = lazyregexp.MustCompile(`(?i)^\s+(?:paths?|sections?|parts?|versions?|levels?|severity|findings?|issues?|ones?|problems?|or|and|is|are|was|were|means|blocks?)\b`)
	// settled ends a finding of an earlier review that holds no more.
	settled = lazyregexp.MustCompile(`(?i)^[\s*_:：–—-]*(?:✅|☑|✔)|(?:^[\s*_]*|[-–—:：(（\[→]\s*[*_]*)(?:✅\s*)?` +
		`(?:(?:resolved|fixed|closed|withdrawn|addressed|done)(?:\s+(?:in|by|with|since|now|at|via|` +
		`as)\b[^.。]{0,80})?|(?:解消|対応|修正|解決)(?:済み?|した|されている))[*_\s✅)）\]]*[.。]?$`)
	settledHeading = lazyregexp.MustCompile(`(?i)^(?:all\s+|previously\s+)?(?:resolved|fixed|addressed|closed)(?:\s+(?:findings?|issues?|problems?|items?|since|in|from)\b.{0,40})?$|^(?:解消|対応|解決|修正)済み?(?:の?指摘(?:事項)?)?$`)
)

// signs are pictures that stand for a severity.
var signs = []struct{ sign, severity string }{
	{"🔴", Critical}, {"🟥", Critical}, {"🚨", Critical}, {"⛔", Critical}, {"🛑", Critical}, {":red_circle:", Critical},
	{":rotating_light:", Critical}, {":no_entry:", Critical}, {":stop_sign:", Critical}, {"🟠", Major}, {"🟧", Major},
	{":orange_circle:", Major}, {"🟡", Minor}, {"🟨", Minor}, {":yellow_circle:", Minor},
}

// canonical writes the severity of a line as "[CRITICAL]" in front of it, however the
// line spells it. It leaves alone what has none, or is spelled so already.
func canonical(text string) string {
	if strings.Contains(text, "__") {
		text = underlined.ReplaceAllString(text, "**$1**")
	}
	if !strings.ContainsAny(text, "<!\\:") && !severityLike.MatchString(text) {
		return text
	}
	text = badge.ReplaceAllStringFunc(text, func(s string) string {
		m := badge.FindStringSubmatch(s)
		for _, said := range []string{m[1], m[2]} {
			if sev := badgeURL.FindStringSubmatch(strings.ReplaceAll(said, " ", "-")); sev != nil {
				return "[" + severityOf(sev[1]) + "] "
			}
		}
		return s
	})
	text = replaceWith(keyedInBrackets, text, func(m []string) string { return "[" + severityOf(m[1]) + "]" })
	text = replaceWith(several, text, func(m []string) string {
		if severityOf(m[1]) == Critical || severityOf(m[2]) == Critical {
			return "[" + Critical + "]"
		}
		return "[" + severityOf(m[1]) + "]"
	})
	text = replaceWith(tagged, text, func(m []string) string { return "[" + severityOf(m[1]) + "] " })
	if m := inRound.FindStringIndex(text); m == nil || m[0] > 0 {
		text = text[len(tags.FindString(text)):]
	}
	text = strings.NewReplacer(`\[`, "[", `\]`, "]", `\*`, "*").Replace(text)
	if sign, rest := signOf(text); sign != "" {
		if c := canonical(rest); c != rest || marker.MatchString(rest) || saysNothing(rest) ||
			named.MatchString(rest) || section.MatchString(unnumbered(plainLine(rest))) {
			return c
		}
		return "[" + sign + "] " + rest
	}
	for _, form := range []*lazyregexp.Regexp{inRound, inBold, beforeDash, inCapitals} {
		m := form.FindStringSubmatchIndex(text)
		if m == nil || !before.MatchString(text[:m[0]]) {
			continue
		}
		end := m[1]
		if form == inCapitals {
			if end = m[3]; prose.MatchString(text[end:]) {
				continue
			}
		}
		if rest := text[end:]; named.MatchString(text) || spokenAfter.MatchString(rest) {
			continue
		} else if !strings.HasPrefix(text[m[0]:], "|") {
			return "[" + severityOf(text[m[2]:m[3]]) + "] " + closeBold(text[m[0]:end], rest)
		}
	}
	if m := afterTitle.FindStringSubmatchIndex(text); m != nil {
		return "[" + severityOf(text[m[4]:m[5]]) + "] " + text[m[2]:m[3]] + ": " + text[m[1]:]
	}
	return atItsEnd(text)
}

// severityLike finds what the forms of [canonical] begin with.
var severityLike = lazyregexp.MustCompile(`(?i)` + severities + `|[🔴🟥🚨⛔🛑🟠🟧🟡🟨]`)

// closeBold is the rest of a line whose bold type began with the severity that was cut off.
func closeBold(cut, rest string) string {
	if strings.Count(cut, "**")%2 == 1 {
		return strings.Replace(rest, "**", "", 1)
	}
	return rest
}

// atItsEnd puts a severity that ends the line, or is in a field within it, in front.
func atItsEnd(text string) string {
	if marker.MatchString(text) && before.MatchString(text[:marker.FindStringIndex(text)[0]]) ||
		named.MatchString(text) {
		return text
	}
	seen := text
	for _, s := range slices.Backward(markdown.CodeSpans(text)) {
		if !wholeCell.MatchString(s.Text) {
			seen = seen[:s.Start] + strings.Repeat("x", s.End-s.Start) + seen[s.End:]
		}
	}
	for _, form := range []*lazyregexp.Regexp{keyedWithin, atEnd} {
		m := form.FindStringSubmatchIndex(seen)
		if m == nil || spokenBefore.MatchString(seen[:m[0]]) || strings.HasPrefix(seen, "|") ||
			!strings.ContainsFunc(seen[:m[0]], isWord) || strings.HasPrefix(text, "~~") {
			continue
		}
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		if spokenAfter.MatchString(seen[m[1]:]) {
			continue
		}
		return "[" + severityOf(seen[from:to]) + "] " + strings.TrimSpace(text[:m[0]]+" "+text[m[1]:])
	}
	return text
}

func replaceWith(form *lazyregexp.Regexp, text string, with func([]string) string) string {
	return form.ReplaceAllStringFunc(text, func(s string) string { return with(form.FindStringSubmatch(s)) })
}

// signOf splits a line that begins with a picture of a severity.
func signOf(text string) (severity, rest string) {
	lead := text[:len(text)-len(strings.TrimLeft(text, "*_ 0123456789.)#"))]
	for _, s := range signs {
		if rest, ok := strings.CutPrefix(text[len(lead):], s.sign); ok {
			return s.severity, strings.TrimLeft(closeBold(lead, strings.TrimPrefix(rest, "\ufe0f")), " ")
		}
	}
	return "", text
}

var (
	delimiter = lazyregexp.MustCompile(`^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$`)
	indexHead = lazyregexp.MustCompile(`(?i)^(?:#|no\.?|id|nr\.?|番号|項番)$`)
	kindHead  = lazyregexp.MustCompile(`(?i)^(?:type|class|category|kind|rank|grade|区分|種別|分類)$`)
)

// tables rewrites the rows of tables as lines of their own that begin with the severity
// that a cell of theirs holds. It returns how many critical findings are only counted,
// and the first cell that should hold a severity and does not. In seen it marks the rows
// that say that there is nothing.
func tables(lines []markdown.Line, seen map[int]bool) (out []markdown.Line, counted int, unread markdown.Line) {
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if !strings.Contains(l.Text, "|") || l.Level > 0 {
			out = append(out, l)
			continue
		}
		var head []string
		vertical := false // a name and its value in each row
		if i+1 < len(lines) && strings.Contains(lines[i+1].Text, "-") && strings.Contains(lines[i+1].Text, "|") &&
			delimiter.MatchString(lines[i+1].Text) {
			head = splitRow(l.Text)
			if _, labelled := labelOf(l.Text); labelled ||
				len(head) == 2 && keyWord.MatchString(head[0]) && wholeCell.MatchString(head[1]) {
				vertical, head = true, nil
				out = append(out, field(l))
			}
			i += 2
		} else if !strings.HasPrefix(l.Text, "|") {
			out = append(out, l)
			continue
		}
		for ; i < len(lines) && strings.Contains(lines[i].Text, "|") && lines[i].Level == 0 && lines[i].Block == l.Block; i++ {
			if vertical {
				out = append(out, field(lines[i]))
				continue
			}
			row, n, bad := tableRow(lines[i], head)
			out = append(out, row)
			counted += n
			if row.Text == "\x00-" {
				seen[row.Number] = true
			}
			if bad && unread.Number == 0 {
				unread = lines[i]
			}
		}
		i--
	}
	for i := range out { // a row does not go on with the row before
		if strings.HasPrefix(out[i].Text, "\x00") {
			out[i].Text, out[i].Block = strings.TrimPrefix(out[i].Text, "\x00"), -out[i].Number
		}
	}
	return out, counted, unread
}

// field is a row of two cells, a name and its value.
func field(l markdown.Line) markdown.Line {
	c := splitRow(l.Text)
	l.Text = strings.Join(c, ": ")
	return l
}

// tableRow rewrites one row. Without a head every cell that is nothing but a severity
// counts, with one the cells below the word severity before the others.
func tableRow(l markdown.Line, head []string) (row markdown.Line, counted int, unread bool) {
	c := splitRow(l.Text)
	if _, labelled := labelOf(l.Text); labelled {
		return l, 0, false
	}
	if len(c) == 2 && keyWord.MatchString(c[0]) && wholeCell.MatchString(c[1]) {
		return field(l), 0, false
	}
	at, severity := cellOfSeverity(c, head)
	unread = at >= 0 && severity == "" && !saysNothing(c[at])
	var said []string
	numbers := ""
	for i, cell := range c {
		switch {
		case i == at && severity != "" || cell == "" || saysNothing(cell) && !isNumber(cell):
		case isNumber(cell):
			if i >= len(head) || !indexHead.MatchString(head[i]) {
				numbers = cell
			} else if severity != "" {
				numbers = "#" + cell
			}
		default:
			said = append(said, cell)
		}
	}
	l.Text = "\x00" + strings.Join(said, " ")
	if severity == "" {
		if len(said) == 0 {
			l.Text = "\x00-"
		}
		return l, 0, unread
	}
	if len(said) == 0 {
		if n, err := strconv.Atoi(numbers); err == nil || numbers == "" {
			if severity == Critical {
				counted = n
			}
			l.Text = "\x00-"
			return l, counted, unread
		}
		l.Text = "\x00" + numbers
	}
	l.Text = "\x00[" + severity + "] " + l.Text[1:]
	return l, 0, unread
}

// cellOfSeverity returns the number of the cell of a row that says how grave a finding is,
// or -1, and what it says, if it is read.
func cellOfSeverity(c, head []string) (at int, severity string) {
	at = slices.IndexFunc(head, func(h string) bool { return keyWord.MatchString(h) })
	if at < 0 {
		at = slices.IndexFunc(head, func(h string) bool { return kindHead.MatchString(h) })
		if at >= 0 && (at >= len(c) || severityCell(c[at]) == "") {
			at = -1
		}
	}
	if at < 0 || at >= len(c) {
		at = slices.IndexFunc(c, func(cell string) bool { return severityCell(cell) != "" })
	}
	if at >= 0 {
		severity = severityCell(c[at])
	}
	return at, severity
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(strings.Trim(s, "*_ "))
	return err == nil
}

// severityCell returns the severity that a cell of a table says and nothing else, or "".
func severityCell(cell string) string {
	if sign, rest := signOf(cell); sign != "" && !strings.ContainsFunc(rest, isWord) {
		return sign
	} else if sign != "" {
		cell = rest
	}
	cell = strings.TrimSpace(strings.TrimSuffix(canonical(cell), "] "))
	if m := wholeCell.FindStringSubmatch(cell); m != nil {
		return severityOf(m[1])
	}
	if m := wholeCell.FindStringSubmatch(strings.TrimFunc(cell, isOrnament)); m != nil {
		return severityOf(m[1])
	}
	return ""
}

// splitRow splits a row of a table.
func splitRow(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	row = strings.ReplaceAll(row, `\|`, "\x01")
	var all []string
	for c := range strings.SplitSeq(row, "|") {
		all = append(all, strings.TrimSpace(strings.ReplaceAll(c, "\x01", "|")))
	}
	return all
}
