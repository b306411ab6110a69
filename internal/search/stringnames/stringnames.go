// Package stringnames finds names that code passes as strings: spyOn(user, "rename"), getattr(x, "name"),
// patch("shop.cart.Cart"). A search for references looks for them where the index lists no occurrences.
package stringnames

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/index"
	"codeintel/internal/index/trigram"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Name is a path of names that is the whole of a text in quotes.
type Name struct {
	Path   string
	Column int  // where the name that was looked for begins, in bytes, from 1
	Beside bool // it is handed over after a thing, as which member of it is meant
}

// A Finder finds a name in quotes in the lines of texts.
type Finder struct {
	Name string
	ends []string // of which each line has one that has it in quotes
}

// NewFinder returns what finds the name of some definitions. Of a type it may come before a
// member, too.
func NewFinder(name string, definitions []index.Symbol) *Finder {
	f := &Finder{name, []string{name + `"`, name + "'", name + "`"}}
	if slices.ContainsFunc(definitions, func(d index.Symbol) bool { return d.Kind.HasMembers() }) {
		f.ends = []string{name + `"`, name + "'", `"` + name + ".", "'" + name + ".", "." + name + "."}
	}
	return f
}

// Filters hold, one of them, for every text that has the name in quotes.
func (f *Finder) Filters() (list []trigram.Query) {
	for _, end := range f.ends {
		list = append(list, trigram.Literal(end))
	}
	return list
}

// In returns where a line has the name in quotes, its comment left out.
func (f *Finder) In(line []byte) []Name {
	if !slices.ContainsFunc(f.ends, func(end string) bool { return bytes.Contains(line, []byte(end)) }) {
		return nil
	}
	return Names(string(text.WithoutComment(line)), f.Name)
}

// Names returns where a line has a text that is the name, or a path of names with it. The key of
// an entry names the entry.
func Names(line, name string) (list []Name) {
	for at := 0; name != ""; {
		i := strings.Index(line[at:], name)
		if i < 0 {
			break
		}
		from := at + i
		at = from + len(name)
		head := strings.TrimRightFunc(line[:from], ofPath)
		tail := strings.TrimLeftFunc(line[at:], ofPath)
		if head == "" || tail == "" || head[len(head)-1] != tail[0] || strings.IndexByte(quotes, tail[0]) < 0 ||
			endsInName(line[:from]) || ofName(first(line[at:])) {
			continue
		}
		before, after := strings.TrimRight(head[:len(head)-1], " \t"), strings.TrimLeft(tail[1:], " \t")
		if strings.HasPrefix(after, "=>") || strings.HasPrefix(after, ":") && !strings.HasPrefix(after, "::") {
			continue
		}
		thing, beside := strings.CutSuffix(before, ",")
		thing = strings.TrimRight(thing, " \t")
		beside = beside && thing != "" && strings.IndexByte(quotes+"([{", thing[len(thing)-1]) < 0 &&
			(after == "" || strings.IndexByte("),]", after[0]) >= 0)
		list = append(list, Name{line[len(head):at], from + 1, beside})
	}
	return list
}

const quotes = "\"'`"

// ofPath reports whether a rune may be in a path of names.
func ofPath(r rune) bool {
	return ofName(r) || strings.ContainsRune(`.:\#`, r)
}

func ofName(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// endsInName reports whether a text ends within a name.
func endsInName(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return ofName(r)
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// Means reports whether a name in quotes may well mean one of some definitions. Words of people
// stand in quotes too, so a plain one says too little by itself.
func (n *Name) Means(definitions []index.Symbol) bool {
	return slices.ContainsFunc(definitions, func(d index.Symbol) bool {
		switch {
		case n.Beside && !syntax.Of(d.Language).Names.Typechecked, isDistinctive(d.Name), d.Kind.HasMembers() && unicode.IsUpper(first(d.Name)):
			return true
		}
		path := symbolname.Parse(n.Path)
		return len(path.Scope) > 0 && path.Fits(&d)
	})
}

// isDistinctive reports whether a name is no plain word: it has an underscore, a digit, or a capital
// after its first letter.
func isDistinctive(name string) bool {
	inner := strings.TrimLeft(name, "$@#._")
	if inner == "" {
		return false
	}
	_, n := utf8.DecodeRuneInString(inner)
	return strings.ContainsFunc(inner[n:], func(r rune) bool { return r == '_' || unicode.IsDigit(r) || unicode.IsUpper(r) }) &&
		strings.ContainsFunc(inner, unicode.IsLower)
}
