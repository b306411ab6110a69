package languages

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/repair"
	"codeintel/internal/text"
)

// A grammar reads all branches of conditional compilation where each holds whole members or
// statements. Where one holds only the head of a type or a method, or a part of a list, all
// but the first are left out.

// repairCSharp leaves out the branches of #if that the grammar cannot read.
func repairCSharp(src []byte) []byte {
	if !bytes.Contains(src, []byte("#if")) {
		return src
	}
	b := bytes.Clone(src)
	drop := func(start, end int) { text.Blank(b[start:end]) }
	plain := withoutTexts(src)
	repairBranches(plain, cTokens(plain), drop, func(int, string) {})
	return b
}

// fitCSharp is what surely has to be repaired: types without a body, and products.
func fitCSharp(src []byte) (b []byte, needed bool) {
	b, bodiless := repairBodiless(src)
	b, products := repairProducts(b)
	return b, bodiless || products
}

// repairBodiless writes record where a class, a structure or an interface has no body: of
// all types the grammar knows only records without one. Where the word is too long, the
// modifier before it becomes the shortest one; see [csharpWord] for what was written.
func repairBodiless(src []byte) (b []byte, needed bool) {
	b = src
	for at := 0; at < len(src); {
		end := bytes.IndexByte(src[at:], ';') + 1
		if end == 0 {
			break
		}
		from := at + bytes.LastIndexAny(src[at:at+end], "{}") + 1
		at += end
		if !slices.ContainsFunc(typeWordsCSharp, func(w []byte) bool { return bytes.Contains(src[from:at], w) }) {
			continue
		}
		m := bodiless.FindSubmatchIndex(src[from:at])
		if m == nil {
			continue
		}
		for i := range m {
			m[i] += from
		}
		start, end := m[6], m[7]
		modifier := bytes.Fields(src[m[4]:m[5]])
		if slices.ContainsFunc(modifier, func(w []byte) bool { return string(w) == "record" }) {
			continue
		}
		if !needed {
			b, needed = bytes.Clone(src), true
		}
		switch first := min(start, end-len("record")); {
		case len(modifier) > 0 && (first < start || string(modifier[len(modifier)-1]) == "ref"):
			last := m[4] + bytes.LastIndex(src[m[4]:m[5]], modifier[len(modifier)-1])
			copy(b[last:end], bytes.Repeat([]byte(" "), end-last))
			copy(b[last:], "new")
			copy(b[max(first, last+len("new ")):], "record")
		case first >= 0 && (first == start || src[first] == ' ' || src[first] == '\t'):
			copy(b[first:end], "record   ")
		case at < len(src) && (src[at] == ' ' || src[at] == '\t' || src[at] == '\r'):
			copy(b[at-1:], "{}")
		}
	}
	return b, needed
}

// bodiless matches a type without a body: what comes before it, its modifiers, its word.
var bodiless = lazyregexp.MustCompile(`(?:^|\n)([ \t]*(?:\[.*\][ \t]*)?)((?:[a-z]+[ \t]+)*)\b(class|struct|interface) +[A-Za-z_]\w*\s*` +
	`(?:<[^;{}()]*>\s*)?(?:\([^;{}]*\)\s*)?(?:(?::|where\b)[^;{}]*)?;$`)

var typeWordsCSharp = [][]byte{[]byte("class "), []byte("struct "), []byte("interface ")}

// csharpWord returns the word that declares a type, class or record struct, as it was written.
func csharpWord(head string) string {
	words := strings.Fields(head)
	if len(words) > 1 && words[len(words)-2] == "record" {
		return "record " + words[len(words)-1]
	}
	return words[len(words)-1]
}

// repairProducts writes a sum where a product is the whole of an argument, f(a * b), which the
// grammar takes for the declaration of a pointer. Pointers are written without space on both
// sides of the star.
func repairProducts(src []byte) (b []byte, needed bool) {
	b = src
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(" * "))
		if i < 0 {
			return b, needed
		}
		at += i + 1
		line := src[max(0, at-maxProduct):at]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if !productBefore.Match(line) || !productAfter.Match(src[at+1:min(len(src), at+maxProduct)]) ||
			bytes.Contains(line, []byte("//")) || bytes.Count(line, []byte{'"'})%2 == 1 {
			continue
		}
		if !needed {
			b, needed = bytes.Clone(src), true
		}
		b[at] = '+'
	}
}

const maxProduct = 200

var (
	productBefore = lazyregexp.MustCompile(`[(,]\s*[A-Za-z_][\w.]* $`)
	productAfter  = lazyregexp.MustCompile(`^ [A-Za-z_]\w*\s*[,)]`)
)

// withoutTexts puts letters in the place of what is in the strings of C# that those of C
// are unlike: @"a\", """a "b" c""". Lines stay.
func withoutTexts(src []byte) []byte {
	b := src
	fill := func(start, end int) {
		if &b[0] == &src[0] {
			b = bytes.Clone(src)
		}
		for i := start; i < end; i++ {
			if b[i] != '\n' && b[i] != '\r' {
				b[i] = 'x'
			}
		}
	}
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '/' && repair.CommentEnd(src, i) > i:
			i = repair.CommentEnd(src, i)
		case c == '"' && bytes.HasPrefix(src[i:], []byte(`"""`)):
			quotes := len(src[i:]) - len(bytes.TrimLeft(src[i:], `"`))
			end := len(src)
			if n := bytes.Index(src[i+quotes:], src[i:i+quotes]); n >= 0 {
				end = i + n + 2*quotes
			}
			fill(i, end)
			i = end
		case c == '"' && i > 0 && (src[i-1] == '@' || src[i-1] == '$' && i > 1 && src[i-2] == '@'):
			end := verbatimEnd(src, i)
			fill(i, end)
			i = end
		case c == '"' || c == '\'':
			end, _ := repair.QuotedEnd(src, i)
			i = max(end, i) + 1
		default:
			i++
		}
	}
	return b
}

// verbatimEnd returns the end of a string in which only "" stands for a quote.
func verbatimEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		if src[i] != '"' {
			continue
		}
		if i+1 == len(src) || src[i+1] != '"' {
			return i + 1
		}
		i++
	}
	return len(src)
}

// csharpKeywords are not names in what was left out.
var csharpKeywords = text.WordSet("abstract as async await base bool break byte case catch char checked class const continue decimal" +
	" default delegate do double else enum event explicit extern false finally fixed float for foreach get goto if implicit" +
	" in init int interface internal is lock long nameof namespace new not null object operator out override params partial" +
	" private protected public readonly record ref required return sbyte sealed set short sizeof stackalloc static string" +
	" struct switch this throw true try typeof uint ulong unchecked unsafe ushort using value var virtual void volatile" +
	" when where while with yield")
