package request

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// maxSlug is how many bytes a slug has at most.
const maxSlug = 60

// maxName is how many bytes a name of a workspace or branch has at most, beside
// its day or type: an id, a slug and a number that tells it from others.
const maxName = 2 * maxSlug

// Slug makes a name of a text, for folders and branches: its letters and digits
// in lower case and normal form C, in whatever script, with one hyphen for what
// is between them. A text without any is "task".
func Slug(content string) string {
	if s := slug(content, maxSlug); s != "" {
		return s
	}
	return "task"
}

func slug(content string, most int) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(strings.ToLower(norm.NFC.String(content))) {
		if !wordRune(r) || unicode.IsMark(r) && (gap || b.Len() == 0) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
		if b.Len() > most+utf8.UTFMax {
			break
		}
	}
	s := norm.NFC.String(b.String())
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	cut := s[:most]
	if word := strings.LastIndexByte(cut, '-'); s[most] != '-' && word >= most/2 {
		cut = cut[:word] // not in the middle of a word
	}
	return strings.TrimRight(cut, "-")
}

// wordRune says that r belongs to a word: a letter, a digit, a letter of numbers
// such as 〇, or a mark on the letter before it.
func wordRune(r rune) bool {
	return unicode.In(r, unicode.Letter, unicode.Nd, unicode.Nl, unicode.Mark)
}

// WorkspaceName is the name of a folder under .specs/; day is as in 20260401, the
// slug one of [Slug]'s. An id of no source is empty.
func WorkspaceName(day, sourceID, slug string) string {
	return day + "-" + stem(sourceID, slug)
}

// BranchName is the workspace's name with the type of the branch in place of the
// day.
func BranchName(branchType, sourceID, slug string) string {
	return branchType + "/" + stem(sourceID, slug)
}

func stem(sourceID, name string) string {
	name = slug(name, maxName)
	if name == "" {
		name = "task"
	}
	if id := slug(sourceID, maxSlug); id != "" {
		return id + "-" + name
	}
	return name
}

// maxHeadline is how many characters the headline of a text has at most.
const maxHeadline = 64

// Where a sentence ends before another, and where a clause does.
var (
	sentenceEnd = lazyregexp.MustCompile(`[.!?]+\s+\p{Lu}|[。！？]`)
	clauseEnd   = lazyregexp.MustCompile(`[,:;]\s|[、：；]|\s[–—(-]`)
)

// Headline is a title for a text: its first sentence, or as many of its clauses or words as
// fit into one line. A sentence or clause does not end inside brackets or quotes.
func Headline(content string) string {
	line := text.OneLine(content)
	for _, at := range sentenceEnd.FindAllStringIndex(line, -1) {
		if closed(line[:at[0]]) {
			line = line[:at[0]]
			break
		}
	}
	if line = strings.TrimRight(line, " .。"); utf8.RuneCountInString(line) <= maxHeadline {
		return line
	}
	clauses := ""
	for _, at := range clauseEnd.FindAllStringIndex(line, -1) {
		if n := utf8.RuneCountInString(line[:at[0]]); n <= maxHeadline && n >= maxHeadline/4 && closed(line[:at[0]]) {
			clauses = line[:at[0]]
		}
	}
	if clauses != "" {
		return clauses
	}
	head := text.Prefix(line, maxHeadline-1)
	if word := strings.LastIndexByte(head, ' '); word >= maxHeadline/2 {
		head = head[:word]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}

// closed reports whether every bracket and quote of the text is closed in it.
func closed(content string) bool {
	for _, pair := range []string{"()", "[]", "{}", "「」", "『』", "“”", "（）"} {
		opening, closing := string([]rune(pair)[0]), string([]rune(pair)[1])
		if strings.Count(content, opening) > strings.Count(content, closing) {
			return false
		}
	}
	return strings.Count(content, `"`)%2 == 0 && strings.Count(content, "`")%2 == 0
}
