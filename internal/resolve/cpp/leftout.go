package cpp

import (
	"iter"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// LeftOut yields the names in what was taken out of a text so that the rest could be
// parsed: macros, branches of conditional compilation. Attributes hold none.
func (Language) LeftOut(u *resolve.Unit) iter.Seq2[string, resolve.Spot] {
	return func(yield func(string, resolve.Spot) bool) {
		for _, l := range u.LeftOut {
			stretch := u.Source[l.Start:l.End]
			if strings.HasPrefix(stretch, "[[") || strings.HasPrefix(stretch, "__") {
				continue
			}
			n := around(u, l.Start)
			goesOn := true
			words(stretch, func(word string, at uint32) bool {
				goesOn = yield(word, resolve.Spot{Unit: u, Node: n, Word: l.Start + at - u.Nodes[n].Start})
				return goesOn
			})
			if !goesOn {
				return
			}
		}
	}
}

// around returns the innermost node around a place of the text.
func around(u *resolve.Unit, at uint32) int32 {
	n := int32(0)
	for c := n + 1; c < u.Nodes[n].Next; {
		if u.Nodes[c].Start <= at && at < u.Nodes[c].End {
			n, c = c, c+1
			continue
		}
		c = u.Nodes[c].Next
	}
	return n
}

// leftOutMeaning says what a name means that the tree does not hold, by the scope around.
func leftOutMeaning(r *resolve.Resolver, u *resolve.Unit, n int32, word uint32) resolve.Meaning {
	at := u.Nodes[n].Start + word
	name := resolve.LeadingName(u.Source[at:])
	before := strings.TrimRight(u.Source[:at], " \t\r\n")
	s := u.Scopes[n]
	if s == nil {
		s = scopeAt(u, n)
	} else {
		s = tableOf(u).regionAt(s, at)
	}
	switch {
	case strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->"):
		return resolve.Meaning{}
	case strings.HasSuffix(before, "::"):
		return meaningOf(r, finding{decls: qualifiedFrom(r, u, tableOf(u).paths[tableOf(u).enclosingScope(s)],
			qualifierBefore(before), name)})
	}
	tag := tagWords[before[strings.LastIndexFunc(before, func(c rune) bool { return c < 0x80 && !wordByte(byte(c)) })+1:]]
	as := anything
	if tag {
		as = tags
	}
	f := lookUpFrom(r, u, s, name, as)
	if f.local == nil && !tag {
		f.decls = untagged(f.decls)
	}
	if all := expanding(u.Source[at+uint32(len(name)):], macros(r, u, name), f); len(all) > 0 {
		return meaningOf(r, finding{decls: all})
	}
	if f.empty() {
		f = fromIncluders(r, u, name, f)
	}
	return meaningOf(r, f)
}

var tagWords = text.WordSet("struct union enum class")

// qualifiedFrom finds what a::b names in a namespace or one around it.
func qualifiedFrom(r *resolve.Resolver, u *resolve.Unit, path, scope, name string) []*decl {
	for {
		if all := find(r, u, join(path, scope), name); len(all) > 0 || path == "" {
			return all
		}
		path = outerPath(path)
	}
}
