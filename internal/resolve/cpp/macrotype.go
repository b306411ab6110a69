package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

const longestCast = 500 // bytes of a macro's text

// expandedType is the type of what a macro stands for where its text is a cast, as in
// #define AS_LIST(v) ((List *)AS_OBJ(v)).
func expandedType(r *resolve.Resolver, u *resolve.Unit, name string) (t union) {
	for _, d := range macros(r, u, name) {
		to, pointers := castIn(d.unit.Text(d.unit.Child(d.node, "value")))
		if to == "" || slices.ContainsFunc(d.unit.List(d.unit.Child(d.node, "parameters")), func(n int32) bool { return d.unit.Text(n) == to }) {
			continue
		}
		table := tableOf(d.unit)
		f := inNamespace(r, d.unit, table.paths[table.enclosingScope(scopeAt(d.unit, d.node))], to, anything)
		if f.empty() {
			f = inNamespace(r, u, "", to, anything)
		}
		f.decls = slices.DeleteFunc(slices.Clone(f.decls), func(d *decl) bool { return d.kind > kindAlias })
		t = t.Join(pointed(foundType(r, f), pointers))
	}
	return t
}

// castIn returns what the text of a macro casts to, and how often that must be dereferenced. The name is empty
// where the text is no cast to a type that has one name.
func castIn(text string) (name string, pointers int) {
	if len(text) > longestCast {
		return "", 0
	}
	for _, comment := range []string{"//", "/*"} {
		text, _, _ = strings.Cut(text, comment)
	}
	text = strings.TrimSpace(strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(text))
	for {
		end := closingBracket(text)
		if end < 0 {
			return "", 0
		}
		if end < len(text)-1 {
			break
		}
		text = strings.TrimSpace(text[1:end])
	}
	end := closingBracket(text)
	after := strings.TrimLeft(text[end+1:], " \t")
	if !wordByte(after[0]) && after[0] != '(' && after[0] != '&' {
		return "", 0
	}
	for _, word := range strings.Fields(strings.ReplaceAll(text[1:end], "*", " * ")) {
		switch {
		case word == "*" && name != "":
			pointers++
		case word == "const" || word == "volatile" || word == "struct" || word == "union" || word == "enum":
		case name != "" || strings.ContainsFunc(word, func(c rune) bool { return c > 0x7f || !wordByte(byte(c)) }):
			return "", 0
		default:
			name = word
		}
	}
	if after[0] == '&' && pointers == 0 {
		return "", 0 // a & b
	}
	return name, pointers
}

// closingBracket is where the bracket ends that a text begins with, or -1.
func closingBracket(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if i == 0 {
				return -1
			}
			return i
		}
	}
	return -1
}
