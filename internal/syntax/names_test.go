package syntax_test

import (
	"strings"
	"testing"

	"codeintel/internal/syntax"
)

// TestNamesHaveOneLine reads names that go on in the next line, which some languages allow
// between quotes: what is said of them fits in one.
func TestNamesHaveOneLine(t *testing.T) {
	for lang, text := range map[syntax.Language]string{"sql": "CREATE TABLE \"a\nb\" (x int);\n", "php": "<?php\ndefine('a\nb', 1);\nrequire 'a\nb.php';\n", "zig": "fn @\"a\nb\"() void {}\n",
		"javascript": "import x from 'a'\nconst o = { ['a\nb']() {} }\nrequire(`a\nb`)\n", "ruby": "require \"a\nb\"\nA::\n  B.c\n"} {
		f, err := syntax.Parse(lang, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range f.Symbols {
			names = append(names, s.Name, s.Scope, s.Signature)
		}
		for _, o := range f.Occurrences {
			names = append(names, o.Name, o.Qualifier)
		}
		for _, i := range f.Imports {
			names = append(append(names, i.Path, i.Alias), i.Names...)
		}
		for _, name := range names {
			if strings.ContainsAny(name, "\r\n") {
				t.Errorf("%s: %q", lang, name)
			}
		}
		if (lang == "sql" || lang == "php") && (len(f.Symbols) == 0 || f.Symbols[0].Name != "a b") {
			t.Errorf("%s: %+v", lang, f.Symbols)
		}
	}
}
