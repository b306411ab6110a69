package artifact

import (
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
)

// titleLine is the line with which a summary names the change.
var titleLine = lazyregexp.MustCompile(`^[#>*_\s]*(?i:title|タイトル|題名)[*_]*\s*[:：][*_]*\s*(.*?)[*_\s]*$`)

// SummaryTitle returns the title that a summary gives the change in its first line or behind
// its heading, "" if it gives none, and the summary without that line.
func SummaryTitle(summary string) (title, rest string) {
	lines := strings.Split(summary, "\n")
	said := 0
	for i, l := range lines {
		if l = strings.TrimSpace(strings.TrimPrefix(l, "\ufeff")); l == "" {
			continue
		}
		if m := titleLine.FindStringSubmatch(l); m != nil {
			return strings.Trim(m[1], "`\"'“”「」 "), strings.Join(append(lines[:i:i], lines[i+1:]...), "\n")
		}
		if said++; said == 2 {
			break
		}
	}
	return "", summary
}

var summaryHeading = lazyregexp.MustCompile(`^\s*# *(?i:summary|まとめ|概要|サマリー)\s*\n`)

// WithoutHeading is a summary without the heading that says nothing below a title.
func WithoutHeading(summary string) string { return summaryHeading.ReplaceAllString(summary, "") }

// opener begins a piece of HTML that may hide what comes after it.
var opener = lazyregexp.MustCompile(`(?i)<(!|\?|/?(?:details|script|style|pre|textarea|template|title|iframe|noscript|xmp|plaintext|svg|math|table|div|picture|select)\b)`)

var (
	// closesIssue is what has GitHub close an issue when the pull request is merged.
	closesIssue = lazyregexp.MustCompile(`(?i)\b((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+)((?:[\w.-]+/[\w.-]+)?#\d+|GH-\d+|https?://[^\s)]+/(?:issues|pull)/\d+)`)
	// trailer begins a line that says in a message of a commit who answers for it, as a squashed pull request has it.
	trailer = lazyregexp.MustCompile(`(?mi)^([ \t>*-]*)((?:signed-off|co-authored|reviewed|acked|approved|tested|reported|suggested)-by)\s*:`)
	// calling begins a line by which programs that read comments are called.
	calling = lazyregexp.MustCompile(`(?m)^([ \t>*-]*)([/@][A-Za-z][\w-]*)`)
)

// skipsTests are the words in a message of a commit by which services leave its tests out.
var skipsTests = lazyregexp.MustCompile(`(?i)[\[(]\s*(?:skip|no)[ -](?:ci|actions|tests?|build|pipeline|checks?)\s*[\])]|[\[(]\s*(?:ci|actions|azp|appveyor|circleci|travis|azurepipelines|github)[ -](?:skip|no)\s*[\])]|\*{3}NO_CI\*{3}|\bskip-checks:\s*true\b`)

// Subject is a title as one line, without signs that no person sees and without orders to services: no test
// is left out by it, and it closes no issue.
func Subject(title string) string {
	title = skipsTests.ReplaceAllString(quote.Without(text.OneLine(title)), "")
	return text.OneLine(closesIssue.ReplaceAllStringFunc(title, func(said string) string {
		return strings.NewReplacer("#", " ", "GH-", "GH ", "gh-", "gh ", "https://", "", "http://", "").Replace(said)
	}))
}

// Harmless is a title of unknown origin as [Subject] has it, and without signs that end a quotation of a shell or
// have it run a command: an orchestrator may put the argument into one all the same.
func Harmless(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar:
			return -1
		case r == '\'':
			return '’'
		case r == '"':
			return '”'
		case r == '\\':
			return '/'
		}
		return r
	}, strings.ToValidUTF8(title, ""))
	for strings.Contains(title, "`") {
		title = strings.Replace(strings.Replace(title, "`", "‘", 1), "`", "’", 1)
	}
	return Subject(strings.NewReplacer("$(", "(", "${", "{").Replace(title))
}

// withoutOrders is a text of an agent without orders to services and to terminals: no issue is
// closed by it, no program called, nobody signs, and nothing invisible turns it around.
func withoutOrders(content string) string {
	content = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(content, ""))
	content = trailer.ReplaceAllString(content, "$1`$2`:")
	return calling.ReplaceAllString(closesIssue.ReplaceAllString(content, "$1`$2`"), "$1`$2`")
}

// Contained is a text of an agent that others are below: it hides none of them, because no
// comment, element or block of code of it goes on behind its end, and it has no heading of
// theirs. It gives no orders.
func Contained(content, heading string) string {
	lines := strings.Split(opener.ReplaceAllString(withoutOrders(content), "&lt;$1"), "\n")
	for i, l := range lines {
		if strings.EqualFold(strings.Join(strings.Fields(strings.Trim(l, "#*_> \t\r")), " "), heading) {
			lines[i] = ""
		}
	}
	content = strings.TrimRight(strings.Join(lines, "\n"), " \n")
	fence := ""
	for _, l := range lines {
		l = strings.TrimLeft(l, " \t>*-+0123456789.)")
		run := len(l) - len(strings.TrimLeft(l, l[:min(1, len(l))]))
		switch {
		case run < 3 || l[0] != '`' && l[0] != '~':
		case fence == "":
			fence = l[:run]
		case strings.HasPrefix(l, fence) && strings.Trim(l, l[:1]+" \t\r") == "":
			fence = ""
		}
	}
	if fence != "" {
		content += "\n" + fence
	}
	return content
}
