package repair

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// What the grammar of Swift does not know: what newer versions of the language say about ownership, lifetimes,
// memory, errors and access. One such word, and all that is in the braces around it may be lost.

// swiftUnknown finds in its first groups what is read better without it.
var swiftUnknown = []*lazyregexp.Regexp{
	lazyregexp.MustCompile(`[:&,]\s*(~)\s*[A-Z]`),                            // struct A: ~Copyable
	lazyregexp.MustCompile(`@(?:_\w+|lifetime)(\([^()\n]*\))`),               // @_lifetime(&self)
	lazyregexp.MustCompile(`\bthrows(\(\s*[\w.]+\s*\))`),                     // throws(E)
	lazyregexp.MustCompile(`(?:[(\[{,=:]|\breturn)\s*(copy[ \t]+)[a-zA-Z_]`), // f(copy a)
	lazyregexp.MustCompile(`[:(,]\s*((?:borrowing|consuming|sending|isolated|__owned|__shared|nonisolated\(nonsending\))\s+)[\w(\[@]`),
	lazyregexp.MustCompile(`\b((?:borrowing|consuming)[ \t]+)(?:mutating|public|package|internal|static|func)\b`),
	lazyregexp.MustCompile(`(?:^|[\s(\[{,=!?:&])((?:unsafe|consume|discard)[ \t]+)[\w(\[&.]`), // unsafe p.pointee
}

// packageWide finds package before a declaration. Public is a word that the grammar knows.
var packageWide = lazyregexp.MustCompile(`(?:^|[\s{};)])(package)(?:\(set\))?[ \t]+(?:\w+[ \t]+)*` +
	`(?:func|var|let|init|struct|class|enum|actor|protocol|typealias|extension|subscript)\b`)

// Swift puts spaces in the place of what the grammar does not know.
func Swift(src []byte) []byte {
	b := bytes.Clone(src)
	for _, unknown := range swiftUnknown {
		for range 2 { // neighbours share what is between them
			for _, m := range unknown.FindAllSubmatchIndex(b, -1) {
				text.Blank(b[m[2]:m[3]])
			}
		}
	}
	for _, m := range packageWide.FindAllSubmatchIndex(b, -1) {
		copy(b[m[2]:m[3]], "public ")
	}
	return b
}
