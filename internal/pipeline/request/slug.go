package request

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is how many bytes a slug has at most.
const maxSlug = 60

// maxName is how many bytes a name of a workspace or branch has at most, beside
// its day or type: an id, a slug and a number that tells it from others.
const maxName = 2 * maxSlug

// Slug makes a name of a text, for folders and branches: its letters and digits
// in lower case and normal form C, in whatever script, with one hyphen for what
// is between them. A text without any is "task".
func Slug(text string) string {
	if s := slug(text, maxSlug); s != "" {
		return s
	}
	return "task"
}

func slug(text string, most int) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(strings.ToLower(norm.NFC.String(text))) {
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
	return strings.TrimRight(s[:most], "-")
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
