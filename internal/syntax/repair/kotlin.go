// Package repair rewrites source code that a grammar cannot parse into code of the same length that it can.
package repair

import (
	"bytes"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// What the scanner of the Kotlin grammar gets wrong, as of version 1.1.0. On a line of
// its own before a constructor it takes one annotation, without spaces in it, and
// nothing but one word of visibility between that and the word; else it ends the class
// there. And it never returns from an annotation that ends with the text. The grammar
// itself takes @A annotation class B, @A expect object B { … } and @A actual fun b() for an expression with
// an annotation, where annotation and class are names: every such word can be one.

// constructorHead finds, on a line after the name of a class, what may come before the
// word constructor: annotations, the last of them and its arguments, and modifiers.
var constructorHead = lazyregexp.MustCompile(
	`\bclass\s+\w+(?:\s*<[^<>{}()]*(?:<[^<>{}()]*>[^<>{}()]*)*>)?[ \t]*\r?\n\s*` +
		`(?:((?:@[\w.:]+(?:\([^()]*\))?\s+)*)@[\w.:]+(\([^()]*\))?\s+)?((?:(?:internal|private|protected|public|actual|expect)\s+)*)constructor\b`)

// classModifiers finds, behind an annotation or its arguments, modifiers that a class can be read without.
var classModifiers = lazyregexp.MustCompile(
	`(?:@[\w.:]+|\))\s+((?:(?:annotation|actual|expect|open|abstract|final|sealed|data|inner|value|external|public|private|protected|internal)\s+)+)(?:class|object|interface)\s+\w`)

// annotations are some of a class or interface that ends with its name, the last of them, and that name. Behind two or
// more, the grammar takes class, the name and what follows for one expression, and loses the next declaration.
var annotations = lazyregexp.MustCompile(`(?m)^([ \t]*)((?:` + annotation + `\s+)+)` + annotation +
	`\s+(?:\w+\s+)*?(?:class|interface)[ \t]+\w+[ \t]*(?://.*)?\r?\n`)

var oneAnnotation = lazyregexp.MustCompile(annotation + `\s`)

const annotation = `@[\w.:]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?`

// annotatedFunction finds, behind an annotation or its arguments, what a function is read with public for.
var annotatedFunction = lazyregexp.MustCompile(`(?:@[\w.:]+|\))\s+(actual|expect)\s+fun\b`)

// negatedName finds the sign in !isEmpty(), which the scanner takes together with the first
// letters of the name for !is.
var negatedName = lazyregexp.MustCompile(`[\s(&|=,{;](!)(?:is|in)\w`)

// namedWhere finds where as the name of a value, at the beginning of a line, where the grammar
// takes it for that of a type's constraints.
var namedWhere = lazyregexp.MustCompile(`\n[ \t]*(where)[ \t]*(?:\?\.|\.|!!|\?:|=[^=])`)

// namedAccessor finds get or set at the beginning of a line, where the grammar takes what may be a name for an
// accessor of the property before it.
var namedAccessor = lazyregexp.MustCompile(`\n[ \t]*([gs]et)[ \t]*([-+*/%.?!=(\[])`)

// namedModifier finds a modifier as the name of a function that is called, as in open("a").now(), or of a variable,
// as in open = true, where the grammar takes it for a modifier of what follows.
var namedModifier = lazyregexp.MustCompile(`(?:^|[\n;{}=(,]|->|\b(?:return|else))[ \t]*(sealed|open|abstract|final|override|lateinit|public|` +
	`private|internal|protected|inline|infix|tailrec|external|vararg|noinline|crossinline)` +
	`(?:\(|[ \t]*(?:[.\[=]|\?\.|\?:|!!|!=|&&|\|\||\+\+|--|[-+*/%]=))`)

// delegateBody finds a name that something is delegated to and the space before a bracket: class A : B by b {. The
// grammar takes the body of the class for a function that b is called with; behind a base that is made, B(b), it
// does not.
var delegateBody = lazyregexp.MustCompile(`\b(by)\s+\w+[ \t]*([ \t])\{`)

// Kotlin puts spaces in the place of what the scanner does not take. The names in
// it are lost, but for the last annotation.
func Kotlin(src []byte) (b []byte, needed bool) {
	r := kotlin{src: src, b: src}
	r.heads()
	r.annotations()
	r.names()
	return r.b, r.needed
}

// kotlin is a text that is repaired; b is a copy once something is.
type kotlin struct {
	src, b []byte
	needed bool
}

func (r *kotlin) blank(start, end int) {
	if !r.needed {
		r.b, r.needed = bytes.Clone(r.src), true
	}
	text.Blank(r.b[start:end])
}

// heads repairs the heads of classes and their constructors.
func (r *kotlin) heads() {
	for _, m := range constructorHead.FindAllSubmatchIndex(r.src, -1) {
		if m[3] > m[2] {
			r.blank(m[2], m[3])
		}
		if m[4] >= 0 && bytes.ContainsAny(r.src[m[4]:m[5]], " \t\r\n") {
			r.blank(m[4], m[5])
		}
		if m[7] > m[6] {
			r.blank(m[6], m[7])
		}
	}
}

// annotations repairs what comes after annotations.
func (r *kotlin) annotations() {
	for _, m := range annotations.FindAllSubmatchIndex(r.src, -1) {
		if next := bytes.TrimLeft(r.src[m[1]:], " \t\r\n"); len(next) > 0 && bytes.IndexByte([]byte("{(:<"), next[0]) >= 0 {
			continue
		}
		if m[3] > m[2] { // in the body of a class there are no expressions
			r.blank(m[4], m[5])
			continue
		}
		for _, one := range oneAnnotation.FindAllSubmatchIndex(r.src[m[4]:m[5]], -1) { // an expression each
			at, end := m[4]+one[0], m[4]+one[1]
			r.blank(at, at+1)
			if end--; r.b[end] == ' ' || r.b[end] == '\t' {
				r.b[end] = ';'
			}
		}
	}
	for _, m := range classModifiers.FindAllSubmatchIndex(r.src, -1) {
		if r.src[m[0]] == '@' || annotationEnds(r.src, m[0]) {
			r.blank(m[2], m[3])
		}
	}
	for _, m := range annotatedFunction.FindAllSubmatchIndex(r.src, -1) {
		if r.src[m[0]] == '@' || annotationEnds(r.src, m[0]) {
			r.blank(m[2], m[3])
			copy(r.b[m[2]:], "public") // with a blank there, more is lost where the file has another error
		}
	}
	last := bytes.LastIndexByte(r.src, '\n') + 1
	for i := last; i < len(r.src); i++ {
		if r.src[i] == '@' && annotationUnclosed(r.src[i:]) {
			r.blank(i, len(r.src))
			break
		}
	}
}

// names repairs words of the language that are names here, and what a class is delegated to.
func (r *kotlin) names() {
	for _, m := range negatedName.FindAllSubmatchIndex(r.src, -1) {
		r.blank(m[2], m[3])
	}
	for _, m := range namedWhere.FindAllSubmatchIndex(r.src, -1) {
		r.blank(m[2], m[3])
		copy(r.b[m[2]:], "Where")
	}
	for _, m := range namedAccessor.FindAllSubmatchIndex(r.src, -1) {
		if usesName(r.src[m[4]:min(len(r.src), m[4]+2000)]) {
			r.blank(m[2], m[2]) // so that it is a copy that is changed
			r.b[m[2]] -= 'a' - 'A'
		}
	}
	for _, m := range namedModifier.FindAllSubmatchIndex(r.src, -1) {
		r.blank(m[2], m[2]) // so that it is a copy that is changed
		r.b[m[2]] -= 'a' - 'A'
	}
	for _, m := range delegateBody.FindAllSubmatchIndex(r.src, -1) {
		if ofClass(r.src[max(0, m[0]-2000):m[0]]) {
			r.blank(m[2], m[3])
			r.b[m[3]-1], r.b[m[4]] = '(', ')'
		}
	}
}

// usesName reports whether the sign behind get or set shows that it is a name: an accessor has brackets with at most
// one name in them, and a body behind those.
func usesName(rest []byte) bool {
	switch {
	case rest[0] == '=':
		return len(rest) > 1 && rest[1] != '='
	case rest[0] != '(':
		return true
	}
	depth := 0
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			after := bytes.TrimLeft(rest[i+1:], " \t\r\n")
			return len(after) > 0 && (!bytes.ContainsRune([]byte("{=:"), rune(after[0])) || bytes.HasPrefix(after, []byte("==")))
		}
	}
	return false
}

// ofClass reports whether a text ends in the head of a class, what is in brackets left out, and not in that of a
// property.
func ofClass(head []byte) bool {
	depth := 0
	for i := len(head) - 1; i >= 0; i-- {
		switch c := head[i]; {
		case c == ')':
			depth++
		case c == '(':
			depth--
		case depth < 0 || depth == 0 && (c == '{' || c == '}' || c == ';'):
			return false
		case depth == 0 && (i == 0 || engine.IsSpace(head[i-1])):
			switch word, _, _ := bytes.Cut(head[i:], []byte(" ")); string(word) {
			case "class", "object":
				return true
			case "val", "var":
				return false
			}
		}
	}
	return false
}

// annotationEnds reports whether the bracket at i closes the arguments of an annotation.
func annotationEnds(src []byte, i int) bool {
	depth := 0
	for least := max(0, i-2000); i >= least; i-- {
		switch src[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				name := bytes.TrimRightFunc(src[least:i], func(r rune) bool {
					return r == '_' || r == '.' || r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r)
				})
				return bytes.HasSuffix(name, []byte("@"))
			}
		}
	}
	return false
}

// annotationUnclosed reports whether the scanner finds no end of an annotation in the rest of a
// text: it looks for a space, or behind an opening bracket for the end of the line.
func annotationUnclosed(rest []byte) bool {
	open := false
	for _, c := range rest {
		switch {
		case c == '(':
			open = true
		case c == ')':
			open = false
		case !open && engine.IsSpace(c):
			return false
		}
	}
	return true
}

// EndKotlinLines puts a semicolon into the space before a bracket that closes what was
// begun on its line: class A { val b = 1 }. The grammar ends a declaration at the end of
// a line only.
func EndKotlinLines(src []byte) []byte {
	b := src
	last := byte('{') // the last byte of code, or '{' where nothing has to end
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			last = '{'
			i++
			continue
		case engine.IsSpace(c):
			i++
			continue
		case c == '/' && CommentEnd(src, i) > i:
			i = CommentEnd(src, i)
			continue
		case bytes.HasPrefix(src[i:], []byte(`"""`)):
			end := bytes.Index(src[i+3:], []byte(`"""`))
			if end < 0 {
				return b
			}
			i += end + 5
		case c == '"' || c == '\'':
			end, _ := QuotedEnd(src, i)
			i = max(i, end)
		case c == '}' && last != '{' && last != ';' && (src[i-1] == ' ' || src[i-1] == '\t'):
			if &b[0] == &src[0] {
				b = bytes.Clone(src)
			}
			b[i-1] = ';'
		}
		last = c
		i++
	}
	return b
}
