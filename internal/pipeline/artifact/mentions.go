package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// symbol is a name in code, qualified or not: "Parse", "artifact.Parse",
// "(*Reader).Read()", "Foo::bar", "Foo#bar". Its first group is the name itself.
var symbol = lazyregexp.MustCompile(`^(?:func |def |class |type |struct |interface |fn )?\(?[*&]?((?:[\p{L}_$][\p{L}\p{N}_$]*)(?:\)?(?:\.|::|#|->)[\p{L}_$~][\p{L}\p{N}_$]*)*[!?]?)(?:\[[^\[\]]*\])?(?:\([^` + "`" + `]*\)(?:\s*[\p{L}\p{N}_.*\[\](), ]+)?)?;?$`)

// noSymbol are words that stand in back-ticks and are nobody's name.
var noSymbol = strings.Fields(`true false nil null none undefined void int string bool byte float any error self this super
	if else for while return func def class type struct interface const var let import export package public private static async await
	new try catch throw switch case break continue default go defer main master yes no ok and or not in is todo`)

// Mentions returns the files and the symbols that a text names in back-ticks,
// outside of code blocks and quotes, each once, in order. A file may carry a line
// number, which is cut off; whether a name is one is for the caller to look up.
func Mentions(text string) (files, symbols []string) {
	seen := make(map[string]bool)
	add := func(list *[]string, name string) {
		if !seen[name] {
			seen[name] = true
			*list = append(*list, name)
		}
	}
	for _, l := range markdown.Read(text) {
		for _, s := range markdown.CodeSpans(l.Text) {
			if len(s.Text) > 300 {
				continue
			}
			if likeFile(s.Text) {
				if clean, why := cleanPath(s.Text); why.IsZero() {
					add(&files, clean)
				}
				continue
			}
			if m := symbol.FindStringSubmatch(s.Text); m != nil {
				name := strings.ReplaceAll(m[1], ")", "")
				if len(name) > 1 && !slices.Contains(noSymbol, strings.ToLower(name)) {
					add(&symbols, name)
				}
			}
		}
	}
	return files, symbols
}
