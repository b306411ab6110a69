package syntax

import (
	"slices"
	"sync"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/languages"
	"codeintel/internal/syntax/markup"
	"codeintel/internal/syntax/outline"
)

// specs is the table of all that can be parsed.
var specs = []*engine.Spec{
	languages.Bash,
	markup.Blade,
	languages.C,
	languages.CPP,
	languages.CSharp,
	markup.CSS,
	languages.Elixir,
	languages.Go,
	languages.Haskell,
	markup.HTML,
	languages.Java,
	languages.JavaScript,
	markup.JSON,
	languages.Kotlin,
	languages.Lua,
	markup.Markdown,
	languages.PHP,
	languages.Python,
	languages.Ruby,
	languages.Rust,
	languages.Scala,
	markup.SCSS,
	languages.SQL,
	markup.Svelte,
	languages.Swift,
	languages.TSX,
	languages.TypeScript,
	markup.Vue,
	markup.YAML,
	languages.Zig,
}

// specOf finds the row of a language.
var specOf = sync.OnceValue(func() map[Language]*engine.Spec {
	all := make(map[Language]*engine.Spec)
	for _, s := range slices.Concat(specs, outline.Specs()) {
		all[s.Name] = s
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
