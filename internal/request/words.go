package request

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold makes words comparable: one width, one case, plain apostrophes.
func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(norm.NFKC.String(s)), "’", "'")
}

// unsaid is what stands in a text without saying what to do: blocks of code,
// comments, boxes that are not ticked, quotations, addresses.
var unsaid = regexp.MustCompile("(?ms)^[ \t]*```.*?(?:^[ \t]*```|\\z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\\z)|<!--.*?(?:-->|\\z)" +
	`|^[ \t]*[-*+] \[ \][^\n]*|^[ \t]*>[^\n]*|https?://[^\s)>\]]+`)

// prose is what text says in words.
func prose(text string) string {
	return files.ReplaceAllString(unsaid.ReplaceAllString(text, " "), " ")
}

// says reports whether folded text has the word, which may be several. A word
// that ends in "*" may go on; otherwise it begins and ends where words do: one in
// Latin letters beside anything but letters and digits of its kind, one in
// katakana beside anything but katakana. Kanji and kana have no such borders.
// A word that the text denies is not said.
func says(text, word string) bool {
	word, open := strings.CutSuffix(word, "*")
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		opening, size := utf8.DecodeRuneInString(word)
		closing, _ := utf8.DecodeLastRuneInString(word)
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !joined(before, opening) && (open || !joined(closing, after)) && !denied(text[:start], text[end:]) {
			return true
		}
		at = start + size
	}
}

// joined says that two neighbours belong to one word.
func joined(a, b rune) bool {
	k := kindOf(a)
	return k != 0 && k == kindOf(b)
}

// kindOf returns 1 for what Latin words are made of, 2 for katakana, else 0.
func kindOf(r rune) int {
	switch {
	case r == 'ー' || unicode.Is(unicode.Katakana, r):
		return 2
	case r == '_' || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Nd):
		return 1
	}
	return 0
}

var (
	deniedBefore = regexp.MustCompile(`(?:^|[^\pL])(?:no|not|non|never|without|isn't|aren't|don't|doesn't|avoid|avoids)(?:[ -]+(?:a|an|any|be|the|so|that|very|to|just|need|needs|require|requires|do))*[ -]*$`)
	deniedAfter  = regexp.MustCompile(`^(?:い|な|的|化)?(?:で|じゃ|に|では|には|は|が|も)?(?:ない|なく|無い|不要|なし|無し|しない|せず)`)
)

func denied(before, after string) bool {
	if cut := len(before) - 60; cut > 0 {
		before = before[cut:]
	}
	return deniedBefore.MatchString(before) || deniedAfter.MatchString(after)
}

// files matches what names a file of a project: a path or a name with an ending
// that such files have.
var files = regexp.MustCompile(`(?i)[\pL\pN_.@-]*(?:[/\\][\pL\pN_.@\[\]()-]+)*\b[\pL\pN_-]+\.(?:go|mod|sum|py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|java|kt|kts|scala|rb|erb|php|rs|swift|c|cc|cpp|cxx|h|hpp|cs|fs|ex|exs|hs|lua|zig|dart|pl|sh|bash|zsh|ps1|sql|css|scss|less|html|htm|xml|json|yaml|yml|toml|ini|cfg|conf|env|md|rst|txt|adoc|proto|graphql|gradle|tf|lock|csv|ipynb)\b`)

// products look like files, and are not.
var products = []string{"node.js", "next.js", "nuxt.js", "vue.js", "react.js", "express.js", "three.js", "d3.js", "angular.js", "ember.js", "alpine.js", "chart.js", "discord.js", "socket.io"}

// namedFiles returns the files that text names, each once, sorted.
func namedFiles(text string) []string {
	var names []string
	for _, name := range files.FindAllString(unsaid.ReplaceAllString(norm.NFC.String(text), " "), -1) {
		name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
		if !slices.Contains(products, strings.ToLower(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
