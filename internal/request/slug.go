package request

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is how many bytes a slug has at most.
const maxSlug = 60

// Slug makes a name of a text, for folders and branches: its letters and digits
// in lower case and normal form C, in whatever script, with one hyphen for what
// is between them. A text without any is "task".
func Slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(strings.ToLower(norm.NFC.String(text))) {
		if !wordRune(r) || unicode.IsMark(r) && (gap || b.Len() == 0) || r == utf8.RuneError {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
		if b.Len() > maxSlug+utf8.UTFMax {
			break
		}
	}
	s := norm.NFC.String(b.String())
	if len(s) > maxSlug {
		end := maxSlug
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = strings.TrimRight(s[:end], "-")
	}
	if s == "" {
		return "task"
	}
	return s
}

// DefaultSlug names a request that nobody has named: after the title, or
// the first line of the text.
func DefaultSlug(c Context, text string) string {
	if title := c.Title(); title != "" {
		return Slug(title)
	}
	line, _, _ := strings.Cut(clean(text), "\n")
	return Slug(line)
}

// wordRune says that r belongs to a word: a letter, a digit, a letter of numbers
// such as 〇, or a mark on the letter before it.
func wordRune(r rune) bool {
	return unicode.In(r, unicode.Letter, unicode.Nd, unicode.Nl, unicode.Mark)
}

// WorkspaceName is the name of a folder under .specs/; day is as in 20260401. An
// id of no source is empty.
func WorkspaceName(day, sourceID, slug string) string {
	return day + "-" + stem(sourceID, slug)
}

// BranchName is the workspace's name with the type of the branch in place of the
// day.
func BranchName(branchType, sourceID, slug string) string {
	return branchType + "/" + stem(sourceID, slug)
}

func stem(sourceID, slug string) string {
	if sourceID == "" {
		return Slug(slug)
	}
	return Slug(sourceID) + "-" + Slug(slug)
}
