package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongScopes reads classes whose names, alone or together, are longer than anybody writes, each around
// thousands of members: what is kept of a file stays in proportion to it.
func TestLongScopes(t *testing.T) {
	members := func(format string) string {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	name := func(i int) string { return fmt.Sprintf("C%d%s", i, strings.Repeat("x", 900)) }
	var nested strings.Builder
	for i := range 20 {
		fmt.Fprintf(&nested, "%sclass %s:\n", strings.Repeat(" ", i), name(i))
	}
	for what, c := range map[string]struct {
		language Language
		text     string
	}{
		"one name":     {TypeScript, "class " + strings.Repeat("x", 1<<19) + " {\n" + members("m%d() {}\n") + "}\n"},
		"nested":       {Python, nested.String() + members(strings.Repeat(" ", 20)+"def m%d(self): pass\n")},
		"many in each": {Python, strings.Repeat("class "+name(0)+":\n"+members(" def m%d(self): pass\n"), 3)},
	} {
		f, err := Parse(c.language, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, s := range f.Symbols {
			kept += len(s.Scope)
		}
		if len(f.Symbols) < 20_000 || kept > maxScopes || what == "many in each" && f.Partial == "" {
			t.Errorf("%s: %d symbols with scopes of %d bytes, partial: %q", what, len(f.Symbols), kept, f.Partial)
		}
	}
}

// TestLongImports reads groups of imports whose path, which each name of a group repeats, is longer than any
// file can have, or long and often repeated.
func TestLongImports(t *testing.T) {
	names := strings.TrimSuffix(strings.Repeat("M,", 10_000), ",")
	for language, form := range map[Language]string{
		Rust: "use %s::{%s};\n", PHP: "<?php\nuse %s\\{%s};\n", Elixir: "defmodule A do\nalias %s.{%s}\nend\n", Scala: "import %s.{%s}\n",
	} {
		for _, length := range []int{1 << 19, 4000} {
			f, err := Parse(language, fmt.Appendf(nil, form, "X"+strings.Repeat("x", length), names))
			if err != nil {
				t.Fatal(err)
			}
			kept := 0
			for _, i := range f.Imports {
				kept += len(i.Path)
			}
			if kept > 33<<20 || length == 4000 && kept < 16<<20 || f.Partial == "" {
				t.Errorf("%s: %d imports whose paths have %d bytes, of a group's path of %d: %q",
					language, len(f.Imports), kept, length, f.Partial)
			}
		}
	}
}
