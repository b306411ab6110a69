package syntax

import (
	"slices"
	"sync"
)

// specs is the table of all that can be parsed.
var specs = []*spec{
	specBash,
	specBlade,
	specC,
	specCPP,
	specCSharp,
	specCSS,
	specElixir,
	specGo,
	specHaskell,
	specHTML,
	specJava,
	specJavaScript,
	specJSON,
	specKotlin,
	specLua,
	specMarkdown,
	specPHP,
	specPython,
	specRuby,
	specRust,
	specScala,
	specSCSS,
	specSQL,
	specSvelte,
	specSwift,
	specTSX,
	specTypeScript,
	specVue,
	specYAML,
	specZig,
}

// specOf finds the row of a language.
var specOf = sync.OnceValue(func() map[Language]*spec {
	all := make(map[Language]*spec)
	for _, s := range slices.Concat(specs, outlineSpecs()) {
		all[s.name] = s
	}
	return all
})

// Languages lists all languages that Detect can answer, those with an outline by
// regular expressions too, sorted by name.
func Languages() []Language {
	all := make([]Language, 0, len(specOf()))
	for language := range specOf() {
		all = append(all, language)
	}
	slices.Sort(all)
	return all
}
