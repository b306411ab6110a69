package cpp

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Macros that stand for attributes, which the grammar takes for types and names: before a
// declaration, between class and the name of the class, behind what is declared.
var (
	leadingMacro = lazyregexp.MustCompile(
		`(?m)^[ \t]*(?:(?:extern|static|inline|virtual|explicit|friend)[ \t]+)*([A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{3,}API)` +
			`[ \t]+(?:(?:const|unsigned|struct|enum|static|inline|virtual)[ \t]+)*[A-Za-z_][\w:]*(?:<[^<>;]*>)?` +
			`[ \t*&]+\(?[A-Za-z_~][\w:]*\)?[ \t]*[(;=\[]`)
	classMacro = lazyregexp.MustCompile(
		`\b(?:class|struct|union|enum)\s+([A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\s*\([^()\n]*\))?)` +
			`\s+[A-Za-z_]\w*(?:\s*<[^<>;{}]*>)?\s*(?:final\s*)?[:;{]`)
	trailingMacro = lazyregexp.MustCompile(
		`[\w>][ \t*&]+(\w+|\w+\([^();{}]*\)(?:[ \t]*const)?)\s+([A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*\([^();{}]*\))\s*[;{=]`)
)

// Prepare puts spaces in the place of macros that the grammar cannot read, and an operator
// that it knows in the place of ->*. Names stay where they are.
func (Language) Prepare(_ syntax.Language, src []byte) []byte {
	src = bytes.ReplaceAll(src, []byte("->*"), []byte("  +"))
	for _, form := range []*lazyregexp.Regexp{leadingMacro, classMacro, trailingMacro} {
		var out []byte
		for _, m := range form.FindAllSubmatchIndex(src, -1) {
			start, end := m[len(m)-2], m[len(m)-1]
			if form == trailingMacro && notDeclared[string(src[m[2]:m[3]])] {
				continue
			}
			if out == nil {
				out = bytes.Clone(src)
			}
			for i := start; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
		}
		if out != nil {
			src = out
		}
	}
	return src
}

// notDeclared are words before a macro in capitals that is called, or declared itself.
var notDeclared = text.WordSet("return else" +
	" case throw new delete void int bool char long short unsigned float double define")
