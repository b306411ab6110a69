// Package filekind filters files by language, extension and kind of symbol, as questions ask for
// them, and says which files are prose, data or of a foreign language. Searches use it to choose
// the files they look at.
package filekind

import (
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// languagesOf reads a language filter. It returns none for a name it does not know.
func languagesOf(name string) []syntax.Language {
	return syntax.Called(strings.TrimPrefix(strings.TrimSpace(name), "."))
}

// Languages checks a language argument; empty means every language.
func Languages(name string) ([]syntax.Language, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	if l := languagesOf(name); l != nil {
		return l, nil
	}
	var known []string
	for _, l := range syntax.Languages() {
		known = append(known, string(l))
	}
	p := problem.New(problem.InvalidArgument, "search.is_no_known_language",
		msg.Param("language"), text.Clip(name, 40), len(known))
	if n := symbolname.Near(strings.ToLower(name), known, 1); len(n) > 0 {
		return nil, p.Or("search.use_argument", msg.ArgsOf("language", n[0]))
	}
	return nil, p.Or("search.leave_language_out_look_all", msg.Param("language"))
}

// Language returns the language of a file as the index does: by its text where the name leaves
// it open.
func Language(p *project.Project, file string, class files.Class) syntax.Language {
	l := syntax.Detect(file, nil)
	if !class.Indexed() || l != syntax.Unknown && syntax.Of(l).Disputed == nil || l == syntax.Unknown && path.Ext(file) != "" {
		return l
	}
	t, err := files.Read(p, file)
	if err != nil {
		return l
	}
	return syntax.Detect(file, t.Bytes)
}

// Filter reads a file_type argument: a language, or an extension that some
// file of the project has.
func Filter(p *project.Project, argument, name string, list []files.Entry) (func(string) bool, error) {
	bare := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "*"), "."))
	if bare == "" {
		return nil, nil
	}
	languages := languagesOf(bare)
	seen := map[string]bool{}
	for _, f := range list {
		seen[extension(f.Path)] = true
	}
	if languages == nil && !seen[bare] {
		delete(seen, "")
		for _, l := range syntax.Languages() {
			seen[string(l)] = true
		}
		known := slices.Sorted(maps.Keys(seen))
		no := problem.New(problem.InvalidArgument, "search.no_language_or_extension",
			msg.Param(argument), text.Clip(name, 40))
		for _, n := range symbolname.Near(bare, known, 2) {
			no = no.Perhaps(msg.New("search.use_argument", msg.ArgsOf(argument, n)))
		}
		return nil, no.Or("search.leave_out_look_all_files", msg.Param(argument))
	}
	headers := slices.ContainsFunc(languages, func(l syntax.Language) bool { return syntax.SameGroup(l, syntax.C) })
	scripts := slices.ContainsFunc(languages, func(l syntax.Language) bool { return syntax.Of(l).Programs != "" })
	return func(file string) bool {
		ext := extension(file)
		return ext == bare || slices.Contains(languages, syntax.Detect(file, nil)) ||
			headers && ext == "h" || // the text alone tells whose it is
			scripts && ext == "" && slices.Contains(languages, Language(p, file, files.Source))
	}, nil
}

// extension returns the lower-case extension of a file without its dot.
func extension(file string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))
}

// kinds is every kind a filter may name.
var kinds = []syntax.Kind{
	syntax.Function, syntax.Method, syntax.Constructor, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum,
	syntax.EnumMember, syntax.Type, syntax.Field, syntax.Property, syntax.Constant, syntax.Variable, syntax.Module,
	syntax.Namespace,
	syntax.Macro, syntax.Impl, syntax.Selector, syntax.Rule, syntax.Element, syntax.Component, syntax.Section,
	syntax.Slot, syntax.Heading, syntax.Target, syntax.Key,
}

// Kinds returns every kind a filter may name.
func Kinds() []syntax.Kind { return slices.Clone(kinds) }

// Kind checks a kind argument; empty means every kind.
func Kind(kind string) error {
	if kind == "" || slices.Contains(kinds, syntax.Kind(strings.ToLower(kind))) {
		return nil
	}
	known := make([]string, len(kinds))
	for i, k := range kinds {
		known[i] = string(k)
	}
	p := problem.New(problem.InvalidArgument, "search.is_not_one_of", msg.Param("kind"), text.Clip(kind, 40), known)
	if n := symbolname.Near(strings.ToLower(kind), known, 1); len(n) > 0 {
		p = p.Perhaps(msg.New("search.use_argument", msg.ArgsOf("kind", n[0])))
	}
	return p.Or("search.leave_kind_out_see_all", msg.Param("kind"))
}
