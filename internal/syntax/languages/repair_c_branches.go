package languages

import (
	"bytes"
	"slices"

	"codeintel/internal/syntax/repair"
	"codeintel/internal/text"
)

// A grammar reads all branches of conditional compilation, one after the other, where
// each of them is whole: declarations, statements. Where one is not, as the head of a
// function in two forms before one body, all but the first are left out.

// A conditional is #if and what belongs to it.
type conditional struct {
	parts  []int // tokens of #if, #elif, #else and #endif
	before int   // the last token of code before it, or -1
	enum   bool  // in the body of an enumeration
}

// branches is a pass over a text for its conditionals.
type branches struct {
	src  []byte
	toks []cToken
	drop func(start, end int)
	put  func(at int, text string)
	gone []bool // tokens that are left out
	open []conditional
	enum []bool // of each brace that is open
	last int    // the last token of code so far, or -1
}

// repairBranches leaves out the branches that a grammar cannot read, and returns the
// tokens that remain.
func repairBranches(
	src []byte, toks []cToken, drop func(start, end int), put func(at int, text string),
) []cToken {
	b := &branches{src: src, toks: toks, drop: drop, put: put, gone: make([]bool, len(toks)), last: -1}
	for i, t := range toks {
		switch t.kind {
		case '{':
			b.enum = append(b.enum, opensEnum(b.src, toks[:i]))
		case '}':
			b.enum = b.enum[:max(0, len(b.enum)-1)]
		case cDirective:
			b.comments(t)
			b.directive(i)
			continue
		}
		b.last = i
	}
	rest := toks[:0:0]
	for i, t := range toks {
		if !b.gone[i] {
			rest = append(rest, t)
		}
	}
	return rest
}

// comments leaves out the comments in a directive, which end it for the grammar, and the
// question whether there is a header.
func (b *branches) comments(t cToken) {
	text := b.src[t.start:t.end]
	for i := 0; ; {
		n := bytes.Index(text[i:], []byte("/*"))
		if n < 0 {
			break
		}
		end := repair.CommentEnd(text, i+n)
		if len(bytes.TrimLeft(text[end:], " \t\r\n")) == 0 {
			break
		}
		b.drop(t.start+i+n, t.start+end)
		i = end
	}
	for i := 0; ; {
		n := bytes.Index(text[i:], []byte("__has_include"))
		if n < 0 {
			return
		}
		i += n
		end := bytes.IndexByte(text[i:], ')')
		if end < 0 {
			return
		}
		b.drop(t.start+i, t.start+i+end+1)
		b.put(t.start+i, "1")
		i += end + 1
	}
}

func (b *branches) directive(i int) {
	name, _ := directive(b.src[b.toks[i].start:b.toks[i].end])
	last := len(b.open) - 1
	switch name {
	case "if", "ifdef", "ifndef":
		b.open = append(b.open, conditional{[]int{i}, b.last, len(b.enum) > 0 && b.enum[len(b.enum)-1]})
	case "else", "elif", "elifdef", "elifndef":
		if last >= 0 {
			b.open[last].parts = append(b.open[last].parts, i)
		}
	case "endif":
		if last >= 0 {
			c := b.open[last]
			b.open = b.open[:last]
			c.parts = append(c.parts, i)
			if len(b.open) < maxNestedGroups && !b.fits(c) {
				b.flatten(c)
			}
		}
	}
}

// fits reports whether a grammar can read a conditional: it is between declarations
// or statements, and each branch holds whole ones.
func (b *branches) fits(c conditional) bool {
	if !b.endsDeclaration(c.before, c.enum) {
		return false
	}
	for k := range len(c.parts) - 1 {
		first, last, balanced := b.branch(c, k)
		if !balanced || last >= 0 && (!b.endsDeclaration(last, c.enum) || b.is(first, "else")) {
			return false
		}
	}
	return true
}

// branch returns the first and the last token of code of a branch, -1 if it has none, and
// whether it closes what it opens and no more.
func (b *branches) branch(c conditional, k int) (first, last int, balanced bool) {
	first, last = -1, -1
	depth := 0
	for i := c.parts[k] + 1; i < c.parts[k+1]; i++ {
		if b.gone[i] {
			continue
		}
		switch b.toks[i].kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return first, last, false
			}
		case cDirective:
			continue
		}
		if last = i; first < 0 {
			first = i
		}
	}
	return first, last, depth == 0
}

// is reports whether a token is one of some words or marks.
func (b *branches) is(i int, words ...string) bool {
	return i >= 0 && slices.Contains(words, string(b.src[b.toks[i].start:b.toks[i].end]))
}

// readableTogether reports whether the branches can be read one after the other once the lines
// between them are left out: each is statements, or goes on with an expression.
func (b *branches) readableTogether(c conditional) bool {
	for k := range len(c.parts) - 1 {
		first, last, balanced := b.branch(c, k)
		switch {
		case first < 0:
		case !balanced || b.is(first, "else") && k > 0:
			return false
		case b.is(first, "&", "|") && b.toks[last].kind != ';' && b.toks[last].kind != '{':
		case b.toks[last].kind != ';' && b.toks[last].kind != '}' || b.is(c.before, ":", ",", "=") || !b.statement(c):
			return false
		}
	}
	return true
}

// statement reports whether a statement may be where a conditional is: behind the
// head of another one.
func (b *branches) statement(c conditional) bool {
	return b.is(c.before, "else", "do", ";", "{", "}") || b.is(c.before, ")") && b.endsCondition(c.before)
}

// endsCondition reports whether a parenthesis ends what if, for or while asks.
func (b *branches) endsCondition(i int) bool {
	open := b.openingParen(i)
	return open >= 0 && b.is(open-1, "if", "while", "for", "switch")
}

// openingParen returns the parenthesis that another one closes, or -1 if none is near.
func (b *branches) openingParen(i int) int {
	depth := 0
	for least := i - longestList; i >= max(0, least); i-- {
		switch b.toks[i].kind {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// endsDeclaration reports whether a declaration or statement ends with a token.
func (b *branches) endsDeclaration(i int, enum bool) bool {
	if i < 0 {
		return true
	}
	switch b.toks[i].kind {
	case ';', '{', '}':
		return true
	case ',':
		return enum
	case ':':
		return b.label(i)
	case ')':
		return b.macroCall(i)
	}
	return enum
}

// label reports whether a colon ends a label.
func (b *branches) label(i int) bool {
	for k := i - 1; k >= max(0, i-6); k-- {
		t := b.toks[k]
		switch {
		case t.kind != cWord && t.kind != cScope && t.kind != cNumber && t.kind != cText:
			return t.kind == ';' || t.kind == '}' || t.kind == '{' || t.kind == ':'
		case t.kind == cWord && labelWords[string(b.src[t.start:t.end])]:
			return true
		}
	}
	return false
}

var labelWords = text.WordSet("public private protected default case")

// macroCall reports whether a parenthesis ends a macro that stands for itself.
func (b *branches) macroCall(i int) bool {
	open := b.openingParen(i)
	if open < 0 {
		return false
	}
	name := max(0, open-1)
	t := b.toks[name]
	return t.kind == cWord && isMacroName(b.src[t.start:t.end]) &&
		(name == 0 || bytes.IndexByte([]byte(";{}#"), b.toks[name-1].kind) >= 0)
}

// flatten leaves out the lines of a conditional, and all branches but one unless they can
// be read together.
func (b *branches) flatten(c conditional) {
	kept, all := 0, b.readableTogether(c)
	t := b.toks[c.parts[0]]
	if _, condition := directive(b.src[t.start:t.end]); string(bytes.TrimSpace(condition)) == "0" {
		kept = 1
	}
	for k, i := range c.parts {
		b.gone[i] = true
		if all || k == kept || k == len(c.parts)-1 {
			b.drop(b.toks[i].start, b.toks[i].end)
			continue
		}
		next := c.parts[k+1]
		b.drop(b.toks[i].start, b.toks[next].start)
		for j := i; j < next; j++ {
			b.gone[j] = true
		}
	}
}
