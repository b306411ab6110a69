package syntax

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/languages"
	"codeintel/internal/syntax/markup"
	"codeintel/internal/syntax/regexpoutline"
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
	markup.Jupyter,
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

// A registry finds the rows of the table.
type registry struct {
	languages  map[Language]*engine.Spec
	extensions map[string]*engine.Spec
	files      map[string]*engine.Spec // by whole names
	stems      map[string]*engine.Spec // by what comes before the first dot
	programs   map[string]*engine.Spec
}

var registered = sync.OnceValue(func() *registry { return newRegistry(slices.Concat(specs, regexpoutline.Specs())) })

// newRegistry enters the rows. Where two claim the same, the earlier has it.
func newRegistry(specs []*engine.Spec) *registry {
	r := &registry{
		languages: make(map[Language]*engine.Spec), extensions: make(map[string]*engine.Spec),
		files: make(map[string]*engine.Spec),
		stems: make(map[string]*engine.Spec), programs: make(map[string]*engine.Spec),
	}
	for _, s := range specs {
		enter := func(to map[string]*engine.Spec, name string) {
			if to[name] == nil {
				to[name] = s
			}
		}
		r.languages[s.Name] = s
		for ext := range strings.FieldsSeq(s.Extensions) {
			enter(r.extensions, ext)
		}
		for file := range strings.FieldsSeq(s.Files) {
			if stem, many := strings.CutSuffix(file, ".*"); many {
				enter(r.stems, stem)
			} else {
				enter(r.files, file)
			}
		}
		for program := range strings.FieldsSeq(s.Programs) {
			enter(r.programs, program)
		}
	}
	return r
}

// Of returns the row of a language: all that is known of it. It is empty, but for
// the name, for a language that is not in the table.
func Of(l Language) *Spec {
	if s := registered().languages[l]; s != nil {
		return s
	}
	return &Spec{Name: l}
}

// Called returns the languages that people mean by a name, in any case.
func Called(name string) []Language {
	name = strings.ToLower(name)
	var all []Language
	for _, l := range Languages() {
		if string(l) == name || slices.Contains(strings.Fields(Of(l).Aliases), name) {
			all = append(all, l)
		}
	}
	return all
}

// SameGroup says whether code of one language can mean a name of the other.
func SameGroup(a, b Language) bool {
	if a == b {
		return true
	}
	of, other := strings.Fields(Of(a).Names.Groups), strings.Fields(Of(b).Names.Groups)
	return slices.ContainsFunc(of, func(g string) bool {
		return slices.Contains(other, g) && (g == of[0] || g == other[0])
	})
}

// Languages lists all languages that Detect can answer, those with an outline by
// regular expressions too, sorted by name.
func Languages() []Language { return slices.Sorted(maps.Keys(registered().languages)) }
