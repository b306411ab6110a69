package request

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
)

// fold makes words comparable: one width, one case, plain apostrophes.
func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(norm.NFKC.String(s)), "’", "'")
}

// nonProse matches the parts of a text that do not say what to do: blocks of code,
// comments, unticked checkboxes, quotations, URLs.
var nonProse = lazyregexp.MustCompile("(?ms)^[ \t]*```.*?(?:^[ \t]*```|\\z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\\z)|<!--.*?(?:-->|\\z)" +
	`|^[ \t]*[-*+] \[ \][^\n]*|^[ \t]*>[^\n]*|https?://[^\s)>\]]+`)

// readable is how many bytes of a text are read. A request says what it is about
// at its beginning; what follows is mostly logs.
const readable = 32 << 10

func beginning(text string) string {
	if len(text) <= readable {
		return text
	}
	return strings.ToValidUTF8(text[:readable], "")
}

// prose returns the prose at the beginning of a text. Of file names it keeps only those
// that say what the file is.
func prose(text string) string {
	return files.ReplaceAllStringFunc(nonProse.ReplaceAllString(beginning(text), " "), func(name string) string {
		if telling.MatchString(name) {
			return name
		}
		return " "
	})
}

var telling = lazyregexp.MustCompile(`(?i)^(?:readme|changelog)\.[a-z]+$`)

// findWord returns the first place where folded text says a word, which may be
// several, or "". A word that ends in "*" may go on; otherwise it begins and ends
// where words do: one in Latin letters beside anything but letters and digits of
// its kind, one in katakana beside anything but katakana. Kanji and hiragana have
// no such borders. A word that the text denies is not said.
func findWord(text, word string) string {
	word, open := strings.CutSuffix(word, "*")
	opening, size := utf8.DecodeRuneInString(word)
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return ""
		}
		start := at + i
		end := start + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		rest := wordEnd(text, end)
		if !joined(before, opening) && (open || rest == end) && !denied(text[:start], text[rest:]) {
			return text[start:rest]
		}
		at = start + size
	}
}

// wordEnd returns the end of the word that goes up to end, or beyond it.
func wordEnd(text string, end int) int {
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	for {
		next, size := utf8.DecodeRuneInString(text[end:])
		if !joined(last, next) {
			return end
		}
		end += size
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
	deniedBefore = lazyregexp.MustCompile(`(?:^|[^\pL])(?:no|not|non|never|without|isn't|aren't|don't|doesn't|won't|can't|cannot|avoid|avoids)(?:[ -]+(?:a|an|any|be|the|so|that|very|to|just|need|needs|require|requires|do))*[ -]*$`)
	deniedAfter  = lazyregexp.MustCompile(`^(?:い|な|的|化)?(?:で|じゃ|に|では|には|は|が|も)?(?:ない|なく|無い|不要|なし|無し|しない|せず)`)
)

func denied(before, after string) bool {
	if cut := len(before) - 60; cut > 0 {
		before = before[cut:]
	}
	return deniedBefore.MatchString(before) || deniedAfter.MatchString(after)
}

// files matches what names a file of a project: a path or a name with an ending
// that such files have. Hiragana ends a name: it joins it to the sentence.
var files = lazyregexp.MustCompile(`(?i)(?:[` + nameRunes + `.@()\[\]]*[/\\])*[` + nameRunes + `.@]*[` + nameRunes +
	`]\.(?:` + endings + `)\b|\b(?:go\.(?:mod|sum)|makefile|dockerfile)\b`)

const (
	nameRunes = `\p{Latin}\p{Cyrillic}\p{Greek}\p{Han}\p{Katakana}\p{Hangul}ー\pN_\-`
	endings   = `go|py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|java|kt|kts|scala|rb|erb|php|rs|swift|c|cc|cpp|cxx|h|hpp|cs|fs|ex|exs|hs|lua|zig|dart|pl|sh|bash|zsh|ps1|sql|css|scss|less|html|htm|xml|json|yaml|yml|toml|ini|cfg|conf|md|rst|txt|adoc|proto|graphql|gradle|tf|csv|ipynb`
)

// products look like files, and are not.
var products = []string{"node.js", "next.js", "nuxt.js", "vue.js", "react.js", "express.js", "three.js", "d3.js",
	"angular.js", "ember.js", "alpine.js", "chart.js", "discord.js"}

// namedFiles returns the files that text names, each once, sorted. A name before
// a parenthesis is a call, such as res.json().
func namedFiles(text string) []string {
	text = nonProse.ReplaceAllString(norm.NFC.String(beginning(text)), " ")
	var names []string
	for _, at := range files.FindAllStringIndex(text, -1) {
		name := strings.TrimPrefix(strings.ReplaceAll(text[at[0]:at[1]], `\`, "/"), "./")
		if strings.Count(name, "(") > strings.Count(name, ")") {
			name = strings.TrimLeft(name, "(")
		}
		if !strings.HasPrefix(text[at[1]:], "(") && !slices.Contains(products, strings.ToLower(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
