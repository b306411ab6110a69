// Package textpattern finds text without effect by regular expressions, also in formats without a syntax tree:
// elements that are never shown, checks that are always true, commands that do nothing.
// Package noeffect marks what it finds.
package textpattern

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
)

// A Stretch of a text does nothing, or is never reached. The pattern that shows it lies from PatternStart to
// PatternEnd.
type Stretch struct {
	PatternStart, PatternEnd, Start, End int
	Unreached                            bool
}

// Find returns the stretches of a file that do nothing.
func Find(path string, src []byte) (all []Stretch) {
	for _, v := range patterns {
		if !v.files.MatchString(path) {
			continue
		}
		for _, at := range v.is.FindAllStringIndex(string(src), -1) {
			if start, end := v.reach(src, at); start < end {
				all = append(all, Stretch{at[0], at[1], start, end, v.unreached})
			}
		}
	}
	return all
}

// A pattern finds what does nothing in files of a kind; reach says how much of the text that is, and
// unreached that it never runs; what is not does nothing.
type pattern struct {
	files, is *lazyregexp.Regexp
	reach     func(src []byte, at []int) (start, end int)
	unreached bool
}

// patterns are all of them.
var patterns = []pattern{
	// what is never shown, made or run
	{lazyregexp.MustCompile(`\.vue$`), lazyregexp.MustCompile(`<[\w-]+[^<>]*\sv-(?:if|show)="\s*false\s*(?:&&[^"|]*)?"[^<>]*>`), wholeMatch, true},
	{lazyregexp.MustCompile(`\.svelte$`), lazyregexp.MustCompile(`(?s)\{#if\s+false\s*(?:&&[^}|]*)?\}.*?(?:\{/if\}|\{:else)`), wholeMatch, true},
	{lazyregexp.MustCompile(`\.(?:css|scss|sass|less|styl|vue|svelte|astro)$`),
		lazyregexp.MustCompile(`@media\s+(?:not\s+all|[^{};,]*\(\s*max-(?:device-)?(?:width|height)\s*:\s*0(?:\.0*)?(?:[a-z]+)?\s*\))\s*\{`), braced, true},
	{lazyregexp.MustCompile(`\.(?:tf|tofu)$`), lazyregexp.MustCompile(`(?m)^[ \t]*(?:count\s*=\s*0|for_each\s*=\s*(?:\{\s*\}|\[\s*\]|toset\(\s*\[\s*\]\s*\)))[ \t]*$`), aroundIt, true},
	{lazyregexp.MustCompile(`\.ya?ml$`), lazyregexp.MustCompile(`(?m)^[ \t]+(?:- )?(?:rules:[ \t]*\n[ \t]+- when:[ \t]*["']?never["']?|if:[ \t]*(?:false|\$\{\{[ \t]*false[ \t]*\}\}))[ \t]*$`), indented, true},

	// what is always true
	{lazyregexp.MustCompile(`\.(?:sql|pgsql|psql)$`), lazyregexp.MustCompile(`(?i)\bCHECK\s*\(\s*(?:true|1\s*=\s*1|not\s+false)\s*\)`), wholeMatch, false},
	{lazyregexp.MustCompile(`(?:^|/)(?:[\w-]+\.)?(?:Docker|Container)file(?:\.[\w.-]+)?$`),
		lazyregexp.MustCompile(`(?m)^(?:HEALTHCHECK\b[^\n]*\bCMD|RUN)[ \t]+(?:\[\s*"(?:/bin/)?true"\s*\]|(?:/bin/)?true|:|exit 0)[ \t]*$`), wholeMatch, false},
	{lazyregexp.MustCompile(`\.ya?ml$`), lazyregexp.MustCompile(`\b(?:command|test):[ \t]*\[\s*(?:["']CMD(?:-SHELL)?["'],\s*)?["'](?:/bin/)?(?:true|exit 0|:)["']\s*\]`), wholeMatch, false},
	{lazyregexp.MustCompile(`(?:^|/)(?:GNUm|[Mm])akefile$|\.mk$`), lazyregexp.MustCompile(`(?m)^\t@?(?:true|:|exit 0)[ \t]*$`), wholeMatch, false},
	{lazyregexp.MustCompile(`(?:^|/)package\.json$`),
		lazyregexp.MustCompile(`"(?:lint|test|check|build|type-?check|format|audit|e2e|coverage)[\w:-]*"\s*:\s*"(?:true|:|exit 0|echo [^"&|;]*)"\s*,?`), wholeMatch, false},

	// what waits for something, and then does nothing
	{lazyregexp.MustCompile(`\.(?:[cm]?[jt]sx?|vue|svelte|astro)$`),
		lazyregexp.MustCompile(`\b(?:watch(?:Effect)?|use(?:Layout)?Effect|onMounted|onBefore\w+|onUnmounted|onUpdated|autorun)\(\s*(?:[^(){}=]*,\s*)?(?:async\s*)?\([^()]*\)\s*=>\s*\{\s*\}\s*(?:,[^()]*)?\)`), wholeMatch, false},
}

func wholeMatch(_ []byte, at []int) (start, end int) { return at[0], at[1] }

// braced reaches to the brace that closes the one at the end.
func braced(src []byte, at []int) (start, end int) {
	depth := 1
	for i := at[1]; i < len(src); i++ {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at[0], i + 1
			}
		}
	}
	return at[0], at[1]
}

// hasCount finds what opens a block of Terraform that is made so many times.
var hasCount = lazyregexp.MustCompile(`^\s*(?:resource|data|module|ephemeral)\s+"`)

// aroundIt reaches over the braces around, and the line that opens them; over nothing where a count is a value.
func aroundIt(src []byte, at []int) (start, end int) {
	depth := 0
	for i := at[0] - 1; i >= 0; i-- {
		switch src[i] {
		case '}':
			depth++
		case '{':
			if depth--; depth < 0 {
				if start = bytes.LastIndexByte(src[:i], '\n') + 1; !hasCount.Match(src[start:i]) {
					return at[0], at[0]
				}
				_, end = braced(src, []int{i, i + 1})
				return start, end
			}
		}
	}
	return at[0], at[0]
}

// indented reaches over the item of a list, or the entry, that the line belongs to.
func indented(src []byte, at []int) (start, end int) {
	column := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " -")) }
	isItem := func(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("- ")) }
	line := func(from int) []byte {
		l, _, _ := bytes.Cut(src[from:], []byte("\n"))
		return l
	}
	start, end = at[0], at[1]
	own := column(line(start))
	for start > 0 && !(isItem(line(start)) && column(line(start)) == own) {
		before := bytes.LastIndexByte(src[:start-1], '\n') + 1
		l := line(before)
		if len(bytes.TrimSpace(l)) > 0 && column(l) < own {
			start = before // its name
			break
		}
		start = before
	}
	for end+1 < len(src) {
		l := line(end + 1)
		if len(bytes.TrimSpace(l)) > 0 && (column(l) < own || isItem(l) && column(l) == own) {
			break
		}
		end += 1 + len(l)
	}
	return start, min(end, len(src))
}
